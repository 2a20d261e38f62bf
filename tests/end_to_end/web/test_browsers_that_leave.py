"""Browsers that close a tab, or stop reading it: nothing is logged as an error, and little is held for them."""

from __future__ import annotations

import asyncio
import socket
import ssl
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from core.server.requests.bounds import limits
from tests.end_to_end.web.conftest import Place
from tests.support.api.gateway import make_certificate
from tests.support.waiting import until
from tests.support.web.gateway import Visitor, gateway_here
from tui.web import connection
from tui.web.sessions import GatewayLimits
from tui.web.tab_process import PIECE, TabProcess

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.fixture
def connections(monkeypatch: pytest.MonkeyPatch) -> list[asyncio.Transport]:
    """The connections that the gateway has taken."""
    taken: list[asyncio.Transport] = []
    make = connection.BrowserConnection.connection_made

    def noted(self: connection.BrowserConnection, transport: Any) -> None:
        taken.append(transport)
        make(self, transport)

    monkeypatch.setattr(connection.BrowserConnection, "connection_made", noted)
    return taken


async def test_a_tab_that_is_closed_over_tls_is_no_error(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("IDLE_SECONDS", "ANONYMOUS_SECONDS"):
        monkeypatch.setattr(limits, name, 0.5)
    tls = make_certificate(tmp_path)
    trusting = aiohttp.TCPConnector(ssl=ssl.create_default_context(cafile=str(tls.certificate)))
    errors: list[dict[str, Any]] = []
    logged: list[str] = []
    monkeypatch.setattr("tui.web.tab.log_event", lambda event, *_, **__: logged.append(event))
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, context: errors.append(context))
    try:
        async with (
            gateway_here(place.server.address, GatewayLimits(), tls=tls) as url,
            aiohttp.ClientSession(connector=trusting, cookie_jar=aiohttp.DummyCookieJar()) as http,
        ):
            visitor = Visitor(url, http)
            await visitor.sign_in(place.token())
            async with visitor.terminal() as tab:
                assert (await tab.receive(timeout=30)).type is aiohttp.WSMsgType.BINARY
                connection = tab._response.connection
                assert connection is not None
                assert connection.transport is not None
                connection.transport.abort()
            await until(lambda: "tab closed" in logged)
            await asyncio.sleep(1.0)  # the deadlines of idle connections pass
    finally:
        loop.set_exception_handler(None)
    assert errors == []


async def test_a_large_screen_is_sent_in_pieces_each_when_the_one_before_is_taken() -> None:
    taken: list[bytes] = []
    reads = asyncio.Semaphore(0)

    async def write(piece: bytes) -> None:
        taken.append(piece)
        await reads.acquire()

    screen = bytes(range(256)) * (3 * PIECE // 256) + b"end"

    async def write_words(_: str) -> None:
        raise AssertionError("Only the screen is written.")

    process = TabProcess([], {}, write, write_words)
    drawing = asyncio.create_task(process.on_data(screen))
    for number in range(1, 5):
        await until(lambda number=number: len(taken) == number)
        assert not drawing.done()
        reads.release()
    await drawing
    assert b"".join(taken) == screen
    assert max(map(len, taken)) == PIECE


async def test_a_tab_that_is_not_read_holds_little_and_its_process_waits(
    place: Place, http: aiohttp.ClientSession, connections: list[asyncio.Transport]
) -> None:
    async with gateway_here(place.server.address, GatewayLimits()) as url:
        visitor = Visitor(url, http)
        await visitor.sign_in(place.token())
        loop = asyncio.get_running_loop()
        host, port = url.removeprefix("http://").split(":")
        with socket.socket() as deaf:
            deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            deaf.setblocking(False)
            await loop.sock_connect(deaf, (host, int(port)))
            lines = (
                "GET /ws?width=500&height=300 HTTP/1.1",
                f"Host: {host}:{port}",
                f"Origin: {url}",
                f"Cookie: {visitor.cookie}",
                "Upgrade: websocket",
                "Connection: Upgrade",
                "Sec-WebSocket-Version: 13",
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            )
            await loop.sock_sendall(deaf, "\r\n".join([*lines, "", ""]).encode())
            most, since = 0, 0
            while since < 20:
                width = 480 + since
                text = f'["resize", {{"width": {width}, "height": 300}}]'.encode()
                await loop.sock_sendall(deaf, bytes([0x81, 0x80 | len(text), 0, 0, 0, 0]) + text)  # masked with 0
                await asyncio.sleep(0.02)
                most = max([most, *(each.get_write_buffer_size() for each in connections if not each.is_closing())])
                since += most > 0
            assert 0 < most <= limits.WRITE_BUFFER + 2 * PIECE
