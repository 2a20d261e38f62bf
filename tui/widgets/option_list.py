"""A list of options with a cursor: rows with a key, a mark, a label and a hint."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, overload

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Offset, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from core.record import Record
from core.text.sanitize import sanitize
from tui.drawing.cells import fit
from tui.widgets.styled_widget import is_ascii, pointer

MAX_HINT = 0.45
"""The share of a row that the hint can take."""


class Row(Record, kw_only=False):
    """One line: ``❯ ■ a  Label                    hint``."""

    label: str
    hint: str = ""
    key: str = ""
    mark: bool | None = None
    """True if marked; None for rows without marks."""
    is_radio: bool = False
    """True if at most one of the rows is marked: its mark is round."""
    dim: bool = False


class RowsWhenDrawn(Sequence[Row]):
    """Rows without keys of which each is made when it is drawn: of thousands only those in view are."""

    def __init__(self, number: int, make: Callable[[int], Row]) -> None:
        self._number, self._make = number, make

    def __len__(self) -> int:
        return self._number

    @overload
    def __getitem__(self, at: int) -> Row: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Row]: ...
    def __getitem__(self, at: int | slice) -> Row | Sequence[Row]:
        if isinstance(at, slice):
            return [self._make(each) for each in range(*at.indices(self._number))]
        return self._make(range(self._number)[at])


class Rows(ScrollView):
    """Rows with a cursor, which has a sign, so it is visible without colours."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {"rows--plain", "rows--quiet", "rows--key", "rows--cursor"}
    DEFAULT_CSS = """
    Rows {
        height: auto;
        max-height: 100%;
        overflow-x: hidden;
        scrollbar-size-vertical: 1;
        scrollbar-background: $surface;
        scrollbar-color: $foreground 20%;
        .rows--plain { color: $foreground; }
        .rows--quiet { color: $text-muted; }
        .rows--key { color: $text-primary; text-style: bold; }
        .rows--cursor { background: $primary 28%; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,ctrl+p", "step(-1)", show=False),
        Binding("down,ctrl+n", "step(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
        Binding("pagedown", "page(1)", show=False),
        Binding("home", "step(-1000000)", show=False),
        Binding("end", "step(1000000)", show=False),
        Binding("enter", "choose", show=False),
    ]

    class Chosen(Message):
        """A row was chosen by enter or a click."""

        def __init__(self, index: int) -> None:
            super().__init__()
            self.index = index

    def __init__(
        self,
        rows: Sequence[Row] = (),
        *,
        id: str | None = None,
        takes_focus: bool = True,
        on_page: bool = False,
        moved: Callable[[], None] | None = None,
    ) -> None:
        """``on_page``: part of a page; the cursor can be outside (-1), and a single click does not choose.

        ``moved`` is called when the cursor has gone to another row.
        """
        super().__init__(id=id)
        self.can_focus = takes_focus and not on_page
        self._on_page, self._moved = on_page, moved
        self._rows: Sequence[Row] = ()
        self._key_cells = 0
        self._take(rows)
        self.cursor = -1 if on_page else 0
        self.virtual_size = Size(1, len(self._rows))

    def show(self, rows: Sequence[Row], cursor: int | None = None) -> None:
        """Show these rows; the cursor keeps its position unless ``cursor`` is given."""
        if len(rows) != len(self._rows):
            self.virtual_size = Size(1, len(rows))
            self.refresh(layout=True)
        self._take(rows)
        self.move(self.cursor if cursor is None else cursor)

    def _take(self, rows: Sequence[Row]) -> None:
        """Take these rows, whose keys are as wide as the widest one."""
        if isinstance(rows, RowsWhenDrawn):
            self._rows, self._key_cells = rows, 0
        else:
            self._rows = tuple(rows)
            self._key_cells = max((cell_len(row.key) for row in self._rows if row.key), default=0)

    def move(self, cursor: int) -> None:
        """Put the cursor on a row, or on the nearest one, and scroll it into view."""
        before, self.cursor = self.cursor, max(-1 if self._on_page else 0, min(cursor, len(self._rows) - 1))
        if self._moved is not None and self.cursor != before:
            self._moved()
        self._reveal()
        self.refresh()

    @property
    def last(self) -> int:
        """The number of the last row; -1 without rows."""
        return len(self._rows) - 1

    def action_step(self, rows: int) -> None:
        self.move(self.cursor + rows)

    def action_page(self, pages: int) -> None:
        self.move(self.cursor + pages * max(1, self.size.height - 1))

    def action_choose(self) -> None:
        if self._rows and self.cursor >= 0:
            self.post_message(self.Chosen(self.cursor))

    def on_click(self, event: events.Click) -> None:
        index = event.y + self.scroll_offset.y
        if index < len(self._rows):
            self.move(index)
            if not self._on_page or event.chain == 2:
                self.action_choose()

    def _size_updated(self, size: Size, virtual_size: Size, container_size: Size, layout: bool = True) -> bool:
        """Scroll before anything is drawn in this size; Textual's message about it comes after that."""
        is_resized = super()._size_updated(size, virtual_size, container_size, layout)
        if is_resized:
            self._reveal()
        return is_resized

    def on_resize(self) -> None:
        self._reveal()

    def _reveal(self) -> None:
        """Scroll the cursor into view, by as few lines as possible."""
        top, height = self.scroll_offset.y, max(1, self.size.height)
        top = max(0, min(max(top, self.cursor - height + 1), self.cursor))
        self.scroll_to(y=top, animate=False, force=True, immediate=True)

    @property
    def cursor_screen_offset(self) -> Offset:
        """The cell of the terminal where the row of the cursor begins."""
        return self.content_region.offset + Offset(0, max(0, self.cursor - round(self.scroll_offset.y)))

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        index = y + self.scroll_offset.y
        if index >= len(self._rows) or width < 1:
            return Strip.blank(max(0, width), self.rich_style)
        row, at_cursor = self._rows[index], index == self.cursor
        under = self.get_component_rich_style("rows--cursor") if at_cursor else self.rich_style
        lead = (pointer(self) if at_cursor else "  ") + self._mark(row)
        parts = _parts(row, lead, self._key_cells, width)
        strip = Strip([Segment(text, under + self._text_role(name)) for text, name in parts])
        return strip.adjust_cell_length(width, under)

    def _mark(self, row: Row) -> str:
        if row.mark is None:
            return ""
        if row.is_radio:
            marked, unmarked = ("* ", "o ") if is_ascii(self) else ("● ", "○ ")
        else:
            marked, unmarked = ("* ", "- ") if is_ascii(self) else ("■ ", "□ ")
        return marked if row.mark else unmarked

    def _text_role(self, name: str) -> Style:
        """Colour and weight, without the background, which depends on the cursor."""
        style = self.get_component_rich_style(f"rows--{name}")
        return Style(color=style.color, bold=style.bold)


class OpenedRows(Rows):
    """Rows without a cursor; a double click opens one."""

    class Opened(Message):
        """A row was opened."""

        def __init__(self, index: int) -> None:
            super().__init__()
            self.index = index

    def on_click(self, event: events.Click) -> None:
        event.prevent_default()
        if event.chain == 2 and event.y <= self.last:
            self.post_message(self.Opened(event.y))


def _parts(row: Row, lead: str, key_cells: int, width: int) -> list[tuple[str, str]]:
    """The texts of a row with their styles, ``width`` cells together; keys have a column of their own."""
    key = fit(row.key, key_cells, pad=True) + "  " if key_cells else ""
    room = max(0, width - cell_len(lead + key) - 1)
    hint = fit(sanitize(row.hint), int(room * MAX_HINT)) if row.hint else ""
    label = fit(sanitize(row.label), room - (cell_len(hint) + 2 if hint else 0), pad=True)
    text_role = "quiet" if row.dim else "plain"
    return [(lead, "key"), (key, "quiet" if row.dim else "key"), (label, text_role), (f"  {hint} ", "quiet")]
