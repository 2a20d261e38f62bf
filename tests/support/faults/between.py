"""A wire between a client and a server that can be told to lose, cut, spoil and hold back what goes over it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from core.net.server_address import ServerAddress, server_address

LOST, CUT, HELD, REFUSED = "lost", "cut", "held", "refused"
"""The answer is lost; only its first half arrives; it never comes, and nothing goes on; nothing is sent on."""

Fault = str | bytes | None
"""One of these, or bytes that are the answer; None for what a wire does."""


class Seen(NamedTuple):
    """A request that went over it."""

    method: str
    path: str
    key: str
    """Its Idempotency-Key, or nothing."""


class Between:
    """Listens on a Unix socket and passes requests on to another; each connection carries one."""

    def __init__(self, server: Path) -> None:
        self.fault: Callable[[Seen], Fault] = lambda _: None
        """What befalls a request."""
        self.seen: list[Seen] = []
        self._server = server
        self._path = server.with_name("between")
        self._listening: asyncio.Server | None = None
        self._open: set[asyncio.Task[None]] = set()

    @property
    def address(self) -> ServerAddress:
        """The address that clients use as the server's."""
        return server_address(f"unix:{self._path}")

    def commands(self) -> list[Seen]:
        """Those that were sent with a key."""
        return [each for each in self.seen if each.key]

    def streams(self) -> list[Seen]:
        """The tries to hear of changes."""
        return [each for each in self.seen if each.path == "/v1/changes"]

    async def __aenter__(self) -> Between:
        self._listening = await asyncio.start_unix_server(self._carry, self._path)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._listening is not None
        self._listening.close()
        self.cut_all()
        await asyncio.wait({asyncio.ensure_future(asyncio.sleep(0)), *self._open})

    def cut_all(self) -> None:
        """End every connection that is open."""
        for each in self._open:
            each.cancel()

    async def _carry(self, client: asyncio.StreamReader, back: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        try:
            await self._one(client, back)
        except (asyncio.CancelledError, asyncio.IncompleteReadError, OSError):
            pass
        finally:
            back.close()
            self._open.discard(task)

    async def _one(self, client: asyncio.StreamReader, back: asyncio.StreamWriter) -> None:
        head = await client.readuntil(b"\r\n\r\n")
        length = re.search(rb"(?i)content-length: (\d+)", head)
        body = await client.readexactly(int(length[1])) if length else b""
        method, path, _ = head.split(b" ", 2)
        key = re.search(rb"(?i)idempotency-key: (\S+)", head)
        seen = Seen(method.decode(), path.decode(), key[1].decode() if key else "")
        self.seen.append(seen)
        fault = self.fault(seen)
        if fault == HELD:
            await asyncio.Event().wait()
        elif isinstance(fault, bytes):
            back.write(fault)
            await back.drain()
        elif fault != REFUSED:
            await self._pass_on(head[:-2] + b"Connection: close\r\n\r\n" + body, back, fault)

    async def _pass_on(self, request: bytes, back: asyncio.StreamWriter, fault: Fault) -> None:
        answers, server = await asyncio.open_unix_connection(self._server)
        try:
            server.write(request)
            if fault is None:
                while piece := await answers.read(65536):
                    back.write(piece)
                    await back.drain()
                return
            whole = await answers.read()
            if fault == CUT:
                back.write(whole[: -len(whole) // 8])
                await back.drain()
        finally:
            server.close()
