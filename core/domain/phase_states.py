"""The states of the phases of a project: which are complete, open and locked, and for what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from core.domain.model import Gate, GateState, Id, Item, Phase, PhaseState, Status
from core.domain.statuses import NO_ITEMS, ItemCounts
from core.errors import Blocker, NotFound
from core.record import Record
from core.text.phrases import no_such

NEEDS_UNLOCKED = frozenset({Status.IN_PROGRESS, Status.COMPLETED})
"""Statuses that an item can get only in a phase that is not locked."""


class PhaseLike(Protocol):
    """The fields of a phase that the rules read: of a ``Phase``, or of a row in a list of several projects."""

    @property
    def id(self) -> Id: ...
    @property
    def gate(self) -> Gate: ...
    @property
    def gate_state(self) -> GateState: ...
    @property
    def overridden(self) -> bool: ...
    @property
    def on_hold(self) -> bool: ...


def is_complete(phase: PhaseLike, tally: ItemCounts) -> bool:
    """Return True if a phase is complete, without regard to the phases before it.

    A phase without items needs an approval to be complete. So do a review gate, and a phase that was sent back.
    None is complete while it is on hold.
    """
    if tally.open or phase.on_hold:
        return False
    if not tally.any or phase.gate is Gate.REVIEW:
        return phase.gate_state is GateState.PASSED
    return phase.gate_state not in (GateState.SENT_BACK, GateState.UNDECIDED)


def phase_states(phases: Sequence[PhaseLike], tallies: Mapping[Id, ItemCounts]) -> dict[Id, PhaseState]:
    """Return the state of each phase by id. ``phases`` are in the order of the workflow.

    A complete phase stays complete when an earlier phase is reopened, instead of becoming locked.
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


class Workflow(Record, kw_only=False):
    """The phases of a project in order, with their item counts and states."""

    phases: tuple[Phase, ...]
    tallies: Mapping[Id, ItemCounts]
    states: Mapping[Id, PhaseState]

    @classmethod
    def from_phases(cls, phases: Sequence[Phase], tallies: Mapping[Id, ItemCounts]) -> Workflow:
        """Make the workflow from the phases of a project, in order, and their item counts."""
        return cls(tuple(phases), tallies, phase_states(phases, tallies))

    def state(self, phase_id: Id) -> PhaseState:
        return self.states[phase_id]

    def tally(self, phase_id: Id) -> ItemCounts:
        return self.tallies.get(phase_id, ItemCounts())

    def phase(self, phase_id: Id) -> Phase:
        """Return the phase with this id. Raises NotFound: it may have been removed since the permission check."""
        for phase in self.phases:
            if phase.id == phase_id:
                return phase
        raise NotFound(no_such("phase", phase_id))

    def is_complete(self, phase_id: Id) -> bool:
        return self.states[phase_id] is PhaseState.COMPLETE

    @property
    def first_open(self) -> Phase | None:
        """The first phase that is open, or None."""
        return next((phase for phase in self.phases if self.states[phase.id] is PhaseState.OPEN), None)

    @property
    def complete(self) -> bool:
        """True if there are phases and all of them are complete."""
        return bool(self.states) and set(self.states.values()) == {PhaseState.COMPLETE}

    def refuses(self, phase_id: Id, status: Status, was: PhaseState | None = None) -> bool:
        """Return whether the phase is locked for an item that would enter ``status``.

        A complete phase stays complete while an earlier one is reopened. Starting work in it would lock it with that
        work inside, so it refuses that too. ``was`` is the state before the item entered the phase.
        """
        if status not in NEEDS_UNLOCKED or self.phase(phase_id).overridden or not self.incomplete_before(phase_id):
            return False
        return status is Status.IN_PROGRESS or PhaseState.LOCKED in (was, self.state(phase_id))

    def incomplete_before(self, phase_id: Id) -> list[Phase]:
        """Return the earlier phases that keep this one locked."""
        position = [phase.id for phase in self.phases].index(phase_id)
        return [phase for phase in self.phases[:position] if self.states[phase.id] is not PhaseState.COMPLETE]


def blocker(item: Item, phase: Phase) -> Blocker:
    """Return an item as a Blocker, by which a screen can jump to it."""
    return Blocker(item.id, item.kind.value, item.title, phase.name, status=item.status.value)
