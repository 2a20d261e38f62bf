"""The work until a Canvas is shown: counts, which depend on no clock."""

from __future__ import annotations

from typing import Any

import pytest
from textual.css.stylesheet import Stylesheet
from textual.theme import Theme

from tests.support.app_driver import canvas, on_stage, screen_of, seen
from tests.support.workspace import World
from tui.screens.canvas.screen import CanvasScreen
from tui.widgets.filter_line import FilterLine

MOST_STYLED = 25
"""Nodes whose style is resolved until the Canvas is at rest."""


async def test_few_nodes_are_styled_and_one_theme_is_blended(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.task("Write the brief")
    styled, blended = [], []
    apply, blend = Stylesheet.apply, Theme.to_color_system

    def counted_apply(self: Stylesheet, node: Any, **options: Any) -> None:
        styled.append(node)
        apply(self, node, **options)

    def counted_blend(self: Theme) -> Any:
        blended.append(self.name)
        return blend(self)

    monkeypatch.setattr(Stylesheet, "apply", counted_apply)
    monkeypatch.setattr(Theme, "to_color_system", counted_blend)
    async with on_stage(world, canvas(world)) as pilot:
        assert "Write the brief" in seen(pilot)
        assert len(styled) <= MOST_STYLED, styled
        assert set(blended) == {"podium-dark"}


async def test_a_screen_gets_its_filter_line_with_the_first_slash(world: World) -> None:
    world.task("Write the brief")
    async with on_stage(world, canvas(world)) as pilot:
        screen = screen_of(pilot, CanvasScreen)
        assert not screen.query(FilterLine)
        screen.filter.clear()
        assert not screen.query(FilterLine)
        await pilot.press("slash", "b", "r")
        assert screen.query_one(FilterLine).text == "br"
        assert screen.filter.text == "br"
