"""The Table of a project: every card in a line, sorted by any column, or in the order of the phases."""

from __future__ import annotations

from collections.abc import Sequence, Set

from textual import on
from textual.app import ComposeResult

from core.domain.canvas import Card
from core.domain.model import Id
from tui.keys.bindings import bindings
from tui.screens.framework.cursor_keys import ListCursorKeys
from tui.screens.views.cursor_line import ChangesOrDetail
from tui.screens.views.project_view import VIEW, ProjectView
from tui.screens.views.table_order import TableOrder
from tui.screens.views.table_rows import TITLE, RowContext, line_of
from tui.services.presence import PresenceTracker
from tui.widgets.filter_line import FilterLine
from tui.widgets.list_view import NOTHING_FITS, ListView

NO_PHASES = "This project has no phases yet.\nN on the Canvas adds the first."
NO_CARDS = "No cards yet.\nn adds one."
NONE_SHOWN = (
    "No card is shown.\nThe preset leaves none, or they are archived. P chooses another preset, A shows the archive."
)


class TableScreen(ProjectView):
    """Columns follow the fields of the preset, and so does the order until another one is chosen here."""

    name_in_table = "table"
    view_words = "Table"
    BINDINGS = bindings("table", VIEW)
    AUTO_FOCUS = "ListView"

    def __init__(self, project_id: Id, focus_id: Id | None = None) -> None:
        super().__init__(project_id, focus_id)
        self._cards: list[Card] = []
        self._by_id: dict[Id, Card] = {}
        self.add(ListCursorKeys(self, lambda: self.listing))
        self._order = self.add(TableOrder(self))

    def body(self) -> ComposeResult:
        yield ListView([TITLE.column])
        yield ChangesOrDetail()
        yield FilterLine(self.filter.completions)

    def place(self) -> str:
        return f"{super().place()} · {self._order.words}"

    @property
    def listing(self) -> ListView:
        return self.query_one(ListView)

    # -- what a view gives -----------------------------------------------------------------------------------

    def draw(self) -> None:
        order = self._order
        order.follow_preset()
        listing, head = self.listing, self.canvas.head
        around = RowContext.of(head, {card.id: card.title for card in self.canvas.cards}, listing.look)
        self._cards = order.sorted(self.cards(), around)
        self._by_id = {card.id: card for card in self._cards}
        parts = order.parts()
        listing.columns = tuple(order.titled(part) for part in parts)
        listing.empty = self._why_empty()
        listing.show([line_of(card, parts, around, in_sections=order.is_by_phase) for card in self._cards])
        listing.show_marks(self.marks.ids)

    def _why_empty(self) -> str:
        if not self.canvas.head.columns:
            return NO_PHASES
        if not self.canvas.cards:
            return NO_CARDS
        return NOTHING_FITS if self.filter.text else NONE_SHOWN

    def shown(self) -> Sequence[Card]:
        return self._cards

    @property
    def card(self) -> Card | None:
        line = self.listing.line if self.is_alive else None
        return self._by_id.get(line.id) if line else None

    def go_to(self, card_id: Id) -> None:
        self.listing.go_to(card_id)

    def go_on(self) -> None:
        self.listing.step(1)

    def show_highlight(self, highlighted: Set[Id]) -> None:
        self.listing.show_highlight(highlighted)

    def show_online(self, presence: PresenceTracker) -> None:
        self.listing.show_online(presence.initials())

    def show_marks(self) -> None:
        self.listing.show_marks(self.marks.ids)

    @on(ListView.TitlePressed)
    def _press_title(self, event: ListView.TitlePressed) -> None:
        self._order.press_title(event.number)

    @on(ListView.CursorMoved)
    def _follow_cursor(self) -> None:
        self.cursor_line.cursor_moved()

    @on(ListView.Opened)
    async def _open_line(self) -> None:
        await self.view_keys.do_open()

    @on(ListView.MenuRequested)
    async def _open_menu(self) -> None:
        await self.action_do("everywhere.menu")
