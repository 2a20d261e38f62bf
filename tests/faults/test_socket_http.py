"""HTTP/1.1 over a Unix socket: invalid answers are refused with a sentence, and invalid requests are not sent."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from core.net.http_client import InvalidResponse, NotConnected, Reply, TimedOut, Unreachable
from core.net.unix_http_client import SocketClient


@asynccontextmanager
async def _answering(path: Path, answer: bytes) -> AsyncIterator[list[bytes]]:
    """A server that says the same to everything, and the heads of what it was asked; "" marks a new connection."""
    asked: list[bytes] = []
    writers: list[asyncio.StreamWriter] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(b"")
        writers.append(writer)
        with suppress(OSError, asyncio.IncompleteReadError):
            while True:
                asked.append(await reader.readuntil(b"\r\n\r\n"))
                writer.write(answer)

    server = await asyncio.start_unix_server(serve, path)
    try:
        yield asked
    finally:
        await asyncio.sleep(0.01)  # for what is on its way
        for writer in writers:
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()
        server.close()
        await server.wait_closed()


async def _asked(client: SocketClient, headers: dict[str, str] | None = None) -> Reply:
    return await client.fetch("GET", "http://podium/v1/me?a=b", headers or {}, b"", 0.5)


@pytest.mark.parametrize(
    ("answer", "body"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", b"{}"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n1\r\n \r\n0\r\n\r\n", b"{} "),
        (b"HTTP/1.1 204 No Content\r\n\r\n", b""),
    ],
    ids=["of a length", "in chunks", "none"],
)
async def test_a_body_is_read_whole_and_the_connection_is_kept(tmp_path: Path, answer: bytes, body: bytes) -> None:
    async with _answering(tmp_path / "s", answer) as asked:
        client = SocketClient(tmp_path / "s")
        assert [(await _asked(client)).body for _ in range(3)] == [body] * 3
        await client.close()
    assert asked.count(b"") == 1
    assert asked[1].startswith(b"GET /v1/me?a=b HTTP/1.1\r\nHost: podium\r\n")


async def test_a_connection_that_the_server_closes_is_not_used_again(tmp_path: Path) -> None:
    answer = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
    async with _answering(tmp_path / "s", answer) as asked:
        client = SocketClient(tmp_path / "s")
        assert [(await _asked(client)).status for _ in range(2)] == [200, 200]
        await client.close()
    assert asked.count(b"") == 2


@pytest.mark.parametrize(
    ("answer", "refusal"),
    [
        (b"HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", InvalidResponse),
        (b"HTTP/1.1 fine\r\n\r\n", InvalidResponse),
        (b"HTTP/1.1 200 OK\r\n\r\n{}", InvalidResponse),
        (b"HTTP/1.1 200 OK\r\nno colon\r\n\r\n", InvalidResponse),
        (b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n", InvalidResponse),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nmany\r\n", InvalidResponse),
        (b"HTTP/1.1 200 OK\r\nX: " + b"x" * 70_000 + b"\r\n\r\n", InvalidResponse),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}", TimedOut),
    ],
)
async def test_what_is_no_answer_is_refused(tmp_path: Path, answer: bytes, refusal: type[Exception]) -> None:
    async with _answering(tmp_path / "s", answer):
        client = SocketClient(tmp_path / "s")
        with pytest.raises(refusal):
            await _asked(client)
        await client.close()


async def test_no_header_can_be_smuggled_in(tmp_path: Path) -> None:
    async with _answering(tmp_path / "s", b"") as asked:
        with pytest.raises(InvalidResponse, match="characters that none has"):
            await _asked(SocketClient(tmp_path / "s"), {"Authorization": "Bearer a\r\nX-Other: b"})
    assert asked in ([], [b""])


async def test_without_a_listener_nothing_was_sent(tmp_path: Path) -> None:
    with pytest.raises(NotConnected):
        await _asked(SocketClient(tmp_path / "s"))
    assert issubclass(NotConnected, Unreachable)
