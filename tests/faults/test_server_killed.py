"""A server that is killed again and again under its clients: nothing acknowledged is lost, nothing is done twice."""

from __future__ import annotations

import asyncio
import random
import signal
from collections import Counter
from itertools import count

import pytest

from core.actions.cards.tasks import CreateTask, ListTasks
from core.backends.local import ChangeEvent
from core.backends.remote import RemoteBackend
from core.errors import ServerUnavailable
from core.net.server_address import server_address
from tests.support.api.program import ServerProgram
from tests.support.api.server import token_for
from tests.support.waiting import until
from tests.support.workspace import World

FOR_EVER = 36_500
"""Days: the clock of the world stands still, that of a server does not."""


class Writer:
    """A client that adds one card after another, each with a title of its own, and never twice the same."""

    def __init__(self, backend: RemoteBackend, phase_id: str, name: str) -> None:
        self.tried: list[str] = []
        self.acknowledged: list[str] = []
        self._backend = backend
        self._phase_id = phase_id
        self._name = name

    async def run(self) -> None:
        for number in count():
            title = f"{self._name} {number}"
            self.tried.append(title)
            try:
                made = await self._backend.execute(CreateTask(phase_id=self._phase_id, title=title))
            except ServerUnavailable:
                continue
            assert made.title == title
            self.acknowledged.append(title)


class Reader:
    """A client that reads all cards upon every word of news, as a screen does."""

    def __init__(self, backend: RemoteBackend, project_id: str) -> None:
        self.titles: list[str] = []
        self.heard: list[ChangeEvent] = []
        self._backend = backend
        self._project_id = project_id

    async def run(self) -> None:
        async for event in self._backend.changes():
            self.heard.append(event)
            if event.online and not event.presence:
                try:
                    tasks = await self._backend.query(ListTasks(project_id=self._project_id))
                except ServerUnavailable:
                    continue
                self.titles = [task.title for task in tasks]


async def kill_again_and_again(world: World, cycles: int) -> None:
    people = [world.maya, world.bob, world.maya]
    with ServerProgram(world.database.path, warm=True) as server:
        backends = [
            RemoteBackend(server_address(server.address), token_for(world, who, days=FOR_EVER))
            for who in (*people, world.vera)
        ]
        writers = [Writer(each, world.discover.id, f"W{number}") for number, each in enumerate(backends[:-1])]
        reader = Reader(backends[-1], world.project.id)
        running = [asyncio.create_task(each.run()) for each in writers]
        running.append(asyncio.create_task(reader.run()))
        chance = random.Random(cycles)
        for _ in range(cycles):
            before = [len(each.acknowledged) for each in writers]
            await until(
                lambda before=before: all(len(w.acknowledged) > n for w, n in zip(writers, before, strict=True))
            )
            await asyncio.sleep(chance.uniform(0, 0.1))
            await asyncio.to_thread(server.stop, signal.SIGKILL)
            await asyncio.to_thread(server.start)
        for task in running[:-1]:
            task.cancel()
        await asyncio.wait(running[:-1])
        await until(lambda: sorted(reader.titles) == sorted(titles_of(world)))
        running[-1].cancel()
        await asyncio.wait(running)
        assert [task.exception() for task in running if not task.cancelled()] == []
        for backend in backends:
            await backend.close()
    check(titles_of(world), writers)


def titles_of(world: World) -> list[str]:
    return [row["title"] for row in world.rows("SELECT title FROM item")]


def check(titles: list[str], writers: list[Writer]) -> None:
    """Every acknowledged card is there once, every other one at most once, and nobody else's."""
    there = Counter(titles)
    acknowledged = [title for writer in writers for title in writer.acknowledged]
    assert [title for title in acknowledged if there[title] != 1] == []
    assert [title for title, times in there.items() if times > 1] == []
    assert set(there) <= {title for writer in writers for title in writer.tried}


async def test_what_a_killed_server_acknowledged_is_there_once_and_clients_go_on(world: World) -> None:
    await kill_again_and_again(world, cycles=2)


@pytest.mark.slow
async def test_fifty_kills_lose_nothing_do_nothing_twice_and_leave_every_client_up_to_date(world: World) -> None:
    await kill_again_and_again(world, cycles=50)
