"""A user reads their own writes at any server, although a server may hear late of the commits of another."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from core.actions.projects.members import RemoveMember
from core.actions.workflow.phases import ListPhases
from core.backends.remote import RemoteBackend
from core.errors import Forbidden
from core.net.server_address import server_address
from core.server.requests.bounds import fair_queue
from core.storage.postgres import commit_listener as notifications
from tests.api.two_servers.conftest import MakeServers, TwoServers
from tests.support.api.server import ServerOfTests, token_for
from tests.support.authorization_service.server import Service

SEEN = "Podium-Seen"


@pytest.fixture
def two(servers: MakeServers, service: Service, monkeypatch: pytest.MonkeyPatch) -> TwoServers:
    """Two servers that keep the grants of a service, and hear of nothing from each other for minutes.

    Each has one thread for queries, since a thread that answers its first one looks at the database. On a busy machine,
    another thread of a new server can look for the first time late, and hear of a commit.
    """
    monkeypatch.setattr(fair_queue, "READERS", 1)
    monkeypatch.setattr(fair_queue, "LONG_SECONDS", 600.0)
    for name in ("POLL_SECONDS", "MAX_AGE"):
        monkeypatch.setattr(notifications, name, 600.0)
    two = servers(frozenset({"listen"}))
    service.copy(two.world.database)
    for server in two:
        server.world.engine.permissions = service.source(max_age=600)
    return two


def remove_bob(two: TwoServers, service: Service) -> int:
    """Bob leaves the project by the first server. Returns the number of commits in its answer."""
    world, bob = two.world, two.world.bob.user_id
    service.holdings.revoke(bob, world.project.auth_id)
    gone = two.first.client().delete(f"/v1/projects/{world.project.id}/members/{bob}")
    assert gone.status_code == 204, gone.text
    return int(gone.headers[SEEN])


def test_the_other_server_answers_by_the_commits_that_a_client_has_seen(two: TwoServers, service: Service) -> None:
    there, path = two.second.client(two.world.bob), f"/v1/projects/{two.world.project.id}/phases"
    assert there.get(path).status_code == 200
    before = int(there.get(path).headers[SEEN])
    seen = remove_bob(two, service)
    assert seen > before
    answer = there.get(path, headers={SEEN: str(seen)})
    assert answer.status_code == 404
    assert int(answer.headers[SEEN]) >= seen
    assert there.get(path).status_code == 404


@pytest.mark.parametrize("sent", ["", "-1", "x", "1.5", "٣", "9" * 18, "9" * 19, "9" * 5000])
def test_a_number_that_is_none_or_too_high_changes_no_answer(two: TwoServers, sent: str) -> None:
    answer = two.second.client().get("/v1/me", headers={SEEN.encode(): sent.encode()})
    assert answer.status_code == 200
    assert int(answer.headers[SEEN]) < 1_000_000


async def test_a_terminal_reads_its_own_writes_when_a_proxy_sends_it_to_another_server(
    two: TwoServers, service: Service, tmp_path: Path
) -> None:
    world, look = two.world, ListPhases(project_id=two.world.project.id)
    async with proxy(tmp_path / "s", two.first) as lead_to:
        backend = RemoteBackend(server_address(f"unix:{tmp_path / 's'}"), token_for(world, world.maya))
        lead_to(two.second)
        assert await backend.query(look)
        lead_to(two.first)
        await backend.execute(RemoveMember(project_id=world.project.id, user_id=world.bob.user_id))
        service.holdings.revoke(world.maya.user_id, world.project.auth_id)
        lead_to(two.second)
        with pytest.raises(Forbidden):
            await backend.query(look)
        await backend.close()


@asynccontextmanager
async def proxy(path: Path, server: ServerOfTests) -> AsyncIterator[Callable[[ServerOfTests], None]]:
    """Passes connections to a socket on to a server; the function leads them to another one from then on."""
    targets, writers = [server], list[asyncio.StreamWriter]()

    async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        writer.close()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there = await asyncio.open_unix_connection(str(targets[-1].path))
        writers.extend((writer, there[1]))
        await asyncio.gather(pump(reader, there[1]), pump(there[0], writer))

    def lead_to(other: ServerOfTests) -> None:
        targets.append(other)
        for each in writers:
            each.close()
        writers.clear()

    async with await asyncio.start_unix_server(connected, str(path)):
        path.chmod(0o600)
        yield lead_to
        lead_to(server)
