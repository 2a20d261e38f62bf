"""The Table of a project: every card in a line, in the order of ``table_order.py``."""

from __future__ import annotations

from collections.abc import Sequence, Set

from textual import on
from textual.app import ComposeResult

from core.domain.canvas import Card
from core.domain.model import Id, ItemKind
from tui.screens.framework.list_actions import ListCursorActions
from tui.screens.framework.previewer import Previewer
from tui.screens.framework.row_cache import KeptRows
from tui.screens.views.presenter import ViewPresenter
from tui.screens.views.project_view import ProjectView
from tui.screens.views.table_columns import (
    TITLE,
    RowContext,
    RowFacts,
    TableColumn,
    cells_of,
    heading_of,
    shared_facts,
)
from tui.screens.views.table_order import TableOrder, below_activities
from tui.widgets.columns import Cell, Line, LinesInView
from tui.widgets.list_view import NOTHING_FITS, ListView

NO_PHASES = "This project has no phases yet.\nPress N to add the first one."
NO_CARDS = "No cards yet.\nPress n to add one."
NONE_SHOWN = (
    "No card is shown.\nThe preset leaves none, or they are archived. P for another preset, A to show the archive."
)


class TablePresenter(ViewPresenter):
    """Shows the cards as lines of a list."""

    screen: TableScreen

    def __init__(self, screen: ProjectView) -> None:
        super().__init__(screen)
        self._cards: list[Card] = []
        self._rows = KeptRows[RowFacts, tuple[Cell, ...]](lambda facts: cells_of(facts.card, *self._around))
        self._around: tuple[tuple[TableColumn, ...], RowContext]
        self._shared: tuple[object, ...] = ()
        """The facts that the cells of all cards are made of."""

    @property
    def listing(self) -> ListView:
        """The widget."""
        return self.screen.query_one(ListView)

    def draw(self) -> None:
        screen, order, listing = self.screen, self.screen.order, self.listing
        order.follow_project()
        titles = {card.id: card.title for card in screen.canvas.cards if card.kind is ItemKind.ACTIVITY}
        shown = screen.filter.cards()
        below = below_activities(shown) if order.is_by_phase else frozenset[Id]()
        around = RowContext.of(screen.head, titles, listing.look, screen.podium.me.user.id, below)
        self._cards = order.in_order(shown, around)
        parts = order.parts()
        listing.columns = tuple(order.heading(part) for part in parts)
        listing.empty = self._why_empty()
        self._around, self._shared = (parts, around), shared_facts(parts, screen.head, screen.podium.ascii)
        headings = {column.id: heading_of(column) if order.is_by_phase else "" for column in screen.head.columns}
        ids, sections = [card.id for card in self._cards], [headings[card.phase_id] for card in self._cards]
        listing.show(LinesInView(ids, sections, self._line))
        self.show_marks()

    def _line(self, number: int) -> Line:
        """The line of a card, which is made when it comes into view."""
        card, (_, around) = self._cards[number], self._around
        activity = around.titles.get(card.activity_id or "", "")
        cells = self._rows.row(card.id, RowFacts(card, activity, card.id in around.below, self._shared))
        return Line(card.id, cells)

    def _why_empty(self) -> str:
        if not self.screen.head.columns:
            return NO_PHASES
        if not self.screen.canvas.cards:
            return NO_CARDS
        return NOTHING_FITS if self.screen.filter.narrows else NONE_SHOWN

    def show_marks(self) -> None:
        self.listing.show_marks(self.screen.marks.ids)

    def show_highlight(self, highlighted: Set[Id]) -> None:
        self.listing.show_highlight(highlighted)

    def show_online(self) -> None:
        self.listing.show_online(self.screen.podium.presence.initials())

    def list_shown(self) -> Sequence[Card]:
        return self._cards

    @property
    def card(self) -> Card | None:
        return self._cards[self.listing.number] if self.screen.is_alive and self._cards else None

    def go_to(self, card_id: Id) -> None:
        self.listing.go_to(card_id)

    def go_on(self) -> None:
        self.listing.step(1)


class TableScreen(ProjectView):
    """Columns follow the fields of the preset, and so does the order until another one is chosen here."""

    name_in_table = "table"
    view_words = "Table"
    AUTO_FOCUS = "ListView"
    presenter_class = TablePresenter
    presenter: TablePresenter

    def __init__(self, project_id: Id, focus_id: Id | None = None) -> None:
        super().__init__(project_id, focus_id)
        self.add(ListCursorActions(self, lambda: self.presenter.listing))
        self.order = self.add(TableOrder(self, lambda: self.presenter.listing))
        self.previewer = self.add(Previewer(self, self.find_record))

    def body(self) -> ComposeResult:
        yield ListView([TITLE.column])
        yield self.cursor_line.line

    def place(self) -> str:
        return f"{super().place()} · {self.order.words}"

    @on(ListView.TitlePressed)
    def _press_title(self, event: ListView.TitlePressed) -> None:
        self.order.press_title(event.number)

    @on(ListView.CursorMoved)
    def _follow_cursor(self) -> None:
        self.cursor_line.cursor_moved()
