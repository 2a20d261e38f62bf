"""The order of cards, phases and deliverables at one place that is used without end; and undo after a renumbering."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from operator import methodcaller

import pytest

from core.actions.cards.applications import ReorderApplication
from core.actions.cards.cards import ReorderCard
from core.actions.cards.tasks import CreateTask, EditTask
from core.actions.history.history import ListHistory, Redo, Undo
from core.actions.workflow.canvas import GetCanvas
from core.actions.workflow.canvas_changes import GetCanvasChanges
from core.actions.workflow.deliverables import AddDeliverable
from core.actions.workflow.phases import AddPhase, ReorderPhase
from core.domain.max_lengths import MAX_PHASES
from core.domain.model import Id
from core.rules.ordering import MAX_LENGTH, first_ranks, renumbered_rank
from tests.support.workspace import World

LONG = "a0" + "z" * 960 + "V"
"""A key of order as an older Podium made it: no key fits between it and the next one without a long recursion."""


def titles(world: World, phase_id: Id | None = None) -> list[str]:
    sql = "SELECT title FROM item WHERE phase_id = :phase ORDER BY rank, id"
    return [row["title"] for row in world.rows(sql, phase=phase_id or world.discover.id)]


def longest(world: World, table: str = "item") -> int:
    return int(world.rows(f"SELECT max(length(rank)) AS n FROM {table}")[0]["n"])


@contextmanager
def nobody_elses_version_changes(world: World, *but: Id) -> Iterator[None]:
    """Around commands: the versions of all tasks that were there, but some, are the same afterwards."""
    before = {row["id"]: row["version"] for row in world.rows("SELECT id, version FROM item")}
    yield
    after = {row["id"]: row["version"] for row in world.rows("SELECT id, version FROM item")}
    assert {each: after[each] for each in before if each not in but} == {
        each: version for each, version in before.items() if each not in but
    }


def wear_out(world: World, *, times: int) -> tuple[Id, list[str]]:
    """Put so many tasks before the same one; its id and the titles as they should be."""
    first, last = world.task("first"), world.task("last")
    for number in range(times):
        world.task(str(number), before_id=last.id)
    return last.id, [first.title, *map(str, range(times)), "last"]


def test_a_place_takes_any_number_of_cards_and_their_keys_stay_short(world: World) -> None:
    last = world.task("last")
    with nobody_elses_version_changes(world):
        for number in range(600):
            world.task(str(number), before_id=last.id)
    assert titles(world) == [*map(str, range(600)), "last"]
    assert longest(world) <= MAX_LENGTH


def test_a_place_between_ever_the_newest_two_takes_any_number_of_cards(world: World) -> None:
    left, right = world.task("left"), world.task("right")
    expected = [left.title, right.title]
    at = 1
    for number in range(600):  # now to the left of the newest card, now to the right
        newest = world.task(str(number), before_id=right.id)
        expected.insert(at, newest.title)
        if number % 2:
            right = newest
        else:
            at += 1
    assert titles(world) == expected
    assert longest(world) <= MAX_LENGTH


@pytest.mark.parametrize("rank", [LONG, "no key", "", "a0V0", "é"], ids=["long", "words", "nothing", "zero", "accent"])
def test_whatever_keys_a_file_has_a_card_can_be_put_there(world: World, rank: str) -> None:
    first, second = world.task("first"), world.task("second")
    world.database.write(lambda tx: tx.execute("UPDATE item SET rank = :rank WHERE id = :id", rank=rank, id=first.id))
    before = titles(world)
    world.task("new", before_id=second.id)
    world.task("last")
    before.insert(before.index("second"), "new")
    assert titles(world) == [*before, "last"]
    assert longest(world) <= MAX_LENGTH


def test_a_key_of_a_thousand_characters_is_made_short_where_a_card_is_moved_behind_it(world: World) -> None:
    first, second, third = (world.task(name) for name in ("first", "second", "third"))
    world.database.write(lambda tx: tx.execute("UPDATE item SET rank = :rank WHERE id = :id", rank=LONG, id=first.id))
    with nobody_elses_version_changes(world, third.id):
        world.do(ReorderCard(card_id=third.id, phase_id=world.discover.id, before_id=second.id))
    assert titles(world) == ["first", "third", "second"]
    assert longest(world) <= MAX_LENGTH


def test_phases_deliverables_and_applications_do_not_wear_out_either(world: World) -> None:
    for number in range(MAX_PHASES - 3):
        world.do(AddPhase(project_id=world.project.id, name=f"P{number}", before_id=world.launch.id))
    rows = world.rows("SELECT name FROM phase WHERE project_id = :p ORDER BY rank, id", p=world.project.id)
    assert [row["name"] for row in rows] == ["Discover", "Build", *(f"P{n}" for n in range(MAX_PHASES - 3)), "Launch"]
    assert longest(world, "phase") <= MAX_LENGTH
    world.do(ReorderPhase(phase_id=world.discover.id, before_id=world.launch.id, relock=True))
    product = world.product()
    first, second, third = (world.add_application(product, name=name) for name in "abc")
    world.do(AddDeliverable(phase_id=world.discover.id, name="A brief"))
    for table, chosen in (("application", first.id), ("deliverable", world.row("deliverable")["id"])):
        sql = f"UPDATE {table} SET rank = :rank WHERE id = :id"
        world.database.write(methodcaller("execute", sql, rank=LONG, id=chosen))
    world.do(ReorderApplication(application_id=third.id, phase_id=world.discover.id, before_id=second.id))
    world.do(AddDeliverable(phase_id=world.discover.id, name="A plan"))
    rows = world.rows("SELECT id FROM application ORDER BY rank, id")
    assert [row["id"] for row in rows] == [first.id, third.id, second.id]
    assert longest(world, "application") <= MAX_LENGTH
    rows = world.rows("SELECT name FROM deliverable ORDER BY rank, id")
    assert [row["name"] for row in rows] == ["A brief", "A plan"]


def test_a_move_of_before_a_renumbering_is_taken_back_to_its_place_and_brought_again(world: World) -> None:
    for title in "abcd":
        world.task(title)
    ids = {row["title"]: row["id"] for row in world.rows("SELECT id, title FROM item")}
    world.do(ReorderCard(card_id=ids["a"], phase_id=world.discover.id, before_id=ids["d"]))
    assert titles(world) == ["b", "c", "a", "d"]
    for number in range(300):
        create = CreateTask(phase_id=world.discover.id, title=str(number), before_id=ids["d"])
        world.do(create, as_=world.bob)
    assert world.rows("SELECT 1 FROM change_record WHERE entity = 'order'")
    new = [str(number) for number in range(300)]
    world.do(Undo(project_id=world.project.id))
    assert titles(world) == ["a", "b", "c", *new, "d"]
    world.do(Redo(project_id=world.project.id))
    assert titles(world) == ["b", "c", "a", *new, "d"]


def test_undo_of_the_card_that_had_others_renumbered_takes_only_that_back(world: World) -> None:
    last, _ = wear_out(world, times=200)
    while not world.rows("SELECT 1 FROM change_record WHERE entity = 'order'"):
        world.task("more", before_id=last)
    kept = titles(world)
    world.do(Undo(project_id=world.project.id))
    assert titles(world) == [title for at, title in enumerate(kept) if at != kept.index("last") - 1]
    world.do(Redo(project_id=world.project.id))
    assert titles(world) == kept


def test_a_renumbering_is_no_line_of_the_history_and_refuses_no_command(world: World) -> None:
    _, expected = wear_out(world, times=300)
    lines = world.ask(ListHistory(project_id=world.project.id))
    assert {line.summary.split(" “")[0] for line in lines} == {"added the task"}
    seen = world.row("item", title="250")
    world.do(EditTask(task_id=seen["id"], title="edited", seen_version=1))
    assert titles(world) == [*expected[:251], "edited", *expected[252:]]


def test_who_looks_at_the_canvas_gets_the_new_keys_but_no_marks_for_them(world: World) -> None:
    last, _ = wear_out(world, times=200)
    newest, canvas = world.task("newest", before_id=last), None
    while not world.rows("SELECT 1 FROM change_record WHERE entity = 'order'"):
        canvas = world.ask(GetCanvas(project_id=world.project.id), as_=world.bob)
        newest = world.task("newest", before_id=last)
    assert canvas is not None
    became = world.ask(GetCanvasChanges(project_id=world.project.id, since=canvas.head.seq), as_=world.bob)
    assert became is not None
    cards = {card.id: card for card in canvas.cards} | {card.id: card for card in became.changed}
    there = world.rows("SELECT id FROM item ORDER BY rank, id")
    assert sorted(cards, key=lambda each: (cards[each].rank, each)) == [row["id"] for row in there]
    assert became.by_others == {newest.id}


def test_a_rank_is_carried_through_a_renumbering_to_the_same_place() -> None:
    old = {"a": "a1", "b": "a3", "c": "a3", "d": "a5"}
    new = dict(zip(old, first_ranks(4), strict=True))
    assert {each: renumbered_rank(each, rank, old, new) for each, rank in old.items()} == new, (
        "also of two with one rank"
    )
    assert renumbered_rank("gone", "a3", old, new) == new["b"]
    assert new["a"] < renumbered_rank("gone", "a2", old, new) < new["b"]
    assert new["c"] < renumbered_rank("gone", "a4", old, new) < new["d"]
    assert renumbered_rank("gone", "a0", old, new) < new["a"]
    assert new["d"] < renumbered_rank("gone", "a9", old, new)
