"""A text to read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from tui.dialogs.dialog import Body, ScrollingDialog
from tui.drawing.cells import plain
from tui.drawing.theme import QUIET


class TextDialog(ScrollingDialog[None]):
    """Shows a text, which scrolls in a small terminal."""

    DEFAULT_CSS = """
    TextDialog Static { width: 1fr; height: auto; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "leave", show=False),
    ]

    def __init__(self, title: str, text: Content) -> None:
        super().__init__(title, "esc close")
        self._text = text

    def questions(self) -> ComposeResult:
        with Body():
            yield Static(self._text)


def section(heading: str, lines: Iterable[tuple[str, str]]) -> Content:
    """A heading, and under it a name and a description for each line."""
    parts = [Content.styled(heading, "bold $text-primary")]
    for name, said in lines:
        parts.append(Content.assemble("  ", plain(name)))
        if said:
            parts.append(Content.assemble("      ", (plain(said).plain, QUIET)))
    return Content("\n").join(parts)
