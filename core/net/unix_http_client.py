"""HTTP/1.1 to Podium's own server over a Unix socket, on the streams of asyncio; ``http.py`` speaks to any service.

httpx takes half a millisecond for each request, longer than the server for a small one, and a quarter of the memory of
a terminal. Of its parts h11 would do for the forms of messages, but takes 0.12 ms more than what is here (measured).
What is understood here is what a server of Podium sends; whatever else comes is refused.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import stat
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from core.net.http_client import (
    IDLE,
    AccessDenied,
    ErrorStatus,
    HttpError,
    InvalidResponse,
    NotConnected,
    Reply,
    TimedOut,
    Unreachable,
)
from core.net.peer_credentials import peer_of

MAX_HEAD_LENGTH: Final = 64 * 1024
"""Bytes of the head of an answer."""

BODILESS: Final = (204, 304)
"""The statuses of answers without a body."""

OK: Final = 200


class _Head(NamedTuple):
    """How an answer begins."""

    status: int
    headers: Mapping[str, str]
    """Names in lower case."""


class _Stream(NamedTuple):
    """One connection."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter


class SocketClient:
    """Talks to the server at one socket, over connections that are kept. Belongs to one event loop."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._idle: list[tuple[float, _Stream]] = []
        """Connections that wait for a next request, and since when."""

    async def fetch(self, method: str, url: str, headers: Mapping[str, str], content: bytes, seconds: float) -> Reply:
        """Ask, and read the whole reply, whatever its status, within this time. Raises HttpError."""
        try:
            async with asyncio.timeout(seconds):
                stream = self._kept() or await self._connect()
                try:
                    with _faults():
                        stream.writer.write(_request(method, url, headers, content) + content)
                        reply = await _reply(stream.reader)
                except BaseException:  # what comes later on this connection would be taken for another answer
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
        """The lines of a body that does not end, as they come. Raises HttpError; Declined for any status but 200."""
        stream = await self._connect()
        try:
            with _faults():
                stream.writer.write(_request("GET", url, headers, b""))
                head, rest = await _head(stream.reader), b""
                if head.status != OK:
                    raise ErrorStatus(head.status, await _said(stream.reader, head))
                while piece := await _chunk(stream.reader):
                    *whole, rest = (rest + piece).split(b"\n")
                    for line in whole:
                        yield line.decode()
        finally:
            stream.writer.close()

    async def close(self) -> None:
        """Let go of connections."""
        for _, stream in self._idle:
            stream.writer.close()
            with contextlib.suppress(OSError):
                await stream.writer.wait_closed()
        self._idle.clear()

    def _kept(self) -> _Stream | None:
        """The connection that was used last, if it still is one."""
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
            raise AccessDenied("belongs to somebody else than the folder of its socket, so nothing was sent to it")
        return stream


def _who_may(path: Path) -> str:
    """What to do where this account may not connect."""
    import grp

    with contextlib.suppress(OSError, KeyError):
        found = path.stat()
        if found.st_mode & stat.S_IWGRP:
            return (
                f"lets in the group “{grp.getgrgid(found.st_gid).gr_name}”, which you are not in. Ask an administrator "
                "of this machine to add you; then sign in on it anew"
            )
    return f"may not be reached from this account: look at the rights of {path} and of its folders"


def _is_trusted(stream: _Stream, path: Path) -> bool:
    """Whether nobody else took the place of the server.

    Trusted are root, ourselves, and the owner of the folder that the socket is in, who decides what stands
    there. In a folder where only root or ourselves may put anything, whoever listens was put there: systemd
    makes the socket of a service that is another account. Where the kernel does not say who listens, nothing is asked.
    """
    folder = path.parent.stat()
    if folder.st_uid in (0, os.geteuid()) and not folder.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return True
    listener = peer_of(stream.writer.get_extra_info("socket"))
    return listener is None or listener.uid in (0, os.geteuid(), folder.st_uid)


@contextlib.contextmanager
def _faults() -> Iterator[None]:
    """What streams raise as errors of ours."""
    try:
        yield
    except HttpError:
        raise
    except (OSError, asyncio.IncompleteReadError) as error:
        raise Unreachable("broke off the connection") from error
    except (ValueError, asyncio.LimitOverrunError) as error:
        raise InvalidResponse("answered with something that is not HTTP") from error


def _request(method: str, url: str, headers: Mapping[str, str], content: bytes) -> bytes:
    """The head of a request. Raises InvalidResponse when it cannot be written as one."""
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


async def _said(reader: asyncio.StreamReader, head: _Head) -> bytes:
    """The body of a refusal, which counts without one too."""
    with contextlib.suppress(HttpError), _faults():
        return await _body(reader, head)
    return b""


async def _head(reader: asyncio.StreamReader) -> _Head:
    """Raises ValueError for what is no head of HTTP/1.1."""
    first, *lines = (await reader.readuntil(b"\r\n\r\n"))[:-4].decode("latin-1").split("\r\n")
    version, status, *_ = first.split(" ")
    if version != "HTTP/1.1":
        raise ValueError(first)
    pairs = (line.split(":", 1) for line in lines)
    return _Head(int(status), {name.lower(): value.strip() for name, value in pairs})


async def _chunk(reader: asyncio.StreamReader) -> bytes:
    """The next chunk of a body; the last one is empty."""
    size = int((await reader.readuntil(b"\r\n"))[:-2], 16)
    return (await reader.readexactly(size + 2))[:-2]
