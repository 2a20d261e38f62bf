"""Which of my projects I may see: what every message over several projects asks, and leaves out.

Membership is not enough, for it may be a service that decides. A message over several projects asks
``tuple(my_projects(view).values())`` in ``asks``, and in ``run`` tells of ``projects_in_sight(view)`` alone.
"""

from __future__ import annotations

from core.authorization.question import Grant, Question
from core.model import Id
from core.rights import Permission, refusal_of_service
from core.work import View

SIGHT = frozenset({str(Permission.PROJECT_VIEW)})
"""What it takes to see a project."""


def my_projects(view: View, *, archived: bool = False, codes: frozenset[str] = SIGHT) -> dict[Id, Question]:
    """The projects I am a member of, the archived ones only if wanted, each with the question whether I may see it.

    ``codes`` has more than that where what else I may do there is of use.
    """
    rows = view.tx.tuples(
        "SELECT id, auth_id FROM project WHERE id IN (SELECT project_id FROM member WHERE user_id = :me)"
        " AND (archived = 0 OR :archived = 1)",
        me=view.actor.user_id,
        archived=int(archived),
    )
    return {project_id: Question(view.actor.user_id, auth_id, codes) for project_id, auth_id in rows}


def projects_in_sight(view: View, *, archived: bool = False) -> list[Id]:
    """Those of my projects that I may see, by what the source of permissions said to ``my_projects``."""
    mine = my_projects(view, archived=archived)
    return [project_id for project_id, question in mine.items() if not why_hidden(view.answers.get(question))]


def sight_of(view: View, auth_id: str) -> Question:
    """Whether I may see the project with this account."""
    return Question(view.actor.user_id, auth_id, SIGHT)


def why_hidden(grant: Grant | None) -> str:
    """Why a project may not be seen; empty when it may, and for a first picture, for which membership is enough."""
    if grant is None:
        return "Nobody has said yet that you may see this project."  # you joined at this very moment
    if grant.authority.pending or Permission.PROJECT_VIEW in grant.held:
        return ""
    fault = grant.authority.fault
    return fault.reason if fault else refusal_of_service(Permission.PROJECT_VIEW)
