"""The projects that a user can name, and their names in printed commands."""

from __future__ import annotations

from core.domain.model import WORKSPACE, Id
from core.engine.unit_of_work import Snapshot
from core.record import Record
from core.text.naming import argument_for


class ProjectRef(Record):
    """The id, the name and the keys of a project: its own first, then those that it had before."""

    id: Id
    name: str
    keys: tuple[str, ...] = ()


def names_of_project(project: ProjectRef) -> tuple[str, ...]:
    """Return all by which a project can be named: its id, its name, and its keys, the present one first."""
    return project.id, project.name, *project.keys


_MINE = "{id} IN (SELECT project_id FROM member WHERE user_id = :me)"
OWNERLESS = (
    "{id} IN (SELECT id FROM project WHERE NOT EXISTS (SELECT 1 FROM member"
    " JOIN app_user ON app_user.id = member.user_id"
    " WHERE member.project_id = project.id AND member.role = 'OWNER' AND app_user.active = 1))"
)
_CALLED = (
    "{id} IN (SELECT id FROM project WHERE id = :called UNION SELECT project_id FROM project_key WHERE key = :called"
    " UNION SELECT id FROM project WHERE name = :called)"
    " AND EXISTS (SELECT 1 FROM member WHERE member.project_id = {id} AND member.user_id = :me)"
)


def my_project_names(view: Snapshot, called: str = "") -> list[ProjectRef]:
    """Return my projects by name; with ``called`` those with exactly this id, name, key or former key."""
    me = view.actor.user_id
    return names_where(view, _CALLED, me=me, called=called) if called else names_where(view, _MINE, me=me)


def names_where(view: Snapshot, condition: str, **params: object) -> list[ProjectRef]:
    """Return the projects of a condition on ``{id}``, by name."""
    projects, former = view.tx.tuples_all(
        [
            (sql, params)
            for sql in (
                f"SELECT id, name, key FROM project WHERE {condition.format(id='project.id')} ORDER BY name, id",
                "SELECT project_id, key FROM project_key"
                f" WHERE {condition.format(id='project_key.project_id')} ORDER BY key",
            )
        ]
    )
    keys: dict[Id, list[str]] = {}
    for project_id, key in former:
        keys.setdefault(project_id, []).append(key)
    return [
        ProjectRef(
            id=project_id, name=name, keys=tuple(dict.fromkeys([*filter(None, [key]), *keys.get(project_id, ())]))
        )
        for project_id, name, key in projects
    ]


def argument_for_project(view: Snapshot, project_id: Id) -> str:
    """Return the argument for one of my projects in a command that Podium prints; for the workspace its option."""
    if project_id == WORKSPACE:
        return "--workspace"
    mine = my_project_names(view)
    chosen = next((each for each in mine if each.id == project_id), None)
    return argument_for(chosen, mine, names_of_project) if chosen else project_id
