"""The permission codes that a user holds in this database, and the accounts on which they are held.

Accounts form a tree: workspace, client, market, brand, project. A project hangs under its most specific link, a node
under its parent, and a project without links under the workspace. A role held on an account holds on all accounts below
it. Roles are held at the two ends only: platform roles on the workspace, and so everywhere; project roles, with the
product roles that follow from them, on the project's account. So no statement here has to walk the tree.

One code is held without a role of its own: GATE_DECIDE by the contributors whom a policy of the project names.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

from core.domain.model import Id, PlatformRole, ProjectRole
from core.domain.permissions import ALL_CODES, Permission, project_rights, workspace_rights
from core.record import Record
from core.storage.database import Tx, placeholders

Codes = frozenset[str]
NOTHING: Codes = frozenset()
DECIDING: Codes = frozenset({Permission.GATE_DECIDE})
ProjectRow = tuple[str, Id, str | None, bool]
"""A project: its account, its id, the role of the user on it, and whether a policy there lets the user decide."""

HAS_META_ROLE = (
    "policy.meta_role_id IN (SELECT meta_role_id FROM member_meta_role AS given"
    " WHERE given.project_id = member.project_id AND given.user_id = member.user_id"
    " UNION ALL SELECT meta_role_id FROM role_mapping WHERE role_mapping.project_role = member.role)"
)
"""The condition that a member holds the meta role of a ``gate_policy AS policy``."""

NAMING_MEMBER = (
    "policy.project_id = member.project_id AND (policy.secretary_id = member.user_id"
    f" OR policy.people LIKE '%\"' || member.user_id || '\"%' OR {HAS_META_ROLE})"
)
"""The condition that a ``gate_policy AS policy`` names a member: directly, as secretary, or by a meta role."""

NAMED_BY_POLICY = (
    f"(member.role = '{ProjectRole.CONTRIBUTOR}'"
    f" AND EXISTS (SELECT 1 FROM gate_policy AS policy WHERE {NAMING_MEMBER}))"
)
"""The condition that a member decides at gates without being an owner. A viewer never does, whatever the meta role."""


class PermissionOrigins(Record, kw_only=False):
    """The roles through which one active user holds the codes of a query, for any account."""

    user_id: Id
    codes: Codes
    root: str
    """The account of the workspace."""
    everywhere: Codes
    """The codes held through platform roles, on every account."""
    by_meta_role: Mapping[tuple[Id, Id], Codes]
    """Codes of product roles, by product and meta role, of the products that use external authorization."""
    brought: Mapping[ProjectRole, frozenset[Id]]
    """The meta roles that each project role brings; empty when no code of a product is asked for."""


def origins(tx: Tx, user_id: Id, codes: Codes) -> PermissionOrigins | None:
    """The origins of these codes for a user; None if the user is unknown or not active."""
    users = tx.tuples(
        "SELECT platform_roles, (SELECT auth_id FROM workspace) FROM app_user WHERE id = :id AND active = 1", id=user_id
    )
    return _origins(tx, user_id, codes, *users[0]) if users else None


def _origins(tx: Tx, user_id: Id, codes: Codes, platform_roles: str, root: str) -> PermissionOrigins:
    platform = workspace_rights(PlatformRole(word) for word in json.loads(platform_roles))
    products_own = codes - ALL_CODES
    return PermissionOrigins(
        user_id,
        codes,
        root,
        codes & platform,
        _product_codes(tx, products_own) if products_own else {},
        _list_meta_roles_of_roles(tx) if products_own else {},
    )


def permissions_on(
    tx: Tx, users: Collection[Id], codes: Codes, accounts: Collection[str]
) -> dict[Id, dict[str, Codes]]:
    """The codes that users hold on accounts, by user and account; none for a user who is unknown or not active.

    One statement answers for all users and all projects among the accounts.
    """
    chosen, params = placeholders(accounts)
    people, of_people = placeholders(users, "user")
    rows = tx.tuples(
        "SELECT app_user.id, platform_roles, (SELECT auth_id FROM workspace), project.auth_id, project.id, member.role,"
        f" {_select_named(codes)} FROM app_user LEFT JOIN project ON project.auth_id IN {chosen}"
        " LEFT JOIN member ON member.project_id = project.id AND member.user_id = app_user.id"
        f" WHERE app_user.id IN {people} AND app_user.active = 1",
        **params,
        **of_people,
    )
    of_users: dict[Id, list[tuple[Any, ...]]] = {}
    for user_id, *rest in rows:
        of_users.setdefault(user_id, []).append(tuple(rest))
    held: dict[Id, dict[str, Codes]] = {}
    for user_id, mine in of_users.items():
        found = _origins(tx, user_id, codes, *mine[0][:2])
        on_projects = _list_held_codes(tx, found, [row[2:] for row in mine if row[2]])
        others = {account: _beside_projects(tx, found, account) for account in accounts if account not in on_projects}
        held[user_id] = on_projects | others
    return held


def _beside_projects(tx: Tx, found: PermissionOrigins, account: str) -> Codes:
    """The codes held on an account that is not of a project; none if it does not exist."""
    if account == found.root:
        return found.everywhere
    is_node = bool(tx.tuples("SELECT 1 FROM hierarchy_node WHERE auth_id = :account", account=account))
    return found.everywhere if is_node else NOTHING


def permissions_page(tx: Tx, found: PermissionOrigins, limit: int, offset: int) -> tuple[int, dict[str, Codes]]:
    """The number of accounts with any of the codes, and one page of those accounts, ordered by id, with the codes."""
    if found.everywhere:
        total, accounts = _every_account(tx, limit, offset)
        rows = _projects_among(tx, found, accounts) if accounts else []
        return total, dict.fromkeys(accounts, found.everywhere) | _list_held_codes(tx, found, rows)
    where, params = _holding(found)
    if not where:
        return 0, {}
    members = f"member JOIN project ON project.id = member.project_id WHERE member.user_id = :user AND ({where})"
    count = tx.tuples(f"SELECT count(*) FROM {members}", user=found.user_id, **params)
    rows = tx.tuples(
        f"SELECT project.auth_id, project.id, member.role, {_select_named(found.codes)} FROM {members}"
        " ORDER BY project.auth_id LIMIT :limit OFFSET :offset",
        user=found.user_id,
        limit=limit,
        offset=offset,
        **params,
    )
    return count[0][0], _list_held_codes(tx, found, rows)


def _list_held_codes(tx: Tx, found: PermissionOrigins, rows: Sequence[ProjectRow]) -> dict[str, Codes]:
    """The codes held on the accounts of these projects."""
    by_role = {role: found.everywhere | (found.codes & project_rights(role)) for role in (None, *ProjectRole)}
    roles = {project: ProjectRole(role) for _, project, role, _ in rows if role}
    following = _following(tx, found, roles) if found.by_meta_role and roles else {}
    return {
        account: by_role[roles.get(project)] | following.get(project, NOTHING) | (DECIDING if named else NOTHING)
        for account, project, _, named in rows
    }


def _select_named(codes: Codes) -> str:
    """The column that is true for a member whom a policy names; it costs nothing where the code is not asked for."""
    return NAMED_BY_POLICY if codes & DECIDING else "NULL"


def _every_account(tx: Tx, limit: int, offset: int) -> tuple[int, list[str]]:
    """The number of all accounts, and a page of them.

    Projects are many and indexed, so an offset into them is cheap; all other accounts are few. So all others are sorted
    among as many projects as the page can need: each other account in front of the page is one project less.
    """
    others = [row[0] for row in tx.tuples("SELECT auth_id FROM hierarchy_node UNION ALL SELECT auth_id FROM workspace")]
    projects = tx.tuples("SELECT count(*) FROM project")[0][0]
    start = max(0, offset - len(others))
    rows = tx.tuples(
        "SELECT auth_id FROM project ORDER BY auth_id LIMIT :limit OFFSET :start",
        limit=offset - start + limit,
        start=start,
    )
    among = sorted(others + [row[0] for row in rows])
    return projects + len(others), among[offset - start :][:limit]


def _projects_among(tx: Tx, found: PermissionOrigins, accounts: Sequence[str]) -> list[ProjectRow]:
    """The user's projects among the accounts of one page of all accounts, with the role on each."""
    return tx.tuples(
        f"SELECT project.auth_id, project.id, member.role, {_select_named(found.codes)}"
        " FROM member JOIN project ON project.id = member.project_id"
        " WHERE member.user_id = :user AND project.auth_id BETWEEN :first AND :last",
        user=found.user_id,
        first=accounts[0],
        last=accounts[-1],
    )


def _holding(found: PermissionOrigins) -> tuple[str, dict[str, object]]:
    """The SQL condition that a member holds any of the codes on the project, with its parameters; "" if none can."""
    conditions: list[str] = []
    params: dict[str, object] = {}
    if holders := [role.value for role in ProjectRole if found.codes & project_rights(role)]:
        marks, roles = placeholders(holders, "role")
        conditions.append(f"member.role IN {marks}")
        params |= roles
    if found.codes & DECIDING:
        conditions.append(NAMED_BY_POLICY)
    if found.by_meta_role:
        through, pairs = _following_any(found)
        conditions.append(through)
        params |= pairs
    return " OR ".join(conditions), params


def _following_any(found: PermissionOrigins) -> tuple[str, dict[str, object]]:
    """The SQL condition that a member holds any of the codes through a product role; ``by_meta_role`` is not empty."""
    marks, params = _pairs(found.by_meta_role, "given")
    ways = [
        "EXISTS (SELECT 1 FROM member_meta_role AS given WHERE given.project_id = member.project_id"
        f" AND given.user_id = member.user_id AND (application.product_id, given.meta_role_id) IN {marks})"
    ]
    by_mapping = {
        (role.value, product)
        for role, meta_roles in found.brought.items()
        for product, meta_role in found.by_meta_role
        if meta_role in meta_roles
    }
    if by_mapping:
        marks, pairs = _pairs(by_mapping, "brought")
        ways.insert(0, f"(member.role, application.product_id) IN {marks}")  # first, because it is cheaper
        params |= pairs
    condition = f"application.project_id = member.project_id AND ({' OR '.join(ways)})"
    return f"EXISTS (SELECT 1 FROM application WHERE {condition})", params


def _pairs(pairs: Iterable[tuple[str, str]], prefix: str) -> tuple[str, dict[str, object]]:
    """The text and the parameters of an IN list of pairs."""
    listed = list(pairs)
    params: dict[str, object] = {f"{prefix}{index}": each for index, each in enumerate(chain.from_iterable(listed))}
    marks = ", ".join(f"(:{prefix}{index}, :{prefix}{index + 1})" for index in range(0, len(params), 2))
    return f"(VALUES {marks})", params


def _following(tx: Tx, found: PermissionOrigins, roles: Mapping[Id, ProjectRole]) -> dict[Id, Codes]:
    """The product codes of a user on these projects, by project. ``roles`` has the user's role on each."""
    marks, params = placeholders(roles)
    applications = tx.tuples(
        f"SELECT DISTINCT project_id, product_id FROM application WHERE project_id IN {marks}", **params
    )
    given = tx.tuples(
        f"SELECT project_id, meta_role_id FROM member_meta_role WHERE user_id = :user AND project_id IN {marks}",
        user=found.user_id,
        **params,
    )
    meta_roles = {project: set(found.brought.get(role, ())) for project, role in roles.items()}
    for project, meta_role in given:
        meta_roles[project].add(meta_role)
    codes: dict[Id, Codes] = dict.fromkeys(roles, NOTHING)
    for project, product in applications:
        held = (found.by_meta_role.get((product, meta_role), NOTHING) for meta_role in meta_roles[project])
        codes[project] = codes[project].union(*held)
    return codes


def _product_codes(tx: Tx, codes: Codes) -> dict[tuple[Id, Id], Codes]:
    """The product codes of a query, by product and meta role; only products with external authorization have any."""
    rows = tx.tuples(
        "SELECT product_id, application_role.permission_codes, meta_role_ids FROM application_role"
        " JOIN product ON product.id = application_role.product_id WHERE product.uses_external_authorization = 1"
    )
    found: dict[tuple[Id, Id], Codes] = {}
    for product, listed, meta_roles in rows:
        if held := codes.intersection(json.loads(listed)):
            for meta_role in json.loads(meta_roles):
                found[product, meta_role] = found.get((product, meta_role), NOTHING) | held
    return found


def _list_meta_roles_of_roles(tx: Tx) -> dict[ProjectRole, frozenset[Id]]:
    """The meta roles that each project role brings."""
    brought: dict[ProjectRole, frozenset[Id]] = {}
    for role, meta_role in tx.tuples("SELECT project_role, meta_role_id FROM role_mapping"):
        brought[ProjectRole(role)] = brought.get(ProjectRole(role), frozenset()) | {meta_role}
    return brought
