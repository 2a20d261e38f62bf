"""The burn-up of a project: how many items had each status at the end of each day, the plan and the forecast."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta
from itertools import accumulate
from typing import Any

from core.codec.decoding import decode
from core.domain.fields import CustomField, Number, add_numbers, in_thousandths, number_of
from core.domain.model import Id, Status
from core.domain.permissions import Permission
from core.domain.phase_states import Workflow
from core.domain.project_health import Forecast, forecast, forecast_sentence
from core.domain.statuses import is_done
from core.engine.messages import ProjectQuery
from core.engine.unit_of_work import Snapshot
from core.errors import InvalidInput
from core.reads.project_state import read_dates
from core.record import COLLECTION, Record, field
from core.rules.card_fields import SUMS
from core.rules.fields import fields_of
from core.text.phrases import names
from core.text.sanitize import quote_value


class BurnUpDay(Record):
    """The number of tasks and activities in each status at the end of a day, or the sum of a field over them.

    Those that were archived as completed stay among the completed ones; the other archived ones are left out.
    """

    day: date
    to_do: Number
    in_progress: Number
    completed: Number

    @property
    def total(self) -> Number:
        return add_numbers(self.to_do, self.in_progress, self.completed)


class PlannedDay(Record):
    """A day of the plan, and the number of cards, or the sum of a field, that is to be completed by its end."""

    day: date
    cards: Number


class SummedField(Record, kw_only=False):
    """A custom field that can be added up."""

    key: str
    name: str


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
    unit: str = ""
    """The name of the field that is added up; empty where cards are counted."""
    sums: tuple[SummedField, ...] = ()
    """The fields that can be added up."""


class GetBurnUp(ProjectQuery[BurnUp]):
    """Count the items to do, in progress and completed on each day of a project.

    They are read from the history, which has every status that an item ever had, so no counters are stored. A day ends
    at midnight in the user's time zone, if the client sends it. With ``sum``, the key of a custom field that sums, its
    numbers are added up instead; the forecast stays that of the cards.
    """

    route = "GET /v1/projects/{project_id}/burn-up"
    permission = Permission.PROJECT_VIEW
    sum: str = ""

    def run(self, view: Snapshot) -> BurnUp:
        project, workflow, dates = read_dates(view, self.project_id)
        fields = [field for field in fields_of(view, self.project_id) if field.sums]
        chosen = self._find_field(fields)
        days = tuple(_without_gaps(_last_of_each_day(view, self.project_id, chosen), view.today))
        begins = project.start or (days[0].day if days else dates.first_day)
        return BurnUp(
            days=days,
            plan=_plan(workflow, begins, self._count_plan(view, workflow, chosen)),
            forecast=forecast(dates),
            outlook=forecast_sentence(dates),
            unit=chosen.name if chosen else "",
            sums=tuple(SummedField(field.key, field.name) for field in fields),
        )

    def _find_field(self, fields: Sequence[CustomField]) -> CustomField | None:
        """Return the field to add up, None for cards. Raises InvalidInput."""
        found = next((field for field in fields if field.key == self.sum), None)
        if self.sum and found is None:
            known = names([field.key for field in fields]) or "none"
            raise InvalidInput("sum", f"No field “{quote_value(self.sum)}” is added up here. Those that are: {known}.")
        return found

    def _count_plan(self, view: Snapshot, workflow: Workflow, chosen: CustomField | None) -> list[int]:
        """Return the number of cards of each phase, or the sum of the field, in thousandths."""
        if chosen is None:
            return [workflow.tally(phase.id).total * 1000 for phase in workflow.phases]
        rows = view.tx.tuples(SUMS, project_id=self.project_id)
        totals = {phase_id: total for phase_id, key, _, total in rows if key == chosen.key}
        return [totals.get(phase.id, 0) for phase in workflow.phases]


def _plan(workflow: Workflow, begins: date, thousandths: Sequence[int]) -> tuple[PlannedDay, ...]:
    cards = accumulate(thousandths)
    planned: dict[date, int] = {}
    for phase, until_then in zip(workflow.phases, cards, strict=True):
        if phase.due is not None and phase.due > begins:
            planned[phase.due] = until_then
    days = sorted(planned)
    most = accumulate((planned[day] for day in days), max)  # a phase can be due before an earlier one
    points = [(begins, 0), *zip(days, most, strict=True)]
    return tuple(PlannedDay(day=day, cards=number_of(number)) for day, number in points if days)


def _last_of_each_day(view: Snapshot, project_id: Id, field: CustomField | None) -> dict[date, Counter[str]]:
    """The number of items by status, in thousandths, or the sum of their field, after each day that has changes."""
    ends: dict[date, Counter[str]] = {}
    status_of: dict[Id, str] = {}
    counts: Counter[str] = Counter()
    weights: defaultdict[Id, int] = defaultdict(lambda: 0 if field else 1000)
    day, moment = date.min, ""
    for at, key_text, after_text in _moves(view, project_id, field):
        if at != moment:  # one change can have thousands of records
            moment, before = at, day
            day = view.day_of(datetime.fromisoformat(at))
            if day != before:
                counts = counts.copy()
        key = decode(key_text, dict[str, Any])
        after = decode(after_text, dict[str, Any]) if after_text else {"status": None, "value": ""}
        item_id = key["item_id"] if "item_id" in key else key["id"]
        if "item_id" in key:
            if "value" in after:
                weight = in_thousandths(after["value"] or "0")
                counts[status_of.get(item_id, "")] += weight - weights[item_id]
                weights[item_id] = weight
                ends[day] = counts
        elif "status" in after:  # the LIKE below also matches texts that contain the word
            counts[status_of.pop(item_id, "")] -= weights[item_id]
            if after["status"] is not None:
                done = is_done(after["status"], after.get("archived_from"))
                status_of[item_id] = Status.COMPLETED if done else after["status"]
                counts[status_of[item_id]] += weights[item_id]
            ends[day] = counts
    return ends


def _moves(view: Snapshot, project_id: Id, field: CustomField | None) -> list[tuple[str, str, str | None]]:
    """List when, of what and with which values the history gave an item a status, or a value of the field, or deleted
    it, oldest first.
    """
    of_field = " OR (record.entity = 'item_field' AND record.key LIKE :field)" if field else ""
    params = {"field": f'%"field_id": "{field.id}"%'} if field else {}
    return view.tx.tuples(
        "SELECT change.at, record.key, record.after FROM change_record AS record"
        " JOIN change ON change.project_id = record.project_id AND change.seq = record.seq"
        " WHERE record.project_id = :project_id AND (record.entity = 'item'"
        f" AND (record.after IS NULL OR record.after LIKE '%\"status\"%'){of_field})"
        " ORDER BY record.seq, record.position",
        project_id=project_id,
        **params,
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
            to_do=number_of(counts[Status.TO_DO]),
            in_progress=number_of(counts[Status.IN_PROGRESS]),
            completed=number_of(counts[Status.COMPLETED]),
        )
        day += timedelta(days=1)
