"""Checks of a project around every command: its owners, for refusals, and whether it is archived."""

from __future__ import annotations

from core.domain.model import Id
from core.engine.unit_of_work import Snapshot
from core.errors import RuleViolation
from core.text.phrases import full_name


def owners(view: Snapshot, project_id: Id) -> tuple[str, ...]:
    """Return the names of the active owners of a project, who can unblock most things."""
    rows = view.rows(
        "SELECT first_name, last_name FROM member JOIN app_user ON app_user.id = member.user_id"
        " WHERE member.project_id = :project_id AND member.role = 'OWNER' AND app_user.active = 1"
        " ORDER BY first_name, last_name, app_user.id",
        project_id=project_id,
    )
    return tuple(full_name(row["first_name"], row["last_name"]) for row in rows)


def check_not_archived(view: Snapshot, project_id: Id) -> None:
    """Raise RuleViolation if a project is archived: until it is restored it can only be read."""
    archived = view.rows("SELECT name FROM project WHERE id = :id AND archived = 1", id=project_id)
    if archived:
        name = archived[0]["name"]
        raise RuleViolation(f"“{name}” is archived. Restore the project first.", who_can=owners(view, project_id))
