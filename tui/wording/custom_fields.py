"""Custom fields: the words for their kinds and values."""

from __future__ import annotations

from datetime import date

from core.domain.fields import CustomField, FieldKind, FieldSum
from core.text.amounts import write_amount
from core.text.dates import in_short

KINDS: dict[FieldKind, str] = {
    FieldKind.NUMBER: "Number",
    FieldKind.CHOICE: "Choice",
    FieldKind.DATE: "Date",
    FieldKind.PERSON: "Person",
    FieldKind.TEXT: "Text",
    FieldKind.LINK: "Link",
}


def value_words(field: CustomField, shown: str, today: date) -> str:
    """A value for people; ``shown`` is the kept text, or the name of a person."""
    if field.kind is FieldKind.NUMBER:
        return write_amount(shown)
    return in_short(date.fromisoformat(shown), today) if field.kind is FieldKind.DATE and shown else shown


def sum_words(each: FieldSum) -> str:
    """The sum of a field over the cards of a phase, and over those that are done: “budget 30 000 (1 500 done)”."""
    return f"{each.key} {write_amount(each.total)} ({write_amount(each.done)} done)"
