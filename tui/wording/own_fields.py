"""Own fields: the words for their kinds and values."""

from __future__ import annotations

from datetime import date

from core.domain.fields import FieldKind, FieldSum, OwnField
from core.text.dates import in_short

KINDS: dict[FieldKind, str] = {
    FieldKind.NUMBER: "Number",
    FieldKind.CHOICE: "Choice",
    FieldKind.DATE: "Date",
    FieldKind.PERSON: "Person",
    FieldKind.TEXT: "Text",
    FieldKind.LINK: "Link",
}


def value_words(field: OwnField, shown: str, today: date) -> str:
    """A value for people; ``shown`` is the kept text, or the name of a person."""
    return in_short(date.fromisoformat(shown), today) if field.kind is FieldKind.DATE and shown else shown


def sum_words(each: FieldSum) -> str:
    """The sum of a field over the cards of a phase: “estimate 5/13”, those done of all."""
    return f"{each.key} {each.done}/{each.total}"
