"""Due dates as people type and read them: ``fri``, ``+2w``, ``3 dec``; "tomorrow", "3d late", "3 Dec".

Parsing and formatting take the current day as a parameter, because it is the user's day and not the server's. Words are
English; a week begins on Monday (ISO 8601).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import lru_cache

from core.errors import InvalidInput
from core.text.phrases import count
from core.text.sanitize import quote_value

TODAY = "Podium-Today"
"""The header with the user's current day, and optionally the offset of their clock from UTC, in the format of XML
Schema: 2026-03-02 or 2026-03-02+02:00."""

FIRST_YEAR, LAST_YEAR = 2000, 2199
LATE_SHOWN_IN_DAYS = 14
"""Days for which a past date is shown as a number of days; an older one is shown as a date."""

NAMED_WITHIN = 300
"""Days within which a day and its month name one day only."""

_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_FRIDAY = 4
MAX_CHARACTERS = 100
"""The length up to which a text is parsed as a date."""

_EXAMPLES = "Try tomorrow, fri, +3d, eom, 3 dec or 2026-12-03."
_LEAP_YEARS_APART = 8
"""The longest gap between two 29 Februaries, as around 2100."""

_DAY = r"(?P<day>[0-9]{1,2})"
_NAME = r"(?P<name>[a-z]{3,9})"
_YEAR = r"(?P<year>[0-9]{4}|[0-9]{2})"
_CALENDAR = (
    rf"{_DAY}(?:st|nd|rd|th|\.)? ?{_NAME}\.?(?:,? {_YEAR})?",  # 3 dec, 3rd dec 2027
    rf"{_NAME}\.? ?{_DAY}(?:st|nd|rd|th)?(?:,? {_YEAR})?",  # dec 3, dec 3, 2027
    rf"{_DAY}\. ?(?P<month>[0-9]{{1,2}})(?:\.|\. ?{_YEAR})?",  # 3.12. and 3.12.2027
    rf"(?P<year>[0-9]{{4}})-(?P<month>[0-9]{{1,2}})-{_DAY}",  # 2026-12-03
)
_DISTANCE = r"(?P<sign>[+-]?)(?P<count>[0-9]{1,4}) ?(?P<unit>d|days?|w|weeks?|m|months?)?"
"""These patterns are compiled, and cached by ``re``, when a user first types a date, and not at the start."""


def parse_due(text: str, today: date) -> date | None:
    """Parse the day that a user typed; None for "", "-" and "none". Raises InvalidInput.

    A day and month without a year is the next such day, today included. A weekday is the next one, today excluded;
    ``next fri`` is the Friday of next week, and ``eow`` the Friday of this one. ``27`` as a year is 2027. A distance in
    months keeps the day of the month, or takes the last day of a shorter month. A day that does not exist is refused,
    and so are years outside 2000 to 2199.
    """
    typed = " ".join(text.lower().split()) if len(text) <= MAX_CHARACTERS else text
    if typed in ("", "-", "none"):
        return None
    try:
        due = (
            None
            if len(typed) > MAX_CHARACTERS
            else _word(typed, today) or _weekday(typed, today) or _distance(typed, today) or _calendar(typed, today)
        )
    except (ValueError, OverflowError):
        raise InvalidInput("due", f"There is no day “{_quote(text)}”. {_EXAMPLES}") from None
    if due is None:
        raise InvalidInput("due", f"“{_quote(text)}” cannot be read as a date. {_EXAMPLES}")
    if not FIRST_YEAR <= due.year <= LAST_YEAR:
        raise InvalidInput(
            "due", f"“{_quote(text)}” is not between the years {FIRST_YEAR} and {LAST_YEAR}. {_EXAMPLES}"
        )
    return due


def parse_past(text: str, today: date) -> date | None:
    """Parse a day that has to be past, such as that of a meeting; otherwise as ``parse_due``.

    A weekday, and a day and month without a year, is the latest such day, today included.
    """
    due = parse_due(text, today)
    if due is None or due <= today:
        return due
    typed = " ".join(text.lower().split())
    if _place(typed, _WEEKDAYS) is not None:
        return due - timedelta(days=7)
    return _calendar(typed, today, step=-1) or due


def parse_days(text: str) -> int:
    """Parse a distance in days: 3 for ``+3d`` and ``3``, -7 for ``-1w``. Raises InvalidInput."""
    found = re.fullmatch(_DISTANCE, " ".join(text.lower().split()))
    unit = (found["unit"] or "d")[0] if found else ""
    if not found or unit == "m":  # months differ in length
        raise InvalidInput("days", f"“{_quote(text)}” is not a number of days or weeks. Try +3d or -1w.")
    return int(found["sign"] + found["count"]) * (7 if unit == "w" else 1)


def format_due(due: date, today: date) -> str:
    """Format a day in at most 10 ASCII characters: "today", "Fri" for the next six days, "3d late", "3 Dec 27".

    The year is omitted if it is the current one, so the result is for reading; fields for editing use ISO dates.
    """
    days = (due - today).days
    if days in _NEAR:
        return _NEAR[days]
    if 0 < days < 7:
        return _WEEKDAYS[due.weekday()][:3].title()
    if -LATE_SHOWN_IN_DAYS <= days < 0:
        return f"{-days}d late"
    return in_short(due, today)


def in_five_cells(due: date, today: date) -> str:
    """Format a day in at most 5 ASCII characters, for narrow lists: "today", "Fri", "-3d" if late, "13Dec", "2027".

    A day that is further away than ``NAMED_WITHIN`` days has only its year.
    """
    days = (due - today).days
    if days == 0:
        return _NEAR[days]
    if 0 < days < 7:
        return _WEEKDAYS[due.weekday()][:3].title()
    if -LATE_SHOWN_IN_DAYS <= days < 0:
        return f"{days}d"
    return f"{due.day}{month_name(due)[:3]}" if abs(days) <= NAMED_WITHIN else str(due.year)


def in_short(day: date, today: date) -> str:
    """Format a day as ``3 Dec``, with the year unless it is the current one; for completed items."""
    day_and_month = f"{day.day} {month_name(day)[:3]}"
    return day_and_month if day.year == today.year else f"{day_and_month} {day.year % 100:02}"


def in_minutes(at: datetime, zone: tzinfo | None, today: date) -> str:
    """Format a moment in a time zone as ``3 Dec 14:05``, for what can come several times a day."""
    here = at.astimezone(zone)
    return f"{in_short(here.date(), today)} {here:%H:%M}"


def in_full(day: date) -> str:
    """Format a day unambiguously, as ``Fri 27 Nov 2026``; English in every locale."""
    return f"{_WEEKDAYS[day.weekday()][:3].title()} {day.day} {month_name(day)[:3]} {day.year}"


def month_name(day: date) -> str:
    """Return the full name of the month, as ``November``; English in every locale."""
    return _MONTHS[day.month - 1].title()


def ago(at: datetime, now: datetime) -> str:
    """Format an age in one unit: "just now", "5 minutes ago", "3 weeks ago"."""
    minutes = max(0, int((now - at).total_seconds() // 60))
    units = ((525_600, "year"), (43_800, "month"), (10_080, "week"), (1_440, "day"), (60, "hour"), (1, "minute"))
    for length, unit in units:
        if minutes >= length:
            return f"{count(minutes // length, unit)} ago"
    return "just now"


def add_months(day: date, months: int) -> date:
    """Return the same day of another month, or its last day if it is shorter."""
    years, month = divmod(day.month - 1 + months, 12)
    first = date(day.year + years, month + 1, 1)
    after = date(first.year + (month == 11), (month + 1) % 12 + 1, 1)
    return min(first + timedelta(days=day.day - 1), after - timedelta(days=1))


def _quote(text: str) -> str:
    """Return typed text, sanitized and shortened for a sentence."""
    shown = quote_value(" ".join(text[:MAX_CHARACTERS].split()))
    return shown if len(shown) <= 30 else shown[:29] + "…"


_NEAR = {-1: "yesterday", 0: "today", 1: "tomorrow"}

_WORDS: dict[str, Callable[[date], date]] = {
    "today": lambda today: today,
    "tomorrow": lambda today: today + timedelta(days=1),
    "tom": lambda today: today + timedelta(days=1),
    "yesterday": lambda today: today - timedelta(days=1),
    "eow": lambda today: today + timedelta(days=(_FRIDAY - today.weekday()) % 7),
    "eom": lambda today: add_months(today.replace(day=1), 1) - timedelta(days=1),
    "next week": lambda today: today + timedelta(days=7 - today.weekday()),
}


def _word(typed: str, today: date) -> date | None:
    return _WORDS[typed](today) if typed in _WORDS else None


def _weekday(typed: str, today: date) -> date | None:
    """Parse ``fri`` and ``next fri``."""
    name = typed.removeprefix("next ")
    if (weekday := _place(name, _WEEKDAYS)) is None:
        return None
    if name == typed:
        return today + timedelta(days=(weekday - today.weekday() - 1) % 7 + 1)
    return today + timedelta(days=7 - today.weekday() + weekday)


def _distance(typed: str, today: date) -> date | None:
    """Parse ``+3``, ``2w``, ``-1d``. A number alone is not a distance, since it could be a day of the month."""
    found = re.fullmatch(_DISTANCE, typed)
    if not found or not (found["sign"] or found["unit"]):
        return None
    count = int(found["sign"] + found["count"])
    unit = (found["unit"] or "d")[0]
    if unit == "m":
        return add_months(today, count)
    return today + timedelta(days=count * 7 if unit == "w" else count)


def _calendar(typed: str, today: date, step: int = 1) -> date | None:
    """Parse a day of a named or numbered month, as ``_nearest`` without a year. Raises ValueError if there is none."""
    found = next((found for pattern in _CALENDAR if (found := re.fullmatch(pattern, typed))), None)
    if not found:
        return None
    parts = found.groupdict()
    month = int(parts["month"]) if "month" in parts else (_place(parts["name"], _MONTHS, start=1) or 0)
    if "name" in parts and not month:
        return None
    if year := parts["year"]:
        return date(int(year) if len(year) == 4 else 2000 + int(year), month, int(parts["day"]))
    return _nearest(int(parts["day"]), month, today, step)


def _place(name: str, names: tuple[str, ...], *, start: int = 0) -> int | None:
    """Return the index of the first of ``names`` that begins with ``name``, which has at least three letters."""
    places = (place for place, full in enumerate(names, start) if len(name) >= 3 and full.startswith(name))
    return next(places, None)


def _nearest(day: int, month: int, today: date, step: int) -> date:
    """Return the first such day from today on; with the step -1 the latest such day up to today."""
    for years in range(_LEAP_YEARS_APART + 1):
        try:
            found = date(today.year + step * years, month, day)
        except ValueError:
            continue
        if found == today or (found > today) is (step > 0):
            return found
    raise ValueError(f"no day {day} in month {month}")


def day_and_zone(said: str, now: datetime) -> tuple[date | None, tzinfo | None]:
    """Parse the header ``TODAY``: the day and the time zone.

    A part that is missing or malformed is None; both are None for a day that is not the current one anywhere on earth.
    """
    try:
        day = date.fromisoformat(said[:10])
        zone = _zone_of(said[10:]) if said[10:] else None
    except ValueError:
        return None, None
    return (day, zone) if abs(day - now.astimezone(UTC).date()) <= timedelta(days=1) else (None, None)


@lru_cache(maxsize=256)
def _zone_of(offset: str) -> tzinfo | None:
    """Parse the offset of a clock from UTC; raises ValueError. Each request has one, and ``strptime`` is slow."""
    return datetime.strptime(offset, "%z").tzinfo


def today_and_zone() -> str:
    """Return the value of the header ``TODAY`` for this machine."""
    return date.today().isoformat() + datetime.now().astimezone().isoformat(timespec="minutes")[16:]
