"""The facts that a sentence says of a card after its place: what it waits for, its due date, labels and people."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

from core.domain.canvas import CanvasMember, Card
from core.domain.labels import Label
from core.domain.statuses import CLOSED
from core.text.dates import format_due
from tui.drawing.rows import one_line
from tui.drawing.waiting import waiting_words


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
