"""Who comes in through a server, and how: tokens, and accounts of the operating system.

Nothing here can be undone. What was shut may have been shut because somebody else got hold of it, and
taken back it would be open again without anybody having looked; what was opened is shut by saying so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

from core.actions.workspace.users import check_not_platform_admin
from core.domain.credentials import (
    LinkedAccount,
    Revocable,
    Token,
    is_overflow_account,
    new_secret,
    token_hash,
    uid_matches,
)
from core.domain.model import Id, User
from core.domain.notifications import NotificationKind
from core.domain.permissions import Permission
from core.engine.messages import Command, Query
from core.engine.quotas import check_token_quota
from core.engine.unit_of_work import Snapshot, UnitOfWork, new_id
from core.errors import InvalidInput, NotFound, RuleViolation
from core.rules.notifications import notify
from core.text.phrases import count, credited
from core.text.sanitize import one_line, quoted

DAYS = 90
"""For which a token lets somebody in, unless told otherwise."""

MAX_DAYS = 365
MAX_LABEL_LENGTH = 80


class TokenState(StrEnum):
    """Whether a token lets anybody in."""

    VALID = "VALID"
    EXPIRED = "EXPIRED"
    REVOKED = "REVOKED"
    SUSPENDED = "SUSPENDED"
    """Its person is deactivated; it lets in again once they are not."""

    @property
    def is_over(self) -> bool:
        """Whether it lets nobody in ever again."""
        return self in (TokenState.EXPIRED, TokenState.REVOKED)


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenSummary:
    """A token as people see it: everything but its hash."""

    id: Id
    user_id: Id
    user: str
    """The name of the person it stands for."""
    label: str
    state: TokenState
    created_at: datetime
    expires_at: datetime
    revoked_at: datetime | None
    made_by: str
    """The name of the person who made it; empty where that is not known."""

    @property
    def whose(self) -> str:
        """The person it stands for, and who made it if another person did."""
        return credited(self.user, f"made by {self.made_by}" if self.made_by not in ("", self.user) else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class NewToken:
    """A token that was just made, with its secret, which is told this once and kept nowhere."""

    token: TokenSummary
    secret: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedAccountRow:
    """An account of the operating system and the person whose it is."""

    os_user: str
    uid: int
    user_id: Id
    user: str
    at: datetime
    made_by: str
    """The name of the admin who enrolled it; empty where that is not known."""
    stands: bool
    """Whether the account still has this number; if not, it lets nobody in."""
    active: bool
    """Whether the person is; if not, it lets nobody in either."""

    @property
    def whose(self) -> str:
        """The person whose it is, and who enrolled it if another person did."""
        return credited(self.user, f"enrolled by {self.made_by}" if self.made_by not in ("", self.user) else "")

    @property
    def state(self) -> str:
        """The same in a word."""
        return "reassigned" if not self.stands else "valid" if self.active else "suspended"


@dataclass(frozen=True, slots=True, kw_only=True)
class ListTokens(Query[tuple[TokenSummary, ...]]):
    """My tokens, or for admins everybody's, the newest first."""

    route = "GET /v1/tokens"
    permission = Permission.WORKSPACE_VIEW

    def run(self, view: Snapshot) -> tuple[TokenSummary, ...]:
        tokens = view.all(Token, f"{_mine_or_all(view)} ORDER BY id DESC", me=view.actor.user_id)
        people = _people(view)
        return tuple(_line(token, people, view.now) for token in tokens)


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateToken(Command[NewToken]):
    """Make a token, with which programs come in as oneself. Its secret is shown once."""

    route = "POST /v1/tokens"
    permission = Permission.WORKSPACE_VIEW
    creates = True
    gives_access = True
    undoable = False
    tells_secret = True
    label: str
    days: int = DAYS

    def run(self, work: UnitOfWork) -> NewToken:
        return _new_token(work, work.actor.user_id, self.label, self.days)


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateUserToken(Command[NewToken]):
    """Make a token, with which programs come in as another person. Its secret is shown once.

    That person gets a notification, and the history says of what is done with it who made it.
    """

    route = "POST /v1/users/{user_id}/tokens"
    permission = Permission.USER_MANAGE
    creates = True
    gives_access = True
    undoable = False
    tells_secret = True
    user_id: Id
    label: str
    days: int = DAYS

    def run(self, work: UnitOfWork) -> NewToken:
        return _new_token(work, self.user_id, self.label, self.days)


@dataclass(frozen=True, slots=True, kw_only=True)
class RevokeToken(Command[TokenSummary]):
    """End a token of one's own. Whoever uses it is out at once."""

    route = "POST /v1/tokens/{token_id}/revoke"
    permission = Permission.WORKSPACE_VIEW
    ends_access = True
    undoable = False
    token_id: Id

    def run(self, work: UnitOfWork) -> TokenSummary:
        return _revoked(work, work.get(Token, user_id=work.actor.user_id, id=self.token_id))


@dataclass(frozen=True, slots=True, kw_only=True)
class RevokeUserToken(Command[TokenSummary]):
    """End a token of another person. Whoever uses it is out at once."""

    route = "POST /v1/users/{user_id}/tokens/{token_id}/revoke"
    permission = Permission.USER_MANAGE
    ends_access = True
    undoable = False
    user_id: Id
    token_id: Id

    def run(self, work: UnitOfWork) -> TokenSummary:
        return _revoked(work, work.get(Token, user_id=self.user_id, id=self.token_id))


@dataclass(frozen=True, slots=True, kw_only=True)
class ListLinkedAccounts(Query[tuple[LinkedAccountRow, ...]]):
    """The accounts of the server's machine that are mine, or for admins all that are somebody's."""

    route = "GET /v1/linked-accounts"
    permission = Permission.WORKSPACE_VIEW

    def run(self, view: Snapshot) -> tuple[LinkedAccountRow, ...]:
        found = view.all(LinkedAccount, f"{_mine_or_all(view)} ORDER BY os_user", me=view.actor.user_id)
        people = _people(view)
        return tuple(_linked_account_line(linked_account, people) for linked_account in found)


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkOsAccount(Command[LinkedAccountRow]):
    """Let an account of the server's machine in through its socket, as a person of the workspace.

    An account that is enrolled already becomes that person's. ``root`` says that the account with the number 0 is
    meant: whoever administers the machine can act as everybody on it, and should rarely also be a person here.
    """

    route = "POST /v1/linked-accounts"
    permission = Permission.USER_MANAGE
    creates = True
    gives_access = True
    undoable = False
    os_user: str
    user_id: Id
    root: bool = False

    def run(self, work: UnitOfWork) -> LinkedAccountRow:
        os_user, uid = _account(one_line(self.os_user, "account", most=256), self.root)
        user = _active(work, self.user_id)
        check_not_platform_admin(work, *user.platform_roles)
        for before in work.all(LinkedAccount, "os_user = :os_user OR uid = :uid", os_user=os_user, uid=uid):
            work.delete(before)
        linked_account = LinkedAccount(
            os_user=os_user, uid=uid, user_id=user.id, at=work.now, made_by=work.actor.user_id
        )
        work.say(f"enrolled the account “{os_user}” (number {uid}) as {user.name}")
        notify(work, NotificationKind.ACCOUNT_LINKED, os_user, [user.id])
        return _linked_account_line(work.insert(linked_account), _people(work))


@dataclass(frozen=True, slots=True, kw_only=True)
class UnlinkOsAccount(Command[None]):
    """Let an account of the server's machine in no longer. Whoever came in by it is out at once."""

    route = "DELETE /v1/linked-accounts/{os_user}"
    permission = Permission.USER_MANAGE
    ends_access = True
    undoable = False
    os_user: str

    def run(self, work: UnitOfWork) -> None:
        linked_account = work.find(LinkedAccount, os_user=self.os_user)
        if linked_account is None:
            raise NotFound(f"The account “{quoted(self.os_user)}” is nobody's here.")
        work.say(
            f"removed the enrolment of “{linked_account.os_user}” as {work.get(User, id=linked_account.user_id).name}"
        )
        work.delete(linked_account)


def _account(named: str, root: bool) -> tuple[str, int]:
    """An account that may be enrolled: the name that its number has, and that number.

    Raises InvalidInput and RuleViolation.
    """
    import pwd

    try:
        uid = pwd.getpwnam(named).pw_uid
        os_user = pwd.getpwuid(uid).pw_name
    except KeyError:
        raise InvalidInput(
            "account", f"The server's machine has no account “{named}”. Make one there first, or look at its spelling."
        ) from None
    if is_overflow_account(uid, os_user):
        raise RuleViolation(f"“{os_user}” stands for everybody whom the machine cannot tell, so it can be nobody's.")
    if uid == 0 and not root:
        raise RuleViolation(
            f"“{os_user}” is root, who can act as everybody on that machine. Enrol an account of a person, "
            "or add --root."
        )
    return os_user, uid


def _new_token(work: UnitOfWork, user_id: Id, label: str, days: int) -> NewToken:
    if not 1 <= days <= MAX_DAYS:
        raise InvalidInput("days", f"A token lets somebody in for 1 to {MAX_DAYS} days.")
    user = _active(work, user_id)
    check_not_platform_admin(work, *user.platform_roles)
    check_token_quota(work, user.id, user.name)
    me = work.get(User, id=work.actor.user_id)
    secret = new_secret()
    token = Token(
        id=new_id(),
        user_id=user.id,
        label=one_line(label, "label", most=MAX_LABEL_LENGTH),
        hash=token_hash(secret),
        created_at=work.now,
        expires_at=(work.now + timedelta(days=days)).replace(microsecond=0),  # answers are kept for a second
        made_by=me.id,
        through=work.actor.through or ("" if user.id == me.id else f"with a token made by {me.name}"),
    )
    notify(work, NotificationKind.TOKEN_MADE, token.id, [user.id])
    work.say(f"made the token “{token.label}” for {user.name}, for {count(days, 'day')}")
    return NewToken(token=_line(work.insert(token), _people(work), work.now), secret=secret)


def _revoked(work: UnitOfWork, token: Token) -> TokenSummary:
    user = work.get(User, id=token.user_id)
    if token.revoked_at is None:
        work.say(f"revoked the token “{token.label}” of {user.name}")
        token = work.update(token, revoked_at=work.now)
    return _line(token, _people(work), work.now)


def _mine_or_all(view: Snapshot) -> str:
    """The condition for what one may see: with the parameter ``me``."""
    return "(1 = 1 OR user_id = :me)" if Permission.USER_MANAGE in view.held else "user_id = :me"


def _active(work: UnitOfWork, user_id: Id) -> User:
    user = work.get(User, id=user_id)
    if not user.active:
        raise RuleViolation(f"{user.name} is deactivated, so nobody can come in as them. Reactivate them first.")
    return user


def _people(view: Snapshot) -> dict[Id, User]:
    return {user.id: user for user in view.all(User, "1 = 1")}


def state_of(token: Revocable, now: datetime) -> TokenState:
    """Whether a token is valid, or why it is over, whoever it stands for."""
    if token.is_valid(now):
        return TokenState.VALID
    return TokenState.REVOKED if token.revoked_at else TokenState.EXPIRED


def _line(token: Token, people: Mapping[Id, User], now: datetime) -> TokenSummary:
    user = people[token.user_id]
    state = state_of(token, now)
    if state is TokenState.VALID and not user.active:
        state = TokenState.SUSPENDED
    return TokenSummary(
        id=token.id,
        user_id=token.user_id,
        user=user.name,
        label=token.label,
        state=state,
        created_at=token.created_at,
        expires_at=token.expires_at,
        revoked_at=token.revoked_at,
        made_by=credited(_maker(token.made_by, people), token.through if token.made_by == token.user_id else ""),
    )


def _maker(user_id: Id | None, people: Mapping[Id, User]) -> str:
    return people[user_id].name if user_id and user_id in people else ""


def _linked_account_line(linked_account: LinkedAccount, people: Mapping[Id, User]) -> LinkedAccountRow:
    user = people[linked_account.user_id]
    return LinkedAccountRow(
        os_user=linked_account.os_user,
        uid=linked_account.uid,
        user_id=linked_account.user_id,
        user=user.name,
        at=linked_account.at,
        made_by=_maker(linked_account.made_by, people),
        stands=uid_matches(linked_account.os_user, linked_account.uid),
        active=user.active,
    )
