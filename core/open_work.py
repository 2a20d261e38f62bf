"""What is mine and open, over several projects: one reading for every list of it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from typing import Any, NamedTuple

from core.model import Gate, Id, ItemKind, Phase, PhaseState, Status, Verdict
from core.rules import Tally, phase_states
from core.storage.database import placeholders
from core.work import View


class Place(NamedTuple):
    """A phase among those of several projects; its number counts from 1."""

    project_id: Id
    project: str
    phase: Phase
    number: int
    state: PhaseState
    has_cards: bool
    has_open_cards: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkLine:
    """One of my open tasks and activities, with the project and the phase it is in."""

    project_id: Id
    project: str
    phase_id: Id
    phase: str
    phase_number: int
    locked: bool
    """Whether its phase is locked, so that it cannot start yet."""
    id: Id
    kind: ItemKind
    title: str
    status: Status
    activity_id: Id | None
    due: date | None
    version: int


_MINE = (
    "WITH mine AS ("
    " SELECT project_id, id FROM item WHERE assignee_id = :me AND status IN ('TO_DO', 'IN_PROGRESS')"
    " UNION ALL SELECT project_id, target_id FROM assignment WHERE user_id = :me)"
)
_OPEN = (
    " FROM mine JOIN item ON item.project_id = mine.project_id AND item.id = mine.id"
    " WHERE item.status IN ('TO_DO', 'IN_PROGRESS')"
)
_COLUMNS = "item.project_id, phase_id, item.id, kind, title, status, activity_id, due, version"


def my_open_work(view: View, project_ids: Collection[Id], most: int, until: date | None = None) -> list[WorkLine]:
    """My open items in these projects, by due date, those without one last; with ``until`` those due by then alone."""
    where, params = _within(project_ids, until)
    rows = view.tx.tuples(
        f"{_MINE} SELECT {_COLUMNS}{_OPEN}{where} ORDER BY due NULLS LAST, item.id LIMIT :most",
        me=view.actor.user_id,
        most=most,
        **params,
    )
    found = {place.phase.id: place for place in places(view, {row[0] for row in rows})}
    return [_line(found[row[1]], row) for row in rows]


def count_open_work(view: View, project_ids: Collection[Id]) -> int:
    """How many there are in all."""
    where, params = _within(project_ids, None)
    return int(view.tx.tuples(f"{_MINE} SELECT count(*){_OPEN}{where}", me=view.actor.user_id, **params)[0][0])


def _within(project_ids: Collection[Id], until: date | None) -> tuple[str, dict[str, object]]:
    chosen, params = placeholders(project_ids)
    if until is None:
        return f" AND item.project_id IN {chosen}", params
    return f" AND item.project_id IN {chosen} AND due <= :until", params | {"until": until.isoformat()}


def _line(place: Place, row: tuple[Any, ...]) -> WorkLine:
    _, _, item_id, kind, title, status, activity_id, due, version = row
    return WorkLine(
        project_id=place.project_id,
        project=place.project,
        phase_id=place.phase.id,
        phase=place.phase.name,
        phase_number=place.number,
        locked=place.state is PhaseState.LOCKED,
        id=item_id,
        kind=ItemKind(kind),
        title=title,
        status=Status(status),
        activity_id=activity_id,
        due=date.fromisoformat(due) if due else None,
        version=version,
    )


def places(view: View, project_ids: Collection[Id]) -> list[Place]:
    """The phases of these projects. Cards are not counted: whether there are any, and open ones, tells the state."""
    chosen, params = placeholders(project_ids)
    rows = view.tx.tuples(
        "SELECT phase.project_id, project.name, phase.id, phase.name, phase.rank, gate, verdict, overridden,"
        " EXISTS (SELECT 1 FROM item WHERE item.project_id = phase.project_id AND phase_id = phase.id),"
        " EXISTS (SELECT 1 FROM item WHERE item.project_id = phase.project_id AND phase_id = phase.id"
        "  AND status IN ('TO_DO', 'IN_PROGRESS'))"
        f" FROM phase JOIN project ON project.id = phase.project_id WHERE phase.project_id IN {chosen}"
        " ORDER BY phase.project_id, phase.rank, phase.id",
        **params,
    )
    of_projects = (list(rows) for _, rows in groupby(rows, key=lambda row: row[0]))
    return [place for of_project in of_projects for place in _places_of(of_project)]


def _places_of(rows: list[tuple[Any, ...]]) -> Iterator[Place]:
    """The phases of one project, in their order."""
    phases = [
        Phase(
            project_id=project_id,
            id=phase_id,
            rank=rank,
            name=name,
            gate=Gate(gate),
            verdict=Verdict(verdict),
            overridden=bool(overridden),
        )
        for project_id, _, phase_id, name, rank, gate, verdict, overridden, *_ in rows
    ]
    states = phase_states(phases, {row[2]: Tally(to_do=row[9], archived=row[8]) for row in rows})
    for number, (row, phase) in enumerate(zip(rows, phases, strict=True), 1):
        yield Place(phase.project_id, row[1], phase, number, states[phase.id], bool(row[8]), bool(row[9]))
