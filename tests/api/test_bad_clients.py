"""Clients that are slow, hang, vanish, or send what is no request: each gets what is due, and nobody else notices."""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from typing import Any

import pytest

from core.authorization.remote_query import PATHS
from core.server.requests.bounds import limits
from tests.support.api.raw import answer, connection, ended, exchange, request
from tests.support.api.server import ServerOfTests, token_for
from tests.support.waiting import wait_until
from tests.support.workspace import World

both = pytest.mark.parametrize("over_tcp", [False, True], ids=["a Unix socket", "a port"])

INVALID = {
    "words": b"hello there\r\n\r\n",
    "a method nobody knows": b"FROB /v1/me HTTP/1.1\r\n\r\n",
    "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "TLS": bytes.fromhex("160301020001000001fc0303") + bytes(40),
    "a header without a colon": b"GET /v1/me HTTP/1.1\r\nHost podium\r\n\r\n",
    "a header with a control character": b"GET /v1/me HTTP/1.1\r\nX: a\x00b\r\n\r\n",
    "a path that is not ASCII": "GET /v1/\u00e9 HTTP/1.1\r\n\r\n".encode(),
    "two lengths": b"POST /v1/projects HTTP/1.1\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
    "a length and chunks": b"POST / HTTP/1.1\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "a length below zero": b"POST /v1/projects HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
    "a length beyond every number": b"POST /v1/projects HTTP/1.1\r\nContent-Length: 99999999999999999999999\r\n\r\n",
    "a chunk without a size": b"POST /v1/projects HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
    **{
        f"the transfer coding {coding}": b"POST /v1/projects HTTP/1.1\r\nHost: podium\r\nTransfer-Encoding: %s\r\n\r\n"
        % coding.encode()
        + b"2\r\n{}\r\n0\r\n\r\n"
        for coding in ("gzip, chunked", "identity, chunked", "chunked, chunked", "gzip", "identity", "chunked;q=1", "x")
    },
    "two transfer codings": b"POST / HTTP/1.1\r\nHost: p\r\nTransfer-Encoding: identity\r\n"
    b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "chunks in HTTP/1.0": b"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "no host": b"GET /health HTTP/1.1\r\n\r\n",
    "two hosts": b"GET /health HTTP/1.1\r\nHost: podium\r\nHost: podium\r\n\r\n",
    "an address that is none": b"GET http://[ HTTP/1.1\r\n\r\n",
}


def shortened(monkeypatch: pytest.MonkeyPatch, **limit: float) -> None:
    for name, value in limit.items():
        monkeypatch.setattr(limits, name, value)


def carries_on(world: World, server: ServerOfTests) -> bool:
    return server.client(world.bob).get("/v1/me").status_code == 200


@pytest.mark.parametrize("sent", INVALID.values(), ids=INVALID)
def test_what_is_no_request_is_refused_in_form_b(server: ServerOfTests, sent: bytes) -> None:
    with connection(server) as client:
        client.sendall(sent)
        refused = answer(client)
        assert refused.said
        assert refused.status == 400
        assert refused.headers["content-type"] == "application/json"
        assert refused.headers["connection"] == "close"
        assert ended(client)


@both
def test_half_open_connections_are_closed_and_others_are_served(
    world: World, server: ServerOfTests, over_tcp: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    shortened(monkeypatch, HEAD_SECONDS=0.5)
    with contextlib.ExitStack() as stack:
        silent = [stack.enter_context(connection(server, over_tcp=over_tcp)) for _ in range(20)]
        begun = [stack.enter_context(connection(server, over_tcp=over_tcp)) for _ in range(20)]
        for client in begun:
            client.sendall(b"GET /v1/me HTTP/1.1\r\nHost: pod")
        assert carries_on(world, server)
        assert all(ended(client) for client in silent)
        assert all("in time" in answer(client).said for client in begun)


def test_trickling_bytes_do_not_move_the_deadline(
    world: World, server: ServerOfTests, monkeypatch: pytest.MonkeyPatch
) -> None:
    shortened(monkeypatch, HEAD_SECONDS=0.4, BODY_SECONDS=0.4)
    token = token_for(world, world.maya)
    for start in (b"GET /v1/me HTTP/1.1\r\nX: ", request("/v1/projects", token, "Content-Length: 900", method="POST")):
        with connection(server) as client:
            client.sendall(start)
            client.settimeout(0.05)
            first = b""
            for _ in range(400):
                try:
                    first = client.recv(1)
                    break
                except TimeoutError:
                    client.sendall(b"a")
            client.settimeout(30)
            assert first == b"H", "each byte began the time again"
            assert b"400" in client.recv(2000)


def test_blank_lines_do_not_keep_a_connection_open(server: ServerOfTests, monkeypatch: pytest.MonkeyPatch) -> None:
    shortened(monkeypatch, HEAD_SECONDS=0.3, IDLE_SECONDS=0.3)
    with connection(server) as client:
        client.sendall(request("/v1/me", "nobody"))
        assert answer(client).status == 401
        client.sendall(b"\r\n")
        assert ended(client)


def test_between_requests_a_connection_stays_open_for_a_while(
    world: World, server: ServerOfTests, monkeypatch: pytest.MonkeyPatch
) -> None:
    shortened(monkeypatch, HEAD_SECONDS=0.2, IDLE_SECONDS=2.5)
    token = token_for(world, world.maya)
    with connection(server) as client:
        for _ in range(2):
            client.sendall(request("/v1/me", token))
            assert answer(client).status == 200
            time.sleep(0.4)
        assert ended(client)


@both
def test_a_body_that_says_it_is_too_long_is_not_read(world: World, server: ServerOfTests, over_tcp: bool) -> None:
    head = request(
        "/v1/projects", token_for(world, world.maya), f"Content-Length: {limits.MAX_BODY + 1}", method="POST"
    )
    refused = exchange(server, head, over_tcp=over_tcp)
    assert "262,144 bytes" in refused.said


@both
def test_a_body_that_turns_out_too_long_is_not_read_to_its_end(
    world: World, server: ServerOfTests, over_tcp: bool
) -> None:
    token = token_for(world, world.maya)
    with connection(server, over_tcp=over_tcp) as client:
        client.sendall(request("/v1/projects", token, "Transfer-Encoding: chunked", method="POST"))
        piece, sent = b"10000\r\n" + bytes(65536) + b"\r\n", 0
        try:
            while sent < 100 * limits.MAX_THROWN:
                client.sendall(piece)
                sent += len(piece)
        except OSError:
            pass
        assert sent < 4 * limits.MAX_THROWN
        assert "262,144 bytes" in answer(client).said
    assert carries_on(world, server)


def test_the_rest_of_a_body_is_thrown_away_when_its_request_is_answered(
    server: ServerOfTests, monkeypatch: pytest.MonkeyPatch
) -> None:
    shortened(monkeypatch, LINGER_SECONDS=0.3)
    with connection(server) as client:
        client.sendall(request("/v1/nowhere", "", "Content-Length: 5000", method="POST") + b"1")
        assert answer(client).status == 404
        client.sendall(b"2" * 4999)
        client.sendall(request("/v1/nowhere", "", "Content-Length: 5000", method="POST") + b"1")
        assert answer(client).status == 404
        assert ended(client)


def test_headers_have_a_bound(world: World, server: ServerOfTests) -> None:
    for sent in (
        b"GET /v1/me HTTP/1.1\r\n" + b"X: y\r\n" * 200_000,
        b"GET /v1/me HTTP/1.1\r\nX: " + b"y" * 1_000_000,
        b"GET /v1/me?" + b"y" * 1_000_000,
        request("/v1/me", "", f"X: {'y' * limits.MAX_HEAD}"),
    ):
        with connection(server) as client:
            with contextlib.suppress(OSError):
                client.sendall(sent)
            assert "32 KiB" in answer(client).said
    assert carries_on(world, server)


def test_bodies_have_a_bound_together(world: World, server: ServerOfTests, monkeypatch: pytest.MonkeyPatch) -> None:
    shortened(monkeypatch, MAX_BODIES=2**20)
    token = token_for(world, world.maya)
    bulk = f"/v1/projects/{world.project.id}/bulk"
    head = request(bulk, token, f"Content-Length: {700_000}", method="POST")
    with connection(server) as first, connection(server, over_tcp=True) as second:
        first.sendall(head + bytes(600_000))
        wait_until(lambda: sum(each.held for each in _connections(server)) == 600_000)
        second.sendall(head + bytes(600_000))
        refused = answer(second)
        assert refused.status == 503
        assert refused.said
        first.sendall(bytes(100_000))
        assert answer(first).status == 400  # those bytes are no JSON
    wait_until(lambda: not sum(each.held for each in _connections(server)))


def _connections(server: ServerOfTests) -> list[Any]:
    return [each for one in server.serving._servers for each in one.server_state.connections]


def test_a_listener_that_is_full_says_so_to_a_few_closes_the_rest_and_others_are_served(
    world: World, server: ServerOfTests, monkeypatch: pytest.MonkeyPatch
) -> None:
    shortened(monkeypatch, MAX_CONNECTIONS=3, MAX_REJECTED=1)
    token = token_for(world, world.maya)
    with contextlib.ExitStack() as stack:
        clients = []
        for number in range(5):
            clients.append(stack.enter_context(connection(server)))
            if number < 3:
                clients[number].sendall(request("/v1/me", token))
                assert answer(clients[number]).status == 200
        clients[3].sendall(request("/v1/me", token))
        refused = answer(clients[3])
        assert refused.status == 503
        assert refused.json["errors"][0]["errorCode"] == "UNAVAILABLE"
        assert ended(clients[3])
        assert ended(clients[4])
        assert server.client(world.bob, over_tcp=True).get("/v1/me").status_code == 200
        clients[0].sendall(request("/v1/me", token))
        assert answer(clients[0]).status == 200
    wait_until(lambda: not _connections(server) or len(_connections(server)) == 1)
    assert carries_on(world, server)


def test_requests_sent_at_once_are_answered_in_their_order(world: World, server: ServerOfTests) -> None:
    token = token_for(world, world.maya)
    with connection(server) as client:
        client.sendall(request("/v1/me", token) + request("/v1/nowhere", token) + request("/v1/me", token))
        assert [answer(client).status for _ in range(3)] == [200, 404, 200]


def test_what_follows_a_request_and_is_none_takes_no_answer_away(world: World, server: ServerOfTests) -> None:
    with connection(server) as client:
        client.sendall(request("/v1/me", token_for(world, world.maya)) + b"garbage\r\n\r\n")
        assert answer(client).status == 200
        assert ended(client)


def test_a_thousand_requests_at_once_are_cut_off(world: World, server: ServerOfTests) -> None:
    with connection(server) as client:
        client.sendall(request("/v1/me", token_for(world, world.maya)) * 1000)
        received = 0
        while piece := client.recv(65536):
            received += piece.count(b"HTTP/1.1 200")
        assert 1 <= received <= limits.MAX_PIPELINED + 1
    assert carries_on(world, server)


@pytest.mark.parametrize("to", ["websocket", "h2c"])
def test_an_upgrade_is_answered_as_if_it_had_not_been_asked_for(world: World, server: ServerOfTests, to: str) -> None:
    upgrade = request("/v1/me", token_for(world, world.maya), "Connection: Upgrade", f"Upgrade: {to}")
    with connection(server) as client:
        client.sendall(upgrade + b"\x00\x01")
        assert answer(client).status == 200
        assert ended(client)


def test_a_tunnel_is_refused(server: ServerOfTests) -> None:
    with connection(server) as client:
        client.sendall(b"CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n")
        assert answer(client).status in (400, 404, 405)
        assert ended(client)


def test_a_client_that_waits_to_be_told_to_go_on_is_told_so(world: World, server: ServerOfTests) -> None:
    token = token_for(world, world.maya)
    with connection(server) as client:
        client.sendall(request("/v1/projects", token, "Expect: 100-continue", "Content-Length: 1", method="POST"))
        assert client.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        client.sendall(b"?")
        assert answer(client).status == 400


def test_a_body_may_come_in_chunks_and_a_request_by_http_1_0(world: World, server: ServerOfTests) -> None:
    token = token_for(world, world.maya)
    body = b'{"name": "Made of chunks"}'
    chunks = b"".join(b"%x\r\n%c\r\n" % (1, letter) for letter in body) + b"0\r\n\r\n"
    head = request("/v1/projects", token, "Transfer-Encoding: chunked", method="POST")
    assert exchange(server, head + chunks).status == 201
    assert world.rows("SELECT id FROM project WHERE name = 'Made of chunks'")
    with connection(server) as client:
        client.sendall(request("/v1/me", token).replace(b"HTTP/1.1", b"HTTP/1.0"))
        assert answer(client).status == 200
        assert ended(client)


def test_headers_after_a_body_are_none(world: World, server: ServerOfTests) -> None:
    """Trailers are ignored, because a gateway in front has not checked them."""
    sent = request("/v1/projects", "", "Transfer-Encoding: chunked", "Connection: close", method="POST")
    late = b'c\r\n{"name":"P"}\r\n0\r\nAuthorization: Bearer %s\r\n\r\n'
    assert exchange(server, sent + late % token_for(world, world.maya).encode()).status == 401
    sent = request("/v1/projects", token_for(world, world.maya), "Transfer-Encoding: chunked", method="POST")
    with connection(server) as client:
        client.sendall(sent + b'c\r\n{"name":"P"}\r\n0\r\n' + b"Idempotency-Key: x\r\n" * 10_000 + b"\r\n")
        assert answer(client).status == 201
    assert world.rows("SELECT * FROM receipt") == []


def test_the_stream_takes_no_parameter_and_its_head_alone_comes_to_an_end(world: World, server: ServerOfTests) -> None:
    token = token_for(world, world.maya)
    with connection(server) as client:
        client.sendall(request("/v1/changes", token, method="HEAD"))
        head = answer(client, bodiless=True)
        assert (head.status, head.headers["content-type"]) == (200, "text/event-stream; charset=utf-8")
        client.sendall(request("/v1/changes?since=1", token))
        assert answer(client).status == 400


def test_a_client_that_vanishes_amid_its_body_changes_nothing_and_is_no_failure(
    world: World, server: ServerOfTests, caplog: pytest.LogCaptureFixture
) -> None:
    token = token_for(world, world.maya)
    with caplog.at_level(logging.WARNING):
        for _ in range(5):
            with connection(server) as client:
                client.sendall(request("/v1/projects", token, "Content-Length: 30", method="POST") + b'{"name": "Half"')
                time.sleep(0.05)
        wait_until(lambda: not _connections(server))
        assert carries_on(world, server)
    assert not world.rows("SELECT id FROM project WHERE name = 'Half'")
    assert not caplog.records


QUERIES = {
    "a message": ("GET", "/v1/projects", b""),
    "a permission query": ("POST", PATHS["remote"], b'{"filters": {"permission_codes": ["PROJECT_VIEW"]}}'),
}


@pytest.mark.parametrize(("method", "path", "body"), QUERIES.values(), ids=QUERIES)
def test_work_that_takes_too_long_is_answered_with_504(
    world: World, server: ServerOfTests, monkeypatch: pytest.MonkeyPatch, method: str, path: str, body: bytes
) -> None:
    shortened(monkeypatch, WORK_SECONDS=0.3)
    answered = threading.Event()
    monkeypatch.setattr(world.engine, "query", lambda *_, **__: answered.wait(30))
    sent = request(path, token_for(world, world.maya), method=method, body=body)
    try:
        assert exchange(server, sent).status == 504
    finally:
        answered.set()


@pytest.mark.parametrize(("method", "path", "body"), QUERIES.values(), ids=QUERIES)
def test_work_that_is_not_done_when_the_server_stops_is_answered_with_503(
    world: World, server: ServerOfTests, monkeypatch: pytest.MonkeyPatch, method: str, path: str, body: bytes
) -> None:
    begun, answered = threading.Event(), threading.Event()

    def work(*_: object, **__: object) -> None:
        begun.set()
        answered.wait(30)

    monkeypatch.setattr(world.engine, "query", work)
    with connection(server) as client:
        client.sendall(request(path, token_for(world, world.maya), method=method, body=body))
        assert begun.wait(30)
        server.serving.stop()
        refused = answer(client)
        answered.set()
    assert refused.status == 503
    assert refused.said
