"""Rules for every message of the catalog: its permission, a stale version, its line in the history."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args, get_origin

import pytest

from core.actions.cards.labels import AddLabel
from core.actions.cards.tasks import EditTask
from core.actions.catalog import BY_NAME, COMMANDS, MESSAGES
from core.actions.fields.custom_fields import AddField
from core.actions.history.history import Redo, Undo
from core.actions.personal.presets import SharePreset
from core.actions.products.products import EditApplicationRole
from core.actions.projects.projects import ArchiveProject, DeleteProject, RestoreProject
from core.actions.workspace.users import EditUser
from core.codec.type_hints import field_types, is_record, unwrap_optional
from core.domain.fields import FieldKind
from core.domain.permissions import PROJECT_CODES
from core.engine.messages import Command, Message
from core.errors import NotFound, VersionConflict
from core.record import fields, replace
from core.wire.result_decoder import result_type
from tests.support.message_examples import messages
from tests.support.workspace import World, content

ROLES = {
    "PROJECT_VIEW": "owner contributor viewer",
    "PROJECT_UPDATE": "owner",
    "PROJECT_DELETE": "owner",
    "WORKFLOW_MANAGE": "owner",
    "GATE_DECIDE": "owner",
    "DELIVER": "owner contributor",
    "APPLICATION_MANAGE": "owner",
    "MEMBER_MANAGE": "owner",
    "META_ROLE_ASSIGN": "owner",
    "ACTIVITY_MANAGE": "owner contributor",
    "TASK_MANAGE": "owner contributor",
    "TASK_MOVE": "owner contributor",
    "COMMENT_ADD": "owner contributor",
    "APPLICATION_LAUNCH": "owner contributor",
    "TEMPLATE_SAVE": "owner",
    "PRESET_SHARE": "owner",
    "WORKSPACE_VIEW": "owner contributor viewer guest internal admin",
    "PROJECT_CREATE": "internal admin",
    "PROJECT_CLAIM": "admin",
    "USER_MANAGE": "admin",
    "HIERARCHY_MANAGE": "admin",
    "PRODUCT_MANAGE": "admin",
    "PRODUCT_LAUNCH": "internal admin",
    "META_ROLE_MANAGE": "admin",
    "TEMPLATE_MANAGE": "admin",
    "METRICS_VIEW": "admin",
}
"""Spec, section 2, as it is written there. ``tests.permissions`` holds every message, key and command line to it."""

MESSAGES_OF = {
    "WORKSPACE_VIEW": "GetMyWork GetPortfolio GetWorkload ListWorkloadCards"
    " ListUndoSteps ListInbox CountUnread MarkNotificationsRead ListOnlineUsers"
    " GetCurrentUser SetPreference ListUsers GetUser ListInviters ListNodes GetHierarchy ListProducts GetProduct"
    " ListProjects FindProjects Search ListMetaRoles GetMyPermissions QueryPermissions"
    " ListSavedFilters SaveFilter DeleteSavedFilter ListWorkspaceLabels"
    " ListTemplates GetTemplate CompareTemplateVersions ListTokens CreateToken RevokeToken ListLinkedAccounts"
    " RenewToken",
    "PROJECT_CREATE": "PreviewImport ImportProject CreateProject CreateProjectFromTemplate",
    "PROJECT_CLAIM": "ListOrphanedProjects ClaimProject",
    "USER_MANAGE": "RenameWorkspace SetWeekLimit AddUser EditUser SetPlatformRoles DeactivateUser ReactivateUser"
    " ListGatewayTokens CreateGatewayToken RevokeGatewayToken"
    " ListWorkspaceHistory LinkOsAccount UnlinkOsAccount CreateUserToken RevokeUserToken",
    "HIERARCHY_MANAGE": "AddWorkspaceLabel AddNode RenameNode MoveNode RemoveNode",
    "PRODUCT_MANAGE": "AddProduct EditProduct RetireProduct RemoveProduct AddApplicationRole EditApplicationRole"
    " ListProductTokens CreateProductToken RevokeProductToken"
    " RemoveApplicationRole",
    "PROJECT_VIEW": "AskForConsent"
    " GetProject ListMembers GetCanvas GetCanvasChanges ListPhases GetPhase GetCard ListComments ListTasks"
    " GetProjectDigest ListChangesSinceLastVisit SetLastSeen SetFold ReportPresence"
    " CheckGate GetNextPhase ListGateDecisions GetSeal CompareWithSeal PreviewApproval ListConditions ListCriteria"
    " ListHistory ListChangesSince SetFavourite Undo Redo ListApplications"
    " ListDeliverables ListProductOptions"
    " GetApplication ExportProject ListDueDates GetStatusReport"
    " ListPresets ActivatePreset SavePreset RemovePreset GetLaunchContext ExplainPermission GetBurnUp GetTemplateOrigin"
    " ReviewGates ExplainHealth PreviewReschedule CheckVersion"
    " DiffAgainstTemplate PreviewTemplateMerge PreviewImportInto ListLabels ListFields ListDependencies"
    " ContradictMeeting",
    "PROJECT_UPDATE": "EditProject LinkProject ArchiveProject RestoreProject",
    "PROJECT_DELETE": "DeleteProject DeleteCard",
    "MEMBER_MANAGE": "ListCandidates InviteMember InviteGuest SetProjectRole RemoveMember",
    "WORKFLOW_MANAGE": "AddPhase EditPhase SetPhaseDueDate ReschedulePhase ReorderPhase AssignPhase RemovePhase"
    " AddDeliverable AddCriterion EditCriterion RemoveCriterion"
    " EditDeliverable RemoveDeliverable"
    " MergeTemplate AddField EditField RenameChoice MoveField RemoveField OverrideBlockers"
    " SetGatePolicy RemoveGatePolicy",
    "GATE_DECIDE": "DecideGate CastVote RecordMeeting WaiveCondition",
    "DELIVER": "Deliver TakeBack MeetCriterion TakeBackCriterion",
    "ACTIVITY_MANAGE": "CreateActivity EditActivity AssignActivity",
    "TASK_MANAGE": "CreateTask CaptureTasks EditTask AssignTask ReorderCard SetCardDueDate ArchiveCard RestoreCard"
    " AddLabel EditLabel MergeLabels RemoveLabel SetLabels SetPriority SetFields LinkCards UnlinkCards",
    "TASK_MOVE": "MoveCard BulkUpdate ImportInto",
    "COMMENT_ADD": "AddComment EditComment DeleteComment",
    "APPLICATION_MANAGE": "AddApplication EditApplication SetApplicationDueDate AssignApplication ReorderApplication"
    " RemoveApplication",
    "APPLICATION_LAUNCH": "LaunchApplication",
    "PRODUCT_LAUNCH": "GetProductContext LaunchProduct",
    "META_ROLE_MANAGE": "AddMetaRole RenameMetaRole RemoveMetaRole MapProjectRole",
    "META_ROLE_ASSIGN": "SetMetaRoles",
    "TEMPLATE_SAVE": "SaveTemplate",
    "TEMPLATE_MANAGE": "ImportTemplate EditTemplate RemoveTemplate",
    "PRESET_SHARE": "SharePreset RemoveSharedPreset",
}

by_name = pytest.mark.parametrize("kind", MESSAGES, ids=lambda kind: kind.__name__)
IRREVERSIBLE = {"Undo", "Redo", "ClaimProject"}
REVERSIBLE = [
    kind for kind in COMMANDS if kind.undoable and not kind.creates_project and kind.__name__ not in IRREVERSIBLE
]
"""Without the taking over, which would leave the project without an owner, and new projects, which are archived."""

LEAVE_THE_VERSION = {
    "AddDeliverable",
    "AddCriterion",
    "SetGatePolicy",
    "RemoveGatePolicy",
    "CastVote",
    "ArchiveProject",
}
"""They change other records than the one whose version they take; to archive twice is refused before that."""

VERSIONED = [kind for kind in COMMANDS if "seen_version" in fields(kind)]


def samples_of(kinds: Sequence[type[Command[Any]]]) -> pytest.MarkDecorator:
    """Each of these messages with its sample, and those about a card of either kind also with that of an activity."""
    both = [
        (kind, each[kind]) for each in (messages.COMMANDS, messages.OF_ACTIVITIES) for kind in kinds if kind in each
    ]
    return pytest.mark.parametrize(("kind", "sample"), both, ids=lambda each: getattr(each, "__name__", ""))


@by_name
def test_each_message_takes_the_permission_that_the_specification_gives_it(kind: type[Message[Any]]) -> None:
    assert kind.__name__ in MESSAGES_OF[kind.permission].split()


ELSEWHERE = (
    "AddPhase.before_id=phase ReorderPhase.before_id=phase CreateActivity.before_id=task CreateTask.before_id=task"
    " CreateTask.activity_id=activity ReorderCard.before_id=task ReorderCard.phase_id=phase SetFold.target_id=phase"
    " AddApplication.activity_id=activity ReorderApplication.phase_id=phase ReorderApplication.before_id=task"
    " ActivatePreset.preset_id=preset SavePreset.preset_id=preset SharePreset.preset_id=preset"
    " RemoveSharedPreset.preset_id=preset MergeLabels.into_id=label MoveField.before_id=field"
)
"""What a message names beside the record that it changes, and the kind of that."""


@pytest.mark.parametrize("case", ELSEWHERE.split())
def test_a_record_of_another_project_is_refused_as_one_that_is_not_there(world: World, case: str) -> None:
    (kind, name), of = case.partition("=")[0].split("."), case.partition("=")[2]
    message: Any = messages.COMMANDS[BY_NAME[kind]](world)
    other = world.new_project("Secret")
    phase = world.phase("Alpha", other.id)
    theirs: dict[str, Any] = {
        "phase": phase,
        "task": world.task("Hidden", phase),
        "activity": world.activity("Hidden plan", phase),
        "preset": world.do(SharePreset(project_id=other.id, name="Theirs")),
        "label": world.do(AddLabel(project_id=other.id, name="Hidden")),
        "field": world.do(AddField(project_id=other.id, name="Hidden", kind=FieldKind.NUMBER)),
    }
    before = content(world.database)
    refused = world.refuses(replace(message, **{name: theirs[of].id}), NotFound)
    assert "Hidden" not in str(refused)
    assert content(world.database) == before


@samples_of(VERSIONED)
def test_a_stale_version_is_refused_with_the_current_record_and_nothing_is_written(
    world: World, kind: type[Command[Any]], sample: messages.Sample
) -> None:
    message: Any = sample(world)
    before = content(world.database)
    for stale in (0, 999):
        with pytest.raises(VersionConflict, match="This has changed since you saw it") as refused:
            world.do(replace(message, seen_version=stale))
        assert content(world.database) == before
    current: Any = refused.value.current
    assert 0 < current.version < 999
    message = replace(message, seen_version=current.version)
    world.do(message)
    assert content(world.database) != before
    if kind.__name__ not in LEAVE_THE_VERSION:
        again = world.refuses(message, (VersionConflict, NotFound))
        now: Any = getattr(again, "current", None)
        assert now is None or now.version == current.version + 1


@pytest.mark.parametrize("kind", COMMANDS, ids=lambda kind: kind.__name__)
def test_a_command_is_one_line_of_the_history_unless_it_is_personal(world: World, kind: type[Command[Any]]) -> None:
    message: Any = messages.COMMANDS[kind](world)
    before = {(row["project_id"], row["seq"]) for row in world.rows("SELECT project_id, seq FROM change")}
    world.do(message)
    new = [row for row in world.rows("SELECT * FROM change") if (row["project_id"], row["seq"]) not in before]
    if kind.personal:
        assert new == []
        return
    (line,) = new
    assert line["message"] == kind.__name__
    assert line["actor_id"] == world.maya.user_id
    assert line["at"] == "2026-03-02T12:00:00.000+00:00"
    assert line["summary"] or kind.__name__ == "Redo"
    making = {"CreateProject", "CreateProjectFromTemplate", "ImportProject"}
    project = kind.__name__ in {each.__name__ for each in messages.PROJECT_COMMANDS} | making
    takes_over = kind.__name__ == "ClaimProject"
    in_project = (project or takes_over) and kind.__name__ != "DeleteProject"
    assert (line["project_id"] != "workspace") == in_project
    assert line["seq"] == world.row("feed", id=line["project_id"])["seq"]


@samples_of(REVERSIBLE)
def test_what_can_be_undone_comes_back_exactly_and_redo_does_it_again(
    world: World, kind: type[Command[Any]], sample: messages.Sample
) -> None:
    message: Any = sample(world)
    before = content(world.database, versions=False)
    world.do(message)
    scope = {"project_id": world.last_change()["project_id"]} if kind in messages.PROJECT_COMMANDS else {}
    after = content(world.database, versions=False)
    assert after != before
    world.do(Undo(**scope))
    undone = content(world.database, versions=False)
    made = [row["decision"] for row in after["gate_record"] if row not in before["gate_record"]]
    entries = [row for row in undone["gate_record"] if row not in before["gate_record"]]
    if made:  # entries stay on record, marked as withdrawn, with their seals
        said = [each for each in made if each in ("PASS", "STOP")] or made  # votes go with their decision
        expected = sorted([*((each, 1) for each in made), *(("WITHDRAWAL", 0) for _ in said)])
        assert sorted((row["decision"], row["withdrawn"]) for row in entries) == expected
        before |= {"gate_record": undone["gate_record"], "gate_seal": after["gate_seal"]}
    assert undone == before
    world.do(Redo(**scope))
    redone = content(world.database, versions=False)
    if made:
        withdrawn_and_restored = [row for row in redone["gate_record"] if row not in after["gate_record"]]
        assert {row["decision"] for row in withdrawn_and_restored} == {"RESTORATION", "WITHDRAWAL"}
        after["gate_record"] = sorted(after["gate_record"] + withdrawn_and_restored, key=repr)
    assert redone == after


def test_the_table_names_every_permission_and_every_message_once() -> None:
    named = [name for names in MESSAGES_OF.values() for name in names.split()]
    assert sorted(named) == sorted(kind.__name__ for kind in MESSAGES)
    assert {code.value for code in PROJECT_CODES} == {
        code for code, roles in ROLES.items() if "owner" in roles and code != "WORKSPACE_VIEW"
    }


def test_what_is_not_there_is_named_in_words(world: World) -> None:
    with pytest.raises(NotFound, match="There is no application role “nowhere” here"):
        world.do(EditApplicationRole(application_role_id="nowhere", name="Reader"))
    world.refuses(EditUser(user_id="nobody", city="Oslo"), NotFound, "There is no user “nobody” here")


def test_an_id_that_podium_made_is_not_said_of_what_is_gone(world: World) -> None:
    _, task = world.task("Kept"), world.task("Gone")
    world.delete(task.id)
    with pytest.raises(NotFound, match=r"^There is no such task here\. It may have been deleted, or"):
        world.do(EditTask(task_id=task.id, title="Back"))
    world.do(ArchiveProject(project_id=world.project.id))
    world.do(DeleteProject(project_id=world.project.id))
    with pytest.raises(NotFound, match=r"^There is no such project here\. It may have been deleted, or"):
        world.do(RestoreProject(project_id=world.project.id))
    assert not world.rows("SELECT id FROM project")


def by_position(hint: Any, within: tuple[Any, ...] = ()) -> list[Any]:
    """The types in a result whose JSON is a list in which each place has a meaning of its own."""
    inner, _ = unwrap_optional(hint)
    parts = [each for each in get_args(inner) if each is not Ellipsis]
    if is_record(inner):
        parts = [] if inner in within else list(field_types(inner).values())
    found = [inner] if get_origin(inner) is tuple and Ellipsis not in get_args(inner) else []
    return found + [each for part in parts for each in by_position(part, (*within, inner))]


@by_name
def test_no_part_of_an_answer_is_a_list_by_position(kind: type[Message[Any]]) -> None:
    assert by_position(result_type(kind)) == []
