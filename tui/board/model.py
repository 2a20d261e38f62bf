"""The cards of a board by section, reduced by view settings and filter, and updated by changes."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import TYPE_CHECKING, NamedTuple

from core.domain.canvas import Canvas, CanvasChanges, CanvasHeader, CanvasMember, Card, PhaseColumn
from core.domain.grants import LOCAL
from core.domain.model import Health, Id, ItemKind, ProjectRole, Status
from core.domain.statuses import ItemCounts
from core.domain.view_settings import PART_OF, PhaseSection, Sort, ViewSettings
from tui.board.grouping import BY_PHASE, SECTIONS, Column, Grouping, Place, Section
from tui.board.phase_summary import SummaryLines, shows_texts, texts_of
from tui.board.sections import SortedCards, key_by

if TYPE_CHECKING:
    from core.filters.filter import Filter

NOTHING = Canvas(
    head=CanvasHeader(
        project_id="",
        name="",
        description="",
        archived=False,
        version=0,
        links=(),
        my_role=ProjectRole.VIEWER,
        held=frozenset(),
        authority=LOCAL,
        health=Health.NONE,
        start=None,
        tally=ItemCounts(),
        columns=(),
        members=(),
        today=date.min,
        seq=0,
    ),
    cards=(),
)
"""The Canvas that a board shows before the first ``show``."""

DEFAULT = ViewSettings()


class Gap(NamedTuple):
    """The place between cards at which a dragged card would be inserted."""

    column_id: Id
    section: Section
    at: int
    """The index of the card after the gap; the number of cards for the end."""


CardsBySection = dict[Place, SortedCards]
EMPTY = SortedCards()


class BoardModel:
    """The cards of a Canvas by section. ``seen`` has those that match the filter, and is ``by_section`` without one."""

    def __init__(self, canvas: Canvas, axes: Grouping = BY_PHASE, viewing: ViewSettings = DEFAULT) -> None:
        self.filter: Filter | None = None
        self.axes = axes
        self._show_archived = False
        self.by_id: dict[Id, Card] = {card.id: card for card in canvas.cards}
        self.members: dict[Id, CanvasMember] = {}
        self._choose(viewing)
        self._take_head(canvas.head)
        self._arrange()

    def _choose(self, viewing: ViewSettings) -> None:
        self.viewing = viewing
        self.shows_texts = self.axes is BY_PHASE and shows_texts(viewing)
        """True when headers show the summary of their phase."""
        self.kinds: frozenset[ItemKind] = frozenset(kind for kind in ItemKind if PART_OF[kind] in viewing.sections)

    def _take_head(self, head: CanvasHeader) -> None:
        self.head = head
        self.phases: dict[Id, PhaseColumn] = {phase.id: phase for phase in head.columns}
        self._take_columns()
        members = {member.user_id: member for member in head.members}
        if members != self.members:
            self.members = members

    def _take_columns(self) -> None:
        """Derive the columns from the Canvas header, the view settings and the switch for archived cards."""
        self.statuses = self._shown_statuses()
        self.columns: tuple[Column, ...] = self.axes.columns(self.head, self.statuses)
        self.index_of: dict[Id, int] = {column.id: index for index, column in enumerate(self.columns)}
        self.titles = self.axes.titles(self.head)
        self._texts: tuple[int, dict[Id, SummaryLines]] | None = None

    def _shown_statuses(self) -> tuple[Status, ...]:
        """The statuses on the board: archived only on demand, none if only applications are shown."""
        if self.kinds <= {ItemKind.APPLICATION}:
            return ()
        asked = self.filter is not None and self.filter.shows_archived
        return SECTIONS if self._show_archived or asked else SECTIONS[:3]

    def _arrange(self) -> None:
        """Sort every card of the shown kinds into its section, and apply the filter."""
        key = key_by(self.viewing.sort, self.members)
        self.by_section: CardsBySection = {}
        for card in sorted(self.by_id.values(), key=key):
            if card.kind in self.kinds:
                place = self.axes.place(card)
                if place not in self.by_section:
                    self.by_section[place] = SortedCards(key)
                self.by_section[place].append(card)
        self.seen = self.by_section
        self._leave()

    # -- changes ---------------------------------------------------------------------------------------------

    def apply_settings(self, viewing: ViewSettings) -> None:
        """Apply view settings: kinds of cards, order, and whether archived cards are shown."""
        self._choose(viewing)
        self._show_archived = PhaseSection.ARCHIVED in viewing.sections
        self._take_columns()
        self._arrange()

    def apply(self, changes: CanvasChanges) -> None:
        """Apply changes. The work depends on the number of changes, not on the size of the board, unless it is sorted
        by assignee and a member's name changes.
        """
        members = self.members
        self._take_head(changes.head)
        for card_id in changes.gone:
            self._remove(card_id)
        for card in changes.changed:
            self._remove(card.id)
            self._insert(card)
        if self.viewing.sort is Sort.ASSIGNEE and self.members is not members:
            self._arrange()

    def _remove(self, card_id: Id) -> None:
        card = self.by_id.pop(card_id, None)
        if card is None:
            return
        for by_section in self._both():
            if section := by_section.get(self.axes.place(card)):
                section.discard(card)

    def _insert(self, card: Card) -> None:
        self.by_id[card.id] = card
        if card.kind not in self.kinds:
            return
        for by_section in self._both():
            if by_section is self.by_section or self.matches(card):
                place = self.axes.place(card)
                if place not in by_section:
                    by_section[place] = SortedCards(key_by(self.viewing.sort, self.members))
                by_section[place].add(card)

    def _both(self) -> tuple[CardsBySection, ...]:
        return (self.by_section,) if self.seen is self.by_section else (self.by_section, self.seen)

    # -- the filter ------------------------------------------------------------------------------------------

    def filter_by(self, only: Filter | None) -> None:
        """Show only the cards that match a filter, archived ones too if it asks for them; all without a filter."""
        self.filter = only
        self._take_columns()
        self._leave()

    def _leave(self) -> None:
        if self.filter is None:
            self.seen = self.by_section
            return
        self.seen = {}
        for place, section in self.by_section.items():
            self.seen[place] = left = SortedCards(section.key)
            for card in section.cards:
                if self.filter.matches(card):
                    left.append(card)

    def matches(self, card: Card) -> bool:
        """True if a card matches the filter, or there is none."""
        return self.filter is None or self.filter.matches(card)

    def names(self, user_ids: tuple[Id, ...]) -> list[str]:
        return [self.members[user_id].name for user_id in user_ids if user_id in self.members]

    # -- reading ---------------------------------------------------------------------------------------------

    @property
    def show_archived(self) -> bool:
        """True when archived cards are shown."""
        return self._show_archived

    @show_archived.setter
    def show_archived(self, show: bool) -> None:
        self._show_archived = show
        self._take_columns()

    @property
    def every_section(self) -> tuple[Section, ...]:
        """All sections that a column can have, from top to bottom."""
        return self.axes.every(self.head, self.statuses)

    def texts(self, width: int) -> dict[Id, SummaryLines]:
        """The number of lines that the summary of each phase needs in columns of ``width`` cells; cached."""
        if self._texts is None or self._texts[0] != width:
            self._texts = (width, texts_of(self.columns, self.viewing, width))
        return self._texts[1]

    def sections(self, column_id: Id) -> tuple[Section, ...]:
        """The sections that a column shows."""
        return self.axes.sections(column_id, self.head, self.statuses, self.seen.get)

    def cards_of(self, column_id: Id, section: Section) -> SortedCards:
        return self.seen.get((column_id, section), EMPTY)

    def section_of_card(self, card: Card) -> SortedCards:
        """The section of a card, or of a removed card before it was removed."""
        return self.seen.get(self.axes.place(card), EMPTY)

    def counts(self, column_id: Id) -> tuple[int, ...]:
        """The number of cards in each shown section of a column."""
        return tuple(len(self.cards_of(column_id, section)) for section in self.sections(column_id))

    def total_counts(self) -> tuple[int, int]:
        """The number of visible cards, and the number without the filter."""
        shown = {(column, section) for column in self.index_of for section in self.every_section}
        without = sum(len(cards) for place, cards in self.by_section.items() if place in shown)
        return sum(len(cards) for place, cards in self.seen.items() if place in shown), without

    def find(self, card_id: Id | None) -> Card | None:
        """A card by id, or None if it is not visible."""
        card = self.by_id.get(card_id) if card_id else None
        return card if card is not None and self.is_seen(card) else None

    def is_seen(self, card: Card) -> bool:
        column_id, section = self.axes.place(card)
        shown = card.kind in self.kinds and column_id in self.index_of and section in self.every_section
        return shown and self.matches(card)

    def cards(self) -> Iterator[Card]:
        """Every visible card, in the order of the board."""
        for column in self.columns:
            yield from self.column_cards(column.id)

    def column_cards(self, column_id: Id) -> list[Card]:
        """The visible cards of a column, from top to bottom."""
        return [card for section in self.sections(column_id) for card in self.cards_of(column_id, section).cards]
