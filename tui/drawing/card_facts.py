"""The facts of a card beside it: its priority, and what it waits for; and all of them in a sentence.

Each has letters or a sign, and a colour that never stands alone; so have labels, in ``labels.py``.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Protocol

from textual.content import Content

from core.domain.canvas import CanvasMember, Card
from core.domain.labels import Label
from core.domain.model import Priority, Status
from core.domain.statuses import CLOSED
from core.record import Record
from core.text.dates import format_due
from tui.drawing.rows import Word, one_line
from tui.drawing.styles import Symbols, TextRole
from tui.drawing.theme import QUIET

PRIORITY_SIGNS = {Priority.LOW: "low", Priority.NORMAL: "", Priority.HIGH: "!", Priority.URGENT: "!!"}
PRIORITY_ROLES = {Priority.LOW: TextRole.QUIET, Priority.HIGH: TextRole.SOON, Priority.URGENT: TextRole.LATE}
PRIORITY_COLOURS = {Priority.LOW: QUIET, Priority.HIGH: "$text-warning", Priority.URGENT: "$text-error"}


def priority_word(priority: Priority) -> Word | None:
    """The sign of a priority; None for the normal one, about which nothing is said."""
    return (PRIORITY_SIGNS[priority], PRIORITY_ROLES[priority]) if priority.shown else None


def priority_in_full(priority: Priority) -> str:
    """The sign and the word of a priority: “!! urgent”; "" for the normal one."""
    sign = PRIORITY_SIGNS[priority]
    return priority.shown if sign == priority.shown else f"{sign} {priority.shown}"


def priority_content(priority: Priority) -> Content:
    """A priority for a page; empty for the normal one."""
    if not priority.shown:
        return Content("")
    return Content.styled(priority_in_full(priority), PRIORITY_COLOURS[priority])


# -- waiting ---------------------------------------------------------------------------------------------------------


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


def card_facts(card: Card, labels: Iterable[Label], people: Iterable[CanvasMember], today: date) -> list[str]:
    """Return the facts, such as "waits for 2", "due tomorrow", "high priority", "#print", "Ann Lee".

    ``labels`` are those of the project, ``people`` those who are assigned.
    """
    facts = list(filter(None, [waiting_words(card)]))
    if card.due and card.status not in CLOSED:
        shown = format_due(card.due, today)
        facts.append(shown if shown.endswith("late") else f"due {shown}")
    facts += [f"{card.priority.shown} priority"] if card.priority.shown else []
    if card.labels:
        facts += [f"#{one_line(label.name)}" for label in labels if label.id in card.labels]
    return facts + ([one_line(member.name) for member in people] or ["nobody assigned"])
