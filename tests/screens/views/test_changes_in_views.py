"""The views of a project after a change: only what changed is read, made and drawn, at any size of the project."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from functools import wraps
from typing import Any

import pytest

from core.actions.cards.tasks import EditTask
from core.actions.workflow.canvas import GetCanvas
from core.actions.workflow.canvas_changes import GetCanvasChanges
from core.domain.model import Id, Item, ItemKind
from core.engine.counters import recount
from core.engine.unit_of_work import new_id
from core.errors import Forbidden
from core.record import replace
from core.storage.database import Tx
from tests.support.app_driver import on_stage, press, settled
from tests.support.workspace import Clock, World
from tui.board.layout import Heights
from tui.board.model import BoardModel
from tui.screens.canvas.screen import CanvasScreen
from tui.screens.views import project_view, table
from tui.screens.views.calendar import CalendarPresenter, CalendarScreen
from tui.screens.views.filtering import CardFilter
from tui.screens.views.project_view import ProjectView
from tui.screens.views.status_board import StatusBoardPresenter, StatusBoardScreen
from tui.screens.views.table import TablePresenter, TableScreen
from tui.screens.views.timeline import TimelinePresenter, TimelineScreen
from tui.services import change_listener

MONDAY = date(2026, 3, 2)
"""The day on which the clock of the tests stands."""

VIEWS = [TableScreen, CalendarScreen, StatusBoardScreen, TimelineScreen, CanvasScreen]
each_view = pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.__name__)


def fill(world: World, cards: int) -> None:
    """Add so many tasks to the first phase, all of them due this month."""
    first = len(world.rows("SELECT id FROM item"))
    one = Item(project_id=world.project.id, id="", kind=ItemKind.TASK, phase_id=world.discover.id, rank="", title="")
    items = list[Item]()
    for number in range(first + 1, first + cards + 1):
        due = MONDAY + timedelta(number % 20)
        more = {"id": new_id(), "rank": f"a{number:04}", "title": f"Card {number}", "due": due, "number": number}
        items.append(replace(one, **more))
    world.insert(*items)
    world.database.write(lambda tx: recount(tx, world.project.id))


@contextmanager
def counted(monkeypatch: pytest.MonkeyPatch, world: World) -> Iterator[Counter[str]]:
    """Count what is read, made and drawn meanwhile."""
    found: Counter[str] = Counter()

    def count(owner: Any, name: str, **counters: Callable[[Any], int]) -> None:
        before = getattr(owner, name)

        def run(*args: Any, **named: Any) -> Any:
            result = before(*args, **named)
            for what, number in counters.items():
                found[what] += number(result)
            return result

        patch.setattr(owner, name, run)

    def once(_: Any) -> int:
        return 1

    with monkeypatch.context() as patch:
        asked = threading.local()  # in the thread that answers the query of the view, beside other queries
        answer, transaction = GetCanvasChanges.run, world.database.read(type)

        def answered(query: GetCanvasChanges, view: Any) -> Any:
            asked.now = True
            try:
                return answer(query, view)
            finally:
                asked.now = False

        def of_answer(number: Callable[[Any], int]) -> Callable[[Any], int]:
            return lambda result: number(result) if getattr(asked, "now", False) else 0

        patch.setattr(GetCanvasChanges, "run", wraps(answer)(answered))
        for name in ("query", "tuples"):
            count(transaction, name, statements=of_answer(once), rows=of_answer(len))
        count(GetCanvas, "run", whole_canvas=once)
        count(table, "cells_of", lines_made=once)
        count(CalendarPresenter, "_entry", lines_made=once)
        count(BoardModel, "_keep", cards_put_on_the_board=once)
        count(Heights, "__call__", cards_measured=once)
        for presenter in (TablePresenter, CalendarPresenter, StatusBoardPresenter, TimelinePresenter):
            count(presenter, "draw", drawn=once)
        yield found


async def after_a_change(monkeypatch: pytest.MonkeyPatch, world: World, view: type[ProjectView]) -> Counter[str]:
    """The counts of a view for the change of one card by another user."""
    title = f"Renamed when there were {len(world.rows('SELECT id FROM item'))}"
    async with on_stage(world, lambda: view(world.project.id)) as pilot:
        world.do(EditTask(task_id=world.rows("SELECT id FROM item ORDER BY number")[0]["id"], title=title))
        with counted(monkeypatch, world) as found:
            await pilot.refresh()
        shown: Any = pilot.app.screen
        titles = [card.title for card in shown.presenter.list_shown()]
        assert title in titles or view is TimelineScreen  # in a folded phase
        return found


@each_view
async def test_the_work_after_a_change_is_the_same_with_300_and_1000_cards(
    world: World, monkeypatch: pytest.MonkeyPatch, view: type[ProjectView]
) -> None:
    monkeypatch.setattr(change_listener.ChangeListener, "run", never)
    fill(world, 300)
    few = await after_a_change(monkeypatch, world, view)
    fill(world, 700)
    many = await after_a_change(monkeypatch, world, view)
    assert few == many
    assert few["whole_canvas"] == 0
    assert few["lines_made"] <= 1
    assert few["cards_put_on_the_board"] <= 1
    assert few["rows"] < 60


@pytest.mark.parametrize("view", [StatusBoardScreen, TimelineScreen], ids=lambda view: view.__name__)
async def test_after_a_change_the_filter_is_asked_about_the_changed_card_alone(
    world: World, monkeypatch: pytest.MonkeyPatch, view: type[ProjectView]
) -> None:
    monkeypatch.setattr(change_listener.ChangeListener, "run", never)
    fill(world, 300)
    asked, left_of = set[Id](), CardFilter._left_of

    def count(filtering: CardFilter, cards: Any, only: Any) -> Any:
        asked.update(card.id for card in cards)
        return left_of(filtering, cards, only)

    async with on_stage(world, lambda: view(world.project.id)) as pilot:
        monkeypatch.setattr(CardFilter, "_left_of", count)
        task_id = world.rows("SELECT id FROM item ORDER BY number")[0]["id"]
        world.do(EditTask(task_id=task_id, title="Renamed"))
        await pilot.refresh()
    assert asked == {task_id}


@each_view
async def test_nothing_is_drawn_where_nothing_has_changed(
    world: World, monkeypatch: pytest.MonkeyPatch, view: type[ProjectView]
) -> None:
    world.task("Write the brief")
    async with on_stage(world, lambda: view(world.project.id)) as pilot:
        screen: Any = pilot.app.screen
        before = screen.canvas
        with counted(monkeypatch, world) as found:
            assert await screen.refresh_from_core()
            await settled(pilot)
        assert screen.canvas is before
        assert not found.keys() - {"statements", "rows"}


@each_view
async def test_R_reads_everything_again(world: World, monkeypatch: pytest.MonkeyPatch, view: type[ProjectView]) -> None:  # noqa: N802 - as the key is
    world.task("Write the brief")
    async with on_stage(world, lambda: view(world.project.id)) as pilot:
        with counted(monkeypatch, world) as found:
            await press(pilot, "R")
        assert found["whole_canvas"] == 1


@each_view
async def test_on_a_new_day_everything_is_read_again(
    world: World, clock: Clock, monkeypatch: pytest.MonkeyPatch, view: type[ProjectView]
) -> None:
    """Without a change: what was due today is late now."""
    world.task("Write the brief", due=MONDAY)
    async with on_stage(world, lambda: view(world.project.id)) as pilot:
        screen: Any = pilot.app.screen
        assert screen.head.today == MONDAY
        clock.forward(days=1)
        monkeypatch.setattr(project_view, "date", Tomorrow)
        await screen.refresh_from_core()
        assert screen.head.today == MONDAY + timedelta(1)


class Tomorrow:
    """In place of ``date`` on the next day."""

    @staticmethod
    def today() -> date:
        return date.today() + timedelta(1)


async def never(_: Any) -> None:
    """Listen to no changes, so that a test alone says when a screen is read."""


@each_view
async def test_after_an_older_backup_was_restored_everything_is_read_again(
    world: World, view: type[ProjectView]
) -> None:
    """The last change is an earlier one then, and the cards are those of that time."""
    task = world.task("Write the brief")
    async with on_stage(world, lambda: view(world.project.id)) as pilot:
        screen: Any = pilot.app.screen
        for title in ("Write it again", "Write it once more"):
            world.do(EditTask(task_id=task.id, title=title))
        await screen.refresh_from_core()
        _restore(world, task.id)
        await pilot.refresh()
        assert screen.presenter.find(task.id).title == "Write the brief"


def _restore(world: World, task_id: Id) -> None:
    """As if the database was restored from before the last two changes."""
    before = world.row("feed", id=world.project.id)["seq"] - 2
    named = {"project_id": world.project.id, "seq": before}

    def write(tx: Tx) -> None:
        tx.execute("DELETE FROM change_record WHERE project_id = :project_id AND seq > :seq", **named)
        tx.execute("DELETE FROM change WHERE project_id = :project_id AND seq > :seq", **named)
        tx.execute("UPDATE feed SET seq = :seq WHERE id = :project_id", **named)
        tx.execute("UPDATE item SET title = 'Write the brief' WHERE id = :id", id=task_id)

    world.database.write(write)


@each_view
async def test_a_view_that_is_hidden_while_it_is_read_is_shown_with_its_cards(
    world: World, view: type[ProjectView], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The permission service refuses once, and grants again before the answer to a read comes."""
    fill(world, 3)
    async with on_stage(world, lambda: view(world.project.id)) as pilot:
        screen, send = pilot.app.screen, pilot.app.backend.query
        refusals = [Forbidden("You may not look now.")]
        assert isinstance(screen, view)

        async def query(query: Any) -> Any:
            answer = await send(query)
            while isinstance(query, GetCanvasChanges) and refusals:
                screen.access.hide(refusals.pop())
            return answer

        monkeypatch.setattr(pilot.app.backend, "query", query)
        screen.call_later(screen.refresh_from_core)
        await settled(pilot)
        assert refusals == []
        assert screen.access.unseen is None
        assert screen.head.name == "Spring launch"
        assert len(screen.canvas.cards or screen.presenter.list_shown()) == 3
