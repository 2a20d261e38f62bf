"""Random walks through the program: what differs, sent alone, gives the same picture as all that Textual would send.

Two emulated terminals show the same program: one gets whole updates, the other only the cells that differ. Nothing else
compares the two ways, with every screen, dialog, size and theme.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pyte
import pytest
from pyte.screens import Char
from rich.color import ColorSystem
from textual._compositor import CompositorUpdate

from tests.support.app_driver import canvas, on_stage, press, settled
from tests.support.sweeps import sweep
from tests.support.workspace import World
from tui.app import PodiumApp
from tui.terminal.sent_cells import SentCells

STEPS = 30
SIZES = ((40, 12), (80, 24), (120, 40), (200, 60))
KEYS = tuple("jklhHLgGnNaDmwvVcCtTzZ?:/.\\]#&") + ("escape",) * 12 + ("enter", "tab", "down", "space", "ctrl+l")
WIDE = ("着陸ページを翻訳する必要があります", "Smile 😀 and go on")
"""Titles on whose widths the emulator agrees with Textual."""
ODD = ("👍🏽 only", "🇸🇪 flag", "❤️ heart", "👩‍💻 at work", "1️⃣ first")
"""Titles on whose widths the emulator disagrees with Textual, as many terminals do."""
COLOURS = {"textual-ansi": ColorSystem.STANDARD}


class Terminals:
    """A terminal that is sent everything, and one that is sent what differs."""

    def __init__(self, sent: SentCells) -> None:
        self.sent = sent
        self.resize((120, 40))

    def resize(self, size: tuple[int, int]) -> None:
        self.size = size
        self.screens = tuple(pyte.Screen(*size) for _ in range(2))
        self.streams = tuple(pyte.Stream(screen) for screen in self.screens)
        self.scribble()

    def scribble(self) -> None:
        """Fill the terminals with blinking cells, which no picture has, as another program that writes on them."""
        for stream in self.streams:
            stream.feed("\x1b[H\x1b[5m" + "\r\n".join(["?" * self.size[0]] * self.size[1]) + "\x1b[0m")

    def show(self, update: CompositorUpdate, app: PodiumApp) -> None:
        colours = COLOURS.get(app.theme, ColorSystem.TRUECOLOR)
        app.console._color_system = colours
        full, differing = self.streams
        full.feed(update.render_segments(app.console))
        differing.feed(self.sent.write(update, app.size, colours))

    def differences(self) -> list[str]:
        full, differing = self.screens
        return [
            f"{x}, {y}: {full.buffer[y][x]} {differing.buffer[y][x]}"
            for y in range(full.lines)
            for x in range(full.columns)
            if _look_of(full.buffer[y][x]) != _look_of(differing.buffer[y][x]) or differing.buffer[y][x].blink
        ]


def _look_of(cell: Char) -> Char:
    """The look of a cell, as a person sees it: on a blank neither a colour of the text nor its weight."""
    is_empty = cell.data == " " and not (cell.reverse or cell.underscore or cell.strikethrough)
    return cell._replace(fg="default", bold=False, italics=False) if is_empty else cell


def divert_updates(monkeypatch: pytest.MonkeyPatch, show: Callable[[PodiumApp, CompositorUpdate], None]) -> None:
    """Have the program show its updates here in place of a terminal."""

    def display(app: PodiumApp, screen: Any, update: object) -> None:
        if isinstance(update, CompositorUpdate) and not app._batch_count:
            show(app, update)

    monkeypatch.setattr(PodiumApp, "_display", display)


@pytest.mark.parametrize("seed", sweep(range(16), lambda seed: seed < 3))
async def test_what_differs_gives_the_same_picture_as_everything(
    world: World, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = Random(seed)
    for title in (*WIDE, *(f"Card {number}" for number in range(20))):
        world.task(title)

    shown: dict[PodiumApp, Terminals] = {}
    divert_updates(monkeypatch, lambda app, update: shown.setdefault(app, Terminals(app.sent)).show(update, app))
    async with on_stage(world, canvas(world)) as pilot:
        terminals = shown[pilot.app]
        for _ in range(STEPS):
            step = random.choice(["key"] * 12 + ["size", "theme"])
            if step == "size":
                size = random.choice([size for size in SIZES if size != terminals.size])
                terminals.resize(size)
                await pilot.resize_terminal(*size)
            elif step == "theme":
                pilot.app.show_theme(random.choice(sorted(pilot.app.available_themes)))
            else:
                step = random.choice(KEYS)
                if step == "ctrl+l":
                    terminals.scribble()
                await press(pilot, step)
            await settled(pilot)
            assert terminals.differences() == [], (seed, step)


@pytest.mark.parametrize("seed", sweep(range(12), lambda seed: seed < 2))
async def test_signs_of_unsure_width_leave_nothing_behind_in_the_cells_around_them(
    world: World, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A terminal that was sent the differences shows the same as one that is sent the whole screen."""
    random = Random(seed)
    for title in (*ODD, *(f"Card {number}" for number in range(6))):
        world.task(title)
    pictures: dict[PodiumApp, pyte.Screen] = {}

    def draw(app: PodiumApp, update: CompositorUpdate) -> None:
        picture = pictures.setdefault(app, pyte.Screen(*app.size))
        pyte.Stream(picture).feed(app.sent.write(update, app.size, ColorSystem.TRUECOLOR))

    divert_updates(monkeypatch, draw)
    async with on_stage(world, canvas(world)) as pilot:
        for _ in range(STEPS):
            step = random.choice(("j", "k", "j", "k", "l", "h", "colon", "n", "question_mark", "v", *["escape"] * 4))
            await press(pilot, step)
            whole = pyte.Screen(*pilot.app.size)
            update = pilot.app.screen._compositor.render_update(full=True)
            assert isinstance(update, CompositorUpdate)
            pyte.Stream(whole).feed(SentCells().write(update, pilot.app.size, ColorSystem.TRUECOLOR))
            assert pictures[pilot.app].display == whole.display, (seed, step)
