"""Visibility beyond one project: which of their projects a user can see, and what guests see of the workspace.

Membership is not enough, since an authorization service may decide. A message over several projects returns
``tuple(my_projects_with_questions(view).values())`` from ``asks``, and ``run`` reads only ``visible_projects(view)``.

Guests see only the part of the workspace that their projects use: the people on them, their clients, markets and
brands, and their products; and templates that come with Podium or are the guest's own. A message about the workspace
returns ``asked_of_guests(view)`` from ``asks`` and only ``seen(view, …)`` from ``run``. ``Snapshot`` omits the fields
of a record that guests cannot see.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple, TypeVar

from core.domain.grants import Grant, PermissionQuery
from core.domain.model import HierarchyNode, Id, ProjectRole, User
from core.domain.permissions import ALL_CODES, Permission
from core.domain.products.products import Product
from core.domain.templates import Template
from core.engine.authorizer import missing_record
from core.engine.messages import Message
from core.engine.project_guard import VIEWING, hidden_reason, visible_among
from core.engine.unit_of_work import Snapshot
from core.errors import NotFound
from core.storage.database import placeholders
from core.text.phrases import no_such, noun_of

Shared = TypeVar("Shared", User, HierarchyNode, Product, Template)


def my_projects_with_questions(
    view: Snapshot, *, archived: bool = False, codes: frozenset[str] = VIEWING, among: str = ""
) -> dict[Id, PermissionQuery]:
    """Return the projects that I am a member of, each with the query whether I can see it.

    Archived projects only if ``archived``. ``codes`` asks for more permissions where ``run`` needs to know them.
    ``among`` is a SELECT of the ids of projects outside which ``run`` reads nothing, with the parameter ``:me``.
    """
    mine = "id IN (SELECT project_id FROM member WHERE user_id = :me)"
    if among:  # the membership is looked up for each of them, so that the user's other projects are not read
        member = "SELECT 1 FROM member WHERE member.project_id = project.id AND member.user_id = :me"
        mine = f"id IN ({among}) AND EXISTS ({member})"
    rows = view.tx.tuples(
        f"SELECT id, auth_id FROM project WHERE {mine} AND (archived = 0 OR :archived = 1)",
        me=view.actor.user_id,
        archived=int(archived),
    )
    return {project_id: PermissionQuery(view.actor.user_id, auth_id, codes) for project_id, auth_id in rows}


def scope_of_step(view: Snapshot, step: Message[Any]) -> Id:
    """Return the scope of a message within another one. Raises NotFound where the sender cannot see its project."""
    scope = step.scope(view)
    if scope not in visible_among(view, {scope}):
        raise missing_record(view, step)
    return scope


class MyProjects(NamedTuple):
    """My projects, by whether I can see them."""

    visible: list[Id]
    hidden: list[Id]


def my_projects(view: Snapshot, *, archived: bool = False) -> MyProjects:
    """Return my projects by the answers to ``my_projects_with_questions``."""
    return by_answers(view, my_projects_with_questions(view, archived=archived))


def by_answers(view: Snapshot, questions: Mapping[Id, PermissionQuery]) -> MyProjects:
    """Return projects by the answers to their queries."""
    found = MyProjects([], [])
    for project_id, question in questions.items():
        (found.hidden if hidden_reason(view.answers.get(question)) else found.visible).append(project_id)
    return found


def my_grants(view: Snapshot, among: str = "") -> dict[Id, Grant | None]:
    """Return all my permissions on each of my projects, for a message whose ``asks`` has all codes, and ``among``."""
    asked = my_projects_with_questions(view, codes=ALL_CODES, among=among)
    return {project_id: view.answers.get(question) for project_id, question in asked.items()}


def hidden_among(grants: Mapping[Id, Grant | None]) -> list[Id]:
    """Return those of these projects that cannot be seen."""
    return [project_id for project_id, grant in grants.items() if hidden_reason(grant)]


def held_on(grants: Mapping[Id, Grant | None], project_ids: Iterable[Id]) -> dict[Id, frozenset[Permission]]:
    """Return Podium's own permission codes that I hold on each of these projects."""
    granted = {project_id: grants.get(project_id) for project_id in project_ids}
    return {project_id: _CODES & grant.held if grant else frozenset() for project_id, grant in granted.items()}


_CODES = frozenset(Permission)


def my_roles(view: Snapshot, project_ids: Collection[Id]) -> dict[Id, ProjectRole]:
    """Return my role on each of these projects that I am a member of."""
    chosen, params = placeholders(project_ids)
    sql = f"SELECT project_id, role FROM member WHERE user_id = :me AND project_id IN {chosen}"
    return {project_id: ProjectRole(role) for project_id, role in view.tx.tuples(sql, me=view.actor.user_id, **params)}


def visible_projects(view: Snapshot, *, archived: bool = False) -> list[Id]:
    """Return those of my projects that I can see, by the answers to ``my_projects_with_questions``."""
    return my_projects(view, archived=archived).visible


_OF_PROJECTS: dict[type, str] = {
    User: "SELECT user_id AS id FROM member WHERE project_id IN {projects} UNION SELECT :me",
    HierarchyNode: "SELECT client_id AS id FROM project WHERE id IN {projects}"
    " UNION SELECT market_id FROM project WHERE id IN {projects}"
    " UNION SELECT brand_id FROM project WHERE id IN {projects}",
    Product: "SELECT product_id AS id FROM application WHERE project_id IN {projects}",
    Template: "SELECT id FROM template WHERE EXISTS (SELECT 1 FROM member WHERE user_id = :me) AND NOT EXISTS ("
    "SELECT 1 FROM template_version WHERE template_id = template.id AND coalesce(by_id, '') NOT IN ('', :me))",
}
"""The ids that a guest can see of each kind. A template version that comes with Podium has no author."""


def asked_of_guests(view: Snapshot) -> tuple[PermissionQuery, ...]:
    """Return the queries that a message about the workspace asks first: for guests, their projects; else none."""
    return tuple(my_projects_with_questions(view, archived=True).values()) if view.by_guest else ()


def keep_visible(view: Snapshot, records: Iterable[Shared]) -> list[Shared]:
    """Return the records, all of one kind, that the sender can see: all of them, unless the sender is a guest."""
    listed = list(records)
    if not listed or not view.by_guest:
        return listed
    ids = shared_with_guest(view, type(listed[0]))
    return [each for each in listed if each.id in ids]


def check_visible(view: Snapshot, record: Shared) -> Shared:
    """Return the record if the sender can see it. Raises NotFound in the words for one that is not there."""
    if not keep_visible(view, [record]):
        raise NotFound(no_such(noun_of(type(record)), record.id))
    return record


def shared_with_guest(
    view: Snapshot, *kinds: type[User | HierarchyNode | Product | Template], of_members: bool = False
) -> frozenset[Id]:
    """Return the ids of the records of these kinds that the sender, a guest, can see.

    With ``of_members`` the sender is known to see all their projects, about which nothing was asked.
    """
    chosen, params = "(SELECT project_id FROM member WHERE user_id = :me)", dict[str, object]()
    if not of_members:
        chosen, params = placeholders(visible_projects(view, archived=True))
    selects = " UNION ALL ".join(
        f"SELECT id FROM ({_OF_PROJECTS[kind]}) AS of_{number}" for number, kind in enumerate(kinds)
    )
    rows = view.tx.tuples(selects.format(projects=chosen), me=view.actor.user_id, **params)
    return frozenset(row[0] for row in rows)
