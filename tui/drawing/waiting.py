"""The mark of a card that waits for other cards: how many, or that an owner has overridden that."""

from __future__ import annotations

from typing import Protocol

from core.domain.model import Status
from core.record import Record
from tui.drawing.rows import Word
from tui.drawing.styles import Symbols, TextRole


class Waits(Protocol):
    """The fields of a card, or of one of my open items, that the mark follows from."""

    @property
    def status(self) -> Status | None: ...
    @property
    def waits_for(self) -> int: ...
    @property
    def overridden(self) -> int: ...


class WaitingMark(Record, kw_only=False):
    """The mark in words; ``short`` of them is for narrow places. A card that was started before it could is late."""

    words: str
    short: str
    text_role: TextRole

    def word(self, *, brief: bool) -> Word:
        return self.short if brief else self.words, self.text_role


def waiting_words(card: Waits) -> str:
    """Return "waits for 2", "started, waits for 2" or "overridden"; "" for a card that need not wait."""
    if card.waits_for:
        words = f"waits for {card.waits_for}"
        return f"started, {words}" if card.status is Status.IN_PROGRESS else words
    return "overridden" if card.overridden else ""


def waiting_mark(card: Waits, signs: Symbols) -> WaitingMark | None:
    """Return the mark of a card that waits for open cards, or need not because of an override; None for others."""
    words = waiting_words(card)
    if not words:
        return None
    is_late = card.waits_for and card.status is Status.IN_PROGRESS
    return WaitingMark(
        words=f"{signs.locked} {words}",
        short=f"{signs.locked}{card.waits_for}" if card.waits_for else words,
        text_role=TextRole.LATE if is_late else TextRole.SOON,
    )
