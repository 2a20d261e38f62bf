"""What I may see beyond one project: of my projects, and as a guest of the workspace.

Membership is not enough, for it may be a service that decides. A message over several projects asks
``tuple(my_projects_with_questions(view).values())`` in ``asks``, and ``run`` tells only of ``visible_projects(view)``.

Guests see of the workspace what their projects have: the people on them, the clients, markets and
brands that they link, the products applied there, and the templates that come with Podium or are their own. A message
about the workspace asks ``asked_of_guests(view)``, and tells of ``seen(view, …)`` alone. What a guest may not see of a
record, ``Snapshot`` leaves out.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from core.domain.grants import Grant, PermissionQuery
from core.domain.model import HierarchyNode, Id, User
from core.domain.permissions import Permission, refusal_of_service
from core.domain.products import Product
from core.domain.templates import Template
from core.engine.unit_of_work import Snapshot
from core.errors import Forbidden
from core.storage.database import placeholders

Shared = TypeVar("Shared", User, HierarchyNode, Product, Template)

SIGHT = frozenset({str(Permission.PROJECT_VIEW)})
"""What it takes to see a project."""


def my_projects_with_questions(
    view: Snapshot, *, archived: bool = False, codes: frozenset[str] = SIGHT
) -> dict[Id, PermissionQuery]:
    """The projects I am a member of, the archived ones only if wanted, each with the question whether I may see it.

    ``codes`` has more than that where what else I may do there is of use.
    """
    rows = view.tx.tuples(
        "SELECT id, auth_id FROM project WHERE id IN (SELECT project_id FROM member WHERE user_id = :me)"
        " AND (archived = 0 OR :archived = 1)",
        me=view.actor.user_id,
        archived=int(archived),
    )
    return {project_id: PermissionQuery(view.actor.user_id, auth_id, codes) for project_id, auth_id in rows}


def visible_projects(view: Snapshot, *, archived: bool = False) -> list[Id]:
    """Those of my projects that I may see, by what the source of permissions said to ``my_projects_with_questions``."""
    mine = my_projects_with_questions(view, archived=archived)
    return [project_id for project_id, question in mine.items() if not hidden_reason(view.answers.get(question))]


_OF_PROJECTS: dict[type, str] = {
    User: "SELECT user_id FROM member WHERE project_id IN {projects} UNION SELECT :me",
    HierarchyNode: "SELECT client_id FROM project WHERE id IN {projects}"
    " UNION SELECT market_id FROM project WHERE id IN {projects}"
    " UNION SELECT brand_id FROM project WHERE id IN {projects}",
    Product: "SELECT product_id FROM application WHERE project_id IN {projects}",
    Template: "SELECT id FROM template WHERE EXISTS (SELECT 1 FROM member WHERE user_id = :me) AND NOT EXISTS ("
    "SELECT 1 FROM template_version WHERE template_id = template.id AND coalesce(by_id, '') NOT IN ('', :me))",
}
"""The ids that a guest may see of each kind; a version of a template that comes with Podium is by nobody."""

_CALLED = {User: "person", HierarchyNode: "client, market or brand", Product: "product", Template: "template"}


def asked_of_guests(view: Snapshot) -> tuple[PermissionQuery, ...]:
    """What a message about the workspace asks first, so that it can tell a guest what their projects have."""
    return tuple(my_projects_with_questions(view, archived=True).values()) if view.by_guest else ()


def seen(view: Snapshot, records: Iterable[Shared]) -> list[Shared]:
    """Those of the records, all of one kind, that the sender may see: all of them, unless it is a guest."""
    listed = list(records)
    if not listed or not view.by_guest:
        return listed
    ids = _ids_for_guest(view, type(listed[0]))
    return [each for each in listed if each.id in ids]


def check_visible(view: Snapshot, record: Shared) -> Shared:
    """The record, if the sender may see it. Raises Forbidden, which tells nothing of it."""
    if not seen(view, [record]):
        raise Forbidden(f"As guest you may not see this {_CALLED[type(record)]}, which none of your projects has.")
    return record


def _ids_for_guest(view: Snapshot, kind: type) -> frozenset[Id]:
    chosen, params = placeholders(visible_projects(view, archived=True))
    rows = view.tx.tuples(_OF_PROJECTS[kind].format(projects=chosen), me=view.actor.user_id, **params)
    return frozenset(row[0] for row in rows)


def is_visible(view: Snapshot, auth_id: str) -> PermissionQuery:
    """Whether I may see the project with this account."""
    return PermissionQuery(view.actor.user_id, auth_id, SIGHT)


def hidden_reason(grant: Grant | None) -> str:
    """Why a project may not be seen; empty when it may."""
    if grant is None:
        return "Nobody has said yet that you may see this project."  # you joined at this very moment
    if Permission.PROJECT_VIEW in grant.held:
        return ""
    fault = grant.authority.fault
    return fault.reason if fault else refusal_of_service(Permission.PROJECT_VIEW)
