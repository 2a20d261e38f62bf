"""My work: the user's open items in all projects, late ones first."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date

from core.domain.grants import Grant, PermissionQuery
from core.domain.model import Id, ProjectRole
from core.domain.permissions import ALL_CODES, Permission
from core.engine.messages import Query
from core.engine.unit_of_work import Snapshot
from core.record import COLLECTION, Record, field
from core.rules.open_items import OpenItem, count_my_open_items, my_open_items
from core.rules.visibility import hidden_reason, my_projects_with_questions

_CODES = frozenset(Permission)

MAX_LINES = 500
"""The most lines. Longer lists are not read; the filter of a project finds the rest."""


class MyWork(Record):
    """My open items by due date, those without one last. ``more`` is the number of those not listed."""

    lines: tuple[OpenItem, ...] = field(name=COLLECTION)
    held: dict[Id, frozenset[Permission]]
    """My permissions on the project of each line."""
    roles: dict[Id, ProjectRole]
    """My role on each of these projects."""
    today: date
    more: int = 0


class GetMyWork(Query[MyWork]):
    """List my open tasks and activities in all my projects, the most urgent first.

    Archived projects are left out, and projects that I cannot see. The result has my permissions on each project, so
    that each line can show which of its keys work.
    """

    route = "GET /v1/me/work"
    permission = Permission.WORKSPACE_VIEW

    def asks(self, view: Snapshot) -> tuple[PermissionQuery, ...]:
        return tuple(my_projects_with_questions(view, codes=ALL_CODES).values())

    def run(self, view: Snapshot) -> MyWork:
        asked = my_projects_with_questions(view, codes=ALL_CODES)
        answers = {project_id: view.answers.get(question) for project_id, question in asked.items()}
        hidden = [project_id for project_id, grant in answers.items() if hidden_reason(grant)]
        lines = my_open_items(view, hidden, MAX_LINES)
        more = count_my_open_items(view, hidden) - MAX_LINES if len(lines) == MAX_LINES else 0
        here = {line.project_id for line in lines}
        return MyWork(
            lines=lines,
            held={project_id: _held(answers[project_id]) for project_id in here},
            roles=_roles(view, here),
            today=view.today,
            more=more,
        )


def _held(grant: Grant | None) -> frozenset[Permission]:
    return _CODES & grant.held if grant else frozenset()


def _roles(view: Snapshot, project_ids: Collection[Id]) -> dict[Id, ProjectRole]:
    rows = view.tx.tuples("SELECT project_id, role FROM member WHERE user_id = :me", me=view.actor.user_id)
    return {project_id: ProjectRole(role) for project_id, role in rows if project_id in project_ids}
