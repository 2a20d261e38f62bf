"""The rules of the workflow, pure: no database, no clock, no screen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Protocol

from core.domain.model import Gate, GateState, Health, Id, PhaseState, Status
from core.errors import InvalidInput

AT_RISK_WITHIN = timedelta(days=3)
"""An open item due within this time puts its project at risk."""

NEEDS_UNLOCKED = frozenset({Status.IN_PROGRESS, Status.COMPLETED})
"""What no item may enter while its phase is locked."""

TRANSITIONS: Mapping[Status, frozenset[Status]] = {
    Status.TO_DO: frozenset({Status.IN_PROGRESS, Status.COMPLETED, Status.ARCHIVED}),
    Status.IN_PROGRESS: frozenset({Status.TO_DO, Status.COMPLETED, Status.ARCHIVED}),
    Status.COMPLETED: frozenset({Status.IN_PROGRESS, Status.TO_DO, Status.ARCHIVED}),
    Status.ARCHIVED: frozenset(),
}
"""Where an item can be moved. Out of the archive leads only Restore, to the remembered status."""

CLOSED = frozenset({Status.COMPLETED, Status.ARCHIVED})
"""An item in one of these no longer stands in the way of its phase."""


@dataclass(frozen=True, slots=True)
class ItemCounts:
    """How many items a phase (or project) has, by status."""

    to_do: int = 0
    in_progress: int = 0
    completed: int = 0
    archived: int = 0

    @property
    def total(self) -> int:
        """All that counts for progress: everything not archived."""
        return self.to_do + self.in_progress + self.completed

    @property
    def open(self) -> int:
        """What still stands in the way of completion."""
        return self.to_do + self.in_progress

    @property
    def any(self) -> bool:
        """Whether there is anything at all, archived items included."""
        return self.total + self.archived > 0

    @property
    def progress(self) -> float:
        """Completed share, 0.0 to 1.0; nothing to do counts as nothing done."""
        return self.completed / self.total if self.total else 0.0

    def __add__(self, other: ItemCounts) -> ItemCounts:
        return ItemCounts(
            self.to_do + other.to_do,
            self.in_progress + other.in_progress,
            self.completed + other.completed,
            self.archived + other.archived,
        )


NO_ITEMS = ItemCounts()


class PhaseLike(Protocol):
    """The fields of a phase that the rules read: a ``Phase``, or a row of a list over many projects."""

    @property
    def id(self) -> Id: ...
    @property
    def gate(self) -> Gate: ...
    @property
    def gate_state(self) -> GateState: ...
    @property
    def overridden(self) -> bool: ...


def is_complete(phase: PhaseLike, tally: ItemCounts) -> bool:
    """Whether a phase is complete, whatever stands before it.

    An empty phase takes a pass; so does a review gate, and a phase that was sent back until it passes again.
    """
    if tally.open:
        return False
    if not tally.any or phase.gate is Gate.REVIEW:
        return phase.gate_state is GateState.PASSED
    return phase.gate_state is not GateState.SENT_BACK


def phase_states(phases: Sequence[PhaseLike], tallies: Mapping[Id, ItemCounts]) -> dict[Id, PhaseState]:
    """The state of each phase by id; ``phases`` in their order in the workflow.

    Complete wins over locked: a later phase that is done stays done while an earlier one is reopened.
    """
    states: dict[Id, PhaseState] = {}
    all_before_complete = True
    for phase in phases:
        complete = is_complete(phase, tallies.get(phase.id, NO_ITEMS))
        if complete:
            states[phase.id] = PhaseState.COMPLETE
        elif all_before_complete or phase.overridden:
            states[phase.id] = PhaseState.OPEN
        else:
            states[phase.id] = PhaseState.LOCKED
        all_before_complete = all_before_complete and complete
    return states


def health(finished: bool, due_dates: Iterable[date | None], today: date) -> Health:
    """The health of a project from the due dates of its open items and of its phases that are not complete.

    ``finished``: archived or completed. Cards alone do not say so: a phase can wait for a pass past its due date.
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
    """Only a review gate can ask for evidence: an automatic one asks nobody. Raises InvalidInput."""
    if required and gate is not Gate.REVIEW:
        raise InvalidInput("evidence_required", "Only a review gate can require evidence. Make the gate a review.")
