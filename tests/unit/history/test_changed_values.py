"""The old and the new values in the history: what they say, what they count, and what they keep to themselves."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest

from core.actions.cards.activities import AssignActivity
from core.actions.cards.bulk import BulkUpdate
from core.actions.cards.cards import MoveCard, ReorderCard, SetCardDueDate
from core.actions.cards.comments import AddComment
from core.actions.cards.details import GetCard
from core.actions.cards.tasks import AssignTask, EditTask
from core.actions.dependencies.links import LinkCards
from core.actions.fields.custom_fields import AddField, SetFields
from core.actions.history.entries import MAX_VALUES
from core.actions.history.history import ListHistory, ListWorkspaceHistory, Undo
from core.actions.projects.projects import ArchiveProject, DeleteProject, EditProject
from core.actions.workflow.deliverables import AddDeliverable, Deliver, RemoveDeliverable, TakeBack
from core.actions.workflow.gates import DecideGate
from core.actions.workflow.phases import EditPhase
from core.actions.workspace.users import EditUser
from core.domain.fields import FieldKind, FieldValue
from core.domain.gates import Decision, Deliverable
from core.domain.model import NO_EMAIL, WORKSPACE, Gate, Status, User
from core.engine.changed_values import MAX_TEXT
from core.engine.messages import Command
from core.engine.unit_of_work import new_id
from tests.support.workspace import World


def said(world: World, project_id: str = "") -> list[str]:
    """The values of the last change, as sentences."""
    project = ListHistory(project_id=project_id or world.project.id)
    lines = world.ask(ListWorkspaceHistory() if project_id == WORKSPACE else project)
    return [each.sentence for each in lines[0].values]


def delivered(world: World) -> Deliverable:
    made = world.do(AddDeliverable(phase_id=world.discover.id, name="Contract"))
    return world.do(Deliver(deliverable_id=made.id, link="https://a.example/1"))


def valued(world: World, kind: FieldKind, old: str, new: str) -> Command[Any]:
    world.do(AddField(project_id=world.project.id, name="Wanted", kind=kind))
    task = world.task()
    world.do(SetFields(item_id=task.id, values=(FieldValue(key="wanted", value=old),)))
    return SetFields(item_id=task.id, values=(FieldValue(key="wanted", value=new),))


def about_task(make: Callable[[World, str], Command[Any]]) -> Callable[[World], Command[Any]]:
    return lambda world: make(world, world.task().id)


def third(world: World) -> str:
    return [world.task(title) for title in ("Other", "Third")][1].id


CARD = "task {key}-1 “Write the brief”"

CHANGES: dict[str, tuple[Callable[[World], Command[Any]], list[str]]] = {
    "the evidence of a deliverable": (
        lambda world: Deliver(deliverable_id=delivered(world).id, link="https://a.example/2"),
        ["deliverable “Contract”, evidence: from “https://a.example/1” to “https://a.example/2”"],
    ),
    "a deliverable that is not done any more": (
        lambda world: TakeBack(deliverable_id=delivered(world).id),
        ["deliverable “Contract”, done: from “yes” to “no”"],
    ),
    "a removed deliverable": (
        lambda world: RemoveDeliverable(deliverable_id=delivered(world).id),
        [
            "deleted deliverable “Contract”",
            "deliverable “Contract”, evidence: from “https://a.example/1” to none",
            "deliverable “Contract”, done: from “yes” to none",
            "deliverable “Contract”, evidence kind: from “link” to none",
        ],
    ),
    "a phase": (
        lambda world: EditPhase(phase_id=world.discover.id, name="Find", objectives="Ask", gate=Gate.REVIEW),
        [
            "phase “Find”, name: from “Discover” to “Find”",
            "phase “Find”, objectives: from none to “Ask”",
            "phase “Find”, gate: from “automatic” to “review”",
        ],
    ),
    "a decision": (
        lambda world: DecideGate(phase_id=world.discover.id, decision=Decision.HOLD, reason="Too early"),
        ["phase “Discover”, on hold: from “no” to “yes”", "phase “Discover”, reason: from none to “Too early”"],
    ),
    "a due date": (
        about_task(lambda _, task_id: SetCardDueDate(card_id=task_id, due=date(2026, 3, 4))),
        [f"{CARD}, due date: from none to “Wed 4 Mar 2026”"],
    ),
    "a status": (
        about_task(lambda _, task_id: MoveCard(card_id=task_id, status=Status.COMPLETED)),
        [f"{CARD}, status: from “to do” to “completed”"],
    ),
    "a person": (
        about_task(lambda world, task_id: AssignTask(task_id=task_id, assignee_id=world.bob.user_id)),
        [f"{CARD}, assignee: from none to “Bob Lind”"],
    ),
    "people": (
        lambda world: AssignActivity(activity_id=world.activity().id, member_ids=(world.bob.user_id,)),
        ["activity {key}-1 “Interviews”, assigned: from none to “Bob Lind”"],
    ),
    "a phase of a card": (
        about_task(lambda world, task_id: ReorderCard(card_id=task_id, phase_id=world.build.id)),
        [f"{CARD}, phase: from “Discover” to “Build”"],
    ),
    "a place alone": (
        about_task(
            lambda world, task_id: ReorderCard(card_id=task_id, phase_id=world.discover.id, before_id=third(world))
        ),
        [f"{CARD}, order changed"],
    ),
    "a comment": (
        about_task(lambda _, task_id: AddComment(item_id=task_id, text="Well done.")),
        [f"{CARD}, comment: from none to “Well done.”"],
    ),
    "a custom field with a date": (
        lambda world: valued(world, FieldKind.DATE, "2026-03-04", "2026-03-05"),
        [f"{CARD}, Wanted: from “Wed 4 Mar 2026” to “Thu 5 Mar 2026”"],
    ),
    "a custom field with a person": (
        lambda world: valued(world, FieldKind.PERSON, world.bob.user_id, world.maya.user_id),
        [f"{CARD}, Wanted: from “Bob Lind” to “Maya Okafor”"],
    ),
    "a project": (
        lambda world: EditProject(project_id=world.project.id, description="[draft]"),
        ["project “{project}”, description: from none to “[draft]”"],
    ),
}


@pytest.mark.parametrize("case", CHANGES.values(), ids=CHANGES)
def test_a_change_is_told_with_its_old_and_new_values_and_a_dry_run_tells_the_same(
    world: World, case: tuple[Callable[[World], Command[Any]], list[str]]
) -> None:
    command, wanted = case[0](world), case[1]
    foreseen = world.engine.dry_run(command, world.maya)
    world.do(command)
    names = {"key": world.project.key, "project": world.project.name}
    assert said(world) == [each.format_map(names) for each in wanted]
    assert [each.sentence for each in foreseen.values] == said(world)
    world.do(Undo(project_id=world.project.id))
    turned = {(each.before, each.after) for each in world.ask(ListHistory(project_id=world.project.id))[0].values}
    assert not turned & {(each.before, each.after) for each in foreseen.values if each.change[-7:] != "changed"}


def test_a_bulk_tells_the_first_values_and_counts_the_others(world: World) -> None:
    tasks = [world.task(f"Card {number}") for number in range(50)]
    moves = tuple(MoveCard(card_id=each.id, status=Status.IN_PROGRESS) for each in tasks)
    world.do(BulkUpdate(project_id=world.project.id, commands=moves))
    (line, *_) = world.ask(ListHistory(project_id=world.project.id))
    assert (len(line.values), line.more_values) == (MAX_VALUES, 50 - MAX_VALUES)
    assert line.sentences(3)[2:] == [
        f"task {world.project.key}-3 “Card 2”, status: from “to do” to “in progress”",
        "and 47 more",
    ]


def test_a_long_text_is_cut_around_its_first_difference_and_its_length_is_told(world: World) -> None:
    task = world.task(description="x" * 1_200)
    world.do(EditTask(task_id=task.id, description="x" * 1_100 + "Signed" + "y" * 200))
    (value,) = world.ask(ListHistory(project_id=world.project.id))[0].values
    assert value.before is not None
    assert value.after is not None
    assert value.before.endswith("(1,200 characters)")
    assert "xSignedy" in value.after
    assert value.after.endswith("(1,306 characters)")
    assert len(value.after) < MAX_TEXT + 30


def test_what_was_deleted_since_keeps_its_name_in_older_changes(world: World) -> None:
    task = world.task()
    world.start(task.id)
    world.delete(task.id, relock=True)
    lines = world.ask(ListHistory(project_id=world.project.id))
    assert lines[2].values[0].sentence == (
        f"task {world.project.key}-1 “Write the brief”, status: from “to do” to “in progress”"
    )


def test_a_card_of_another_project_is_told_without_its_name(world: World) -> None:
    other = world.task("Secret logo", phase=world.phase("Design", world.new_project("Hidden").id))
    world.do(LinkCards(waiting_id=world.task().id, blocker_id=other.id))
    (sentence,) = said(world)
    assert sentence.endswith("waits for: from none to “a card of another project”")


def test_the_workspace_tells_neither_the_content_of_a_deleted_project_nor_made_up_addresses(world: World) -> None:
    project = world.new_project("Hidden")
    world.task("Secret logo", phase=world.phase("Design", project.id))
    world.do(ArchiveProject(project_id=project.id))
    world.do(DeleteProject(project_id=project.id))
    assert said(world, WORKSPACE) == []
    world.insert(User(id=new_id(), login="ada", first_name="Ada", last_name="Moe", email=f"ada@{NO_EMAIL}"))
    world.do(EditUser(user_id=world.row("app_user", login="ada")["id"], email="ada@example.com", city="Oslo"))
    assert said(world, WORKSPACE) == [
        "person “Ada Moe”, city: from none to “Oslo”",
        "person “Ada Moe”, email: from none to “ada@example.com”",
    ]


def test_the_page_of_a_card_tells_the_values_of_the_card_alone(world: World) -> None:
    tasks = [world.task(title) for title in "ab"]
    moves = tuple(MoveCard(card_id=each.id, status=Status.IN_PROGRESS) for each in tasks)
    world.do(BulkUpdate(project_id=world.project.id, commands=moves))
    (line, _) = world.ask(GetCard(item_id=tasks[1].id)).history
    assert [each.sentence for each in line.values] == [
        f"task {world.project.key}-2 “b”, status: from “to do” to “in progress”"
    ]
