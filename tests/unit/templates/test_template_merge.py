"""Bringing a version of a template into a project: what it changes, what it leaves, and that one undo restores all."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from core.actions.cards.applications import AddApplication
from core.actions.cards.cards import MoveCard, ReorderCard
from core.actions.cards.comments import AddComment
from core.actions.cards.tasks import CreateTask, EditTask
from core.actions.history.history import Undo
from core.actions.products.products import RetireProduct
from core.actions.projects.members import InviteMember
from core.actions.templates.apply import MergeTemplate, PreviewTemplateMerge
from core.actions.workflow.deliverables import Deliver, DeliverableCommand, TakeBack
from core.actions.workflow.phases import EditPhase
from core.actions.workspace.meta_roles import SetMetaRoles
from core.domain.model import Gate, ItemKind, Status
from core.domain.permissions import Permission
from core.domain.templates import (
    TemplateApplication,
    TemplateBody,
    TemplateItem,
    TemplatePhase,
)
from core.engine.messages import Command
from core.errors import Forbidden, NotFound, VersionConflict, WouldRelockPhases
from core.record import replace
from core.rules.ordering import MAX_LENGTH
from tests.properties.template_strategies import Studio
from tests.support.workspace import Without, World, content


@pytest.fixture
def studio(world: World) -> Studio:
    return Studio(world)


# -- what was done by hand -------------------------------------------------------------------------------------------


def item(title: str, *tasks: TemplateItem, **fields: Any) -> TemplateItem:
    """An activity where there are tasks, a task otherwise."""
    kind = ItemKind.ACTIVITY if tasks or "application" in fields else ItemKind.TASK
    return TemplateItem(kind=kind, title=title, tasks=tasks, **fields)


def workflow(*items: TemplateItem, **fields: Any) -> TemplateBody:
    """Two phases: Make, of which the items and fields are told, and Ship."""
    make = TemplatePhase(name="Make", items=items, **fields)
    return TemplateBody(phases=(make, TemplatePhase(name="Ship", items=(item("Send"),))))


FIRST = workflow(item("Brief"), item("Shoot", item("Cast"), item("Film")), item("Edit"), deliverables=("Film",))


class Brought:
    """A project made from the first of two versions, and what bringing the second did to it."""

    def __init__(self, studio: Studio, second: TemplateBody, first: TemplateBody = FIRST) -> None:
        self.world = studio.world
        self.template = studio.template(first, second)
        self.project = studio.project(self.template, first)

    def row(self, title: str) -> dict[str, Any]:
        return self.world.row("item", project_id=self.project.id, title=title)

    def phase(self, name: str) -> dict[str, Any]:
        return self.world.row("phase", project_id=self.project.id, name=name)

    def bring(self, **fields: Any) -> set[tuple[str, str, str]]:
        """Bring the second version: kind, last name and reason or field of each line."""
        command = MergeTemplate(project_id=self.project.id, template_id=self.template.id, **fields)
        found = self.world.do(command).differences
        return {(line.kind.value, line.path[-1], line.reason or line.field) for line in found}


def test_what_is_done_is_not_touched(studio: Studio) -> None:
    second = workflow(item("Brief", due_days=9), item("Shoot", item("Cast", due_days=9), item("Light"), due_days=9))
    brought = Brought(studio, second)
    for title in ("Brief", "Cast", "Film", "Shoot", "Edit"):
        brought.world.complete(brought.row(title)["id"])
    items = brought.world.rows("SELECT * FROM item WHERE project_id = :p", p=brought.project.id)
    assert brought.bring() == {
        ("KEPT", "Brief", "it is done"),
        ("KEPT", "Shoot", "it is done"),
        ("KEPT", "Cast", "it is done"),
        ("NOT_ADDED", "Light", "“Shoot” is done"),
        ("KEPT", "Film", "it is done"),
        ("KEPT", "Edit", "it is done"),
        ("KEPT", "Film", "the phase is complete"),  # the deliverable
    }
    assert brought.world.rows("SELECT * FROM item WHERE project_id = :p", p=brought.project.id) == items


def test_nothing_new_comes_into_a_complete_phase(studio: Studio) -> None:
    second = workflow(*FIRST.phases[0].items, item("Grade"), deliverables=("Film", "Cut"), objectives="More")
    brought = Brought(studio, second)
    for row in brought.world.rows("SELECT * FROM item WHERE project_id = :p AND kind = 'TASK'", p=brought.project.id):
        if row["title"] != "Send":
            brought.world.complete(row["id"])
    brought.world.complete(brought.row("Shoot")["id"])
    reason = "the phase is complete"
    assert brought.bring() == {("KEPT", "Make", reason), *(("NOT_ADDED", name, reason) for name in ("Grade", "Cut"))}
    assert brought.phase("Make")["objectives"] == ""
    assert brought.bring() == set()  # the project holds the second version now: what was kept is not asked again


def test_a_removed_part_stays_if_its_id_is_to_be_kept(studio: Studio) -> None:
    second = workflow(item("Brief"))
    brought = Brought(studio, second)
    preview = PreviewTemplateMerge(project_id=brought.project.id, template_id=brought.template.id)
    removed = {line.path[-1]: line.id for line in brought.world.ask(preview).differences if line.id}
    assert {"Shoot", "Edit"} <= removed.keys()
    keep = (removed["Edit"],)
    planned = {(line.kind.value, line.path[-1]) for line in brought.world.ask(replace(preview, keep=keep)).differences}
    assert {("KEPT", "Edit"), ("REMOVED", "Shoot")} <= planned
    assert ("KEPT", "Edit", "you keep it") in brought.bring(keep=keep)
    assert (brought.row("Edit")["status"], brought.row("Shoot")["status"]) == (Status.TO_DO, Status.ARCHIVED)
    assert brought.bring() == set()  # it is now a card of the project's own
    assert brought.row("Edit")["status"] == Status.TO_DO


def test_what_was_changed_by_hand_is_kept_and_all_else_follows(studio: Studio) -> None:
    second = workflow(
        item("Brief", due_days=9, description="New"),
        item("Shoot", item("Cast"), item("Film")),
        item("Edit", due_days=4),
    )
    brought = Brought(studio, second)
    brief = brought.row("Brief")["id"]
    brought.world.do(EditTask(task_id=brief, description="By hand"))
    assert brought.bring() == {
        ("KEPT", "Brief", "it was changed in this project"),
        ("CHANGED", "Brief", "due"),
        ("CHANGED", "Edit", "due"),
        ("REMOVED", "Film", ""),
    }
    assert (brought.row("Brief")["description"], brought.row("Brief")["due"]) == ("By hand", "2026-03-11")
    assert brought.world.rows("SELECT 1 FROM deliverable WHERE project_id = :p", p=brought.project.id) == []


def test_what_was_taken_out_by_hand_stays_out(studio: Studio) -> None:
    second = workflow(item("Brief", due_days=3), item("Edit", due_days=3), deliverables=("Film",))
    brought = Brought(studio, second)
    brought.world.do(EditTask(task_id=brought.row("Brief")["id"], title="The brief"))
    brought.world.archive(brought.row("Edit")["id"])
    found = brought.bring()
    assert ("NOT_ADDED", "Brief", "it was removed, renamed or moved in this project") in found
    assert ("KEPT", "Edit", "it is archived") in found
    assert brought.row("Edit")["status"] == "ARCHIVED"
    assert brought.row("The brief")["due"] is None


@pytest.mark.parametrize("touched", ["started", "commented", "edited", "added to"])
def test_what_the_new_version_lacks_goes_only_while_it_is_untouched(studio: Studio, touched: str) -> None:
    brought = Brought(studio, workflow(item("Brief"), item("Edit"), deliverables=("Film",)))
    world, cast, shoot = brought.world, brought.row("Cast")["id"], brought.row("Shoot")["id"]
    make = brought.phase("Make")["id"]
    steps: dict[str, Command[Any]] = {
        "started": MoveCard(card_id=cast, status=Status.IN_PROGRESS),
        "commented": AddComment(item_id=cast, text="Who?"),
        "edited": EditTask(task_id=cast, description="Ten"),
        "added to": CreateTask(phase_id=make, activity_id=shoot, title="Feed"),
    }
    world.do(steps[touched])
    ((kind, name, reason),) = brought.bring()
    assert (kind, name) == ("KEPT", "Shoot")
    assert reason
    assert brought.row("Film")["status"] == "TO_DO"


@pytest.mark.parametrize(
    ("link", "commands", "reason"),
    [("https://films.example/1", (Deliver, TakeBack), "it has evidence"), (None, (Deliver,), "it is done")],
)
def test_a_deliverable_with_something_to_show_stays(
    studio: Studio, link: str | None, commands: tuple[type[DeliverableCommand[Any]], ...], reason: str
) -> None:
    brought = Brought(studio, workflow(*FIRST.phases[0].items))
    film = brought.world.row("deliverable", project_id=brought.project.id)["id"]
    for command in commands:
        more: dict[str, Any] = {"link": link} if command is Deliver else {}
        brought.world.do(command(deliverable_id=film, **more))
    assert brought.bring() == {("KEPT", "Film", reason)}
    assert brought.world.row("deliverable", project_id=brought.project.id)["name"] == "Film"


def test_a_phase_is_never_removed_and_a_new_one_comes_to_its_place(studio: Studio) -> None:
    make, _ = FIRST.phases
    second = TemplateBody(phases=(TemplatePhase(name="Plan", items=(item("List"),)), make, TemplatePhase(name="Learn")))
    brought = Brought(studio, second)
    assert brought.bring() == {
        ("ADDED", "Plan", ""),
        ("ADDED", "List", ""),
        ("ADDED", "Learn", ""),
        ("KEPT", "Ship", "a template takes no phase out of a project"),
    }
    rows = brought.world.rows("SELECT name FROM phase WHERE project_id = :p ORDER BY rank", p=brought.project.id)
    assert [row["name"] for row in rows] == ["Plan", "Make", "Learn", "Ship"]


def test_a_new_phase_before_one_that_has_begun_asks_before_it_locks_it(studio: Studio) -> None:
    second = TemplateBody(phases=(TemplatePhase(name="Plan"), *FIRST.phases))
    brought = Brought(studio, second)
    brought.world.start(brought.row("Brief")["id"])
    with pytest.raises(WouldRelockPhases, match="“Make”"):
        brought.bring()
    assert brought.bring(relock=True) == {("ADDED", "Plan", "")}


def test_many_new_cards_come_in_their_order_where_ranks_leave_no_room(studio: Studio) -> None:
    new = [f"New {number}" for number in range(60)]
    first, *others = FIRST.phases[0].items
    brought = Brought(studio, workflow(first, *map(item, new), *others, deliverables=("Film",)))

    def titles() -> list[str]:
        sql = "SELECT title FROM item WHERE phase_id = :id AND activity_id IS NULL ORDER BY rank"
        return [row["title"] for row in brought.world.rows(sql, id=brought.phase("Make")["id"])]

    tight = "a0" + "0" * (MAX_LENGTH - 3) + "1"
    studio.world.database.write(lambda tx: tx.execute("UPDATE item SET rank = 'a0' WHERE title = 'Brief'"))
    studio.world.database.write(lambda tx: tx.execute("UPDATE item SET rank = :r WHERE title = 'Shoot'", r=tight))
    brought.bring()
    assert titles() == ["Brief", *new, "Shoot", "Edit"]
    assert all(len(row["rank"]) <= MAX_LENGTH for row in studio.world.rows("SELECT rank FROM item"))
    brought.world.do(Undo(project_id=brought.project.id))
    assert titles() == ["Brief", "Shoot", "Edit"]


def test_an_order_that_was_changed_by_hand_is_kept(studio: Studio) -> None:
    first = workflow(*map(item, ("A", "B", "C")))
    brought = Brought(studio, workflow(*map(item, ("C", "A", "B"))), first)
    brought.world.do(
        ReorderCard(
            card_id=brought.row("B")["id"], phase_id=brought.phase("Make")["id"], before_id=brought.row("A")["id"]
        )
    )
    assert {(kind, reason) for kind, _, reason in brought.bring()} == {
        ("KEPT", "the order was changed in this project")
    }


def test_a_gate_that_was_changed_by_hand_keeps_what_it_requires(studio: Studio) -> None:
    first = workflow(item("Brief"), gate=Gate.REVIEW)
    brought = Brought(studio, workflow(item("Brief"), gate=Gate.REVIEW, evidence_required=True), first)
    brought.world.do(EditPhase(phase_id=brought.phase("Make")["id"], gate=Gate.AUTOMATIC))
    assert brought.bring() == {("KEPT", "Make", "it was changed in this project")}
    assert brought.phase("Make")["evidence_required"] == 0


def test_without_a_known_version_only_what_is_missing_comes(world: World) -> None:
    studio = Studio(world)
    template = studio.template(workflow(item("Brief", due_days=3), item("Edit")))
    make = world.phase("make")
    world.task("Brief", make, due=date(2026, 4, 1))
    done = world.do(MergeTemplate(project_id=world.project.id, template_id=template.id))
    found = {(line.kind.value, line.path[-1], line.reason or line.field) for line in done.differences}
    assert done.from_number is None
    assert found == {
        ("KEPT", "make", "it was changed in this project"),
        ("KEPT", "Brief", "it was changed in this project"),
        ("ADDED", "Edit", ""),
        ("ADDED", "Ship", ""),
        ("ADDED", "Send", ""),
    }
    assert world.row("item", title="Edit")["phase_id"] == make.id
    assert world.row("origin", project_id=world.project.id)["number"] == 1


def test_a_product_that_is_gone_keeps_its_application_out(studio: Studio) -> None:
    old = studio.world.product("Old tool")
    applications = (TemplateApplication(product="Old tool", name="Tool"),)
    brought = Brought(studio, workflow(*FIRST.phases[0].items, deliverables=("Film",), applications=applications))
    studio.world.do(RetireProduct(product_id=old.id, retired=True))
    assert brought.bring() == {("NOT_ADDED", "Tool", "the product “Old tool” is retired")}


def test_an_activity_that_holds_an_application_takes_no_other(studio: Studio) -> None:
    world = studio.world
    tools = [TemplateApplication(product=world.product(name).name, name=name) for name in ("Tool", "Other")]
    brought = Brought(studio, workflow(item("Shoot", application=tools[1])), workflow(item("Shoot", item("Cast"))))
    world.do(
        AddApplication(
            project_id=brought.project.id,
            product_id=world.row("product", name="Tool")["id"],
            activity_id=brought.row("Shoot")["id"],
        )
    )
    assert ("NOT_ADDED", "Other", "the activity holds an application already") in brought.bring()
    assert world.row("application", project_id=brought.project.id)["name"] == "Tool"


def test_of_two_who_bring_at_once_the_second_is_told(studio: Studio) -> None:
    brought = Brought(studio, workflow(item("Brief"), item("New")))
    plan = brought.world.ask(PreviewTemplateMerge(project_id=brought.project.id, template_id=brought.template.id))
    brought.bring(seen_seq=plan.seq)
    with pytest.raises(VersionConflict, match="has changed since"):
        brought.bring(seen_seq=plan.seq)
    assert len(brought.world.rows("SELECT 1 FROM item WHERE title = 'New'")) == 1


def test_only_owners_bring_and_members_may_look(studio: Studio) -> None:
    brought = Brought(studio, workflow(item("Brief")))
    world = brought.world
    world.do(InviteMember(project_id=brought.project.id, user_id=world.bob.user_id))
    plan = PreviewTemplateMerge(project_id=brought.project.id, template_id=brought.template.id)
    assert world.ask(plan, as_=world.bob).differences
    with pytest.raises(Forbidden):
        world.do(MergeTemplate(project_id=brought.project.id, template_id=brought.template.id), as_=world.bob)
    with pytest.raises(NotFound):
        world.ask(plan, as_=world.gus)


@pytest.mark.parametrize(
    ("missing", "brings"), [(Permission.TASK_MANAGE, item("New")), (Permission.ACTIVITY_MANAGE, item("New", item("A")))]
)
def test_each_kind_of_card_takes_its_own_permission(studio: Studio, missing: Permission, brings: TemplateItem) -> None:
    brought = Brought(studio, workflow(*FIRST.phases[0].items, brings, deliverables=("Film",)))
    brought.world.engine.permissions = Without(brought.world.database, missing)
    before = content(brought.world.database)
    with pytest.raises(Forbidden, match="create or change"):
        brought.bring()
    assert content(brought.world.database) == before


def test_new_work_goes_to_members_with_the_role_and_a_new_role_is_filled_again(studio: Studio) -> None:
    first = workflow(item("Brief", slots=("Lead",)), item("Edit", slots=("Lead",)))
    second = workflow(
        item("Brief", slots=("Producer",)), item("Edit", slots=("Approver",)), item("Cut", slots=("Lead",))
    )
    brought = Brought(studio, second, first)
    world = brought.world
    roles = {row["name"]: row["id"] for row in world.rows("SELECT id, name FROM meta_role")}
    world.do(InviteMember(project_id=brought.project.id, user_id=world.bob.user_id))
    bob, project_id = world.bob.user_id, brought.project.id
    world.do(SetMetaRoles(project_id=project_id, user_id=bob, meta_role_ids=(roles["Producer"],)))
    assert brought.bring() == {
        ("CHANGED", "Brief", "roles"),
        ("KEPT", "Edit", "nobody in this project is Approver"),
        ("ADDED", "Cut", ""),
    }
    assert brought.row("Brief")["assignee_id"] == world.bob.user_id
    assert brought.row("Edit")["assignee_id"] == brought.row("Cut")["assignee_id"] == studio.role["Lead"]
