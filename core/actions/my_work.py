"""What is mine: my open items over all projects, late first."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date
from typing import ClassVar

from core.actions.sight import my_projects, why_hidden
from core.authorization.question import Grant, Question
from core.messages import Query
from core.model import Id, ProjectRole
from core.open_work import WorkLine, my_open_work
from core.rights import ALL_CODES, Permission
from core.work import View

_CODES = frozenset(Permission)

MOST_LINES = 500
"""More than this nobody reads; the filter of a project finds the others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MyWork:
    """My open items, by due date, those without one last. ``more`` counts those that are not listed."""

    collection: ClassVar[str] = "lines"

    lines: tuple[WorkLine, ...]
    held: dict[Id, frozenset[Permission]]
    """What I hold on the project of each line."""
    roles: dict[Id, ProjectRole]
    """My role on each of them."""
    today: date
    more: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowMyWork(Query[MyWork]):
    """My open tasks and activities over all my projects, the most urgent first.

    Projects in the archive are left out, and those that I may not see. What else I may do there is asked along, so
    that each line can say which of its keys work.
    """

    route = "GET /v1/me/work"
    permission = Permission.WORKSPACE_VIEW

    def asks(self, view: View) -> tuple[Question, ...]:
        return tuple(my_projects(view, codes=ALL_CODES).values())

    def run(self, view: View) -> MyWork:
        asked = my_projects(view, codes=ALL_CODES)
        answers = {project_id: view.answers.get(question) for project_id, question in asked.items()}
        seen = [project_id for project_id, grant in answers.items() if not why_hidden(grant)]
        lines, more = my_open_work(view, seen, MOST_LINES)
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


def _roles(view: View, project_ids: Collection[Id]) -> dict[Id, ProjectRole]:
    rows = view.tx.tuples("SELECT project_id, role FROM member WHERE user_id = :me", me=view.actor.user_id)
    return {project_id: ProjectRole(role) for project_id, role in rows if project_id in project_ids}
