"""The burn-up of a project: how many items had each status at the end of each day, the plan and the forecast."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from itertools import accumulate

from core.domain.model import Id, Status
from core.domain.permissions import Permission
from core.domain.project_health import Forecast, forecast, forecast_sentence
from core.domain.statuses import is_done
from core.engine.messages import ProjectQuery
from core.engine.unit_of_work import Snapshot
from core.record import COLLECTION, Record, field
from core.rules.phase_locks import Workflow
from core.rules.project_dates import read_dates
from core.storage.database import Row


class BurnUpDay(Record):
    """The number of tasks and activities in each status at the end of a day.

    Those that were archived as completed stay among the completed ones; the other archived ones are left out.
    """

    day: date
    to_do: int
    in_progress: int
    completed: int

    @property
    def total(self) -> int:
        return self.to_do + self.in_progress + self.completed


class PlannedDay(Record):
    """A day of the plan, and the number of cards that are to be completed by its end."""

    day: date
    cards: int


class BurnUp(Record):
    """One entry for each day from the first card to today, with the plan and the forecast."""

    days: tuple[BurnUpDay, ...] = field(name=COLLECTION)
    plan: tuple[PlannedDay, ...]
    """The due dates of the phases, in order: the cards of a phase, and of all before it, are planned until it is due.

    The first entry is the day on which the work begins, without cards. Empty without due dates.
    """
    forecast: Forecast
    outlook: str
    """The forecast as a sentence; empty without open cards."""


class GetBurnUp(ProjectQuery[BurnUp]):
    """Count the items to do, in progress and completed on each day of a project.

    They are read from the history, which has every status that an item ever had, so no counters are stored. A day ends
    at midnight in the user's time zone, if the client sends it.
    """

    route = "GET /v1/projects/{project_id}/burn-up"
    permission = Permission.PROJECT_VIEW

    def run(self, view: Snapshot) -> BurnUp:
        project, workflow, dates = read_dates(view, self.project_id)
        days = tuple(_without_gaps(_last_of_each_day(view, self.project_id), view.today))
        begins = project.start or (days[0].day if days else dates.first_day)
        return BurnUp(
            days=days,
            plan=_plan(workflow, begins),
            forecast=forecast(dates),
            outlook=forecast_sentence(dates),
        )


def _plan(workflow: Workflow, begins: date) -> tuple[PlannedDay, ...]:
    cards = accumulate(workflow.tally(phase.id).total for phase in workflow.phases)
    planned: dict[date, int] = {}
    for phase, until_then in zip(workflow.phases, cards, strict=True):
        if phase.due is not None and phase.due > begins:
            planned[phase.due] = until_then
    days = sorted(planned)
    most = accumulate((planned[day] for day in days), max)  # a phase can be due before an earlier one
    points = [(begins, 0), *zip(days, most, strict=True)]
    return tuple(PlannedDay(day=day, cards=number) for day, number in points if days)


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
                done = is_done(after["status"], after.get("archived_from"))
                status_of[item_id] = Status.COMPLETED if done else after["status"]
                counts[status_of[item_id]] += 1
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
