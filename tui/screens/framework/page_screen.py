"""The base of pages about one record: a page scrolls, has a list with a cursor, and closes when the record is gone."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from textual import on
from textual.geometry import Offset, Region
from textual.widget import Widget

from core.errors import NotFound
from tui.screens.framework.controller import Action, Controller, with_found
from tui.screens.framework.screen import PodiumScreen
from tui.widgets.detail_page import TWO_PANES_FROM, Page, Pane
from tui.widgets.option_list import Rows

D = TypeVar("D")
A = TypeVar("A")


class PageScreen(PodiumScreen, Generic[D]):
    """A page about one record. ``read`` asks, ``draw`` draws; a record that is gone closes its screen."""

    DEFAULT_CSS = """
    PageScreen {
        #title { text-style: bold; margin: 1 0; }
        Rows { scrollbar-size-vertical: 0; background: $background; max-height: 100000; }
        &.-two Page { layout: horizontal; overflow: hidden hidden; }
        &.-two Pane { height: 1fr; width: 1fr; }
        &.-two #main { width: 3fr; margin-right: 3; }
        &.-two #side { width: 2fr; }
        &.-two Pane:focus Heading { color: $primary 60%; }
    }
    """
    HORIZONTAL_BREAKPOINTS = [(0, "-one"), (TWO_PANES_FROM, "-two")]  # noqa: RUF012 - as Textual declares it
    AUTO_FOCUS = "#main"
    is_of_record = True

    detail: D | None = None
    """The record with what the page shows of it, as last read; None before."""
    farewell: str = ""
    """The notification on closing, set by an action that removes the record."""
    _has_taken_leave: bool = False

    def __init__(self) -> None:
        super().__init__()
        self.cursor_actions = self.add(PageCursorActions(self))

    @abstractmethod
    async def read(self) -> None:
        """Ask the query of the screen and keep the answer as ``detail``. Raises NotFound when the record is gone."""

    @abstractmethod
    def draw(self) -> None:
        """Draw the difference."""

    @property
    @abstractmethod
    def name_of_record(self) -> str:
        """The title or name of the record as last read; empty before."""

    def with_detail(self, handler: Callable[[D], A]) -> Callable[[], A | None]:
        """The handler of a key, which gets ``detail``, and does nothing before it is read."""
        return with_found(lambda: self.detail, handler)

    async def open_row(self) -> None:
        """Called when a row of the list was clicked twice."""

    @property
    def cursor_screen_offset(self) -> Offset:
        """The cell for the terminal's cursor: on the row of the list, or at the first words of the pane."""
        pane, rows = self.focused, self.rows
        if pane is not None and (self.cursor_actions.is_beside or rows.cursor < 0):
            return next((each.region.offset for each in pane.children if each.display), pane.region.offset)
        return rows.cursor_screen_offset

    @property
    def rows(self) -> Rows:
        """The list on the page."""
        return self.query_one(Rows)

    async def reload(self) -> None:
        try:
            await self.read()
        except NotFound as gone:
            if await self.reading.project_is_gone():
                raise
            self._take_leave(str(gone))
        else:
            if self.is_alive:
                self.draw()

    def _take_leave(self, missing: str) -> None:
        """Say once that the record is gone, and close as soon as no dialog is open above."""
        if not self._has_taken_leave:
            if self.name_of_record:
                missing = f"“{self.name_of_record}” is not here any more."
            self.podium.toast(self.farewell or missing)
        self._has_taken_leave = True
        if self.is_active:  # ``is_current`` is true under a dialog too, and the dialog would be what closes
            self.podium.back()

    @on(Rows.Chosen)
    async def _open_row(self) -> None:
        await self.open_row()


class PageCursorActions(Controller):
    """Move the cursor of the list, and scroll the page beyond its ends."""

    screen: PageScreen[Any]

    def actions(self) -> Sequence[Action]:
        return (
            Action("down", self.do_down),
            Action("up", self.do_up),
            Action("page_down", lambda: self._scroll_page(+1)),
            Action("page_up", lambda: self._scroll_page(-1)),
        )

    def do_down(self) -> None:
        rows = self.screen.rows
        if self.is_beside or rows.cursor == rows.last:
            self.scroll(+1)
            return
        rows.action_step(1)
        self._reveal_row()

    def do_up(self) -> None:
        rows = self.screen.rows
        if self.is_beside or rows.cursor <= 0:
            self.scroll(-1)
        if not self.is_beside:
            rows.action_step(-1)
            self._reveal_row()

    def scroll(self, lines: int) -> None:
        """Scroll the pane with the focus."""
        self._scroller.scroll_relative(y=lines, animate=False, immediate=True)

    def _scroll_page(self, step: int) -> None:
        """Scroll by half a page."""
        self.scroll(step * (self._scroller.size.height // 2))

    @property
    def is_beside(self) -> bool:
        """True while the pane without the list has the focus."""
        return self.screen.focused is not None and self.screen.focused.id == "side"

    @property
    def _scroller(self) -> Widget:
        """The pane with the focus, or the page where panes stand one above the other."""
        if self.screen.has_class("-two"):
            return self.screen.query_one("#side" if self.is_beside else "#main", Pane)
        return self.screen.query_one(Page)

    def _reveal_row(self) -> None:
        """Scroll the page by the least that shows the row of the cursor."""
        rows = self.screen.rows
        if rows.cursor < 0:
            return
        scroller = self._scroller
        y = rows.region.y - scroller.region.y + scroller.scroll_offset.y + rows.cursor
        scroller.scroll_to_region(Region(0, y, 1, 1), animate=False, force=True)
