"""Checks of a project around every message: is it there, not archived, and can the sender see it; and names of people,
for refusals."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from core.authorization.held_permissions import NAMED_BY_POLICY, NAMING_MEMBER
from core.domain.grants import Grant, PermissionQuery
from core.domain.model import Id, ProjectRole
from core.domain.permissions import Permission, project_rights, refusal_of_service
from core.engine.messages import MoreGrantsNeeded
from core.engine.unit_of_work import Snapshot, in_workspace
from core.errors import NotFound, RuleViolation
from core.storage.database import placeholders
from core.text.phrases import full_name, no_such

OF_PROJECT = "SELECT auth_id, name, archived FROM project WHERE id = :id"
"""The account of a project, its name, and whether it is archived: read once for the permission and for the guard."""

VIEWING = frozenset({str(Permission.PROJECT_VIEW)})
"""The permission codes that are needed to see a project."""


def owners(view: Snapshot, project_id: Id) -> tuple[str, ...]:
    """Return the names of the active owners of a project, who can unblock most things."""
    return tuple(owners_by_id(view, project_id).values())


def owners_by_id(view: Snapshot, project_id: Id) -> dict[Id, str]:
    """Return the active owners of a project by their ids."""
    return _active(view, project_id, [ProjectRole.OWNER])


def holders(view: Snapshot, project_id: Id, code: Permission) -> tuple[str, ...]:
    """Return the names of the active members of a project who hold a code by their role, or by a policy of a gate."""
    roles = [role for role in ProjectRole if code in project_rights(role)]
    return tuple(_active(view, project_id, roles, code is Permission.GATE_DECIDE).values())


def list_naming_phases(view: Snapshot, project_id: Id, user_id: Id) -> tuple[str, ...]:
    """Return the names of the phases by whose policy a contributor decides at gates, in the order of the phases."""
    rows = view.tx.tuples(
        "SELECT phase.name FROM member JOIN phase ON phase.project_id = member.project_id"
        f" JOIN gate_policy AS policy ON policy.phase_id = phase.id AND {NAMING_MEMBER}"
        " WHERE member.project_id = :project_id AND member.user_id = :user_id AND member.role = 'CONTRIBUTOR'"
        " ORDER BY phase.rank, phase.id",
        project_id=project_id,
        user_id=user_id,
    )
    return tuple(name for (name,) in rows)


def _active(view: Snapshot, project_id: Id, roles: Sequence[ProjectRole], by_policy: bool = False) -> dict[Id, str]:
    chosen, params = placeholders(roles)
    named = f" OR {NAMED_BY_POLICY}" if by_policy else ""
    rows = view.rows(
        "SELECT app_user.id, first_name, last_name FROM member JOIN app_user ON app_user.id = member.user_id"
        f" WHERE member.project_id = :project_id AND (member.role IN {chosen}{named}) AND app_user.active = 1"
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


def visible_among(view: Snapshot, project_ids: Collection[Id]) -> set[Id]:
    """Return those of these projects that the sender can see; that of the message is one of them.

    Raises MoreGrantsNeeded where the permission source was not asked about one of them yet: the engine then does.
    """
    others = set(project_ids) - {view.scope}
    if not others:
        return set(project_ids)
    chosen, params = placeholders(others)
    rows = view.tx.tuples(f"SELECT id, auth_id FROM project WHERE id IN {chosen}", **params)
    asked = {project_id: PermissionQuery(view.actor.user_id, auth_id, VIEWING) for project_id, auth_id in rows}
    if unanswered := tuple(question for question in asked.values() if question not in view.answers):
        raise MoreGrantsNeeded(unanswered)
    found = {project_id for project_id, question in asked.items() if not hidden_reason(view.answers[question])}
    return found | (set(project_ids) & {view.scope})


def hidden_reason(grant: Grant | None) -> str:
    """Return the reason why a project cannot be seen; empty if it can."""
    if grant is None:
        return "Your permission to see this project is not known yet."  # the sender joined at this moment
    if Permission.PROJECT_VIEW in grant.held:
        return ""
    fault = grant.authority.fault
    return fault.reason if fault else refusal_of_service(Permission.PROJECT_VIEW)
