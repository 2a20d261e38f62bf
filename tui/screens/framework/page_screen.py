"""A page about one record: it scrolls, has a list with a cursor on it, and closes when the record is gone."""

from __future__ import annotations

from textual import on
from textual.geometry import Region
from textual.widget import Widget

from core.errors import NotFound
from tui.screens.framework.screen import PodiumScreen
from tui.widgets.detail_page import TWO_PANES_FROM, Page, Pane
from tui.widgets.option_list import Rows


class PageScreen(PodiumScreen):
    """A page about one record. ``read`` asks, ``draw`` draws; a record that is gone closes its screen."""

    DEFAULT_CSS = """
    PageScreen {
        #title { text-style: bold; margin: 1 0; }
        .prose { color: $foreground; }
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

    farewell: str = ""
    """What to say on closing, when it is the person here who is about to remove the record."""
    _has_taken_leave: bool = False

    async def read_all(self) -> None:
        """``read``, with whatever else a kind of page needs."""
        await self.read()

    async def read(self) -> None:
        """Ask the query of the screen and keep the answer. Raises NotFound when the record is gone."""
        raise NotImplementedError

    def draw(self) -> None:
        """Draw what differs."""
        raise NotImplementedError

    async def reload(self) -> None:
        try:
            await self.read_all()
        except NotFound as gone:
            if await self.project_is_gone():
                raise
            self._take_leave(str(gone))
        else:
            if self.stands:
                self.draw()

    def _take_leave(self, missing: str) -> None:
        """Say once that the record is gone, and close as soon as no dialog is open above."""
        if not self._has_taken_leave:
            if self.name_of_record:
                missing = f"“{self.name_of_record}” is not here any more."
            self.podium.tell(self.farewell or missing)
        self._has_taken_leave = True
        if self.is_active:  # ``is_current`` is true under a dialog too, and the dialog would be what closes
            self.podium.back()

    @property
    def name_of_record(self) -> str:
        """Its title or name as last read; empty before."""
        raise NotImplementedError

    # -- the list and the page -------------------------------------------------------------------------------

    @property
    def rows(self) -> Rows:
        """The list on the page."""
        return self.query_one(Rows)

    def do_down(self) -> None:
        before = self.rows.cursor
        if self._is_beside or before == self.rows.last:
            self._scroller.scroll_relative(y=1, animate=False)
            return
        self.rows.action_step(1)
        self._reveal_row()

    def do_up(self) -> None:
        if self._is_beside or self.rows.cursor <= 0:
            self._scroller.scroll_relative(y=-1, animate=False)
        if not self._is_beside:
            self.rows.action_step(-1)
            self._reveal_row()

    def do_page_down(self) -> None:
        self._scroller.scroll_relative(y=self._scroller.size.height // 2, animate=False)

    def do_page_up(self) -> None:
        self._scroller.scroll_relative(y=-(self._scroller.size.height // 2), animate=False)

    @property
    def _is_beside(self) -> bool:
        """Whether the pane without the list has the focus."""
        return self.focused is not None and self.focused.id == "side"

    @property
    def _scroller(self) -> Widget:
        """What scrolls: the pane with the focus, or the page where panes stand one above the other."""
        if self.has_class("-two"):
            return self.query_one("#side" if self._is_beside else "#main", Pane)
        return self.query_one(Page)

    def _reveal_row(self) -> None:
        """Scroll the page by the least that shows the row of the cursor."""
        if self.rows.cursor < 0:
            return
        scroller = self._scroller
        y = self.rows.region.y - scroller.region.y + scroller.scroll_offset.y + self.rows.cursor
        scroller.scroll_to_region(Region(0, y, 1, 1), animate=False, force=True)

    @on(Rows.Chosen)
    async def _open_row(self) -> None:
        await self.open_row()

    async def open_row(self) -> None:
        """Called when a row was clicked twice."""
        raise NotImplementedError
