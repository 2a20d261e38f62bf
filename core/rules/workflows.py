"""The phases of several projects, with their item counts and states, in the same number of statements for any number
of projects."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import date
from itertools import groupby
from operator import itemgetter
from typing import Any

from core.domain.model import Gate, GateState, Id, PhaseState
from core.domain.statuses import NO_ITEMS, ItemCounts
from core.engine.item_counts import Counts, loaded
from core.engine.unit_of_work import Snapshot
from core.record import Record
from core.rules.phase_locks import phase_states
from core.storage.database import placeholders


class PhaseRow(Record, kw_only=False):
    """The columns of a phase that a list over several projects reads; full records would take a third of its time."""

    project_id: Id
    id: Id
    name: str
    gate: Gate
    gate_state: GateState
    overridden: bool
    due: date | None


class PhaseInProject(Record, kw_only=False):
    """A phase in a list over several projects. Its ``number`` counts from 1."""

    project_id: Id
    project: str
    project_key: str
    phase: PhaseRow
    number: int
    state: PhaseState
    tally: ItemCounts


_GATES = {gate.value: gate for gate in Gate}
_GATE_STATES = {gate_state.value: gate_state for gate_state in GateState}


def phases_in(view: Snapshot, project_ids: Collection[Id]) -> list[PhaseInProject]:
    """Return the phases of these projects."""
    if not project_ids:
        return []
    chosen, params = placeholders(project_ids)
    counts = f"SELECT item_counts FROM feed WHERE id IN {chosen}"
    rows, kept = view.tx.tuples_all([(phase_rows(chosen), params), (counts, params)])
    return in_projects(rows, joined(text for (text,) in kept))


def phase_rows(projects: str) -> str:
    """Return the statement that reads the phases of projects for ``in_projects``; ``projects`` selects their ids."""
    return (
        "SELECT phase.project_id, phase.id, phase.name, gate, gate_state, overridden, due, project.name,"
        " project.key"
        " FROM phase JOIN project ON project.id = phase.project_id"
        f" WHERE phase.project_id IN {projects} ORDER BY phase.project_id, rank, phase.id"
    )


def joined(texts: Iterable[str]) -> dict[Id, ItemCounts]:
    """Return the item counts of several projects, by phase, from the texts in ``feed``."""
    return {phase_id: tally for text in texts for phase_id, tally in loaded(text).items()}


def in_projects(rows: Sequence[tuple[Any, ...]], tallies: Counts) -> list[PhaseInProject]:
    """Return the phases in rows, with their states."""
    return [place for _, phases in groupby(rows, key=itemgetter(0)) for place in _in_project(list(phases), tallies)]


def _in_project(rows: list[tuple[Any, ...]], tallies: Counts) -> Iterator[PhaseInProject]:
    phases = [
        PhaseRow(
            project_id,
            phase_id,
            name,
            _GATES[gate],
            _GATE_STATES[gate_state],
            overridden == 1,
            date.fromisoformat(due) if due else None,
        )
        for project_id, phase_id, name, gate, gate_state, overridden, due, *_ in rows
    ]
    states = phase_states(phases, tallies)
    for number, (row, phase) in enumerate(zip(rows, phases, strict=True), 1):
        tally = tallies.get(phase.id, NO_ITEMS)
        yield PhaseInProject(phase.project_id, row[7], row[8], phase, number, states[phase.id], tally)
