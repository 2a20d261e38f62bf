"""People of the workspace: added, edited, given platform roles, deactivated."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from core.domain.credentials import LinkedAccount, Token, through_account
from core.domain.grants import PermissionQuery
from core.domain.model import Id, PlatformRole, ProjectRole, User
from core.domain.notifications import NotificationKind
from core.domain.permissions import Permission
from core.engine.messages import Command, Query
from core.engine.unit_of_work import Snapshot, UnitOfWork, new_id
from core.errors import Forbidden, InvalidInput, RuleViolation
from core.record import Record
from core.rules.notifications import notify
from core.rules.visibility import (
    asked_of_guests,
    check_visible,
    keep_visible,
    my_projects_with_questions,
    visible_projects,
)
from core.storage.database import placeholders
from core.storage.row_mapper import encode_value
from core.text import sanitize
from core.text.folding import fold
from core.text.phrases import count, in_words, names

PLATFORM_ADMINS_ONLY = (
    "Only a platform admin can give that role, create access for a platform admin, or change their account."
)
ADMINS = frozenset({PlatformRole.PLATFORM_ADMIN, PlatformRole.WORKSPACE_ADMIN})


class UserSummary(Record):
    """A user as a line of the People screen."""

    user: User
    projects: int
    """The number of projects, without archived ones, they are a member of; for a guest, of those the guest can see."""


class ListUsers(Query[tuple[UserSummary, ...]]):
    """List the people of the workspace with their platform roles; for guests the people on their projects."""

    route = "GET /v1/users"
    permission = Permission.WORKSPACE_VIEW

    def asks(self, view: Snapshot) -> tuple[PermissionQuery, ...]:
        return asked_of_guests(view)

    def run(self, view: Snapshot) -> tuple[UserSummary, ...]:
        chosen, params = placeholders(visible_projects(view) if view.by_guest else ())
        only = f" AND project.id IN {chosen}" if view.by_guest else ""
        counts = {
            row["user_id"]: row["n"]
            for row in view.rows(
                "SELECT member.user_id, count(*) AS n FROM member JOIN project ON project.id = member.project_id"
                f" WHERE project.archived = 0{only} GROUP BY member.user_id",
                **params,
            )
        }
        users = keep_visible(view, view.all(User, "1 = 1 ORDER BY first_name, last_name, id"))
        return tuple(UserSummary(user=user, projects=counts.get(user.id, 0)) for user in users)


class UserProject(Record, kw_only=False):
    """A project that a user is a member of."""

    id: Id
    name: str
    role: ProjectRole


class UserDetail(Record):
    """A user with the projects, without archived ones, that they are a member of and that the sender can see."""

    user: User
    projects: tuple[UserProject, ...]


class GetUser(Query[UserDetail]):
    """Show one person of the workspace, with those of their projects that I can see."""

    route = "GET /v1/users/{user_id}"
    permission = Permission.WORKSPACE_VIEW
    user_id: Id

    def asks(self, view: Snapshot) -> tuple[PermissionQuery, ...]:
        return tuple(my_projects_with_questions(view, archived=view.by_guest).values())

    def run(self, view: Snapshot) -> UserDetail:
        user = check_visible(view, view.get(User, id=self.user_id))
        chosen, params = placeholders(visible_projects(view))
        rows = view.tx.tuples(
            "SELECT project.id, project.name, role FROM member JOIN project ON project.id = member.project_id"
            f" WHERE user_id = :user_id AND project.id IN {chosen} ORDER BY project.name, project.id",
            user_id=user.id,
            **params,
        )
        projects = tuple(UserProject(project_id, name, ProjectRole(role)) for project_id, name, role in rows)
        return UserDetail(user=user, projects=projects)


class Sender(Record):
    """A user who has sent invitations, with the only fields that the contract of ``/v1/senders`` has."""

    id: Id
    first_name: str
    last_name: str
    city: str


class ListInviters(Query[tuple[Sender, ...]]):
    """List the people who have invited another person to a project; for guests those on their projects.

    A given name matches the beginning of theirs, in any case.
    """

    route = "GET /v1/senders"
    permission = Permission.WORKSPACE_VIEW
    first_name: str = ""
    last_name: str = ""

    def asks(self, view: Snapshot) -> tuple[PermissionQuery, ...]:
        return asked_of_guests(view)

    def run(self, view: Snapshot) -> tuple[Sender, ...]:
        senders = view.all(
            User,
            "id IN (SELECT invited_by FROM member WHERE invited_by = app_user.id AND user_id <> app_user.id)"
            " ORDER BY first_name, last_name, id",
        )
        return tuple(
            Sender(id=each.id, first_name=each.first_name, last_name=each.last_name, city=each.city)
            for each in keep_visible(view, senders)
            if _begins(each.first_name, self.first_name) and _begins(each.last_name, self.last_name)
        )


def _begins(name: str, typed: str) -> bool:
    return fold(name).startswith(fold(typed))


class AddUser(Command[User]):
    """Add a person to the workspace."""

    route = "POST /v1/users"
    permission = Permission.USER_MANAGE
    creates = True
    first_name: str
    last_name: str
    email: str
    login: str = ""
    city: str = ""
    platform_roles: tuple[PlatformRole, ...] = ()

    def run(self, work: UnitOfWork) -> User:
        user = new_user(work, self.first_name, self.last_name, self.email, self.login, self.city, self.platform_roles)
        check_not_platform_admin(work, *user.platform_roles)
        work.say(f"added {user.name}")
        return work.insert(user)


class EditUser(Command[User]):
    """Change the name, e-mail, city or login of a person; fields that are left out stay."""

    route = "PATCH /v1/users/{user_id}"
    permission = Permission.USER_MANAGE
    user_id: Id
    seen_version: int | None = None
    first_name: str | None = None
    last_name: str | None = None
    email: str | None = None
    login: str | None = None
    city: str | None = None

    def run(self, work: UnitOfWork) -> User:
        user = work.get(User, id=self.user_id, seen_version=self.seen_version)
        check_not_platform_admin(work, *user.platform_roles)
        fields = self.edited_fields(
            user,
            first_name=partial(sanitize.person_name, what="first name"),
            last_name=sanitize.last_name,
            city=partial(sanitize.one_line, what="city", most=80, empty=True),
            email=lambda text: sanitize.email(text) if text.strip() or user.has_email else user.email,
            login=sanitize.login,
        )
        _refuse_taken(work, fields["email"], fields["login"], but=user.id)
        work.say(f"edited {user.name}")
        if (fields["email"], fields["login"]) != (user.email, user.login):
            notify(work, NotificationKind.LOGIN_CHANGED, user.id, [user.id])
        return work.update(user, **fields)


class SetPlatformRoles(Command[User]):
    """Give a person exactly these platform roles; without any they are an external guest."""

    route = "POST /v1/users/{user_id}/platform-roles"
    permission = Permission.USER_MANAGE
    user_id: Id
    platform_roles: tuple[PlatformRole, ...]
    seen_version: int | None = None

    def run(self, work: UnitOfWork) -> User:
        user = work.get(User, id=self.user_id, seen_version=self.seen_version)
        check_not_platform_admin(work, *user.platform_roles, *self.platform_roles)
        if PlatformRole.PLATFORM_ADMIN in set(self.platform_roles) - set(user.platform_roles):
            for token in work.all(Token, "user_id = :id AND through <> '' AND revoked_at IS NULL", id=user.id):
                work.update(token, revoked_at=work.now)  # its creator could otherwise act as a platform admin
            for account in work.all(LinkedAccount, "user_id = :id AND made_by <> :id", id=user.id):
                if through_account(account, user, None):  # the same for an account of another name
                    work.delete(account)
        changed = work.update(user, platform_roles=tuple(role for role in PlatformRole if role in self.platform_roles))
        check_has_admin(work)
        words = [in_words(role) for role in changed.platform_roles]
        work.say(f"made {user.name} {names(words) or 'an external guest'}")
        return changed


class DeactivateUser(Command[User]):
    """End a person's access. Their name stays on everything that they did.

    Their tokens and linked accounts give no access meanwhile. Undo says that it was a mistake, so they work again then;
    ``ReactivateUser`` ends them unless asked not to. ``end_access`` ends both now, for a person who leaves: undo lets
    the person in again, but brings none of them back.
    """

    route = "POST /v1/users/{user_id}/deactivate"
    permission = Permission.USER_MANAGE
    ends_access = True
    user_id: Id
    seen_version: int | None = None
    end_access: bool = False

    def run(self, work: UnitOfWork) -> User:
        user = work.get(User, id=self.user_id, seen_version=self.seen_version)
        check_not_platform_admin(work, *user.platform_roles)
        changed = work.update(user, active=False)
        check_has_admin(work)
        ended = end_access(work, user.id) if self.end_access else ""
        work.say(f"deactivated {user.name}" + (f" and ended {ended} for good" if ended else ""))
        return changed


class Reactivated(Record):
    """A reactivated person, and which of their tokens and linked accounts have ended: “2 tokens”; "" for none."""

    user: User
    ended: str


class ReactivateUser(Command[Reactivated]):
    """Give a deactivated person their access back.

    Their tokens and linked accounts may be why they were locked out: they end now, unless ``with_tokens`` keeps them.
    Those that have ended stay ended, also after an undo.
    """

    route = "POST /v1/users/{user_id}/reactivate"
    permission = Permission.USER_MANAGE
    user_id: Id
    seen_version: int | None = None
    with_tokens: bool = False

    def run(self, work: UnitOfWork) -> Reactivated:
        user = work.get(User, id=self.user_id, seen_version=self.seen_version)
        check_not_platform_admin(work, *user.platform_roles)
        ended = "" if self.with_tokens or user.active else end_access(work, user.id)
        work.say(f"reactivated {user.name}" + (f" and ended {ended} for good" if ended else ""))
        return Reactivated(user=work.update(user, active=True), ended=ended)


def end_access(work: UnitOfWork, user_id: Id) -> str:
    """Revoke a user's tokens and unlink their accounts. Return how many of both, in words; "" for none."""
    valid = "user_id = :id AND revoked_at IS NULL AND expires_at > :now"
    tokens = work.all(Token, valid, id=user_id, now=encode_value(work.now))
    accounts = work.all(LinkedAccount, "user_id = :id", id=user_id)
    for token in tokens:
        work.update(token, revoked_at=work.now)
    for account in accounts:
        work.delete(account)
    ended = ((len(tokens), "token"), (len(accounts), "linked account"))
    return names([count(number, what) for number, what in ended if number])


def new_user(
    work: UnitOfWork,
    first_name: str,
    last_name: str,
    email: str,
    login: str,
    city: str,
    platform_roles: tuple[PlatformRole, ...] = (),
) -> User:
    """Return a user that is ready to be inserted. Without a login, it is the part of the e-mail before the @.

    Raises InvalidInput if a field cannot be accepted or the login or e-mail is taken.
    """
    address = sanitize.email(email)
    chosen = sanitize.login(login or address.split("@")[0])
    _refuse_taken(work, address, chosen)
    return User(
        id=new_id(),
        login=chosen,
        first_name=sanitize.person_name(first_name, "first name"),
        last_name=sanitize.last_name(last_name),
        email=address,
        city=sanitize.one_line(city, "city", most=80, empty=True),
        platform_roles=tuple(role for role in PlatformRole if role in platform_roles),
    )


def check_not_platform_admin(work: UnitOfWork, *roles: PlatformRole) -> None:
    """Raise Forbidden if the change is for a platform admin and the actor is none.

    Only platform admins can give that role, create access for a user who has it, or change their account. ``roles`` are
    the roles of the user, before or after the change. As long as no active user is a platform admin, workspace admins
    can do it too: the founder is a workspace admin, and appoints the first platform admin.
    """
    if PlatformRole.PLATFORM_ADMIN not in roles:
        return
    users = work.all(User, "active = 1 ORDER BY first_name, last_name, id")
    if admins := platform_admins_before(work.actor.user_id, users):
        raise Forbidden(PLATFORM_ADMINS_ONLY, who_can=tuple(user.name for user in admins))


def platform_admins_before(user_id: Id, users: Iterable[User]) -> list[User]:
    """Return the active platform admins; an empty list if this user is one of them, or if there are none."""
    admins = [user for user in users if user.active and PlatformRole.PLATFORM_ADMIN in user.platform_roles]
    return [] if user_id in [user.id for user in admins] else admins


def check_has_admin(view: Snapshot) -> None:
    """Raise RuleViolation if a workspace has no active admin left: one must stay, to manage people."""
    if not any(ADMINS & set(user.platform_roles) for user in view.all(User, "active = 1")):
        raise RuleViolation(
            "A workspace needs at least one active admin, and this is the last one. Make another first."
        )


def _refuse_taken(work: UnitOfWork, email: str, login: str, but: Id = "") -> None:
    taken = work.all(User, "(login = :login OR email = :email) AND id <> :but", login=login, email=email, but=but)
    if not taken:
        return
    if work.by_guest:
        field = "login" if taken[0].login == login else "email"
        raise InvalidInput(
            field, "This e-mail or login is in use here. Ask a colleague who is not a guest to invite them."
        )
    if taken[0].login == login:
        raise InvalidInput("login", f"The login “{login}” belongs to {taken[0].name}. Choose another.")
    raise InvalidInput("email", f"The e-mail {email} belongs to {taken[0].name}. Invite them instead.")
