"""Marks end with the action that they were made for: other tests press a key on marked cards once."""

from __future__ import annotations

from tests.support.app_driver import canvas, on_stage, press, seen, told
from tests.support.workspace import World


async def test_marks_end_with_the_action_whose_message_names_the_cards(world: World) -> None:
    tasks = [world.task(title) for title in ("One", "Two", "Three")]
    async with on_stage(world, canvas(world, tasks[0].id)) as pilot:
        await press(pilot, "space", "space", "c")
        assert told(pilot) == "Changed “One” and “Two”. u to undo."
        assert [world.status(each) for each in tasks] == ["COMPLETED", "COMPLETED", "TO_DO"]
        assert "■" not in seen(pilot)
        assert not pilot.screen.selection().marked
        await press(pilot, "u")
        assert [world.status(each) for each in tasks] == ["TO_DO"] * 3


async def test_one_marked_card_is_named_too_and_others_are_counted(world: World) -> None:
    tasks = [world.task(f"Card {number}") for number in range(4)]
    async with on_stage(world, canvas(world, tasks[0].id)) as pilot:
        await press(pilot, "space", "j", "c")
        assert world.status(tasks[0]) == "COMPLETED"
        assert told(pilot) == "Changed “Card 0”. u to undo."
        await press(pilot, "V", "i")
        assert told(pilot) == "Changed “Card 1”, “Card 2” and 2 more. u to undo."
