"""Limit: the size of a body, and the body of a refused request."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from core.codec.type_hints import field_types
from core.engine.messages import Message
from core.record import Record
from core.server.requests.bounds import limits
from core.server.requests.running_commands import RunningCommand
from core.wire.message_decoder import COMMANDS_FIELD

THROWN = "thrown"  # a key in the state of a request whose body is thrown away


class BodyLimit(Record, kw_only=False):
    """The largest body of a message."""

    length: int
    """Bytes."""
    values: int


USUAL = BodyLimit(limits.MAX_BODY, limits.MAX_VALUES)


def body_limit(kind: type[Message[Any]]) -> BodyLimit:
    """The largest body of this kind of message."""
    if kind.bulky:
        return BodyLimit(limits.MAX_BULKY, limits.MAX_VALUES_OF_FILE)
    if COMMANDS_FIELD in field_types(kind):
        return BodyLimit(limits.MAX_BULK, limits.MAX_VALUES_OF_BULK)
    return USUAL


def is_long(request: Request) -> bool:
    """True for a body of announced length above LARGE_BODY, or of unknown length."""
    headers = dict(request.scope["headers"])
    return b"transfer-encoding" in headers or int(headers.get(b"content-length", 0)) > limits.LARGE_BODY


async def read_file(body: bytearray, request: Request, running: RunningCommand) -> None:
    """Read the body of a request into ``body``, unless its command is cancelled. Raises Cancelled if it is."""
    async for piece in request.stream():
        if running.cancelled:
            body.clear()
        else:
            body += piece
    running.step(0, 0)


async def discard_body(request: Request, refusal: Response) -> Response:
    """Return a refusal after the body, because most clients read no response before; but not for long."""
    request.scope["state"][THROWN] = True
    size = 0
    with contextlib.suppress(TimeoutError, ClientDisconnect):
        async with asyncio.timeout(limits.LINGER_SECONDS):
            async for piece in request.stream():
                if (size := size + len(piece)) > limits.MAX_THROWN:
                    break
    return refusal


class FileSlot:
    """The right to decode a file and carry it out; one file has it at a time, and the others wait."""

    def __init__(self) -> None:
        self._free = asyncio.Semaphore(1)

    @contextlib.asynccontextmanager
    async def take_slot(self) -> AsyncIterator[None]:
        """Wait for the slot and hold it; free memory is given back to the system at the end."""
        async with self._free:
            try:
                yield
            finally:
                await asyncio.to_thread(limits.give_back_the_rest)
