"""Typing draws the line that is typed into, and does not lay the screen out again at each letter."""

from __future__ import annotations

from typing import Any

import pytest
from textual.screen import Screen

from tests.support.app_driver import canvas, on_stage, press, seen
from tests.support.workspace import World


@pytest.fixture
def layouts(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The screens that are laid out, in order."""
    laid_out: list[str] = []
    lay_out = Screen._refresh_layout

    def noted(screen: Screen[object], *arguments: Any, **options: Any) -> None:
        laid_out.append(type(screen).__name__)
        lay_out(screen, *arguments, **options)

    monkeypatch.setattr(Screen, "_refresh_layout", noted)
    return laid_out


async def test_letters_in_the_form_of_a_new_card_lay_nothing_out(world: World, layouts: list[str]) -> None:
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "n", *"quay")
        layouts.clear()
        await press(pilot, "s", "i")
        assert layouts == []
        assert "quaysi" in seen(pilot)


async def test_a_text_longer_than_its_line_scrolls_to_its_end_and_back(world: World) -> None:
    async with on_stage(world, canvas(world), size=(60, 20)) as pilot:
        await press(pilot, "n", *"abcdefghij" * 6, "z")
        assert "fghijz" in seen(pilot)
        assert "abcdefghijabc" in seen(pilot)
        await press(pilot, "home")
        assert "fghijz" not in seen(pilot)
        await press(pilot, "end", "backspace", "backspace")
        assert "fghi " in seen(pilot)
