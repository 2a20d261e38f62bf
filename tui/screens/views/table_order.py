"""The order of the Table: the column that it is sorted by, or the phases with tasks below their activities."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set

from rich.cells import cell_len

from core.domain.canvas import Card
from core.domain.model import Id, ItemKind
from core.domain.view_settings import Sort
from core.record import replace
from tui.board.layout import is_subtask
from tui.screens.framework.controller import Action, Controller
from tui.screens.views.project_view import ProjectView
from tui.screens.views.table_columns import PARTS, PHASE, SORTABLE, RowContext, TableColumn, own_column
from tui.widgets.columns import Column
from tui.widgets.list_view import ListView

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

    screen: ProjectView

    def __init__(self, screen: ProjectView, listing: Callable[[], ListView]) -> None:
        super().__init__(screen)
        self._listing = listing
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
        """Sort as the preset does, as soon as there is another one, and by a custom field as it is now."""
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
        """The columns of the preset that are not empty for all cards that pass the filter, and the sorted column.

        The phase has a column only when the cards are not in the order of the phases.
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
        self._leave_phase(range(self._listing().number - 1, -1, -1))

    def do_right(self) -> None:
        """To the next card of another phase below."""
        self._leave_phase(range(self._listing().number + 1, len(self.screen.presenter.list_shown())))

    def _leave_phase(self, places: range) -> None:
        presenter = self.screen.presenter
        shown, card = presenter.list_shown(), presenter.card
        other = (place for place in places if card is None or shown[place].phase_id != card.phase_id)
        place = next(other, None)
        if place is not None:
            self._listing().go(place)

    def do_sort(self) -> None:
        """By the next column, and after the last one by phase again."""
        shown = [None, *(part for part in self.parts() if part.key)]
        self._sort_by(shown[(shown.index(self._sort) + 1) % len(shown) if self._sort in shown else 0])

    def do_reverse(self) -> None:
        self._sort_by(self._sort, backwards=not self._backwards)

    def _sort_by(self, part: TableColumn | None, *, backwards: bool = False) -> None:
        self._sort, self._backwards = part, backwards
        self.screen.presenter.redraw()
        self.screen.show_titles()

    def press_title(self, number: int) -> None:
        """Sort by the column of a heading, or turn the order around; not every column can be sorted by."""
        part = self.parts()[number]
        if part is self._sort:
            self.do_reverse()
        elif part.key:
            self._sort_by(part)
