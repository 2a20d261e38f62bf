"""A list with columns, headings, a cursor and a filter, as one widget."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from textwrap import wrap

from rich.cells import cell_len
from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.strip import Strip

from core.text.folding import fold
from tui.drawing import rows
from tui.drawing.cells import fit
from tui.drawing.rows import Word, join_words, one_line, others_here
from tui.drawing.styles import BackgroundRole, Row, TextRole
from tui.widgets.columns import (
    GAP,
    Cell,
    Column,
    Line,
    LinesInView,
    find_wishes,
    fit_words,
    measure_cells,
    text_of,
    widths,
)
from tui.widgets.cursor_lines import CursorListView

NOTHING_FITS = "No matches\nPress Esc to clear the filter."
HEADER = 1
"""Lines of the header, which do not scroll."""
CURSOR = 2
"""Cells at the left, for the cursor's bar and the mark."""
FEW = 200
"""``LinesInView`` that are all measured."""


class ListRows:
    """The rows of lines that are given by their sections, with a heading above each run of the same section.

    There is a blank row above all headings except the first, and no heading of an empty section in the first line.

        >>> rows = ListRows(["Open", "Open", "Done"])
        >>> [rows.at(row) for row in range(len(rows))]
        ['Open', 0, 1, '', 'Done', 2]
    """

    def __init__(self, sections: Iterable[str] = ()) -> None:
        self._lines: list[int] = []
        """The number of the first line of each section."""
        self._rows: list[int] = []
        """The row of that line."""
        self._headings: list[Sequence[str]] = []
        """The rows of text above that line."""
        section, number = "", -1
        for number, each in enumerate(sections):
            if each != section or not number:
                above = () if each == section else ("", each) if number else (each,)
                before = self._rows[-1] + number - self._lines[-1] if number else 0
                self._lines.append(number)
                self._rows.append(before + len(above))
                self._headings.append(above)
                section = each
        self._count = self._rows[-1] + number + 1 - self._lines[-1] if self._rows else 0

    def __len__(self) -> int:
        return self._count

    def row_of(self, number: int) -> int:
        """The row of a line."""
        section = bisect_right(self._lines, number) - 1
        return self._rows[section] + number - self._lines[section]

    def at(self, row: int) -> int | str | None:
        """The number of the line in a row, a heading, "" for a blank row, or None below the last row."""
        if row >= self._count:
            return None
        section = bisect_right(self._rows, row) - 1
        number = self._lines[section] + row - self._rows[section] if section >= 0 else -1
        end = self._lines[section + 1] if section + 1 < len(self._lines) else self._count
        if 0 <= number < end:
            return number
        return self._headings[section + 1][row - self._rows[section + 1]]


class ListView(CursorListView[Line]):
    """Draws the lines in view under their headings, in the columns that fit."""

    DEFAULT_CSS = """
    ListView {
        scrollbar-size-vertical: 1; scrollbar-background: $background; scrollbar-color: $foreground 20%;
        scrollbar-background-hover: $background; scrollbar-background-active: $background;
    }
    """
    header = HEADER

    class CursorMoved(Message):
        """The cursor moved to another line, or the text of its line changed."""

    class TitlePressed(Message):
        """The title of a column was clicked; ``number`` counts from 0."""

        def __init__(self, number: int) -> None:
            super().__init__()
            self.number = number

    class CellPressed(Message):
        """A line was clicked; ``number`` is that of the column, from 0."""

        def __init__(self, number: int) -> None:
            super().__init__()
            self.number = number

    class EndReached(Message):
        """The cursor reached the last line, so that the screen can read more."""

    def __init__(self, columns: Sequence[Column], *, heading: str = "", id: str | None = None) -> None:
        super().__init__(id=id)
        self.columns = tuple(columns)
        self.empty = ""
        """The text of an empty list: a heading in its first line, then the next step."""
        self._heading = heading
        self._all: Sequence[Line] = ()
        self._rows = ListRows()
        self._words: list[str] = []
        self._hovered: int | None = None
        self._measured: dict[str, tuple[tuple[Cell, ...], tuple[int, ...]]] = {}
        """The widths of the cells of each line, by its id, with the cells."""
        self._widths: tuple[int, ...] = (0,) * len(self.columns)
        self._wishes: tuple[int, ...] = (0,) * len(self.columns)
        self._wished_for: tuple[Column, ...] = ()
        """The columns that the wishes are for."""
        self._drawn_for: int | None = None
        """The ``_room`` that the widths are for; None if they have to be worked out again."""

    # -- display ---------------------------------------------------------------------------------------------

    def show(self, lines: Sequence[Line]) -> None:
        """Show these lines. The cursor stays on its line, or if that is gone, at its position.

        Of more than FEW ``LinesInView`` the columns are as wide as those that have been in view need; all others are
        measured.
        """
        self._all = lines if isinstance(lines, LinesInView) else tuple(lines)
        self._look = None  # the user can have switched to ASCII symbols
        self._arrange()

    def renew(self) -> None:
        self._drawn_for = None  # initials take cells from the main column
        super().renew()

    def filter_by(self, text: str) -> None:
        """Show only the lines that contain each of these words."""
        self._words = fold(text).split()
        self._arrange()

    @property
    def lines(self) -> Sequence[Line]:
        """The lines that match the filter."""
        return self._lines

    def _arrange(self) -> None:
        if isinstance(self._all, LinesInView):
            self.take(self._all)
            self._rows = ListRows(self._all.sections)
        else:
            self.take([line for line in self._all if all(word in line.searched for word in self._words)])
            self._rows = ListRows(line.section for line in self._lines)
        if isinstance(self._all, LinesInView) and self._is_measured_in_view:
            self._wishes = self._wished_so_far(self._all)
        else:
            self._wishes = find_wishes(self.columns, [self._measure(line) for line in self._lines])
        self._wished_for = self.columns
        self._drawn_for = None
        self._hovered = None
        self.virtual_size = Size(1, len(self._rows) + HEADER if self._lines else 0)
        self.reveal()
        self.refresh()
        self.post_message(self.CursorMoved())

    @property
    def _is_measured_in_view(self) -> bool:
        return isinstance(self._lines, LinesInView) and len(self._lines) > FEW

    def _wished_so_far(self, lines: LinesInView) -> tuple[int, ...]:
        """The cells that the columns need for their titles, and for the lines that were in view and are still there."""
        there = {*lines.ids} if self._wished_for == self.columns else set[str]()
        self._measured = {line_id: known for line_id, known in self._measured.items() if line_id in there}
        wishes = find_wishes(self.columns, [cells for _, cells in self._measured.values()])
        return tuple(max(cell_len(column.title), wish) for column, wish in zip(self.columns, wishes, strict=True))

    def _widen_for_view(self) -> bool:
        """Widen the columns to what the lines in view need; whether there was need."""
        first = round(self.scroll_offset.y)
        rows = map(self._rows.at, range(first, first + self.size.height))
        seen = [self._measure(self._lines[row]) for row in rows if isinstance(row, int)]
        wishes = tuple(map(max, self._wishes, find_wishes(self.columns, seen)))
        is_wider = wishes != self._wishes
        if is_wider:
            self._wishes, self._drawn_for = wishes, None
        return is_wider

    def _measure(self, line: Line) -> tuple[int, ...]:
        """The widths of the cells of a line, which are measured again only where the cells are others."""
        cells, known = line.cells, self._measured.get(line.id)
        if known is None or known[0] is not cells:
            known = self._measured[line.id] = (cells, measure_cells(((),) * len(cells) if line.is_wide else cells))
        return known[1]

    @property
    def description(self) -> str:
        """The facts of the focused line that are not fully visible: columns left out or cut, and its detail."""
        line = self.line
        if line is None:
            return ""
        self._fit_columns()
        texts = list(map(text_of, line.cells))
        if line.is_wide:
            return texts[0] if cell_len(texts[0]) > self._room else line.detail
        hidden = [each for each in zip(self._widths, self.columns, texts, strict=True) if each[0] < cell_len(each[2])]
        hidden.sort(key=lambda each: (each[0] > 0, each[1].rank))
        facts = [f"{column.title} {text}" if column.rank and column.title else text for _, column, text in hidden]
        return " · ".join([*facts, *([one_line(line.detail)] if line.detail else [])])

    # -- the cursor ------------------------------------------------------------------------------------------

    def go(self, number: int) -> None:
        if number >= len(self._lines) - 1 >= 0:
            self.post_message(self.EndReached())
        super().go(number)

    def cursor_moved(self) -> None:
        self.post_message(self.CursorMoved())

    def row_of(self, number: int) -> int:
        return self._rows.row_of(number)

    def line_in(self, row: int) -> int | None:
        found = self._rows.at(row)
        return found if isinstance(found, int) else None

    def first_to_show(self, row: int, height: int) -> int:
        """The first row to show, so that a heading right above is visible too."""
        first = row
        while first > 0 and isinstance(self._rows.at(first - 1), str) and row - first < height - 1:
            first -= 1
        return first

    def on_resize(self) -> None:
        self.post_message(self.CursorMoved())  # other columns can fit now, which changes the description

    # -- the mouse -------------------------------------------------------------------------------------------

    def on_mouse_down(self, event: events.MouseDown) -> None:
        column = self._column_at(event.x)
        if event.y < HEADER and column is not None:
            self.post_message(self.TitlePressed(column))

    def on_click(self, event: events.Click) -> None:
        column = self._column_at(event.x)
        if event.button == 1 and event.chain == 1 and self.number_at(event.y) is not None and column is not None:
            self.post_message(self.CellPressed(column))

    def _column_at(self, x: int) -> int | None:
        """The number of the column at a cell of the widget, or None."""
        left = CURSOR
        for number, cells in enumerate(self._widths):
            if cells and left <= x < left + cells:
                return number
            left += cells + GAP if cells else 0
        return None

    def on_mouse_move(self, event: events.MouseMove) -> None:
        self._hover(self.number_at(event.y))

    def on_leave(self) -> None:
        self._hover(None)

    def _hover(self, number: int | None) -> None:
        if number != self._hovered:
            before, self._hovered = self._hovered, number
            self.refresh_line(before)
            self.refresh_line(number)

    # -- drawing ---------------------------------------------------------------------------------------------

    @property
    def _room(self) -> int:
        """Cells of a line without the first two for the cursor and the last one, which stays blank."""
        return max(0, self.scrollable_content_region.width - 3)

    def _fit_columns(self) -> None:
        if self._drawn_for != self._room:
            self._drawn_for = self._room
            main, more = self.columns.index(self._main), self._room_for_initials
            wishes = [wish + (more if number == main else 0) for number, wish in enumerate(self._wishes)]
            self._widths = widths(self.columns, wishes, self._room)

    def render_lines(self, crop: Region) -> list[Strip]:
        if self._is_measured_in_view and self._widen_for_view() and crop.size != self.size:
            self.refresh()
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        if width < 1:
            return Strip.blank(0)
        self._fit_columns()
        return Strip(self._line(y, width)).adjust_cell_length(width, self.look.style(TextRole.QUIET))

    def _line(self, y: int, width: int) -> Row:
        if not self._lines:
            return self._note(y, width)
        if y < HEADER:
            return self._header(width)
        what = self._rows.at(y - HEADER + self.scroll_offset.y)
        if what is None:
            return self.look.blank(width)
        return self._section(what, width) if isinstance(what, str) else self._entry(what, width)

    def _header(self, width: int) -> Row:
        titles: list[Word] = [("  ", TextRole.QUIET)]
        for column, cells in zip(self.columns, self._widths, strict=True):
            if cells:
                title = self._heading if self._heading and column is self.columns[0] else column.title
                text_role = TextRole.NAME if self._heading and column is self.columns[0] else TextRole.QUIET
                titles += [*fit_words(((title, text_role),), cells, column.right, self.look.ellipsis), _gap()]
        return self._whole(titles, BackgroundRole.PLAIN, width)

    def _section(self, heading: str, width: int) -> Row:
        text = fit(one_line(heading), width - 3, mark=self.look.ellipsis)
        return self._whole([("  ", TextRole.QUIET), (text, TextRole.SECTION)], BackgroundRole.PLAIN, width)

    def _entry(self, number: int, width: int) -> Row:
        line, here = self._lines[number], number == self._cursor
        bar, marked = self.look.signs.bar if here else " ", line.id in self._marked
        mark = self.look.signs.mark if marked else " "
        words: list[Word] = [(bar, TextRole.ACCENT if self.has_focus else TextRole.FAINT), (mark, TextRole.ACCENT)]
        if line.is_wide:
            words += fit_words(line.cells[0], self._room, False, self.look.ellipsis)
        for column, cells, said in zip(self.columns, self._widths, line.cells, strict=True):
            if cells and not line.is_wide:
                online = self._online_at(line.id) if column is self._main else []
                room = max(0, cells - rows.cells(online))
                words += [*fit_words(said, room, column.right, self.look.ellipsis), *online, _gap()]
        if here:
            background = BackgroundRole.CURSOR if self.has_focus else BackgroundRole.BLURRED
        elif line.id in self._lit:
            background = BackgroundRole.HIGHLIGHT
        elif marked:
            background = BackgroundRole.MARKED
        else:
            background = BackgroundRole.HOVER if number == self._hovered else BackgroundRole.PLAIN
        return self._whole(words, background, width)

    @property
    def _room_for_initials(self) -> int:
        """Cells for initials in the main column, the same for all lines, so that columns do not move."""
        online = [line_id for line_id in self._online if self.number_of(line_id) is not None]
        return max((rows.cells(self._online_at(line_id)) for line_id in online), default=0)

    @property
    def _main(self) -> Column:
        """The main column: the first one with a title."""
        return next(column for column in self.columns if column.title)

    def _online_at(self, line_id: str) -> list[Word]:
        online = others_here(self.look, self._online.get(line_id, ""))
        return [(" ", TextRole.QUIET), *online] if online else []

    def _whole(self, words: list[Word], background: BackgroundRole, width: int) -> Row:
        used = sum(cell_len(text) for text, _ in words)
        if used > width:  # the gap after the last column
            words = [*words[:-1], (" " * max(0, width - used + GAP), TextRole.QUIET)]
        return join_words(self.look, background, [*words, (" " * max(0, width - used), TextRole.QUIET)])

    def _note(self, y: int, width: int) -> Row:
        """A line of the text for an empty list, at the same position as on an empty board."""
        text = NOTHING_FITS if self._all else self.empty
        lines = [part for each in text.split("\n") for part in (wrap(each, max(8, width - 4)) or [""])]
        first = len(wrap(text.split("\n")[0], max(8, width - 4)))
        if not 1 <= y <= len(lines):
            return self.look.blank(width)
        text_role = TextRole.NAME if y <= first else TextRole.QUIET
        return self._whole(
            [("  ", TextRole.QUIET), (fit(lines[y - 1], width - 2), text_role)], BackgroundRole.PLAIN, width
        )


def _gap() -> Word:
    return (" " * GAP, TextRole.QUIET)
