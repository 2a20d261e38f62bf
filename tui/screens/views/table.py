"""The Table of a project: every card in a line, sorted by any column, or in the order of the phases."""

from __future__ import annotations

from collections.abc import Sequence, Set

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult

from core.domain.canvas import Card
from core.domain.model import Id, ItemKind
from core.domain.view_settings import Sort
from core.record import replace
from tui.board.heights import is_subtask
from tui.screens.framework.controller import Action, Controller
from tui.screens.framework.list_actions import ListCursorActions
from tui.screens.framework.previewer import Previewer
from tui.screens.framework.row_cache import KeptRows
from tui.screens.views.presenter import ViewPresenter
from tui.screens.views.project_view import ProjectView
from tui.screens.views.table_rows import (
    PARTS,
    PHASE,
    SORTABLE,
    TITLE,
    RowContext,
    RowFacts,
    TableColumn,
    cells_of,
    heading_of,
    own_column,
    shared_facts,
)
from tui.widgets.columns import Cell, Column, Line, LinesInView
from tui.widgets.list_view import NOTHING_FITS, ListView

NO_PHASES = "This project has no phases yet.\nPress N to add the first one."
NO_CARDS = "No cards yet.\nPress n to add one."
NONE_SHOWN = (
    "No card is shown.\nThe preset leaves none, or they are archived. P for another preset, A to show the archive."
)


BATCH = 500
"""Cards that are asked at once."""


def in_families(cards: Sequence[Card], below: Set[Id]) -> list[Card]:
    """The same cards, with the tasks of each activity below it; ``below`` as of ``below_activities``."""
    if not below:
        return [*cards]
    tasks: dict[Id, list[Card]] = {}
    for card in cards:
        if card.id in below:
            tasks.setdefault(card.activity_id or "", []).append(card)
    return [each for card in cards if card.id not in below for each in (card, *tasks.get(card.id, ()))]


def below_activities(cards: Sequence[Card]) -> frozenset[Id]:
    """The tasks whose activities are among these cards."""
    activities = {card.id for card in cards if card.kind is ItemKind.ACTIVITY}
    if not activities:
        return frozenset()
    return frozenset(card.id for card in cards if card.activity_id in activities and is_subtask(card))


def said_in(cards: Sequence[Card], columns: Sequence[TableColumn]) -> list[TableColumn]:
    """The columns in which one of these cards says something, and those that stay without.

    The cards are asked in batches for all columns at once, because those of a large project are far apart in memory.
    """
    silent = {number: column.says for number, column in enumerate(columns) if column.says is not None}
    for first in range(0, len(cards), BATCH):
        batch = cards[first : first + BATCH]
        silent = {number: says for number, says in silent.items() if not any(map(says, batch))}
        if not silent:
            break
    return [column for number, column in enumerate(columns) if number not in silent]


class TableOrder(Controller):
    """Sort the cards, and step over the phases. The order follows the preset until another one is chosen."""

    screen: TableScreen

    def __init__(self, screen: TableScreen) -> None:
        super().__init__(screen)
        self._sort: TableColumn | None = None
        """The column that is sorted by; None for the order of the phases."""
        self._backwards = False
        self._preset_sort: tuple[Id, Sort] | None = None

    def actions(self) -> Sequence[Action]:
        return (
            Action("left", self.do_left),
            Action("right", self.do_right),
            Action("sort", self.do_sort),
            Action("reverse", self.do_reverse),
        )

    @property
    def is_by_phase(self) -> bool:
        """True while the cards are in the order of the phases."""
        return self._sort is None

    @property
    def words(self) -> str:
        """The order, for the title line."""
        order = f"by {self._sort.column.title.lower()}" if self._sort else "by phase"
        return f"{order}{', backwards' if self._backwards else ''}"

    def follow_project(self) -> None:
        """Sort as the preset does, as soon as there is another one, and by an own field as it is now."""
        preset, sort = self.screen.preset, self._sort
        if sort is not None and sort.own:
            fields = map(own_column, self.screen.head.fields)
            self._sort = next((column for column in fields if column.own == sort.own), None)
            self._backwards = self._backwards and self._sort is not None
        if self._preset_sort != (preset.id, preset.viewing.sort):
            self._preset_sort = (preset.id, preset.viewing.sort)
            self._sort = next((part for part in SORTABLE if part.sort is preset.viewing.sort), None)
            self._backwards = False

    def in_order(self, cards: Sequence[Card], around: RowContext) -> list[Card]:
        """The cards in order. Cards that are alike in the column stay in the order of the phases."""
        key = self._sort.key if self._sort else None
        if key is None:
            return in_families(cards[::-1] if self._backwards else cards, around.below)
        return sorted(cards, key=lambda card: key(card, around), reverse=self._backwards)

    def parts(self) -> tuple[TableColumn, ...]:
        """The columns that the preset shows and in which a card that the filter leaves says something, and that of the
        order. The phase is a column of its own only where it is not the order.
        """
        fields, cards = self.screen.preset.viewing.fields, self.screen.filter.cards()
        own = map(own_column, self.screen.head.fields)
        shown = (part for part in (*PARTS, *own) if part.field is None or part.field in fields)
        columns = [part for part in shown if part is not PHASE or self._sort is not None]
        said = said_in(cards, columns)
        return tuple(column for column in columns if column in said or column is self._sort)

    def heading(self, part: TableColumn) -> Column:
        """The heading of a column. The column of the order has a sign, and stays however narrow it gets."""
        if part is not self._sort:
            return part.column
        ascii_only = self.podium.ascii
        sign = ("v" if ascii_only else "▼") if self._backwards else ("^" if ascii_only else "▲")
        title = f"{part.column.title} {sign}"
        least, most = (max(cells, cell_len(title)) for cells in (part.column.least, part.column.most))
        return replace(part.column, title=title, least=least, most=most, rank=min(part.column.rank, 1))

    def do_left(self) -> None:
        """To the last card of another phase above."""
        self._leave_phase(range(self.screen.presenter.listing.number - 1, -1, -1))

    def do_right(self) -> None:
        """To the next card of another phase below."""
        self._leave_phase(range(self.screen.presenter.listing.number + 1, len(self.screen.presenter.list_shown())))

    def _leave_phase(self, places: range) -> None:
        presenter = self.screen.presenter
        shown, card = presenter.list_shown(), presenter.card
        other = (place for place in places if card is None or shown[place].phase_id != card.phase_id)
        place = next(other, None)
        if place is not None:
            presenter.listing.go(place)

    def do_sort(self) -> None:
        """By the next column, and after the last one by phase again."""
        shown = [None, *(part for part in self.parts() if part.key)]
        self._sort_by(shown[(shown.index(self._sort) + 1) % len(shown) if self._sort in shown else 0])

    def do_reverse(self) -> None:
        self._backwards = not self._backwards
        self.screen.presenter.redraw()
        self.screen.show_titles()

    def _sort_by(self, part: TableColumn | None) -> None:
        self._sort, self._backwards = part, False
        self.screen.presenter.redraw()
        self.screen.show_titles()

    def press_title(self, number: int) -> None:
        """Sort by the column of a heading, or turn the order around; not every column can be sorted by."""
        part = self.parts()[number]
        if part is self._sort:
            self.do_reverse()
        elif part.key:
            self._sort_by(part)


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
        self.order = self.add(TableOrder(self))
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
