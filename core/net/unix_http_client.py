"""HTTP/1.1 to a Podium server over a Unix socket, on asyncio streams; ``http_client.py`` is for any other service.

With httpx over the same socket a small request takes 1.6 ms instead of 0.8, a Canvas of 300 cards 4.4 instead of 2.6,
the import 60 ms instead of 2 (measured), and a terminal a quarter more memory. Only the responses that a Podium server
sends are understood; others are refused.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import stat
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path
from typing import Final

from core.net.http_client import (
    IDLE,
    AccessDenied,
    ErrorStatus,
    HttpClient,
    HttpError,
    InvalidResponse,
    NotConnected,
    Reply,
    TimedOut,
    Unreachable,
)
from core.net.peer_credentials import peer_of
from core.net.server_address import ServerAddress
from core.record import Record

MAX_HEAD_LENGTH: Final = 64 * 1024
"""Bytes of the head of a response."""

BODILESS: Final = (204, 304)
"""The statuses of responses without a body."""

OK: Final = 200


class _Head(Record, kw_only=False):
    """The head of a response."""

    status: int
    headers: Mapping[str, str]
    """The names are in lower case."""


class _Stream(Record, kw_only=False):
    """One connection."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter


class SocketClient:
    """A client for the server at one socket, which reuses its connections. Belongs to one event loop."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._idle: list[tuple[float, _Stream]] = []
        """Unused connections, each with the time of its last use."""

    async def fetch(self, method: str, url: str, headers: Mapping[str, str], content: bytes, seconds: float) -> Reply:
        """Send a request and read the whole response, of any status, within ``seconds``. Raises HttpError."""
        try:
            async with asyncio.timeout(seconds):
                stream = self._reuse_connection() or await self._connect()
                try:
                    with _faults():
                        stream.writer.write(_request(method, url, headers, content) + content)
                        reply = await _reply(stream.reader)
                except BaseException:  # a late response would be read as that of the next request
                    stream.writer.close()
                    raise
        except TimeoutError as error:
            raise TimedOut("did not answer in time") from error
        if reply.headers.get("connection") == "close":
            stream.writer.close()
        else:
            self._idle.append((time.monotonic(), stream))
        return reply

    async def lines(self, url: str, headers: Mapping[str, str]) -> AsyncIterator[str]:
        """Yield the lines of an endless body as they arrive. Raises HttpError, ErrorStatus for any status but 200."""
        stream = await self._connect()
        try:
            with _faults():
                stream.writer.write(_request("GET", url, headers, b""))
                head, rest = await _head(stream.reader), b""
                if head.status != OK:
                    raise ErrorStatus(head.status, await _read_error_body(stream.reader, head))
                while piece := await _chunk(stream.reader):
                    *whole, rest = (rest + piece).split(b"\n")
                    for line in whole:
                        yield line.decode()
        finally:
            stream.writer.close()

    async def close(self) -> None:
        """Close the connections."""
        for _, stream in self._idle:
            stream.writer.close()
            with contextlib.suppress(OSError):
                await stream.writer.wait_closed()
        self._idle.clear()

    def _reuse_connection(self) -> _Stream | None:
        """Return the connection that was used last, if it is still open."""
        while self._idle:
            since, stream = self._idle.pop()
            if time.monotonic() - since < IDLE and not stream.reader.at_eof():
                return stream
            stream.writer.close()
        return None

    async def _connect(self) -> _Stream:
        try:
            stream = _Stream(*await asyncio.open_unix_connection(self._path, limit=MAX_HEAD_LENGTH))
        except PermissionError as error:
            raise AccessDenied(_who_may(self._path)) from error
        except OSError as error:
            raise NotConnected("cannot be reached") from error
        if not _is_trusted(stream, self._path):
            stream.writer.close()
            raise AccessDenied("belongs to another account than the folder of its socket, so nothing was sent to it")
        return stream


def _who_may(path: Path) -> str:
    """Say how this account can get permission to connect."""
    import grp

    with contextlib.suppress(OSError, KeyError):
        found = path.stat()
        if found.st_mode & stat.S_IWGRP:
            return (
                f"accepts only the group “{grp.getgrgid(found.st_gid).gr_name}”, which you are not a member of. Ask an "
                "administrator of this machine to add you; then log in to it again"
            )
    return f"cannot be reached from this account: check the permissions of {path} and of its folders"


def _is_trusted(stream: _Stream, path: Path) -> bool:
    """Return True if no other account can have replaced the server.

    Trusted listeners are root, this account, and the owner of the folder of the socket, who controls its contents. If
    only root or this account can write to the folder, any listener is trusted, because they put it there: systemd
    creates the socket of a service that runs as another account. Where the kernel does not report the listener, it is
    trusted.
    """
    folder = path.parent.stat()
    if folder.st_uid in (0, os.geteuid()) and not folder.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return True
    listener = peer_of(stream.writer.get_extra_info("socket"))
    return listener is None or listener.uid in (0, os.geteuid(), folder.st_uid)


@contextlib.contextmanager
def _faults() -> Iterator[None]:
    """Raise the exceptions of streams as HttpError."""
    try:
        yield
    except HttpError:
        raise
    except (OSError, asyncio.IncompleteReadError) as error:
        raise Unreachable("closed the connection") from error
    except (ValueError, asyncio.LimitOverrunError) as error:
        raise InvalidResponse("answered with something that is not HTTP") from error


def _request(method: str, url: str, headers: Mapping[str, str], content: bytes) -> bytes:
    """Return the head of a request. Raises InvalidResponse if a line of it has invalid characters."""
    _, _, host, target = url.split("/", 3)
    sent = {"Host": host, "User-Agent": "podium", "Accept-Encoding": "identity", **headers}
    if content or method not in ("GET", "DELETE"):
        sent["Content-Length"] = str(len(content))
    lines = [f"{method} /{target} HTTP/1.1", *(f"{name}: {value}" for name, value in sent.items())]
    if not all(line.isascii() and line.isprintable() for line in lines):
        raise InvalidResponse("cannot be sent this: the token or the address has characters that none has")
    return "\r\n".join([*lines, "", ""]).encode()


async def _reply(reader: asyncio.StreamReader) -> Reply:
    head = await _head(reader)
    return Reply(head.status, head.headers, await _body(reader, head))


async def _body(reader: asyncio.StreamReader, head: _Head) -> bytes:
    if head.status in BODILESS:
        return b""
    if head.headers.get("transfer-encoding") == "chunked":
        pieces = []
        while piece := await _chunk(reader):
            pieces.append(piece)
        return b"".join(pieces)
    return await reader.readexactly(int(head.headers.get("content-length", "")))


async def _read_error_body(reader: asyncio.StreamReader, head: _Head) -> bytes:
    """Return the body of an error response, or b"" if it cannot be read."""
    with contextlib.suppress(HttpError), _faults():
        return await _body(reader, head)
    return b""


async def _head(reader: asyncio.StreamReader) -> _Head:
    """Read the head of a response. Raises ValueError if it is not HTTP/1.1."""
    first, *lines = (await reader.readuntil(b"\r\n\r\n"))[:-4].decode("latin-1").split("\r\n")
    version, status, *_ = first.split(" ")
    if version != "HTTP/1.1":
        raise ValueError(first)
    pairs = (line.split(":", 1) for line in lines)
    return _Head(int(status), {name.lower(): value.strip() for name, value in pairs})


async def _chunk(reader: asyncio.StreamReader) -> bytes:
    """Return the next chunk of a body; the last one is empty."""
    size = int((await reader.readuntil(b"\r\n"))[:-2], 16)
    return (await reader.readexactly(size + 2))[:-2]


def client_of(server: ServerAddress) -> SocketClient | HttpClient:
    """Return a client for this server."""
    return SocketClient(server.socket) if server.socket else HttpClient(secure=server.secure, most_bytes=None)
