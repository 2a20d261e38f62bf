"""Credentials of users on a server: tokens, and linked accounts of the operating system.

No command here can be undone. Access may have been ended because it had leaked, and undo would restore it without
another check; access that was given is ended by a command of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, TypeVar

from core.actions.workspace.users import check_not_platform_admin
from core.domain.credentials import (
    GatewayToken,
    LinkedAccount,
    ProductToken,
    Revocable,
    Token,
    check_not_root,
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
from core.net.this_host import host_id
from core.record import Record, made_from
from core.rules.notifications import notify
from core.text.phrases import WAY_IN, add_means, count, credit_author
from core.text.sanitize import one_line, quote_value

R = TypeVar("R")
T = TypeVar("T", Token, ProductToken, GatewayToken)

DAYS = 90
"""The days for which a token is valid by default."""

KEEP_DAYS = 7
"""The days for which a renewed token stays valid by default."""

MAX_DAYS = 365
MAX_LABEL_LENGTH = 80


class TokenState(StrEnum):
    """The state of a token: whether it gives access now."""

    VALID = "VALID"
    EXPIRED = "EXPIRED"
    REVOKED = "REVOKED"
    SUSPENDED = "SUSPENDED"
    """The user is deactivated. The token ends with their reactivation, unless that keeps it."""

    @property
    def is_over(self) -> bool:
        """True if it can never become valid again."""
        return self in (TokenState.EXPIRED, TokenState.REVOKED)


class TokenSummary(Record):
    """A token without its hash."""

    id: Id
    user_id: Id
    user: str
    """The name of the user it signs in as."""
    label: str
    state: TokenState
    created_at: datetime
    expires_at: datetime
    revoked_at: datetime | None
    made_by: str
    """The name of the user who created it; empty if it is not known."""
    maker_id: Id | None

    @property
    def whose(self) -> str:
        """The user it signs in as, and the user who created it if that was another one."""
        return credit_author(self.user, f"made by {self.made_by}" if self.made_by not in ("", self.user) else "")


class NewToken(Record):
    """A new token with its secret, which is shown only once and never stored."""

    token: TokenSummary
    secret: str


class LinkedAccountRow(Record):
    """An account of the operating system and the user it signs in as."""

    host: str
    """The id of the account's machine."""
    is_here: bool
    """True if this server runs on that machine. Elsewhere the account gives no access."""
    os_user: str
    uid: int
    user_id: Id
    user: str
    at: datetime
    made_by: str
    """The name of the admin who linked it; empty if it is not known."""
    maker_id: Id | None
    uid_matches: bool
    """True if an account of this server's machine still has this number; otherwise it gives no access here."""
    active: bool
    """True if the user is active; otherwise it gives no access either."""

    @property
    def whose(self) -> str:
        """The user it signs in as, and the admin who linked it if that was another user."""
        return credit_author(self.user, f"linked by {self.made_by}" if self.made_by not in ("", self.user) else "")

    @property
    def state(self) -> str:
        """The state in one word: "valid", "reassigned" to another number, "suspended" with its user, or "elsewhere"."""
        if not self.is_here:
            return "elsewhere"
        return "reassigned" if not self.uid_matches else "valid" if self.active else "suspended"


class ListTokens(Query[tuple[TokenSummary, ...]]):
    """List my tokens, or for admins all tokens, the newest first."""

    route = "GET /v1/tokens"
    permission = Permission.WORKSPACE_VIEW

    def run(self, view: Snapshot) -> tuple[TokenSummary, ...]:
        tokens = view.all(Token, f"{_mine_or_all(view)} ORDER BY id DESC", me=view.actor.user_id)
        people = _people(view)
        return tuple(_line(token, people, view.now) for token in tokens)


class TokenCommand(Command[R]):
    """The base of commands that make a token."""

    creates = True
    gives_access = True
    undoable = False
    returns_secret = True


class CreateToken(TokenCommand[NewToken]):
    """Create a token, with which programs sign in as me. Its secret is shown once."""

    route = "POST /v1/tokens"
    permission = Permission.WORKSPACE_VIEW
    label: str
    days: int = DAYS

    def run(self, work: UnitOfWork) -> NewToken:
        return new_token(work, work.actor.user_id, self.label, self.days)


class CreateUserToken(TokenCommand[NewToken]):
    """Create a token, with which programs sign in as another user. Its secret is shown once.

    That user gets a notification. The history names the creator of the token with each change made by it.
    """

    route = "POST /v1/users/{user_id}/tokens"
    permission = Permission.USER_MANAGE
    user_id: Id
    label: str
    days: int = DAYS

    def run(self, work: UnitOfWork) -> NewToken:
        return new_token(work, self.user_id, self.label, self.days)


class RevokeToken(Command[TokenSummary]):
    """Revoke one of my tokens. Programs that use it are signed out at once."""

    route = "POST /v1/tokens/{token_id}/revoke"
    permission = Permission.WORKSPACE_VIEW
    ends_access = True
    undoable = False
    token_id: Id

    def run(self, work: UnitOfWork) -> TokenSummary:
        return _revoke(work, work.get(Token, user_id=work.actor.user_id, id=self.token_id))


class RevokeUserToken(Command[TokenSummary]):
    """Revoke a token of another user. Programs that use it are signed out at once."""

    route = "POST /v1/users/{user_id}/tokens/{token_id}/revoke"
    permission = Permission.USER_MANAGE
    ends_access = True
    undoable = False
    user_id: Id
    token_id: Id

    def run(self, work: UnitOfWork) -> TokenSummary:
        return _revoke(work, work.get(Token, user_id=self.user_id, id=self.token_id))


class ListLinkedAccounts(Query[tuple[LinkedAccountRow, ...]]):
    """List the linked accounts of all machines with a server: mine, or for admins all."""

    route = "GET /v1/linked-accounts"
    permission = Permission.WORKSPACE_VIEW

    def run(self, view: Snapshot) -> tuple[LinkedAccountRow, ...]:
        found = view.all(LinkedAccount, f"{_mine_or_all(view)} ORDER BY os_user, host", me=view.actor.user_id)
        people = _people(view)
        return tuple(_linked_account_line(linked_account, people) for linked_account in found)


class LinkOsAccount(Command[LinkedAccountRow]):
    """Link an account of the server's machine to a user, so that it signs in through the socket as that user.

    An account that is linked already is linked to this user instead. ``root`` confirms the account with the number 0:
    the administrator of the machine can act as every account on it, and should rarely be a user here too.
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
        host, same = host_id(), "host = :host AND (os_user = :os_user OR uid = :uid)"
        for before in work.all(LinkedAccount, same, host=host, os_user=os_user, uid=uid):
            work.delete(before)
        linked_account = LinkedAccount(
            host=host,
            os_user=os_user,
            uid=uid,
            user_id=user.id,
            at=work.now,
            made_by=work.actor.user_id,
            through=work.actor.through,
        )
        work.say(f"linked the account “{os_user}” (number {uid}) to {user.name}")
        notify(work, NotificationKind.ACCOUNT_LINKED, os_user, [user.id])
        return _linked_account_line(work.insert(linked_account), _people(work))


class UnlinkOsAccount(Command[None]):
    """Unlink an account. Its programs are signed out at once.

    ``host`` is the id of the account's machine, as listed; without it, the machine of the server that is asked.
    """

    route = "DELETE /v1/linked-accounts/{os_user}"
    permission = Permission.USER_MANAGE
    ends_access = True
    undoable = False
    os_user: str
    host: str = ""

    def run(self, work: UnitOfWork) -> None:
        linked_account = work.find(LinkedAccount, host=self.host or host_id(), os_user=self.os_user)
        if linked_account is None:
            others = work.all(LinkedAccount, "os_user = :os_user ORDER BY host", os_user=self.os_user)
            there = "".join(f" It is on the machine {each.host}: name that with --host." for each in others[:1])
            raise NotFound(
                f"The account “{quote_value(self.os_user)}” is not linked to a person on this machine.{there}"
            )
        user = work.get(User, id=linked_account.user_id)
        work.say(f"unlinked the account “{linked_account.os_user}” from {user.name}")
        work.delete(linked_account)


def _account(named: str, root: bool) -> tuple[str, int]:
    """Return the name and the number of an account that can be linked; the name is the one that its number has.

    Raises InvalidInput and RuleViolation.
    """
    import pwd

    try:
        uid = pwd.getpwnam(named).pw_uid
        os_user = pwd.getpwuid(uid).pw_name
    except KeyError:
        raise InvalidInput(
            "account", f"The server's machine has no account “{named}”. Create one there first, or check the spelling."
        ) from None
    if is_overflow_account(uid, os_user):
        raise RuleViolation(
            f"“{os_user}” stands for all accounts that the machine cannot tell apart, so it cannot be linked."
        )
    if not root:
        check_not_root(os_user, uid)
    return os_user, uid


def new_token(work: UnitOfWork, user_id: Id, label: str, days: int) -> NewToken:
    """Create a token for a user, who is notified unless they send it. Raises PodiumError."""
    user = _active(work, user_id)
    check_not_platform_admin(work, *user.platform_roles)
    check_token_quota(work, user.id, user.name)
    me = work.get(User, id=work.actor.user_id)
    means = work.actor.through
    through = means if user.id == me.id else f"with a token made by {add_means(me.name, means)}"
    token, secret = insert_token(work, Token, label, days, user_id=user.id, made_by=me.id, through=through)
    notify(work, NotificationKind.TOKEN_MADE, token.id, [user.id])
    work.say(f"made the token “{token.label}” for {user.name}, for {count(days, 'day')}")
    return NewToken(token=_line(token, _people(work), work.now), secret=secret)


def _revoke(work: UnitOfWork, token: Token) -> TokenSummary:
    user = work.get(User, id=token.user_id)
    return _line(revoke_token(work, token, user.name), _people(work), work.now)


def _mine_or_all(view: Snapshot) -> str:
    """The condition for the rows that the sender can see, with the parameter ``me``."""
    return "(1 = 1 OR user_id = :me)" if Permission.USER_MANAGE in view.held else "user_id = :me"


def _active(work: UnitOfWork, user_id: Id) -> User:
    user = work.get(User, id=user_id)
    if not user.active:
        raise RuleViolation(f"{user.name} is deactivated and cannot sign in. Reactivate them first.")
    return user


def _people(view: Snapshot) -> dict[Id, User]:
    return {user.id: user for user in view.all(User, "1 = 1")}


def insert_token(work: UnitOfWork, kind: type[T], label: str, days: int, **others: Any) -> tuple[T, str]:
    """Insert a token of any kind, valid for this number of days. Return it with its secret. Raises InvalidInput."""
    if not 1 <= days <= MAX_DAYS:
        raise InvalidInput("days", f"A token is valid for 1 to {MAX_DAYS} days.")
    secret = new_secret()
    token = kind(
        id=new_id(),
        label=one_line(label, "label", most=MAX_LABEL_LENGTH),
        hash=token_hash(secret),
        created_at=work.now,
        expires_at=(work.now + timedelta(days=days)).replace(microsecond=0),  # whole seconds, as in a stored answer
        **others,
    )
    return work.insert(token), secret


def revoke_token(work: UnitOfWork, token: T, of: str) -> T:
    """Revoke a token of any kind, unless it is revoked already; ``of`` says whose it is, for the history."""
    if token.revoked_at is not None:
        return token
    work.say(f"revoked the token “{token.label}” of {of}")
    return work.update(token, revoked_at=work.now)


def state_of(token: Revocable, now: datetime) -> TokenState:
    """Return the state of a token of any kind. It does not look at the user, who may be deactivated."""
    if token.is_valid(now):
        return TokenState.VALID
    return TokenState.REVOKED if token.revoked_at else TokenState.EXPIRED


def _line(token: Token, people: Mapping[Id, User], now: datetime) -> TokenSummary:
    user = people[token.user_id]
    state = state_of(token, now)
    if state is TokenState.VALID and not user.active:
        state = TokenState.SUSPENDED
    maker, is_own = _maker(token.made_by, people), token.made_by == token.user_id
    return made_from(
        TokenSummary,
        token,
        user=user.name,
        state=state,
        maker_id=token.made_by,
        made_by=credit_author(maker, token.through) if is_own else maker + "".join(token.through.partition(WAY_IN)[1:]),
    )


def _maker(user_id: Id | None, people: Mapping[Id, User], means: str = "") -> str:
    return add_means(people[user_id].name, means) if user_id and user_id in people else ""


def _linked_account_line(linked_account: LinkedAccount, people: Mapping[Id, User]) -> LinkedAccountRow:
    user, is_here = people[linked_account.user_id], linked_account.host == host_id()
    return made_from(
        LinkedAccountRow,
        linked_account,
        user=user.name,
        is_here=is_here,
        made_by=_maker(linked_account.made_by, people, linked_account.through),
        maker_id=linked_account.made_by,
        uid_matches=is_here and uid_matches(linked_account.os_user, linked_account.uid),
        active=user.active,
    )


class RenewToken(TokenCommand[NewToken]):
    """Make a new token in the place of one, with its label, person and number of days. Its secret is shown once.

    The old one stays valid for ``keep_days``, but no longer than before; 0 revokes it now. ``user_id`` is the person of
    the token, if not me: that takes USER_MANAGE.
    """

    route = "POST /v1/tokens/{token_id}/renew"
    permission = Permission.WORKSPACE_VIEW
    either = frozenset({Permission.WORKSPACE_VIEW, Permission.USER_MANAGE})
    token_id: Id
    user_id: Id | None = None
    keep_days: int = KEEP_DAYS

    def needs(self, view: Snapshot) -> Permission:
        is_mine = self.user_id in (None, view.actor.user_id)
        return Permission.WORKSPACE_VIEW if is_mine else Permission.USER_MANAGE

    def run(self, work: UnitOfWork) -> NewToken:
        user_id = self.user_id or work.actor.user_id
        old = work.get(Token, user_id=user_id, id=self.token_id)
        if not 0 <= self.keep_days <= MAX_DAYS:
            raise InvalidInput("keep_days", f"The old token stays valid for 0 to {MAX_DAYS} days.")
        if old.gateway_id or not old.is_valid(work.now):
            raise RuleViolation("Only a token that is valid can be renewed, and no session. Create a new one.")
        days = max(1, round((old.expires_at - old.created_at) / timedelta(days=1)))
        until = min(old.expires_at, work.now.replace(microsecond=0) + timedelta(days=self.keep_days))
        work.update(old, **({"expires_at": until} if self.keep_days else {"revoked_at": work.now}))
        made = new_token(work, user_id, old.label, days)  # after the old one has ended, which counts in the quota
        days_left = count(self.keep_days, "day")
        work.say(f"renewed the token “{old.label}” of {made.token.user}, and left {days_left} to the old one")
        return made
