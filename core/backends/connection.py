"""The connection of a client to its server: what is tried again, how long is waited, and whether it can be reached.

A request that is tried again is the same one, under the same Idempotency-Key, so a command is carried out once (spec,
section 9). What is not known to be done is said to be so.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
from collections.abc import Mapping
from typing import Final

from core.errors import PodiumError, ServerUnavailable, TooManyStreams
from core.net.clients import client_of
from core.net.http_client import AccessDenied, ErrorStatus, HttpError, NotConnected, Reply, TimedOut, Unreachable
from core.net.server_address import ServerAddress
from core.text.dates import TODAY, today_and_zone
from core.text.sanitize import sanitized
from core.wire.error_bodies import error_from
from core.wire.routes import Request

DEADLINE = 15.0
"""Seconds for one answer: longer than the largest canvas takes on a busy machine, and about what a person waits."""

AWAY_DEADLINE = 3.0
"""The same, of a server that was away a moment ago: nobody shall wait long to hear so again."""

TRIES = 4
"""Of what certainly was not carried out: within two seconds, so that a quick restart is not noticed."""

PATIENCE = 20.0
"""Seconds for which a command that may have been carried out is sent again, from its first try that got no answer: a
server that died is back by then."""

PAUSE = 0.25
"""Seconds before a second try; each later one waits twice as long, up to MAX_PAUSE. All are cut by chance, up to a
half, so that the clients of a server that comes back do not come all at once."""

MAX_PAUSE = 5.0

CONNECT_TIMEOUT = 10.0
"""Seconds within which the stream of changes begins."""

LOOK_SECONDS = 15.0
"""After how long a client that may not follow the changes looks again, for a place among those who do too."""

UNTIL_THEN = f"Until then what others do is seen here every {LOOK_SECONDS:.0f} seconds."

STREAM_TIMEOUT = 35.0
"""Seconds without a word on the stream, which has one each 15, after which it is taken for dead."""

IN_BETWEEN: Final = (429, 502, 503, 504)
"""Statuses by which a gateway, or a server that stops, says that another try may do."""

CHANGE, INBOX, PRESENCE = "change", "inbox", "presence"
"""The events of the stream: anything may have changed; what is in my inbox; who is where."""

TRY_AGAIN = "Try again in a moment."

UNKNOWN = "Whether it was done is not known: look before you do it again."


class Connection:
    """Sends requests, follows the stream of changes, and knows from both whether the server answers."""

    def __init__(self, server: ServerAddress, token: str | None) -> None:
        self.server = server
        self.online = True
        self.barred = ""
        """Why the server that answers does not let one follow the changes, in a sentence."""
        self._client = client_of(server)
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._news = asyncio.Event()
        self._heard: dict[str, None] = {}
        """The events that were heard, in their order."""
        self._is_back = asyncio.Event()
        self._stream: asyncio.Timeout | None = None

    async def ask(self, request: Request, deadline: float = DEADLINE) -> Reply:
        """The reply to a query. Raises ServerUnavailable."""
        try:
            return await self._try(request, {}, deadline, patient=False)
        except HttpError as error:
            raise self.unavailable(
                f"{error}." if isinstance(error, AccessDenied) else f"{error}. {TRY_AGAIN}"
            ) from error

    async def order(self, request: Request, key: str, deadline: float) -> Reply:
        """The reply to a command, which is carried out once for this key. Raises ServerUnavailable."""
        try:
            return await self._try(request, {"Idempotency-Key": key}, deadline, patient=True)
        except NotConnected as error:
            raise self.unavailable(f"{error}. Nothing was changed. {TRY_AGAIN}") from error
        except AccessDenied as error:
            raise self.unavailable(f"{error}. Nothing was changed.") from error
        except HttpError as error:
            raise self.unavailable(f"{error}. {UNKNOWN}") from error

    def unavailable(self, words: str) -> PodiumError:
        """The error whose sentence begins with the server."""
        return ServerUnavailable(f"The server at {self.server} {words}")

    async def heard(self) -> str:
        """Wait until something may have changed, or the server went away or came back; CHANGE, INBOX or PRESENCE."""
        await self._news.wait()
        event = next(iter(self._heard))
        del self._heard[event]
        if not self._heard:
            self._news.clear()
        return event

    async def follow(self) -> None:
        """Follow the stream of changes, one after another, until this is cancelled."""
        pause = PAUSE
        while True:
            if await self._one_stream():
                pause = PAUSE
            self._is_back.clear()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._is_back.wait(), LOOK_SECONDS if self.barred else _jitter(pause))
            pause = min(pause * 2, MAX_PAUSE)

    async def close(self) -> None:
        """Let go of connections."""
        await self._client.close()

    async def _one_stream(self) -> bool:
        """Follow one stream to its end; whether there was one."""
        loop, began = asyncio.get_running_loop(), False
        try:
            async with asyncio.timeout(CONNECT_TIMEOUT) as self._stream:
                async for line in self._client.lines(self.server.url + "/v1/changes", self._headers):
                    self._stream.reschedule(loop.time() + STREAM_TIMEOUT)
                    began, self.barred = True, ""
                    event = line.removeprefix("event: ")
                    self._mark(online=True, news=event == CHANGE)
                    if event in (INBOX, PRESENCE):
                        self._hear(event)
        except ErrorStatus as declined:  # whoever is not let in any more hears why from the question that follows news
            self.barred = too_many_streams_message(declined)
            self._mark(online=bool(self.barred) or declined.status not in IN_BETWEEN, news=True)
            self._hear(INBOX)
        except (HttpError, TimeoutError):
            if not began:
                self.barred = ""
                self._mark(online=False)
        finally:
            self._stream = None
        return began

    async def _try(self, request: Request, headers: Mapping[str, str], deadline: float, *, patient: bool) -> Reply:
        """The reply, after more tries where they may help. Raises HttpError: NotConnected when nothing was ever sent.

        What may have been carried out is tried for longer when ``patient``: only another answer can tell.
        """
        clock = asyncio.get_running_loop().time
        ends, tries, pause = 0.0, TRIES if self.online else 1, PAUSE
        deadline = deadline if self.online else AWAY_DEADLINE  # also where the server goes away meanwhile
        lost: Unreachable | None = None
        while True:
            try:
                return await self._exchange(request, headers, deadline)
            except Unreachable as error:
                ends = ends or clock() + PATIENCE
                lost = error if lost is None or not isinstance(error, NotConnected) else lost
                tries -= 1
                may_be_done = patient and not isinstance(lost, NotConnected)
                if tries <= 0 and not (may_be_done and clock() < ends):
                    self._begin_anew(online=False)
                    raise lost from error
            except TimedOut:
                self._begin_anew(online=False)
                raise
            await asyncio.sleep(_jitter(pause))
            pause = min(pause * 2, MAX_PAUSE)

    async def _exchange(self, request: Request, headers: Mapping[str, str], deadline: float) -> Reply:
        kind = {"Content-Type": "application/json"} if request.body else {}
        url = self.server.url + request.target
        reply = await self._client.fetch(
            request.method, url, {**self._headers, TODAY: today_and_zone(), **headers, **kind}, request.body, deadline
        )
        if reply.status in IN_BETWEEN and not _is_ours(reply):
            raise ErrorStatus(reply.status)
        if not self.online:
            self._begin_anew(online=True)
        return reply

    def _begin_anew(self, *, online: bool) -> None:
        """Note what a request met, and begin another stream: the connection of this one may be dead without a word."""
        self._mark(online=online)
        self._is_back.set()
        if self._stream is not None and not self._stream.expired():
            self._stream.reschedule(asyncio.get_running_loop().time())

    def _mark(self, *, online: bool, news: bool = False) -> None:
        if news or online != self.online:
            self.online = online
            self._hear(CHANGE)

    def _hear(self, event: str) -> None:
        self._heard[event] = None
        self._news.set()


def _is_ours(reply: Reply) -> bool:
    """Whether the reply is an error of the core, which more tries would not change."""
    return _error_of(reply.status, reply.body) is not None


def too_many_streams_message(declined: ErrorStatus) -> str:
    """What the server says to somebody who follows the changes too often; nothing where it declines otherwise."""
    error = _error_of(declined.status, declined.body)
    return f"{sanitized(str(error))} {UNTIL_THEN}" if isinstance(error, TooManyStreams) else ""


def _error_of(status: int, body: bytes) -> PodiumError | None:
    try:
        return error_from(status, json.loads(body))
    except ValueError:
        return None


def _jitter(pause: float) -> float:
    return pause * random.uniform(0.5, 1)  # noqa: S311 (a waiting time, not a secret)
