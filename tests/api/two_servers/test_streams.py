"""Streams, imports under way and limits belong to one server; changes reach the listeners of both."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest

from core.engine import large_projects
from core.net import this_host
from core.net.this_host import host_id
from core.server.requests.bounds import limits
from core.storage.row_mapper import encode_value
from tests.api.test_imports_over_a_server import announced
from tests.api.two_servers.conftest import MakeServers, Stream, each_notice
from tests.support.api.raw import connection
from tests.support.api.server import ServerOfTests, token_for
from tests.support.waiting import wait_until


def follows(server: ServerOfTests, token: str) -> int:
    """The status of a request for the stream."""
    transport = httpx.HTTPTransport(uds=str(server.path))
    headers = {"Authorization": f"Bearer {token}"}
    with (
        httpx.Client(transport=transport, base_url="http://podium", headers=headers) as client,
        client.stream("GET", "/v1/changes") as answer,
    ):
        return answer.status_code


@each_notice
def test_listeners_at_both_servers_hear_of_every_change_of_either(
    servers: MakeServers, without: frozenset[str]
) -> None:
    two = servers(without)
    people = (two.world.maya, two.world.bob, two.world.vera)
    streams = [Stream(server, token_for(two.world, actor)) for server in two for actor in people for _ in range(4)]
    for number in range(6):
        before = [stream.heard.count("event: change") for stream in streams]
        (two.first, two.second)[number % 2].world.task(f"Task {number}")
        wait_until(
            lambda before=before: all(s.heard.count("event: change") > n for s, n in zip(streams, before, strict=True))
        )


def test_the_limit_of_streams_counts_those_of_one_server(servers: MakeServers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "STREAMS_PER_USER", 2)
    two = servers()
    token = token_for(two.world, two.world.bob)
    streams = [Stream(two.first, token) for _ in range(2)]
    assert follows(two.first, token) == 503
    assert follows(two.second, token) == 200
    assert not any(stream.ended.is_set() for stream in streams)


def test_the_progress_of_an_import_is_known_to_its_own_server_alone(servers: MakeServers) -> None:
    two = servers()
    token, way = token_for(two.world, two.world.maya), "/v1/under-way/the-key"
    with connection(two.first) as client:
        client.sendall(announced("/v1/projects/import", 1000, token, "Idempotency-Key: the-key") + b"{")
        wait_until(lambda: two.first.client().get(way).status_code == 200)
        assert two.second.client().get(way).status_code == 404
        assert two.second.client().delete(way).status_code == 404
        assert two.first.client().delete(way).status_code == 200


def test_a_server_leaves_the_import_of_another_machine_to_it_while_it_goes_on(
    servers: MakeServers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows of the import are noted under this process, which another machine does not have."""
    two = servers()
    moment = encode_value(datetime.now(UTC))
    noted = "INSERT INTO unfinished (project_id, host, pid, at) VALUES ('p', :host, :pid, :at)"
    two.world.database.write(lambda tx: tx.execute(noted, host=host_id(), pid=2_000_000_000, at=moment))
    other = tmp_path / "machine-id"
    other.write_text("another machine")
    monkeypatch.setattr(this_host, "MACHINE_ID", other)
    large_projects.sweep(two.second.world.database)
    assert len(two.world.rows("SELECT 1 FROM unfinished")) == 1
    monkeypatch.undo()
    large_projects.sweep(two.first.world.database)
    assert two.world.rows("SELECT 1 FROM unfinished") == [], "its own machine knows that the process has ended"
