"""Checks of a project around every message: is it there and not archived; and names of people, for refusals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core.domain.model import Id, ProjectRole
from core.domain.permissions import Permission, project_rights
from core.engine.unit_of_work import Snapshot, in_workspace
from core.errors import NotFound, RuleViolation
from core.storage.database import placeholders
from core.text.phrases import full_name, no_such

OF_PROJECT = "SELECT auth_id, name, archived FROM project WHERE id = :id"
"""The account of a project, its name, and whether it is archived: read once for the permission and for the guard."""


def owners(view: Snapshot, project_id: Id) -> tuple[str, ...]:
    """Return the names of the active owners of a project, who can unblock most things."""
    return tuple(owners_by_id(view, project_id).values())


def owners_by_id(view: Snapshot, project_id: Id) -> dict[Id, str]:
    """Return the active owners of a project by their ids."""
    return _active(view, project_id, [ProjectRole.OWNER])


def holders(view: Snapshot, project_id: Id, code: Permission) -> tuple[str, ...]:
    """Return the names of the active members of a project whose role holds a code."""
    return tuple(_active(view, project_id, [role for role in ProjectRole if code in project_rights(role)]).values())


def _active(view: Snapshot, project_id: Id, roles: Sequence[ProjectRole]) -> dict[Id, str]:
    chosen, params = placeholders(roles)
    rows = view.rows(
        "SELECT app_user.id, first_name, last_name FROM member JOIN app_user ON app_user.id = member.user_id"
        f" WHERE member.project_id = :project_id AND member.role IN {chosen} AND app_user.active = 1"
        " ORDER BY first_name, last_name, app_user.id",
        project_id=project_id,
        **params,
    )
    return {row["id"]: full_name(row["first_name"], row["last_name"]) for row in rows}


def names_of(view: Snapshot, user_ids: Iterable[Id]) -> dict[Id, str]:
    """Return the names of the users with these ids, as far as they exist."""
    chosen, params = placeholders(user_ids)
    rows = view.tx.tuples(f"SELECT id, first_name, last_name FROM app_user WHERE id IN {chosen}", **params)
    return {user_id: full_name(first, last) for user_id, first, last in rows}


def check_project(view: Snapshot, *, in_archive: bool = False) -> None:
    """Check that the project of a message is still there, and not archived.

    A message can run in a later snapshot than the check of its permission. Raises NotFound for a deleted
    project, and RuleViolation for an archived one unless ``in_archive``: until it is restored it can only be read.
    """
    project_id = view.scope
    if in_workspace(project_id):
        return
    found = view.tx.tuples(OF_PROJECT, id=project_id)
    if not found:
        raise NotFound(no_such("project", project_id))
    _, name, archived = found[0]
    if archived and not in_archive:
        raise RuleViolation(f"“{name}” is archived. Restore the project first.", who_can=owners(view, project_id))
