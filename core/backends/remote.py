"""The core behind a server: the same messages, sent by their routes over a Unix socket or TLS."""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Any, TypeVar

from core.backends.connection import DEADLINE, INBOX, PRESENCE, TRY_AGAIN, UNKNOWN, ServerConnection
from core.backends.local import ChangeEvent
from core.codec.decoding import parts_of
from core.config import Config
from core.engine.dry_run import DryRun
from core.engine.messages import Answered, Command, Message, Query
from core.errors import InvalidInput, PodiumError, ServerUnavailable
from core.net.http_client import Reply
from core.net.server_address import ServerAddress, server_address
from core.storage.progress import NO_PROGRESS, Progress
from core.wire.error_bodies import error_from
from core.wire.result_decoder import read, read_dry_run
from core.wire.routes import ALSO, Request, as_dry_run, request_of

R = TypeVar("R")
T = TypeVar("T")

BULKY_DEADLINE = 480.0
"""Seconds to wait for the answer to a message that carries a file, over a slow line to a busy server."""

POLL_SECONDS = 0.3
"""Seconds between two requests for the progress of a command."""

DONE = (200, 201, 204)
"""The statuses of messages that were carried out."""


class RemoteBackend:
    """Sends messages to a server, over a few connections that stay open.

    Commands are sent one at a time, and so are queries; ``aside`` sends a query at once.
    """

    def __init__(self, server: ServerAddress, token: str | None = None) -> None:
        self.server, self.token = server, token
        self._connection = ServerConnection(server, token)
        self._commands = asyncio.Lock()
        self._queries = asyncio.Lock()
        self._unanswered: tuple[Request, str] | None = None

    async def execute(self, command: Command[R], progress: Progress = NO_PROGRESS) -> R:
        return await self._execute(command, lambda reply: self._read(command, reply, UNKNOWN), progress)

    async def execute_and_ask(self, command: Command[R], query: Query[Any]) -> tuple[R, Answered | None]:
        def read_both(body: bytes) -> tuple[R, Answered | None]:
            text, also = parts_of(body, "result", "also")
            with contextlib.suppress(ValueError):  # the query is sent by itself then
                return read(command, text), Answered(query, read(query, also))
            return read(command, text), None

        def read_reply(reply: Reply) -> tuple[R, Answered | None]:
            if ALSO.lower() in reply.headers:
                return self._decode_reply(read_both, reply, UNKNOWN)
            return self._read(command, reply, UNKNOWN), None

        return await self._execute(command, read_reply, also=query)

    async def _execute(
        self,
        command: Command[R],
        read_reply: Callable[[Reply], T],
        progress: Progress = NO_PROGRESS,
        also: Query[Any] | None = None,
    ) -> T:
        request = _request_of(command)
        async with self._commands:
            key = self._key_of(request)
            headers = {ALSO: _request_of(also).target} if also else {}
            try:
                async with self._watching(key, progress):
                    return read_reply(await self._connection.order(request, key, _deadline(command), headers))
            except ServerUnavailable:
                self._unanswered = (request, key)
                raise

    async def dry_run(self, command: Command[Any]) -> DryRun:
        reply = await self._connection.ask(as_dry_run(_request_of(command)), _deadline(command))
        return self._decode_reply(read_dry_run, reply, TRY_AGAIN)

    async def query(self, query: Query[R]) -> R:
        async with self._queries:
            return await self.aside(query)

    async def aside(self, query: Query[R]) -> R:
        return self._read(query, await self._connection.ask(_request_of(query), _deadline(query)), TRY_AGAIN)

    async def changes(self) -> AsyncIterator[ChangeEvent]:
        """Changes for one listener. Each stream begins with an event, so none is missed while the server is away."""
        following = asyncio.create_task(self._connection.follow())
        try:
            while True:
                heard = await self._connection.next_event()
                yield ChangeEvent(
                    online=self._connection.online,
                    presence=heard == PRESENCE,
                    inbox=heard == INBOX,
                    barred=self._connection.barred,
                )
        finally:
            following.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await following

    async def close(self) -> None:
        await self._connection.close()

    @contextlib.asynccontextmanager
    async def _watching(self, key: str, progress: Progress) -> AsyncIterator[None]:
        """While a command runs, report its progress, and stop it on the server if that is wanted."""
        if progress is NO_PROGRESS:
            yield
            return
        watch = asyncio.create_task(self._watch(key, progress))
        try:
            yield
        finally:
            watch.cancel()
            await asyncio.wait([watch])

    async def _watch(self, key: str, progress: Progress) -> None:
        """A status that is not DONE means that the server has not begun to read the command, or has ended it."""
        while True:
            await asyncio.sleep(POLL_SECONDS)
            wanted = Request("DELETE" if progress.cancelled else "GET", f"/v1/under-way/{key}", b"")
            with contextlib.suppress(PodiumError, ValueError, KeyError, TypeError):
                reply = await self._connection.ask(wanted)
                if reply.status in DONE:
                    steps = json.loads(reply.body)
                    progress.report(steps["done"], steps["total"])

    def _key_of(self, request: Request) -> str:
        """The Idempotency-Key of a command.

        A command that equals the last one, which got no answer, is a retry and has the same key, so it is done once.
        """
        before, self._unanswered = self._unanswered, None
        return before[1] if before and before[0] == request else secrets.token_urlsafe(24)

    def _read(self, message: Message[R], reply: Reply, otherwise: str) -> R:
        return self._decode_reply(partial(read, message), reply, otherwise)

    def _decode_reply(self, decode: Callable[[bytes], R], reply: Reply, otherwise: str) -> R:
        """Return the result in a reply. Raises its error, or ServerUnavailable with ``otherwise`` as its last words."""
        try:
            if reply.status in DONE:
                return decode(reply.body)
            value = json.loads(reply.body or b"null")
        except (ValueError, RecursionError) as error:
            raise self._connection.unavailable(f"gave an answer that is not understood. {otherwise}") from error
        known = error_from(reply.status, value)
        raise known or self._connection.unavailable(f"answered with the status {reply.status}. {otherwise}")


def _request_of(message: Message[Any]) -> Request:
    """The request of a message. Raises InvalidImport for a file that is too large for a server."""
    request = request_of(message)
    if message.bulky:
        from core.import_export.files import check_upload_size

        check_upload_size(len(request.body))
    return request


def _deadline(message: Message[Any]) -> float:
    return BULKY_DEADLINE if message.bulky else DEADLINE


def remote_backend(config: Config, login: str | None) -> RemoteBackend:
    """The backend of the server that the configuration names. Raises InvalidInput for a bad address or token."""
    from core.net.bearer_tokens import server_token

    if login is not None:
        raise InvalidInput("as", f"The server at {config.server} knows who you are; --as is for a database file.")
    server = server_address(config.server)
    token = server_token(server, config.token_file)
    return RemoteBackend(server, token.secret if token else None)
