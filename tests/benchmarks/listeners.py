"""People who have a Canvas open through a server, in one process: each hears that something changed, asks what, and
brings the picture up to date, as the program on a terminal does.

    python -m tests.benchmarks.listeners ADDRESS PROJECT FIRST COUNT

Says "ready" when everybody has the picture. Told so by a line, it answers with one line of JSON for each: the pictures
that they had, as [seq, moment], and whether the last one is that of the server.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import sys
import time

from core.actions.personal.inbox import CountUnread
from core.actions.workflow.canvas import GetCanvas
from core.actions.workflow.canvas_changes import GetCanvasChanges
from core.backends.remote import RemoteBackend
from core.domain.canvas import CanvasChanges
from core.errors import ServerUnavailable
from core.net.server_address import server_address
from tests.benchmarks.served import token_of
from tui.board.model import BoardModel
from tui.services.unread_badge import SOON


class Listener:
    """One person."""

    def __init__(self, address: str, project: str, token: str) -> None:
        self._backend = RemoteBackend(server_address(address), token)
        self._project = project
        self.ready = asyncio.Event()
        self.seen: list[tuple[int, float]] = []
        self._counting: asyncio.Task[None] | None = None

    async def follow(self) -> None:
        """Until cancelled. The inbox is counted too, soon after each word of it.

        Where the server declines a question, the next stream begins with news, and so the question is put again.
        """
        await self.open()
        async for event in self._backend.changes():
            if event.presence:
                self.hear_presence()
            if event.inbox and (self._counting is None or self._counting.done()):
                self._counting = asyncio.create_task(self._count())
            if event.presence or event.inbox or not event.online:
                continue
            try:
                changes = await self._backend.query(GetCanvasChanges.of(self._model.head))
            except ServerUnavailable:
                continue
            if changes is not None:
                self.apply(changes)
            self.ready.set()

    async def open(self) -> None:
        """Read the whole picture."""
        self._model = BoardModel(await self._backend.query(GetCanvas(project_id=self._project)))

    def apply(self, changes: CanvasChanges) -> None:
        """Bring the picture up to date."""
        self._model.apply(changes)
        self.seen.append((self._model.head.seq, time.perf_counter()))

    def hear_presence(self) -> None:
        """Others on the project came, went or moved; these people do not ask who."""

    async def _count(self) -> None:
        await asyncio.sleep(random.uniform(*SOON))
        with contextlib.suppress(ServerUnavailable):
            await self._backend.aside(CountUnread())

    async def close(self) -> None:
        await self._backend.close()

    async def is_right(self) -> bool:
        """True if the listener's cards are the server's."""
        canvas = await self._backend.query(GetCanvas(project_id=self._project))
        return {card.id: card for card in canvas.cards} == self._model.by_id


async def main(address: str, project: str, first: str, count: str) -> None:
    """Ends with a traceback when one of them cannot go on: nobody else would notice."""
    listeners = [Listener(address, project, token_of(int(first) + number)) for number in range(int(count))]
    async with asyncio.TaskGroup() as group:
        following = [group.create_task(listener.follow()) for listener in listeners]
        await asyncio.gather(*(listener.ready.wait() for listener in listeners))
        print("ready", flush=True)
        await asyncio.to_thread(sys.stdin.readline)
        for listener in listeners:
            print(json.dumps([listener.seen, await listener.is_right()]), flush=True)
        for task in following:
            task.cancel()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
