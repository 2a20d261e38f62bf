"""What is mine: my open items over all projects, late first."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from core.actions.sight import my_projects, why_hidden
from core.authorization.question import Question
from core.messages import Query
from core.model import Id
from core.open_work import WorkLine, count_open_work, my_open_work
from core.rights import ALL_CODES, Permission
from core.work import View

MOST_LINES = 500
"""More than this nobody reads; the filter of a project finds the others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MyWork:
    """My open items, by due date, those without one last. ``more`` counts those that are not listed."""

    lines: tuple[WorkLine, ...]
    held: dict[Id, tuple[str, ...]]
    """The codes that I hold on the project of each line."""
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
        return tuple(_questions(view).values())

    def run(self, view: View) -> MyWork:
        answers = {project_id: view.answers.get(question) for project_id, question in _questions(view).items()}
        seen = [project_id for project_id, grant in answers.items() if not why_hidden(grant)]
        lines = my_open_work(view, seen, MOST_LINES)
        more = count_open_work(view, seen) - MOST_LINES if len(lines) == MOST_LINES else 0
        held = {line.project_id: answers[line.project_id] for line in lines}
        return MyWork(
            lines=tuple(lines),
            held={project_id: tuple(sorted(grant.held)) for project_id, grant in held.items() if grant},
            today=view.today,
            more=more,
        )


def _questions(view: View) -> dict[Id, Question]:
    return {project_id: asked._replace(codes=ALL_CODES) for project_id, asked in my_projects(view).items()}
