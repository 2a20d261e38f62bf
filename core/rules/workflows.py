"""The phases of several projects, with their item counts and states, in the same number of statements for any number
of projects."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date
from itertools import groupby
from operator import itemgetter
from typing import Any

from core.domain.model import Gate, GateState, Id, PhaseState
from core.domain.statuses import ItemCounts
from core.engine.unit_of_work import Snapshot
from core.record import Record
from core.rules.phase_locks import NO_ITEMS, phase_states
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
    phase: PhaseRow
    number: int
    state: PhaseState
    has_cards: bool
    has_open_cards: bool


Tallies = Mapping[Id, ItemCounts]
"""Item counts by the id of the phase; phases without items are absent."""

_COLUMNS = "phase.project_id, phase.id, phase.name, gate, gate_state, overridden, due, project.name"
_PHASES = "phase JOIN project ON project.id = phase.project_id"
_ORDER = "ORDER BY phase.project_id, rank, phase.id"
_GATES = {gate.value: gate for gate in Gate}
_GATE_STATES = {gate_state.value: gate_state for gate_state in GateState}

_OPEN = ItemCounts(to_do=1)
_CLOSED = ItemCounts(archived=1)
_TALLIES = {None: NO_ITEMS, "ARCHIVED": _CLOSED, "COMPLETED": _CLOSED, "IN_PROGRESS": _OPEN, "TO_DO": _OPEN}
"""For each alphabetically last status of a phase, item counts that give the same phase state. Open statuses sort after
closed ones, so an index finds that status at once, regardless of the number of cards."""


def phases_in(view: Snapshot, project_ids: Collection[Id]) -> list[PhaseInProject]:
    """Return the phases of these projects. The state depends only on whether there are cards and open cards."""
    if not project_ids:
        return []
    chosen, params = placeholders(project_ids)
    rows = view.tx.tuples(
        f"SELECT {_COLUMNS},"
        " (SELECT max(status) FROM item WHERE item.project_id = phase.project_id AND phase_id = phase.id)"
        f" FROM {_PHASES} WHERE phase.project_id IN {chosen} {_ORDER}",
        **params,
    )
    return in_projects(rows, {row[1]: _TALLIES[row[8]] for row in rows})


def counting_phases_in(projects: str) -> tuple[str, str]:
    """Return the statements that read the phases and the item counts of ``projects``, a SELECT of their ids.

    Their rows are for ``in_projects`` and for ``tallies_from``.
    """
    return (
        f"SELECT {_COLUMNS}, NULL FROM {_PHASES} WHERE phase.project_id IN ({projects}) {_ORDER}",
        "SELECT phase_id, status, count(*) FROM item"
        f" WHERE project_id IN ({projects}) GROUP BY project_id, phase_id, status",
    )


def in_projects(rows: Sequence[tuple[Any, ...]], tallies: Tallies) -> list[PhaseInProject]:
    """Return the phases in rows, with their states."""
    return [place for _, phases in groupby(rows, key=itemgetter(0)) for place in _in_project(list(phases), tallies)]


def _in_project(rows: list[tuple[Any, ...]], tallies: Tallies) -> Iterator[PhaseInProject]:
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
        for project_id, phase_id, name, gate, gate_state, overridden, due, _, _ in rows
    ]
    states = phase_states(phases, tallies)
    for number, (row, phase) in enumerate(zip(rows, phases, strict=True), 1):
        tally = tallies.get(phase.id, NO_ITEMS)
        has_cards, has_open_cards = tally is not NO_ITEMS, tally.open > 0
        yield PhaseInProject(phase.project_id, row[7], phase, number, states[phase.id], has_cards, has_open_cards)
