"""The labels and the priority of cards: set, taken off, in bulk, undone, live, in the history."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from core.actions.cards.bulk import BulkUpdate
from core.actions.cards.capture import CaptureTasks
from core.actions.cards.cards import SetPriority
from core.actions.cards.details import GetCard
from core.actions.cards.labels import AddLabel, AddWorkspaceLabel, SetLabels
from core.actions.history.history import ListHistory, Redo, Undo
from core.actions.workflow.canvas import GetCanvas
from core.actions.workflow.canvas_changes import GetCanvasChanges
from core.domain.model import Item, Priority
from core.errors import CannotUndo, NotFound
from tests.support.workspace import World, content


def labels_of(world: World) -> list[str]:
    return [row["name"] for row in world.rows("SELECT name FROM label ORDER BY name")]


def test_a_name_that_no_label_has_becomes_a_label_with_the_card_and_one_undo_takes_both(world: World) -> None:
    card = world.task()
    before = content(world.database, versions=False)
    assert [each.name for each in world.do(SetLabels(card_id=card.id, add=("Print", "print", "#Legal")))] == [
        "Legal",
        "Print",
    ]
    world.do(Undo(project_id=world.project.id))
    assert content(world.database, versions=False) == before
    world.do(Redo(project_id=world.project.id))
    assert labels_of(world) == ["Legal", "Print"]
    history = world.ask(ListHistory(project_id=world.project.id))
    assert "labelled “Write the brief” as “Print” and “Legal”" in [each.summary for each in history]


def test_a_label_that_other_cards_have_by_now_stays_when_the_first_card_is_undone(world: World) -> None:
    first, second = world.task(), world.task("Second")
    world.do(SetLabels(card_id=first.id, add=("Print",)))
    world.do(SetLabels(card_id=second.id, add=("Print",)), as_=world.bob)
    world.do(Undo(project_id=world.project.id))
    assert world.ask(GetCard(item_id=first.id)).labels == ()
    assert [each.name for each in world.ask(GetCard(item_id=second.id)).labels] == ["Print"]
    world.do(Redo(project_id=world.project.id))
    assert [each.name for each in world.ask(GetCard(item_id=first.id)).labels] == ["Print"]


def test_an_added_label_that_cards_have_by_now_cannot_be_undone(world: World) -> None:
    card = world.task()
    world.do(AddLabel(project_id=world.project.id, name="Print"))
    world.do(SetLabels(card_id=card.id, add=("Print",)), as_=world.bob)
    world.refuses(Undo(project_id=world.project.id), CannotUndo)
    assert labels_of(world) == ["Print"]


def test_only_a_known_label_can_be_taken_off(world: World) -> None:
    card = world.task(labels=("Print",))
    with pytest.raises(NotFound, match=r"There is no label “prnt” here. The labels are “Print”"):
        world.do(SetLabels(card_id=card.id, remove=("prnt",)))
    assert world.do(SetLabels(card_id=card.id, add=("Legal",), remove=("print",)))[0].name == "Legal"
    (line, *_) = world.ask(GetCard(item_id=card.id)).history
    assert line.summary == "labelled “Write the brief” as “Legal” and took “Print” off it"


def test_of_two_labels_with_one_name_the_one_on_the_card_is_taken_off(world: World) -> None:
    card = world.task()
    shared = world.do(AddWorkspaceLabel(name="print"))
    world.do(SetLabels(card_id=card.id, add=(shared.id,)))
    world.do(AddLabel(project_id=world.project.id, name="Print"))
    assert world.do(SetLabels(card_id=card.id, remove=("Print",))) == ()
    assert world.rows("SELECT * FROM item_label") == []


def test_marked_cards_get_a_new_label_and_a_priority_in_one_step(world: World) -> None:
    cards = [world.task(f"Card {number}") for number in range(5)]
    before = content(world.database, versions=False)
    commands = [
        command
        for card in cards
        for command in (
            SetLabels(card_id=card.id, add=("Print",)),
            SetPriority(card_id=card.id, priority=Priority.URGENT),
        )
    ]
    assert world.do(BulkUpdate(project_id=world.project.id, commands=tuple(commands))).refused == ()
    assert labels_of(world) == ["Print"]
    canvas = world.ask(GetCanvas(project_id=world.project.id))
    assert {(len(card.labels), card.priority) for card in canvas.cards} == {(1, Priority.URGENT)}
    world.do(Undo(project_id=world.project.id))
    assert content(world.database, versions=False) == before


def test_the_history_of_a_bulk_change_names_a_card_that_changed(world: World) -> None:
    same, *others = cards = [world.task(title) for title in ("Check rights", "Book the crew", "Find a place")]
    world.do(SetLabels(card_id=same.id, add=("Legal",)))
    world.do(SetPriority(card_id=same.id, priority=Priority.URGENT))

    def mark(cards: Sequence[Item]) -> str:
        steps = [SetLabels(card_id=card.id, add=("Legal",)) for card in cards]
        urgent = [SetPriority(card_id=card.id, priority=Priority.URGENT) for card in cards]
        world.do(BulkUpdate(project_id=world.project.id, commands=(*steps, *urgent)))
        return world.ask(ListHistory(project_id=world.project.id))[0].summary

    said = "labelled “Book the crew” as “Legal” and set the priority of “Book the crew” to urgent"
    assert mark(cards) == f"{said} and 1 more"
    world.do(SetLabels(card_id=others[0].id, remove=("Legal",)))
    assert mark(cards) == "labelled “Book the crew” as “Legal”"


def test_an_open_canvas_gets_the_labels_and_the_priority_of_others(world: World) -> None:
    card = world.task()
    seen = world.ask(GetCanvas(project_id=world.project.id)).head.seq
    world.do(SetLabels(card_id=card.id, add=("Print",)), as_=world.bob)
    world.do(SetPriority(card_id=card.id, priority=Priority.HIGH), as_=world.bob)
    changes = world.ask(GetCanvasChanges(project_id=world.project.id, since=seen))
    assert changes is not None
    (changed,) = changes.changed
    assert changes.head.labels is not None
    assert (changed.priority, changed.labels) == (Priority.HIGH, (changes.head.labels[0].id,))
    assert changes.by_others == {card.id}


def test_captured_tasks_get_the_labels_and_priorities_of_their_titles(world: World) -> None:
    texts = ("Call the printer #print #needs-review !urgent", "Fix issue #12", 'Learn "#python"')
    world.do(AddLabel(project_id=world.project.id, name="Needs review"))
    captured = world.do(CaptureTasks(project_id=world.project.id, texts=texts)).tasks
    assert [(each.task.title, each.labels, each.task.priority) for each in captured] == [
        ("Call the printer", ("print", "Needs review"), Priority.URGENT),
        ("Fix issue #12", (), Priority.NORMAL),
        ("Learn #python", (), Priority.NORMAL),
    ]
    assert labels_of(world) == ["Needs review", "print"]
    world.do(Undo(project_id=world.project.id))
    assert labels_of(world) == ["Needs review"]


def test_a_captured_task_gets_a_label_that_is_there_by_any_name(world: World) -> None:
    world.do(AddLabel(project_id=world.project.id, name="🔥"))
    (hot, cold) = world.do(CaptureTasks(project_id=world.project.id, texts=("Shoot #🔥", "Shoot #❄"))).tasks
    assert (hot.task.title, hot.labels, hot.notes) == ("Shoot", ("🔥",), ())
    assert (cold.task.title, cold.labels) == ("Shoot #❄", ())
    assert cold.notes == ("“#❄” stays in the title: no label has this name.",)
    assert labels_of(world) == ["🔥"]


def test_a_card_that_is_deleted_for_good_leaves_no_labels_behind(world: World) -> None:
    card = world.task(labels=("Print",))
    world.delete(card.id, relock=True)
    assert world.rows("SELECT * FROM item_label") == []
    assert labels_of(world) == ["Print"]
