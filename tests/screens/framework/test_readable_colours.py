"""Every text can be read on its ground: the painted cells of all screens, in the themes that name their own colours."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from rich.color import ColorType
from textual.color import Color
from textual.theme import BUILTIN_THEMES

from tests.support.app_driver import PodiumPilot, on_stage, press, settled
from tests.support.screen_cases import furnish
from tests.support.workspace import World
from tui.drawing.styles import READABLE, contrast
from tui.drawing.theme import DARK, LIGHT

THEMES = sorted({DARK.name, LIGHT.name, *BUILTIN_THEMES} - {"ansi-dark", "ansi-light", "textual-ansi"})
OWN = (DARK.name, LIGHT.name)
OPENING = ("question_mark", "colon", "g", "full_stop", "n", "D")
"""The keys that open a dialog or the help on most screens."""


def unreadable(pilot: PodiumPilot) -> Iterator[str]:
    """The painted texts with too little contrast, each with its colours."""
    for strip in pilot.app.screen._compositor.render_strips():
        for segment in strip:
            style = segment.style
            if style is None or style.color is None or style.bgcolor is None:
                continue
            has_words = any(map(str.isalnum, segment.text))
            if not has_words or {style.color.type, style.bgcolor.type} != {ColorType.TRUECOLOR}:
                continue
            text, ground = (Color.from_rich_color(each) for each in (style.color, style.bgcolor))
            if style.reverse:
                text, ground = ground, text
            if (found := contrast(text, ground)) < READABLE - 0.05:
                yield f"{segment.text.strip()[:30]!r} {text.hex} on {ground.hex}: {found:.1f}"


async def find_unreadable(pilot: PodiumPilot, where: str, themes: tuple[str, ...]) -> list[str]:
    found = []
    for theme in themes:
        pilot.app.show_theme(theme)
        await settled(pilot)
        found += [f"{theme}, {where}: {each}" for each in dict.fromkeys(unreadable(pilot))]
    return found


@pytest.mark.parametrize("size", [(120, 40), (80, 24)])
async def test_every_text_of_every_screen_can_be_read_in_the_themes_of_podium(
    world: World, size: tuple[int, int]
) -> None:
    found = []
    for room in furnish(world):
        async with on_stage(world, room.screen, size=size) as pilot:
            found += await find_unreadable(pilot, room.name, OWN)
    assert found == []


async def test_every_text_of_dialogs_can_be_read_in_the_themes_of_podium(world: World) -> None:
    found = []
    (room,) = [each for each in furnish(world) if each.name == "canvas on a task"]
    for key in OPENING:
        async with on_stage(world, room.screen) as pilot:
            await press(pilot, key)
            found += await find_unreadable(pilot, key, OWN)
    assert found == []


async def test_the_texts_of_the_canvas_can_be_read_in_every_theme(world: World) -> None:
    (room,) = [each for each in furnish(world) if each.name == "canvas on a task"]
    async with on_stage(world, room.screen) as pilot:
        assert await find_unreadable(pilot, room.name, tuple(THEMES)) == []


@pytest.mark.sweep
@pytest.mark.parametrize("theme", [each for each in THEMES if each not in OWN])
async def test_every_text_of_every_screen_can_be_read_in_every_theme(world: World, theme: str) -> None:
    found = []
    for room in furnish(world):
        async with on_stage(world, room.screen) as pilot:
            found += await find_unreadable(pilot, room.name, (theme,))
    assert found == []
