"""The bare Textual program that dialogs and screens are ratios to. Its keys are in OPENS; ``q`` closes what they open.

The first screen is one widget that draws 40 lines.
"""

from __future__ import annotations

from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen, Screen
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input

OPENS = {"drawn modal": "m", "Input and list": "i", "drawn screen": "s"}

STYLES = tuple(map(Style.parse, ("bold", "none", "none", "none")))
"""Those of four cells of a line."""


class Drawing(Widget):
    """A widget that draws its lines itself, with words of its own."""

    def __init__(self, words: str) -> None:
        super().__init__()
        self._words = words

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        words = [f"{self._words} {y} {number}".ljust(width // len(STYLES)) for number in range(len(STYLES))]
        segments = [Segment(text, style) for text, style in zip(words, STYLES, strict=True)]
        return Strip(segments).adjust_cell_length(width, self.rich_style)


CLOSING: list[BindingType] = [("q,escape", "app.pop_screen", "Close")]
"""Esc is for where an Input takes the letter."""


class DrawnModal(ModalScreen[None]):
    BINDINGS = CLOSING
    CSS = "DrawnModal { align: center middle; } DrawnModal Drawing { width: 72; height: 22; }"

    def compose(self) -> ComposeResult:
        yield Drawing("modal")


class InputAndList(ModalScreen[None]):
    BINDINGS = CLOSING
    CSS = """
    InputAndList { align: center middle; }
    InputAndList Vertical { width: 72; height: 22; }
    InputAndList Drawing { height: 1fr; }
    """

    def compose(self) -> ComposeResult:
        with Vertical():
            box = Input()
            box.cursor_blink = False
            yield box
            yield Drawing("line")


class DrawnScreen(Screen[None]):
    BINDINGS = CLOSING

    def compose(self) -> ComposeResult:
        yield Drawing("other")


class Bare(App[None]):
    BINDINGS: ClassVar = [(key, f"open('{name}')", name) for name, key in OPENS.items()]

    def compose(self) -> ComposeResult:
        yield Drawing("first")

    def action_open(self, name: str) -> None:
        kinds = {"drawn modal": DrawnModal, "Input and list": InputAndList, "drawn screen": DrawnScreen}
        self.push_screen(kinds[name]())


if __name__ == "__main__":
    Bare().run()
