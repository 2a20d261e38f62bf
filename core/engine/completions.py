"""The number of items completed on each day, less those reopened, kept with the project: the pace of its work.

The row of the project in ``feed`` has them as JSON, by the date in UTC, so that no list reads the history. An item
created or imported as completed does not count, since it is no work of that day. ``UnitOfWork`` updates the numbers
with every item that it writes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import date, datetime, timedelta
from typing import Any

from core.domain.model import ChangeKind, Id, Item
from core.domain.project_health import PACE_DAYS
from core.domain.statuses import is_done
from core.errors import DatabaseDamaged

KEPT_DAYS = PACE_DAYS + 2
"""The days that are kept: those of the pace, and one more at each end for people in other time zones."""

COMPLETIONS = "SELECT completions FROM feed WHERE id = :project_id"
KEEP_COMPLETIONS = "UPDATE feed SET completions = :completions WHERE id = :project_id"
NONE_YET = "{}"
"""The text of a project in which nothing was completed lately."""


def completed_since(text: str, day: date) -> int:
    """The items completed after ``day``, by the text that is stored. Raises DatabaseDamaged."""
    return 0 if text == NONE_YET else sum(number for at, number in _loaded(text).items() if at > day.isoformat())


def with_completed(text: str, day: date, number: int) -> str:
    """The text with ``number`` more items completed on a day, and without the days that no pace needs any more."""
    numbers = _loaded(text)
    numbers[day.isoformat()] = numbers.get(day.isoformat(), 0) + number
    return dumped(numbers.items(), day)


def completion_by(item: object, changes: Mapping[str, Any], by: Id, now: datetime, kind: ChangeKind) -> dict[str, Any]:
    """Return who completes an item with these changes, and when.

    Nobody where it is open. An undo brings back what was, and of what it does not know nobody.
    """
    if not isinstance(item, Item) or "status" not in changes or "completed_at" in changes:
        return {}
    is_now = is_done(changes["status"], changes.get("archived_from", item.archived_from))
    if is_now and is_done(item.status, item.archived_from):
        return {}
    known = is_now and kind is ChangeKind.DO
    return {"completed_by": by if known else None, "completed_at": now if known else None}


def dumped(numbers: Iterable[tuple[str, int]], today: date) -> str:
    """The text as which the numbers of completed items are stored, by day."""
    first = (today - timedelta(days=KEPT_DAYS)).isoformat()
    return json.dumps({day: number for day, number in sorted(numbers) if number and day > first}, separators=(",", ":"))


def _loaded(text: str) -> dict[str, int]:
    try:
        return {day: int(number) for day, number in json.loads(text).items()}
    except (ValueError, TypeError, AttributeError) as error:
        raise DatabaseDamaged(
            f"The completed items “{text[:60]}” in the table feed cannot be read. “podium restore” restores a backup; "
            "the file is kept."
        ) from error
