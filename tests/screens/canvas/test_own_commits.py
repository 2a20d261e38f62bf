"""The Canvas after the user's own change: nothing is read a second time, and no change of another user is missed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from typing import Any

import pytest

from core.actions import load_catalog
from core.actions.cards.tasks import EditTask
from core.actions.workflow.canvas import GetCanvas
from core.actions.workflow.canvas_changes import GetCanvasChanges
from core.backends.local import ChangeEvent, LocalBackend
from core.domain.model import Item
from core.engine.engine import Engine
from core.engine.messages import Query
from core.storage import change_watcher
from core.storage.sqlite.database import SqliteDatabase
from tests.support.app_driver import canvas, comes, on_stage, press, seen, settled
from tests.support.work_done import work_done
from tests.support.workspace import World
from tui.services.change_listener import ChangeListener
from tui.services.presence import PresenceTracker
from tui.services.unread_badge import UnreadBadge

pytestmark = pytest.mark.sqlite


class Stage:
    """Podium on the Canvas, which looks for commits only when the test says so."""

    def __init__(self, pilot: Any, heard: list[ChangeEvent], asked: list[str]) -> None:
        self.pilot = pilot
        self._heard = heard
        self.asked = asked
        """The queries of the Canvas that were sent to the core."""

    async def look(self) -> None:
        """Look for commits, and wait until the screen has done what follows."""
        heard = len(self._heard)
        self.pilot.app.backend._watches[0].check()
        assert await comes(self.pilot, lambda: len(self._heard) > heard)
        await settled(self.pilot)

    async def move(self) -> None:
        """Move the card under the cursor as the user, and forget the queries so far."""
        await press(self.pilot, "L")
        self.asked.clear()


@asynccontextmanager
async def staged(world: World, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Stage]:
    heard, asked = list[ChangeEvent](), list[str]()
    take, query = ChangeListener._take, LocalBackend.query

    async def hear(listener: ChangeListener, event: ChangeEvent) -> None:
        await take(listener, event)
        if not (event.presence or event.inbox):
            heard.append(event)

    async def ask(backend: LocalBackend, question: Query[Any]) -> Any:
        if isinstance(question, GetCanvas | GetCanvasChanges):
            asked.append(type(question).__name__)
        return await query(backend, question)

    async def never(_: UnreadBadge) -> None:
        """The inbox is counted beside the screen, up to a second later."""

    def not_now(_: PresenceTracker) -> None:
        """The location of the user is reported beside the screen, too."""

    monkeypatch.setattr(ChangeListener, "_take", hear)
    monkeypatch.setattr(LocalBackend, "query", ask)
    monkeypatch.setattr(UnreadBadge, "hear", never)
    monkeypatch.setattr(PresenceTracker, "ask_soon", not_now)
    monkeypatch.setattr(change_watcher, "POLL_SECONDS", 3_600.0)
    async with on_stage(world, canvas(world)) as pilot:
        stage = Stage(pilot, heard, asked)
        backend = pilot.app.backend
        assert isinstance(backend, LocalBackend)
        assert await comes(pilot, lambda: backend._watches)
        await stage.look()
        yield stage


def renamed(world: World, task: Item) -> None:
    """Bob renames a task, by the engine of this process."""
    world.do(EditTask(task_id=task.id, title="Bob's words"), as_=world.bob)


def renamed_elsewhere(world: World, task: Item) -> None:
    """Bob renames a task, by another program with connections of its own."""
    path = world.database.path
    with closing(Engine(SqliteDatabase(path), load_catalog, clock=world.engine.clock)) as other:
        other.execute(EditTask(task_id=task.id, title="Bob's words"), world.bob)


by_bob = pytest.mark.parametrize("rename", [renamed, renamed_elsewhere])
Rename = Callable[[World, Item], None]


async def test_nothing_is_read_again_after_a_move_by_the_user(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    task = world.task("Write the brief")
    async with staged(world, monkeypatch) as stage:
        await stage.move()
        with work_done(world.database) as work:
            await stage.look()
        assert stage.asked == []
        assert work.statements <= 8  # the number of the newest commit, and whether permissions were changed
        assert "In Progress 1" in seen(stage.pilot)
    assert world.row("item", id=task.id)["status"] == "IN_PROGRESS"


@by_bob
@pytest.mark.parametrize("looks", [0, 1], ids=["at once", "after a look"])
async def test_a_change_of_another_user_after_a_move_is_shown(
    world: World, monkeypatch: pytest.MonkeyPatch, rename: Rename, looks: int
) -> None:
    world.task("Write the brief")
    other = world.task("Call the printer")
    async with staged(world, monkeypatch) as stage:
        await stage.move()
        for _ in range(looks):
            await stage.look()
        rename(world, other)
        await stage.look()
        assert stage.asked == ["GetCanvasChanges"]
        assert "Bob's words" in seen(stage.pilot)


@by_bob
async def test_a_change_of_another_user_right_before_a_move_is_shown_with_it(
    world: World, monkeypatch: pytest.MonkeyPatch, rename: Rename
) -> None:
    world.task("Write the brief")
    other = world.task("Call the printer")
    async with staged(world, monkeypatch) as stage:
        rename(world, other)
        await stage.move()
        assert "Bob's words" in seen(stage.pilot)
        await stage.look()
        assert stage.asked == []
        assert "Bob's words" in seen(stage.pilot)


async def test_two_people_who_move_cards_in_turn_see_all_of_it(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = world.task("Write the brief")
    theirs = [world.task(f"Call {number}") for number in range(3)]
    async with staged(world, monkeypatch) as stage:
        for task in theirs:
            world.complete(task.id, as_=world.bob)
            await press(stage.pilot, "L" if world.row("item", id=mine.id)["status"] == "TO_DO" else "H")
            world.do(EditTask(task_id=task.id, title=f"Done by Bob {task.title}"), as_=world.bob)
            await stage.look()
            cards = {card.id: card for card in stage.pilot.app.screen.presenter.list_shown()}
            rows = {row["id"]: row for row in world.rows("SELECT * FROM item")}
            assert {each: (card.title, card.status.value) for each, card in cards.items()} == {
                each: (row["title"], row["status"]) for each, row in rows.items()
            }


async def test_a_move_whose_answer_was_not_shown_is_read_again(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.task("Write the brief")
    async with staged(world, monkeypatch) as stage:
        screen: Any = stage.pilot.app.screen

        async def not_read() -> bool:
            return False

        with monkeypatch.context() as patch:
            patch.setattr(screen, "refresh_from_core", not_read)
            await stage.move()
        assert "In Progress 1" not in seen(stage.pilot)
        await stage.look()
        assert stage.asked == ["GetCanvasChanges"]
        assert "In Progress 1" in seen(stage.pilot)
