"""Queries about permissions: the sender's own, those of any user on an account, and the reason for a decision."""

from __future__ import annotations

from datetime import datetime, timedelta

from core.authorization.query_pages import (
    MAX_ENTRIES,
    PermissionPage,
    QueryFilters,
    check_filters,
    page,
    single_entry_page,
)
from core.domain.grants import LOCAL, DecisionSource, Grant, PermissionQuery
from core.domain.model import WORKSPACE, HierarchyNode, Id, Member, Project, ProjectRole, User, Workspace
from core.domain.permissions import ALL_CODES, PROJECT_CODES, Permission, decided_in_place, holders_of
from core.domain.products.products import Product
from core.engine.messages import ProjectQuery, Query
from core.engine.project_guard import list_naming_phases
from core.engine.unit_of_work import Snapshot, in_workspace
from core.errors import Forbidden, InvalidInput, NotFound, RuleViolation
from core.record import Record
from core.rules.member_roles import IN_PROJECT, MemberRoles
from core.text.naming import did_you_mean
from core.text.phrases import in_words, names, no_such, some
from core.text.sanitize import quote_value

MOST_NAMED = 3
"""The most phases that an explanation names."""


class MyPermissions(Record):
    """The permissions of the sender, and the source that decided."""

    role: ProjectRole | None
    """The role on the project; None in the workspace."""
    held: frozenset[Permission]
    authority: DecisionSource


class GetMyPermissions(Query[MyPermissions]):
    """List my permissions on a project, or in the workspace, and the source that decides them."""

    route = "GET /v1/projects/{project_id}/permissions"
    permission = Permission.WORKSPACE_VIEW
    project_id: Id = WORKSPACE

    def scope(self, view: Snapshot) -> Id:
        return self.project_id

    def needs(self, view: Snapshot) -> Permission:
        return Permission.WORKSPACE_VIEW if in_workspace(self.project_id) else Permission.PROJECT_VIEW

    def run(self, view: Snapshot) -> MyPermissions:
        member = view.find(Member, project_id=self.project_id, user_id=view.actor.user_id)
        return MyPermissions(role=member.role if member else None, held=view.held, authority=view.grant.authority)


class QueryPermissions(Query[PermissionPage]):
    """Ask the permission source in use which of these codes a user holds on an account.

    Without an account, list every account on which I hold any of them; an authorization service cannot answer that. On
    a project's account, members can ask about any user; on other accounts only admins can ask about other users.
    """

    route = "POST /v1/permissions/query"
    permission = Permission.WORKSPACE_VIEW
    account_id: str | None = None
    user_id: Id | None = None
    """The user; the sender if left out."""
    permission_codes: tuple[str, ...]
    limit: int = MAX_ENTRIES
    offset: int = 0

    @property
    def account(self) -> str:
        """The account in the letters of the database: it is a UUID, whose letters mean the same in capitals."""
        return (self.account_id or "").lower()

    def scope(self, view: Snapshot) -> Id:
        project = view.find(Project, auth_id=self.account)
        others = (HierarchyNode, Workspace)
        if self.account_id and not project and not any(view.find(each, auth_id=self.account) for each in others):
            raise NotFound(f"There is no account “{quote_value(self.account_id)}” here.")
        return project.id if project else WORKSPACE

    def needs(self, view: Snapshot) -> Permission:
        if view.find(Project, auth_id=self.account):
            return Permission.PROJECT_VIEW
        return Permission.WORKSPACE_VIEW if self._user(view) == view.actor.user_id else Permission.USER_MANAGE

    def asks(self, view: Snapshot) -> tuple[PermissionQuery, ...]:
        check_filters(self.permission_codes, self.limit, self.offset)
        view.get(User, id=self._user(view))
        return (self._question(view),) if self.account_id is not None else ()

    def run(self, view: Snapshot) -> PermissionPage:
        if self.account_id is None:
            return self._everywhere(view)
        grant = _certain(view.answers[self._question(view)])
        return single_entry_page(self.account_id, grant.held, self.limit, self.offset)

    def _user(self, view: Snapshot) -> Id:
        return self.user_id or view.actor.user_id

    def _question(self, view: Snapshot) -> PermissionQuery:
        return PermissionQuery(self._user(view), self.account, frozenset(self.permission_codes))

    def _everywhere(self, view: Snapshot) -> PermissionPage:
        if view.grant.authority.source != LOCAL.source:
            raise RuleViolation("The permission service is asked about one account at a time. Name a project.")
        user_id = self._user(view)
        if user_id != view.actor.user_id:  # only members of a project may learn who else is on it
            raise Forbidden("Without a project you can ask only about yourself. Name a project.")
        return page(view.tx, QueryFilters(user_id, self.permission_codes, self.limit, self.offset))


class PermissionExplanation(Record):
    """The reason why a user has or lacks a permission: role, meta roles, answer, and age of the answer."""

    user: User
    project: str
    """The name of the project, or of the workspace."""
    code: str
    """The permission code that the action needs."""
    ability: str
    """The words for the code after "may", such as "move cards to another status"."""
    role: str
    """The project role, or the platform roles, in words; with the policies by which a contributor decides at gates."""
    meta_roles: tuple[str, ...]
    held: bool
    authority: DecisionSource
    decided_at: datetime
    """The time of the source's answer."""
    reason: str
    """The decision as a sentence."""


class ExplainPermission(ProjectQuery[PermissionExplanation]):
    """Explain why a user can or cannot do something on a project.

    ``action`` is a permission code, the name of a message, or a code of a product in the project.
    """

    route = "GET /v1/projects/{project_id}/explain"
    permission = Permission.PROJECT_VIEW
    user_id: Id
    action: str

    def asks(self, view: Snapshot) -> tuple[PermissionQuery, ...]:
        user = view.get(User, id=self.user_id)
        if view.by_guest and not view.find(Member, project_id=self.project_id, user_id=user.id):
            raise NotFound(no_such("user", user.id))
        return (self._question(required_permission(view, self.project_id, self.action)),)

    def run(self, view: Snapshot) -> PermissionExplanation:
        wanted = required_permission(view, self.project_id, self.action)
        grant = view.answers[self._question(wanted)]
        user = view.get(User, id=self.user_id)
        member = view.find(Member, project_id=self.project_id, user_id=user.id)
        meta_roles = MemberRoles(view, self.project_id).meta_roles_of(member) if member else ()
        return PermissionExplanation(
            user=user,
            project=wanted.place,
            code=wanted.code,
            ability=wanted.ability,
            role=role_label(wanted, user, member) + describe_policies(view, wanted, member, grant),
            meta_roles=tuple(each.meta_role.name for each in meta_roles),
            held=wanted.code in grant.held,
            authority=grant.authority,
            decided_at=view.now - timedelta(seconds=grant.age),
            reason=because(view, wanted, user, member, grant),
        )

    def _question(self, wanted: RequiredPermission) -> PermissionQuery:
        return PermissionQuery(self.user_id, wanted.account_id, wanted.asked)


def _certain(grant: Grant) -> Grant:
    """Return the grant. Raises AuthorizationUnavailable if the source could not answer."""
    if fault := grant.authority.fault:
        raise fault.error
    return grant


class RequiredPermission(Record, kw_only=False):
    """The permission that an action needs, and the account on which it is held."""

    code: str
    ability: str
    """The words for the permission after "can", such as "move cards to another status"."""
    place: str
    """The name of the project, or of the workspace for a permission that comes from a platform role."""
    account_id: str
    asked: frozenset[str]
    """The codes that are queried together, so that a cached grant can answer."""
    product: Product | None = None
    """The product whose code it is; None for Podium's own codes."""


def required_permission(view: Snapshot, project_id: Id, action: str) -> RequiredPermission:
    """Return the permission that an action needs.

    ``action`` is a permission code, the name of a message, or a code of a product in the project, in any case. Raises
    InvalidInput, with similar names, for anything else.
    """
    catalog, project = view.load_catalog(), view.get(Project, id=project_id)
    word = action.strip().casefold()
    own = {code.casefold(): code for code in Permission}
    own |= {name.casefold(): message.permission for name, message in catalog.items()}
    products = _products(view, project_id)
    if word in own:
        return _of_podium(view, project, own[word])
    if word in products:
        product = products[word]
        code = word.upper()
        ability = f"use {code} of “{product.name}”"
        return RequiredPermission(
            code, ability, project.name, project.auth_id, frozenset(product.permission_codes), product
        )
    known = {code.casefold(): code for code in (*Permission, *catalog, *map(str.upper, products))}
    hint = did_you_mean(word, known.values()) or " “podium commands” lists what can be done."
    raise InvalidInput(
        "action",
        f"“{quote_value(action)}” is neither a permission code nor a message, nor a code of a product in"
        f" “{project.name}”."
        f"{hint}",
    )


def role_label(wanted: RequiredPermission, user: User, member: Member | None) -> str:
    """Return the role that the permission could come from, in words: the project role, or the platform roles."""
    if _is_of_workspace(wanted):
        return names([in_words(role) for role in user.platform_roles]) or "external guest"
    return in_words(member.role) if member else "not a member"


def describe_policies(view: Snapshot, wanted: RequiredPermission, member: Member | None, grant: Grant) -> str:
    """Return the policies by which a contributor decides at gates: ", named by the policy of “Concept”", or ""."""
    local = grant.authority.source == LOCAL.source
    if member is None or not local or wanted.code != Permission.GATE_DECIDE or wanted.code not in grant.held:
        return ""
    phases = [f"“{name}”" for name in list_naming_phases(view, member.project_id, member.user_id)]
    noun = "policy" if len(phases) == 1 else "policies"
    return f", named by the {noun} of {some(phases, MOST_NAMED)}" if phases else ""


def because(view: Snapshot, wanted: RequiredPermission, user: User, member: Member | None, grant: Grant) -> str:
    """Return the decision and its reason as a sentence."""
    code = "" if wanted.product else f" ({wanted.code})"
    held = wanted.code in grant.held
    if grant.authority.fault and not held:
        return f"It is not known whether {user.name} can {wanted.ability}{code}: {grant.authority.fault.reason}"
    decision = f"{user.name} can{'' if held else 'not'} {wanted.ability}{code}"
    if grant.authority.source != LOCAL.source:
        unnamed = [each for each in grant.authority.unnamed if each == wanted.code]
        return " ".join(filter(None, (f"{decision}: {_of_service(grant)}", decided_in_place(unnamed))))
    if not user.active:
        return f"{decision}: the account is not active in this workspace."
    if wanted.product:
        return f"{decision}: {_of_product(view, wanted, wanted.product, member)}"
    return f"{decision}: {_of_role(wanted, user, member, held, describe_policies(view, wanted, member, grant))}"


def _of_podium(view: Snapshot, project: Project, code: Permission) -> RequiredPermission:
    if code in PROJECT_CODES:
        return RequiredPermission(code, code.phrase, project.name, project.auth_id, ALL_CODES)
    workspace = view.read_workspace()
    return RequiredPermission(code, code.phrase, workspace.name, workspace.auth_id, ALL_CODES)


def _products(view: Snapshot, project_id: Id) -> dict[str, Product]:
    """The products in the project by their codes. For a code of several, one with external authorization is used."""
    every = view.all(
        Product, f"id IN {IN_PROJECT} ORDER BY uses_external_authorization, name DESC", project_id=project_id
    )
    return {code.casefold(): product for product in every for code in product.permission_codes}


def _of_service(grant: Grant) -> str:
    if grant.authority.fault:
        return f"the permission service said so {grant.age:.0f} seconds ago, and does not answer now."
    return "the permission service says so."


def _of_role(wanted: RequiredPermission, user: User, member: Member | None, held: bool, named: str) -> str:
    """The reason, by the roles of Podium that have the permission."""
    holders = holders_of(Permission(wanted.code))
    if not holders:
        return "everyone who is active in this workspace can."
    if member is None and not _is_of_workspace(wanted):
        return f"only {holders} of this project can."
    role = role_label(wanted, user, member)
    return f"as {role}{named}." if held else f"only {holders} can, and the role is {role}."


def _of_product(view: Snapshot, wanted: RequiredPermission, product: Product, member: Member | None) -> str:
    """The reason, by the roles of the product that have the code."""
    if not product.uses_external_authorization:
        return f"“{product.name}” does not use external authorization, so Podium's roles give no role in it."
    if member is None:
        return "only members of this project hold roles of its products."
    roles = MemberRoles(view, member.project_id)
    for each in roles.product_roles_of(member):
        if each.product.id == product.id and wanted.code in each.role.permission_codes:
            through = names([f"“{meta_role.name}”" for meta_role in each.through])
            return f"the role “{each.role.name}” follows from {through}."
    holders = [each for each in roles.roles if each.product_id == product.id and wanted.code in each.permission_codes]
    if not holders:
        return f"no role of “{product.name}” holds it."
    named = {meta_role.id: meta_role.name for meta_role in roles.meta_roles}
    ways = [f"“{named[each]}”" for role in holders for each in role.meta_role_ids if each in named]
    if not ways:
        return f"no meta role gives {names([f'“{role.name}”' for role in holders])}."
    return f"that takes the meta role {' or '.join(dict.fromkeys(ways))}."


def _is_of_workspace(wanted: RequiredPermission) -> bool:
    return wanted.product is None and wanted.code not in PROJECT_CODES
