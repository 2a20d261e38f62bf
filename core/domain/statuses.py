"""The statuses of items: their titles, transitions and counts, and the progress that follows from the counts."""

from __future__ import annotations

import re
from collections.abc import Mapping

from core.domain.model import Gate, Status
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


def is_done(status: str, archived_from: str | None) -> bool:
    """Return whether an item counts as done: it is completed, or was when it was archived."""
    return status == Status.COMPLETED or (status == Status.ARCHIVED and archived_from == Status.COMPLETED)


class ItemCounts(Record, kw_only=False):
    """The number of items in a phase or a project, by status."""

    to_do: int = 0
    in_progress: int = 0
    completed: int = 0
    archived: int = 0
    archived_completed: int = 0
    """Those of the archived ones that were completed before: tidying up takes nothing from the progress."""

    @property
    def done(self) -> int:
        """The items that are completed, or were when they were archived."""
        return self.completed + self.archived_completed

    @property
    def total(self) -> int:
        """The items that count for progress: the open ones and those that are done."""
        return self.open + self.done

    @property
    def open(self) -> int:
        """The items that are neither completed nor archived."""
        return self.to_do + self.in_progress

    @property
    def every(self) -> int:
        """All items, archived ones included."""
        return self.open + self.completed + self.archived

    @property
    def any(self) -> bool:
        """True if there is an item, archived ones included."""
        return self.every > 0

    def of(self, status: Status) -> int:
        """The items with this status."""
        return {
            Status.TO_DO: self.to_do,
            Status.IN_PROGRESS: self.in_progress,
            Status.COMPLETED: self.completed,
            Status.ARCHIVED: self.archived,
        }[status]

    @property
    def progress(self) -> float:
        """The share that is done, from 0.0 to 1.0; 0.0 without items."""
        return self.done / self.total if self.total else 0.0

    def __add__(self, other: ItemCounts) -> ItemCounts:
        return ItemCounts(
            self.to_do + other.to_do,
            self.in_progress + other.in_progress,
            self.completed + other.completed,
            self.archived + other.archived,
            self.archived_completed + other.archived_completed,
        )


NO_ITEMS = ItemCounts()


def check_evidence_setting(gate: Gate, required: bool, accepts_statements: bool = False) -> None:
    """Raise InvalidInput if an automatic gate would require evidence, since only a review looks at it.

    Statements are accepted, or not, in the place of other evidence, so only a gate that requires some accepts them.
    """
    if required and gate is not Gate.REVIEW:
        raise InvalidInput("evidence_required", "Only a review gate can require evidence. Make the gate a review.")
    if accepts_statements and not required:
        raise InvalidInput(
            "accepts_statements", "Only a gate that requires evidence can accept statements. Require evidence, too."
        )
