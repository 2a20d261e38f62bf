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


def waiting_mark(card: Waits, signs: Symbols) -> WaitingMark | None:
    """Return the mark of a card that waits for open cards, or need not because of an override; None for others."""
    started = card.status is Status.IN_PROGRESS
    if card.waits_for:
        words = f"started, waits for {card.waits_for}" if started else f"waits for {card.waits_for}"
        role = TextRole.LATE if started else TextRole.SOON
        return WaitingMark(f"{signs.locked} {words}", f"{signs.locked}{card.waits_for}", role)
    if card.overridden:
        return WaitingMark(f"{signs.locked} overridden", "overridden", TextRole.SOON)
    return None
