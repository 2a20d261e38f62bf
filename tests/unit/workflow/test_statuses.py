"""Statuses: their transitions and counts, and the health that follows from the due dates."""

from __future__ import annotations

from datetime import date

import pytest

from core.domain.model import Health, Status
from core.domain.statuses import TRANSITIONS, ItemCounts, health

EMPTY, OPEN, ARCHIVED = ItemCounts(), ItemCounts(to_do=1, completed=2), ItemCounts(archived=1)

TODAY = date(2026, 3, 2)


@pytest.mark.parametrize(
    ("days", "expected"),
    [
        ([], Health.ON_TRACK),
        ([None], Health.ON_TRACK),
        ([-1], Health.OVERDUE),
        ([0], Health.AT_RISK),
        ([3], Health.AT_RISK),
        ([4], Health.ON_TRACK),
        ([30, None, -1], Health.OVERDUE),
    ],
)
def test_health_follows_the_most_urgent_due_date(days: list[int | None], expected: Health) -> None:
    dates = [None if day is None else date.fromordinal(TODAY.toordinal() + day) for day in days]
    assert health(False, dates, TODAY) is expected
    assert health(True, dates, TODAY) is Health.NONE


def test_progress_counts_what_is_not_archived() -> None:
    assert EMPTY.progress == 0.0
    assert ARCHIVED.progress == 0.0
    assert ItemCounts(to_do=1, in_progress=1, completed=2, archived=5).progress == 0.5
    assert OPEN + ItemCounts(archived=1, in_progress=2) == ItemCounts(1, 2, 2, 1)
    assert (OPEN.total, OPEN.open, OPEN.any, EMPTY.any, ARCHIVED.any) == (3, 1, True, False, True)


def test_the_transitions_are_those_of_the_specification() -> None:
    table = {
        "TO_DO": "IN_PROGRESS COMPLETED ARCHIVED",
        "IN_PROGRESS": "TO_DO COMPLETED ARCHIVED",
        "COMPLETED": "IN_PROGRESS TO_DO ARCHIVED",
        "ARCHIVED": "",
    }
    assert {Status(name): {Status(word) for word in words.split()} for name, words in table.items()} == TRANSITIONS
