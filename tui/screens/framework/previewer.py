"""The preview of a screen: reads the record under the cursor once the cursor has rested, and shows it in a pane.

A screen names the record under its cursor (``Previewed``), and its previewer reads it: never before a key is answered,
and never two at a time. It is read again with the screen, so after changes of others too.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from textual.geometry import Size
from textual.screen import Screen

from core.domain.model import Id
from core.engine.messages import Query
from core.errors import NotFound, PodiumError, ServerUnavailable
from core.record import Record
from tui.drawing.styles import Styles, TextRole
from tui.keys.table import Key
from tui.screens.framework.controller import Action, Controller, OwnerScreen
from tui.terminal.workers import start_worker

if TYPE_CHECKING:
    from textual.css.query import DOMQuery

    from tui.drawing.preview_rows import PreviewPage
    from tui.widgets.preview import PreviewPane

REST = 0.15
"""Seconds that the cursor rests before its record is read; that of a screen which has just opened is read at once."""

SLOW = 0.4
"""Seconds after which the title of the record is shown, while it is still being read."""

SHARE = 0.5
"""The share of the rows that a pane below a list takes."""

SETTING, HIDDEN = "preview", "off"
READING = "Reading …"
NO_SERVER = "The server does not answer. This is read as soon as it does."
GONE = "This is not here any more."


class PreviewPlace(Record, kw_only=False):
    """The side of a pane, and the room that it takes to be shown."""

    is_beside: bool
    least: int
    """The fewest rows of the terminal for a pane below the list, or columns for one beside it."""

    def reason_against(self, columns: int, rows: int) -> str:
        """The reason why there is no room in a terminal of this size; "" if there is."""
        if self.is_beside and columns < self.least:
            return f"The preview needs {self.least} columns; this terminal has {columns}."
        if not self.is_beside and rows < self.least:
            return f"The preview needs {self.least} rows; this terminal has {rows}."
        return ""


BELOW = PreviewPlace(is_beside=False, least=30)
BESIDE = PreviewPlace(is_beside=True, least=160)


class Previewed(Record, kw_only=False):
    """The record under the cursor: how it is read and drawn."""

    id: str
    """Differs for records that are drawn differently."""
    title: str
    query: Query[Any] | None
    """None where the screen has read all of it."""
    draw: Callable[[Any, Styles, Id], PreviewPage]
    """Makes the page from the answer, for the user with this id, whose own name has a colour of its own."""


class Previewer(Controller):
    """Shows the record under the cursor in a pane of the screen; ``|`` hides it and shows it again."""

    def __init__(
        self, screen: OwnerScreen, find_record: Callable[[], Previewed | None], place: PreviewPlace = BELOW
    ) -> None:
        """``find_record`` gives the record under the cursor; None without one."""
        super().__init__(screen)
        self.place = place
        self.find_record = find_record
        self.is_following = False
        """Whether it hears of keys and reads: while there is a pane."""
        self._size = Size(0, 0)
        """The size of the terminal that the pane is arranged for."""
        self._soon: asyncio.TimerHandle | None = None
        self._has_begun = False
        """Whether a record was shown since the screen opened."""
        self._is_reading = False
        self._shown = ""
        """The id of what is drawn."""
        self._is_stale = False

    def actions(self) -> Sequence[Action]:
        return (Action("preview", self.do_preview, self._no_room),)

    # -- the pane --------------------------------------------------------------------------------------------

    @property
    def is_shown(self) -> bool:
        """True if there is a pane: the user wants it, and there is room."""
        return self.podium.me.preferences.get(SETTING) != HIDDEN and not self._no_room()

    @property
    def rows(self) -> int:
        """The rows that the pane takes from the list."""
        return round(self.podium.size.height * SHARE) if self.is_shown and not self.place.is_beside else 0

    @property
    def is_at_rest(self) -> bool:
        """True while nothing is read or about to be read."""
        return self._soon is None and not self._is_reading

    def _no_room(self, _key: Key | None = None) -> str:
        return self.place.reason_against(*self.podium.size)

    def widgets(self) -> Iterator[PreviewPane]:
        """The pane of a screen that opens."""
        if self._follow():
            yield self._make_pane()

    def _follow(self) -> bool:
        """Hear of the keys and the reads of the screen from now on if there is a pane; whether there is one."""
        shown = self.is_shown
        self.screen.set_class(shown, "-previewing")
        if shown is not self.is_following:
            self.is_following = self._is_stale = shown
            answered, done = self.screen.keys.answered, self.screen.reading.done
            (answered.append if shown else answered.remove)(self.read_soon)
            (done.append if shown else done.remove)(self._data_read)
        return shown

    def _panes(self) -> DOMQuery[PreviewPane]:
        """The pane that the screen has, if it has one."""
        return self.screen.query("PreviewPane")

    def _make_pane(self) -> PreviewPane:
        from tui.widgets.preview import PreviewPane

        pane = PreviewPane(beside=self.place.is_beside)
        self._give_room(pane)
        return pane

    def _give_room(self, pane: PreviewPane) -> None:
        if self.place.is_beside:
            pane.styles.width = max(44, min(64, self.podium.size.width * 30 // 100))
        else:
            pane.styles.height = self.rows

    def lay_out(self) -> None:
        """Show or hide the pane after a change of the size or of the setting."""
        if not self.screen.is_mounted:
            return
        self._size = self.podium.size
        shown, panes = self._follow(), self._panes()
        if shown and not panes:
            self.screen.mount(self._make_pane(), after=0)
            self._shown = ""
        for pane in panes:
            self._give_room(pane)
            pane.display = shown
        self.read_soon()

    def follow_size(self, _: Screen[Any]) -> None:
        """Called when Textual has arranged the screen, in a terminal that may have another size."""
        if self.podium.size != self._size:
            self.lay_out()

    async def do_preview(self) -> None:
        """Hide the pane, or show it again, from now on."""
        value = HIDDEN if self.is_shown else ""
        self.podium.use(SETTING, value)
        self.lay_out()
        await self.podium.keep(SETTING, value)

    # -- reading ---------------------------------------------------------------------------------------------

    def _data_read(self) -> None:
        """Called when the screen was read: the record under the cursor may have changed."""
        self._is_stale = True
        self.read_soon()

    def data_hidden(self) -> None:
        self._cancel()
        self._shown = ""
        self._show(None)

    def _cancel(self) -> None:
        if self._soon is not None:
            self._soon.cancel()
            self._soon = None

    def read_soon(self) -> None:
        """Read once the cursor has rested; not while a key is being answered, which calls this when it is.

        Called when the cursor has moved, or the record under it may be another one.
        """
        self._cancel()
        if not self.screen.keys.being_answered and self.is_shown:
            self._soon = asyncio.get_running_loop().call_later(REST if self._has_begun else 0, self._begin_reading)

    def _begin_reading(self) -> None:
        self._soon = None
        screen = self.screen
        if not screen.is_alive or self.podium.visible_screen is not screen or screen.access.unseen is not None:
            return
        if self._is_reading or screen.keys.being_answered:
            return  # it is called again when that ends
        named = self.find_record()
        if named is None:
            self._shown = ""
            self._show(None)
            return
        self._has_begun = True
        if named.id != self._shown or self._is_stale:
            self._is_stale = False
            if named.query is None:
                self._draw(named, None)
            else:
                self._is_reading = True
                start_worker(screen, partial(self._read, named, named.query), group="preview")

    async def _read(self, named: Previewed, query: Query[Any]) -> None:
        slowly = asyncio.get_running_loop().call_later(SLOW, self._say, named, READING)
        try:
            answer = await self.podium.aside(query)
        except PodiumError as error:
            if not (isinstance(error, ServerUnavailable) and named.id == self._shown):  # what was read is still there
                self._shown = ""
                self._say(named, _words_of(error))
        else:
            if self.screen.is_alive and self._is_still(named):
                self._draw(named, answer)
        finally:
            slowly.cancel()
            self._is_reading = False
        if self.screen.is_alive and (self._is_stale or not self._is_still(named)):
            self.read_soon()

    def _is_still(self, named: Previewed) -> bool:
        now = self.find_record()
        return now is not None and now.id == named.id

    def _draw(self, named: Previewed, answer: Any) -> None:
        for pane in self._panes():
            self._shown = named.id
            pane.show(named.draw(answer, pane.look, self.podium.me.user.id))

    def _say(self, named: Previewed, words: str) -> None:
        """Show a sentence in place of a record, but not of one that is shown and is read again."""
        if self.screen.is_alive and self._is_still(named) and named.id != self._shown:
            from tui.drawing.preview_rows import PreviewPage, prose

            self._show(PreviewPage(named.title, parts=(prose("", words, text_role=TextRole.QUIET),)))

    def _show(self, page: PreviewPage | None) -> None:
        for pane in self._panes():
            pane.show(page)


def _words_of(error: PodiumError) -> str:
    if isinstance(error, ServerUnavailable):
        return NO_SERVER
    return GONE if isinstance(error, NotFound) else str(error)
