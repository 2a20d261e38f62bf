"""The values of ``due:`` in a filter: words, a day, a comparison with a day, and a range of days."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from operator import attrgetter, eq, ge, gt, le, lt
from typing import TYPE_CHECKING, Any

from core.domain.canvas import Card
from core.domain.project_health import AT_RISK_WITHIN
from core.domain.statuses import CLOSED
from core.errors import InvalidInput
from core.filters.parser import Value
from core.text.dates import in_full, parse_due

if TYPE_CHECKING:
    from core.filters.context import FilterContext

Test = Callable[[Card], bool]

DUE_WORDS = {
    "late": "overdue, and still open",
    "today": "due today",
    "tomorrow": "due tomorrow",
    "soon": f"open, and due within {AT_RISK_WITHIN.days} days",
    "week": "due this week, Monday to Sunday",
    "none": "without a due date",
    "any": "with a due date",
    "<": "before a day: <fri, <3dec",
    ">": "after a day: >+2w",
}
"""The values that are offered after ``due:``, with their meanings."""

DAY_WORDS = {word: DUE_WORDS[word] for word in ("<", ">")} | {"week": "in this week, Monday to Sunday"}
"""The values that are offered for another date."""

SIGNS: dict[str, Callable[[Any, Any], bool]] = {"<=": le, ">=": ge, "<": lt, ">": gt, "=": eq}
"""The comparisons by their signs. The longer signs come first, because each begins with a shorter one."""

RANGE = ".."
_UNDERSTOOD = "Write late, soon, week, none, any, a day such as fri, +2w or 3dec, <fri, >=+2w or 1dec..7dec."


def due_predicate(value: Value, around: FilterContext) -> Test:
    """Return the condition for a value of ``due:``. Raises InvalidFilter.

    A card without a due date matches only ``none``.
    """
    today, word = around.today, value.word
    if word == "late":
        return lambda card: card.due is not None and card.due < today and card.status not in CLOSED
    if word == "soon":
        return lambda card: (
            card.due is not None and today <= card.due <= today + AT_RISK_WITHIN and card.status not in CLOSED
        )
    return day_predicate(value, today, attrgetter("due"))


def day_predicate(value: Value, today: date, day_of: Callable[[Card], date | None]) -> Test:
    """Return the condition on a day of a card: any, none, week, a day, <fri or a range. Raises InvalidFilter."""
    word = value.word
    if word in ("none", "any"):
        return lambda card: (day_of(card) is None) == (word == "none")
    bounds = day_bounds(value, today)
    if len(bounds) > 1:
        return _between(day_of, *(day for _, day in bounds))
    [(sign, day)] = bounds
    compare = SIGNS[sign]
    return lambda card: (held := day_of(card)) is not None and compare(held, day)


def day_bounds(value: Value, today: date) -> list[tuple[str, date]]:
    """Return the days that a value compares a day with, each with the sign: one, or two of a range. Raises
    InvalidFilter."""
    if value.word == "week":
        monday = today - timedelta(days=today.weekday())
        return [(">=", monday), ("<=", monday + timedelta(days=6))]
    if RANGE in value.text:
        return list(zip((">=", "<="), _ends(value, today), strict=True))
    sign = sign_of(value.text)
    return [(sign or "=", _day(value.part(len(sign)), today))]


def sign_of(text: str) -> str:
    """Return the comparison sign at the beginning of a value, or ""."""
    return next((sign for sign in SIGNS if text.startswith(sign)), "")


def _between(day_of: Callable[[Card], date | None], first: date, last: date) -> Test:
    return lambda card: (held := day_of(card)) is not None and first <= held <= last


def _ends(value: Value, today: date) -> tuple[date, date]:
    at = value.text.index(RANGE)
    first = _day(value.part(0, at), today)
    last = _day(value.part(at + len(RANGE)), today)
    if first > last:
        raise value.make_error(f"It ends before it begins: {in_full(first)} is after {in_full(last)}.")
    return first, last


def _day(value: Value, today: date) -> date:
    try:
        day = parse_due(value.text, today)
    except InvalidInput:
        day = None
    if day is None:
        wrong = f"{value.quoted} is not a day." if value.text.strip() else "A day is missing here."
        raise value.make_error(f"{wrong} {_UNDERSTOOD}")
    return day
