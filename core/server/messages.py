"""One request that carries a message, from its bytes to the bytes of the answer.

Everything that reads or writes happens in the threads of the Desk: one for commands, which keeps them in one queue, and
a few for queries.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from starlette.requests import Request
from starlette.responses import Response

from core import receipts
from core.application import Application
from core.errors import InvalidInput, PodiumError
from core.messages import Command, Message, Query
from core.receipts import Ticket
from core.routes import message_of
from core.server import answers, identity
from core.work import Actor, Work

T = TypeVar("T")

MOST_BYTES = 8 * 1024 * 1024
"""Of a body: the largest import has a few."""

READERS = 4
"""Threads for queries; more than the cores, since some wait for the authorization service."""

MOST_KEY = 200
"""Characters of an Idempotency-Key."""


class Desk:
    """Carries out messages for whoever sent them."""

    def __init__(self, application: Application, told: Callable[[], None]) -> None:
        """``told`` is called, in any thread, after something was committed."""
        self.application = application
        self._told = told
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="podium-write")
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="podium-read")

    async def serve(self, kind: type[Message[Any]], request: Request) -> Response:
        """The answer to a request by the route of this kind of message."""
        body = await body_of(request)
        pool = self._writer if issubclass(kind, Command) else self._readers
        return await asyncio.get_running_loop().run_in_executor(pool, self._answer, kind, request, body)

    async def read(self, work: Callable[[], T]) -> T:
        """Something else that reads, in a thread for queries."""
        return await asyncio.get_running_loop().run_in_executor(self._readers, work)

    def sender(self, request: Request) -> Actor:
        """Who sends a request. Raises Unauthenticated."""
        sent = request.headers.getlist("authorization")
        return identity.actor_of(self.application, sent, getattr(request.state, "peer", None))

    def close(self) -> None:
        """Finish what was begun."""
        self._writer.shutdown()
        self._readers.shutdown()

    def _answer(self, kind: type[Message[Any]], request: Request, body: bytes) -> Response:
        try:
            actor = self.sender(request)
            request.state.user_id, request.state.message = actor.user_id, kind.__name__  # for the log
            message = message_of(kind, request.path_params, request.query_params.multi_items(), as_json(body))
            if isinstance(message, Query):
                return answers.answer(kind, answers.text_of(self.application.query(message, actor)))
            assert isinstance(message, Command)
            return answers.answer(kind, self._carry_out(message, actor, request, body))
        except PodiumError as error:
            return answers.refusal(error)

    def _carry_out(self, command: Command[Any], actor: Actor, request: Request, body: bytes) -> str:
        """The answer to a command as JSON text; the one of before where its Idempotency-Key was seen before."""
        ticket = _ticket(request, body)
        if ticket and (known := self.application.look(actor, lambda view: receipts.answer_of(view, ticket))):
            return known
        text = ""

        def finish(work: Work, result: Any) -> None:
            nonlocal text
            text = answers.text_of(result)
            if ticket:
                receipts.keep(work, ticket, "" if command.tells_secret else text)

        self.application.execute(command, actor, finish=finish)
        self._told()
        return text


async def body_of(request: Request) -> bytes:
    """The whole body, which must be JSON where there is one. Raises InvalidInput and the refusal of its media type."""
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > MOST_BYTES:
            raise InvalidInput("body", f"The body is longer than the {MOST_BYTES // 1024**2} MiB that are read.")
    return bytes(body)


def as_json(body: bytes) -> Any:
    """The value in a body; None for an empty one. Raises InvalidInput."""
    if not body:
        return None
    try:
        return json.loads(body, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise InvalidInput("body", "The body is not JSON.") from error


def _refuse_constant(word: str) -> Any:
    raise ValueError(word)


def _ticket(request: Request, body: bytes) -> Ticket | None:
    key = request.headers.get("idempotency-key")
    if key is None:
        return None
    if not 0 < len(key) <= MOST_KEY or not key.isprintable():
        raise InvalidInput("Idempotency-Key", f"An Idempotency-Key has 1 to {MOST_KEY} characters.")
    sent = f"{request.method} {request.url.path}?{request.url.query}\n".encode() + body
    return Ticket(key, hashlib.sha256(sent).hexdigest())
