"""Answers that are not sent yet: their bytes are counted, so that clients who do not read cost little memory.

An answer of more than LARGE_ANSWER bytes needs one of its user's turns and room among MAX_UNSENT bytes, both until its
last byte is sent. Where there is none it waits, first come, first served, and then is refused. It is sent in pieces,
each copied when the one before is nearly sent: a reader costs the answer and a piece (two with TLS), and the event
loop never copies a whole answer. A small answer is neither counted nor delayed: the number of connections bounds them.

So that nobody takes all, a user has one long answer at a time, of more than a sixteenth of the room, and a shorter one
beside it; the last quarter of the room is for shorter answers, which do not wait behind long ones.

A query's size is known only when it is made. The first time, it is made without room; if there is none then, it is
dropped and made again with room, since a client that waits must not hold memory. From then on the same user's query
waits for room as large as the last answer before it is made. A command is not done twice: its answer waits while it
exists, and so only if its user has a turn left.

The worst case of memory is MAX_UNSENT and one long answer, which has room if there is no other; beside it the answers
of unknown size that are being made, of which a user has READS_PER_USER and all users together one for each thread, each
with the records that it is made of, which take up to twice its bytes. On the 100 connections of one user, with answers
of 40 MB, a server stays below 300 MiB, as a benchmark checks; several users who all ask for the first time take some
100 MiB more, once.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections.abc import Awaitable, Callable, Hashable
from typing import cast

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from core.server.requests import responses
from core.server.requests.bounds import limits
from core.server.requests.bounds.fair_queue import TurnLimiter, release
from core.wire.routes import BODILESS

START, BODY = "http.response.start", "http.response.body"

ROOM = "room"
"""The key of an answer's room in the state of its request."""

MAX_SIZES = 10_000
"""The most queries whose sizes are remembered; at that number all are dropped."""

DONE = "There is no room for this long answer now, but the command may be done. Look, or send it with the same key."
"""The refusal of an answer to a command."""


class Room:
    """The room that one answer takes, from before it is made until it is sent."""

    def __init__(self, size: int, end: Callable[[], None], leave: Callable[[Room], None]) -> None:
        """``end`` closes the connection at once."""
        self.size, self.end = size, end
        self._leave = leave
        self._clock = asyncio.get_running_loop().time
        self.keeps_up_until = math.inf
        """The time from which its reader has read less than SLOWEST bytes a second; none until it is being sent."""
        self._alive_until = math.inf

    def leave(self) -> None:
        """Free the room and the turn. Further calls do nothing."""
        self._leave(self)

    async def send(self, head: Message, body: bytes, send: Send) -> None:
        """Send a head, and a body in pieces. A reader that is too slow is cut off; ``send`` then does nothing."""
        now = self._clock()
        self.keeps_up_until, self._alive_until = now + limits.PAUSE_SECONDS, now + limits.WRITE_SECONDS
        await self._give(head, 0, send)
        for at in range(0, len(body), limits.PIECE):
            piece = body[at : at + limits.PIECE]  # no view, which would keep the whole body for its last bytes
            await self._give({"type": BODY, "body": piece, "more_body": True}, len(piece), send)
        await self._give({"type": BODY, "body": b""}, 0, send)  # waits for the last piece

    async def _give(self, message: Message, size: int, send: Send) -> None:
        try:
            async with asyncio.timeout_at(self._alive_until):
                await send(message)
                await asyncio.sleep(0)  # a fast reader would keep the event loop from all others
        except (TimeoutError, asyncio.CancelledError):  # the latter if the server stops
            self.end()
        self._note(size)

    def _note(self, sent: int) -> None:
        """Extend the deadlines by the time that a piece may take, but by no more than a pause in advance."""
        now = self._clock()
        self._alive_until = min(self._alive_until + sent / limits.SLOWEST_READER, now + limits.WRITE_SECONDS)
        if self.keeps_up_until != math.inf:
            later = max(self.keeps_up_until, now) + sent / limits.SLOWEST
            self.keeps_up_until = min(later, now + limits.PAUSE_SECONDS)


class UnsentAnswers:
    """The room for large answers of one server, on all of its listeners. Belongs to the running event loop."""

    def __init__(self, owner: Callable[[Request], Hashable]) -> None:
        """``owner`` returns the user whose turns a request takes."""
        self._owner = owner
        self._turns = TurnLimiter(limits.LARGE_ANSWERS_PER_USER)
        self._long_turns = TurnLimiter(1)
        self._rooms: dict[Room, list[asyncio.Semaphore]] = {}
        self._queues, self._freed = (asyncio.Lock(), asyncio.Lock()), asyncio.Event()  # the second is of long answers
        self._sizes: dict[int, int] = {}
        """The last sizes of large answers, by a hash of user and query, because a query may be long."""

    async def query(
        self, request: Request, make: Callable[[float, Callable[[], int]], Awaitable[Response | int]]
    ) -> Response:
        """Return the response to a query; a large one has its room in the state of the request.

        ``make`` makes it after its turn, within the seconds it is given, unless a function returns another result than
        0 then, which it returns instead. Raises HTTPException (503) if there is no room, and as ``make`` does.
        """
        clock = asyncio.get_running_loop().time
        until = clock() + limits.WORK_SECONDS
        made = await make(limits.WORK_SECONDS, lambda: self._sizes.get(self._key(request), 0))
        size = made if isinstance(made, int) else len(made.body)
        if size <= limits.LARGE_ANSWER:
            return cast(Response, made)
        self._remember(request, size)
        is_locked = self._queues[_is_long(size)].locked() or any(
            each.locked() for each in self._turns_for(request, size)
        )
        if is_locked or not self._fits(size):
            made = 0
        if (room := await self.take(request, size)) is None:
            raise HTTPException(responses.UNAVAILABLE)
        request.scope["state"][ROOM] = room
        response = made if isinstance(made, Response) else cast(Response, await make(until - clock(), lambda: 0))
        room.size = len(response.body)
        if room.size <= limits.LARGE_ANSWER:
            self._sizes.pop(self._key(request), None)
            room.leave()
        elif _is_long(room.size) and not _is_long(size):
            self._remember(request, room.size)
            raise HTTPException(responses.UNAVAILABLE)  # it grew; the next try takes the turn of a long one
        return response

    def _remember(self, request: Request, size: int) -> None:
        if len(self._sizes) >= MAX_SIZES:
            self._sizes = {}
        self._sizes[self._key(request)] = size

    def _key(self, request: Request) -> int:
        """The key of a query by a user. Safe in any thread."""
        return hash((self._owner(request), request.scope["raw_path"], request.scope["query_string"]))

    async def take(self, request: Request, size: int, *, in_turn: bool = True) -> Room | None:
        """Take a turn and room as soon as there is some; None after ROOM_SECONDS. Any answer has room alone.

        Not ``in_turn``, it is None at once if the user has no turn left.
        """
        turns = self._turns_for(request, size)
        if not in_turn and any(each.locked() for each in turns):
            return None
        try:
            async with asyncio.timeout(limits.ROOM_SECONDS), contextlib.AsyncExitStack() as taken:
                for each in turns:
                    await taken.enter_async_context(each)
                async with self._queues[_is_long(size)]:
                    await self._room_for(size)
                taken.pop_all()  # until it leaves
        except TimeoutError:
            return None
        room = Room(size, request.scope["state"]["slot"].close, self._leave)
        self._rooms[room] = turns
        return room

    def _turns_for(self, request: Request, size: int) -> list[asyncio.Semaphore]:
        """The turns of an answer, in the order in which they are taken: who waits for a long one has no other yet."""
        owner = self._owner(request)
        return [*([self._long_turns.turns_of(owner)] if _is_long(size) else []), self._turns.turns_of(owner)]

    async def _room_for(self, size: int) -> None:
        """Wait for room, and meanwhile cut off the readers that are too slow, the slowest first."""
        clock = asyncio.get_running_loop().time
        while not self._fits(size):
            slowest = min(self._rooms, key=lambda room: room.keeps_up_until)
            if slowest.keeps_up_until <= clock():
                slowest.keeps_up_until = math.inf  # it is gone soon, so no other one is cut off for it
                slowest.end()
            self._freed.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout_at(slowest.keeps_up_until):
                    await self._freed.wait()

    def _fits(self, size: int) -> bool:
        long = sum(room.size for room in self._rooms if _is_long(room.size))
        shorter, reserved = sum(room.size for room in self._rooms) - long, limits.MAX_UNSENT // 4
        if _is_long(size):
            return not long or long + shorter + size <= limits.MAX_UNSENT - reserved
        return shorter + size <= max(reserved, limits.MAX_UNSENT - long)

    def _leave(self, room: Room) -> None:
        if turns := self._rooms.pop(room, None):
            release(turns)
            self._freed.set()


def _is_long(size: int) -> bool:
    return size > limits.MAX_UNSENT // 16


class UnsentAnswersMiddleware:
    """An ASGI middleware that sends large bodies when they have room, whatever endpoint they come from."""

    def __init__(self, app: ASGIApp, unsent: UnsentAnswers) -> None:
        self._app, self._unsent = app, unsent

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        start: Message | None = None

        async def forward(message: Message) -> None:
            nonlocal start
            if message["type"] == START:
                start = message  # sent with the body, because there may be no room for that
                return
            body = message.get("body", b"")
            head, start = start, None
            if head is None or len(body) <= limits.LARGE_ANSWER or scope["method"] == "HEAD":
                for each in filter(None, (head, message)):
                    await send(each)
            elif room := await self._room(request := Request(scope), len(body)):
                await room.send(head, body, send)
            else:
                detail = "" if scope["method"] in BODILESS else DONE
                await responses.status_response(responses.UNAVAILABLE, detail, request)(scope, receive, send)

        try:
            await self._app(scope, receive, forward)
        finally:
            if room := scope["state"].pop(ROOM, None):
                room.leave()

    async def _room(self, request: Request, size: int) -> Room | None:
        """The room that the answer has already, or else takes now."""
        state = request.scope["state"]
        with contextlib.suppress(asyncio.CancelledError):  # the server stops
            if ROOM not in state and (room := await self._unsent.take(request, size, in_turn=False)):
                state[ROOM] = room
        return cast("Room | None", state.get(ROOM))
