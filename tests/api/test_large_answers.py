"""Large answers: they have room and turns until their last byte is sent, and slow readers give way to others."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import socket
import ssl
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.server import run
from core.server.requests.bounds import limits
from core.server.run import Listener
from core.server.transport.listeners import tcp_socket
from core.server.transport.tls import Tls
from tests.support.api.gateway import make_certificate
from tests.support.api.raw import answer, connection, ended, exchange, request
from tests.support.api.server import ServerOfTests, token_for
from tests.support.waiting import wait_until
from tests.support.workspace import World

LARGE = json.dumps({"data": "x" * 2_000_000}).encode()

TARGET = "/v1/projects"

Made = list[object]


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Made:
    """The results that the server encodes; each becomes a large answer."""
    results: Made = []

    def encoded(result: object) -> bytes:
        results.append(result)
        return LARGE

    monkeypatch.setattr("core.server.requests.execution.bytes_of", encoded)
    return results


def unsent(server: ServerOfTests) -> list[int]:
    """The bytes that wait for each connection."""
    every = [each for one in server.serving._servers for each in one.server_state.connections]
    return [each.transport.get_write_buffer_size() for each in every]


@contextlib.contextmanager
def unread(server: ServerOfTests, *tokens: str, target: str = TARGET) -> Iterator[list[socket.socket]]:
    """Clients that ask for a large answer, of which none reads more than a first byte."""
    with contextlib.ExitStack() as stack:
        clients = [stack.enter_context(connection(server, buffer=2048)) for _ in tokens]
        for client, token in zip(clients, tokens, strict=True):
            client.sendall(request(target, token))
            assert client.recv(1) == b"H"
        yield clients


@pytest.mark.parametrize("over", ["Unix", "TCP", "TLS"])
def test_a_reader_costs_a_piece_beside_the_answer_and_gets_all_of_it(
    world: World, made: Made, tmp_path: Path, over: str
) -> None:
    tls: Tls = make_certificate(tmp_path)
    listener, token = tcp_socket("127.0.0.1", 0), token_for(world, world.maya)
    address = listener.getsockname()
    with ServerOfTests(world, port=True, others=[Listener(listener, tls)]) as server, contextlib.ExitStack() as stack:
        client: socket.socket
        if over == "TLS":
            plain = stack.enter_context(socket.create_connection(address, timeout=10))
            context = ssl.create_default_context(cafile=str(tls.certificate))
            client = stack.enter_context(context.wrap_socket(plain, server_hostname="127.0.0.1"))
        else:
            client = stack.enter_context(connection(server, over_tcp=over == "TCP"))
        client.sendall(request(TARGET, token) * 2)
        wait_until(lambda: any(unsent(server)))
        received = b""
        while received.count(b"HTTP/1.1 200 OK") < 2 or not received.endswith(b'x"}'):
            pieces = 2 if over == "TLS" else 1  # one as it is, and one encrypted
            assert max(unsent(server)) <= limits.WRITE_BUFFER + pieces * limits.PIECE + 1024
            received += client.recv(64 * 1024)
        assert received.count(LARGE) == 2
    assert len(made) == 2


@pytest.mark.parametrize(
    ("sent", "is_last"),
    [
        (("GET", "HTTP/1.1"), False),
        (("GET", "HTTP/1.0"), True),
        (("HEAD", "HTTP/1.1"), False),
        (("GET", "HTTP/1.1\r\nConnection: close"), True),
    ],
)
@pytest.mark.usefixtures("made")
def test_a_large_answer_is_whole_whatever_follows_it(
    world: World, server: ServerOfTests, sent: tuple[str, str], is_last: bool
) -> None:
    method, version = sent
    asked = request(TARGET, token_for(world, world.maya), method=method).replace(b"HTTP/1.1", version.encode(), 1)
    with connection(server) as client:
        for _ in range(1 if is_last else 3):  # more than one user has at one time
            client.sendall(asked)
            got = answer(client, bodiless=method == "HEAD")
            assert (got.status, got.headers["content-length"]) == (200, str(len(LARGE)))
            assert got.body == (b"" if method == "HEAD" else LARGE)
        assert not is_last or ended(client)


def test_a_third_large_answer_to_a_user_is_refused_without_being_made_and_a_small_one_is_not(
    world: World, server: ServerOfTests, made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "ROOM_SECONDS", 0.2)
    token, other = token_for(world, world.maya), token_for(world, world.bob)
    with unread(server, token, token):
        before = len(made)
        for _ in range(2):
            refused = exchange(server, request(TARGET, token))
            assert (refused.status, refused.headers["retry-after"]) == (503, "1")
        assert len(made) == before
        assert exchange(server, request("/health", token)).status == 200
        assert exchange(server, request(TARGET, other)).body == LARGE
        command = request(TARGET + "?dryRun=true", token, method="POST", body=b'{"name": "Another"}')
        assert "the command may be done" in exchange(server, command).said


def test_a_slow_reader_gives_way_to_one_who_waits_and_only_then(
    world: World, server: ServerOfTests, made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MAX_UNSENT", len(LARGE) + 1)
    monkeypatch.setattr(limits, "PAUSE_SECONDS", 0.1)
    with unread(server, token_for(world, world.maya)) as [slow]:
        time.sleep(0.3)
        assert len(unsent(server)) == 1
        assert exchange(server, request(TARGET, token_for(world, world.bob))).body == LARGE
        wait_until(lambda: not unsent(server))
        with contextlib.suppress(ConnectionResetError):
            while slow.recv(64 * 1024):
                pass
    assert len(made) == 3, "that of the one who waited was dropped meanwhile"


def test_the_room_of_a_client_that_leaves_is_free_at_once(
    world: World, server: ServerOfTests, made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MAX_UNSENT", len(LARGE) + 1)
    monkeypatch.setattr(limits, "PAUSE_SECONDS", 60.0)
    maya, bob = token_for(world, world.maya), token_for(world, world.bob)
    with unread(server, maya), connection(server) as waiting:
        waiting.sendall(request(TARGET, bob))
        wait_until(lambda: len(made) == 2)
    began = time.monotonic()
    for _ in range(3):
        with unread(server, maya):
            pass
        assert exchange(server, request(TARGET, bob)).body == LARGE
    assert time.monotonic() < began + limits.ROOM_SECONDS


@pytest.fixture
def narrow(made: Made, monkeypatch: pytest.MonkeyPatch) -> Made:
    """Room for seven and a half long answers, and a quarter more for shorter ones; nobody is cut off."""
    monkeypatch.setattr(limits, "MAX_UNSENT", 10 * len(LARGE))
    monkeypatch.setattr(limits, "PAUSE_SECONDS", 60.0)
    return made


@pytest.mark.usefixtures("narrow")
def test_a_user_has_one_long_answer_at_a_time_and_a_shorter_one_beside_it(
    world: World, server: ServerOfTests, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "ROOM_SECONDS", 0.3)
    maya, bob = token_for(world, world.maya), token_for(world, world.bob)
    with unread(server, maya):
        assert exchange(server, request(TARGET, maya)).status == 503
        assert exchange(server, request("/v1/openapi.json", maya)).status == 200
        assert exchange(server, request(TARGET, bob)).body == LARGE


def test_a_shorter_answer_gets_through_beside_long_ones_and_those_that_wait(
    world: World, server: ServerOfTests, narrow: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.api.test_large_answers.LARGE", json.dumps({"data": "x" * 19_900_000}).encode())
    maya, bob, vera = (token_for(world, each) for each in (world.maya, world.bob, world.vera))
    with unread(server, maya), connection(server) as waiting:
        waiting.sendall(request(TARGET, bob))
        wait_until(lambda: len(narrow) == 2)
        assert exchange(server, request("/v1/openapi.json", vera)).status == 200
        waiting.settimeout(0.1)
        with pytest.raises(TimeoutError):
            waiting.recv(1)


def test_an_answer_that_grew_long_takes_the_turn_of_a_long_one(
    world: World, server: ServerOfTests, narrow: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    maya, large = token_for(world, world.maya), LARGE
    monkeypatch.setattr("tests.api.test_large_answers.LARGE", json.dumps({"data": "x" * 1_000_000}).encode())
    assert exchange(server, request(TARGET, maya)).status == 200
    monkeypatch.setattr("tests.api.test_large_answers.LARGE", large)
    assert [exchange(server, request(TARGET, maya)).status for _ in range(2)] == [503, 200]
    assert len(narrow) == 3


@pytest.mark.parametrize(("kilobytes_a_second", "whole"), [(2_000, True), (100, False)])
@pytest.mark.usefixtures("made")
def test_a_slow_reader_that_nobody_waits_for_goes_on_if_it_reads_at_the_least_rate(
    world: World, server: ServerOfTests, monkeypatch: pytest.MonkeyPatch, kilobytes_a_second: int, whole: bool
) -> None:
    for name, value in {"WRITE_SECONDS": 0.4, "SLOWEST_READER": 1_000_000, "SLOWEST": 50_000_000}.items():
        monkeypatch.setattr(limits, name, value)
    received = 0
    with connection(server, buffer=2048) as client, contextlib.suppress(ConnectionResetError):
        client.sendall(request(TARGET, token_for(world, world.maya), "Connection: close"))
        began = time.monotonic()
        while piece := client.recv(kilobytes_a_second * 20):
            received += len(piece)
            time.sleep(max(0.0, began + received / (kilobytes_a_second * 1000) - time.monotonic()))
    assert (received > len(LARGE)) == whole


def test_public_documents_have_turns_too(server: ServerOfTests, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "ROOM_SECONDS", 0.2)
    with unread(server, "", "", target="/v1/openapi.json"):
        assert exchange(server, request("/v1/openapi.json")).status == 503


@pytest.mark.usefixtures("made")
def test_a_server_ends_in_time_and_without_an_error_while_nobody_reads(
    world: World, monkeypatch: pytest.MonkeyPatch, lines: io.StringIO
) -> None:
    monkeypatch.setattr(run, "GRACE", 0)
    token = token_for(world, world.maya)
    with ServerOfTests(world) as server, unread(server, token, token), connection(server) as waiting:
        waiting.sendall(request(TARGET, token))
        server.serving.stop()
        server._thread.join(limits.ROOM_SECONDS / 2)
        assert not server._thread.is_alive()
    assert '"stopped"' in lines.getvalue()
    assert '"level": "error"' not in lines.getvalue()
    assert "trace" not in lines.getvalue()


@pytest.mark.parametrize("taken", ["gzip", "br, GZIP;q=0.5", "deflate , gzip ; q=0.001"])
def test_a_large_answer_is_compressed_for_a_client_that_takes_gzip(
    world: World, server: ServerOfTests, made: Made, taken: str
) -> None:
    token = token_for(world, world.maya)
    found = exchange(server, request(TARGET, token, f"Accept-Encoding: {taken}"))
    assert (found.status, found.headers["content-encoding"]) == (200, "gzip")
    assert found.headers["vary"] == "Accept-Encoding"
    assert int(found.headers["content-length"]) == len(found.body) < 10_000
    assert gzip.decompress(found.body) == LARGE
    assert made


@pytest.mark.parametrize("taken", ["", "identity", "br;q=x, *", "gzip;q=0", "gzip ; q=0.00, br", "xgzip", "gzip-more"])
def test_a_large_answer_is_sent_as_it_is_to_a_client_that_does_not_take_gzip(
    world: World, server: ServerOfTests, made: Made, taken: str
) -> None:
    found = exchange(server, request(TARGET, token_for(world, world.maya), f"Accept-Encoding: {taken}"))
    assert (found.status, found.body) == (200, LARGE)
    assert "content-encoding" not in found.headers
    assert found.headers["vary"] == "Accept-Encoding"


def test_a_small_answer_is_not_compressed(world: World, server: ServerOfTests) -> None:
    found = exchange(server, request(TARGET, token_for(world, world.maya), "Accept-Encoding: gzip"))
    assert [each["project"]["name"] for each in found.json["data"]]
    assert not {"content-encoding", "vary"} & found.headers.keys()
