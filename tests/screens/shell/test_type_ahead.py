"""A burst of keys does what the same keys do one by one."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Input

from tests.support import waiting
from tests.support.app_driver import canvas, on_stage, post_keys, press, screen_of, seen, settled
from tests.support.sweeps import sweep
from tests.support.workspace import World
from tui.dialogs.confirm import ConfirmDialog
from tui.dialogs.form import FormDialog
from tui.screens.canvas.screen import CanvasScreen
from tui.screens.people.members import MembersScreen
from tui.screens.phases.phase import PhaseScreen
from tui.screens.projects.projects import ProjectsScreen
from tui.widgets.filter_line import FilterLine


async def burst(pilot: Pilot[int], keys: Sequence[str]) -> None:
    """Send keys all at once, and wait until they have had their effect."""
    post_keys(pilot, *keys)
    for _ in range(10):
        await settled(pilot)


async def test_letters_after_a_slash_go_into_the_filter_and_do_nothing_to_the_card(world: World) -> None:
    task = world.task("Dune")
    world.task("Sand")
    async with on_stage(world, canvas(world)) as pilot:
        await burst(pilot, ["slash", "d", "u", "n", "e"])
        assert pilot.app.screen.query_one(FilterLine).text == "dune"
        assert world.status(task) == "TO_DO"
        assert "Sand" not in seen(pilot)


async def test_letters_after_the_key_of_a_form_go_into_the_form(world: World) -> None:
    async with on_stage(world, canvas(world)) as pilot:
        await burst(pilot, ["n", *"cud", "ctrl+s"])
        assert [row["title"] for row in world.rows("SELECT title FROM item")] == ["cud"]


async def test_letters_after_enter_in_a_list_go_into_the_form_that_follows(world: World) -> None:
    async with on_stage(world, ProjectsScreen) as pilot:
        await burst(pilot, ["n", *"empty", "enter", *"Fad", "ctrl+s"])
        assert [row["name"] for row in world.rows("SELECT name FROM project WHERE name LIKE '%ad'")] == ["Fad"]


async def test_a_place_and_what_is_pressed_there(world: World) -> None:
    async with on_stage(world, canvas(world)) as pilot:
        await burst(pilot, ["g", "M", "j"])
        screen = screen_of(pilot, MembersScreen)
        assert screen.listing.line is not None
        assert screen.listing.line.id != screen.listing.lines[0].id
        assert world.rows("SELECT kind FROM change WHERE kind <> 'DO'") == []  # u was no undo


async def test_a_key_that_is_refused_holds_nothing_up(world: World) -> None:
    task = world.task("Dune")
    async with on_stage(world, canvas(world), world.vera) as pilot:
        await burst(pilot, ["n", "c", "j", "slash", "x"])
        assert pilot.app.screen.query_one(FilterLine).text == "x"
        assert world.status(task) == "TO_DO"


async def test_a_dialog_that_closes_leaves_the_next_key_to_the_screen_below(world: World) -> None:
    task = world.task("Dune")
    async with on_stage(world, canvas(world)) as pilot:
        await burst(pilot, ["s", "i", "H"])
        assert world.status(task) == "TO_DO"
        assert len(world.rows("SELECT 1 FROM change WHERE message = 'MoveCard'")) == 2
        await burst(pilot, ["question_mark", "escape", "c"])
        assert world.status(task) == "COMPLETED"


@pytest.mark.parametrize("times", [1, 7])
async def test_held_keys_all_count(world: World, times: int) -> None:
    for number in range(10):
        world.task(f"Card {number}")
    async with on_stage(world, canvas(world)) as pilot:
        await burst(pilot, ["j"] * times)
        assert pilot.card.title == f"Card {times}"
        await press(pilot, "k")
        assert pilot.card.title == f"Card {times - 1}"


async def test_a_key_that_went_with_a_closed_dialog_holds_nothing_up(world: World) -> None:
    task = world.task("Dune")
    async with on_stage(world, canvas(world)) as pilot:
        await burst(pilot, ["n", "a", "escape", "escape", "c"])
        assert world.status(task) == "COMPLETED"


OPENING = ["full_stop", "question_mark", "g", *"aCDefImnNopPsVwW", "greater_than_sign", "exclamation_mark", "slash"]
"""Keys of the Canvas that open a dialog, a screen or a line to type in, or say why they do not."""


@pytest.mark.parametrize("opening", sweep(OPENING, lambda key: key in OPENING[:3] or key in "aCDnPW" or len(key) > 1))
async def test_what_a_key_opens_takes_the_escape_after_it_and_the_next_key_counts_once(
    world: World, opening: str
) -> None:
    task = world.task("Dune")
    async with on_stage(world, canvas(world)) as pilot:
        await burst(pilot, [opening, "escape", "L"])
        assert [type(screen) for screen in pilot.app.screen_stack] == [CanvasScreen]
        assert world.status(task) == "IN_PROGRESS"
        assert len(world.rows("SELECT 1 FROM change WHERE message = 'MoveCard'")) == 1


async def test_what_is_typed_while_a_form_is_saved_goes_to_the_screen_below(world: World) -> None:
    async with on_stage(world, canvas(world)) as pilot:
        await burst(pilot, ["n", *"one", "ctrl+s", "n", *"two", "ctrl+s", "n", *"three", "enter"])
        assert {row["title"] for row in world.rows("SELECT title FROM item")} == {"one", "two", "three"}


@pytest.mark.parametrize(
    "answer", [["y"], ["n", "escape", "escape"], ["escape", "escape", "escape"]], ids=["y", "n", "esc"]
)
async def test_one_form_is_open_after_a_question_and_a_burst(world: World, answer: list[str]) -> None:
    task = world.task("Dune")
    world.complete(task.id)
    async with on_stage(world, lambda: PhaseScreen(world.project.id, world.discover.id)) as pilot:
        await burst(pilot, ["e", "tab", "tab", "right", "tab", *"why", "ctrl+s", *answer, "e", *"edit"])
        forms = [screen for screen in pilot.app.screen_stack if isinstance(screen, FormDialog)]
        assert [type(screen) for screen in pilot.app.screen_stack] == [PhaseScreen, FormDialog]
        assert forms[0].query_one("LineControl", Input).value == "Discoveredit"
        gate = world.row("phase", id=world.discover.id)["gate"]
        assert gate == ("REVIEW" if answer == ["y"] else "AUTOMATIC")


@pytest.mark.parametrize("slow", [False, True], ids=["at once", "answered late"])
@pytest.mark.parametrize(("keys", "open_then"), [("eee", ConfirmDialog), ("yedit", FormDialog)])
async def test_a_question_that_a_key_leads_to_takes_the_keys_behind_it(
    world: World, keys: str, open_then: type[Screen[Any]], slow: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = world.task("Dune")
    world.complete(task.id)
    begun = world.task("Sand", phase=world.build)
    world.start(begun.id)
    async with on_stage(world, lambda: CanvasScreen(world.project.id, task.id)) as pilot:
        backend: Any = pilot.app.backend
        query = backend.query

        async def late(asked: Any) -> Any:
            await asyncio.sleep(0.1 if slow else 0)
            return await query(asked)

        monkeypatch.setattr(backend, "query", late)
        await burst(pilot, ["H", *keys])
        opened = [CanvasScreen, open_then]
        await waiting.until(lambda: [type(screen) for screen in pilot.app.screen_stack] == opened)
        await settled(pilot)
        assert [type(screen) for screen in pilot.app.screen_stack] == opened
        assert world.status(task) == ("IN_PROGRESS" if keys[0] == "y" else "COMPLETED")


@pytest.mark.parametrize("key", ["pageup", "pagedown"])
async def test_a_page_key_right_after_the_palette_opens_does_no_harm(world: World, key: str) -> None:
    async with on_stage(world, canvas(world), size=(100, 30)) as pilot:
        post_keys(pilot, "colon", key)
        await settled(pilot)
        assert "Find anything" in seen(pilot)
