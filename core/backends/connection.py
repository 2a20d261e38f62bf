"""The connection of a client to its server: retries, timeouts, the event stream, and the online state.

Every retry of a command has the same Idempotency-Key, so the server carries it out once. If a command's outcome stays
unknown, the error says so.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
from collections.abc import Mapping
from typing import Final

from core.errors import PodiumError, ServerUnavailable, TooManyStreams
from core.net.http_client import AccessDenied, ErrorStatus, HttpError, NotConnected, Reply, TimedOut, Unreachable
from core.net.server_address import ServerAddress
from core.net.unix_http_client import client_of
from core.text.dates import TODAY, today_and_zone
from core.text.sanitize import sanitize
from core.wire.error_bodies import error_from
from core.wire.routes import SEEN, Request

DEADLINE = 15.0
"""Seconds to wait for one answer: longer than the largest canvas takes on a busy machine."""

AWAY_DEADLINE = 3.0
"""Seconds to wait for one answer while the server is away, so that people learn soon that it still is."""

TRIES = 4
"""Tries of a request that certainly was not carried out; they take two seconds, about as long as a restart."""

PATIENCE = 20.0
"""Seconds for which a command that may have been carried out is sent again, counted from its first try without an
answer. A server that died has restarted by then."""

PAUSE = 0.25
"""Seconds before the second try, doubled before each further one up to MAX_PAUSE. Each pause is cut at random by up to
a half, so that clients of a server that restarts do not all come at once."""

MAX_PAUSE = 5.0

CONNECT_TIMEOUT = 10.0
"""Seconds within which the stream of changes has to begin."""

POLL_SECONDS = 15.0
"""Seconds between two tries to open the stream, for a client that the server does not let follow it."""

UNTIL_THEN = f"Until then, changes by others appear here every {POLL_SECONDS:.0f} seconds."

STREAM_TIMEOUT = 35.0
"""Seconds of silence after which a stream counts as dead; the server writes to it every 15 seconds."""

IN_BETWEEN: Final = (429, 502, 503, 504)
"""Statuses of a gateway, or of a server that is stopping: another try may succeed."""

CHANGE, INBOX, PRESENCE = "change", "inbox", "presence"
"""The events of the stream: the workspace changed, the user's inbox changed, someone's presence changed."""

TRY_AGAIN = "Try again in a moment."

UNKNOWN = "It is not known whether it was done: look before you do it again."


class ServerConnection:
    """Sends requests, follows the stream of changes, and knows from both whether the server is online."""

    def __init__(self, server: ServerAddress, token: str | None) -> None:
        self.server = server
        self.online = True
        self.barred = ""
        """The sentence by which the server refused the stream of changes; "" if it did not."""
        self._client = client_of(server)
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._seen = 0
        """The most commits that an answer was built on, which each server must know of before the next answer."""
        self._wake = asyncio.Event()
        self._heard: dict[str, None] = {}
        """The events that are not yet returned by ``next_event``, in order; each at most once."""
        self._is_back = asyncio.Event()
        self._stream: asyncio.Timeout | None = None

    async def ask(self, request: Request, deadline: float = DEADLINE) -> Reply:
        """Return the reply to a query. ``deadline`` is in seconds. Raises ServerUnavailable."""
        try:
            return await self._try(request, {}, deadline, patient=False)
        except HttpError as error:
            raise self.unavailable(
                f"{error}." if isinstance(error, AccessDenied) else f"{error}. {TRY_AGAIN}"
            ) from error

    async def order(self, request: Request, key: str, deadline: float, headers: Mapping[str, str]) -> Reply:
        """Return the reply to a command, which is carried out once for this ``key``. Raises ServerUnavailable."""
        try:
            return await self._try(request, {**headers, "Idempotency-Key": key}, deadline, patient=True)
        except NotConnected as error:
            raise self.unavailable(f"{error}. Nothing was changed. {TRY_AGAIN}") from error
        except AccessDenied as error:
            raise self.unavailable(f"{error}. Nothing was changed.") from error
        except HttpError as error:
            raise self.unavailable(f"{error}. {UNKNOWN}") from error

    def unavailable(self, words: str) -> PodiumError:
        """The error with these words after "The server at …"."""
        return ServerUnavailable(f"The server at {self.server} {words}")

    async def next_event(self) -> str:
        """Wait for an event, or until the server goes away or comes back. Return CHANGE, INBOX or PRESENCE."""
        await self._wake.wait()
        event = next(iter(self._heard))
        del self._heard[event]
        if not self._heard:
            self._wake.clear()
        return event

    async def follow(self) -> None:
        """Follow the stream of changes, and open it again whenever it ends, until this is cancelled."""
        pause = PAUSE
        while True:
            if await self._one_stream():
                pause = PAUSE
            self._is_back.clear()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._is_back.wait(), POLL_SECONDS if self.barred else _jitter(pause))
            pause = min(pause * 2, MAX_PAUSE)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def _one_stream(self) -> bool:
        """Follow one stream to its end. Return True if it began."""
        loop, began = asyncio.get_running_loop(), False
        try:
            async with asyncio.timeout(CONNECT_TIMEOUT) as self._stream:
                async for line in self._client.lines(self.server.url + "/v1/changes", self._headers):
                    self._stream.reschedule(loop.time() + STREAM_TIMEOUT)
                    began, self.barred = True, ""
                    event = line.removeprefix("event: ")
                    self._mark(online=True, has_event=event == CHANGE)
                    if event in (INBOX, PRESENCE):
                        self._hear(event)
        except ErrorStatus as declined:  # a user who is signed out learns the reason from the query after this event
            self.barred = too_many_streams_message(declined)
            self._mark(online=bool(self.barred) or declined.status not in IN_BETWEEN, has_event=True)
            self._hear(INBOX)
        except (HttpError, TimeoutError):
            if not began:
                self.barred = ""
                self._mark(online=False)
        finally:
            self._stream = None
        return began

    async def _try(self, request: Request, headers: Mapping[str, str], deadline: float, *, patient: bool) -> Reply:
        """Send a request, several times if that may help. Raises HttpError, NotConnected if nothing was ever sent.

        ``patient`` retries a command that may have been carried out for PATIENCE seconds, because only another answer
        can tell its outcome.
        """
        clock = asyncio.get_running_loop().time
        ends, tries, pause = 0.0, TRIES if self.online else 1, PAUSE
        deadline = deadline if self.online else AWAY_DEADLINE
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
                    self._restart_stream(online=False)
                    raise lost from error
            except TimedOut:
                self._restart_stream(online=False)
                raise
            await asyncio.sleep(_jitter(pause))
            pause = min(pause * 2, MAX_PAUSE)

    async def _exchange(self, request: Request, headers: Mapping[str, str], deadline: float) -> Reply:
        kind = {"Content-Type": "application/json"} if request.body else {}
        seen = {SEEN: str(self._seen)} if self._seen else {}
        url = self.server.url + request.target
        sent = {**self._headers, TODAY: today_and_zone(), **headers, **kind, **seen}
        reply = await self._client.fetch(request.method, url, sent, request.body, deadline)
        if reply.status in IN_BETWEEN and not _is_ours(reply):
            raise ErrorStatus(reply.status)
        with contextlib.suppress(ValueError):
            self._seen = max(self._seen, int(reply.headers.get(SEEN.lower(), "0")))
        if not self.online:
            self._restart_stream(online=True)
        return reply

    def _restart_stream(self, *, online: bool) -> None:
        """Note whether a request got through, and open another stream: the connection of this one may be dead."""
        self._mark(online=online)
        self._is_back.set()
        if self._stream is not None and not self._stream.expired():
            self._stream.reschedule(asyncio.get_running_loop().time())

    def _mark(self, *, online: bool, has_event: bool = False) -> None:
        if has_event or online != self.online:
            self.online = online
            self._hear(CHANGE)

    def _hear(self, event: str) -> None:
        self._heard[event] = None
        self._wake.set()


def _is_ours(reply: Reply) -> bool:
    """Return True if the reply is an error of the core; another try would not change it."""
    return _error_of(reply.status, reply.body) is not None


def too_many_streams_message(declined: ErrorStatus) -> str:
    """The server's refusal of one stream too many, as sentences; "" if it refused for another reason."""
    error = _error_of(declined.status, declined.body)
    return f"{sanitize(str(error))} {UNTIL_THEN}" if isinstance(error, TooManyStreams) else ""


def _error_of(status: int, body: bytes) -> PodiumError | None:
    try:
        return error_from(status, json.loads(body))
    except ValueError:
        return None


def _jitter(pause: float) -> float:
    return pause * random.uniform(0.5, 1)  # noqa: S311 (a waiting time, not a secret)
