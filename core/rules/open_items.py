"""My open items in several projects: one query for all lists of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import date
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from core.domain.model import Gate, GateState, Id, ItemKind, PhaseState, Status
from core.domain.statuses import ItemCounts
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


class PhaseInProject(Record, kw_only=False):
    """A phase in a list over several projects. Its ``number`` counts from 1."""

    project_id: Id
    project: str
    phase: PhaseRow
    number: int
    state: PhaseState
    has_cards: bool
    has_open_cards: bool


class OpenItem(Record, kw_only=False):
    """One of my open tasks or activities, with its project and its phase."""

    project_id: Id
    project: str
    phase_id: Id
    phase: str
    phase_number: int
    locked: bool
    """True if its phase is locked, so that the item cannot start yet."""
    id: Id
    kind: ItemKind
    title: str
    status: Status
    activity_id: Id | None
    due: date | None
    version: int


_COLUMNS = "item.project_id, phase_id, item.id, kind, title, status, activity_id, due, item.version"
_KINDS = {kind.value: kind for kind in ItemKind}
_STATUSES = {status.value: status for status in Status}
_GATES = {gate.value: gate for gate in Gate}
_GATE_STATES = {gate_state.value: gate_state for gate_state in GateState}


_EMPTY = ItemCounts()
_OPEN = ItemCounts(to_do=1)
_CLOSED = ItemCounts(archived=1)
_TALLIES = {None: _EMPTY, "ARCHIVED": _CLOSED, "COMPLETED": _CLOSED, "IN_PROGRESS": _OPEN, "TO_DO": _OPEN}
"""For each alphabetically last status of a phase, item counts that give the same phase state. Open statuses sort after
closed ones, so an index finds that status at once, regardless of the number of cards."""


class OpenWork(NamedTuple):
    """The most urgent of my open items, and the number of the others."""

    lines: tuple[OpenItem, ...]
    more: int


def my_open_work(view: Snapshot, project_ids: Collection[Id], most: int, until: date | None = None) -> OpenWork:
    """Return my open items in these projects by due date, those without one last; with ``until`` only those until then.

    The projects are filtered here, since in the statement they would make the database look for my items one project
    after the other.
    """
    condition = "status IN ('TO_DO', 'IN_PROGRESS')" + (" AND due <= :until" if until else "")
    rows = view.tx.tuples(
        f"SELECT {_COLUMNS} FROM item WHERE assignee_id = :me AND {condition}"
        f" UNION ALL SELECT {_COLUMNS} FROM assignment"
        " JOIN item ON item.project_id = assignment.project_id AND item.id = assignment.target_id"
        f" WHERE user_id = :me AND {condition}",
        me=view.actor.user_id,
        **({"until": until.isoformat()} if until else {}),
    )
    wanted = set(project_ids)
    found = sorted((row for row in rows if row[0] in wanted), key=lambda row: (row[7] is None, row[7], row[2]))
    shown = found[:most]
    phases = {place.phase.id: place for place in places(view, {row[0] for row in shown})}
    return OpenWork(tuple(_line(phases[row[1]], row) for row in shown), len(found) - len(shown))


def _line(place: PhaseInProject, row: tuple[Any, ...]) -> OpenItem:
    _, _, item_id, kind, title, status, activity_id, due, version = row
    return OpenItem(
        project_id=place.project_id,
        project=place.project,
        phase_id=place.phase.id,
        phase=place.phase.name,
        phase_number=place.number,
        locked=place.state is PhaseState.LOCKED,
        id=item_id,
        kind=_KINDS[kind],
        title=title,
        status=_STATUSES[status],
        activity_id=activity_id,
        due=date.fromisoformat(due) if due else None,
        version=version,
    )


def places(view: Snapshot, project_ids: Collection[Id]) -> list[PhaseInProject]:
    """Return the phases of these projects. The state depends only on whether there are cards and open cards."""
    chosen, params = placeholders(project_ids)
    rows = view.tx.tuples(
        "SELECT phase.project_id, phase.id, phase.name, gate, gate_state, overridden, project.name,"
        " (SELECT max(status) FROM item WHERE item.project_id = phase.project_id AND phase_id = phase.id)"
        " FROM phase JOIN project ON project.id = phase.project_id"
        f" WHERE phase.project_id IN {chosen} ORDER BY phase.project_id, rank, phase.id",
        **params,
    )
    return [place for _, phases in groupby(rows, key=itemgetter(0)) for place in _places_of(list(phases))]


def _places_of(rows: list[tuple[Any, ...]]) -> Iterator[PhaseInProject]:
    phases = [
        PhaseRow(project_id, phase_id, name, _GATES[gate], _GATE_STATES[gate_state], bool(overridden))
        for project_id, phase_id, name, gate, gate_state, overridden, _, _ in rows
    ]
    tallies = {row[1]: _TALLIES[row[7]] for row in rows}
    states = phase_states(phases, tallies)
    for number, (row, phase) in enumerate(zip(rows, phases, strict=True), 1):
        tally = tallies[phase.id]
        yield PhaseInProject(
            phase.project_id, row[6], phase, number, states[phase.id], tally is not _EMPTY, tally is _OPEN
        )
