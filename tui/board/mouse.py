"""The mouse on the board: click, double click, wheel, hover, and dragging cards and phases to a drop line."""

from __future__ import annotations

from typing import Protocol

from textual import events
from textual.message import Message

from core.domain.canvas import Card, PhaseColumn
from core.domain.model import Id
from core.record import Record
from tui.board.cursor import Cursor
from tui.board.grouping import APPLICATIONS, Section
from tui.board.layout import LineKind
from tui.board.messages import CardDropped, CardOpened, MenuRequested, PhaseDropped, PhaseOpened
from tui.board.model import BoardModel, Gap
from tui.board.viewport import Viewport

WHEEL_LINES = 3
RIGHT_BUTTON = 3
WHEEL = {
    events.MouseScrollDown: (0, 1),
    events.MouseScrollUp: (0, -1),
    events.MouseScrollRight: (1, 0),
    events.MouseScrollLeft: (-1, 0),
}
"""The direction of each event of the wheel, by columns and lines."""


class HitTarget(Record, kw_only=False):
    """The column and its part at a point, with the section and the index of a card."""

    column: int
    part: LineKind
    section: int = 0
    index: int = 0
    line: int = 0
    """Lines from the top of the column's body, lines out of view included."""


class MouseBoard(Protocol):
    """The board, as the mouse acts on it."""

    def focus_card(self, card_id: Id) -> bool: ...
    def sync(self) -> None: ...
    def post_message(self, message: Message) -> bool: ...
    def capture_mouse(self) -> None: ...
    def release_mouse(self) -> None: ...


class BoardMouse:
    """Mouse support. Dragging only draws a line at the target; the move happens at the drop."""

    def __init__(self, board: MouseBoard, model: BoardModel, viewport: Viewport, cursor: Cursor) -> None:
        self._board = board
        self._model = model
        self._viewport = viewport
        self._cursor = cursor
        self._pressed: tuple[Id, int, int] | None = None
        """The pressed card or phase, and the cell (x, y); a drag begins when the mouse leaves that cell."""
        self.hovered: Id | None = None
        self.dragged: Id | None = None
        self.drop: Gap | None = None
        """The gap at which the dragged card would be inserted."""
        self.phase_drop: int | None = None
        """The column before which the dragged phase would be inserted."""

    def spot_at(self, x: int, y: int) -> HitTarget | None:
        """The target at a cell of the widget, or None outside the columns."""
        grid = self._viewport.grid
        column = grid.column_at(x)
        if column is None or not 0 <= y < grid.height:
            return None
        if y < grid.head or column in grid.folded:
            return HitTarget(column, LineKind.HEAD)
        stack, line = self._viewport.stack(column), y - grid.head + self._viewport.top(column)
        if y == grid.head and grid.held:  # the title of the section of the first card in view
            return HitTarget(
                column, LineKind.SECTION, stack.at(line + (stack.at(line)[0] is LineKind.CARD))[1], 0, line
            )
        return HitTarget(column, *stack.at(line), line)

    def card_at(self, x: int, y: int) -> Card | None:
        spot = self.spot_at(x, y)
        if spot is None or spot.part is not LineKind.CARD:
            return None
        column_id = self._model.columns[spot.column].id
        cards = self._model.cards_of(column_id, self._model.sections(column_id)[spot.section])
        if cards.unread and cards.is_unread(spot.line - self._viewport.stack(spot.column).top(spot.section) - 1):
            return None
        return cards.cards[spot.index]

    def _thing_at(self, x: int, y: int) -> Id | None:
        """The id of the card at a cell, or of the phase whose header is there."""
        if card := self.card_at(x, y):
            return card.id
        spot = self.spot_at(x, y)
        column = self._model.columns[spot.column] if spot and spot.part is LineKind.HEAD else None
        return column.id if isinstance(column, PhaseColumn) else None

    # -- buttons ---------------------------------------------------------------------------------------------

    def press(self, event: events.MouseDown) -> None:
        spot = self.spot_at(event.x, event.y)
        if spot is None:
            return
        if card := self.card_at(event.x, event.y):
            self._board.focus_card(card.id)
            if event.button == RIGHT_BUTTON:
                self._board.post_message(MenuRequested(card))
                return
        elif spot.column != self._cursor.number:
            self._cursor.go_to_column(spot.column + 1)
        can_drag = event.button == 1 and not self._model.is_partial  # a gap can be among the cards that are unread
        if can_drag and (thing := self._thing_at(event.x, event.y)):
            self._pressed = (thing, event.x, event.y)
            self._board.capture_mouse()

    def release(self, event: events.MouseUp) -> None:
        dragged = self.dragged
        drop, phase_drop = self.drop, self.phase_drop
        self.cancel_drag()
        if dragged is None:
            return
        event.stop()
        if drop is not None:
            self._drop_card(dragged, drop)
        elif phase_drop is not None:
            self._drop_phase(dragged, phase_drop)

    def click(self, event: events.Click) -> None:
        if event.chain != 2 or event.button == RIGHT_BUTTON:
            return
        if card := self.card_at(event.x, event.y):
            self._board.post_message(CardOpened(card))
        elif thing := self._thing_at(event.x, event.y):
            self._board.post_message(PhaseOpened(thing))

    # -- moving ----------------------------------------------------------------------------------------------

    def move(self, event: events.MouseMove) -> None:
        if self._pressed is not None and (self.dragged or self._pressed[1:] != (event.x, event.y)):
            self._drag_to(event.x, event.y)
        else:
            self.hover(self._thing_at(event.x, event.y))

    def hover(self, thing: Id | None) -> None:
        if thing != self.hovered:
            self.hovered = thing
            self._board.sync()

    def wheel(self, event: events.MouseEvent) -> None:
        """Scroll the column under the mouse, or with shift the columns.

        The cursor stays, and the next key brings it back into view.
        """
        event.stop()
        view, (columns, lines) = self._viewport, WHEEL[type(event)]
        if columns or event.shift:
            view.first += columns + lines
            self._board.sync()
        elif (column := view.grid.column_at(event.x)) is not None:
            view.scroll_column(column, view.top(column) + lines * WHEEL_LINES)
            self.hovered = self._thing_at(event.x, event.y)
            self._board.sync()

    # -- dragging --------------------------------------------------------------------------------------------

    def _drag_to(self, x: int, y: int) -> None:
        assert self._pressed is not None
        self.dragged, self.hovered = self._pressed[0], None
        grid = self._viewport.grid
        column = grid.column_at(max(0, min(x, grid.width - 1)))
        if column is None:
            column = grid.last - 1
        if self.dragged in self._model.by_id:
            line = max(grid.held, min(y, grid.height - 1) - grid.head) + self._viewport.top(column)
            self.drop = self._gap_for(self._model.by_id[self.dragged], column, line)
        else:
            left, width = grid.span(column)
            self.phase_drop = column + (x >= left + width // 2)
        self._board.sync()

    def _gap_for(self, card: Card, column: int, line: int) -> Gap:
        """The gap for a card that is dropped on this line. Applications stay together, above the other sections.

        In a phase without applications the gap is at the title of the first section, so that the drop line is visible.
        """
        column_id = self._model.columns[column].id
        if not self._model.by_phase:
            return self._sorted_gap(card, column_id, card.phase_id)
        if column_id in self._model.folded:  # at the end of its section there
            return Gap(column_id, card.status, len(self._model.cards_of(column_id, card.status)))
        sections = self._model.sections(column_id)
        section, index = self._viewport.stack(column).gap_at(line)
        gap = Gap(column_id, sections[section], index)
        if card.status is APPLICATIONS and gap.section is not APPLICATIONS:
            gap = Gap(column_id, sections[0], len(self._model.cards_of(column_id, APPLICATIONS)))
        elif card.status is not APPLICATIONS and gap.section is APPLICATIONS:
            gap = Gap(column_id, sections[1], 0)
        if not self._model.own_order:
            return self._sorted_gap(card, column_id, gap.section)
        return gap._replace(at=self._model.families.gap(card, (column_id, gap.section), gap.at))

    def _sorted_gap(self, card: Card, column_id: Id, section: Section) -> Gap:
        """The gap of a card in a section that is sorted by the view settings."""
        return Gap(column_id, section, self._model.cards_of(column_id, section).near(card))

    def cancel_drag(self) -> bool:
        """End a drag without a drop. Return False if there was none."""
        was_dragging = self.dragged is not None
        if self._pressed is not None:
            self._board.release_mouse()
        self._pressed = self.dragged = self.drop = self.phase_drop = None
        if was_dragging:
            self._board.sync()
        return was_dragging

    def _drop_card(self, card_id: Id, gap: Gap) -> None:
        """Post the move to the screen, unless the card would stay at its place."""
        card = self._model.find(card_id)
        if card is None or gap.column_id not in self._model.index_of:
            return
        if not self._model.by_phase:
            self._board.post_message(CardDropped(card, card.phase_id, gap.column_id, None, is_placed=False))
            return
        section = APPLICATIONS if card.status is APPLICATIONS else gap.section
        cards, index = self._model.cards_of(gap.column_id, section).cards, gap.at
        below = cards[index] if index < len(cards) and self._model.own_order else None
        if below is not None and not self._model.families.are_peers(card, below, (gap.column_id, section)):
            below = None
        before = below.id if below is not None else None
        here = (card.phase_id, card.status) == (gap.column_id, section)
        if self._model.own_order and here and card_id in [one.id for one in cards[max(0, index - 1) : index + 1]]:
            return
        self._board.post_message(CardDropped(card, gap.column_id, section, before, is_placed=self._model.own_order))

    def _drop_phase(self, phase_id: Id, number: int) -> None:
        columns = self._model.columns
        at = self._model.index_of.get(phase_id)
        if at is None or number in (at, at + 1):
            return
        self._board.post_message(PhaseDropped(phase_id, columns[number].id if number < len(columns) else None))
