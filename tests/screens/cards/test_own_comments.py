"""One's own comments on the page of a card: other tests write and read comments, none changes one on a screen."""

from __future__ import annotations

from collections.abc import Callable

from core.actions.cards.comments import AddComment
from core.domain.model import Item
from tests.support.app_driver import Text, on_stage, press, seen, settled, shows
from tests.support.workspace import World
from tui.keys.table import BY_ID
from tui.screens.cards.card import CardScreen


def page(world: World, item: Item) -> Callable[[], CardScreen]:
    return lambda: CardScreen(world.project.id, item.id)


def texts(world: World) -> list[str]:
    return [row["text"] for row in world.rows("SELECT text FROM comment ORDER BY at, id")]


async def test_a_comment_of_mine_is_edited_marked_and_deleted_and_undo_brings_it_back(world: World) -> None:
    task = world.task("Brief")
    world.do(AddComment(item_id=task.id, text="Of Bob"), as_=world.bob)
    world.do(AddComment(item_id=task.id, text="Nearly there"))
    async with on_stage(world, page(world, task)) as pilot:
        await pilot.screen.keys.run(BY_ID["card.edit_comment"])
        await settled(pilot)
        await press(pilot, "ctrl+end", Text(" and back"), "ctrl+s")
        assert await shows(pilot, "Nearly there and back")
        assert "· edited" in seen(pilot)
        await pilot.screen.keys.run(BY_ID["card.delete_comment"])
        assert await shows(pilot, "The comment is deleted. u to undo.")
        assert texts(world) == ["Of Bob"]
        await press(pilot, "u")
        assert texts(world) == ["Of Bob", "Nearly there and back"]


async def test_of_several_one_is_chosen_and_without_one_it_says_so(world: World) -> None:
    task = world.task("Brief")
    for text in ("First", "Second"):
        world.do(AddComment(item_id=task.id, text=text))
    async with on_stage(world, page(world, task)) as pilot:
        await pilot.screen.keys.run(BY_ID["card.delete_comment"])
        await settled(pilot)
        assert seen(pilot).index("Second") < seen(pilot).rindex("First")
        await press(pilot, "down", "enter")
        assert texts(world) == ["Second"]
    async with on_stage(world, page(world, task), world.bob) as pilot:
        await pilot.screen.keys.run(BY_ID["card.edit_comment"])
        assert await shows(pilot, "There is no comment of yours on this card.")
        assert texts(world) == ["Second"]
