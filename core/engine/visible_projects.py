"""Which of some projects the sender of a message can see, by the answers of the permission source."""

from __future__ import annotations

from collections.abc import Collection

from core.domain.grants import Grant, PermissionQuery
from core.domain.model import Id
from core.domain.permissions import Permission, refusal_of_service
from core.engine.messages import Unanswered
from core.engine.unit_of_work import Snapshot
from core.storage.database import placeholders

VIEWING = frozenset({str(Permission.PROJECT_VIEW)})
"""The permission codes that are needed to see a project."""


def visible_among(view: Snapshot, project_ids: Collection[Id]) -> set[Id]:
    """Return those of these projects that the sender can see; that of the message is one of them.

    Raises Unanswered where the permission source was not asked about one of them yet: the engine then does.
    """
    others = set(project_ids) - {view.scope}
    if not others:
        return set(project_ids)
    chosen, params = placeholders(others)
    rows = view.tx.tuples(f"SELECT id, auth_id FROM project WHERE id IN {chosen}", **params)
    asked = {project_id: PermissionQuery(view.actor.user_id, auth_id, VIEWING) for project_id, auth_id in rows}
    if unanswered := tuple(question for question in asked.values() if question not in view.answers):
        raise Unanswered(unanswered)
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
