"""Members of a project: invited, given a role, removed. A project always keeps one active owner."""

from __future__ import annotations

from collections.abc import Iterable

from core.actions.workspace.users import new_user
from core.domain.fields import ItemField
from core.domain.grants import PermissionQuery
from core.domain.model import Assignment, Id, Item, Member, ProjectRole, User
from core.domain.permissions import Permission
from core.domain.products.products import MemberMetaRole
from core.domain.products.roles import HeldMetaRole, HeldProductRole
from core.engine.large_projects import AT_ONCE
from core.engine.messages import ProjectCommand, ProjectQuery
from core.engine.unit_of_work import Snapshot, UnitOfWork, check_version
from core.errors import NotFound, RuleViolation
from core.record import Record
from core.rules.member_roles import MemberRoles, add_member, check_has_owner
from core.rules.visibility import asked_of_guests, check_visible, keep_visible
from core.text.phrases import count, names, some


class MemberSummary(Record):
    """A member as a line of the Members screen."""

    user: User
    role: ProjectRole
    invited_by: str
    open_items: int
    """The number of open tasks and activities on this project that are assigned to the member."""
    meta_roles: tuple[HeldMetaRole, ...]
    product_roles: tuple[HeldProductRole, ...]
    """The roles in the project's products that use external authorization. A deactivated member has none."""
    version: int


NAMED = 4
"""The most people whom a sentence names."""


def describe_template_roles(members: Iterable[MemberSummary]) -> str:
    """Say who becomes which role when their project is saved as a template, and who becomes none."""
    members = [*members]
    roles = [
        f"{each.user.name} becomes {names([held.meta_role.name for held in each.meta_roles])}"
        for each in members
        if each.meta_roles
    ]
    without = [each.user.name for each in members if not each.meta_roles]
    sentences = [f"{some(roles, NAMED)}."] if roles else []
    if without:
        have = "has" if len(without) == 1 else "have"
        sentences.append(f"What is assigned to {some(without, NAMED)}, who {have} no meta role here, stays open.")
    return " ".join(sentences)


class ListMembers(ProjectQuery[tuple[MemberSummary, ...]]):
    """List the members of a project with their roles, owners first."""

    route = "GET /v1/projects/{project_id}/members"
    permission = Permission.PROJECT_VIEW

    def run(self, view: Snapshot) -> tuple[MemberSummary, ...]:
        members = view.all(Member, "project_id = :project_id", project_id=self.project_id)
        users = {
            user.id: user
            for user in view.all(
                User,
                "id IN (SELECT user_id FROM member WHERE project_id = :project_id)"
                " OR id IN (SELECT invited_by FROM member WHERE project_id = :project_id)",
                project_id=self.project_id,
            )
        }
        busy = open_items_by_user(view, self.project_id)
        roles = MemberRoles(view, self.project_id)
        lines = [
            MemberSummary(
                user=users[member.user_id],
                role=member.role,
                invited_by=users[member.invited_by].name if member.invited_by in users else "",
                open_items=busy.get(member.user_id, 0),
                meta_roles=roles.meta_roles_of(member),
                product_roles=roles.product_roles_of(member) if users[member.user_id].active else (),
                version=member.version,
            )
            for member in members
        ]
        return tuple(sorted(lines, key=lambda line: (list(ProjectRole).index(line.role), line.user.name.casefold())))


class ListCandidates(ProjectQuery[tuple[User, ...]]):
    """List the active people who can be invited to the project; for guests those on their other projects."""

    route = "GET /v1/projects/{project_id}/candidates"
    permission = Permission.MEMBER_MANAGE

    def asks(self, view: Snapshot) -> tuple[PermissionQuery, ...]:
        return asked_of_guests(view)

    def run(self, view: Snapshot) -> tuple[User, ...]:
        others = view.all(
            User,
            "active = 1 AND id NOT IN (SELECT user_id FROM member WHERE project_id = :project_id)"
            " ORDER BY first_name, last_name, id",
            project_id=self.project_id,
        )
        return tuple(keep_visible(view, others))


class InviteMember(ProjectCommand[Member]):
    """Invite a person of the workspace to the project."""

    route = "POST /v1/projects/{project_id}/members"
    permission = Permission.MEMBER_MANAGE
    creates = True
    user_id: Id
    role: ProjectRole = ProjectRole.CONTRIBUTOR

    def asks(self, view: Snapshot) -> tuple[PermissionQuery, ...]:
        return asked_of_guests(view)

    def run(self, work: UnitOfWork) -> Member:
        user = check_visible(work, work.get(User, id=self.user_id))  # those whom ListCandidates lists
        if work.find(Member, project_id=self.project_id, user_id=user.id):
            raise RuleViolation(f"{user.name} is a member already. Change their role instead.")
        return _join(work, user, self.role)


class InviteGuest(ProjectCommand[Member]):
    """Invite a new person: they become a guest of the workspace and a member of the project."""

    route = "POST /v1/projects/{project_id}/guests"
    permission = Permission.MEMBER_MANAGE
    creates = True
    first_name: str
    last_name: str
    email: str
    login: str = ""
    city: str = ""
    role: ProjectRole = ProjectRole.CONTRIBUTOR

    def run(self, work: UnitOfWork) -> Member:
        guest = new_user(work, self.first_name, self.last_name, self.email, self.login, self.city)
        return _join(work, work.insert(guest), self.role)


class SetProjectRole(ProjectCommand[Member]):
    """Change the project role of a member."""

    route = "POST /v1/projects/{project_id}/members/{user_id}/role"
    permission = Permission.MEMBER_MANAGE
    user_id: Id
    role: ProjectRole
    seen_version: int | None = None

    def run(self, work: UnitOfWork) -> Member:
        member = member_of(work, self.project_id, self.user_id, self.seen_version)
        changed = work.update(member, role=self.role)
        check_has_owner(work, self.project_id)
        work.say(f"made {work.get(User, id=self.user_id).name} {self.role.lower()}")
        return changed


class RemoveMember(ProjectCommand[None]):
    """Remove a member from the project, with their assignments, their meta roles, and their name in custom fields."""

    route = "DELETE /v1/projects/{project_id}/members/{user_id}"
    held_key = True
    large = True
    permission = Permission.MEMBER_MANAGE
    ends_access = True
    user_id: Id
    seen_version: int | None = None

    def begin(self, work: UnitOfWork) -> bool:
        """Unassign the first cards of a member who has very many, so that a removal is never too large."""
        member_of(work, self.project_id, self.user_id, self.seen_version)
        check_has_owner(work, self.project_id, but=self.user_id)
        if self._count_assigned_cards(work) <= AT_ONCE:
            return False
        self._unassign(work)
        work.say(f"unassigned {count(len(work.changes), 'card')} of {work.get(User, id=self.user_id).name}")
        return True

    def run(self, work: UnitOfWork) -> None:
        key = {"project_id": self.project_id, "user_id": self.user_id}
        member = member_of(work, self.project_id, self.user_id, self.seen_version)
        self._unassign(work)
        for given in work.all(MemberMetaRole, "project_id = :project_id AND user_id = :user_id", **key):
            work.delete(given)
        work.delete(member)
        check_has_owner(work, self.project_id)
        work.say(f"removed {work.get(User, id=self.user_id).name} from the project")

    def _count_assigned_cards(self, view: Snapshot) -> int:
        """Count the cards assigned to the member, up to one more than fit into a transaction."""
        key = {"p": self.project_id, "user": self.user_id, "most": AT_ONCE + 1}
        tasks = "SELECT 1 FROM item WHERE project_id = :p AND assignee_id = :user LIMIT :most"
        others = "SELECT 1 FROM assignment WHERE project_id = :p AND user_id = :user LIMIT :most"
        values = "SELECT 1 FROM item_field WHERE project_id = :p AND user_id = :user LIMIT :most"
        return sum(len(view.tx.tuples(each, **key)) for each in (tasks, others, values))

    def _unassign(self, work: UnitOfWork) -> None:
        """Remove the member's assignments, as many as fit into one transaction."""
        key = {"project_id": self.project_id, "user_id": self.user_id}
        tasks = "project_id = :project_id AND assignee_id = :user_id ORDER BY id LIMIT :most"
        for item in work.all(Item, tasks, most=AT_ONCE, **key):
            work.update(item, assignee_id=None)
        others = "project_id = :project_id AND user_id = :user_id ORDER BY target_id LIMIT :most"
        for assignment in work.all(Assignment, others, most=AT_ONCE - len(work.changes), **key):
            work.delete(assignment)
        named = "project_id = :project_id AND user_id = :user_id ORDER BY item_id, field_id LIMIT :most"
        for value in work.all(ItemField, named, most=AT_ONCE - len(work.changes), **key):
            work.delete(value)


def member_of(view: Snapshot, project_id: Id, user_id: Id, seen_version: int | None = None) -> Member:
    """Return a member of a project.

    Raises NotFound with the person's name, if the sender can see it, or VersionConflict.
    """
    member = view.find(Member, project_id=project_id, user_id=user_id)
    if member is None:
        user = None if view.by_guest else view.find(User, id=user_id)
        raise NotFound(f"{user.name if user else 'This person'} is not a member of this project.")
    return check_version(view, member, seen_version)


def open_items_by_user(view: Snapshot, project_id: Id) -> dict[Id, int]:
    """Return the number of open items on a project by member."""
    rows = view.rows(
        "SELECT user_id, count(*) AS n FROM ("
        " SELECT assignee_id AS user_id FROM item WHERE project_id = :project_id"
        "  AND assignee_id IS NOT NULL AND status IN ('TO_DO', 'IN_PROGRESS')"
        " UNION ALL"
        " SELECT assignment.user_id FROM assignment JOIN item"
        "  ON item.project_id = assignment.project_id AND item.id = assignment.target_id"
        "  WHERE assignment.project_id = :project_id AND item.status IN ('TO_DO', 'IN_PROGRESS')"
        ") AS held GROUP BY user_id",
        project_id=project_id,
    )
    return {row["user_id"]: row["n"] for row in rows}


def _join(work: UnitOfWork, user: User, role: ProjectRole) -> Member:
    work.say(f"invited {user.name} as {role.lower()}")
    return add_member(work, user, role)
