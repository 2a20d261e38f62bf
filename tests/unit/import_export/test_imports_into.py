"""A file into an existing project: it adds and changes, asks about conflicts, and the rules hold as by hand."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

import pytest

from core.actions.cards.cards import DeleteCard, SetCardDueDate
from core.actions.cards.tasks import EditTask
from core.actions.dependencies.links import LinkCards
from core.actions.fields.custom_fields import AddField, SetFields
from core.actions.history.history import ListHistory, Redo, Undo
from core.actions.projects.exports import ExportProject
from core.actions.projects.imports import ImportProject
from core.actions.projects.imports_into import ImportInto, PreviewImportInto
from core.actions.workflow.phases import EditPhase
from core.actions.workspace.users import SetPlatformRoles
from core.domain.fields import FieldKind, FieldValue
from core.domain.model import PlatformRole, Priority, Status
from core.domain.permissions import Permission
from core.engine.unit_of_work import Actor
from core.errors import Forbidden, InvalidImport, RuleViolation, VersionConflict
from core.import_export.document import CommentEntry, PersonEntry, ProjectDocument
from core.import_export.files import read_document
from core.import_export.into.plan import ImportIntoPlan
from core.record import replace
from core.reports.formats import RENDERINGS, ExportFormat
from tests.support.workspace import World, content

FIRST = """Title;Phase;Status;Due;Cost;Assigned;Labels
Write;Discover;done;2026-04-01;12;bob;legal | press
Read;Discover;;;3;;
Build it;Build;;2026-05-01;;;
"""


def table(text: str, name: str = "plan") -> ProjectDocument:
    return read_document(text, today=date(2026, 3, 2), name=name).document


@dataclass
class Into:
    """A world, and imports into its project."""

    world: World

    def preview(self, text: str | ProjectDocument, **fields: Any) -> ImportIntoPlan:
        document = table(text) if isinstance(text, str) else text
        return self.world.ask(PreviewImportInto(project_id=self.world.project.id, document=document, **fields))

    def message(self, text: str | ProjectDocument, **fields: Any) -> ImportInto:
        document = table(text) if isinstance(text, str) else text
        return ImportInto(project_id=self.world.project.id, document=document, **fields)

    def do(self, text: str | ProjectDocument, as_: Actor | None = None, **fields: Any) -> ImportIntoPlan:
        return self.world.do(self.message(text, **fields), as_)

    def card(self, title: str) -> dict[str, Any]:
        return self.world.row("item", title=title, project_id=self.world.project.id)

    def seq(self) -> int:
        return self.world.ask(ListHistory(project_id=self.world.project.id))[0].seq


@pytest.fixture
def into(world: World) -> Into:
    return Into(world)


def said(plan: ImportIntoPlan) -> list[tuple[str, str, str, str]]:
    return [(each.title, each.field, each.before, each.after) for each in plan.updates]


def test_a_file_adds_cards_fields_and_labels_to_the_phases_of_its_names(into: Into) -> None:
    plan = into.do(FIRST)
    assert plan.by_phase == {"Discover": 2, "Build": 1}
    assert (plan.new_phases, plan.new_fields, plan.new_labels) == ((), ("Cost",), ("legal", "press"))
    assert plan.parts == ("3 new cards", "1 new field", "2 new labels")
    write = into.card("Write")
    assert (write["status"], write["due"], write["phase_id"]) == ("COMPLETED", "2026-04-01", into.world.discover.id)
    assert (write["assignee_id"], write["completed_by"]) == (into.world.bob.user_id, into.world.maya.user_id)
    assert into.world.row("item_field", item_id=write["id"])["value"] == "12"
    assert len(into.world.rows("SELECT * FROM item_label WHERE item_id = :id", id=write["id"])) == 2
    assert [each["kind"] for each in into.world.rows("SELECT * FROM notification")] == ["ASSIGNED"]
    assert into.world.row("card_origin", item_id=write["id"])["program"] == "table"


def test_the_same_file_twice_changes_nothing(into: Into) -> None:
    into.do(FIRST)
    before, seq = content(into.world.database), into.seq()
    plan = into.do(FIRST)
    assert plan.is_empty
    assert plan.same == 3
    assert content(into.world.database) == before
    assert into.seq() == seq


def test_a_changed_file_changes_what_it_says_in_one_step_of_undo(into: Into) -> None:
    into.do(FIRST)
    before = content(into.world.database, versions=False)
    changed = FIRST.replace("Read;Discover;;;3", "Read;Discover;doing;2026-04-09;4").replace("legal | press", "press")
    plan = into.do(f"{changed}New;Launch;;;;;\n")
    assert said(plan) == [
        ("Write", "labels", "legal, press", "press"),
        ("Read", "due date", "none", "Thu 9 Apr 2026"),
        ("Read", "Cost", "3", "4"),
        ("Read", "status", "To Do", "In Progress"),
    ]
    assert plan.by_phase == {"Launch": 1}
    after = content(into.world.database, versions=False)
    assert (into.card("Read")["status"], into.card("New")["phase_id"]) == ("IN_PROGRESS", into.world.launch.id)
    history = {"change", "change_record", "feed", "notification", "usage", "search_doc"}
    into.world.do(Undo(project_id=into.world.project.id))
    undone = content(into.world.database, versions=False)
    assert {name: rows for name, rows in undone.items() if name not in history} == {
        name: rows for name, rows in before.items() if name not in history
    }
    into.world.do(Redo(project_id=into.world.project.id))
    redone = content(into.world.database, versions=False)
    assert redone["item"] == after["item"]
    assert redone["card_origin"] == after["card_origin"]


@pytest.mark.parametrize(
    ("here", "there", "theirs", "ends_as", "is_conflict"),
    [
        ("", "", None, "2026-04-01", False),
        ("", "2026-06-01", None, "2026-06-01", False),
        ("2026-05-05", "", None, "2026-05-05", False),
        ("2026-05-05", "2026-04-01", None, "2026-05-05", False),
        ("2026-05-05", "2026-05-05", None, "2026-05-05", False),
        ("2026-05-05", "2026-06-01", None, "2026-05-05", True),
        ("2026-05-05", "2026-06-01", True, "2026-06-01", False),
        ("2026-05-05", "2026-06-01", False, "2026-05-05", False),
    ],
)
def test_of_three_versions_of_a_value_the_changed_one_is_taken_and_two_changes_are_a_conflict(
    into: Into, here: str, there: str, theirs: bool | None, ends_as: str, is_conflict: bool
) -> None:
    into.do(FIRST)
    if here:
        into.world.do(SetCardDueDate(card_id=into.card("Write")["id"], due=date.fromisoformat(here)))
    changed = FIRST.replace("2026-04-01", there)
    plan = into.preview(changed, theirs=theirs)
    assert bool(plan.conflicts) is is_conflict
    if is_conflict:
        refused = into.world.refuses(into.message(changed), RuleViolation, "1 value changed here and in the file")
        assert "due date of “Write” (Tue 5 May 2026 here, Mon 1 Jun 2026 in the file)" in str(refused)
    else:
        into.do(changed, theirs=theirs)
        assert into.preview(changed).is_empty  # and nobody is asked again
    assert into.card("Write")["due"] == ends_as


def test_cards_that_a_file_lacks_are_named_and_stay(into: Into) -> None:
    into.do(FIRST)
    by_hand = into.world.task("By hand")
    plan = into.do("\n".join([*FIRST.split("\n")[:2], "New;Discover;;;;;"]))
    assert [each.title for each in plan.absent] == ["Read", "Build it"]
    assert into.card("Read")["status"] == "TO_DO"
    assert into.world.status(by_hand) == Status.TO_DO


def test_what_no_cell_says_is_not_changed_by_what_was_chosen_in_its_place(into: Into) -> None:
    into.do(FIRST)
    into.world.start(into.card("Read")["id"])
    plan = into.do("Title\nWrite\nRead\nBuild it\n")
    assert plan.is_empty
    assert plan.same == 3
    into.do("Title;Status\nWrite;\nNew without a phase;\n")
    assert into.card("Write")["status"] == "COMPLETED"
    assert into.card("New without a phase")["phase_id"] == into.world.discover.id


def test_lines_that_the_sender_has_no_permission_for_are_refused_all_of_them_or_left_out(into: Into) -> None:
    text = f"{FIRST}Ship;Harbour;;;;;\nPack;Harbour;;;;;\n"
    bob = into.world.bob
    refused = into.world.refuses(into.message(text), Forbidden, as_=bob)
    for title in ("Ship", "Pack", "Cost"):
        assert f"“{title}”" in str(refused)
    plan = into.do(text, as_=bob, skip_refused=True)
    assert [(each.title, each.permission) for each in plan.refused] == [
        ("Cost", Permission.WORKFLOW_MANAGE),
        ("Ship", Permission.WORKFLOW_MANAGE),
        ("Pack", Permission.WORKFLOW_MANAGE),
    ]
    assert [each.title for each in plan.cards] == ["Write", "Read", "Build it"]
    assert into.card("Write")["description"] == "Cost: 12"
    into.world.do(Undo(project_id=into.world.project.id), as_=bob)
    into.world.refuses(into.message(text), Forbidden, as_=into.world.vera)
    owner = into.do(text)
    assert (owner.new_phases, owner.new_fields) == (("Harbour",), ("Cost",))
    last = into.world.rows("SELECT name FROM phase WHERE project_id = :id ORDER BY rank", id=into.world.project.id)[-1]
    assert last["name"] == "Harbour"


def test_people_who_are_no_members_are_refused_or_become_words(into: Into) -> None:
    text = "Title;Assigned\nWrite;Zed\nRead;gus\n"
    assert [each.name for each in into.preview(text).missing] == ["Zed", "Gus Roy"]
    into.world.refuses(
        into.message(text), InvalidImport, "^people: No active members of this project: “Zed” and “Gus Roy”"
    )
    into.do(text, leave_out_unknown=True)
    assert into.card("Write")["description"] == "Assigned to: Zed"
    assert into.do(text, leave_out_unknown=True).is_empty


def test_people_of_the_workspace_are_invited_where_the_sender_says_so_and_may(into: Into) -> None:
    world, text = into.world, "Title;Assigned\nWrite;Zed\nRead;gus\n"
    assert [(each.login, each.can_invite) for each in into.preview(text).missing] == [("Zed", False), ("gus", True)]
    asked = PreviewImportInto(project_id=world.project.id, document=table(text), invite=("gus",))
    world.do(SetPlatformRoles(user_id=world.bob.user_id, platform_roles=(PlatformRole.INTERNAL,)))
    assert [each.can_invite for each in world.ask(replace(asked, invite=()), as_=world.bob).missing] == [False, False]
    invite: dict[str, Any] = {"invite": ("Zed", "gus"), "leave_out_unknown": True}
    for message in (into.message(text, **invite), asked):
        world.refuses(message, Forbidden, "invite, change or remove members", world.bob)
    plan = into.do(text, **invite, seen=world.ask(asked).digest)
    assert [(each.login, each.name) for each in plan.invited] == [("gus", "Gus Roy")]
    assert plan.parts == ("2 new cards", "1 new member")
    member = world.row("member", project_id=world.project.id, user_id=world.gus.user_id)
    assert (member["role"], member["invited_by"]) == ("CONTRIBUTOR", world.maya.user_id)
    assert into.card("Read")["assignee_id"] == world.gus.user_id
    assert into.do(text, **invite).is_empty
    world.do(Undo(project_id=world.project.id))
    assert world.rows("SELECT user_id FROM member WHERE user_id = :id", id=world.gus.user_id) == []
    twice = text + "Plan;Gus Roy\n"
    plan = into.do(twice, invite=("gus",), leave_out_unknown=True)
    assert ([each.login for each in plan.invited], plan.parts[-1]) == (["gus", "Gus Roy"], "1 new member")
    assert into.card("Plan")["assignee_id"] == world.gus.user_id


def test_values_that_a_field_of_the_name_cannot_have_become_words(into: Into) -> None:
    into.world.do(AddField(project_id=into.world.project.id, name="cost", kind=FieldKind.NUMBER))
    into.do("Title;Cost\nWrite;12\nRead;a lot\n")
    assert into.world.row("item_field", item_id=into.card("Write")["id"])["value"] == "12"
    assert into.card("Read")["description"] == "Cost: a lot"


def test_single_values_are_taken_or_kept_and_the_same_file_again_changes_nothing(into: Into) -> None:
    into.do(FIRST)
    for title in ("Write", "Build it"):
        into.world.do(SetCardDueDate(card_id=into.card(title)["id"], due=date(2026, 5, 5)))
    changed = FIRST.replace("2026-04-01;12", "2026-06-01;14").replace("2026-05-01", "2026-06-02")
    plan = into.preview(changed)
    (one, other), (cost,) = plan.conflicts, plan.updates
    both: dict[str, Any] = {"take": (one.id,), "keep": (cost.id,)}
    assert [each.id for each in into.preview(changed, **both).conflicts] == [other.id]
    into.world.refuses(into.message(changed, **both), RuleViolation, "1 value changed here and in the file")
    assert said(into.do(changed, **both, theirs=False)) == [("Write", "due date", "Tue 5 May 2026", "Mon 1 Jun 2026")]
    assert [into.card(each)["due"] for each in ("Write", "Build it")] == ["2026-06-01", "2026-05-05"]
    assert into.world.row("item_field", item_id=into.card("Write")["id"])["value"] == "12"
    assert into.preview(changed).is_empty
    assert [each.after for each in into.preview(changed.replace(";14;", ";15;")).conflicts] == ["15"], "changed in both"
    into.do(changed.replace("Read;", "Read on;"), keep=("of no card",))


def test_an_import_that_keeps_all_as_it_is_remembers_that(into: Into) -> None:
    into.do(FIRST)
    changed = FIRST.replace(";12;", ";14;")
    (cost,) = into.preview(changed).updates
    assert said(into.do(changed, keep=(cost.id,))) == []
    assert into.preview(changed).is_empty


def test_a_plan_that_does_not_hold_any_more_is_refused_and_any_other_change_is_not(into: Into) -> None:
    into.do(FIRST)
    changed = FIRST.replace("2026-04-01", "2026-06-01")
    seen = into.preview(changed).digest
    into.world.task("Of another person")
    assert into.preview(changed).digest == seen
    into.world.do(SetCardDueDate(card_id=into.card("Write")["id"], due=date(2026, 5, 5)))
    into.world.refuses(into.message(changed, seen=seen, theirs=True), VersionConflict, "Preview it again")
    into.do(changed, seen=into.preview(changed, theirs=True).digest, theirs=True)


def test_a_change_between_the_plan_and_the_transaction_is_seen(into: Into, monkeypatch: pytest.MonkeyPatch) -> None:
    into.do(FIRST)
    prepare = ImportInto.prepare

    def prepare_late(self: ImportInto, read: Any) -> Any:
        found = prepare(self, read)
        into.world.do(SetCardDueDate(card_id=into.card("Write")["id"], due=date(2026, 5, 5)))
        return found

    monkeypatch.setattr(ImportInto, "prepare", prepare_late)
    into.world.refuses(into.message(FIRST.replace("2026-04-01", "2026-06-01")), RuleViolation, "changed here and in")
    assert into.card("Write")["due"] == "2026-05-05"


def test_a_file_that_became_a_project_goes_into_it_a_week_later(into: Into) -> None:
    made = into.world.do(ImportProject(document=table(FIRST)))
    here = Into(into.world)
    document = table(FIRST.replace("Read;", "Read;", 1).replace(";3;", ";5;"))
    plan = into.world.do(ImportInto(project_id=made.id, document=document))
    assert said(plan) == [("Read", "Cost", "3", "5")]
    assert here.world.do(ImportInto(project_id=made.id, document=document)).is_empty


EDITS = {
    ExportFormat.JSON: ('"2026-04-09"', '"2026-04-10"'),
    ExportFormat.CSV: ("2026-04-09", "2026-04-10"),
    ExportFormat.ICAL: (":20260409\r\nDTEND;VALUE=DATE:20260410", ":20260410\r\nDTEND;VALUE=DATE:20260411"),
    ExportFormat.ICAL_TASKS: (":20260409", ":20260410"),
    ExportFormat.MS_PROJECT: ("2026-04-09T", "2026-04-10T"),
    ExportFormat.CHECKLIST: ("2026-04-09", "2026-04-10"),
}


@pytest.mark.parametrize("format", EDITS)
def test_an_export_finds_its_cards_in_its_project_and_asks_about_each_difference(
    into: Into, format: ExportFormat
) -> None:
    world = into.world
    people = (world.bob.user_id, world.maya.user_id)
    top = world.activity("Plan", member_ids=people, priority=Priority.URGENT, labels=("press",), due=date(2026, 4, 8))
    task = world.task("Read; =1+1", activity_id=top.id, due=date(2026, 4, 9), description="- One\n=2")
    world.complete(world.task("Twice", due=date(2026, 4, 7), assignee_id=world.bob.user_id).id)
    world.start(world.task("Twice", due=date(2026, 4, 6), priority=Priority.LOW).id)
    world.do(LinkCards(waiting_id=world.task("Last").id, blocker_id=top.id, lag_days=2))
    reviewer, labels = (
        world.do(AddField(project_id=world.project.id, name=name, kind=kind))
        for name, kind in (("Reviewer", FieldKind.PERSON), ("Labels", FieldKind.TEXT))
    )
    values = FieldValue(key=reviewer.key, value=world.bob.user_id), FieldValue(key=labels.key, value="a, b")
    world.do(SetFields(item_id=task.id, values=values))
    world.add_application(world.product(), due=date(2026, 4, 5))
    renderer = RENDERINGS[format]
    text = renderer.text(world.ask(renderer.query(world.project.id)), world.clock.now)
    assert into.preview(text).is_empty
    changed = text.replace(*EDITS[format])
    assert [each.after for each in into.preview(changed).conflicts] == ["Fri 10 Apr 2026"]
    plan = into.do(changed, theirs=True)
    assert said(plan) == [("Read; =1+1", "due date", "Thu 9 Apr 2026", "Fri 10 Apr 2026")]
    assert into.card("Read; =1+1")["due"] == "2026-04-10"
    assert len(world.rows("SELECT * FROM item")) == 5


def test_a_list_without_ids_finds_a_card_by_its_title_in_its_phase_and_not_elsewhere(into: Into) -> None:
    into.world.task("By hand", into.world.discover)
    into.world.task("Call", into.world.discover)
    plan = into.preview("# Any\n\n## Discover\n- [x] By hand\n\n## Build\n- [ ] Call\n")
    assert [(each.title, each.field, each.after) for each in plan.conflicts] == [("By hand", "status", "Completed")]
    assert plan.by_phase == {"Build": 1}


def test_an_export_has_the_origins_and_comes_back_equal(into: Into) -> None:
    into.do(FIRST)
    exported = into.world.ask(ExportProject(project_id=into.world.project.id))
    assert all(item.origin and item.origin.program == "table" and item.origin.last for item in exported.items)
    again = into.world.do(ImportProject(document=exported))
    back = into.world.ask(ExportProject(project_id=again.id))
    assert [item.origin for item in back.items] == [item.origin for item in exported.items]
    json = RENDERINGS[ExportFormat.JSON]
    assert read_document(json.text(exported, into.world.clock.now)).document.items == exported.items
    changed = table(FIRST.replace("2026-04-01", "2026-06-01"))
    plan = into.world.do(ImportInto(project_id=again.id, document=changed))
    assert said(plan) == [("Write", "due date", "Wed 1 Apr 2026", "Mon 1 Jun 2026")]


def test_an_origin_goes_with_its_card(into: Into) -> None:
    into.do(FIRST)
    card = into.card("Read")["id"]
    into.world.archive(card)
    into.world.do(DeleteCard(card_id=card))
    assert into.world.rows("SELECT * FROM card_origin WHERE item_id = :id", id=card) == []
    assert [each.title for each in into.do(FIRST, relock=True).cards] == ["Read"]


def with_comments(*texts: str) -> ProjectDocument:
    document = table("Title;Phase\nWrite;Discover\n")
    (phase,) = document.phases
    (item,) = phase.items
    at = datetime(2026, 3, 1, 9, tzinfo=UTC)
    said = tuple(CommentEntry(author="zed", at=at, text=text) for text in texts)
    people = (*document.people, PersonEntry(login="zed", name="Zed Ott"))
    return replace(document, people=people, phases=(replace(phase, items=(replace(item, comments=said),)),))


def test_comments_of_a_file_come_in_once(into: Into) -> None:
    into.do(with_comments("First"))
    assert into.do(with_comments("First", "Second")).comments == 1
    assert into.do(with_comments("First", "Second")).is_empty
    found = into.world.rows("SELECT * FROM comment ORDER BY text")
    assert [(each["text"], each["original_name"]) for each in found] == [("First", "Zed Ott"), ("Second", "Zed Ott")]
    assert {each["imported_by"] for each in found} == {into.world.maya.user_id}


def test_activities_hold_their_tasks_and_follow_a_move_of_the_file(into: Into) -> None:
    text = "ID;Title;Phase;Parent\n1;Film;Discover;\n2;Shoot;Discover;1\n3;Cut;Discover;1\n"
    into.do(text)
    film = into.card("Film")
    assert film["kind"] == "ACTIVITY"
    assert {into.card(title)["activity_id"] for title in ("Shoot", "Cut")} == {film["id"]}
    plan = into.do(text.replace("Discover", "Build") + "4;Score;Build;1\n")
    assert [each.field for each in plan.updates] == ["phase", "phase", "phase"]
    assert {into.card(title)["phase_id"] for title in ("Film", "Shoot", "Cut", "Score")} == {into.world.build.id}
    assert into.card("Score")["activity_id"] == film["id"]
    assert [into.card(title)["id"] for title in ("Shoot", "Cut", "Score")] == [
        row["id"] for row in into.world.rows("SELECT id FROM item WHERE kind = 'TASK' ORDER BY rank")
    ]


def test_an_open_task_of_the_file_reopens_the_activity_that_was_completed_here(into: Into) -> None:
    text = "ID;Title;Phase;Parent\n1;Film;Discover;\n2;Shoot;Discover;1\n"
    into.do(text)
    into.world.complete(into.card("Shoot")["id"], into.card("Film")["id"])
    into.do(f"{text}3;Cut;Discover;1\n", relock=True)
    assert (into.card("Film")["status"], into.card("Cut")["status"]) == ("IN_PROGRESS", "TO_DO")


def test_a_new_task_of_an_activity_that_is_archived_here_is_beside_it(into: Into) -> None:
    text = "ID;Title;Phase;Parent\n1;Film;Discover;\n2;Shoot;Discover;1\n"
    into.do(text)
    into.world.archive(into.card("Film")["id"])
    plan = into.do(f"{text}3;Cut;Discover;1\n", relock=True)
    assert (into.card("Cut")["activity_id"], into.card("Cut")["status"]) == (None, "TO_DO")
    assert "archived here" in plan.notes[-1].why


def test_a_card_of_the_file_waits_as_the_file_says(into: Into) -> None:
    text = "ID;Title;Phase;Predecessors\n1;First;Discover;\n2;Second;Discover;1\n3;Third;Build;\n"
    into.do(text)
    first, second = into.card("First")["id"], into.card("Second")["id"]
    assert into.world.row("dependency", waiting_id=second)["blocker_id"] == first
    assert said(into.do(text.replace("Third;Build;", "Third;Build;2"))) == [("Third", "waits for", "none", "Second")]
    assert into.do(text).is_empty


def test_a_title_that_moves_to_another_phase_is_still_the_card(into: Into) -> None:
    into.do("Title;Phase\nWrite;Discover\nRead;Discover\n")
    plan = into.do("Title;Phase\nWrite;Build\nRead;Discover\nRead;Build\n")
    assert said(plan) == [("Write", "phase", "Discover", "Build")]
    assert [each.title for each in plan.cards] == ["Read"]
    assert into.do("Title;Phase\nWrite;Build\nRead;Discover\nRead;Build\n").is_empty


def test_a_title_that_was_changed_here_stays_while_the_file_says_the_old_one(into: Into) -> None:
    into.do("ID;Title;Phase\n1;Write;Discover\n")
    into.world.do(EditTask(task_id=into.card("Write")["id"], title="Write it all"))
    assert into.do("ID;Title;Phase\n1;Write;Discover\n").is_empty
    assert [each.field for each in into.preview("ID;Title;Phase\n1;Writing;Discover\n").conflicts] == ["title"]


def test_a_project_of_podium_goes_into_another_one_and_what_does_not_is_counted(into: Into) -> None:
    other = into.world.new_project("Other")
    phase = into.world.phase("Discover", other.id)
    into.world.task("Elsewhere", phase=phase)
    into.world.do(EditPhase(phase_id=phase.id, objectives="To know"))
    document = replace(into.world.ask(ExportProject(project_id=other.id)), description="Why")
    plan = into.do(document)
    assert [each.title for each in plan.cards] == ["Elsewhere"]
    assert plan.left_out == ("1 text of a phase", "1 description of the project")
    assert into.do(document).is_empty
    assert into.world.row("card_origin", project_id=into.world.project.id)["source_id"] == f"{other.key}-1"


def test_an_import_that_one_transaction_has_no_room_for_is_refused(into: Into, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.actions.projects.imports_into.MAX_RECORDS_OF_IMPORT", 3)
    before = content(into.world.database)
    into.world.refuses(into.message(FIRST), RuleViolation, "Import the file in parts")
    assert content(into.world.database) == before


def test_a_line_that_is_inserted_into_a_numbered_table_moves_no_card_to_another_title(into: Into) -> None:
    into.do("Nr;Title;Due\n1;Write;2026-04-01\n2;Read;2026-04-02\n3;Print;2026-04-03\n")
    ids = {title: into.card(title)["id"] for title in ("Write", "Read", "Print")}
    plan = into.do("Nr;Title;Due\n1;Write;2026-04-01\n2;Meet;2026-04-09\n3;Read;2026-04-02\n4;Print;2026-04-30\n")
    assert [card.title for card in plan.cards] == ["Meet"]
    assert said(plan) == [
        ("Read", "Nr", "2", "3"),
        ("Print", "due date", "Fri 3 Apr 2026", "Thu 30 Apr 2026"),
        ("Print", "Nr", "3", "4"),
    ]
    assert {title: into.card(title)["id"] for title in ids} == ids
    renamed = into.do(
        "Nr;Title;Due\n1;Write;2026-04-01\n2;Meet;2026-04-09\n3;Read aloud;2026-04-02\n4;Print;2026-04-30\n"
    )
    assert said(renamed) == [("Read", "title", "Read", "Read aloud")]
    assert into.card("Read aloud")["id"] == ids["Read"]
    assert not renamed.absent
