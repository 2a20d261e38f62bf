"""The Calendar after changes: its days are those of the project read whole, and only changed cards are looked at."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from core.actions.cards.cards import SetCardDueDate
from core.actions.cards.tasks import EditTask
from core.actions.workflow.phases import ReorderPhase
from tests.screens.views.conftest import MONDAY, changes_of_cards
from tests.support.app_driver import Text, on_stage, press, screen_of, seen
from tests.support.workspace import World
from tui.screens.views.calendar import CalendarScreen, CardsByDay
from tui.screens.views.filtering import CardFilter


@pytest.mark.parametrize("typed", ["", "o"], ids=["all cards", "a filter"])
async def test_after_changes_the_days_are_those_of_the_project_read_whole(world: World, typed: str) -> None:
    _, changes = changes_of_cards(world)
    changes.append(ReorderPhase(phase_id=world.build.id, before_id=world.discover.id, relock=True))
    async with on_stage(world, lambda: CalendarScreen(world.project.id)) as pilot:
        if typed:
            await press(pilot, "slash", Text(typed), "enter")
        screen = screen_of(pilot, CalendarScreen)
        for change in changes:
            world.do(change)
            await pilot.refresh()
            now, whole = screen.presenter._cards, CardsByDay(screen.filter.cards(), screen.head)
            days = [None, *(MONDAY + timedelta(day) for day in range(12))]
            assert [now.on(day) for day in days] == [whole.on(day) for day in days], change
            assert now.first_after(MONDAY) == whole.first_after(MONDAY)
        assert "Look once more" in seen(pilot)


async def test_a_change_of_another_and_a_key_ask_the_filter_about_no_other_cards(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, left_of = list[str](), CardFilter._left_of

    def count(filtering: CardFilter, cards: Any, only: Any) -> Any:
        asked.extend(card.title for card in cards)
        return left_of(filtering, cards, only)

    task, _ = world.task("Call Ada", due=MONDAY), world.task("Call Ben", due=MONDAY)
    async with on_stage(world, lambda: CalendarScreen(world.project.id)) as pilot:
        monkeypatch.setattr(CardFilter, "_left_of", count)
        world.do(EditTask(task_id=task.id, title="Call Ada again"), world.bob)
        await pilot.screen.refresh_from_core()
        await press(pilot, "right", "left")
        assert "Call Ada again" in seen(pilot)
        assert set(asked) == {"Call Ada again"}


async def test_the_cursor_follows_its_card_to_another_day_of_the_month(world: World) -> None:
    task, other = world.task("Write the texts", due=MONDAY), world.task("Interview Ada", due=MONDAY)
    async with on_stage(world, lambda: CalendarScreen(world.project.id)) as pilot:
        screen = screen_of(pilot, CalendarScreen)
        assert pilot.card.id == task.id
        world.do(SetCardDueDate(card_id=task.id, due=MONDAY + timedelta(2)), world.bob)
        await pilot.refresh()
        assert screen.presenter.day == MONDAY + timedelta(2)
        assert pilot.card.id == task.id
        assert "Write the texts" in seen(pilot)
        world.do(SetCardDueDate(card_id=other.id, due=MONDAY + timedelta(3)), world.bob)
        await screen.refresh_from_core()
        assert pilot.card.id == task.id
        world.do(SetCardDueDate(card_id=task.id, due=MONDAY + timedelta(60)), world.bob)
        await screen.refresh_from_core()
        assert screen.presenter.day == MONDAY + timedelta(2)
        assert screen.presenter.card is None
