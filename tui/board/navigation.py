"""Moving about the board; every way to move ends in one repaint."""

from __future__ import annotations

from core.domain.canvas import Card, PhaseColumn
from core.domain.model import Id
from tui.board.grouping import BY_PHASE
from tui.board.renderer import BoardRenderer


class Walk(BoardRenderer):
    """A surface on which the cursor can be moved: plain methods, for keys and the mouse alike."""

    _row: int | None = None
    """The line that moving sideways keeps to, across columns that are too short for it."""

    @property
    def card(self) -> Card | None:
        return self.cursor.card

    @property
    def column(self) -> PhaseColumn | None:
        """The phase of the cursor; on the status board that of its card."""
        card, column = self.cursor.card, self.cursor.column
        if isinstance(column, PhaseColumn):
            return column
        return self.model.phases.get(card.phase_id) if card else None

    @property
    def by_phase(self) -> bool:
        """Whether phases are the columns."""
        return self.model.axes is BY_PHASE

    def move_cursor(self, dx: int, dy: int) -> None:
        """By columns to the right and by cards down; sideways it stays on its line as far as it can."""
        if dx:
            self._go_sideways(self.cursor.number + dx)
        if dy:
            self.cursor.step(dy)
            self._row = None
        self._moved()

    def page(self, direction: int) -> None:
        """Half a screen up (-1) or down (+1)."""
        self.move_cursor(0, direction * max(1, self.grid.body // self.grid.card // 2))

    def go_top(self) -> None:
        self.move_cursor(0, -len(self.model.by_id))

    def go_bottom(self) -> None:
        self.move_cursor(0, len(self.model.by_id))

    def go_to_column(self, number: int) -> None:
        """Go to the column with this number, counted from 1; a number that none has is ignored."""
        if 1 <= number <= len(self.model.columns):
            self._go_sideways(number - 1)
            self._moved()

    def begin_at_column(self, number: int) -> None:
        """Put the cursor where work begins: on the first task or activity of the phase with this number."""
        self.cursor.to_first_work(number - 1)
        self._row = None
        self._moved()

    def focus_card(self, card_id: Id) -> bool:
        """Put the cursor on a card; False when it cannot be seen."""
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
        """Scroll so that the focused card lies on the same line of the screen as before."""
        now = self.cursor_line
        if now is not None and now != line:
            self.scroll_column(self.cursor.number, self.top(self.cursor.number) + now - line)

    def _moved(self) -> None:
        self.reveal()
        self.sync()
