"""Authorizing a message: the scope that it is about, the permission that its sender needs there, and the grant.

Keys such as AUT-12 are replaced by ids first; only those of the sender's projects, so that no one can try out which
there are. What the sender cannot see is refused as what is not there, in the same words; other refusals name who can
help.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, NamedTuple, TypeVar

from core.authorization.local_source import LocalPermissions
from core.domain.grants import LOCAL, CacheControl, Grant, PermissionQuery, PermissionSource
from core.domain.model import WORKSPACE, Id, Member, User
from core.domain.permissions import (
    ALL_CODES,
    PROJECT_CODES,
    UNCACHED_PERMISSIONS,
    Permission,
    refusal,
    refusal_of_service,
)
from core.engine.grant_counter import GrantCounter
from core.engine.messages import BodyNotRead, Command, Message
from core.engine.project_guard import OF_PROJECT, holders, owners
from core.engine.unit_of_work import Actor, Snapshot, in_workspace
from core.errors import Forbidden, NotFound, PodiumError
from core.record import Record, fields, replace
from core.storage.database import Database, Tx
from core.storage.progress import NO_PROGRESS, Progress
from core.text.phrases import full_name, in_words, no_such
from core.text.short_keys import read_card_key, read_project_key

T = TypeVar("T")
M = TypeVar("M", bound=Message[Any])
R = TypeVar("R", bound=Record)
Read = Callable[[Callable[[Tx], Id | None]], Id | None]

PROJECT_FIELD = "project_id"
LONGEST_KEY = 20
"""The longest text that can be a key; ids are longer."""

OF_MINE = "project_id IN (SELECT project_id FROM member WHERE user_id = :me)"
ID_OF_CARD = (
    "SELECT item.id FROM item JOIN project_key ON project_key.project_id = item.project_id"
    f" WHERE project_key.key = :key AND item.number = :number AND project_key.{OF_MINE}"
)
ID_OF_PROJECT = f"SELECT project_id FROM project_key WHERE key = :key AND {OF_MINE}"


class AuthorizedMessage(NamedTuple):
    """The scope, grant and answers of a message before it runs, in the order of the arguments of ``Snapshot``."""

    scope: Id
    grant: Grant
    answers: Mapping[PermissionQuery, Grant]


class Authorizer:
    """Asks the permission source about the messages of all users. A grant is as new as the last known change of rights.

    For example ``authorizer.authorize(RenameWorkspace(name="Studio"), actor).grant``.
    """

    def __init__(
        self,
        database: Database,
        permissions: PermissionSource,
        view: Callable[..., Snapshot],
        changed: Callable[[], object],
    ) -> None:
        """``view`` makes the snapshot of an actor; ``changed`` is called when cached grants were dropped."""
        self.database = database
        self.permissions = permissions
        self._view = view
        self._changed = changed
        self.changes = GrantCounter(database, self._drop_grants)
        """Drops the cached grants after a change of permissions."""
        self._root = ""
        """The account of the workspace, which never changes; "" until it was read."""

    @property
    def is_local(self) -> bool:
        """True if the tables of the database grant the permissions, so that asking takes no time."""
        return isinstance(self.permissions, LocalPermissions)

    @property
    def is_in_file(self) -> bool:
        """True if the permissions are in a file with one writer, so that they are checked in the caller's transaction.

        An authorization service is asked before, since no lock waits for it; and with several writers the project has
        to be known before, since writers of one project wait for each other.
        """
        return self.is_local and self.database.writers == 1

    def _drop_grants(self) -> None:
        self.permissions.invalidate()
        self._changed()

    def in_snapshot(self, work: Callable[[], T], progress: Progress = NO_PROGRESS) -> T:
        """Run ``work``, whose reads see one snapshot, unless the source is remote: no snapshot waits for an answer."""
        if self.is_local:
            return self.database.read(lambda _: work(), progress)
        return work()

    def together(self, work: Callable[[], T], progress: Progress = NO_PROGRESS) -> T:
        """Run several steps on one snapshot, where nothing in them waits."""
        if self.is_in_file:
            return self.database.read(lambda _: work(), progress)
        return work()

    def ask_ahead(self, actor: Actor, *scopes: Id) -> None:
        """Ask for the permissions of ``actor`` in some scopes before they are needed, without waiting for them."""
        if self.is_local:
            return
        accounts = self.database.read(
            lambda tx: [self._account(self._view(tx, actor, WORKSPACE), scope) for scope in scopes]
        )
        self.permissions.ask_ahead([PermissionQuery(actor.user_id, account, ALL_CODES) for account in accounts])

    def with_ids(self, message: M, actor: Actor) -> M:
        """Return a message with ids in the place of the keys of cards and projects."""
        return replace_keys(message, self.database.read, actor.user_id)

    def admit(self, head: Message[Any], actor: Actor) -> Id:
        """Check the permission of a message of which only the head is known (``core.wire.routes.head_of``).

        Returns the project, or WORKSPACE, whose commands take turns with it; "" for none, or if the body decides.

        A permission that depends on the body is checked later, with the whole message. Raises as ``execute`` and
        ``query`` do.
        """
        try:
            head = self.with_ids(head, actor)
            scope, needed, account = self._what_it_takes(head, actor, by_head=True)
        except BodyNotRead:
            return ""
        grant = self._grant(PermissionQuery(actor.user_id, account, ALL_CODES), CacheControl.MAX_AGE)
        if grant.held.isdisjoint(head.either or {needed}):
            raise self._refusal(head, actor, scope, needed, grant)
        return turn_of(head, scope)

    def authorize(self, message: Message[Any], actor: Actor, *, at_once: bool = False) -> AuthorizedMessage:
        """Return the scope of a message and the permissions of its sender there, before reading anything else.

        Raises NotFound for a missing record, Forbidden without the permission, AuthorizationUnavailable when the source
        does not answer, and the errors of the message's ``asks``.
        """
        scope, needed, account = self._what_it_takes(message, actor)
        cache_control = _cache_control(message, needed, at_once)
        # for all codes, so that one cached answer serves all messages on this account
        question = PermissionQuery(actor.user_id, account, ALL_CODES)
        grant = self._grant(question, cache_control)
        if needed not in grant.held and not (grant.authority.pending and self._may_begin(question, needed)):
            raise self._refusal(message, actor, scope, needed, grant)
        if type(message).asks is Message.asks:
            return AuthorizedMessage(scope, grant, {})
        # after the check: ``asks`` reads records, of which a sender without the permission learns nothing
        asked = self.database.read(lambda tx: message.asks(self._view(tx, actor, scope, grant)))
        reading = CacheControl.ONLY_IF_CACHED if at_once else CacheControl.MAX_STALE
        return AuthorizedMessage(scope, grant, self.permissions.grants(asked, reading) if asked else {})

    def require(self, needed: Permission, actor: Actor) -> None:
        """Raise Forbidden if ``actor`` does not hold a code on the workspace. For routes that are no messages."""
        account = self.database.read(lambda tx: self._account(self._view(tx, actor, WORKSPACE), WORKSPACE))
        grant = self._grant(PermissionQuery(actor.user_id, account, ALL_CODES), CacheControl.MAX_AGE)
        if needed not in grant.held:
            raise self._refusal(None, actor, WORKSPACE, needed, grant)

    def _what_it_takes(
        self, message: Message[Any], actor: Actor, *, by_head: bool = False
    ) -> tuple[Id, Permission, str]:
        """Return the scope of a message, the permission that it needs there, and the account that holds it."""

        def read(tx: Tx) -> tuple[Id, Permission, str]:
            view = self._view(tx, actor, WORKSPACE)
            scope = message.scope(view)
            needed = message.permission if by_head and message.either else message.needs(view)
            return scope, needed, self._account(view, scope)

        return self.database.read(read)

    def _grant(self, question: PermissionQuery, cache_control: CacheControl) -> Grant:
        """Return a grant that is no older than the last change of permissions that this process knows of."""
        if not self.is_local:  # before asking: a grant in the cache may be older than a change by another program
            self.changes.check()
        return self.permissions.grant(question, cache_control)

    def _account(self, view: Snapshot, scope: Id) -> str:
        """The account on which the permissions of this scope are held."""
        if in_workspace(scope):
            self._root = self._root or view.read_workspace().auth_id
            return self._root
        found = view.tx.find_cached(("account", scope), lambda: view.tx.tuples(OF_PROJECT, id=scope))
        if not found:
            raise NotFound(no_such("project", scope))
        return str(found[0][0])

    def _may_begin(self, question: PermissionQuery, needed: Permission) -> bool:
        """Return whether a program can start for this user before the authorization service has answered."""
        begins = needed is Permission.WORKSPACE_VIEW
        return begins and needed in LocalPermissions(self.database).grant(question, CacheControl.MAX_STALE).held

    def _refusal(
        self, what: Message[Any] | None, actor: Actor, scope: Id, needed: Permission, grant: Grant
    ) -> PodiumError:
        """The reason why a message is refused: the fault of the source, or the missing permission."""
        fault = grant.authority.fault
        if fault is not None:  # first: without an answer, it is not known that the permission is missing
            return fault.error
        return self.database.read(lambda tx: explain_refusal(self._view(tx, actor, scope, grant), what, scope, needed))


def turn_of(message: Message[Any], scope: Id) -> Id:
    """Return the scope whose commands take turns with a message: a personal command writes only rows of its sender."""
    return "" if isinstance(message, Command) and message.personal else scope


def _cache_control(message: Message[Any], needed: Permission, at_once: bool) -> CacheControl:
    """The age that a cached grant may have for a message: a deletion takes no cached one."""
    if not isinstance(message, Command):
        return CacheControl.ONLY_IF_CACHED if at_once else CacheControl.MAX_STALE
    return CacheControl.NO_CACHE if needed in UNCACHED_PERMISSIONS or message.deletes else CacheControl.MAX_AGE


def replace_keys(message: R, read: Read, me: Id) -> R:
    """Return a message with ids for the keys in it, also in the commands of a bulk change. Unknown keys stay."""
    found: dict[str, Any] = {}
    for name in _fields_with_keys(type(message)):
        try:
            value = getattr(message, name)
        except BodyNotRead:
            continue
        if isinstance(value, str):
            if len(value) <= LONGEST_KEY and (known := _id_of_key(value, name, read, me)):
                found[name] = known
        elif isinstance(value, tuple) and value and isinstance(value[0], Message):
            steps = tuple(replace_keys(step, read, me) for step in value)
            if any(after is not before for after, before in zip(steps, value, strict=True)):
                found[name] = steps
    return replace(message, **found) if found else message


@cache
def _fields_with_keys(kind: type[Record]) -> tuple[str, ...]:
    """The fields that can have the id of a project or a card, or commands."""
    return tuple(name for name in fields(kind) if name.endswith("_id") or name == "commands")


def _id_of_key(text: str, name: str, read: Read, me: Id) -> Id | None:
    """The id that a text stands for, if it is a key of one of the sender's projects."""
    if card := read_card_key(text):
        return read(lambda tx: _first_id(tx, ID_OF_CARD, key=card[0], number=card[1], me=me))
    if name == PROJECT_FIELD and (key := read_project_key(text)):
        return read(lambda tx: _first_id(tx, ID_OF_PROJECT, key=key, me=me))
    return None


def _first_id(tx: Tx, sql: str, **params: object) -> Id | None:
    rows = tx.tuples(sql, **params)
    return str(rows[0][0]) if rows else None


class _Empty(Snapshot):
    """A database without records."""

    def all(self, record: type[T], where: str, **params: object) -> list[T]:
        return []


def missing_record(view: Snapshot, message: Message[Any]) -> NotFound:
    """Return the refusal of a message about a record that is not there."""
    try:
        scope = message.scope(_Empty(view.tx, view.actor, view.now, WORKSPACE))
    except NotFound as error:
        return error
    return NotFound(no_such("project", scope))


def explain_refusal(
    view: Snapshot, message: Message[Any] | None, scope: Id, needed: Permission
) -> Forbidden | NotFound:
    """Return the refusal. It names only people whom the sender can see: no owner to strangers, no admin to guests.

    NotFound if the sender is no member of the project and cannot see it. A member reads which permission is missing.
    """
    user = view.find(User, id=view.actor.user_id)
    if user is None or not user.active:
        return Forbidden("Your account is not active in this workspace. Ask a workspace admin.")
    member = None if in_workspace(scope) else view.find(Member, project_id=scope, user_id=user.id)
    if message and not in_workspace(scope) and member is None and Permission.PROJECT_VIEW not in view.grant.held:
        return missing_record(view, message)
    if view.grant.authority.source != LOCAL.source:
        return Forbidden(refusal_of_service(needed, view.grant.authority.unnamed))
    if member is None or needed not in PROJECT_CODES:
        if not user.platform_roles:
            return Forbidden(refusal(needed, "guest"))
        return Forbidden(refusal(needed, in_words(user.platform_roles[0])), who_can=_admins(view))
    # owners can help with every code, since they give roles; with a decision also those whom a policy names
    who_can = holders(view, scope, needed) if needed is Permission.GATE_DECIDE else owners(view, scope)
    return Forbidden(refusal(needed, member.role.lower()), who_can=who_can)


def _admins(view: Snapshot) -> tuple[str, ...]:
    """The names of the active workspace admins."""
    rows = view.rows(
        "SELECT first_name, last_name FROM app_user"
        " WHERE active = 1 AND platform_roles LIKE '%ADMIN%' ORDER BY first_name, last_name, id"
    )
    return tuple(full_name(row["first_name"], row["last_name"]) for row in rows)
