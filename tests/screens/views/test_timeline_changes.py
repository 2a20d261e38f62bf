"""The Timeline after changes: its lines are those of the project read whole, and only changed cards are looked at."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from core.actions.cards.cards import SetCardDueDate
from core.actions.cards.tasks import EditTask
from core.actions.dependencies.links import LinkCards
from core.actions.dependencies.lists import ListDependencies
from core.domain.canvas import Card
from core.domain.model import Id
from core.errors import DatabaseBusy
from tests.screens.views.conftest import FOLDED, MONDAY, changes_of_cards
from tests.support.app_driver import Text, on_stage, press, screen_of, seen
from tests.support.sized_worlds import add_project
from tests.support.workspace import World
from tui.screens.views.filtering import CardFilter
from tui.screens.views.timeline import TimelineScreen
from tui.services import change_listener
from tui.timeline import rows
from tui.timeline.cards_by_phase import CardsByPhase
from tui.timeline.rows import TimelineCard, TimelinePhase, lines_of


def timeline(world: World, focus: Id | None = None) -> Callable[[], TimelineScreen]:
    return lambda: TimelineScreen(world.project.id, focus)


@pytest.mark.parametrize("typed", ["", "o"], ids=["one phase unfolded", "all phases unfolded by a filter"])
async def test_after_changes_the_lines_are_those_of_the_project_read_whole(world: World, typed: str) -> None:
    """Cards that are renamed, dated, moved, completed, archived, deleted, linked and new, and a phase that is dated."""
    tasks, changes = changes_of_cards(world)
    async with on_stage(world, timeline(world, tasks[0].id)) as pilot:
        if typed:
            await press(pilot, "slash", Text(typed), "enter")
        screen = screen_of(pilot, TimelineScreen)
        for change in changes:
            world.do(change)
            await pilot.refresh()
            shown = list(screen.presenter._lines)
            unfolded = {line.id for line in shown if isinstance(line, TimelinePhase) and line.unfolded}
            cards = CardsByPhase(screen.canvas.cards, screen.filter.left_of)
            assert shown == list(lines_of(screen.head, cards, unfolded, {}, screen.earliest)), change
        assert sum(line.card is not None for line in shown) >= 7


async def test_folds_and_previewed_moves_ask_the_filter_about_no_other_cards(
    plan: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, left_of = list[str](), CardFilter._left_of

    def count(filtering: CardFilter, cards: Any, only: Any) -> Any:
        asked.extend(card.title for card in cards)
        return left_of(filtering, cards, only)

    async with on_stage(plan, timeline(plan), size=FOLDED) as pilot:
        monkeypatch.setattr(CardFilter, "_left_of", count)
        await press(pilot, "j", "right_parenthesis", "right_parenthesis", "escape", "tab")
        screen = screen_of(pilot, TimelineScreen)
        assert sorted(asked) == sorted(card.title for card in screen.presenter.list_shown())


async def test_a_change_makes_as_few_lines_of_an_unfolded_phase_with_1000_cards_as_with_100(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(change_listener.ChangeListener, "run", never)
    made = [await lines_made(world, monkeypatch, cards) for cards in (100, 1000)]
    assert 0 < made[1] <= made[0] < 100


async def never(_: Any) -> None:
    """Listen to no changes, so that the test alone says when the screen is read."""


async def lines_made(world: World, monkeypatch: pytest.MonkeyPatch, cards: int) -> int:
    """The number of lines of cards that a change makes, with the cursor on a card."""
    project_id = add_project(world, phases=1, cards=cards, members=[world.maya.user_id], key=f"S{cards}")
    first = world.rows("SELECT id FROM item WHERE project_id = :id ORDER BY number", id=project_id)[0]["id"]
    async with on_stage(world, lambda: TimelineScreen(project_id, first)) as pilot:
        world.do(EditTask(task_id=first, title="Renamed"))
        made, make = list[Id](), TimelineCard

        def count(card: Card, *more: Any) -> TimelineCard:
            made.append(card.id)
            return make(card, *more)

        with monkeypatch.context() as patch:
            patch.setattr(rows, "TimelineCard", count)
            await pilot.refresh()
        assert "Renamed" in seen(pilot)
        return len(made)


async def test_the_earliest_days_are_read_after_the_next_change_where_their_read_failed(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocker, waiting = world.task("Book", due=MONDAY + timedelta(3)), world.task("Print", due=MONDAY + timedelta(9))
    world.do(LinkCards(waiting_id=waiting.id, blocker_id=blocker.id))
    async with on_stage(world, timeline(world)) as pilot:
        screen, send = pilot.app.screen, pilot.app.backend.query
        assert isinstance(screen, TimelineScreen)
        before, failures = screen.earliest, [DatabaseBusy()]
        assert before == {waiting.id: MONDAY + timedelta(3)}

        async def query(asked: Any) -> Any:
            if isinstance(asked, ListDependencies) and failures:
                raise failures.pop()
            return await send(asked)

        monkeypatch.setattr(pilot.app.backend, "query", query)
        world.do(SetCardDueDate(card_id=blocker.id, due=MONDAY + timedelta(5)))
        await screen.refresh_from_core()
        assert failures == []
        assert screen.earliest == before
        world.do(EditTask(task_id=world.task("Else").id, title="Other"))
        await screen.refresh_from_core()
        assert screen.earliest == {waiting.id: MONDAY + timedelta(5)}
