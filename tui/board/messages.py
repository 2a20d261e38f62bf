"""Messages of the board to its screen. The board changes no data: the screen does, and calls ``Board.apply``."""

from __future__ import annotations

from textual.message import Message

from core.domain.canvas import Card
from core.domain.model import Id
from tui.board.grouping import Section


class CardOpened(Message, namespace="board"):
    """A card was double-clicked."""

    def __init__(self, card: Card) -> None:
        super().__init__()
        self.card = card


class CardDropped(Message, namespace="board"):
    """A card was dragged to a section, before another card or, without one, to the end of the section.

    An application can only be dropped among applications, and a task or an activity only among those. ``is_placed`` is
    false where the board sorts the cards: then the user chose a phase and a section, but no place among the cards.
    """

    def __init__(
        self, card: Card, phase_id: Id, section: Section, before_id: Id | None, *, is_placed: bool = True
    ) -> None:
        super().__init__()
        self.card = card
        self.phase_id = phase_id
        self.section = section
        self.before_id = before_id
        self.is_placed = is_placed


class PhaseDropped(Message, namespace="board"):
    """A phase was dragged by its header: before another phase or, without one, to the end."""

    def __init__(self, phase_id: Id, before_id: Id | None) -> None:
        super().__init__()
        self.phase_id = phase_id
        self.before_id = before_id


class PhaseOpened(Message, namespace="board"):
    """The header of a phase was double-clicked."""

    def __init__(self, phase_id: Id) -> None:
        super().__init__()
        self.phase_id = phase_id


class MenuRequested(Message, namespace="board"):
    """A card was clicked with the right button; the cursor is on it."""

    def __init__(self, card: Card) -> None:
        super().__init__()
        self.card = card
