"""The health of a project and its forecast: one rule for lists, reports, charts, screens and the command line.

- An archived or complete project has no health, nor has one without an open card and without a phase with a date.
- A project is overdue when an open card, or a phase that is not complete, is past its due date.
- It is at risk when a card that is not started, or a phase with such a card, is due within three days.
- It is also at risk when its forecast is later than the latest due date of its phases.
- Nothing is at risk until the first day of the project is over.
- The forecast begins a week after the first day: it is the day on which all cards are done at the pace of the last two
  weeks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from enum import StrEnum
from math import ceil

from core.domain.model import Health
from core.record import Record
from core.text.dates import in_full
from core.text.phrases import count

HEALTH_WORDS: Mapping[Health, str] = {
    Health.ON_TRACK: "on track",
    Health.AT_RISK: "at risk",
    Health.OVERDUE: "overdue",
    Health.NONE: "",
}
"""The health of projects in words; some have none."""

AT_RISK_WITHIN = timedelta(days=3)
"""A card that is not started, and due within this time, puts its project at risk."""

PACE_DAYS = 14
"""The number of days over which the pace is measured, long enough for a weekend to weigh little."""

FORECAST_AFTER = timedelta(days=7)
"""The time from the first day of a project to its first forecast."""

FARTHEST_DAYS = 3650
"""The most days ahead for which a finish is forecast."""


class Risk(StrEnum):
    """A reason why a project is overdue or at risk."""

    CARDS_OVERDUE = "CARDS_OVERDUE"
    PHASES_OVERDUE = "PHASES_OVERDUE"
    CARDS_SOON = "CARDS_SOON"
    PHASES_SOON = "PHASES_SOON"
    LATE_FORECAST = "LATE_FORECAST"


RISKS = tuple(Risk)
"""The risks, the most urgent first."""

OVERDUE = frozenset({Risk.CARDS_OVERDUE, Risk.PHASES_OVERDUE})
"""The risks that make a project overdue; the others put it at risk."""


class PhaseDue(Record, kw_only=False):
    """A phase that is not complete: its due date, and whether it has a card that is not started."""

    due: date | None
    unstarted: bool


class Forecast(Record):
    """The pace of a project, and the day on which all of its cards are done at that pace."""

    begins: date
    """The first day with a forecast."""
    pace_days: int
    """The number of days over which the pace is measured: two weeks or, if fewer, all days after the first."""
    pace: float
    """Cards completed per day, less those reopened; never less than nothing."""
    finish: date | None
    """None without a forecast: before it begins, without open cards, and where the pace is too low."""
    due: date | None
    """The latest due date of the phases that are not complete."""
    is_late: bool
    """True if the forecast is later than ``due``, also where the pace is too low for a finish."""


class ProjectDates(Record):
    """The dates and numbers of a project that its health and its forecast follow from."""

    today: date
    first_day: date
    finished: bool
    """True for an archived or complete project."""
    open_cards: int
    to_do_due: date | None
    """The earliest due date of a card that is not started."""
    in_progress_due: date | None
    """The earliest due date of a card in progress."""
    phases: Sequence[PhaseDue]
    """The phases that are not complete."""
    completed: int
    """The cards completed within ``pace_days``, less those reopened."""

    @property
    def is_empty(self) -> bool:
        """True without anything that could be late."""
        return not self.open_cards and not any(phase.due for phase in self.phases)

    @property
    def first_day_over(self) -> bool:
        """False until the first day is over: nothing is at risk until then."""
        return self.today > self.first_day

    @property
    def next_due(self) -> date | None:
        """The earliest due date of an open card or of a phase that is not complete."""
        dates = (self.to_do_due, self.in_progress_due, *(phase.due for phase in self.phases))
        return min((due for due in dates if due), default=None)


def first_day(start: date | None, created: date) -> date:
    """Return the first day of a project: its start, or the day on which it was created if that is later."""
    return max(start or created, created)


def pace_days(first: date, today: date) -> int:
    """Return the number of days over which the pace is measured."""
    return min(PACE_DAYS, max(0, (today - first).days))


def forecast(dates: ProjectDates) -> Forecast:
    """Return the forecast of a project."""
    days = pace_days(dates.first_day, dates.today)
    pace = max(0.0, dates.completed / days) if days else 0.0
    begins = dates.first_day + FORECAST_AFTER
    foretold = not dates.finished and dates.open_cards > 0 and dates.today >= begins
    due = max((phase.due for phase in dates.phases if phase.due), default=None)
    ahead = ceil(dates.open_cards / pace) if pace else FARTHEST_DAYS
    finish = dates.today + timedelta(days=ahead) if foretold and ahead < FARTHEST_DAYS else None
    is_late = foretold and due is not None and (finish is None or finish > due)
    return Forecast(begins=begins, pace_days=days, pace=pace, finish=finish, due=due, is_late=is_late)


def risks(dates: ProjectDates) -> tuple[Risk, ...]:
    """Return the reasons why a project is overdue or at risk, the most urgent first."""
    today, to_do_due = dates.today, dates.to_do_due
    holds = (
        is_overdue(to_do_due, today) or is_overdue(dates.in_progress_due, today),
        any(is_overdue(phase.due, today) for phase in dates.phases),
        is_soon(to_do_due, dates),
        any(phase.unstarted and is_soon(phase.due, dates) for phase in dates.phases),
        forecast(dates).is_late,
    )
    return () if dates.finished else tuple(risk for risk, is_so in zip(RISKS, holds, strict=True) if is_so)


def is_overdue(due: date | None, today: date) -> bool:
    """Return whether an open card, or a phase that is not complete, is overdue."""
    return due is not None and due < today


def is_soon(due: date | None, dates: ProjectDates) -> bool:
    """Return whether what is not started puts its project at risk by its due date."""
    return due is not None and dates.first_day_over and dates.today <= due <= dates.today + AT_RISK_WITHIN


def health(dates: ProjectDates) -> Health:
    """Return the health of a project."""
    if dates.finished or dates.is_empty:
        return Health.NONE
    found = risks(dates)
    return Health.OVERDUE if OVERDUE & {*found} else Health.AT_RISK if found else Health.ON_TRACK


def health_sentence(project: str, archived: bool, dates: ProjectDates) -> str:
    """Return the health of a project as a sentence."""
    found = health(dates)
    if found is Health.NONE and not dates.finished:
        return f"“{project}” has no health yet: no card is open, and no phase has a date."
    if found is Health.NONE:
        return f"“{project}” is {'archived' if archived else 'complete'}, so nothing in it is at risk."
    if found is not Health.ON_TRACK:
        return f"“{project}” is {HEALTH_WORDS[found]}."
    if not dates.first_day_over:
        return f"“{project}” is on track. Nothing is at risk until its first day is over: {in_full(dates.first_day)}."
    return f"“{project}” is on track: nothing is late, and what is due within three days is started."


def forecast_sentence(dates: ProjectDates) -> str:
    """Return the forecast as a sentence, or the reason why there is none; empty without open cards."""
    found = forecast(dates)
    if dates.finished or not dates.open_cards:
        return ""
    if dates.today < found.begins:
        return f"The forecast begins on {in_full(found.begins)}, a week after the first day of the project."
    due = f" The last phase is due on {in_full(found.due)}." if found.due else ""
    if not found.pace:
        slow = "more cards were reopened than completed" if dates.completed < 0 else "no card was completed"
        return f"No forecast: {slow} in the last {count(found.pace_days, 'day')}.{due}"
    if found.finish is None:
        return f"At the current pace the work would take more than ten years.{due}"
    weekly = f"{found.pace * 7:.1f}".removesuffix(".0")
    pace = f"{weekly} {'card' if weekly == '1' else 'cards'} a week"
    return f"At the current pace ({pace}) you finish around {_day(found.finish)}{_against_due(found)}."


def _against_due(found: Forecast) -> str:
    """The forecast beside the latest due date of a phase."""
    if found.due is None or found.finish is None:
        return ""
    days = (found.finish - found.due).days
    apart = count(abs(days), "day")
    return f" – {f'{apart} late' if days > 0 else f'{apart} early' if days else 'on the day the last phase is due'}"


def _day(day: date) -> str:
    """``24 Feb 2027``: the weekday would promise more than a forecast holds."""
    return in_full(day).partition(" ")[2]
