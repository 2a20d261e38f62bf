"""The phases of several projects, with their item counts and states, in the same number of statements for any number
of projects."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date
from itertools import groupby
from operator import itemgetter
from typing import Any

from core.domain.grants import Grant
from core.domain.model import Gate, GateState, Id, PhaseState
from core.domain.phase_states import phase_states
from core.domain.readiness import DECIDES, Deciders, GateSummary
from core.domain.statuses import NO_ITEMS, ItemCounts
from core.engine.counters import Counts, counts_in
from core.engine.unit_of_work import Snapshot
from core.record import Record, replace
from core.rules.gate_facts import GateFacts, gate_facts, settle_summaries, summarize
from core.storage.database import Statement, placeholders


class PhaseRow(Record, kw_only=False):
    """The columns of a phase that a list over several projects reads; full records would take a third of its time."""

    project_id: Id
    id: Id
    name: str
    gate: Gate
    gate_state: GateState
    overridden: bool
    due: date | None
    evidence_required: bool
    accepts_statements: bool
    on_hold: bool


class PhaseInProject(Record, kw_only=False):
    """A phase in a list over several projects. Its ``number`` counts from 1."""

    project_id: Id
    project: str
    project_key: str
    phase: PhaseRow
    number: int
    state: PhaseState
    tally: ItemCounts
    missing: GateSummary
    """What is missing at its gate, or NOT_LOOKED_AT."""


NOT_LOOKED_AT = GateSummary()


class WaitingGate(Record, kw_only=False):
    """A gate that waits for a decision: the phase is open, and all its cards are done."""

    project_id: Id
    project: str
    project_key: str
    phase_id: Id
    number: int
    phase: str
    sent_back: bool
    missing: GateSummary
    words: str
    """What is missing, for the person who asks."""
    for_me: bool
    """True if that person can decide there."""

    @property
    def title(self) -> str:
        """The phase with its number, and what is missing."""
        return f"{self.number} {self.phase}: {self.words}"


_GATES = {gate.value: gate for gate in Gate}
_GATE_STATES = {gate_state.value: gate_state for gate_state in GateState}


def phases_in(
    view: Snapshot, project_ids: Collection[Id], gates_of: Collection[Id] | None = None
) -> list[PhaseInProject]:
    """Return the phases of these projects. What is missing at gates is found for those of ``gates_of`` only; None for
    all."""
    if not project_ids:
        return []
    gates_of = project_ids if gates_of is None else gates_of
    chosen, params = placeholders(project_ids)
    statements = [(phase_rows(chosen), params), (f"SELECT item_counts FROM feed WHERE id IN {chosen}", params)]
    if gates_of:
        with_gates, of_gates = placeholders(gates_of)
        statements.append((fact_rows(with_gates), of_gates))
    rows, kept, *facts = view.tx.tuples_all(statements)
    return in_projects(view, rows, join_counts(text for (text,) in kept), facts[0] if facts else (), gates_of)


def phase_rows(projects: str) -> str:
    """Return the statement that reads the phases of projects for ``in_projects``; ``projects`` selects their ids."""
    return (
        "SELECT phase.project_id, phase.id, phase.name, gate, gate_state, overridden, due, evidence_required,"
        " accepts_statements, on_hold, project.name, project.key"
        " FROM phase JOIN project ON project.id = phase.project_id"
        f" WHERE phase.project_id IN {projects} ORDER BY phase.project_id, rank, phase.id"
    )


def fact_rows(projects: str) -> str:
    """Return the statement that reads what gates look at in these phases, for ``in_projects``."""
    return gate_facts(f"project_id IN {projects}", lacking_only=True)


def join_counts(texts: Iterable[str]) -> dict[Id, ItemCounts]:
    """Return the item counts of several projects, by phase, from the texts in ``feed``."""
    return {phase_id: tally for text in texts for phase_id, tally in counts_in(text).items()}


def in_projects(
    view: Snapshot,
    rows: Sequence[tuple[Any, ...]],
    tallies: Counts,
    facts: Sequence[tuple[Any, ...]],
    gates_of: Collection[Id] | None = None,
) -> list[PhaseInProject]:
    """Return the phases in rows, with their states and what is missing at their gates; ``gates_of`` as above."""
    found = GateFacts.of(view, facts)
    projects = groupby(rows, key=itemgetter(0))
    places = [
        place
        for project_id, phases in projects
        for place in _in_project(list(phases), tallies, found if gates_of is None or project_id in gates_of else None)
    ]
    if gates_of is not None and not gates_of:
        return places
    summaries = {place.phase.id: place.missing for place in places}
    settled = settle_summaries(view, summaries, found, {place.phase.id: place.project_id for place in places})
    if settled is summaries:
        return places
    return [replace(place, missing=settled[place.phase.id]) for place in places]


def _in_project(rows: list[tuple[Any, ...]], tallies: Counts, facts: GateFacts | None) -> Iterator[PhaseInProject]:
    phases = [
        PhaseRow(
            project_id,
            phase_id,
            name,
            _GATES[gate],
            _GATE_STATES[gate_state],
            overridden == 1,
            date.fromisoformat(due) if due else None,
            evidence_required == 1,
            statements == 1,
            on_hold == 1,
        )
        for project_id, phase_id, name, gate, gate_state, overridden, due, evidence_required, statements, on_hold in (
            row[:10] for row in rows
        )
    ]
    states = phase_states(phases, tallies)
    for number, (row, phase) in enumerate(zip(rows, phases, strict=True), 1):
        state, tally = states[phase.id], tallies.get(phase.id, NO_ITEMS)
        missing = NOT_LOOKED_AT if facts is None else summarize(phase, state, tally, facts)
        yield PhaseInProject(phase.project_id, row[10], row[11], phase, number, state, tally, missing)


def waiting_gates(places: Iterable[PhaseInProject], deciders: Callable[[Id], Deciders]) -> tuple[WaitingGate, ...]:
    """Return the gates among phases that wait for a decision; ``deciders`` of a project, for the one who asks."""
    return tuple(
        WaitingGate(
            place.project_id,
            place.project,
            place.project_key,
            place.phase.id,
            place.number,
            place.phase.name,
            place.phase.gate_state is GateState.SENT_BACK,
            place.missing,
            place.missing.words(deciders(place.project_id)),
            place.missing.is_for(deciders(place.project_id)),
        )
        for place in places
        if place.missing.at_gate
    )


GATED = (
    "SELECT project_id FROM member WHERE user_id = :me AND role <> 'VIEWER' AND EXISTS (SELECT 1 FROM phase"
    " WHERE phase.project_id = member.project_id"
    " AND (gate = 'REVIEW' AND gate_state <> 'PASSED' OR gate_state IN ('SENT_BACK', 'UNDECIDED')))"
)
"""A SELECT of my own projects with a gate at which a decision is missing."""


def gated_rows(view: Snapshot, grants: Mapping[Id, Grant | None]) -> Statement:
    """Return the statement that selects those of ``GATED`` in which these permissions allow me to decide, and my role
    there."""
    mine = [project_id for project_id, grant in grants.items() if grant and DECIDES in grant.held]
    chosen, params = placeholders(mine)
    with_role = GATED.replace("project_id", "project_id, role", 1)
    return f"{with_role} AND project_id IN {chosen}", {"me": view.actor.user_id, **params}
