"""The core behind a server: the same messages, sent by their routes over a Unix socket or TLS.

A command gets a key before it is first sent, so that it can be sent again when no answer came: the server carries it
out once (spec, section 9: nothing is lost).
"""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import AsyncIterator
from typing import Any, TypeVar

from core.backend import News
from core.error_forms import error_from
from core.errors import PodiumError, ServerUnavailable
from core.http import HttpClient, HttpError, Reply, TimedOut, Unreachable
from core.messages import Command, Message, Query
from core.progress import UNWATCHED, Progress
from core.results import read
from core.routes import request_of
from core.server_address import ServerAddress

R = TypeVar("R")

DEADLINE = 30.0
"""Seconds for one answer."""

TRIES = 4
PAUSE = 0.25
"""Seconds before a second try; each later one waits twice as long."""

SILENCE = 35.0
"""Seconds without a word on the stream of changes, which has one each 15, after which it is taken for dead."""

LONGEST_PAUSE = 5.0
"""Seconds between two tries to hear of changes again."""


class RemoteBackend:
    """Sends what a person does to a server, over a few connections that are kept."""

    def __init__(self, server: ServerAddress, token: str | None = None) -> None:
        self.server = server
        self._client = HttpClient(secure=server.secure, socket=server.socket, most_bytes=None)
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._commands = asyncio.Lock()
        self._queries = asyncio.Lock()

    async def execute(self, command: Command[R], progress: Progress = UNWATCHED) -> R:
        async with self._commands:
            return await self._send(command, {"Idempotency-Key": secrets.token_urlsafe(24)})

    async def query(self, query: Query[R]) -> R:
        async with self._queries:
            return await self._send(query, {})

    async def glimpse(self, query: Query[R]) -> R:
        return await self._send(query, {})

    async def aside(self, query: Query[R]) -> R:
        return await self._send(query, {})

    async def changes(self) -> AsyncIterator[News]:
        pause = PAUSE
        while True:
            try:
                async for line in self._client.lines(self.server.url + "/v1/changes", self._headers, SILENCE):
                    if line.startswith("event: change"):
                        pause = PAUSE
                        yield News()
            except HttpError:
                yield News(online=False)
            await asyncio.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE)

    async def close(self) -> None:
        await self._client.close()

    async def _send(self, message: Message[R], headers: dict[str, str]) -> R:
        method, target, body = request_of(message)
        if body:
            headers["Content-Type"] = "application/json"
        reply = await self._reply(method, self.server.url + target, self._headers | headers, body)
        return _result(message, reply, self.server)

    async def _reply(self, method: str, url: str, headers: dict[str, str], body: bytes) -> Reply:
        """The reply, after more tries where the connection was lost. Raises ServerUnavailable."""
        pause = PAUSE
        for tries_left in reversed(range(TRIES)):
            try:
                return await self._client.fetch(method, url, headers, body, DEADLINE)
            except (Unreachable, TimedOut) as error:
                if not tries_left or isinstance(error, TimedOut):
                    raise _unavailable(self.server, error) from error
            except HttpError as error:
                raise _unavailable(self.server, error) from error
            await asyncio.sleep(pause)
            pause *= 2
        raise AssertionError


def _result(message: Message[R], reply: Reply, server: ServerAddress) -> R:
    """What a reply says. Raises the error that it stands for."""
    try:
        value: Any = json.loads(reply.body) if reply.body else {"data": None}
        if reply.status in (200, 201, 204):
            return read(message, value["data"] if set(value) == {"data"} else value)
    except (ValueError, KeyError, TypeError) as error:
        raise _unavailable(server, error) from error
    raise error_from(reply.status, value) or _unavailable(server, f"answered with the status {reply.status}")


def _unavailable(server: ServerAddress, why: object) -> PodiumError:
    words = str(why) if isinstance(why, str | HttpError) else "gave an answer that this Podium does not understand"
    return ServerUnavailable(f"The server at {server} {words}. Nothing is known to be changed; try again.")
