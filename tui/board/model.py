"""What is where on a Canvas: the cards of each phase by status, those the filter leaves, and changes in place."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from datetime import date
from typing import NamedTuple, TypeAlias

from core.authorization.question import LOCAL
from core.canvas import Canvas, CanvasChanges, CanvasHead, CanvasMember, Card, PhaseColumn
from core.model import Health, Id, ProjectRole, Status
from core.rules import Tally

Key = tuple[str, str]
"""The order of cards within a phase: rank, then id."""

Section: TypeAlias = Status | None
"""A section of a column: where the cards of one status lie, or APPLICATIONS. ``card.status`` is the card's section."""

APPLICATIONS: Section = None
"""The section of what has no status."""

Place = tuple[Id, Section]
"""A section of the board: one section of one phase."""

SECTIONS: tuple[Section, ...] = (Status.TO_DO, Status.IN_PROGRESS, Status.COMPLETED, Status.ARCHIVED)
"""The sections of every column, from top to bottom."""


NOTHING = Canvas(
    head=CanvasHead(
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
        tally=Tally(),
        columns=(),
        members=(),
        today=date.min,
        seq=0,
    ),
    cards=(),
)
"""What a board shows before it is told what to show."""


def key_of(card: Card) -> Key:
    return card.rank, card.id


class Gap(NamedTuple):
    """A place between cards, where something dragged would go in."""

    phase_id: Id
    section: Section
    at: int
    """The index of the card before which it goes; one past the last for the end."""


class Pile:
    """The cards of one section, in order. The keys lie in a list of their own, so that bisection needs no call back."""

    __slots__ = ("cards", "keys")

    def __init__(self) -> None:
        self.keys: list[Key] = []
        self.cards: list[Card] = []

    def __len__(self) -> int:
        return len(self.cards)

    def append(self, card: Card) -> None:
        """Add a card that is known to be the last."""
        self.keys.append(key_of(card))
        self.cards.append(card)

    def add(self, card: Card) -> None:
        key = key_of(card)
        index = bisect_left(self.keys, key)
        self.keys.insert(index, key)
        self.cards.insert(index, card)

    def discard(self, card: Card) -> None:
        index = self.place(card)
        if index is not None:
            del self.keys[index], self.cards[index]

    def place(self, card: Card) -> int | None:
        """The index of a card, or None when it is not here."""
        index = self.near(card)
        return index if index < len(self.keys) and self.keys[index] == key_of(card) else None

    def near(self, card: Card) -> int:
        """The index at which a card lies, or would lie."""
        return bisect_left(self.keys, key_of(card))


Piles = dict[Place, Pile]
EMPTY = Pile()


class BoardModel:
    """The cards of a Canvas by section. ``seen`` is what the filter leaves, and is ``piles`` itself without one."""

    def __init__(self, canvas: Canvas) -> None:
        self.words: tuple[str, ...] = ()
        self.show_archived = False
        self._texts: dict[Id, tuple[Card, str]] = {}
        self._take_head(canvas.head)
        self.by_id: dict[Id, Card] = {card.id: card for card in canvas.cards}
        self.piles = self._sorted(sorted(canvas.cards, key=key_of))
        self.seen = self.piles

    def _take_head(self, head: CanvasHead) -> None:
        self.head = head
        self.columns: tuple[PhaseColumn, ...] = head.columns
        self.index_of: dict[Id, int] = {column.id: index for index, column in enumerate(head.columns)}
        members = {member.user_id: member for member in head.members}
        if members != getattr(self, "members", None):
            self.members: dict[Id, CanvasMember] = members
            self._texts.clear()

    @staticmethod
    def _sorted(cards: list[Card]) -> Piles:
        piles: Piles = {}
        for card in cards:
            place = card.phase_id, card.status
            if place not in piles:
                piles[place] = Pile()
            piles[place].append(card)
        return piles

    # -- changes ---------------------------------------------------------------------------------------------

    def apply(self, changes: CanvasChanges) -> None:
        """Bring the picture up to date; the work grows with the changes, not with the board."""
        self._take_head(changes.head)
        for card_id in changes.gone:
            self._remove(card_id)
        for card in changes.changed:
            self._remove(card.id)
            self._insert(card)

    def _remove(self, card_id: Id) -> None:
        card = self.by_id.pop(card_id, None)
        self._texts.pop(card_id, None)
        if card is None:
            return
        for piles in self._both():
            if pile := piles.get((card.phase_id, card.status)):
                pile.discard(card)

    def _insert(self, card: Card) -> None:
        self.by_id[card.id] = card
        for piles in self._both():
            if piles is self.piles or self.matches(card):
                piles.setdefault((card.phase_id, card.status), Pile()).add(card)

    def _both(self) -> tuple[Piles, ...]:
        return (self.piles,) if self.seen is self.piles else (self.piles, self.seen)

    # -- the filter ------------------------------------------------------------------------------------------

    def filter_by(self, text: str) -> None:
        """Leave the cards that have every word of ``text`` in their title, in an assignee's name, or in the name of
        the product of an application or of the application that an activity holds.
        """
        self.words = tuple(text.casefold().split())
        if not self.words:
            self.seen = self.piles
            return
        self.seen = {}
        for place, pile in self.piles.items():
            self.seen[place] = left = Pile()
            for card in pile.cards:
                if self.matches(card):
                    left.append(card)

    def matches(self, card: Card) -> bool:
        text = self._text(card)
        return all(word in text for word in self.words)

    def _text(self, card: Card) -> str:
        """What the filter reads of a card, kept while the card stays the same."""
        known = self._texts.get(card.id)
        if known is not None and known[0] is card:
            return known[1]
        text = "\n".join([card.title, card.holds, *self.names(card.assignee_ids)]).casefold()
        self._texts[card.id] = (card, text)
        return text

    def names(self, user_ids: tuple[Id, ...]) -> list[str]:
        return [self.members[user_id].name for user_id in user_ids if user_id in self.members]

    # -- reading ---------------------------------------------------------------------------------------------

    @property
    def statuses(self) -> tuple[Section, ...]:
        """The sections that every column shows; the archive only on demand."""
        return SECTIONS if self.show_archived else SECTIONS[:3]

    def sections(self, phase_id: Id) -> tuple[Section, ...]:
        """The sections that the column of a phase shows.

        Applications come first, and only where there are some that can be seen (decided here): most phases have none,
        and an empty head would take a line of every column.
        """
        return (APPLICATIONS, *self.statuses) if self.seen.get((phase_id, APPLICATIONS)) else self.statuses

    def pile(self, phase_id: Id, section: Section) -> Pile:
        return self.seen.get((phase_id, section), EMPTY)

    def counts(self, phase_id: Id) -> tuple[int, ...]:
        """How many cards each shown section of a phase has."""
        return tuple(len(self.pile(phase_id, section)) for section in self.sections(phase_id))

    def find(self, card_id: Id | None) -> Card | None:
        """A card by id, if it can be seen now."""
        card = self.by_id.get(card_id) if card_id else None
        return card if card is not None and self.is_seen(card) else None

    def is_seen(self, card: Card) -> bool:
        shown = card.phase_id in self.index_of and (card.status is APPLICATIONS or card.status in self.statuses)
        return shown and (not self.words or self.matches(card))

    def cards(self) -> Iterator[Card]:
        """Every card that can be seen, in the order of the board."""
        for column in self.columns:
            yield from self.column_cards(column.id)

    def column_cards(self, phase_id: Id) -> list[Card]:
        """The cards of a phase that can be seen, from top to bottom."""
        return [card for section in self.sections(phase_id) for card in self.pile(phase_id, section).cards]
