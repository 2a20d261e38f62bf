"""Times of day in files: a card has a day, so each time that is left out is counted."""

from __future__ import annotations

import json

import pytest

from core.import_export.files import read_document
from tests.unit.import_export.test_plans import plan

TIMES = [
    (plan("<Name>A</Name><Start>2026-12-03T08:00:00</Start><Finish>2026-12-03T17:00:00</Finish>"), ""),
    (plan("<Name>A</Name><Start>2026-12-03T00:00:00</Start><Finish>2026-12-03T23:59:00</Finish>"), ""),
    (plan("<Name>A</Name><Start>2026-12-03T08:00:00</Start><Finish>2026-12-03T12:30:00</Finish>"), "1 time of day is"),
    (plan("<Name>A</Name><Finish>2026-12-03T18:00:00</Finish>", more="<DefaultFinishTime>18:00:00</DefaultFinishTime>"),
     ""),
    (json.dumps([{"id": "b", "title": "A", "issue_type": "task", "due_at": "2026-12-03T10:00:00+01:00"}] * 2),
     "2 times of day are"),
    (json.dumps([{"id": "b", "title": "A", "issue_type": "task", "due_at": "2026-12-03"}]), ""),
    (json.dumps([{"uuid": "u", "description": "A", "status": "pending", "due": "20261203T101500Z"}]),
     "1 time of day is"),
    ("# P\n- [ ] A\n  - Due: 2026-12-03 10:00", "1 time of day is"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "number"), TIMES)
def test_times_of_day_that_are_left_out_are_counted_but_for_those_of_whole_days(text: str, number: str) -> None:
    noted = [each for each in read_document(text).notes if "of day" in each]
    assert noted == ([f"{number} left out: a card has a day."] if number else [])
