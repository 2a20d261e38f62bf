"""The menu of places in groups, each chosen by a letter of its name: beside each other where there is room."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.app import ComposeResult
from textual.geometry import Offset, Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from core.record import Record
from tui.dialogs.dialog import Dialog
from tui.drawing.cells import fit

TOP = "g"
"""The answer for the top of the screen."""

COLUMN = 22
"""Cells of a column beside others, at least."""


class PlaceEntry(Record, kw_only=False):
    """A place of the menu. One with a ``reason`` is disabled, and shows it when chosen."""

    letter: str
    name: str
    group: str
    reason: str = ""


class Places(Widget, can_focus=False):
    """The places in columns, one for each group. In a narrow terminal the columns have no titles, and names are cut."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"places--{part}" for part in ("name", "dim", "letter", "group", "cursor")}
    DEFAULT_CSS = """
    Places {
        height: auto;
        .places--name { color: $foreground; }
        .places--dim { color: $text-muted; }
        .places--letter { color: $text-primary; text-style: bold; }
        .places--group { color: $foreground; text-style: bold; }
        .places--cursor { background: $primary 28%; }
    }
    """
    ALLOW_SELECT = False

    class Picked(Message):
        """A place was clicked."""

    def __init__(self, entries: Sequence[PlaceEntry]) -> None:
        super().__init__(id="places")
        self._entries = tuple(entries)
        self.cursor = 0

    @property
    def entry(self) -> PlaceEntry:
        """The place of the cursor."""
        return self._entries[self.cursor]

    def _columns(self, width: int) -> list[list[PlaceEntry | str]]:
        """The entries of each group, under its name where there is room."""
        groups = list(dict.fromkeys(entry.group for entry in self._entries))
        heads = [[group] if width >= COLUMN * len(groups) else [] for group in groups]
        return [
            [*head, *(each for each in self._entries if each.group == group)]
            for group, head in zip(groups, heads, strict=True)
        ]

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return max(map(len, self._columns(width)))

    def move(self, x: int, y: int) -> None:
        """Move the cursor by columns and lines, over the names of groups."""
        columns = [[each for each in column if not isinstance(each, str)] for column in self._columns(self.size.width)]
        column = next(number for number, each in enumerate(columns) if self.entry in each)
        line = columns[column].index(self.entry)
        column = max(0, min(column + x, len(columns) - 1))
        line = max(0, min(line + y, len(columns[column]) - 1))
        self.go_to(columns[column][line])

    def go_to(self, entry: PlaceEntry) -> None:
        """Put the cursor on a place."""
        self.cursor = self._entries.index(entry)
        self.refresh()

    @property
    def cursor_screen_offset(self) -> Offset:
        """The cell of the terminal where the place of the cursor begins."""
        columns = self._columns(self.size.width)
        number, column = next((number, each) for number, each in enumerate(columns) if self.entry in each)
        return self.region.offset + Offset(number * (self.size.width // len(columns)), column.index(self.entry))

    def on_click(self, event: events.Click) -> None:
        columns = self._columns(self.size.width)
        column = columns[min(event.x // max(1, self.size.width // len(columns)), len(columns) - 1)]
        entry = column[event.y] if event.y < len(column) else ""
        if not isinstance(entry, str):
            self.go_to(entry)
            self.post_message(self.Picked())

    def render_line(self, y: int) -> Strip:
        columns = self._columns(self.size.width)
        each = self.size.width // len(columns)
        segments = [part for column in columns for part in self._cell(column[y] if y < len(column) else "", each)]
        return Strip(segments).adjust_cell_length(self.size.width, self.rich_style)

    def _cell(self, entry: PlaceEntry | str, width: int) -> list[Segment]:
        """One place in ``width`` cells, or the name of a group."""
        plain = self.rich_style
        if isinstance(entry, str):
            return [Segment(fit(f"  {entry}", width, pad=True), plain + self._style("group"))]
        under = self.get_component_rich_style("places--cursor") if entry is self.entry else plain
        gap = " " if width >= COLUMN else ""
        before = f"{'>' if entry is self.entry else ' '}{gap}{entry.letter} {gap}"
        name = fit(entry.name, width - len(before) - len(gap), pad=True)
        letter, role = (self._style("dim" if entry.reason else each) for each in ("letter", "name"))
        return [Segment(before, under + letter), Segment(name, under + role), Segment(gap, plain)]

    def _style(self, name: str) -> Style:
        style = self.get_component_rich_style(f"places--{name}")
        return Style(color=style.color, bold=style.bold)


class GoMenu(Dialog[str | None]):
    """Asks where to go. Dismissed with the letter of a place, or None."""

    DEFAULT_CSS = """
    GoMenu {
        align: center bottom;
        #panel { width: 76; padding: 0 1; }
        #message { margin: 0; }
    }
    """

    def __init__(self, entries: Sequence[PlaceEntry], *, has_top: bool = False) -> None:
        """``has_top``: ``g`` again is an answer too, for the top of the screen below."""
        super().__init__("Go to", "g top · esc close" if has_top else "esc close")
        self._entries = tuple(entries)
        self._has_top = has_top

    def questions(self) -> ComposeResult:
        yield Places(self._entries)

    @property
    def cursor_screen_offset(self) -> Offset:
        """The cell of the terminal where the place of the cursor begins."""
        return self.query_one(Places).cursor_screen_offset

    def on_key(self, event: events.Key) -> None:
        """Choose the place with this letter; arrows move, and enter chooses that of the cursor."""
        places = self.query_one(Places)
        steps = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
        entry = next((each for each in self._entries if each.letter == event.character), None)
        if event.key in steps:
            places.move(*steps[event.key])
        elif entry is not None:
            places.go_to(entry)
            self._choose()
        elif event.key == "enter":
            self._choose()
        elif event.key == TOP and self._has_top:
            self.dismiss(TOP)
        else:
            return
        event.stop()
        event.prevent_default()

    def on_places_picked(self) -> None:
        self._choose()

    def _choose(self) -> None:
        entry = self.query_one(Places).entry
        if entry.reason:
            self.say(entry.reason)
        else:
            self.dismiss(entry.letter)
