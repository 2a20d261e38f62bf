"""The locks of phases: which phases are locked, and the refusals that name the lock, its cause and who can help."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from core.domain.model import Gate, GateState, Id, Item, Phase, PhaseState, Status
from core.domain.statuses import NO_ITEMS, ItemCounts
from core.engine.project_guard import owners
from core.engine.unit_of_work import Snapshot
from core.errors import OBSTACLES_LISTED, Blocker, NotFound, PhaseLocked
from core.record import Record
from core.text.phrases import names, no_such

NEEDS_UNLOCKED = frozenset({Status.IN_PROGRESS, Status.COMPLETED})
"""Statuses that an item can get only in a phase that is not locked."""

PHASES_IN_ORDER = "project_id = :project_id ORDER BY rank, id"
"""The condition that selects the phases of a project in the order of its workflow."""


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


def is_complete(phase: PhaseLike, tally: ItemCounts) -> bool:
    """Return True if a phase is complete, without regard to the phases before it.

    A phase without items needs an approval to be complete. So do a review gate, and a phase that was sent back.
    """
    if tally.open:
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
    def of(cls, view: Snapshot, project_id: Id) -> Workflow:
        """Read the workflow."""
        phases = view.all(Phase, PHASES_IN_ORDER, project_id=project_id)
        return cls.made(phases, view.item_counts(project_id))

    @classmethod
    def made(cls, phases: Sequence[Phase], tallies: Mapping[Id, ItemCounts]) -> Workflow:
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


def open_items(view: Snapshot, phases: Sequence[Phase]) -> tuple[Blocker, ...]:
    """Return the items that keep these phases from being complete, in order; for a phase without any, the phase."""
    found: list[Blocker] = []
    for phase in phases:
        if len(found) >= OBSTACLES_LISTED:
            break
        items = view.all(
            Item,
            "project_id = :project_id AND phase_id = :phase_id AND status IN ('TO_DO', 'IN_PROGRESS')"
            f" ORDER BY rank, id LIMIT {OBSTACLES_LISTED}",
            project_id=phase.project_id,
            phase_id=phase.id,
        )
        found += [blocker(item, phase) for item in items]
        if not items:
            found.append(Blocker(phase.id, "PHASE", f"{phase.name}: {missing_for_completion(phase)}", phase.name))
    return tuple(found[:OBSTACLES_LISTED])


def blocker(item: Item, phase: Phase) -> Blocker:
    """Return an item as a Blocker, by which a screen can jump to it."""
    return Blocker(item.id, item.kind.value, item.title, phase.name, status=item.status.value)


def missing_for_completion(phase: Phase) -> str:
    """Return the reason why a phase without open items is not complete: it waits for an owner."""
    if phase.gate_state.value == "SENT_BACK":
        return "was sent back and waits for approval"
    return "waits for an owner to approve it"


def check_not_locked(view: Snapshot, item: Item, status: Status, was: PhaseState | None = None) -> None:
    """Raise RuleViolation if ``status`` needs an unlocked phase and the item's is locked; ``was`` as in ``refuses``."""
    if status not in NEEDS_UNLOCKED:
        return
    workflow = Workflow.of(view, item.project_id)
    if workflow.refuses(item.phase_id, status, was):
        verb = "start" if status is Status.IN_PROGRESS else "be completed"
        raise locked(view, workflow, item.phase_id, f"“{item.title}” cannot {verb}")


def locked(view: Snapshot, workflow: Workflow, phase_id: Id, what: str) -> PhaseLocked:
    """Return the refusal that names the locked phase, the phases and items before it, and the owners."""
    waiting_for = workflow.incomplete_before(phase_id)
    phase = workflow.phase(phase_id)
    before = names([f"“{earlier.name}”" for earlier in waiting_for])
    verb = "is" if len(waiting_for) == 1 else "are"
    until = f"until {before} {verb} complete"
    return PhaseLocked(
        f"{what}: “{phase.name}” is locked {until}.",
        phase_id=phase_id,
        until=f"Locked {until}",
        blockers=open_items(view, waiting_for),
        who_can=owners(view, phase.project_id),
    )
