"""Strangers on all the connections of the gateway that they can get: people sign in and work, slow ones too."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import aiohttp
import pytest

from core.server.requests.bounds import limits
from tests.end_to_end.web.conftest import Place
from tests.support.api.gateway import make_certificate
from tests.support.api.strangers import KINDS, Strangers
from tests.support.sweeps import sweep
from tests.support.waiting import until
from tests.support.web.gateway import GatewayProgram, Visitor, gateway_here
from tui.web import connection
from tui.web.run import STRANGERS_OF_ADDRESS
from tui.web.sessions import GatewayLimits

pytestmark = pytest.mark.asyncio(loop_scope="session")

ASK = b"GET /sign-in HTTP/1.1\r\nHost: podium\r\n\r\n"

SPARE = 20
"""Sockets that a gateway has beside those of strangers: it listens, asks the server, and talks to one person."""


TRIES = 3


async def answer_to(ask: Callable[[], Awaitable[aiohttp.ClientResponse]]) -> aiohttp.ClientResponse:
    """The answer to a request. As browsers do, it is sent again where its connection, kept from an earlier request, was
    closed for a new one of the strangers: those come from the same machine, and the oldest that waits is closed."""
    for _ in range(TRIES - 1):
        with contextlib.suppress(aiohttp.ClientOSError, aiohttp.ServerDisconnectedError):
            return await ask()
    return await ask()


async def works(gateway: GatewayProgram, token: str, http: aiohttp.ClientSession) -> None:
    """A user signs in, and gets a terminal."""
    visitor = Visitor(gateway.url, http)
    assert (await answer_to(lambda: visitor.get("/sign-in"))).status == 200
    assert (await answer_to(lambda: visitor.sign_in(token))).status == 303
    assert (await answer_to(lambda: visitor.get("/"))).status == 200
    async with visitor.terminal() as tab:
        assert (await tab.receive(timeout=30)).type is aiohttp.WSMsgType.BINARY


@contextlib.asynccontextmanager
async def flooded(port: int, said: bytes) -> AsyncIterator[None]:
    """While strangers do this."""
    strangers = Strangers(port, said)
    await asyncio.to_thread(strangers.__enter__)
    try:
        yield
    finally:
        await asyncio.to_thread(strangers.__exit__)


@pytest.mark.parametrize(
    "kind",
    sweep([kind for kind in KINDS if "TLS" not in kind], lambda kind: kind in ("half a body", "a wrong token")),
)
async def test_a_person_signs_in_and_works_while_strangers_hold_all_the_connections_they_can(
    place: Place, kind: str
) -> None:
    with GatewayProgram(place.server.address, place.folder) as gateway:
        async with flooded(gateway.port, KINDS[kind]):
            async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as http:
                await works(gateway, place.token(), http)
            assert gateway.sockets() <= STRANGERS_OF_ADDRESS + SPARE


async def test_a_person_works_by_tls_while_strangers_begin_to_greet(place: Place, tmp_path: Path) -> None:
    tls = make_certificate(tmp_path)
    options = ("--tls-cert", str(tls.certificate), "--tls-key", str(tls.key))
    connector = aiohttp.TCPConnector(ssl=ssl.create_default_context(cafile=str(tls.certificate)))
    with GatewayProgram(place.server.address, place.folder, *options) as gateway:
        async with flooded(gateway.port, KINDS["half of a greeting of TLS"]):
            async with aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar()) as http:
                await works(gateway, place.token(), http)
            assert gateway.sockets() <= STRANGERS_OF_ADDRESS + SPARE


async def opened(url: str, said: bytes, buffer: int = 0) -> socket.socket:
    """A connection on which this was sent, and no more follows."""
    made = socket.socket()
    if buffer:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
    made.setblocking(False)
    host, _, port = url.removeprefix("http://").partition(":")
    await asyncio.get_running_loop().sock_connect(made, (host, int(port)))
    await asyncio.get_running_loop().sock_sendall(made, said)
    return made


async def received(made: socket.socket) -> bytes:
    """All that comes until it is closed."""
    found = b""
    try:
        while piece := await asyncio.wait_for(asyncio.get_running_loop().sock_recv(made, 65536), 30):
            found += piece
    except ConnectionResetError:
        pass
    return found


@pytest.mark.parametrize(
    ("said", "answered"),
    [
        (b"", b""),
        (b"GET / HTTP/1.1\r\nX: ", b""),
        (b"POST /sign-in HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\ntok", b"HTTP/1.1 408"),
        (b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\ntok", b"HTTP/1.1 408"),
        (ASK, b"HTTP/1.1 200"),
        (ASK + b"GET / HT", b"HTTP/1.1 200"),
        (b"hello\r\n\r\n", b"HTTP/1.0 400"),
    ],
)
async def test_a_head_a_body_and_the_next_request_have_a_deadline(
    place: Place, monkeypatch: pytest.MonkeyPatch, said: bytes, answered: bytes
) -> None:
    monkeypatch.setattr(limits, "HEAD_SECONDS", 0.3)
    monkeypatch.setattr(limits, "ANONYMOUS_SECONDS", 0.3)
    monkeypatch.setattr(connection, "BODY_SECONDS", 0.3)
    async with gateway_here(place.server.address, GatewayLimits()) as url:
        with await opened(url, said) as stranger:
            assert (await received(stranger)).startswith(answered)


async def test_bytes_that_trickle_in_do_not_move_the_deadline(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "HEAD_SECONDS", 0.5)
    async with gateway_here(place.server.address, GatewayLimits()) as url:
        with await opened(url, b"GET / HTTP/1.1\r\nX: ") as stranger:
            ending = asyncio.ensure_future(received(stranger))
            while not ending.done():
                try:
                    stranger.send(b"a")
                except OSError:
                    break
                await asyncio.wait([ending], timeout=0.05)
            assert await ending == b""


async def test_a_slow_line_gets_the_whole_page_and_one_that_reads_nothing_is_given_up(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HEAD_SECONDS", "ANONYMOUS_SECONDS"):
        monkeypatch.setattr(limits, name, 0.3)
    monkeypatch.setattr(connection, "STALL_SECONDS", 1.0)
    asked = b"GET /assets/terminal.js HTTP/1.1\r\nHost: podium\r\nConnection: close\r\n\r\n" * 40
    loop = asyncio.get_running_loop()
    async with gateway_here(place.server.address, GatewayLimits()) as url:
        with (
            await opened(url, asked[: len(asked) // 40], buffer=4096) as slow,
            await opened(url, asked.replace(b"Connection: close", b"X: y"), buffer=4096) as deaf,
        ):
            found = b""
            for _ in range(60):  # 3 seconds
                found += await loop.sock_recv(slow, 4096)
                await asyncio.sleep(0.05)
            found += await received(slow)
            _, _, body = found.partition(b"\r\n\r\n")
            assert len(body) == int(found.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
            assert len(await received(deaf)) < 40 * len(body)


async def test_a_connection_of_a_signed_in_user_stays_and_one_of_a_stranger_does_not(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "ANONYMOUS_SECONDS", 0.4)
    async with (
        gateway_here(place.server.address, GatewayLimits()) as url,
        aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as http,
    ):
        visitor = Visitor(url, http)
        await visitor.sign_in(place.token())
        ask = b"GET / HTTP/1.1\r\nHost: podium\r\nCookie: " + visitor.cookie.encode() + b"\r\n\r\n"
        with await opened(url, ask) as person, await opened(url, ASK) as stranger:
            assert (await received(stranger)).startswith(b"HTTP/1.1 200")
            loop = asyncio.get_running_loop()
            assert (await loop.sock_recv(person, 65536)).startswith(b"HTTP/1.1 200")
            await loop.sock_sendall(person, ask)
            assert (await loop.sock_recv(person, 65536)).startswith(b"HTTP/1.1 200")


async def test_a_port_without_tls_is_warned_of_once(place: Place) -> None:
    [line] = place.gateway.log("not encrypted")
    assert line["level"] == "warning"
    assert "--socket PATH" in line["said"]


async def test_a_refused_sign_in_is_one_line_without_a_trace(place: Place) -> None:
    with GatewayProgram(place.server.address, place.folder) as gateway:
        async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as http:
            await until(lambda: gateway.log("web started"))
            before = len(gateway.written().splitlines())
            await Visitor(gateway.url, http).sign_in("wrong")
            for said in (b"hello\r\n\r\n", b"POST /sign-in HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"):
                with await opened(gateway.url, said) as stranger:
                    await received(stranger)
        await until(lambda: gateway.log("sign-in refused"))
        lines = gateway.written().splitlines()[before:]
        assert len(lines) == 1
        assert "trace" not in lines[0]
