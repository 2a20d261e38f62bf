"""The title line: the modes of a view in colour, and pages that keep the name of their project."""

from __future__ import annotations

from textual.pilot import Pilot

from core.actions.personal.presets import ActivatePreset
from tests.support.app_driver import Text, canvas, on_stage, press, seen
from tests.support.workspace import World
from tui.widgets.bars import TitleBar


def title_of(pilot: Pilot[int]) -> str:
    return seen(pilot).split("\n", 1)[0]


def coloured(pilot: Pilot[int]) -> str:
    """The words of the title line that are in the colour of modes."""
    content = pilot.app.screen.query_one(TitleBar).render()
    return "".join(
        content.plain[span.start : span.end] for span in content.spans if "warning" in str(span.style)
    ).strip()


async def test_preset_filter_and_archive_are_in_colour_while_they_decide_what_is_shown(world: World) -> None:
    world.task("Write the brief")
    async with on_stage(world, canvas(world)) as pilot:
        assert coloured(pilot) == ""
        await press(pilot, "A")
        assert coloured(pilot) == "archive"
        await press(pilot, "slash", Text("brief"), "enter")
        assert coloured(pilot) == "filtered  archive"
        world.do(ActivatePreset(project_id=world.project.id, preset_id="MY_WORK"))
        await press(pilot, "F", "R")
        assert coloured(pilot).startswith("My work")
        assert "filtered" not in title_of(pilot)


async def test_the_modes_are_seen_in_a_narrow_terminal(world: World) -> None:
    async with on_stage(world, canvas(world), size=(40, 12)) as pilot:
        await press(pilot, "A")
        assert "archive" in title_of(pilot)
        assert "Spring" in title_of(pilot)


async def test_the_pages_of_a_card_and_a_phase_name_their_project(world: World) -> None:
    world.task("Write the brief")
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "enter")
        assert "◆ Spring launch · Discover · Write the brief" in title_of(pilot)
        await press(pilot, "p")
        assert "◆ Spring launch · 1 Discover" in title_of(pilot)


async def test_members_of_a_project_are_first_names_in_the_list(world: World) -> None:
    from tui.screens.projects.projects import ProjectsScreen

    async with on_stage(world, ProjectsScreen, size=(200, 40)) as pilot:
        assert "Maya, Bob, Vera" in seen(pilot)
