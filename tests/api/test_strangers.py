"""Strangers on all the connections that they can get: people are served, and the process stays calm."""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest

from core.actions import load_catalog
from core.actions.workspace.profile import GetCurrentUser
from core.authorization.local_source import LocalPermissions
from core.backends.remote import RemoteBackend
from core.engine.engine import Engine
from core.net.server_address import server_address
from core.server.requests.bounds import limits
from core.server.requests.bounds.connection_slots import ConnectionLimits, ConnectionSlot, ConnectionSlots
from core.text.urls import network_of
from tests.api.test_bad_clients import shortened
from tests.support.api.gateway import make_certificate
from tests.support.api.program import ServerProgram
from tests.support.api.raw import answer, connection, ended, request
from tests.support.api.server import ServerOfTests, token_for
from tests.support.api.strangers import KINDS, Strangers
from tests.support.sweeps import sweep
from tests.support.system_programs import free_port
from tests.support.waiting import wait_until
from tests.support.workspace import World, gather, new_database


@pytest.fixture
def filed(tmp_path: Path) -> Iterator[tuple[World, Path]]:
    """The small workspace in a file, and the file."""
    path = tmp_path / "podium.db"
    database = new_database(path)
    engine = Engine(database, load_catalog, LocalPermissions(database), clock=lambda: datetime.now(UTC))
    yield World(engine, gather(engine)), path
    engine.close()


BY_TLS_OR_ACTIVE = ("half of a greeting of TLS", "a wrong token")
"""Kinds that have a test of their own."""


@pytest.mark.parametrize(
    "kind",
    sweep([kind for kind in KINDS if kind not in BY_TLS_OR_ACTIVE], lambda kind: kind in ("half a head", "a request")),
)
def test_a_person_is_served_while_strangers_hold_all_the_connections_they_can(
    filed: tuple[World, Path], kind: str
) -> None:
    world, path = filed
    token, port = token_for(world, world.maya), free_port()
    with ServerProgram(path, "--port", str(port)) as server, Strangers(port, KINDS[kind]):
        for _ in range(10):
            with httpx.Client(headers={"Authorization": f"Bearer {token}"}, timeout=30) as client:
                assert client.get(f"http://127.0.0.1:{port}/v1/me").status_code == 200
        assert server.sockets() <= limits.MAX_ANONYMOUS_PER_ORIGIN + 20


def test_a_person_s_podium_is_answered_while_strangers_send_wrong_tokens_without_end(
    filed: tuple[World, Path],
) -> None:
    """They use up the processor, too: a connection may be closed for another, and the request is sent again."""
    world, path = filed
    token, port = token_for(world, world.maya), free_port()

    async def ask() -> str:
        backend = RemoteBackend(server_address(f"http://127.0.0.1:{port}"), token)
        try:
            return (await backend.query(GetCurrentUser())).user.login
        finally:
            await backend.close()

    with ServerProgram(path, "--port", str(port)) as server, Strangers(port, KINDS["a wrong token"]):
        for _ in range(5):
            assert asyncio.run(ask()) == "maya"
        assert server.sockets() <= limits.MAX_ANONYMOUS_PER_ORIGIN + 20


def test_a_person_is_served_while_strangers_begin_to_greet_by_tls(filed: tuple[World, Path], tmp_path: Path) -> None:
    world, path = filed
    token, port = token_for(world, world.maya), free_port()
    tls = make_certificate(tmp_path)
    options = ("--port", str(port), "--tls-cert", str(tls.certificate), "--tls-key", str(tls.key))
    trusting = ssl.create_default_context(cafile=str(tls.certificate))
    with ServerProgram(path, *options) as server, Strangers(port, KINDS["half of a greeting of TLS"]):
        for _ in range(5):
            with httpx.Client(headers={"Authorization": f"Bearer {token}"}, timeout=30, verify=trusting) as client:
                assert client.get(f"https://127.0.0.1:{port}/v1/me").status_code == 200
        assert server.sockets() <= limits.MAX_ANONYMOUS_PER_ORIGIN + 20


def test_with_few_file_descriptors_the_server_stays_calm_and_says_so_once(filed: tuple[World, Path]) -> None:
    world, path = filed
    token, port = token_for(world, world.maya), free_port()
    with ServerProgram(path, "--port", str(port), descriptors=64) as server:
        with Strangers(port, b"GET /", many=80):
            before = server.processor_seconds()
            began = time.monotonic()
            wait_until(lambda: time.monotonic() > began + 3)
            share = (server.processor_seconds() - before) / (time.monotonic() - began)
        lines = [line for line in server.log() if line["event"] == "connections not taken"]
        assert len(lines) <= 2
        assert share < 0.4
        with httpx.Client(headers={"Authorization": f"Bearer {token}"}, timeout=30) as client:
            assert client.get(f"http://127.0.0.1:{port}/v1/me").status_code == 200


def test_a_stranger_who_asked_once_is_let_go_soon_and_a_person_stays(
    world: World, server: ServerOfTests, monkeypatch: pytest.MonkeyPatch
) -> None:
    shortened(monkeypatch, ANONYMOUS_SECONDS=0.3, IDLE_SECONDS=60)
    with connection(server) as stranger, connection(server) as person:
        person.sendall(request("/v1/me", token_for(world, world.maya)))
        assert answer(person).status == 200
        stranger.sendall(request("/v1/me", "wrong"))
        assert answer(stranger).status == 401
        assert ended(stranger)
        person.sendall(request("/v1/me", token_for(world, world.maya)))
        assert answer(person).status == 200


def test_a_person_has_so_many_connections_and_others_are_served(
    world: World, server: ServerOfTests, monkeypatch: pytest.MonkeyPatch
) -> None:
    shortened(monkeypatch, MAX_PER_OWNER=3)
    sent = request("/v1/me", token_for(world, world.maya))
    with ExitStack() as stack:
        statuses = []
        for _ in range(4):
            client = stack.enter_context(connection(server, over_tcp=True))
            client.sendall(sent)
            statuses.append(answer(client).status)
        assert statuses == [200, 200, 200, 503]
        assert server.client(world.bob, over_tcp=True).get("/v1/me").status_code == 200


def test_a_stream_counts_for_its_person_from_its_beginning(
    world: World, server: ServerOfTests, monkeypatch: pytest.MonkeyPatch
) -> None:
    shortened(monkeypatch, MAX_PER_OWNER=2)
    with connection(server, over_tcp=True) as stream, connection(server, over_tcp=True) as other:
        for client, target in ((stream, "/v1/changes"), (other, "/v1/me")):
            client.sendall(request(target, token_for(world, world.maya)))
            assert answer(client).status == 200
        with connection(server, over_tcp=True) as further:
            further.sendall(request("/v1/me", token_for(world, world.maya)))
            assert answer(further).status == 503
        other.sendall(request("/v1/me", token_for(world, world.maya)))
        assert answer(other).status == 200


@pytest.mark.parametrize("over_tcp", [False, True], ids=["one account", "one address"])
def test_people_who_share_an_account_or_an_address_take_none_of_the_strangers_places(
    world: World, server: ServerOfTests, monkeypatch: pytest.MonkeyPatch, over_tcp: bool
) -> None:
    shortened(monkeypatch, MAX_ANONYMOUS_PER_ORIGIN=3, HEAD_SECONDS=60)
    tokens = [token_for(world, each) for each in (world.maya, world.bob, world.vera, world.gus)]
    with ExitStack() as stack:
        strangers = [stack.enter_context(connection(server, over_tcp=over_tcp)) for _ in range(3)]
        clients = []
        for token in tokens * 3:
            client = stack.enter_context(connection(server, over_tcp=over_tcp))
            client.sendall(request("/v1/me", token))
            assert answer(client).status == 200
            clients.append((client, token))
        assert ended(strangers[0]), "the oldest of the strangers, for the first connection of a person"
        for client, token in clients:
            client.sendall(request("/v1/me", token))
            assert answer(client).status == 200
        more = [stack.enter_context(connection(server, over_tcp=over_tcp)) for _ in range(4)]
        assert ended(more[0]), "four strangers are one too many, however many people there are"


def test_of_strangers_who_come_at_once_all_but_the_newest_are_closed(
    server: ServerOfTests, monkeypatch: pytest.MonkeyPatch
) -> None:
    shortened(monkeypatch, MAX_ANONYMOUS_PER_ORIGIN=3, HEAD_SECONDS=60)
    with ExitStack() as stack:
        strangers = [stack.enter_context(connection(server)) for _ in range(20)]
        assert all(map(ended, strangers[:-3]))


@pytest.mark.parametrize(
    ("host", "network"),
    [
        ("127.0.0.2", "this machine"),
        ("::1", "this machine"),
        ("::ffff:127.0.0.9", "this machine"),
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("made up", "made up"),
    ],
)
def test_addresses_of_one_person_count_together(host: str, network: str) -> None:
    assert network_of(host) == network


def slots(closed: list[str]) -> tuple[ConnectionSlots, dict[str, ConnectionSlot]]:
    """Room for six connections, four of them of strangers, and what is there by the name that it closes with."""
    of = ConnectionSlots(
        lambda: ConnectionLimits(
            all=6, anonymous=4, anonymous_per_address=2, anonymous_per_account=2, per_owner=3, rejected=0
        )
    )
    return of, {}


def test_the_places_of_people_are_never_strangers_and_the_oldest_stranger_who_waits_goes_first() -> None:
    closed: list[str] = []
    of, there = slots(closed)

    def come(name: str, origin: str) -> ConnectionSlot | None:
        slot = of.add(origin, lambda: closed.append(name))
        if slot is not None:
            there[name] = slot
        return slot

    for name, origin in (("a", "x"), ("b", "x"), ("c", "y"), ("d", "y")):
        assert come(name, origin)
    assert come("e", "x")
    assert closed == ["a"], "the oldest of the address that has too many"
    there["b"].is_working = there["e"].is_sending = True
    assert come("f", "z")
    assert come("F", "x")
    assert closed == ["a", "e", "c"], "who waits, then who reads slowly, from where most strangers are"
    for name in ("b", "d", "F"):
        assert there[name].assign("maya")
    assert not there["f"].assign("maya"), "one person has three"
    for name in ("g", "h", "i"):
        assert come(name, name)
    assert closed == ["a", "e", "c", "f"]
    assert len(of) == 6
    for slot in there.values():
        slot.leave()
        slot.leave()
    assert len(of) == 0
