"""The statuses of items: their titles, transitions and counts; and the health of a project."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import date, timedelta

from core.domain.model import Gate, Health, Status
from core.errors import InvalidInput
from core.record import Record

STATUS_WORDS: Mapping[Status, str] = {
    Status.TO_DO: "To Do",
    Status.IN_PROGRESS: "In Progress",
    Status.COMPLETED: "Completed",
    Status.ARCHIVED: "Archived",
}
"""The statuses as titles."""

SHORT_STATUSES: Mapping[Status, str] = {
    Status.TO_DO: "todo",
    Status.IN_PROGRESS: "doing",
    Status.COMPLETED: "done",
    Status.ARCHIVED: "archived",
}
"""The statuses in one short word, as people type them."""

_SPOKEN: Mapping[Status, str] = {
    Status.TO_DO: "to do, todo, backlog, ready, open, new, planned, next, next up, pending, not started, waiting",
    Status.IN_PROGRESS: "in progress, doing, wip, started, active, working on, in review, review, testing, blocked",
    Status.COMPLETED: "completed, complete, done, finished, closed, shipped, released, resolved",
    Status.ARCHIVED: "archived, archive, deleted, cancelled, canceled",
}
_MEANT = {word: status for status, words in _SPOKEN.items() for word in words.split(", ")}

HEALTH_WORDS: Mapping[Health, str] = {
    Health.ON_TRACK: "on track",
    Health.AT_RISK: "at risk",
    Health.OVERDUE: "overdue",
    Health.NONE: "",
}
"""The health of projects in words; a project without open items has none."""

AT_RISK_WITHIN = timedelta(days=3)
"""An open item due within this time puts its project at risk."""

TRANSITIONS: Mapping[Status, frozenset[Status]] = {
    Status.TO_DO: frozenset({Status.IN_PROGRESS, Status.COMPLETED, Status.ARCHIVED}),
    Status.IN_PROGRESS: frozenset({Status.TO_DO, Status.COMPLETED, Status.ARCHIVED}),
    Status.COMPLETED: frozenset({Status.IN_PROGRESS, Status.TO_DO, Status.ARCHIVED}),
    Status.ARCHIVED: frozenset(),
}
"""The statuses that an item can be moved to. An archived item can only be restored, to ``archived_from``."""


def status_meant(words: str) -> Status | None:
    """Return the status that people mean by these words, also as the name of a column; None if it is not known."""
    return _MEANT.get(" ".join(re.findall(r"[^\W_]+", words.casefold())))


CLOSED = frozenset({Status.COMPLETED, Status.ARCHIVED})
"""The statuses in which an item no longer keeps its phase open."""


class ItemCounts(Record, kw_only=False):
    """The number of items in a phase or a project, by status."""

    to_do: int = 0
    in_progress: int = 0
    completed: int = 0
    archived: int = 0

    @property
    def total(self) -> int:
        """The items that count for progress: all that are not archived."""
        return self.to_do + self.in_progress + self.completed

    @property
    def open(self) -> int:
        """The items that are neither completed nor archived."""
        return self.to_do + self.in_progress

    @property
    def any(self) -> bool:
        """True if there is an item, archived ones included."""
        return self.total + self.archived > 0

    @property
    def progress(self) -> float:
        """The completed share, from 0.0 to 1.0; 0.0 without items."""
        return self.completed / self.total if self.total else 0.0

    def __add__(self, other: ItemCounts) -> ItemCounts:
        return ItemCounts(
            self.to_do + other.to_do,
            self.in_progress + other.in_progress,
            self.completed + other.completed,
            self.archived + other.archived,
        )


NO_ITEMS = ItemCounts()


def health(finished: bool, due_dates: Iterable[date | None], today: date) -> Health:
    """Return the health of a project from the due dates of its open items and of its phases that are not complete.

    ``finished`` is True for an archived or completed project. The items alone do not tell, because a phase whose items
    are all completed can still wait for approval.
    """
    if finished:
        return Health.NONE
    dates = [due for due in due_dates if due is not None]
    if any(due < today for due in dates):
        return Health.OVERDUE
    if any(due <= today + AT_RISK_WITHIN for due in dates):
        return Health.AT_RISK
    return Health.ON_TRACK


def check_evidence_setting(gate: Gate, required: bool) -> None:
    """Raise InvalidInput if an automatic gate would require evidence, since only a review looks at it."""
    if required and gate is not Gate.REVIEW:
        raise InvalidInput("evidence_required", "Only a review gate can require evidence. Make the gate a review.")
