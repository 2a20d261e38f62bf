"""How the work of a project flowed: how many items stood where at the end of each day, from its history."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from math import ceil
from typing import ClassVar

from core.domain.model import Id, Status
from core.domain.permissions import Permission
from core.engine.messages import ProjectQuery
from core.engine.unit_of_work import Snapshot
from core.storage.database import Row

PACE_DAYS = 14
"""Over how many days the pace of a project is measured: long enough for a weekend to weigh little."""

FARTHEST_DAYS = 3650
"""A pace that takes longer is taken for none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BurnUpDay:
    """How many tasks and activities stood in each status at the end of a day; archived ones count nowhere."""

    day: date
    to_do: int
    in_progress: int
    completed: int

    @property
    def total(self) -> int:
        return self.to_do + self.in_progress + self.completed


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow:
    """One line a day from the first card to today, without a gap; ``due`` is the latest due date of a phase."""

    collection: ClassVar[str] = "days"

    days: tuple[BurnUpDay, ...]
    due: date | None

    @property
    def pace(self) -> float:
        """How many items a day were completed, less those reopened, over the last two weeks or all days there are."""
        recent = self.days[-PACE_DAYS - 1 :]
        return (recent[-1].completed - recent[0].completed) / (len(recent) - 1) if len(recent) > 1 else 0.0

    @property
    def finish(self) -> date | None:
        """The day on which everything would be completed at this pace; None when all is, or next to nothing moves."""
        if not self.days or self.pace <= 0:
            return None
        missing = self.days[-1].total - self.days[-1].completed
        ahead = ceil(missing / self.pace)
        return self.days[-1].day + timedelta(days=ahead) if 0 < ahead < FARTHEST_DAYS else None


@dataclass(frozen=True, slots=True, kw_only=True)
class GetBurnUp(ProjectQuery[Flow]):
    """How many items were to do, in progress and completed on each day of a project.

    It is read from the history, which keeps every status that an item ever had: no counters are stored. A day ends at
    midnight where the person is, as far as their client says so.
    """

    route = "GET /v1/projects/{project_id}/burn-up"
    permission = Permission.PROJECT_VIEW

    def run(self, view: Snapshot) -> Flow:
        due = view.rows("SELECT max(due) AS due FROM phase WHERE project_id = :id", id=self.project_id)[0]["due"]
        days = tuple(_without_gaps(_last_of_each_day(view, self.project_id), view.today))
        return Flow(days=days, due=date.fromisoformat(due) if due else None)


def _last_of_each_day(view: Snapshot, project_id: Id) -> dict[date, Counter[str]]:
    """How many items stood in each status after the last change of each day on which there was one."""
    ends: dict[date, Counter[str]] = {}
    status_of: dict[Id, str] = {}
    counts: Counter[str] = Counter()
    for row in _moves(view, project_id):
        item_id = json.loads(row["key"])["id"]
        after = json.loads(row["after"]) if row["after"] else {"status": None}
        if "status" in after:  # the search for the word also finds it in what people wrote
            counts[status_of.pop(item_id, "")] -= 1
            if after["status"] is not None:
                status_of[item_id] = after["status"]
                counts[after["status"]] += 1
            ends[view.day_of(datetime.fromisoformat(row["at"]))] = counts
            counts = counts.copy()
    return ends


def _moves(view: Snapshot, project_id: Id) -> list[Row]:
    """The records of the history in which an item got a status or went, the oldest first."""
    return view.rows(
        "SELECT change.at, record.key, record.after FROM change_record AS record"
        " JOIN change ON change.project_id = record.project_id AND change.seq = record.seq"
        " WHERE record.project_id = :project_id AND record.entity = 'item'"
        " AND (record.after IS NULL OR record.after LIKE '%\"status\"%')"
        " ORDER BY record.seq, record.position",
        project_id=project_id,
    )


def _without_gaps(ends: dict[date, Counter[str]], today: date) -> Iterator[BurnUpDay]:
    """A line for each day up to today; a day without a change ends as the one before it."""
    if not ends:
        return
    day, counts = min(ends), Counter[str]()
    last = max(today, *ends)
    while day <= last:
        counts = ends.get(day, counts)
        yield BurnUpDay(
            day=day,
            to_do=counts[Status.TO_DO],
            in_progress=counts[Status.IN_PROGRESS],
            completed=counts[Status.COMPLETED],
        )
        day += timedelta(days=1)
