"""The interface between front ends and the core, and the core in this process.

A front end works in the same way with each backend.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from core.domain.model import Id
from core.engine.engine import Engine
from core.engine.large_projects import Sweeper
from core.engine.messages import Answered, Command, Query
from core.engine.unit_of_work import Actor
from core.presence.exchange import PresenceExchange
from core.record import Record, replace
from core.storage.change_watcher import ChangeWatcher
from core.storage.progress import NO_PROGRESS, Progress

if TYPE_CHECKING:
    from core.engine.dry_run import DryRun

R = TypeVar("R")


class ChangeEvent(Record, kw_only=False):
    """A notification from ``changes``. It does not say what changed: its receiver queries again.

    A receiver whose last answer includes all ``commits`` need not.
    """

    online: bool = True
    """False while the server cannot be reached. After an event with True, anything can have changed."""

    presence: bool = False
    """True if only the presence of users can have changed."""

    inbox: bool = False
    """True if only the inbox can have changed. The event of the change itself comes as well."""

    barred: str = ""
    """The sentence with which the server refused one more stream of changes; changes are then noticed later."""

    commits: int = 0
    """The number of the newest commit; 0 where it is not known."""


class Backend(Protocol):
    """The interface between front ends and the core."""

    async def execute(self, command: Command[R], progress: Progress = NO_PROGRESS) -> R:
        """Carry out a command; it is on disk when this returns. Raises PodiumError."""

    async def execute_and_ask(self, command: Command[R], query: Query[Any]) -> tuple[R, Answered | None]:
        """Carry out a command, and answer a query as of its commit; None where the query has to be sent by itself.

        Raises PodiumError, as ``execute`` does.
        """

    async def dry_run(self, command: Command[Any]) -> DryRun:
        """Answer what a command would change, and change nothing. Raises the PodiumError by which it is refused."""

    async def query(self, query: Query[R]) -> R:
        """Answer a query. Raises PodiumError."""

    async def aside(self, query: Query[R]) -> R:
        """Answer a query that can take long, without making other queries wait for it. Raises PodiumError."""

    def changes(self) -> AsyncIterator[ChangeEvent]:
        """Yield an event at the start, after each commit of any user, and when the connection is lost or back.

        One event can stand for several commits, and one for several changes of presence.
        """

    async def close(self) -> None:
        """Finish running commands, end running queries, and close the connections."""


class LocalBackend:
    """The core in this process: a thread for commands and one for queries, each of which keeps their order.

    A query that asks the authorization service can take seconds. Such queries need no order and have threads of their
    own.
    """

    def __init__(self, engine: Engine, actor: Actor) -> None:
        self.engine = engine
        self.actor = actor
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="podium-write")
        self._reader = ThreadPoolExecutor(1, thread_name_prefix="podium-read")
        self._asker = ThreadPoolExecutor(2, thread_name_prefix="podium-ask")
        self._queries = Progress()
        """The progress of all queries, by which ``close`` ends them."""
        self._sweeper = Sweeper(engine.database)
        self._watches: list[ChangeWatcher] = []
        self._exchange = PresenceExchange(engine.database, engine.presence, engine.clock)

    async def execute(self, command: Command[R], progress: Progress = NO_PROGRESS) -> R:
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._writer, self.engine.execute, command, self.actor, progress)
        finally:
            if command.large or command.leaves_rows:
                self._sweeper.start()

    async def execute_and_ask(self, command: Command[R], query: Query[Any]) -> tuple[R, Answered | None]:
        if command.large or command.leaves_rows:
            return await self.execute(command), None
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._writer, self._execute_and_ask, command, query)

    def _execute_and_ask(self, command: Command[R], query: Query[Any]) -> tuple[R, Answered | None]:
        result, answered = self.engine.execute_and_ask(command, query, self.actor)
        return result, answered and replace(answered, commits=self.engine.database.last_commit())

    async def dry_run(self, command: Command[Any]) -> DryRun:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._writer, self.engine.dry_run, command, self.actor)

    async def query(self, query: Query[R]) -> R:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._reader, self._answer, query)

    async def aside(self, query: Query[R]) -> R:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._asker, self._answer, query)

    def _answer(self, query: Query[R]) -> R:
        return self.engine.query(query, self.actor, progress=self._queries)

    async def changes(self) -> AsyncIterator[ChangeEvent]:
        loop = asyncio.get_running_loop()
        heard: dict[tuple[bool, bool], ChangeEvent] = {}
        woken = asyncio.Event()

        def hear(event: ChangeEvent) -> None:
            heard[event.presence, event.inbox] = event
            woken.set()

        def notify(event: ChangeEvent) -> None:
            with contextlib.suppress(RuntimeError):  # the loop may have ended first
                loop.call_soon_threadsafe(hear, event)

        def notify_of_presence(concerned: frozenset[Id]) -> None:
            if self.actor.user_id in concerned:
                notify(ChangeEvent(presence=True))

        def notify_of_change() -> None:
            self.engine.authorizer.changes.check()
            notify(ChangeEvent(commits=self.engine.database.newest_commit()))
            notify(ChangeEvent(inbox=True))

        watch = ChangeWatcher(self.engine.database, notify_of_change)
        self._watches.append(watch)
        stop_listening = self.engine.presence.listen(notify_of_presence)
        watch.start()
        self._exchange.start()
        self._sweeper.start()
        try:
            while True:
                await woken.wait()
                woken.clear()
                while heard:
                    yield heard.pop(next(iter(heard)))
        finally:
            watch.stop()
            stop_listening()
            self.engine.presence.leave(self.actor.user_id)

    async def close(self) -> None:
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(None, self._shut)

    def _shut(self) -> None:
        """End every thread before the connections close: SQLite crashes if a connection is closed during a call."""
        for watch in self._watches:
            watch.stop()
            watch.join()
        self._exchange.stop()
        self._sweeper.cancel()
        self._queries.cancel()
        for pool in (self._writer, self._reader, self._asker):
            pool.shutdown()
        self._sweeper.close()
        self.engine.close()
