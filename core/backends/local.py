"""The interface between front ends and the core, and the core in this process.

A front end works in the same way with each backend::

    task = await backend.execute(CreateTask(project_id=project_id, phase_id=phase_id, title="Print the flyers"))
    canvas = await backend.query(GetCanvas(project_id=project_id))
    async for event in backend.changes():  # of any user, also this one
        canvas = await backend.query(GetCanvas(project_id=project_id))
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
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
T = TypeVar("T")


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
    """The core in this process: commands keep their order, and queries keep theirs.

    A query that asks the authorization service can take seconds. Such queries need no order and do not wait for others.
    Threads are shared, since each has a connection of its own, which takes as long to open as the first query.
    """

    def __init__(self, engine: Engine, actor: Actor) -> None:
        self.engine = engine
        self.actor = actor
        self._threads = ThreadPoolExecutor(4, thread_name_prefix="podium-core")
        self._writing, self._reading, self._asking = (asyncio.Semaphore(at_once) for at_once in (1, 1, 2))
        self._queries = Progress()
        """The progress of all queries, by which ``close`` ends them."""
        self._sweeper = Sweeper(engine.database)
        self._watches: list[ChangeWatcher] = []
        self._exchange = PresenceExchange(engine.database, engine.presence, engine.clock)

    async def execute(self, command: Command[R], progress: Progress = NO_PROGRESS) -> R:
        try:
            return await self._in_turn(self._writing, self.engine.execute, command, self.actor, progress)
        finally:
            if command.large or command.leaves_rows:
                self._sweeper.start()

    async def execute_and_ask(self, command: Command[R], query: Query[Any]) -> tuple[R, Answered | None]:
        if command.large or command.leaves_rows:
            return await self.execute(command), None
        return await self._in_turn(self._writing, self._execute_and_ask, command, query)

    def _execute_and_ask(self, command: Command[R], query: Query[Any]) -> tuple[R, Answered | None]:
        """Run in the turn of a command, so that no other command commits between the two."""
        result, answered = self.engine.execute_and_ask(command, query, self.actor)
        return result, answered and replace(answered, commits=self.engine.database.last_commit())

    async def dry_run(self, command: Command[Any]) -> DryRun:
        return await self._in_turn(self._writing, self.engine.dry_run, command, self.actor)

    async def query(self, query: Query[R]) -> R:
        return await self._in_turn(self._reading, self._answer, query)

    async def aside(self, query: Query[R]) -> R:
        return await self._in_turn(self._asking, self._answer, query)

    def _answer(self, query: Query[R]) -> R:
        return self.engine.query(query, self.actor, progress=self._queries)

    async def _in_turn(self, turn: asyncio.Semaphore, work: Callable[..., T], *arguments: Any) -> T:
        """Do the work in a thread when its turn comes. The next turn begins after it, also if the caller gave it up."""
        await turn.acquire()
        self.engine.database.hand_over()
        doing = asyncio.get_running_loop().run_in_executor(self._threads, work, *arguments)
        doing.add_done_callback(lambda _: turn.release())
        return await asyncio.shield(doing)

    async def changes(self) -> AsyncIterator[ChangeEvent]:
        loop = asyncio.get_running_loop()
        heard: dict[tuple[bool, bool], ChangeEvent] = {}
        woken, is_first = asyncio.Event(), True

        def hear(event: ChangeEvent) -> None:
            """Keep the newest event of each kind: one stands for those that came before it."""
            heard[event.presence, event.inbox] = event
            woken.set()

        def notify(event: ChangeEvent) -> None:
            with contextlib.suppress(RuntimeError):  # the loop may have ended first
                loop.call_soon_threadsafe(hear, event)

        def notify_of_presence(concerned: frozenset[Id]) -> None:
            if self.actor.user_id in concerned:
                notify(ChangeEvent(presence=True))

        def notify_of_change() -> None:
            nonlocal is_first
            if is_first and self._sweeper.has_work():  # else no thread is started for it
                self._sweeper.start()
            is_first = False
            self.engine.authorizer.changes.check()
            notify(ChangeEvent(commits=self.engine.database.newest_commit()))
            notify(ChangeEvent(inbox=True))

        watch = ChangeWatcher(self.engine.database, notify_of_change)
        self._watches.append(watch)
        stop_listening = self.engine.presence.listen(notify_of_presence)
        watch.start()
        self._exchange.start()
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
        """End every thread before the connections close: SQLite crashes if a connection is closed during a call."""
        for watch in self._watches:
            watch.stop()
            watch.join()
        self._exchange.stop()
        self._sweeper.cancel()
        self._queries.cancel()
        self._threads.shutdown()
        self._sweeper.close()
        self.engine.close()
