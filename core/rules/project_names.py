"""The projects that a user can name, and their names in printed commands."""

from __future__ import annotations

from core.domain.model import WORKSPACE, Id
from core.engine.unit_of_work import Snapshot
from core.record import Record
from core.text.naming import argument_for


class ProjectRef(Record):
    """The id and the name of a project."""

    id: Id
    name: str


def names_of_project(project: ProjectRef) -> tuple[str, ...]:
    return project.id, project.name


def my_project_names(view: Snapshot) -> list[ProjectRef]:
    rows = view.rows(
        "SELECT id, name FROM project WHERE id IN (SELECT project_id FROM member WHERE user_id = :me)"
        " ORDER BY name, id",
        me=view.actor.user_id,
    )
    return [ProjectRef(id=row["id"], name=row["name"]) for row in rows]


def argument_for_project(view: Snapshot, project_id: Id) -> str:
    """Return the argument for one of my projects in a command that Podium prints; for the workspace its option."""
    if project_id == WORKSPACE:
        return "--workspace"
    mine = my_project_names(view)
    chosen = next((each for each in mine if each.id == project_id), None)
    return argument_for(chosen, mine, names_of_project) if chosen else project_id
