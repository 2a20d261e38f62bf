"""Texts with Markdown on a page, each drawn once for a width."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget

from core.record import Record
from tui.drawing.markdown.styles import markdown_content
from tui.widgets.styled_widget import is_ascii


class Passage(Record, kw_only=False):
    """A text, and the line above it, such as its author; without one, the text stands alone."""

    text: str
    head: Content = Content("")


class MarkdownText(Widget):
    """Draws passages with an empty line between them, as high as they need at its width."""

    DEFAULT_CSS = """
    MarkdownText { width: 1fr; height: auto; color: $foreground; }
    """
    ALLOW_SELECT = False

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._passages: tuple[Passage, ...] = ()
        self._none = Content("")

    def put(self, passages: Sequence[Passage], none: Content) -> None:
        """Show passages, or ``none`` where none has a text."""
        shown = tuple(each for each in passages if each.text.strip() or each.head.plain)
        if (shown, none) != (self._passages, self._none):
            self._passages, self._none = shown, none
            self.refresh(layout=True)

    def put_text(self, text: str, none: Content) -> None:
        """Show one text, or ``none`` if it is empty."""
        self.put([Passage(text)], none)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return self._drawn(width).plain.count("\n") + 1

    def render(self) -> Content:
        return self._drawn(self.size.width)

    def _drawn(self, width: int) -> Content:
        if not self._passages:
            return self._none
        return Content("\n\n").join(self._passage(each, width) for each in self._passages)

    def _passage(self, passage: Passage, width: int) -> Content:
        text = markdown_content(passage.text, width, is_ascii(self))
        return Content.assemble(passage.head, "\n", text) if passage.head.plain and text.plain else passage.head + text
