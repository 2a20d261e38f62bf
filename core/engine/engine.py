"""The engine: it checks the permission, then runs a message in one transaction, records the change and commits.

The permission is checked before any lock is taken. The core is synchronous and runs in worker threads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import partial
from time import sleep
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from core.authorization.local_source import LocalPermissions
from core.domain.grants import CacheControl, Grant, PermissionQuery, PermissionSource
from core.domain.max_lengths import MAX_RECORDS
from core.domain.model import WORKSPACE, Id, Workspace
from core.domain.permissions import (
    ALL_CODES,
    UNCACHED_PERMISSIONS,
    Permission,
)
from core.domain.quotas import Quotas
from core.engine.grant_counter import GrantCounter, count_granting
from core.engine.idempotency import ResponseStore
from core.engine.messages import Catalog, Command, Message, Query, Unanswered, Undecided
from core.engine.presence import Presence
from core.engine.project_guard import check_not_archived
from core.engine.quotas import TextCounter
from core.engine.refusals import refused
from core.engine.short_keys import with_ids
from core.engine.slices import (
    PAUSE_SECONDS,
    IncomingProject,
    check_room,
    giving_up,
    import_in_slices,
    is_large,
)
from core.engine.unit_of_work import Actor, Snapshot, UnitOfWork, in_workspace
from core.errors import Forbidden, NotFound, PodiumError
from core.storage.database import Database, Tx
from core.storage.progress import NO_PROGRESS, Progress
from core.text.phrases import no_such

if TYPE_CHECKING:
    from core.engine.dry_run import DryRun

R = TypeVar("R")
T = TypeVar("T")
M = TypeVar("M", bound=Message[Any])

OF_A_SESSION = (
    "You signed in through a gateway, and its sessions cannot create tokens or link accounts. Use a terminal on the "
    "host, SSH, or one of your own tokens."
)


class AuthorizedMessage(NamedTuple):
    """The scope, grant and answers of a message before it runs, in the order of the arguments of ``Snapshot``."""

    scope: Id
    grant: Grant
    answers: Mapping[PermissionQuery, Grant]


def now() -> datetime:
    """The time, in UTC."""
    return datetime.now(UTC)


class Engine:
    """Carries out messages on one database, for any number of users.

    For example ``Engine(database, load_catalog).execute(RenameWorkspace(name="Studio"), actor)``.
    """

    def __init__(
        self,
        database: Database,
        load_catalog: Callable[[], Catalog],
        permissions: PermissionSource | None = None,
        clock: Callable[[], datetime] = now,
        quotas: Quotas | None = None,
    ) -> None:
        self.quotas = quotas
        """The most that one user can have and add; None for a local database file."""
        self._written = TextCounter()
        self.responses = ResponseStore()
        """The responses of commands that are sent with an idempotency key."""
        self.database = database
        self.permissions: PermissionSource = permissions or LocalPermissions(database)
        self.load_catalog = load_catalog
        self.clock = clock
        self._grants = GrantCounter(database, self._drop_grants)
        self._root = ""
        """The account of the workspace, which never changes; "" until it was read."""
        self.presence = Presence()
        """The users who are online through this process."""

    def execute(
        self,
        command: Command[R],
        actor: Actor,
        progress: Progress = NO_PROGRESS,
        *,
        finish: Callable[[UnitOfWork, R], None] | None = None,
    ) -> R:
        """Carry out a command durably, or change nothing. Raises the PodiumError that says why.

        ``finish`` writes more in the transaction of the command, such as the stored response of its idempotency key.
        """
        command = self._with_ids(command, actor)
        seen, prepared = self._admitted(command, actor), None
        if command.large:
            seen, prepared = self._prepare(command, actor, seen, progress)
        with giving_up(self.database, prepared):
            return self._with_answers(
                seen, lambda seen: self._write(command, actor, seen, progress, prepared, command.run, finish)
            )

    def dry_run(self, command: Command[Any], actor: Actor, progress: Progress = NO_PROGRESS) -> DryRun:
        """Return what a command would change, and change nothing. Raises the PodiumError by which it would be refused.

        It needs the same permission as the command, and has the same limits and the same time in one transaction.
        """
        from core.engine import dry_run

        command = self._with_ids(command, actor)
        seen, prepared = self._admitted(command, actor), None
        if command.large:
            prepared = self._prepared(command, actor, seen, progress)
        in_memory = isinstance(prepared, IncomingProject) and is_large(prepared)
        if isinstance(prepared, IncomingProject) and in_memory:
            check_room(self.database, prepared)

        def rehearse(tx: Tx, seen: AuthorizedMessage) -> DryRun:
            parts: list[UnitOfWork] = []

            def carry_out(run: Callable[[UnitOfWork], T]) -> T:
                kind = dry_run.WorkInMemory if in_memory else UnitOfWork
                work = self._work(kind(tx, actor, self.clock(), *seen), command, progress, prepared)
                parts.append(work)
                unrecorded = command.unrecorded(work)
                result = run(work)
                work.flush()
                work.changes += unrecorded
                self._written.count(work, refuse=not command.ends_access)
                return result

            while type(command).begin is not Command.begin and carry_out(command.begin):
                pass
            refused = command.refused_steps(carry_out(command.run))
            view = parts[-1]
            changes = dry_run.differences(view, [change for part in parts for change in part.changes])
            summary = view.summary if view.changes and not command.personal else ""
            return dry_run.DryRun(summary=summary, changes=changes, refused=refused)

        turn, linked = _turn_of(command, seen.scope), not command.leaves_rows

        def rehearsed(seen: AuthorizedMessage) -> DryRun:
            run = partial(rehearse, seen=seen)
            return dry_run.rolled_back(self.database, run, progress, linked=linked, scope=turn)

        return self._with_answers(seen, rehearsed)

    def _admitted(self, command: Command[Any], actor: Actor) -> AuthorizedMessage:
        """Return the authorization of a command. Raises as ``_authorize``, and Forbidden in a gateway's session."""
        seen = self._in_snapshot(lambda: self._authorize(command, actor))
        if command.gives_access and actor.in_session:
            raise Forbidden(OF_A_SESSION)
        return seen

    def _with_answers(self, seen: AuthorizedMessage, run: Callable[[AuthorizedMessage], T]) -> T:
        """Run a message. Where it needs more answers of the permission source, ask for them and run it again."""
        while True:
            try:
                return run(seen)
            except Unanswered as more:
                grants = self.permissions.grants(more.questions, CacheControl.MAX_STALE)
                seen = seen._replace(answers={**seen.answers, **grants})

    def _prepare(
        self, command: Command[Any], actor: Actor, seen: AuthorizedMessage, progress: Progress
    ) -> tuple[AuthorizedMessage, Any]:
        """Do the parts of a large command that come before its last transaction.

        Returns the authorization as of then, and the prepared value for ``work.prepared``.
        """

        def begin(work: UnitOfWork) -> bool:
            if began := command.begin(work):
                progress.go_on()
            return began

        while type(command).begin is not Command.begin and self._write(command, actor, seen, progress, None, begin):
            sleep(PAUSE_SECONDS)
            seen = self._authorize(command, actor)
        prepared = self._prepared(command, actor, seen, progress)
        if isinstance(prepared, IncomingProject):
            prepared = import_in_slices(self.database, prepared, actor, self.clock(), progress, self.quotas)
        if prepared is None:
            return seen, None
        with giving_up(self.database, prepared):
            return self._authorize(command, actor), prepared  # the sender may have lost permissions in the meantime

    def _prepared(self, command: Command[Any], actor: Actor, seen: AuthorizedMessage, progress: Progress) -> Any:
        read = partial(self.database.read, progress=progress)

        def prepare(seen: AuthorizedMessage) -> Any:
            return command.prepare(lambda question: read(lambda tx: question(self._view(tx, actor, *seen))))

        return self._with_answers(seen, prepare)

    def _write(
        self,
        command: Command[Any],
        actor: Actor,
        seen: AuthorizedMessage,
        progress: Progress,
        prepared: Any,
        run: Callable[[UnitOfWork], T],
        finish: Callable[[UnitOfWork, T], None] | None = None,
    ) -> T:
        """Run ``run`` in one transaction, which records at most one change."""

        def write(tx: Tx) -> tuple[T, bool, int]:
            work = self._work(UnitOfWork(tx, actor, self.clock(), *seen), command, progress, prepared)
            result = run(work)
            if command.personal:
                work.flush()
            else:
                work.record(type(command).__name__)
            if finish is not None:
                finish(work, result)
            small = self._written.count(work, refuse=not command.ends_access)
            return result, count_granting(tx, work.scope, work.changes), small

        turn = _turn_of(command, seen.scope)
        result, granting, small = self.database.write(write, progress, linked=not command.leaves_rows, scope=turn)
        self._written.keep(actor.user_id, small)
        if granting:
            self._grants.committed()
        return result

    def _work(self, work: UnitOfWork, command: Command[Any], progress: Progress, prepared: Any) -> UnitOfWork:
        """Make a unit of work ready for a command. Raises Forbidden, and RuleViolation in an archived project."""
        work.progress, work.prepared, work.quotas = progress, prepared, self.quotas
        work.load_catalog = self.load_catalog
        work.most_writes = None if command.unbounded else MAX_RECORDS
        work.require(command.needs(work))  # again, since its records may have changed in the meantime
        if not (in_workspace(work.scope) or command.in_archive):
            check_not_archived(work, work.scope)
        return work

    def notice_commit(self) -> None:
        """Drop the cached grants if another program on the database has changed permissions. Raises StorageError."""
        self._grants.check()

    def _drop_grants(self) -> None:
        self.permissions.invalidate()
        self.presence.notify_all()

    def query(self, query: Query[R], actor: Actor, *, progress: Progress = NO_PROGRESS, at_once: bool = False) -> R:
        """Answer a query from one snapshot. Raises the PodiumError that says why not.

        ``at_once`` is for the first screen of the terminal: it names the user before the authorization service has
        answered. A pending grant holds no permissions, so the answer contains nothing of a project.
        """

        def answer() -> R:
            asked = self._with_ids(query, actor)
            seen = self._authorize(asked, actor, at_once=at_once)
            read = partial(self.database.read, progress=progress)
            return self._with_answers(seen, lambda seen: read(lambda tx: asked.run(self._view(tx, actor, *seen))))

        return self._in_snapshot(answer, progress)

    def _in_snapshot(self, work: Callable[[], T], progress: Progress = NO_PROGRESS) -> T:
        """Run ``work``, whose reads see one snapshot, unless the source is remote: no snapshot waits for an answer."""
        if isinstance(self.permissions, LocalPermissions):
            return self.database.read(lambda _: work(), progress)
        return work()

    def authorize(self, message: Message[R], actor: Actor) -> None:
        """Check that ``actor`` can send a message now. Raises as ``execute`` and ``query`` do."""
        self._authorize(self._with_ids(message, actor), actor)

    def admit(self, head: Message[Any], actor: Actor) -> Id:
        """Check the permission of a message of which only the head is known (``core.wire.routes.head_of``).

        Returns the project, or WORKSPACE, whose commands take turns with it; "" for none, or if the body decides.

        A permission that depends on the body is checked later, with the whole message. Raises as ``execute`` and
        ``query`` do.
        """
        try:
            head = self._with_ids(head, actor)
            scope, needed, account = self._what_it_takes(head, actor)
        except Undecided:
            return ""
        grant = self._grant(PermissionQuery(actor.user_id, account, ALL_CODES), CacheControl.MAX_AGE)
        if needed not in grant.held:
            raise self._refusal(actor, scope, needed, grant)
        return _turn_of(head, scope)

    def read(self, actor: Actor, read: Callable[[Snapshot], R]) -> R:
        """Read what belongs to the sender alone, which needs no permission."""
        return self.database.read(lambda tx: read(self._view(tx, actor, WORKSPACE)))

    def close(self) -> None:
        """Close the source of permissions and the database."""
        self.permissions.close()
        self.database.close()

    def _view(self, tx: Tx, actor: Actor, *seen: Any) -> Snapshot:
        """Make the snapshot for ``actor``, with presence and quotas; ``seen`` as in Seen."""
        view = Snapshot(tx, actor, self.clock(), *seen)
        view.presence, view.quotas, view.load_catalog = self.presence, self.quotas, self.load_catalog
        return view

    def _authorize(self, message: Message[R], actor: Actor, *, at_once: bool = False) -> AuthorizedMessage:
        """Return the scope of a message and the permissions of its sender there, before reading anything else.

        Raises NotFound for a missing record, Forbidden without the permission, AuthorizationUnavailable when the source
        does not answer, and the errors of the message's ``asks``.
        """
        scope, needed, account = self._what_it_takes(message, actor)
        cache_control = _cache_control(message, needed, at_once)
        question = PermissionQuery(actor.user_id, account, ALL_CODES)
        grant = self._grant(question, cache_control)
        if needed not in grant.held and not (grant.authority.pending and self._may_begin(question, needed)):
            raise self._refusal(actor, scope, needed, grant)
        if type(message).asks is Message.asks:
            return AuthorizedMessage(scope, grant, {})
        asked = self.database.read(lambda tx: message.asks(self._view(tx, actor, scope, grant)))
        reading = CacheControl.ONLY_IF_CACHED if at_once else CacheControl.MAX_STALE
        return AuthorizedMessage(scope, grant, self.permissions.grants(asked, reading) if asked else {})

    def _with_ids(self, message: M, actor: Actor) -> M:
        return with_ids(message, self.database.read, actor.user_id)

    def _what_it_takes(self, message: Message[Any], actor: Actor) -> tuple[Id, Permission, str]:
        """Return the scope of a message, the permission that it needs there, and the account that holds it."""

        def read(tx: Tx) -> tuple[Id, Permission, str]:
            view = self._view(tx, actor, WORKSPACE)
            scope = message.scope(view)
            return scope, message.needs(view), self._account(view, scope)

        return self.database.read(read)

    def _grant(self, question: PermissionQuery, cache_control: CacheControl) -> Grant:
        """Return a grant that is no older than the last change of permissions that this process knows of."""
        if not isinstance(self.permissions, LocalPermissions):
            self._grants.check()
        return self.permissions.grant(question, cache_control)

    def _account(self, view: Snapshot, scope: Id) -> str:
        """The account on which the permissions of this scope are held."""
        if in_workspace(scope):
            self._root = self._root or view.all(Workspace, "1 = 1")[0].auth_id
            return self._root
        accounts = "SELECT auth_id FROM project WHERE id = :id"
        found = view.tx.kept(("account", scope), lambda: view.tx.tuples(accounts, id=scope))
        if not found:
            raise NotFound(no_such("project", scope))
        return str(found[0][0])

    def _may_begin(self, question: PermissionQuery, needed: Permission) -> bool:
        """Return whether a program can start for this user before the authorization service has answered."""
        begins = needed is Permission.WORKSPACE_VIEW
        return begins and needed in LocalPermissions(self.database).grant(question, CacheControl.MAX_STALE).held

    def _refusal(self, actor: Actor, scope: Id, needed: Permission, grant: Grant) -> PodiumError:
        fault = grant.authority.fault
        if fault is not None:
            return fault.error
        return self.database.read(lambda tx: refused(Snapshot(tx, actor, self.clock(), scope, grant), scope, needed))


def _turn_of(message: Message[Any], scope: Id) -> Id:
    """Return the scope whose commands take turns with a message: a personal command writes only rows of its sender."""
    return "" if isinstance(message, Command) and message.personal else scope


def _cache_control(message: Message[Any], needed: Permission, at_once: bool) -> CacheControl:
    if not isinstance(message, Command):
        return CacheControl.ONLY_IF_CACHED if at_once else CacheControl.MAX_STALE
    return CacheControl.NO_CACHE if needed in UNCACHED_PERMISSIONS or message.deletes else CacheControl.MAX_AGE
