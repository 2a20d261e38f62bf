"""Lines with a cursor under a fixed header: the base of the list and the Timeline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import ClassVar, Generic, Protocol, TypeVar

from textual import events
from textual.geometry import Offset, Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView

from tui.widgets.made_in_view import MadeInView
from tui.widgets.styled_widget import ThemedWidget


class HasId(Protocol):
    """A line with an id."""

    @property
    def id(self) -> str: ...


L = TypeVar("L", bound=HasId)


class CursorListView(ScrollView, ThemedWidget, Generic[L], can_focus=True, inherit_bindings=False):
    """Lines with a cursor, which stays on its line when other lines come and go. A subclass draws the lines in view.

    Textual's scroll keys are left out: arrows and page keys move the cursor, and the view follows it.
    """

    DEFAULT_CSS = """
    CursorListView { height: 1fr; overflow-x: hidden; background: $background; color: $foreground; }
    """
    ALLOW_SELECT = False

    header: ClassVar[int]
    """Lines of the header, which do not scroll."""

    class Opened(Message):
        """A line was double-clicked."""

    class MenuRequested(Message):
        """A line was clicked with the right button; the cursor is on it."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._lines: Sequence[L] = ()
        self._cursor = 0
        self._marked: Set[str] = frozenset()
        self._lit: Set[str] = frozenset()
        self._online: Mapping[str, str] = {}

    # -- display ---------------------------------------------------------------------------------------------

    @property
    def line(self) -> L | None:
        """The line at the cursor."""
        return self._lines[self._cursor] if self._lines else None

    @property
    def number(self) -> int:
        """The number of the line at the cursor; 0 without lines."""
        return self._cursor

    def take(self, lines: Sequence[L]) -> None:
        """Set the lines. The cursor stays on its line, or if that is gone, at its position."""
        here = self.id_of(self._cursor) if self._lines else ""
        self._lines = lines
        if self._cursor >= len(lines) or self.id_of(self._cursor) != here:
            number = self.number_of(here)
            self._cursor = max(0, min(self._cursor, len(lines) - 1)) if number is None else number

    def id_of(self, number: int) -> str:
        """The id of a line."""
        return self._lines.id_of(number) if isinstance(self._lines, MadeInView) else self._lines[number].id

    def number_of(self, line_id: str) -> int | None:
        """The number of the line with this id, or None."""
        if isinstance(self._lines, MadeInView):
            return self._lines.number_of(line_id)
        return next((number for number, line in enumerate(self._lines) if line.id == line_id), None)

    def show_marks(self, marked: Set[str]) -> None:
        """Mark exactly the lines with these ids."""
        self._marked = marked
        self.renew()

    def show_highlight(self, lit: Set[str]) -> None:
        """Highlight exactly the lines with these ids."""
        if lit != self._lit:
            self._lit = lit
            self.renew()

    def show_online(self, online: Mapping[str, str]) -> None:
        """Show the initials of other users, by the id of the line that they are on."""
        if online != self._online:
            self._online = online
            self.renew()

    def renew(self) -> None:
        """Draw every line again."""
        self.refresh()

    # -- the cursor ------------------------------------------------------------------------------------------

    def go(self, number: int) -> None:
        """Put the cursor on a line, or on the nearest one, and scroll it into view."""
        target = max(0, min(number, len(self._lines) - 1))
        if target != self._cursor:
            self.refresh_line(self._cursor)
            self._cursor = target
            self.refresh_line(target)
            self.cursor_moved()
        self.reveal()

    def cursor_moved(self) -> None:
        """Called when the cursor has moved to another line."""

    def go_to(self, line_id: str) -> None:
        """Put the cursor on the line with this id, if it exists."""
        number = self.number_of(line_id)
        if number is not None:
            self.go(number)

    def step(self, lines: int) -> None:
        self.go(self._cursor + lines)

    def page(self, pages: int) -> None:
        self.step(pages * max(1, (self.size.height - self.header) // 2))

    def top(self) -> None:
        self.go(0)

    def bottom(self) -> None:
        self.go(len(self._lines) - 1)

    def row_of(self, number: int) -> int:
        """The row of a line below the header."""
        return number

    def line_in(self, row: int) -> int | None:
        """The number of the line in a row below the header, or None."""
        return row if row < len(self._lines) else None

    def first_to_show(self, row: int, height: int) -> int:
        """The first row to show so that a row is visible, with its headings if they fit."""
        return row

    def reveal(self) -> None:
        """Scroll the cursor into view, by as few lines as possible."""
        if not self._lines:
            return
        row, height = self.row_of(self._cursor), max(1, self.size.height - self.header)
        top = max(round(self.scroll_offset.y), row - height + 1)
        self.scroll_to(y=min(top, self.first_to_show(row, height)), animate=False, force=True, immediate=True)

    @property
    def cursor_screen_offset(self) -> Offset:
        """The cell of the terminal where the line of the cursor begins; without lines, the first cell."""
        row = self.row_of(self._cursor) - round(self.scroll_offset.y) if self._lines else 0
        return self.region.offset + Offset(0, self.header + row)

    def refresh_line(self, number: int | None) -> None:
        """Draw a line again."""
        if number is not None and number < len(self._lines):
            y = self.header + self.row_of(number) - self.scroll_offset.y
            self.refresh(Region(0, y, self.size.width, 1))

    def on_focus(self) -> None:
        self.refresh_line(self._cursor)
        self.reveal()

    def on_blur(self) -> None:
        self.refresh_line(self._cursor)

    def _size_updated(self, size: Size, virtual_size: Size, container_size: Size, layout: bool = True) -> bool:
        """Scroll before anything is drawn in this size; Textual's message about it comes after that."""
        is_resized = super()._size_updated(size, virtual_size, container_size, layout)
        if is_resized:
            self.reveal()
        return is_resized

    def on_resize(self) -> None:
        self.reveal()

    # -- the mouse -------------------------------------------------------------------------------------------

    def number_at(self, y: int) -> int | None:
        """The number of the line at a line of the widget, or None."""
        return self.line_in(y - self.header + round(self.scroll_offset.y)) if y >= self.header else None

    def on_mouse_down(self, event: events.MouseDown) -> None:
        number = self.number_at(event.y)
        if number is not None:
            self.go(number)
            if event.button == 3:
                self.post_message(self.MenuRequested())

    def on_click(self, event: events.Click) -> None:
        if event.chain == 2 and event.button == 1 and self.number_at(event.y) is not None:
            self.post_message(self.Opened())
