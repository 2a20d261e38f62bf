"""The facts that a sentence says of a card after its place: what it waits for, its due date, labels and people."""

from __future__ import annotations

from datetime import date

from core.domain.canvas import CanvasHeader, Card
from core.domain.statuses import CLOSED
from core.text.dates import format_due
from tui.drawing.rows import one_line
from tui.drawing.waiting import waiting_words


def card_facts(card: Card, head: CanvasHeader, today: date) -> list[str]:
    """Return the facts, such as "waits for 2", "due tomorrow", "high priority", "#print", "Ann Lee"."""
    facts = list(filter(None, [waiting_words(card)]))
    if card.due and card.status not in CLOSED:
        shown = format_due(card.due, today)
        facts.append(shown if shown.endswith("late") else f"due {shown}")
    facts += [f"{card.priority.shown} priority"] if card.priority.shown else []
    facts += [f"#{one_line(label.name)}" for label in head.labels if label.id in card.labels]
    names = {member.user_id: member.name for member in head.members}
    people = [one_line(names[user_id]) for user_id in card.assignee_ids if user_id in names]
    return facts + (people or ["nobody assigned"])
