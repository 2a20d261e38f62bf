"""A card with very many comments: read and drawn in parts, the newest first, and nobody's place moves."""

from __future__ import annotations

import re

import pytest
from textual.pilot import Pilot

from core.actions.cards.comments import FIRST_PART, PART, AddComment
from core.actions.cards.details import GetCard
from core.domain.model import Item
from tests.support.app_driver import on_stage, press, seen
from tests.support.workspace import World
from tui.drawing.markdown import blocks
from tui.drawing.markdown.blocks import AS_PLAIN_TEXT
from tui.drawing.markdown.lines import markdown_lines
from tui.screens.cards.card import CardScreen
from tui.widgets import markdown_text
from tui.widgets.markdown_text import MarkdownText

MANY = 30
LONG = "**plain** words and `signs`, one after another. " * 90


def commented(world: World, times: int, text: str = "") -> Item:
    task = world.task("Write the brief")
    for number in range(1, times + 1):
        world.do(AddComment(item_id=task.id, text=f"Comment {number}. {text}".strip()))
    return task


def comments_in_view(pilot: Pilot[int]) -> list[int]:
    return [int(number) for number in re.findall(r"Comment (\d+)\.", seen(pilot))]


async def test_a_card_with_many_comments_draws_a_few_and_counts_the_others(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    task, drawn = commented(world, MANY, LONG), list[int]()

    def count_lines(text: str, width: int, ascii_only: bool) -> object:
        lines = markdown_lines(text, width, ascii_only)
        drawn.append(len(lines))
        return lines

    monkeypatch.setattr(markdown_text, "markdown_lines", count_lines)
    monkeypatch.setattr(markdown_text, "is_over", lambda _: True)  # as on a machine that is very slow
    async with on_stage(world, lambda: CardScreen(world.project.id, task.id)) as pilot:
        assert f" {MANY}" in seen(pilot)
        assert "Comment 30." in seen(pilot)
        first = len(drawn)
        assert first <= 3  # the description, and a comment for each width
        comments = pilot.app.screen.query_one("#comments", MarkdownText)
        await press(pilot, "tab")
        for _ in range(9):
            await press(pilot, "pagedown")
        assert first < len(drawn) < FIRST_PART  # what came into view
        assert comments.size.height < sum(drawn) + 3 * len(drawn)


async def test_the_older_comments_are_shown_in_parts_by_a_key(world: World) -> None:
    task = commented(world, FIRST_PART + PART + 5)
    async with on_stage(world, lambda: CardScreen(world.project.id, task.id), size=(120, 72)) as pilot:

        def shown() -> list[str]:
            assert isinstance(pilot.app.screen, CardScreen)
            assert pilot.app.screen.detail
            return [each.text.split(" ")[-1] for each in pilot.app.screen.detail.comments]

        assert comments_in_view(pilot) == [*range(125, 105, -1)]
        assert "… 105 older comments · A shows 100 more" in seen(pilot)
        await press(pilot, "A")
        world.do(AddComment(item_id=task.id, text="Meanwhile"), as_=world.bob)
        await press(pilot, "R")
        assert shown() == [*(f"{number}." for number in range(6, 126)), "Meanwhile"]  # what was read stays
        await press(pilot, "A")
        assert len(shown()) == 126
        await press(pilot, "A")
        assert "All comments of this card are shown." in seen(pilot)


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_a_reader_stays_at_their_line_when_another_comments(world: World, size: tuple[int, int]) -> None:
    task = commented(world, 30)
    async with on_stage(world, lambda: CardScreen(world.project.id, task.id), size=size) as pilot:
        await press(pilot, "A", *(("tab",) if size[0] > 100 else ()), *["pagedown"] * 4)
        before = comments_in_view(pilot)
        world.do(AddComment(item_id=task.id, text="Meanwhile\nand more"), as_=world.bob)
        await press(pilot, "R")
        assert comments_in_view(pilot) == before != []
        assert len(world.ask(GetCard(item_id=task.id)).comments) == FIRST_PART


async def test_a_text_that_takes_too_long_is_shown_plain_and_a_line_says_so(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks, "READING", 0)
    task = world.task("Write the brief", description="A *slow* text of today")
    async with on_stage(world, lambda: CardScreen(world.project.id, task.id)) as pilot:
        assert "A *slow* text of today" in seen(pilot)
        assert AS_PLAIN_TEXT.format("it takes too long to read") in seen(pilot)
