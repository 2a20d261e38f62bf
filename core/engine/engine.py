"""The engine: it checks the permission, then runs a message in one transaction, records the change and commits.

The permission is checked before any lock is taken; in a file whose own tables grant it, in the transaction of the
command. The core is synchronous and runs in worker threads.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from time import sleep
from typing import TYPE_CHECKING, Any, TypeVar

from core.authorization.local_source import LocalPermissions
from core.domain.grants import CacheControl, PermissionSource
from core.domain.max_lengths import MAX_RECORDS
from core.domain.model import WORKSPACE, Id
from core.domain.quotas import Quotas
from core.engine.authorizer import AuthorizedMessage, Authorizer, turn_of
from core.engine.grant_counter import GRANTING, count_granting
from core.engine.idempotency import ResponseStore
from core.engine.large_projects import (
    PAUSE_SECONDS,
    IncomingProject,
    check_room,
    giving_up,
    import_in_slices,
    is_large,
)
from core.engine.messages import Answered, Catalog, Command, Message, MoreGrantsNeeded, Query
from core.engine.project_guard import check_project
from core.engine.quotas import DailyQuota, TextCounter, add_usage
from core.engine.unit_of_work import Actor, Snapshot, UnitOfWork
from core.errors import Forbidden, PodiumError
from core.presence.presence import Presence
from core.storage.database import Database, Tx
from core.storage.deadline import Deadline
from core.storage.progress import NO_PROGRESS, Progress

if TYPE_CHECKING:
    from core.engine.dry_run import DryRun

R = TypeVar("R")
T = TypeVar("T")
M = TypeVar("M", bound=Message[Any])

OF_A_SESSION = (
    "You signed in through a gateway, and its sessions cannot create tokens or link accounts. Use a terminal on the "
    "host, SSH, or one of your own tokens."
)


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
        self.load_catalog = load_catalog
        self.clock = clock
        self.presence = Presence()
        """The users who are online through this process."""
        source = permissions or LocalPermissions(database)
        self.authorizer = Authorizer(database, source, self._view, self.presence.notify_all)

    @property
    def permissions(self) -> PermissionSource:
        """The source that says which permissions a user holds."""
        return self.authorizer.permissions

    @permissions.setter
    def permissions(self, source: PermissionSource) -> None:
        self.authorizer.permissions = source

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
        command = self.authorizer.with_ids(command, actor)
        if self.authorizer.is_in_file and not command.large:
            with contextlib.suppress(MoreGrantsNeeded):  # they are asked for below, where no lock waits for an answer
                return self._authorize_and_write(command, actor, progress, finish)
        authorized, prepared = self._admit(command, actor), None
        if command.large:
            authorized, prepared = self._prepare(command, actor, authorized, progress)
        with giving_up(self.database, prepared):
            return self._with_grants(
                authorized,
                lambda authorized: self._write_authorized(
                    command, actor, authorized, progress, command.run, prepared, finish
                ),
            )

    def execute_and_ask(
        self,
        command: Command[R],
        query: Query[Any],
        actor: Actor,
        progress: Progress = NO_PROGRESS,
        *,
        finish: Callable[[UnitOfWork, R], None] | None = None,
    ) -> tuple[R, Answered | None]:
        """Carry out a command as ``execute`` does, and answer a query ``with_commands`` as of its commit.

        A screen asks so for what its own change has changed. The answer is None where the query has to be sent by
        itself: it is about another project, needs another permission, or the command changed permissions. Where several
        transactions write at one time, the query is answered right after the commit, so that it causes no conflicts.
        """
        answered: Answered | None = None

        def finish_and_answer(work: UnitOfWork, result: R) -> None:
            nonlocal answered
            if finish is not None:
                finish(work, result)
            answered = self._answered_within(query, work)

        if self.database.writers == 1:
            result = self.execute(command, actor, progress, finish=finish_and_answer)
        else:
            result = self.execute(command, actor, progress, finish=finish)
            with contextlib.suppress(PodiumError):
                answered = Answered(query, self.query(query, actor)) if query.with_commands else None
        return result, answered

    def _answered_within(self, query: Query[Any], work: UnitOfWork) -> Answered | None:
        """Answer a query in the transaction of a command, with the grant of its sender, where that is enough."""
        if not query.with_commands or any(change.entity in GRANTING for change in work.changes):
            return None
        with contextlib.suppress(PodiumError):
            view = self._view(work.tx, work.actor, work.scope, work.grant)
            if query.scope(view) == work.scope and query.needs(view) in view.held:
                return Answered(query, query.run(view))
        return None

    def dry_run(self, command: Command[Any], actor: Actor, progress: Progress = NO_PROGRESS) -> DryRun:
        """Return what a command would change, and change nothing. Raises the PodiumError by which it would be refused.

        It needs the same permission as the command, and has the same limits and the same time in one transaction.
        """
        from core.engine.dry_run import Rehearsal

        command = self.authorizer.with_ids(command, actor)
        authorized, prepared = self._admit(command, actor), None
        if command.large:
            prepared = self._read_prepared(command, actor, authorized, progress)
        only_reads = command.leaves_rows
        if isinstance(prepared, IncomingProject) and is_large(prepared):
            check_room(self.database, prepared)
            only_reads = True

        def rehearse(authorized: AuthorizedMessage) -> DryRun:
            with self._counting_keys(actor) as refused_keys:

                def make_work(kind: type[UnitOfWork], tx: Tx) -> UnitOfWork:
                    work = kind(tx, actor, self.clock(), *authorized)
                    work.is_dry_run = True
                    return self._make_ready(work, command, progress, prepared, refused_keys)

                count = partial(self._written.count, taken=0, refuse=not command.ends_access)
                rehearsal = Rehearsal(command=command, make_work=make_work, count_text=count, only_reads=only_reads)
                return rehearsal.run(self.database, progress, scope=turn_of(command, authorized.scope))

        return self._with_grants(authorized, rehearse)

    def _admit(self, command: Command[Any], actor: Actor) -> AuthorizedMessage:
        """Return the authorization of a command. Raises as ``authorize``, and Forbidden in a session of a gateway."""
        authorized = self.authorizer.in_snapshot(lambda: self.authorizer.authorize(command, actor))
        if command.gives_access and actor.in_session:
            raise Forbidden(OF_A_SESSION)
        return authorized

    def _with_grants(self, authorized: AuthorizedMessage, run: Callable[[AuthorizedMessage], T]) -> T:
        """Run a message. Where it needs more answers of the permission source, ask for them and run it again."""
        while True:
            try:
                return run(authorized)
            except MoreGrantsNeeded as more:
                grants = self.permissions.grants(more.questions, CacheControl.MAX_STALE)
                authorized = authorized._replace(answers={**authorized.answers, **grants})

    def _prepare(
        self, command: Command[Any], actor: Actor, authorized: AuthorizedMessage, progress: Progress
    ) -> tuple[AuthorizedMessage, Any]:
        """Do the parts of a large command that come before its last transaction.

        Returns the authorization as of then, and the prepared value for ``work.prepared``.
        """

        def begin(work: UnitOfWork) -> bool:
            if began := command.begin(work):
                progress.go_on()
            return began

        while command.has_parts and self._write_authorized(command, actor, authorized, progress, begin):
            sleep(PAUSE_SECONDS)
            authorized = self.authorizer.authorize(command, actor)
        prepared = self._read_prepared(command, actor, authorized, progress)
        if isinstance(prepared, IncomingProject):
            prepared = import_in_slices(self.database, prepared, actor, self.clock(), progress, self.quotas)
        if prepared is None:
            return authorized, None
        with giving_up(self.database, prepared):
            # the sender may have lost permissions in the meantime
            return self.authorizer.authorize(command, actor), prepared

    def _read_prepared(
        self, command: Command[Any], actor: Actor, authorized: AuthorizedMessage, progress: Progress
    ) -> Any:
        """Return what a large command computes before its transaction. Raises as ``prepare`` of the command does."""
        read = partial(self.database.read, progress=progress)

        def prepare(authorized: AuthorizedMessage) -> Any:
            return command.prepare(lambda question: read(lambda tx: question(self._view(tx, actor, *authorized))))

        limited = Deadline(math.inf, progress)  # it writes nothing, but ends when it is cancelled
        return limited.limit(lambda: self._with_grants(authorized, prepare))

    def _write_authorized(
        self,
        command: Command[Any],
        actor: Actor,
        authorized: AuthorizedMessage,
        progress: Progress,
        run: Callable[[UnitOfWork], T],
        prepared: Any = None,
        finish: Callable[[UnitOfWork, T], None] | None = None,
    ) -> T:
        """Run ``run`` for a command whose permission was checked before, in turn with other commands of its scope."""
        turn = turn_of(command, authorized.scope)
        return self._write(command, actor, lambda: authorized, turn, progress, run, prepared, finish)

    def _authorize_and_write(
        self,
        command: Command[R],
        actor: Actor,
        progress: Progress,
        finish: Callable[[UnitOfWork, R], None] | None,
    ) -> R:
        """Check the permission of a command in the transaction in which it runs, since a file grants it itself.

        That saves a snapshot, and no one can change the permission in between. A file has one writer, so no turns.
        """
        return self._write(command, actor, lambda: self._admit(command, actor), "", progress, command.run, None, finish)

    def _write(
        self,
        command: Command[Any],
        actor: Actor,
        authorize: Callable[[], AuthorizedMessage],
        turn: Id,
        progress: Progress,
        run: Callable[[UnitOfWork], T],
        prepared: Any,
        finish: Callable[[UnitOfWork, T], None] | None,
    ) -> T:
        """Run ``run`` in one transaction, which records at most one change."""

        def write(tx: Tx) -> tuple[T, bool, int]:
            work = UnitOfWork(tx, actor, self.clock(), *authorize())
            self._make_ready(work, command, progress, prepared, refused_keys)
            result = run(work)
            if command.personal:
                work.flush()
            else:
                work.record(type(command).__name__)
            if finish is not None:
                finish(work, result)
            # after ``finish``, because the stored response counts as text too
            small = self._written.count(work, taken, refuse=not command.ends_access)
            return result, count_granting(tx, work.scope, work.changes), small

        small = taken = self._written.take(actor.user_id)
        try:
            with self._counting_keys(actor) as refused_keys:
                result, granting, small = self.database.write(
                    write, progress, linked=not command.leaves_rows, scope=turn
                )
        finally:
            self._written.keep(actor.user_id, small)
        if granting:  # after the commit: a grant that is asked for before it would be cached as it was
            self.authorizer.changes.note_commit()
        return result

    @contextlib.contextmanager
    def _counting_keys(self, actor: Actor) -> Iterator[set[str]]:
        """Count the keys that turn out not to be free, also where the transaction is rolled back."""
        refused_keys: set[str] = set()
        try:
            yield refused_keys
        finally:
            if refused_keys and self.quotas is not None:
                count, kind = len(refused_keys), DailyQuota.REFUSED_KEYS
                self.database.write(lambda tx: add_usage(self._view(tx, actor, WORKSPACE), kind, count, refuse=False))

    def _make_ready(
        self, work: UnitOfWork, command: Command[Any], progress: Progress, prepared: Any, refused_keys: set[str]
    ) -> UnitOfWork:
        """Make a unit of work ready for a command. Raises Forbidden, and as ``check_project`` does."""
        work.progress, work.prepared, work.quotas, work.refused_keys = progress, prepared, self.quotas, refused_keys
        work.load_catalog = self.load_catalog
        work.most_writes = None if command.unbounded else MAX_RECORDS
        work.require(command.needs(work))  # again, since its records may have changed in the meantime
        check_project(work, in_archive=command.in_archive)
        return work

    def query(self, query: Query[R], actor: Actor, *, progress: Progress = NO_PROGRESS, at_once: bool = False) -> R:
        """Answer a query from one snapshot. Raises the PodiumError that says why not.

        ``at_once`` is for the first screen of the terminal: it names the user before the authorization service has
        answered. A pending grant holds no permissions, so the answer contains nothing of a project.
        """

        def answer() -> R:
            asked = self.authorizer.with_ids(query, actor)

            def run(authorized: AuthorizedMessage, tx: Tx) -> R:
                view = self._view(tx, actor, *authorized)
                check_project(view, in_archive=True)
                return asked.run(view)

            authorized = self.authorizer.authorize(asked, actor, at_once=at_once)
            read = partial(self.database.read, progress=progress)
            return self._with_grants(authorized, lambda authorized: read(partial(run, authorized)))

        return self.authorizer.in_snapshot(answer, progress)

    def authorize(self, message: Message[R], actor: Actor) -> None:
        """Check that ``actor`` can send a message now. Raises as ``execute`` and ``query`` do."""
        self.authorizer.authorize(self.authorizer.with_ids(message, actor), actor)

    def read(self, actor: Actor, read: Callable[[Snapshot], R]) -> R:
        """Read what belongs to the sender alone, which needs no permission."""
        return self.database.read(lambda tx: read(self._view(tx, actor, WORKSPACE)))

    def close(self) -> None:
        """Close the source of permissions and the database."""
        self.permissions.close()
        self.database.close()

    def _view(self, tx: Tx, actor: Actor, *authorized: Any) -> Snapshot:
        """Make the snapshot for ``actor``, with presence and quotas; ``authorized`` as in ``AuthorizedMessage``."""
        view = Snapshot(tx, actor, self.clock(), *authorized)
        view.presence, view.quotas, view.load_catalog = self.presence, self.quotas, self.load_catalog
        return view
