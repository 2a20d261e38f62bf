"""One dialog on an app of its own: keys go in, a value comes out, and what is on the screen meanwhile."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import Any

from textual.pilot import Pilot
from textual.screen import ModalScreen

from tui.drawing.cells import SafeText
from tui.drawing.theme import DARK
from tui.terminal.terminal_app import TerminalApp

HOSTILE = "[red]A[/] [@click=app.bell]b[/ \x1b[31mc\u202e"
HOSTILE_SHOWN = "[red]A[/] [@click=app.bell]b[/ \ufffd[31mc\ufffd"
NOTHING_YET = object()


class Bench(TerminalApp[None]):
    """An app that opens one dialog and keeps what it was dismissed with."""

    def __init__(self, dialog: ModalScreen[Any]) -> None:
        super().__init__()
        self.register_theme(DARK)
        self.theme = DARK.name
        self.dialog = dialog
        self.answer: object = NOTHING_YET

    def on_mount(self) -> None:
        self.push_screen(self.dialog, self._keep)

    def _keep(self, answer: object) -> None:
        self.answer = answer

    def get_line_filters(self) -> Any:
        return [*super().get_line_filters(), SafeText()]


@asynccontextmanager
async def opened(dialog: ModalScreen[Any], size: tuple[int, int] = (80, 24)) -> Any:
    app = Bench(dialog)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        yield pilot


def seen(pilot: Pilot[None]) -> str:
    """The text on the screen."""
    strips = pilot.app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in strip) for strip in strips)


async def press(pilot: Pilot[None], *keys: str) -> None:
    await pilot.press(*keys)
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()


PEOPLE = (("ann", "Ann Lee"), ("bob", "Bob Okafor"), ("mal", HOSTILE))


async def give_back(values: dict[str, Any]) -> object:
    return values
