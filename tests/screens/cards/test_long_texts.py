"""Long texts in the whole window, and check boxes that are ticked with a key."""

from __future__ import annotations

from core.actions.cards.tasks import EditTask
from core.actions.workflow.phases import EditPhase
from core.domain.model import Item
from tests.support.app_driver import Text, canvas, on_stage, press, seen
from tests.support.workspace import World
from tui.launch.editor import NO_SHELL
from tui.screens.cards.card import CardScreen
from tui.screens.framework.long_texts import NO_BOXES
from tui.screens.phases.phase import PhaseScreen


def card(world: World, item: Item) -> CardScreen:
    return CardScreen(world.project.id, item.id)


def description(world: World, item: Item) -> str:
    return str(world.row("item", id=item.id)["description"])


async def test_capital_e_edits_the_description_in_the_whole_window_where_no_editor_may_run(world: World) -> None:
    task = world.task("Brief", description="Old words")
    async with on_stage(world, lambda: card(world, task)) as pilot:
        await press(pilot, "E")
        assert NO_SHELL in seen(pilot)
        assert pilot.app.screen.query_one("LinesControl").size.height > 30
        await press(pilot, "end", Text("!"), "ctrl+s")
        assert description(world, task) == "Old words!"
        assert "Old words!" in seen(pilot)
        await press(pilot, "u")
        assert description(world, task) == "Old words"


async def test_the_same_key_works_on_the_canvas_and_esc_loses_nothing_by_itself(world: World) -> None:
    task = world.task("Brief", description="Old words")
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "E", Text("New "), "escape")
        assert "Not saved. Press Esc again to discard your changes." in seen(pilot)
        await press(pilot, "ctrl+s")
        assert description(world, task) == "New Old words"


async def test_a_change_of_another_meanwhile_is_a_conflict(world: World) -> None:
    task = world.task("Brief", description="Old words")
    async with on_stage(world, lambda: card(world, task)) as pilot:
        await press(pilot, "E", Text("Mine: "))
        world.do(EditTask(task_id=task.id, description="Theirs"), as_=world.bob)
        await press(pilot, "ctrl+s")
        assert "This changed while you were editing" in seen(pilot)
        await press(pilot, "e")
        assert "theirs now: Theirs" in seen(pilot)
        await press(pilot, "ctrl+s")
        assert description(world, task) == "Mine: Old words"


async def test_in_a_form_the_chord_makes_the_text_larger_and_smaller(world: World) -> None:
    task = world.task("Brief", description="Old words")
    async with on_stage(world, lambda: card(world, task)) as pilot:
        await press(pilot, "e", "tab")
        assert "ctrl+g larger" in seen(pilot)
        small = pilot.app.screen.query_one("LinesControl").size.height
        await press(pilot, "ctrl+g")
        assert pilot.app.screen.query_one("LinesControl").size.height > small + 20
        assert "ctrl+g smaller" in seen(pilot)
        await press(pilot, Text("New "), "escape")
        assert pilot.app.screen.query_one("LinesControl").size.height == small
        await press(pilot, "ctrl+g", "shift+tab")
        assert pilot.app.screen.query_one("LinesControl").size.height == small
        await press(pilot, Text("!"), "ctrl+s")
        row = world.row("item", id=task.id)
        assert (row["title"], row["description"]) == ("Brief!", "New Old words")


async def test_a_phase_asks_which_of_its_texts_is_meant(world: World) -> None:
    async with on_stage(world, lambda: PhaseScreen(world.project.id, world.discover.id)) as pilot:
        await press(pilot, "E")
        assert "Outcomes" in seen(pilot)
        await press(pilot, "2", Text("A plan"), "ctrl+s")
        row = world.row("phase", id=world.discover.id)
        assert (row["objectives"], row["outcomes"]) == ("", "A plan")


async def test_the_only_check_box_is_ticked_at_once_and_undone(world: World) -> None:
    task = world.task("Brief", description="Before:\n- [ ] call *Ada*")
    async with on_stage(world, lambda: card(world, task)) as pilot:
        assert "□ call Ada" in seen(pilot)
        await press(pilot, "B")
        assert description(world, task) == "Before:\n- [x] call *Ada*"
        assert "■ call Ada" in seen(pilot)
        await press(pilot, "u")
        assert description(world, task) == "Before:\n- [ ] call *Ada*"


async def test_several_check_boxes_are_ticked_in_a_list_as_one_step(world: World) -> None:
    task = world.task("Brief", description="- [ ] one\n- [x] two\n- [ ] three")
    async with on_stage(world, lambda: card(world, task)) as pilot:
        await press(pilot, "B", "enter")
        assert description(world, task) == "- [ ] one\n- [x] two\n- [ ] three"
        await press(pilot, "B", "space", "up", "space", "enter")
        assert description(world, task) == "- [x] one\n- [ ] two\n- [ ] three"
        await press(pilot, "u")
        assert description(world, task) == "- [ ] one\n- [x] two\n- [ ] three"


async def test_the_check_boxes_of_both_texts_of_a_phase_are_one_step(world: World) -> None:
    phase = world.discover
    world.do(EditPhase(phase_id=phase.id, objectives="- [ ] find", outcomes="1. [ ] plan"))
    async with on_stage(world, lambda: PhaseScreen(world.project.id, phase.id)) as pilot:
        await press(pilot, "B", "space", "down", "space", "enter")
        row = world.row("phase", id=phase.id)
        assert (row["objectives"], row["outcomes"]) == ("- [x] find", "1. [x] plan")
        assert "■ find" in seen(pilot)


async def test_without_check_boxes_the_key_says_how_to_write_one(world: World) -> None:
    async with on_stage(world, lambda: card(world, world.task("Brief"))) as pilot:
        await press(pilot, "B")
        assert NO_BOXES in seen(pilot)
