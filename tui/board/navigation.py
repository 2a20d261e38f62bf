"""Cursor movement on the board; every movement ends in one repaint."""

from __future__ import annotations

from core.domain.canvas import Card, PhaseColumn
from core.domain.model import Id
from tui.board.grouping import BY_PHASE
from tui.board.renderer import BoardRenderer


class BoardNavigation(BoardRenderer):
    """A board whose cursor can be moved, by methods for keys and mouse."""

    _row: int | None = None
    """The line that the cursor returns to when it moves sideways across columns that are too short."""

    @property
    def card(self) -> Card | None:
        return self.cursor.card

    @property
    def column(self) -> PhaseColumn | None:
        """The phase of the focused column; on the status board, the phase of the focused card."""
        card, column = self.cursor.card, self.cursor.column
        if isinstance(column, PhaseColumn):
            return column
        return self.model.phases.get(card.phase_id) if card else None

    @property
    def by_phase(self) -> bool:
        """True when phases are the columns."""
        return self.model.axes is BY_PHASE

    def move_cursor(self, dx: int, dy: int) -> None:
        """Move by ``dx`` columns to the right and ``dy`` cards down; sideways, to the card nearest to the same line."""
        if dx:
            self._go_sideways(self.cursor.number + dx)
        if dy:
            self.cursor.step(dy)
            self._row = None
        self._moved(cursor_only=True)

    def page(self, direction: int) -> None:
        """Move half a screen up (-1) or down (+1), by at least one card."""
        place, number = self.cursor.place, self.cursor.number
        if place is None:
            return
        stack = self.stack(number)
        near = stack.nearest_card(stack.line(*place) + direction * (self.grid.body // 2))
        if near is None or (near <= place if direction > 0 else near >= place):
            self.move_cursor(0, direction)
            return
        self.cursor.to_place(number, *near)
        self._row = None
        self._moved(cursor_only=True)

    def go_top(self) -> None:
        self.move_cursor(0, -len(self.model.by_id))

    def go_bottom(self) -> None:
        self.move_cursor(0, len(self.model.by_id))

    def go_to_column(self, number: int) -> None:
        """Go to the column with this number, counted from 1; ignore a number out of range."""
        if 1 <= number <= len(self.model.columns):
            self._go_sideways(number - 1)
            self._moved(cursor_only=True)

    def begin_at_column(self, number: int) -> None:
        """Put the cursor on the first task or activity of the phase with this number, counted from 1."""
        self.cursor.to_first_work(number - 1)
        self._row = None
        self._moved()

    def focus_card(self, card_id: Id) -> bool:
        """Put the cursor on a card. Return False if the card is not visible."""
        card = self.model.find(card_id)
        if card is not None:
            self.cursor.put(card)
            self._row = None
            self._moved()
        return card is not None

    def _go_sideways(self, number: int) -> None:
        number = max(0, min(number, len(self.model.columns) - 1))
        if number == self.cursor.number:
            return
        if self._row is None:
            self._row = self.cursor_line
        near = self.stack(number).nearest_card((self._row or 0) + self.top(number))
        if near is not None:
            self.cursor.to_place(number, *near)
        else:
            self.cursor.to_column(number)

    def _hold_line(self, line: int) -> None:
        """Scroll so that the focused card stays on this line of the screen, or as near to it as whole cards allow."""
        now, number = self.cursor_line, self.cursor.number
        if now is None or now == line:
            return
        stack, held, wanted = self.stack(number), self.grid.held, self.top(number) + now - line
        above, below = stack.rest(wanted, held=held), stack.rest(wanted, held=held, down=True)
        self.scroll_column(number, above if wanted - above <= below - wanted else below)

    def _moved(self, *, cursor_only: bool = False) -> None:
        """Scroll the cursor into view and draw; with ``cursor_only`` nothing else has changed."""
        self.reveal()
        self.sync(cursor_only=cursor_only)
