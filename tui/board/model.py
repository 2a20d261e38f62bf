"""The cards of a board by section, reduced by view settings and filter, and updated by changes."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence, Set
from datetime import date
from typing import TYPE_CHECKING, NamedTuple

from core.domain.canvas import Canvas, CanvasChanges, CanvasHeader, CanvasMember, Card, PhaseColumn
from core.domain.grants import LOCAL
from core.domain.model import Health, Id, ItemKind, PhaseState, ProjectRole, Status
from core.domain.statuses import ItemCounts
from core.domain.view_settings import PART_OF, PhaseSection, Sort, ViewSettings
from tui.board.grouping import BY_PHASE, SECTIONS, Column, Grouping, Place, Section
from tui.board.heads import SummaryLines, shows_texts, texts_of
from tui.board.sections import Families, Key, Measure, SortedCards, key_by
from tui.drawing.people import Team

if TYPE_CHECKING:
    from core.filters.filter import Filter

NOTHING = Canvas(
    head=CanvasHeader(
        project_id="",
        name="",
        key="",
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
    """The cards of a Canvas by section. ``seen`` has the visible ones; without filter and folds it is the same."""

    def __init__(self, canvas: Canvas, axes: Grouping = BY_PHASE, viewing: ViewSettings = DEFAULT) -> None:
        self.filter: Filter | None = None
        self.axes = axes
        self._show_archived = False
        self.members: dict[Id, CanvasMember] = {}
        self._team: Team | None = None
        self._choose(viewing)
        self.load(canvas)

    def load(self, canvas: Canvas) -> None:
        """Replace all cards, with nothing folded. The view settings and the filter stay."""
        self.by_id: dict[Id, Card] = {}
        self._waiting: Counter[Id] = Counter()
        """The number of To Do cards that wait for open cards, by phase."""
        self.families = Families(self)
        self._passing: set[Id] | None = None if self.filter is None else set()
        """The cards that match the filter; None without one."""
        for card in canvas.cards:
            self._keep(card)
        self.folded: frozenset[Id] = frozenset()
        """The phases that are narrow columns, and show none of their cards."""
        self._take_head(canvas.head)
        self._arrange()
        self.is_partial = canvas.unread > 0
        """True while only the first cards of each section are read, in the order of their ranks."""
        if self.is_partial:
            for (column_id, status), section in self.by_section.items():
                if status is not None:
                    section.unread = self.phases[column_id].tally.of(Status(status)) - len(section)

    def _choose(self, viewing: ViewSettings) -> None:
        self.viewing = viewing
        self.shows_texts = self.axes is BY_PHASE and shows_texts(viewing)
        """True when headers show the summary of their phase."""
        self.kinds: frozenset[ItemKind] = frozenset(kind for kind in ItemKind if PART_OF[kind] in viewing.sections)

    def _take_head(self, head: CanvasHeader) -> None:
        is_same_team = bool(self.members) and head.members is self.head.members
        self.head: CanvasHeader = head
        self.phases: dict[Id, PhaseColumn] = {phase.id: phase for phase in head.columns}
        self._take_columns()
        members = self.members if is_same_team else {member.user_id: member for member in head.members}
        if members != self.members:
            self.members, self._team = members, None

    def _take_columns(self) -> None:
        """Derive the columns from the Canvas header, the view settings and the switch for archived cards."""
        self.statuses = self._shown_statuses()
        self.every_section: tuple[Section, ...] = self.axes.every(self.head, self.statuses)
        """All sections that a column can have, from top to bottom."""
        self.columns: tuple[Column, ...] = self.axes.columns(self.head, self.statuses)
        self.index_of: dict[Id, int] = {column.id: index for index, column in enumerate(self.columns)}
        self.folded_numbers = frozenset(self.index_of[each] for each in self.folded if each in self.index_of)
        self.titles = self.axes.titles(self.head)
        self._texts: tuple[int, dict[Id, SummaryLines]] | None = None

    def _shown_statuses(self) -> tuple[Status, ...]:
        """The statuses on the board: archived only on demand, none if only applications are shown."""
        if self.kinds <= {ItemKind.APPLICATION}:
            return ()
        asked = self.filter is not None and self.filter.shows_archived
        return SECTIONS if self._show_archived or asked else SECTIONS[:3]

    def _arrange(self) -> None:
        """Sort every card of the shown kinds into its section, and apply filter and folds."""
        self.families.sort_by(key_by(self.viewing.sort, self.members, self.head.labels))
        place, kinds = self.axes.place, self.kinds
        found: defaultdict[Place, list[Card]] = defaultdict(list)
        for card in self.by_id.values():
            if card.kind in kinds:
                found[place(card)].append(card)
        self.by_section: CardsBySection = {where: SortedCards(self.families.key, found[where]) for where in found}
        self._leave()

    def _section(self, sections: CardsBySection, card: Card) -> SortedCards:
        """The section of a card, made if it is the first one there."""
        place = self.axes.place(card)
        if place not in sections:
            key = self.families.key if sections is self.by_section else self.families.key_seen
            sections[place] = SortedCards(key)
        return sections[place]

    # -- changes ---------------------------------------------------------------------------------------------

    def apply_settings(self, viewing: ViewSettings) -> None:
        """Apply view settings: kinds of cards, order, and whether archived cards are shown."""
        self._choose(viewing)
        self._show_archived = PhaseSection.ARCHIVED in viewing.sections
        self._take_columns()
        self._arrange()

    def apply(self, changes: CanvasChanges) -> None:
        """Apply changes. The work depends on the number of changes, not on the size of the board, unless it is sorted
        by assignee or label and the name of one changes.
        """
        members, labels = self.members, self.head.labels
        after: dict[Id, Card | None] = {card.id: card for card in changes.changed}
        after.update(dict.fromkeys(changes.gone))
        affected = self.families.of(after)
        for card_id in affected:  # while each key still is the one that the card was sorted by
            self._take_out(self.by_id.get(card_id))
        self._take_head(self.head.after(changes.head))
        for card_id, card in after.items():
            self._forget(card_id)
            if card is not None:
                self._keep(card)
        self.families.hide()
        for card_id in affected:
            self._put_in(self.by_id.get(card_id))
        by_people = self.viewing.sort is Sort.ASSIGNEE and self.members is not members
        if by_people or (self.viewing.sort is Sort.LABEL and self.head.labels != labels):
            self._arrange()

    def _keep(self, card: Card) -> None:
        self.by_id[card.id] = card
        if card.waits_for and card.status is Status.TO_DO:
            self._waiting[card.phase_id] += 1
        if card.activity_id is not None:
            self.families.add(card)
        if self.filter is not None and self._passing is not None and self.filter.matches(card):
            self._passing.add(card.id)

    def _forget(self, card_id: Id) -> None:
        card = self.by_id.pop(card_id, None)
        if card is not None:
            self.families.discard(card)
            if card.waits_for and card.status is Status.TO_DO:
                self._waiting[card.phase_id] -= 1
        if self._passing is not None:
            self._passing.discard(card_id)

    def _take_out(self, card: Card | None) -> None:
        if card is None:
            return
        for by_section in self._both():
            if section := by_section.get(self.axes.place(card)):
                section.discard(card)

    def _put_in(self, card: Card | None) -> None:
        if card is None or card.kind not in self.kinds:
            return
        for by_section in self._both():
            if by_section is self.by_section or self._shows(card):
                self._section(by_section, card).add(card)

    def _both(self) -> tuple[CardsBySection, ...]:
        return (self.by_section,) if self.seen is self.by_section else (self.by_section, self.seen)

    # -- the filter and folds --------------------------------------------------------------------------------

    def filter_by(self, only: Filter | None) -> None:
        """Show only the cards that match a filter, archived ones too if it asks for them; all without a filter."""
        self._passing = None if only is None else self._matching(only)
        self.filter = only
        self._take_columns()
        self._leave()

    def _matching(self, only: Filter) -> set[Id]:
        """The cards that match a filter, looked for among those that matched before if it only narrows that filter."""
        before = self._passing if self.filter is not None and only.narrows(self.filter) else None
        cards = self.by_id.values()
        return {card.id for card in cards if (before is None or card.id in before) and only.matches(card)}

    def fold(self, phases: frozenset[Id], families: frozenset[Id]) -> None:
        """Fold exactly these phases to narrow columns, and hide the tasks of exactly these activities."""
        if phases != self.folded:
            self.folded = phases
            self._take_columns()
        if families != self.families.folded:
            self.families.folded = families
            self._leave()

    def _leave(self) -> None:
        """Find the visible cards: those that pass, and are in no fold."""
        self.families.hide()
        self.seen = self.by_section
        if self._passing is None and not self.families.hiding:
            return
        self.seen = {}
        shows = self._shows if self.families.hiding else self.passes
        for place, section in self.by_section.items():
            self.seen[place] = left = section.only(shows, self.families.key_seen)
            if len(left) < len(section) and any(map(self.families.is_parted, left.cards)):
                left.sort()

    def passes(self, card: Card) -> bool:
        """True if a card matches the filter, or there is none."""
        return self._passing is None or card.id in self._passing

    def _shows(self, card: Card) -> bool:
        return self.passes(card) and not self.families.hides(card)

    # -- reading ---------------------------------------------------------------------------------------------

    @property
    def by_phase(self) -> bool:
        """True when phases are the columns."""
        return self.axes is BY_PHASE

    @property
    def own_order(self) -> bool:
        """True when cards are in the manual order, so that a card can be dropped before another."""
        return self.by_phase and self.viewing.sort is Sort.ORDER

    @property
    def show_archived(self) -> bool:
        """True when archived cards are shown."""
        return self._show_archived

    @show_archived.setter
    def show_archived(self, show: bool) -> None:
        self._show_archived = show
        self._take_columns()
        if self.families.folded:  # an activity that disappears hides no tasks
            self._leave()

    def texts(self, width: int) -> dict[Id, SummaryLines]:
        """The number of lines that the summary of each phase needs in columns of ``width`` cells; cached."""
        if self._texts is None or self._texts[0] != width:
            self._texts = (width, texts_of(self.columns, self.viewing, width))
        return self._texts[1]

    def sections(self, column_id: Id) -> tuple[Section, ...]:
        """The sections that a column shows; none in a folded phase."""
        return () if column_id in self.folded else self._sections(column_id)

    def _sections(self, column_id: Id) -> tuple[Section, ...]:
        return self.axes.sections(column_id, self.head, self.statuses, self.seen.get)

    def cards_of(self, column_id: Id, section: Section) -> SortedCards:
        return self.seen.get((column_id, section), EMPTY)

    def counts(self, column_id: Id) -> tuple[int, ...]:
        """The number of cards in each shown section of a column."""
        return tuple(len(self.cards_of(column_id, section)) for section in self.sections(column_id))

    def total_counts(self) -> tuple[int, int]:
        """The number of cards that the filter leaves, those in folds too, and the number without the filter."""
        shown = {(column, section) for column in self.index_of for section in self.every_section}
        without = sum(len(cards) for place, cards in self.by_section.items() if place in shown)
        left = sum(len(cards) for place, cards in self.seen.items() if place in shown)
        return left + sum(self.families.hidden.values()), without

    def lines(self, column_id: Id, measure: Measure) -> tuple[Sequence[int], ...]:
        """The lines of the cards in each shown section of a column."""
        return tuple(self.cards_of(column_id, section).lines(measure) for section in self.sections(column_id))

    def team(self, me: Id) -> Team:
        """The short names of the members; cached."""
        if self._team is None or self._team.me != me:
            self._team = Team({user_id: member.name for user_id, member in self.members.items()}, me)
        return self._team

    def ready_in(self, column: Column) -> int | None:
        """The number of cards of an open phase that can start now; None where none of its cards waits."""
        if not isinstance(column, PhaseColumn) or column.state is not PhaseState.OPEN:
            return None
        waiting = 0 if self.is_partial else self._waiting[column.id]
        return column.tally.to_do - waiting if waiting else None

    def count_in(self, column_id: Id) -> int:
        """The number of cards of a column, whether it is folded or not."""
        sections = self._sections(column_id)
        tucked = sum(self.families.hidden[column_id, section] for section in sections)
        found = (self.cards_of(column_id, section) for section in sections)
        return tucked + sum(len(cards) + cards.unread for cards in found)

    def find(self, card_id: Id | None) -> Card | None:
        """A card by id, or None if it is not on the board; it can be in a fold."""
        card = self.by_id.get(card_id) if card_id else None
        return card if card is not None and self.is_on_board(card) else None

    def is_on_board(self, card: Card) -> bool:
        column_id, section = self.axes.place(card)
        shown = card.kind in self.kinds and column_id in self.index_of and section in self.every_section
        return shown and self.passes(card)

    def visible_card(self, card: Card) -> Card:
        """The card itself, or the activity that hides it."""
        return self.by_id[card.activity_id] if card.activity_id and self.families.hides(card) else card

    def fold_of(self, card: Card) -> Id | None:
        """The folded phase or activity that hides a card, or None."""
        column_id = self.axes.place(card)[0]
        if column_id in self.folded:
            return column_id
        return card.activity_id if self.families.hides(card) else None

    def cards(self) -> Iterator[Card]:
        """Every visible card, in the order of the board."""
        for column in self.columns:
            yield from self.column_cards(column.id)

    def column_cards(self, column_id: Id) -> list[Card]:
        """The visible cards of a column, from top to bottom."""
        return [card for section in self.sections(column_id) for card in self.cards_of(column_id, section).cards]

    def find_all(self, ids: Set[Id]) -> list[Card]:
        """The cards on the board with these ids, those in folds too, in the order of the board."""
        order = {section: at for at, section in enumerate(self.every_section)} if ids else {}

        def place(card: Card) -> tuple[int, int, Key]:
            column_id, section = self.axes.place(card)
            return self.index_of[column_id], order[section], self.families.key(card)

        return sorted((card for each in ids if (card := self.find(each)) is not None), key=place)
