"""Texts with Markdown on a page, each drawn once for a width, and only so many at once that keys are still heard."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence

from textual.content import Content
from textual.geometry import Size
from textual.strip import Strip
from textual.visual import Visual
from textual.widget import Widget

from core.record import Record
from core.text.markdown_budget import DRAWING, is_over, until
from tui.drawing.markdown.blocks import Link, read_document
from tui.drawing.markdown.lines import Line, markdown_lines
from tui.drawing.markdown.styles import line_content
from tui.widgets.bars import focus_moved
from tui.widgets.styled_widget import is_ascii

AHEAD = 40
"""Rows above the end that let it draw on when they come into view."""


class Passage(Record, kw_only=False):
    """A text, and the line above it, such as its author; without one, the text stands alone."""

    text: str
    head: Content = Content("")
    id: str = ""
    """By which the place of the reader is found again when others come before it."""


class Drawn(Record, kw_only=False):
    """The lines of a text, for a width and a set of symbols."""

    look: tuple[int, bool]
    lines: Sequence[Line]
    links: Sequence[Link]


def no_more(_: int) -> Content:
    """No line below."""
    return Content("")


class MarkdownText(Widget):
    """Draws passages with an empty line between them, as high as they need at its width.

    What takes longer than the budget is drawn when it comes into view; until then the line below counts it.
    """

    DEFAULT_CSS = """
    MarkdownText { width: 1fr; height: auto; color: $foreground; }
    """
    ALLOW_SELECT = False

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._passages: tuple[Passage, ...] = ()
        self._none = Content("")
        self._more: Callable[[int], Content] = no_more
        self._until = until(DRAWING)
        self._goes_on = self._has_drawn = False
        """Whether it will draw more after the next refresh, and whether it has drawn any since the last."""
        self._drawn: dict[str, Drawn] = {}
        self._rows: list[int] = []
        """The first row of each part."""
        self._parts: list[Content | Drawn] = []
        """Heads, texts, and the line below."""
        self._places: dict[str, int] = {}
        """The first row of each passage that is drawn, by its id."""
        self._height = 0

    def put(self, passages: Sequence[Passage], none: Content, more: Callable[[int], Content] = no_more) -> None:
        """Show passages, or ``none`` where none has a text.

        ``more`` makes the line below them, from the number of those that are not drawn yet. A reader who has scrolled
        to a passage stays there when others come before it.
        """
        shown = tuple(each for each in passages if each.text.strip() or each.head.plain)
        if (shown, none, more(0)) == (self._passages, self._none, self._more(0)):
            return
        at_top = self._passage_at_top()
        before = self._places.get(at_top, 0)
        self._passages, self._none, self._more = shown, none, more
        self._drawn = {each.text: self._drawn[each.text] for each in shown if each.text in self._drawn}
        self._go_on()
        self._draw(self.size.width)
        if moved := self._places.get(at_top, before) - before:
            self.call_after_refresh(self._scroller.scroll_relative, y=moved, animate=False, immediate=True)

    def put_text(self, text: str, none: Content) -> None:
        """Show one text, or ``none`` if it is empty."""
        self.put([Passage(text)], none)

    @property
    def links(self) -> Iterator[Link]:
        """The links of the passages that are drawn."""
        return (link for drawn in self._drawn.values() for link in drawn.links)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        self._draw(width)
        return self._height

    def render_line(self, y: int) -> Strip:
        width, number = self.size.width, bisect_right(self._rows, y) - 1
        part = self._parts[number] if number >= 0 else Content("")
        row = y - self._rows[number] if number >= 0 else 0
        is_old = isinstance(part, Drawn) and part.look != (width, is_ascii(self))
        if (is_old or (y >= self._height - AHEAD and len(self._places) < len(self._passages))) and not self._goes_on:
            self._goes_on = self.call_after_refresh(self._go_on)
        if isinstance(part, Drawn):
            part, row = line_content(part.lines[row]) if row < len(part.lines) else Content(""), 0
        strips = Visual.to_strips(self, part, width, None, self.visual_style)
        return strips[row] if row < len(strips) else Strip.blank(width, self.visual_style.rich_style)

    def _go_on(self) -> None:
        self._goes_on = self._has_drawn = False
        self._until = until(DRAWING)
        self.refresh(layout=True)

    def _draw(self, width: int) -> None:
        """Make the lines of the passages for a width until the time is used up, one at least after each refresh.

        A text that has only those of another width keeps them meanwhile, so that no place jumps.
        """
        look = (width, is_ascii(self))
        for each in self._passages if width else ():
            drawn = self._drawn.get(each.text)
            if drawn is None or drawn.look != look:
                if self._has_drawn and is_over(self._until):
                    break
                self._has_drawn = True
                lines = markdown_lines(each.text, *look)
                self._drawn[each.text] = Drawn(look, lines, read_document(each.text).links)
                if self._drawn[each.text].links and drawn is None:
                    self.call_after_refresh(focus_moved, self)  # a key opens them
        self._arrange(max(1, width))

    def _arrange(self, width: int) -> None:
        """Give each part its rows."""
        self._rows, self._parts, self._places, self._height = [], [], {}, 0
        for number, each in enumerate(self._passages):
            if each.text in self._drawn:
                self._height += bool(self._parts)  # the empty line
                self._places[each.id or str(number)] = self._height
                self._add(each.head, width)
                self._add(self._drawn[each.text], width)
        below = self._more(len(self._passages) - len(self._places)) if self._passages else self._none
        self._height += bool(self._parts and below.plain)
        self._add(below, width)
        self._height = max(1, self._height)

    def _add(self, part: Content | Drawn, width: int) -> None:
        words = part.lines if isinstance(part, Drawn) else part.plain
        if words:
            self._rows.append(self._height)
            self._parts.append(part)
            self._height += len(words) if isinstance(part, Drawn) else part.get_height({}, width)

    @property
    def _scroller(self) -> Widget:
        """The pane or the page that scrolls."""
        around = [each for each in self.ancestors if isinstance(each, Widget)]
        return next((each for each in around if each.max_scroll_y), around[0])

    def _passage_at_top(self) -> str:
        """The id of the passage at the top of the view; "" while that is above all of them."""
        top = self._scroller.region.y - self.region.y if self._places else 0
        return [*self._places][bisect_right([*self._places.values()], top) - 1] if top > 0 else ""
