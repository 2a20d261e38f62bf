"""The history: by day, undone things marked, older pages at the end, and the way to what was changed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime

import pytest

from core.actions.cards.tasks import EditTask
from core.actions.history import entries
from core.actions.workflow.gates import DecideGate
from core.domain.gates import Decision
from core.domain.model import WORKSPACE
from tests.support.app_driver import Text, hides, on_stage, press, seen, settled
from tests.support.workspace import Clock, World
from tui.screens.projects import history as history_screen
from tui.screens.projects.history import HistoryScreen, ProjectHistory, day_words


@pytest.fixture(autouse=True)
def today(clock: Clock) -> None:
    clock.now = datetime.now(UTC)


def of_project(world: World) -> Callable[[], HistoryScreen]:
    return lambda: HistoryScreen(ProjectHistory(world.project.id))


async def test_changes_stand_under_their_day_the_newest_first(world: World, clock: Clock) -> None:
    world.task("Early")
    clock.forward(days=-9)
    world.task("Backdated")
    async with on_stage(world, of_project(world)) as pilot:
        shown = seen(pilot)
        heading = day_words(clock.now.astimezone().date(), date.today())
        assert shown.index(heading) < shown.index("Backdated") < shown.index("today") < shown.index("Early")
        assert "Maya Okafor" in shown


async def test_undo_and_redo_work_here_and_are_marked(world: World) -> None:
    task = world.task("Draft")
    world.do(EditTask(task_id=task.id, title="Final"))
    async with on_stage(world, of_project(world)) as pilot:
        await press(pilot, "u")
        assert world.row("item", id=task.id)["title"] == "Draft"
        assert "‹ undone: renamed" in seen(pilot)
        assert "‹ undone since" in seen(pilot)
        await press(pilot, "U")
        assert world.row("item", id=task.id)["title"] == "Final"
        assert "› redone: renamed" in seen(pilot)
        assert "‹ undone since" not in seen(pilot)


async def test_the_end_of_the_list_reads_an_older_page(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entries, "PAGE", 5)
    monkeypatch.setattr(history_screen, "PAGE", 5)
    for number in range(12):
        world.task(f"Card {number}")
    async with on_stage(world, of_project(world)) as pilot:
        assert len(pilot.listing.lines) == 5
        for _ in range(5):
            await press(pilot, "G")
            await settled(pilot)
        count = world.rows("SELECT count(*) AS n FROM change WHERE project_id = :id", id=world.project.id)[0]["n"]
        assert len(pilot.listing.lines) == count
        assert "created the project" in seen(pilot)


async def test_enter_goes_to_the_card_or_phase_that_was_changed(world: World) -> None:
    from tui.screens.cards.card import CardScreen
    from tui.screens.phases.phase import PhaseScreen

    world.do(DecideGate(phase_id=world.discover.id, decision=Decision.HOLD))
    world.task("Draft")
    async with on_stage(world, of_project(world)) as pilot:
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, CardScreen)
        await press(pilot, "escape", "j", "enter")
        assert isinstance(pilot.app.screen, PhaseScreen)
        await press(pilot, "escape", "G", "enter")
        assert "not about one card or phase" in seen(pilot)


async def test_the_filter_finds_words_and_names(world: World) -> None:
    world.task("Draft")
    async with on_stage(world, of_project(world)) as pilot:
        await press(pilot, "slash", Text("invited vera"))
        assert [line.searched for line in pilot.listing.lines] != []
        assert await hides(pilot, "Draft")


async def test_the_history_of_the_workspace_is_for_admins_and_says_so(world: World) -> None:
    async with on_stage(world, lambda: HistoryScreen(ProjectHistory(WORKSPACE))) as pilot:
        assert "added Gus Roy" in seen(pilot)
    async with on_stage(world, lambda: HistoryScreen(ProjectHistory(WORKSPACE)), world.gus) as pilot:
        assert "not yours to see" in seen(pilot)


async def test_the_line_under_the_cursor_and_its_preview_tell_old_and_new_values(world: World) -> None:
    task = world.task("Draft")
    world.do(EditTask(task_id=task.id, title="Final", description="Two pages"))
    value = f"task {world.project.key}-1 “Final”, description: from none to “Two pages”"
    async with on_stage(world, of_project(world)) as pilot:
        assert value in pilot.listing.description
        await settled(pilot)
        assert "title: from “Draft” to “Final”" in seen(pilot)
        await press(pilot, "slash", Text("two pages"))
        assert len(pilot.listing.lines) == 1


@pytest.mark.parametrize(
    ("day", "words"),
    [
        (date(2026, 3, 2), "today"),
        (date(2026, 3, 1), "yesterday"),
        (date(2026, 2, 20), "Fri 20 Feb"),
        (date(2025, 12, 31), "Wed 31 Dec 2025"),
    ],
)
def test_days_are_called_as_people_call_them(day: date, words: str) -> None:
    assert day_words(day, date(2026, 3, 2)) == words
