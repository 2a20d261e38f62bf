"""My open items in several projects: one query for all lists of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import date
from typing import Any, NamedTuple

from core.domain.grants import Grant
from core.domain.model import Id, ItemKind, PhaseState, Priority, ProjectRole, Status
from core.domain.readiness import Deciders
from core.engine.unit_of_work import Snapshot
from core.reads.workflows import PhaseInProject, WaitingGate, gated_rows, phases_in, waiting_gates
from core.record import Record
from core.rules.dependencies import ALL_BLOCKERS, MANY_BLOCKERS
from core.rules.visibility import held_on, hidden_among
from core.storage.database import Statement, placeholders
from core.text.short_keys import card_key


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
    key: str
    """The key of the card: AUT-12."""
    kind: ItemKind
    title: str
    status: Status
    activity_id: Id | None
    due: date | None
    version: int
    waits_for: int
    """The number of open cards that keep it from starting or being completed."""
    overridden: int = 0
    """The number of open cards that it need not wait for, because an owner has overridden that."""
    priority: Priority = Priority.NORMAL

    @property
    def is_ready(self) -> bool:
        """True if it can start now: it is To Do, its phase is not locked, and it waits for no open card."""
        return self.status is Status.TO_DO and not self.locked and not self.waits_for


OpenRow = tuple[Any, ...]
"""The columns of ``OPEN_COLUMNS``."""

_STORED = (
    "item.project_id, item.phase_id, item.id, item.kind, item.title, item.status, item.activity_id, item.due,"
    " item.version, item.number, item.priority"
)
OPEN_COLUMNS = f"{_STORED}, {ALL_BLOCKERS} AS blockers"
"""The columns that ``with_phases`` takes, of a statement that reads ``item``."""
_KINDS = {kind.value: kind for kind in ItemKind}
_STATUSES = {status.value: status for status in Status}
_PRIORITIES = {priority.value: priority for priority in Priority}

MY_PROJECTS = (
    "SELECT project_id FROM item WHERE assignee_id = :me AND status IN ('TO_DO', 'IN_PROGRESS')"
    " UNION SELECT project_id FROM assignment WHERE user_id = :me"
)
"""A SELECT of the projects with my open items, and perhaps others, so that I need no permission on thousands more."""

_ASSIGNED_TASKS = "item WHERE assignee_id = :me"
_ASSIGNED_ACTIVITIES = (
    "assignment JOIN item ON item.project_id = assignment.project_id AND item.id = assignment.target_id"
    " WHERE user_id = :me"
)
_OPEN = (
    "status IN ('TO_DO', 'IN_PROGRESS') AND (SELECT archived FROM project WHERE project.id = item.project_id) = 0"
    " AND item.project_id NOT IN (SELECT project_id FROM unfinished)"
)
"""The condition of an open item in a project that is not archived, and of which no hidden rows are left
(``core.engine.large_projects``). It looks at the project of each item, since a list of my projects would make the
database look for my items one project after the other."""


class MyOpenItems(NamedTuple):
    """My open items, and the gates that wait for my decision."""

    items: tuple[OpenItem, ...]
    gates: tuple[WaitingGate, ...]


def my_open_items(
    view: Snapshot, grants: Mapping[Id, Grant | None], most: int, until: date | None = None
) -> MyOpenItems:
    """Return my first ``most`` open items by due date, those without one last; with ``until`` only those until then.

    ``grants`` are my permissions on my projects. Items and gates in projects that I cannot see, and in archived ones,
    are left out.
    """
    hidden = hidden_among(grants)
    rows, owned = view.tx.tuples_all([my_open_rows(view, hidden, most, until), gated_rows(view, grants)])
    gated = {project_id: ProjectRole(role) for project_id, role in owned}
    places = phases_in(view, {row[0] for row in rows} | gated.keys(), gates_of=gated)
    source, held = view.grant.authority.source, held_on(grants, gated)
    deciders = {
        project_id: Deciders.of(
            held[project_id], (), archived=False, user_id=view.actor.user_id, role=role, source=source
        )
        for project_id, role in gated.items()
    }
    waiting = waiting_gates((place for place in places if place.project_id in gated), deciders.__getitem__)
    return MyOpenItems(with_phases(rows, places), tuple(gate for gate in waiting if gate.for_me))


def my_open_rows(view: Snapshot, hidden: Collection[Id], most: int, until: date | None = None) -> Statement:
    """Return the statement that reads the rows of ``my_open_items``, for ``with_phases``.

    It takes my tasks in the order of an index, and looks for what the first ``most`` items wait for only.
    """
    where, params = _condition(hidden, until)
    parts = [
        f"{_ASSIGNED_TASKS} AND {where} AND due IS NOT NULL ORDER BY due, item.id LIMIT :most",
        f"{_ASSIGNED_ACTIVITIES} AND {where}",
    ]
    if until is None:
        parts.append(f"{_ASSIGNED_TASKS} AND {where} AND due IS NULL ORDER BY item.id LIMIT :most")
    every = " UNION ALL ".join(
        f"SELECT * FROM (SELECT {_STORED} FROM {part}) AS part{number}" for number, part in enumerate(parts)
    )
    return (
        f"SELECT {OPEN_COLUMNS.replace('item.', 'mine.')} FROM"
        f" ({every} ORDER BY due NULLS LAST, id LIMIT :most) AS mine ORDER BY due NULLS LAST, id",
        {"me": view.actor.user_id, "most": most, **params},
    )


def count_my_open_items(view: Snapshot, hidden: Collection[Id]) -> int:
    """Return the number of all my open items; ``hidden`` as in ``my_open_items``."""
    where, params = _condition(hidden)
    [row] = view.tx.tuples(
        f"SELECT (SELECT count(*) FROM {_ASSIGNED_TASKS} AND {where})"
        f" + (SELECT count(*) FROM {_ASSIGNED_ACTIVITIES} AND {where})",
        me=view.actor.user_id,
        **params,
    )
    return int(row[0])


def _condition(hidden: Collection[Id], until: date | None = None) -> tuple[str, dict[str, object]]:
    where = _OPEN
    params: dict[str, object] = {}
    if hidden:
        chosen, params = placeholders(hidden, "hidden")
        where += f" AND item.project_id NOT IN {chosen}"
    if until:
        where += " AND due <= :until"
        params["until"] = until.isoformat()
    return where, params


def with_phases(rows: Iterable[OpenRow], phases: Iterable[PhaseInProject]) -> tuple[OpenItem, ...]:
    """Return the items of rows. ``phases`` has at least their phases.

    An item without a phase, which only a damaged database has, is left out: the doctor names it.
    """
    places = {place.phase.id: place for place in phases}
    return tuple(_item(places[row[1]], row) for row in rows if row[1] in places)


def _item(place: PhaseInProject, row: OpenRow) -> OpenItem:
    _, _, item_id, kind, title, status, activity_id, due, version, number, priority, blockers = row
    overridden, waits_for = divmod(blockers, MANY_BLOCKERS) if blockers else (0, 0)
    return OpenItem(
        project_id=place.project_id,
        project=place.project,
        phase_id=place.phase.id,
        phase=place.phase.name,
        phase_number=place.number,
        locked=place.state is PhaseState.LOCKED,
        id=item_id,
        key=card_key(place.project_key, number),
        kind=_KINDS[kind],
        title=title,
        status=_STATUSES[status],
        activity_id=activity_id,
        due=date.fromisoformat(due) if due else None,
        version=version,
        priority=_PRIORITIES[priority],
        waits_for=waits_for,
        overridden=overridden,
    )
