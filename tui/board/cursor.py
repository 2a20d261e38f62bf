"""The cursor: the focused column, and the focused card if the column has one that is not folded away.

The cursor keeps a copy of its card. When that card changes, the cursor follows it by id. When it is gone, the copy
still has its place, and the cursor goes to the nearest card.
"""

from __future__ import annotations

from typing import Protocol

from core.domain.canvas import Card, PhaseColumn
from core.domain.model import Id
from tui.board.grouping import APPLICATIONS, Column
from tui.board.model import BoardModel
from tui.board.viewport import Viewport


class Moved(Protocol):
    """Draws the board after the cursor was moved; with ``cursor_only`` nothing else has changed."""

    def __call__(self, *, cursor_only: bool = False) -> None: ...


class Cursor:
    """A position in a model: after every method, a visible card or a column without visible cards.

    The methods for keys and mouse, from ``move`` on, end in one repaint each.
    """

    def __init__(self, model: BoardModel, viewport: Viewport, moved: Moved) -> None:
        self.model = model
        self._viewport = viewport
        self._moved = moved
        self.row: int | None = None
        """The line that the cursor returns to when it moves sideways across columns that are too short."""
        self.card: Card | None = None
        self.number = 0
        """The index of the focused column; kept when that column is removed, so its neighbour is focused."""
        self.column_id: Id | None = None
        self.to_column(0)

    @property
    def column(self) -> Column | None:
        columns = self.model.columns
        return columns[self.number] if self.number < len(columns) else None

    @property
    def phase(self) -> PhaseColumn | None:
        """The phase of the focused column; on the status board, the phase of the focused card."""
        if isinstance(self.column, PhaseColumn):
            return self.column
        return self.model.phases.get(self.card.phase_id) if self.card else None

    @property
    def line(self) -> int | None:
        """The line of the focused card in the body, None without a card; it can be out of view."""
        place = self.place
        return self._viewport.line_of(self.number, place) if place else None

    @property
    def place(self) -> tuple[int, int] | None:
        """Section and index of the focused card, or None on an empty column."""
        if self.card is None:
            return None
        column_id, section = self.model.axes.place(self.card)
        return self.model.sections(column_id).index(section), self.model.cards_of(column_id, section).near(self.card)

    def put(self, card: Card) -> None:
        """Go to a card, or to what hides it: its folded activity or phase."""
        card = self.model.visible_card(card)
        self.column_id = self.model.axes.place(card)[0]
        self.card = None if self.column_id in self.model.folded else card
        self.number = self.model.index_of[self.column_id]

    def to_column(self, number: int) -> None:
        """Go to the first card of a column, or to the column itself if it is empty."""
        self.number = max(0, min(number, len(self.model.columns) - 1))
        self.card = None
        self.column_id = self.column.id if self.column else None
        self.step_to(0)

    def to_place(self, number: int, section: int, index: int) -> None:
        column = self.model.columns[number]
        self.put(self.model.cards_of(column.id, self.model.sections(column.id)[section]).cards[index])

    def _step(self, by: int) -> None:
        """Go down by some cards (negative: up), across sections; stop at the ends, and before cards that are unread."""
        if (place := self.place) and (column := self.column):
            counts = self.model.counts(column.id)
            if self.model.is_partial:
                by = max(-place[1], min(by, counts[place[0]] - 1 - place[1]))
            self.step_to(sum(counts[: place[0]]) + place[1] + by)

    def step_to(self, ordinal: int) -> None:
        """Go to the n-th card of the column, counted over its sections; past an end, stop at that end."""
        column = self.column
        if column is None:
            return
        counts = self.model.counts(column.id)
        ordinal = max(0, min(ordinal, sum(counts) - 1))
        for section, count in enumerate(counts):
            if ordinal < count:
                self.to_place(self.number, section, ordinal)
                return
            ordinal -= count

    # -- for keys and mouse ----------------------------------------------------------------------------------

    def move(self, dx: int, dy: int) -> None:
        """Move by ``dx`` columns to the right and ``dy`` cards down; sideways, to the card nearest to the same line."""
        if dx:
            self._go_sideways(self.number + dx)
        if dy:
            self._step(dy)
            self.row = None
        self._moved(cursor_only=True)

    def page(self, step: int) -> None:
        """Move half a screen up (-1) or down (+1), by at least one card."""
        place = self.place
        if place is None:
            return
        stack = self._viewport.stack(self.number)
        near = stack.nearest_card(stack.line(*place) + step * (self._viewport.grid.body // 2))
        if near is None or (near <= place if step > 0 else near >= place):
            self.move(0, step)
            return
        self.to_place(self.number, *near)
        self.row = None
        self._moved(cursor_only=True)

    def step(self, step: int) -> None:
        self.move(0, step)

    def top(self) -> None:
        self.move(0, -len(self.model.by_id))

    def bottom(self) -> None:
        self.move(0, len(self.model.by_id))

    def go_to_column(self, number: int) -> None:
        """Go to the column with this number, counted from 1; ignore a number out of range."""
        if 1 <= number <= len(self.model.columns):
            self._go_sideways(number - 1)
            self._moved(cursor_only=True)

    def begin_at_column(self, number: int) -> None:
        """Go to the first task or activity of the column with this number, counted from 1; else to an application."""
        self.to_column(number - 1)
        above = len(self.model.cards_of(self.column_id, APPLICATIONS)) if self.column_id else 0
        if self.column_id and above < sum(self.model.counts(self.column_id)):
            self.step_to(above)
        self.row = None
        self._moved()

    def _go_sideways(self, number: int) -> None:
        number = max(0, min(number, len(self.model.columns) - 1))
        if number == self.number:
            return
        if self.row is None:
            self.row = self.line
        near = self._viewport.stack(number).nearest_card((self.row or 0) + self._viewport.top(number))
        if near is not None:
            self.to_place(number, *near)
        else:
            self.to_column(number)

    # -- after changes ---------------------------------------------------------------------------------------

    def settle(self) -> None:
        """Find a valid position after a change of cards, filter or sections."""
        held = self.card
        if held is None:
            self._settle_column(self.column_id)
        elif (card := self.model.find(held.id)) is not None:
            self.put(card)
        else:
            self._settle_near(held)

    def _settle_column(self, column_id: Id | None) -> None:
        """Stay at a column, or at its neighbour if it was removed; an empty one can have got its first card."""
        self.to_column(self.model.index_of.get(column_id or "", self.number))

    def _settle_near(self, gone: Card) -> None:
        column_id = self.model.axes.place(gone)[0]
        self._settle_column(column_id)
        neighbour = self._neighbour(gone) if self.column_id == column_id else None
        if neighbour is not None:
            self.put(neighbour)

    def _neighbour(self, gone: Card) -> Card | None:
        """The next card in the same section, else the one before, else the nearest one of another section."""
        column_id, section = self.model.axes.place(gone)
        sections = self.model.every_section
        card_lists = [self.model.cards_of(column_id, each).cards for each in sections]
        home = sections.index(section) if section in sections else len(sections)
        if home < len(sections) and card_lists[home]:
            index = self.model.cards_of(column_id, section).near(gone)
            return card_lists[home][min(index, len(card_lists[home]) - 1)]
        after = next((cards[0] for cards in card_lists[home + 1 :] if cards), None)
        return after or next((cards[-1] for cards in reversed(card_lists[:home]) if cards), None)
