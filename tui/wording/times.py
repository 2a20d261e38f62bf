"""Moments in words, in the local time zone."""

from __future__ import annotations

from datetime import UTC, datetime

from core.text.dates import in_full


def now() -> datetime:
    """The time, in UTC."""
    return datetime.now(UTC)


def when(at: datetime, now: datetime) -> str:
    """A moment in full: ``today 14:05``, ``yesterday 14:05`` or ``Mon 2 Mar 2026 14:05``."""
    return f"{_near(at, now) or in_full(at.astimezone().date())} {_time(at)}"


def when_now(at: datetime) -> str:
    """The same as of now."""
    return when(at, now())


def format_moment_short(at: datetime, now: datetime) -> str:
    """A moment in at most 16 cells: ``Mon 2 Mar 14:05``, or in another year ``Mon 2 Mar 2026``."""
    day, year = in_full(at.astimezone().date()), f" {now.astimezone().year}"
    if not day.endswith(year) and not _near(at, now):
        return day
    return f"{_near(at, now) or day.removesuffix(year)} {_time(at)}"


def format_day(at: datetime, now: datetime) -> str:
    """A moment in at most 11 cells: ``14:05`` today, else ``yesterday`` or ``2 Mar 2026``."""
    near = _near(at, now)
    if near:
        return _time(at) if near == "today" else near
    return in_full(at.astimezone().date()).partition(" ")[2]


def _near(at: datetime, now: datetime) -> str:
    """``today``, ``yesterday`` or an empty text."""
    days = (now.astimezone().date() - at.astimezone().date()).days
    return {0: "today", 1: "yesterday"}.get(days, "")


def _time(at: datetime) -> str:
    return f"{at.astimezone():%H:%M}"
