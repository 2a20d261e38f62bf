"""Settings: kept per person, lived with at once."""

from __future__ import annotations

from typing import Any

from textual.pilot import Pilot

from tests.support.app_driver import on_stage, press, seen, settled, shows
from tests.support.workspace import World
from tui.dialogs.fields.inputs import LinesControl
from tui.screens.personal.settings import KeymapDialog, SettingsScreen
from tui.screens.projects.projects import ProjectsScreen
from tui.terminal.background import TerminalBackground


def kept(world: World) -> dict[str, str]:
    return {row["name"]: row["value"] for row in world.rows("SELECT name, value FROM preference")}


async def test_the_theme_is_shown_while_one_walks_and_kept_on_enter(world: World) -> None:
    async with on_stage(world, SettingsScreen) as pilot:
        assert "as the terminal" in seen(pilot)
        await press(pilot, "enter", "down", "down")
        assert pilot.app.theme == "podium-light"
        await press(pilot, "escape")
        assert pilot.app.theme == "podium-dark"
        assert kept(world) == {}
        await press(pilot, "enter", "down", "down", "enter")
        assert kept(world) == {"theme": "podium-light"}
        assert pilot.app.theme == "podium-light"
        assert "podium-light" in seen(pilot)
        await press(pilot, "r")
        assert kept(world) == {}
        assert pilot.app.theme == "podium-dark"


async def test_as_the_terminal_is_a_theme_to_choose_and_an_answer_shows_it(world: World) -> None:
    async with on_stage(world, SettingsScreen) as pilot:
        await press(pilot, "enter", "down", "enter")
        assert kept(world) == {"theme": "podium-dark"}
        pilot.app.post_message(TerminalBackground(is_light=True))
        await settled(pilot)
        assert pilot.app.theme == "podium-dark", "the setting wins"
        await press(pilot, "enter", "up")
        assert pilot.app.theme == "podium-light"
        await press(pilot, "escape")
        assert pilot.app.theme == "podium-dark"
        await press(pilot, "enter", "up", "enter")
        assert kept(world) == {}
        assert pilot.app.theme == "podium-light"
        pilot.app.post_message(TerminalBackground(is_light=False))
        await settled(pilot)
        assert pilot.app.theme == "podium-dark"


async def test_density_and_signs_step_through_their_values(world: World) -> None:
    async with on_stage(world, SettingsScreen) as pilot:
        await press(pilot, "j", "enter", "j", "space")
        assert kept(world) == {"density": "compact", "signs": "ascii"}
        assert pilot.app.ascii
        assert seen(pilot).isascii(), "all is drawn with the signs just chosen"
        assert "+ saved" in seen(pilot)
        await press(pilot, "enter", "k", "enter")
        assert "✓ saved" in seen(pilot)
        assert kept(world) == {}


async def test_a_changed_key_is_kept_and_works_at_once(world: World) -> None:
    async with on_stage(world, ProjectsScreen) as pilot:
        await pilot.app.push_screen(SettingsScreen())
        await settled(pilot)
        await press(pilot, "G", "enter")
        await edit(pilot, "projects.new_project = n", "projects.new_project = f5")
        assert kept(world) == {"keymap": "projects.new_project = f5"}
        assert "1 changed" in seen(pilot)
        await press(pilot, "escape", "f5")
        assert await shows(pilot, "Start the new project from")


async def test_a_conflict_is_shown_and_nothing_is_kept(world: World) -> None:
    async with on_stage(world, SettingsScreen) as pilot:
        await press(pilot, "G", "enter")
        await edit(pilot, "projects.new_project = n", "projects.new_project = e")
        assert isinstance(pilot.app.screen, KeymapDialog)
        assert "is the key of both" in seen(pilot)
        assert kept(world) == {}
        await press(pilot, "escape")
        assert "Not saved" in seen(pilot)
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, SettingsScreen)


async def edit(pilot: Pilot[Any], old: str, new: str) -> None:
    """Change the text of the dialog and save it."""
    area = pilot.app.screen.query_one(LinesControl)
    area.text = area.text.replace(old, new)
    await settled(pilot)
    await press(pilot, "ctrl+s")
