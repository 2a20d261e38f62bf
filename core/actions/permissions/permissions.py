"""Queries about permissions: the sender's own, those of any user on an account, and the reason for a decision."""

from __future__ import annotations

from datetime import datetime, timedelta

from core.actions.permissions.explain import RequiredPermission, because, required_permission, role_label
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
from core.domain.permissions import Permission
from core.engine.messages import ProjectQuery, Query
from core.engine.unit_of_work import Snapshot, in_workspace
from core.errors import Forbidden, NotFound, RuleViolation
from core.record import Record
from core.rules.member_roles import MemberRoles
from core.text.phrases import no_such
from core.text.sanitize import quote_value


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
    """The project role, or the platform roles, in words."""
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
            role=role_label(wanted, user, member),
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
