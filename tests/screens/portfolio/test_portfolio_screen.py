"""The Portfolio: a timeline of projects, to be read, filtered, scrolled and opened by keys."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

from core.actions.projects.projects import ArchiveProject, CreateProject, EditProject
from core.actions.workflow.phases import SetPhaseDueDate
from core.actions.workspace.hierarchy import AddNode
from core.domain.model import NodeKind, Project
from tests.support.app_driver import Text, line_of, on_stage, press, screen_of, seen, settled, shows, told
from tests.support.workspace import Clock, World
from tui.screens.canvas.screen import CanvasScreen
from tui.screens.portfolio.portfolio import PortfolioScreen
from tui.screens.projects.projects import ProjectsScreen

SIZES = [(40, 12), (80, 24), (120, 40), (200, 60)]
TODAY = date.today()


@pytest.fixture(autouse=True)
def today(clock: Clock) -> None:
    clock.now = datetime.now(UTC)


@pytest.fixture
def autumn(world: World) -> Project:
    """A second project, of a client, with two dated phases, of which the first one is complete."""
    client = world.do(AddNode(kind=NodeKind.CLIENT, name="Fjordland"))
    project = world.do(CreateProject(name="Autumn fair", client_id=client.id, start=TODAY - timedelta(days=30)))
    plan, fair = (world.phase(name, project.id) for name in ("Plan", "Fair"))
    world.do(SetPhaseDueDate(phase_id=plan.id, due=TODAY - timedelta(days=5)))
    world.do(SetPhaseDueDate(phase_id=fair.id, due=TODAY + timedelta(days=25)))
    done = world.task("Done", plan)
    world.complete(done.id)
    world.do(EditProject(project_id=world.project.id, start=TODAY - timedelta(days=3)))
    world.do(SetPhaseDueDate(phase_id=world.discover.id, due=TODAY + timedelta(days=10)))
    return project


@pytest.mark.parametrize("size", SIZES)
async def test_each_project_is_a_line_with_its_gates_and_today(
    world: World, autumn: Project, size: tuple[int, int]
) -> None:
    async with on_stage(world, PortfolioScreen, size=size) as pilot:
        assert "today" in seen(pilot)
        assert line_of(pilot, "Autumn").count("◆") == 2
        assert line_of(pilot, "Spring").count("◆") == 1
        assert "│" in line_of(pilot, "Autumn")
        assert ("━" in line_of(pilot, "Autumn"), "━" in line_of(pilot, "Spring")) == (True, False)


async def test_a_phase_is_named_in_its_bar_where_there_is_room(world: World, autumn: Project) -> None:
    async with on_stage(world, PortfolioScreen, size=(200, 60)) as pilot:
        line = line_of(pilot, "Autumn")
        assert line.index(" Plan ") < line.index("◆") < line.index(" Fair ")


async def test_enter_opens_the_project(world: World, autumn: Project) -> None:
    async with on_stage(world, PortfolioScreen) as pilot:
        await press(pilot, "j", "enter")
        screen = screen_of(pilot, CanvasScreen)
        assert screen.project_id == world.project.id


async def test_the_filter_finds_projects_by_client_and_esc_shows_all_again(world: World, autumn: Project) -> None:
    async with on_stage(world, PortfolioScreen) as pilot:
        await press(pilot, "slash", Text("fjord"), "enter")
        assert "Spring launch" not in seen(pilot)
        assert "Autumn fair" in seen(pilot)
        assert "Portfolio · Studio North · 1 of 2" in seen(pilot)
        await press(pilot, "escape")
        assert "Spring launch" in seen(pilot)


async def test_a_filter_without_a_match_says_how_to_clear_it(world: World, autumn: Project) -> None:
    async with on_stage(world, PortfolioScreen) as pilot:
        await press(pilot, "slash", Text("nothing like it"), "enter")
        assert "No matches" in seen(pilot)
        assert "Press Esc to clear the filter." in seen(pilot)
        await press(pilot, "w")
        assert told(pilot) == "There is no project here."


async def test_w_explains_the_health(world: World, autumn: Project) -> None:
    world.task("Late", due=TODAY - timedelta(days=3))
    async with on_stage(world, PortfolioScreen) as pilot:
        await press(pilot, "j", "w")
        assert await shows(pilot, "Why is “Spring launch” overdue?")


async def test_time_scrolls_and_zooms_and_t_comes_back_to_today(world: World, autumn: Project) -> None:
    async with on_stage(world, PortfolioScreen) as pilot:
        before = seen(pilot)
        await press(pilot, *["l"] * 30)
        assert "▼ today" not in seen(pilot)
        await press(pilot, "t")
        assert "▼ today" in seen(pilot)
        await press(pilot, "z")
        assert seen(pilot) != before


async def test_the_preview_shows_the_project_of_the_line(world: World, autumn: Project) -> None:
    world.task("Buy lamps", due=TODAY + timedelta(days=2))
    async with on_stage(world, PortfolioScreen) as pilot:
        await press(pilot, "j")
        assert await shows(pilot, "Due next")
        assert await shows(pilot, "Buy lamps")


async def test_what_another_person_changes_is_read_again(world: World, autumn: Project) -> None:
    async with on_stage(world, PortfolioScreen) as pilot:
        world.do(ArchiveProject(project_id=autumn.id))
        await press(pilot, "R")
        assert not [row for row in seen(pilot).splitlines() if "Autumn" in row and "◆" in row]
        assert "◆" in line_of(pilot, "Spring launch")


async def test_further_pages_are_read_behind_the_first_one(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tui.screens.portfolio.portfolio.PAGE", 2)
    for number in range(4):
        world.new_project(f"Number {number}")
    async with on_stage(world, PortfolioScreen) as pilot:
        assert await shows(pilot, "Spring launch")
        await settled(pilot)
        assert [f"Number {number}" in seen(pilot) for number in range(4)] == [True] * 4
        assert "reading more" not in seen(pilot)


async def test_without_projects_it_says_where_to_look(world: World) -> None:
    async with on_stage(world, PortfolioScreen, world.gus) as pilot:
        assert "No projects here" in seen(pilot)


async def test_g_p_leads_to_it(world: World) -> None:
    async with on_stage(world, ProjectsScreen) as pilot:
        await press(pilot, "g", "P")
        assert isinstance(pilot.app.screen, PortfolioScreen)
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, ProjectsScreen)
