"""Values that completion offers while a filter is typed."""

from __future__ import annotations

from core.filters.parser import QUOTE
from core.record import Record


class Suggestion(Record, kw_only=False):
    """A value to offer, and its meaning. ``names`` are further texts by which it is found."""

    word: str
    meaning: str
    names: str = ""


def quote_if_needed(text: str) -> str:
    """Return a text with quotes if it needs them."""
    return text if text.isalnum() else f"{QUOTE}{text}{QUOTE}"
