"""A project made from a template, and a project saved as one: days, people, applications, versions, undo."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from core.actions.cards.tasks import AssignTask
from core.actions.history.history import Undo
from core.actions.products.products import RetireProduct
from core.actions.projects.projects import ArchiveProject, EditProject
from core.actions.templates.apply import CreateProjectFromTemplate, DiffAgainstTemplate, RoleAssignment, SaveTemplate
from core.actions.templates.templates import EditTemplate, GetTemplate, ListTemplates
from core.actions.workflow.deliverables import AddDeliverable, Deliver
from core.actions.workflow.phases import AssignPhase, SetPhaseDueDate
from core.actions.workspace.users import DeactivateUser
from core.domain.max_lengths import MAX_PHASES
from core.domain.model import Id, ItemKind, NodeKind, Project
from core.domain.templates import (
    DifferenceKind,
    TemplateApplication,
    TemplateBody,
    TemplateItem,
    TemplatePhase,
)
from core.errors import CannotUndo, Forbidden, InvalidInput, NotFound, RuleViolation, VersionConflict
from core.storage.sqlite.transaction import SqliteTx
from core.templates import capture, library, size
from tests.properties.template_strategies import START, Studio, built_in
from tests.support.postgres_cluster import about_the_file
from tests.support.sized_worlds import add_project
from tests.support.workspace import World, content

TASK, ACTIVITY = ItemKind.TASK, ItemKind.ACTIVITY


@pytest.fixture
def studio(world: World) -> Studio:
    return Studio(world)


def one_task(days: int = 10, *slots: str) -> TemplateBody:
    task = TemplateItem(kind=TASK, title="Brief", due_days=days, slots=slots)
    return TemplateBody(phases=(TemplatePhase(name="Discover", items=(task,)),))


def make(studio: Studio, body: TemplateBody, start: date = START, **fields: Any) -> Id:
    command = CreateProjectFromTemplate(template_id=studio.template(body).id, name="Made", start=start, **fields)
    return studio.world.do(command).project.id


# -- using -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("start", "days", "due"),
    [
        (date(2026, 3, 28), 2, "2026-03-30"),  # clocks go forward between
        (date(2026, 10, 24), 2, "2026-10-26"),  # and back
        (date(2026, 12, 31), 1, "2027-01-01"),
        (date(2028, 2, 28), 1, "2028-02-29"),
        (date(2100, 2, 28), 1, "2100-03-01"),
        (date(2028, 2, 29), 365, "2029-02-28"),
        (date(2026, 3, 2), -3, "2026-02-27"),
        (date(2199, 12, 21), 10, "2199-12-31"),
        (date(2000, 1, 1), 0, "2000-01-01"),
    ],
)
def test_due_dates_are_days_after_the_start(studio: Studio, start: date, days: int, due: str) -> None:
    project_id = make(studio, one_task(days), start)
    assert studio.world.row("item", project_id=project_id)["due"] == due
    assert studio.world.row("project", id=project_id)["start"] == start.isoformat()


@pytest.mark.parametrize(
    ("start", "days", "said"),
    [
        (date(2199, 12, 25), 10, "“Brief” would be due on Sat 4 Jan 2200"),
        (date(2000, 1, 3), -5, "“Brief” would be due on Wed 29 Dec 1999"),
        (date(2200, 1, 1), 0, "cannot start on Wed 1 Jan 2200"),
        (date(1, 1, 1), 0, "cannot start on Mon 1 Jan 1"),
    ],
)
def test_a_day_that_podium_does_not_know_is_named_and_nothing_is_made(
    studio: Studio, start: date, days: int, said: str
) -> None:
    before = len(studio.world.rows("SELECT 1 FROM project"))
    with pytest.raises(InvalidInput, match=said):
        make(studio, one_task(days), start)
    assert len(studio.world.rows("SELECT 1 FROM project")) == before


def test_people_of_the_slots_become_members_with_the_role_and_get_its_work(studio: Studio) -> None:
    world, role = studio.world, studio.role
    activity = TemplateItem(kind=ACTIVITY, title="Shoot", slots=("Creative", "Producer"))
    phase = TemplatePhase(name="Make", slots=("Lead",), items=(*one_task(1, "Creative").phases[0].items, activity))
    slots = (
        RoleAssignment("creative", role["Creative"]),
        RoleAssignment("Creative", world.bob.user_id),
        RoleAssignment("Creative", role["Creative"]),  # twice is once
        RoleAssignment("Lead", world.maya.user_id),
    )
    project_id = make(studio, TemplateBody(phases=(phase,)), slots=slots)
    members = {row["user_id"]: row for row in world.rows("SELECT * FROM member WHERE project_id = :p", p=project_id)}
    assert {user: row["role"] for user, row in members.items()} == {
        world.maya.user_id: "OWNER",
        role["Creative"]: "CONTRIBUTOR",
        world.bob.user_id: "CONTRIBUTOR",
    }
    given = world.rows("SELECT user_id FROM member_meta_role WHERE project_id = :p", p=project_id)
    assert {row["user_id"] for row in given} == set(members)
    task = world.row("item", project_id=project_id, title="Brief")
    shoot = world.row("item", project_id=project_id, title="Shoot")
    assert task["assignee_id"] == role["Creative"]  # the first of the two
    assigned = world.rows("SELECT target_id, user_id FROM assignment WHERE project_id = :p", p=project_id)
    on_shoot = {row["user_id"] for row in assigned if row["target_id"] == shoot["id"]}
    assert on_shoot == {role["Creative"], world.bob.user_id}  # nobody is Producer
    assert len(assigned) == 3


def test_everyone_who_got_work_is_notified_once_and_the_maker_of_the_project_is_not(studio: Studio) -> None:
    world = studio.world
    items = tuple(TemplateItem(kind=TASK, title=f"Task {n}", slots=("Lead",)) for n in range(4))
    body = TemplateBody(phases=(TemplatePhase(name="Make", items=items),))
    project_id = make(studio, body, slots=(RoleAssignment("Lead", world.bob.user_id),))
    assert [row["user_id"] for row in world.rows("SELECT * FROM notification WHERE project_id = :p", p=project_id)] == [
        world.bob.user_id
    ]
    mine = make(studio, body, slots=(RoleAssignment("Lead", world.maya.user_id),))
    assert world.rows("SELECT * FROM notification WHERE project_id = :p", p=mine) == []


def test_a_slot_left_empty_leaves_its_work_unassigned(studio: Studio) -> None:
    project_id = make(studio, one_task(1, "Lead"))
    assert studio.world.row("item", project_id=project_id)["assignee_id"] is None


def test_a_role_or_a_person_that_cannot_be_is_refused_and_nothing_is_made(studio: Studio) -> None:
    world = studio.world
    template = studio.template(one_task(1, "Lead"))
    for slot, error, said in (
        (RoleAssignment("Boss", world.bob.user_id), InvalidInput, "asks for no role “Boss”. It asks for Lead"),
        (RoleAssignment("Analyst", world.bob.user_id), InvalidInput, "asks for no role “Analyst”"),
        (RoleAssignment("Lead", "nobody"), NotFound, "no user"),
    ):
        with pytest.raises(error, match=said):
            world.do(CreateProjectFromTemplate(template_id=template.id, name="Made", start=START, slots=(slot,)))
    world.do(DeactivateUser(user_id=world.gus.user_id))
    gone = (RoleAssignment("Lead", world.gus.user_id),)
    with pytest.raises(RuleViolation, match="no longer active"):
        world.do(CreateProjectFromTemplate(template_id=template.id, name="Made", start=START, slots=gone))
    assert len(world.rows("SELECT 1 FROM project")) == 1


def test_applications_whose_product_is_gone_or_does_not_fit_are_left_out_and_named(studio: Studio) -> None:
    world = studio.world
    branded = world.product("Brand portal", required_context=(NodeKind.BRAND,))
    old = world.product("Old tool")
    world.do(RetireProduct(product_id=old.id, retired=True))
    names = ("asset LIBRARY", branded.name, old.name, "Nothing")
    applications = tuple(TemplateApplication(product=name, name=f"The {name}", due_days=3) for name in names)
    held = TemplateItem(kind=ACTIVITY, title="Collect", application=applications[0])
    body = TemplateBody(phases=(TemplatePhase(name="Make", items=(held,), applications=applications),))
    made = world.do(CreateProjectFromTemplate(template_id=studio.template(body).id, name="Made", start=START))
    rows = world.rows("SELECT * FROM application WHERE project_id = :p ORDER BY rank", p=made.project.id)
    assert [(row["name"], row["due"], row["activity_id"] is None) for row in rows] == [
        ("The asset LIBRARY", "2026-03-05", False),
        ("The asset LIBRARY", "2026-03-05", True),
    ]
    assert [line.partition(":")[0] for line in made.left_out] == [f"The application “The {n}”" for n in names[1:]]
    assert "is for projects linked to a brand" in made.left_out[0]


def test_a_user_who_may_not_create_projects_makes_none_from_a_template(world: World) -> None:
    template = built_in(world, "Event")
    with pytest.raises(Forbidden, match="create projects"):
        world.do(CreateProjectFromTemplate(template_id=template.id, name="Mine", start=START), as_=world.gus)


def test_the_history_says_from_what_a_project_was_made(world: World) -> None:
    template = built_in(world, "Event")
    made = world.do(CreateProjectFromTemplate(template_id=template.id, name="Fair", start=START))
    assert world.last_change(made.project.id)["summary"] == "created the project “Fair” from “Event” version 1"
    assert world.row("feed", id=made.project.id)["seq"] == 1
    assert world.row("origin", project_id=made.project.id)["template_id"] == template.id


# -- saving ------------------------------------------------------------------------------------------------------------


def test_a_project_is_saved_without_people_dates_and_what_is_archived(world: World) -> None:
    world.do(EditProject(project_id=world.project.id, start=date(2026, 3, 10)))
    world.do(SetPhaseDueDate(phase_id=world.discover.id, due=date(2026, 3, 1)))
    report = world.do(AddDeliverable(phase_id=world.discover.id, name="Report"))
    world.do(Deliver(deliverable_id=report.id, link="https://example.com/"))
    activity = world.activity(member_ids=(world.maya.user_id, world.bob.user_id))
    inside = world.task(
        "Ask ten people", activity_id=activity.id, due=date(2026, 3, 12), assignee_id=world.maya.user_id
    )
    done = world.task("Book a room")
    world.complete(done.id)
    world.archive(world.task("Never mind").id)
    world.do(AssignPhase(phase_id=world.discover.id, member_ids=(world.bob.user_id,)))
    saved = world.do(SaveTemplate(project_id=world.project.id, name="Ours", note="First"))
    phase = world.ask(GetTemplate(template_id=saved.id)).body.phases[0]
    assert (phase.due_days, phase.deliverables, phase.slots) == (-9, ("Report",), ())  # Bob has no meta role
    assert [(item.title, item.slots) for item in phase.items] == [("Interviews", ("Lead",)), ("Book a room", ())]
    assert phase.items[0].tasks == (TemplateItem(kind=TASK, title=inside.title, due_days=2, slots=("Lead",)),)
    assert world.row("origin", project_id=world.project.id)["number"] == 1


def test_without_a_first_day_the_days_count_from_the_making_of_the_project(world: World) -> None:
    world.database.write(lambda tx: tx.execute("UPDATE project SET start = NULL"))
    world.task(due=date(2026, 3, 5))
    saved = world.do(SaveTemplate(project_id=world.project.id, name="Ours"))
    assert world.ask(GetTemplate(template_id=saved.id)).body.phases[0].items[0].due_days == 3


def test_a_role_that_was_not_taken_stays_in_the_version_that_is_saved_from_the_project(studio: Studio) -> None:
    world, template = studio.world, studio.template(one_task(5, "Analyst"))
    made = world.do(CreateProjectFromTemplate(template_id=template.id, name="Made", start=START)).project
    assert world.ask(DiffAgainstTemplate(project_id=made.id, template_id=template.id)) == ()
    task = world.row("item", project_id=made.id)
    world.do(AssignTask(task_id=task["id"], assignee_id=world.maya.user_id))
    (line,) = world.ask(DiffAgainstTemplate(project_id=made.id, template_id=template.id))
    assert (line.kind, line.field, line.before, line.after) == (DifferenceKind.CHANGED, "roles", "Analyst", "Lead")


def test_a_next_version_is_refused_when_another_user_saved_one_since(world: World) -> None:
    template = built_in(world, "Event")
    save = SaveTemplate(project_id=world.project.id, template_id=template.id, seen_number=1)
    assert world.do(save).number == 2
    refused = world.refuses(save, VersionConflict, "is at version 2 by now")
    assert getattr(refused.current, "number", None) == 2
    assert len(world.rows("SELECT 1 FROM template_version WHERE template_id = :id", id=template.id)) == 2


@pytest.mark.parametrize("described", [{"name": "Fair"}, {"description": ""}, {"tags": ()}])
def test_saving_a_version_keeps_the_description_of_the_template(world: World, described: dict[str, Any]) -> None:
    """To rename a template takes more than to save one."""
    template = world.do(SaveTemplate(project_id=world.project.id, name="Ours"))
    before = content(world.database)
    with pytest.raises(InvalidInput, match="Edit the template itself"):
        world.do(SaveTemplate(project_id=world.project.id, template_id=template.id, **described))
    assert content(world.database) == before


def test_undo_of_a_saving_is_refused_once_another_user_built_on_it(world: World) -> None:
    ours = world.do(SaveTemplate(project_id=world.project.id, name="Ours"))
    made = world.do(CreateProjectFromTemplate(template_id=ours.id, name="Next", start=START)).project
    world.refuses(Undo(project_id=world.project.id), CannotUndo, "1 other project came from version 1")
    world.do(SaveTemplate(project_id=made.id, template_id=ours.id))
    world.refuses(Undo(project_id=world.project.id), CannotUndo, "was changed elsewhere")
    world.do(Undo(project_id=made.id))
    assert world.row("template", id=ours.id)["number"] == 1


def test_undo_of_a_saving_is_refused_once_the_template_was_renamed(world: World) -> None:
    ours = world.do(SaveTemplate(project_id=world.project.id, name="Ours"))
    world.do(EditTemplate(template_id=ours.id, name="Theirs"))
    before = content(world.database)
    world.refuses(Undo(project_id=world.project.id), CannotUndo, "was changed elsewhere")
    assert content(world.database) == before


def test_only_owners_save_a_project_that_is_large_enough_and_not_too_large(world: World) -> None:
    save = SaveTemplate(project_id=world.project.id, name="Ours")
    for actor in (world.bob, world.vera):
        world.refuses(save, Forbidden, "save templates", as_=actor)
    with pytest.raises(RuleViolation, match="at least one phase"):
        world.do(SaveTemplate(project_id=world.new_project("Empty").id, name="Ours"))
    world.refuses(SaveTemplate(project_id=world.project.id), InvalidInput, "Enter a name")
    project_id = add_project(world, phases=MAX_PHASES + 1, cards=1, members=[world.maya.user_id])
    world.refuses(SaveTemplate(project_id=project_id, name="Ours"), RuleViolation, f"at most {MAX_PHASES} phases")


def test_a_template_holds_only_so_many_cards_and_letters_and_no_more_of_a_project_is_read(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    activity = world.activity()
    for number in range(3):
        world.task(f"Task {number}", activity_id=activity.id)
    gone = world.task("Gone")
    world.archive(gone.id)
    save = SaveTemplate(project_id=world.project.id, name="Ours")
    monkeypatch.setattr(size, "MAX_ITEMS", 4)
    assert world.do(save).number == 1
    world.do(Undo(project_id=world.project.id))
    before = content(world.database)
    read: list[Project] = []
    monkeypatch.setattr(capture, "read_project_tree", lambda _view, project, **_: read.append(project))
    for name, most, said in (
        ("MAX_ITEMS", 3, "these are 3, 4 and 0"),
        ("MAX_LETTERS", 20, "at most 20 letters of text"),
    ):
        monkeypatch.setattr(size, name, most)
        world.refuses(save, RuleViolation, said)
        monkeypatch.setattr(size, name, 1_000)
    assert read == []
    assert content(world.database) == before


def test_a_template_takes_only_so_many_letters_in_all_of_its_versions(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = world.do(SaveTemplate(project_id=world.project.id, name="Ours"))
    letters = len(world.row("template_version", template_id=ours.id)["body"])
    monkeypatch.setattr(size, "MAX_OF_VERSIONS", letters - 1)
    before = content(world.database)
    with pytest.raises(RuleViolation, match="Save the workflow as a new template"):
        world.do(SaveTemplate(project_id=world.project.id, template_id=ours.id))
    assert content(world.database) == before


@about_the_file
def test_the_list_of_templates_reads_workflows_in_parts_of_limited_length(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.do(SaveTemplate(project_id=world.project.id, name="Ours"))
    listed = world.ask(ListTemplates())
    longest = max(row["letters"] for row in world.rows("SELECT length(body) AS letters FROM template_version"))
    parts: list[int] = []
    tuples = SqliteTx.tuples

    def noted(tx: SqliteTx, sql: str, **params: object) -> Any:
        rows = tuples(tx, sql, **params)
        if "template.id, body" in sql:
            parts.append(sum(len(body) for _, body in rows))
        return rows

    monkeypatch.setattr(SqliteTx, "tuples", noted)
    for limit, fewest in ((longest, 2), (1, len(listed))):
        parts.clear()
        monkeypatch.setattr(library, "MAX_LETTERS", limit)
        assert world.ask(ListTemplates()) == listed
        assert len(parts) >= fewest
        assert max(parts) <= max(limit, longest)


@pytest.mark.parametrize("name", ["[b]bold[/b]", "'; DROP TABLE item; --", "名前", "🚀", '{"a": 1}'])
def test_hostile_and_foreign_names_travel_unharmed(studio: Studio, name: str) -> None:
    world = studio.world
    source = world.new_project(name)
    world.task(name, world.phase(name, source.id))
    saved = world.do(SaveTemplate(project_id=source.id, name=name, tags=(name,), note=name))
    made = world.do(CreateProjectFromTemplate(template_id=saved.id, name=name, start=START)).project
    assert world.row("item", project_id=made.id)["title"] == name
    assert world.row("phase", project_id=made.id)["name"] == name


def test_one_person_in_several_roles_is_saved_as_each_of_them_where_it_was(world: World) -> None:
    template = world.ask(ListTemplates(text="campaign launch"))[0].template
    slots = tuple(RoleAssignment(role, world.bob.user_id) for role in ("Creative", "Strategist"))
    made = world.do(
        CreateProjectFromTemplate(template_id=template.id, name="Small team", start=date(2026, 3, 2), slots=slots)
    ).project
    assert world.ask(DiffAgainstTemplate(project_id=made.id, template_id=template.id)) == ()


def test_a_project_that_is_over_and_archived_is_saved_as_a_template(world: World) -> None:
    world.task("Write the brief")
    world.do(ArchiveProject(project_id=world.project.id))
    saved = world.do(SaveTemplate(project_id=world.project.id, name="What we learned"))
    body = world.ask(GetTemplate(template_id=saved.id)).body
    assert [item.title for item in body.phases[0].items] == ["Write the brief"]
    world.refuses(Undo(project_id=world.project.id), CannotUndo, "Restore the project first")
