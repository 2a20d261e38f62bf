"""The burn-up of a project: how many items had each status at the end of each day, from its history."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from math import ceil

from core.domain.model import Id, Status
from core.domain.permissions import Permission
from core.engine.messages import ProjectQuery
from core.engine.unit_of_work import Snapshot
from core.record import COLLECTION, Record, field
from core.storage.database import Row

PACE_DAYS = 14
"""The number of days over which the pace is measured, long enough for a weekend to weigh little."""

FARTHEST_DAYS = 3650
"""The most days ahead for which a finish is predicted."""


class BurnUpDay(Record):
    """The number of tasks and activities in each status at the end of a day, without archived ones."""

    day: date
    to_do: int
    in_progress: int
    completed: int

    @property
    def total(self) -> int:
        return self.to_do + self.in_progress + self.completed


class BurnUp(Record):
    """One entry for each day from the first card to today. ``due`` is the latest due date of a phase."""

    days: tuple[BurnUpDay, ...] = field(name=COLLECTION)
    due: date | None

    @property
    def pace_days(self) -> int:
        """The number of days over which the pace is measured: two weeks or, if fewer, all days after the first."""
        return min(PACE_DAYS, max(0, len(self.days) - 1))

    @property
    def pace(self) -> float:
        """Items completed per day, less those reopened, over ``pace_days``; 0.0 on the first day."""
        if not self.pace_days:
            return 0.0
        return (self.days[-1].completed - self.days[-1 - self.pace_days].completed) / self.pace_days

    @property
    def finish(self) -> date | None:
        """The day on which everything would be completed at this pace; None if all is, or if hardly anything moves."""
        if not self.days or self.pace <= 0:
            return None
        missing = self.days[-1].total - self.days[-1].completed
        ahead = ceil(missing / self.pace)
        return self.days[-1].day + timedelta(days=ahead) if 0 < ahead < FARTHEST_DAYS else None


class GetBurnUp(ProjectQuery[BurnUp]):
    """Count the items to do, in progress and completed on each day of a project.

    They are read from the history, which has every status that an item ever had, so no counters are stored. A day ends
    at midnight in the user's time zone, if the client sends it.
    """

    route = "GET /v1/projects/{project_id}/burn-up"
    permission = Permission.PROJECT_VIEW

    def run(self, view: Snapshot) -> BurnUp:
        due = view.rows("SELECT max(due) AS due FROM phase WHERE project_id = :id", id=self.project_id)[0]["due"]
        days = tuple(_without_gaps(_last_of_each_day(view, self.project_id), view.today))
        return BurnUp(days=days, due=date.fromisoformat(due) if due else None)


def _last_of_each_day(view: Snapshot, project_id: Id) -> dict[date, Counter[str]]:
    """The number of items by status after the last change of each day that has changes."""
    ends: dict[date, Counter[str]] = {}
    status_of: dict[Id, str] = {}
    counts: Counter[str] = Counter()
    for row in _moves(view, project_id):
        item_id = json.loads(row["key"])["id"]
        after = json.loads(row["after"]) if row["after"] else {"status": None}
        if "status" in after:  # the LIKE below also matches texts that contain the word
            counts[status_of.pop(item_id, "")] -= 1
            if after["status"] is not None:
                status_of[item_id] = after["status"]
                counts[after["status"]] += 1
            ends[view.day_of(datetime.fromisoformat(row["at"]))] = counts
            counts = counts.copy()
    return ends


def _moves(view: Snapshot, project_id: Id) -> list[Row]:
    """The records of the history that gave an item a status or deleted it, the oldest first."""
    return view.rows(
        "SELECT change.at, record.key, record.after FROM change_record AS record"
        " JOIN change ON change.project_id = record.project_id AND change.seq = record.seq"
        " WHERE record.project_id = :project_id AND record.entity = 'item'"
        " AND (record.after IS NULL OR record.after LIKE '%\"status\"%')"
        " ORDER BY record.seq, record.position",
        project_id=project_id,
    )


def _without_gaps(ends: dict[date, Counter[str]], today: date) -> Iterator[BurnUpDay]:
    """One entry for each day up to today. A day without changes repeats the day before."""
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
