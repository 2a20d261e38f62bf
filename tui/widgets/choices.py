"""A few large choices, each with a key of its own, for a page that has nothing else to show yet."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Offset
from textual.message import Message
from textual.widget import Widget

from core.record import Record
from tui.widgets.bars import OwnKey
from tui.widgets.styled_widget import pointer

WIDEST = 66
"""Cells of a line; the lines stand in the middle of a wider page."""
KEY_CELLS = 5
"""Cells before a title: the cursor, the key, and the gap after it."""


class Choice(Record, kw_only=False):
    """One choice."""

    key: str
    title: str
    words: str
    """A sentence about the result."""


class Choices(Widget, can_focus=True):
    """Draws the choices below a heading, as generously as the page is high. Enter or a click takes one.

    The keys of the choices themselves are keys of the screen.
    """

    DEFAULT_CSS = """
    Choices { height: 1fr; width: 1fr; color: $foreground; }
    """
    ALLOW_SELECT = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down,tab", "step(1)", show=False),
        Binding("k,up,shift+tab", "step(-1)", show=False),
        Binding("enter,space", "choose", show=False),
    ]

    class Chosen(Message):
        """A choice was taken; ``index`` is its number from 0."""

        def __init__(self, index: int) -> None:
            super().__init__()
            self.index = index

    def __init__(
        self,
        heading: str,
        question: str,
        choices: Sequence[Choice],
        note: str,
        own_keys: tuple[OwnKey, ...],
        *,
        id: str | None = None,
    ) -> None:
        super().__init__(id=id)
        self.own_keys = own_keys
        """Its keys, for the key line."""
        self._heading = heading
        self._question = question
        self._choices = tuple(choices)
        self._note = note
        self._cursor = 0
        self._drawn: list[tuple[Content, int | None]] = []
        """Each line with the number of its choice."""

    def action_step(self, steps: int) -> None:
        self._cursor = (self._cursor + steps) % len(self._choices)
        self.refresh()

    def action_choose(self) -> None:
        self.post_message(self.Chosen(self._cursor))

    def on_click(self, event: events.Click) -> None:
        taken = self._drawn[event.y][1] if event.y < len(self._drawn) else None
        if taken is not None:
            self._cursor = taken
            self.refresh()
            self.action_choose()

    @property
    def cursor_screen_offset(self) -> Offset:
        """The cell of the terminal where the line of the choice begins."""
        line = next((y for y, (_, number) in enumerate(self._drawn) if number == self._cursor), 0)
        return self.region.offset + Offset(0, line)

    def render(self) -> Content:
        width = max(12, min(WIDEST, self.size.width - 4))
        left = max(2, (self.size.width - WIDEST) // 2)
        forms = (self._lines(width, words=words, gaps=gaps) for words, gaps in ((True, True), (True, False)))
        lines = next((each for each in forms if len(each) <= self.size.height), None)
        lines = lines or self._lines(width, words=False, gaps=False)
        above = max(0, (self.size.height - len(lines)) // 3)
        blank: tuple[Content, int | None] = (Content(""), None)
        self._drawn = [blank] * above + [(Content(" " * left) + line, number) for line, number in lines]
        return Content("\n").join(line for line, _ in self._drawn[: self.size.height])

    def _lines(self, width: int, *, words: bool, gaps: bool) -> list[tuple[Content, int | None]]:
        blank: list[tuple[Content, int | None]] = [(Content(""), None)] if gaps else []
        lines: list[tuple[Content, int | None]] = [(Content.styled(self._heading, "bold"), None)]
        lines += [(Content(line), None) for line in wrap(self._question, width)] + blank
        for number, choice in enumerate(self._choices):
            here = number == self._cursor and self.has_focus
            lead = pointer(self) if here else "  "
            title = (choice.title, "bold $foreground on $primary 28%" if here else "bold")
            lines.append((Content.assemble(lead, (choice.key, "bold $accent"), "  ", title), number))
            for line in wrap(choice.words, width - KEY_CELLS) if words else ():
                lines.append((Content.styled(" " * KEY_CELLS + line, "$text-muted"), number))
            lines += blank
        if words:
            lines += [(Content.styled(line, "$text-muted"), None) for line in wrap(self._note, width)]
        return lines
