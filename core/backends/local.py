"""What a front end holds: carry out commands, answer queries, tell when something changed.

Nothing in a front end asks which backend it has.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol, TypeVar

from core.domain.model import Id
from core.engine.engine import Engine
from core.engine.messages import Command, Query
from core.engine.sweeper import Sweeper
from core.engine.unit_of_work import Actor
from core.record import Record
from core.storage.change_watcher import Watch
from core.storage.progress import NO_PROGRESS, Progress

R = TypeVar("R")


class ChangeEvent(Record, kw_only=False):
    """A word from ``changes``: a hint, never what changed. Whoever hears it asks again."""

    online: bool = True
    """Whether what has the data can be reached. Each word that it can be may mean that anything was changed."""

    presence: bool = False
    """Whether only who is where may have changed."""

    inbox: bool = False
    """Whether only the inbox may have changed. Where it did, this is said beside the word of the change."""

    barred: str = ""
    """Why changes are heard of late: a sentence of the server, which has no place for one more to follow them."""


class Backend(Protocol):
    """The seam between the front ends and the core."""

    async def execute(self, command: Command[R], progress: Progress = NO_PROGRESS) -> R:
        """Carry out a command; it is on disk when this returns. Raises PodiumError."""

    async def query(self, query: Query[R]) -> R:
        """Answer a query. Raises PodiumError."""

    async def aside(self, query: Query[R]) -> R:
        """Answer a query whose answer may take long, with no other one waiting behind it. Raises PodiumError."""

    def changes(self) -> AsyncIterator[ChangeEvent]:
        """Yields at the start, after anything was committed, by anybody, and when the connection is lost or back.

        Several commits may come as one, and so may several steps of people.
        """

    async def close(self) -> None:
        """Finish what was begun and let go of everything."""


class LocalBackend:
    """The core in this process: a thread for commands and one for queries, each of which keeps their order.

    What asks the authorization service may take seconds. Questions about rights need no order and have threads of their
    own.
    """

    def __init__(self, engine: Engine, actor: Actor) -> None:
        self.engine = engine
        self.actor = actor
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="podium-write")
        self._reader = ThreadPoolExecutor(1, thread_name_prefix="podium-read")
        self._asker = ThreadPoolExecutor(2, thread_name_prefix="podium-ask")
        self._sweeper = Sweeper(engine.database)
        self._watches: list[Watch] = []

    async def execute(self, command: Command[R], progress: Progress = NO_PROGRESS) -> R:
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._writer, self.engine.execute, command, self.actor, progress)
        finally:
            if command.large or command.leaves_rows:
                self._sweeper.start()

    async def query(self, query: Query[R]) -> R:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._reader, self.engine.query, query, self.actor)

    async def aside(self, query: Query[R]) -> R:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._asker, self.engine.query, query, self.actor)

    async def changes(self) -> AsyncIterator[ChangeEvent]:
        loop = asyncio.get_running_loop()
        heard: set[ChangeEvent] = set()
        woken = asyncio.Event()

        def hear(news: ChangeEvent) -> None:
            heard.add(news)
            woken.set()

        def tell(news: ChangeEvent) -> None:
            with contextlib.suppress(RuntimeError):  # the loop may have ended first
                loop.call_soon_threadsafe(hear, news)

        def tell_of_steps(concerned: frozenset[Id]) -> None:
            if self.actor.user_id in concerned:
                tell(ChangeEvent(presence=True))

        def tell_of_change() -> None:
            tell(ChangeEvent())
            tell(ChangeEvent(inbox=True))

        watch = Watch(self.engine.database, tell_of_change)
        self._watches.append(watch)
        deaf = self.engine.presence.listen(tell_of_steps)
        watch.start()
        try:
            while True:
                await woken.wait()
                woken.clear()
                while heard:
                    yield heard.pop()
        finally:
            watch.stop()
            deaf()
            self.engine.presence.leave(self.actor.user_id)

    async def close(self) -> None:
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(None, self._shut)

    def _shut(self) -> None:
        """Every thread has ended before the connections close: SQLite does not survive a close under a running call."""
        for watch in self._watches:
            watch.stop()
            watch.join()
        self._sweeper.cancel()
        for pool in (self._writer, self._reader, self._asker):
            pool.shutdown()
        self._sweeper.close()
        self.engine.close()
