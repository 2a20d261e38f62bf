"""Steps of a demo story, and the time at which each happened."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, time, timedelta
from typing import Any

from core.engine.messages import Command, Query
from core.record import Record

Send = Callable[[Command[Any] | Query[Any]], Any]
"""Carries out a command, or asks a query, as the person of the step; returns its result."""

Do = Callable[[Send], object]

OPENING = time(8, 30)
WORKING_DAY = timedelta(hours=9)
OVERTIME = timedelta(minutes=20)
LATEST = timedelta(hours=2)
"""All steps of today happened within this time before now."""

_FRIDAY = 4


class StoryStep(Record, kw_only=False):
    """An action of one person. ``day`` counts from today; its fraction is the part of the working day."""

    day: float
    who: str
    do: Do


def moment(day: float, now: datetime) -> datetime:
    """The time of a step, in working hours; steps of a weekend happen late on Friday. Later days give later times."""
    whole = int(day // 1)
    part = day - whole
    if whole >= 0:
        return now - LATEST * (1 - min(day, 1.0))
    local = now.astimezone()
    date = local.date() + timedelta(days=whole)
    start, length = datetime.combine(date, OPENING, local.tzinfo), WORKING_DAY
    late = date.weekday() - _FRIDAY
    if late > 0:
        start, length = start - timedelta(days=late) + WORKING_DAY + OVERTIME * (late - 1), OVERTIME
    return (start + length * part).astimezone(now.tzinfo)
