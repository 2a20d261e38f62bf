"""``w`` on a project: why it is overdue or at risk, and the way to the cards behind it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from textual.pilot import Pilot

from core.actions.cards.cards import MoveCard, SetCardDueDate
from core.actions.projects.projects import ArchiveProject
from core.actions.workflow.phases import SetPhaseDueDate
from core.domain.model import Status
from tests.support.app_driver import canvas, hides, on_stage, press, screen_of, seen, settled, shows
from tests.support.workspace import Clock, World
from tui.screens.canvas.screen import CanvasScreen
from tui.screens.phases.phase import PhaseScreen
from tui.screens.projects.projects import ProjectsScreen
from tui.screens.views.charts import ChartsScreen

SIZES = ((40, 12), (80, 24), (120, 40), (200, 60))


@pytest.fixture
def late(world: World, clock: Clock) -> World:
    """A project with a card that is overdue, one that is due soon, and one that can wait."""
    clock.now = datetime.now(UTC) - timedelta(days=5)
    today = datetime.now(UTC).date()
    world.task("Can wait", due=today + timedelta(days=30))
    world.task("[b]Call[/b] the printer", due=today - timedelta(days=2))
    world.task("Book the stage", due=today + timedelta(days=1))
    clock.now = datetime.now(UTC)
    return world


def words(pilot: Pilot[int]) -> str:
    """The screen as one line, without borders."""
    return " ".join(seen(pilot).replace("│", " ").split())


async def test_w_names_the_reasons_and_enter_goes_to_the_card(late: World) -> None:
    async with on_stage(late, ProjectsScreen) as pilot:
        assert "■ overdue" in seen(pilot)
        await press(pilot, "w")
        shown = words(pilot)
        assert "Why is “Spring launch” overdue?" in shown
        assert "1 open card is past its due date. 1 card is due within three days and not started." in shown
        assert "❯ ○ [b]Call[/b] the printer Discover · 2d late" in shown
        assert "○ Book the stage Discover · tomorrow" in shown
        await press(pilot, "down", "enter")
        screen_of(pilot, CanvasScreen)
        assert pilot.card.title == "Book the stage"


async def test_w_says_why_a_project_is_on_track_and_from_when_it_has_a_forecast(world: World, clock: Clock) -> None:
    world.task("Book the stage", due=clock().date() + timedelta(days=2))
    async with on_stage(world, ProjectsScreen) as pilot:
        await press(pilot, "w")
        assert "is on track. Nothing is at risk until its first day is over" in words(pilot)
    clock.forward(days=9)
    world.complete(world.task("Call the printer").id)
    world.do(SetCardDueDate(card_id=world.row("item", title="Book the stage")["id"], due=None))
    async with on_stage(world, ProjectsScreen) as pilot:
        await press(pilot, "w")
        assert "is on track: nothing is late, and what is due within three days is started." in words(pilot)
        assert "At the current pace" in words(pilot)


async def test_a_card_that_is_done_is_no_reason_any_more(late: World) -> None:
    async with on_stage(late, ProjectsScreen) as pilot:
        for row in late.rows("SELECT id FROM item WHERE title <> 'Can wait'"):
            late.do(MoveCard(card_id=row["id"], status=Status.COMPLETED), late.bob)
        assert await shows(pilot, "● on track")
        await press(pilot, "w")
        assert "“Spring launch” is on track: nothing is late" in words(pilot)
        assert isinstance(pilot.app.screen, ProjectsScreen)


async def test_esc_closes_the_reasons_and_the_cursor_stays(late: World) -> None:
    late.new_project("Aardvark")
    async with on_stage(late, ProjectsScreen) as pilot:
        await press(pilot, "j", "w")
        assert await shows(pilot, "Why is")
        await press(pilot, "escape")
        assert await hides(pilot, "Why is")
        assert pilot.line.id == late.project.id


async def test_a_click_on_the_health_explains_it(late: World) -> None:
    async with on_stage(late, ProjectsScreen) as pilot:
        lines = seen(pilot).splitlines()
        y = next(number for number, line in enumerate(lines) if "overdue" in line)
        await pilot.click(offset=(lines[y].index("overdue"), y))
        assert await shows(pilot, "Why is “Spring launch” overdue?")
        await press(pilot, "escape")
        await pilot.click(offset=(lines[y].index("Spring"), y))
        await settled(pilot)
        assert "Why is" not in seen(pilot)


async def test_w_on_charts_leads_to_the_phases_of_a_late_forecast(world: World, clock: Clock) -> None:
    clock.now = datetime.now(UTC) - timedelta(days=20)
    tasks = [world.task(f"Card {number}") for number in range(9)]
    clock.now = datetime.now(UTC)
    world.do(SetPhaseDueDate(phase_id=world.discover.id, due=clock.now.date() + timedelta(days=10)))
    world.complete(tasks[0].id)
    async with on_stage(world, lambda: ChartsScreen(world.project.id)) as pilot:
        said = next(line for line in seen(pilot).splitlines() if "At the current pace" in line).strip()
        assert said.endswith("102 days late.")
        await press(pilot, "w")
        shown = words(pilot)
        assert "Why is “Spring launch” at risk?" in shown
        assert said in shown
        assert "Discover 8 open cards · " in shown
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, PhaseScreen)
        assert "Discover" in seen(pilot)


async def test_the_palette_explains_the_health_on_every_view(late: World) -> None:
    async with on_stage(late, canvas(late)) as pilot:
        await press(pilot, "colon", *"explain the health")
        assert await shows(pilot, "Explain the health of the project")
        await press(pilot, "enter")
        assert await shows(pilot, "Why is “Spring launch” overdue?")


async def test_an_archived_project_has_nothing_at_risk(late: World) -> None:
    late.do(ArchiveProject(project_id=late.project.id))
    async with on_stage(late, ProjectsScreen) as pilot:
        await press(pilot, "A", "w")
        assert "“Spring launch” is archived, so nothing in it is at risk." in words(pilot)


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_the_first_card_can_be_chosen_at_every_size(late: World, size: tuple[int, int]) -> None:
    async with on_stage(late, ProjectsScreen, size=size) as pilot:
        await press(pilot, "w")
        assert "❯ ○ [b]Call" in seen(pilot)
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, CanvasScreen)


async def test_on_a_screen_without_cards_w_says_so(late: World) -> None:
    async with on_stage(late, ProjectsScreen) as pilot:
        await press(pilot, "g", "s", "w")
        assert "Nothing on this screen can be blocked or at risk." in words(pilot)
