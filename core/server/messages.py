"""One request that carries a message, from its bytes to the bytes of the answer.

Everything that reads or writes happens in the threads of the Desk: one for commands, which keeps them in one queue, and
a few for queries.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from core import receipts
from core.application import Application
from core.errors import Forbidden, InvalidInput, PodiumError, Unauthenticated
from core.messages import Command, Message, Query
from core.model import Id
from core.product_questions import ONLY_THIS
from core.progress import Progress
from core.receipts import Ticket
from core.routes import message_of
from core.server import answers, identity, limits
from core.server.identity import AskingProduct
from core.server.kept import Kept, Said, keep
from core.server.reading import value_of
from core.server.steps import UnderWay, Watched
from core.server.turns import People, Turns, proof_of
from core.wire import text_of
from core.work import Actor, Work

T = TypeVar("T")

OK = 200
UNAVAILABLE = 503

BODY = (b"content-length", b"transfer-encoding")
"""The headers of requests that have a body."""

READERS = 4
"""Threads for queries; more than the cores, since some wait for the authorization service."""

MOST_KEY = 200
"""Characters of an Idempotency-Key."""


class Desk:
    """Carries out messages for whoever sent them."""

    def __init__(self, application: Application, told: Callable[[], None]) -> None:
        """``told`` is called, in any thread, after something was committed."""
        self.application = application
        self.under_way = UnderWay()
        self._told = told
        self._running: set[Progress] = set()
        self._kept = Kept(application)
        self._people = People()
        self._writing, self._reading = Turns(limits.WRITES_OF_ONE), Turns(limits.READS_OF_ONE)
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="podium-write")
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="podium-read")

    async def serve(self, kind: type[Message[Any]], request: Request) -> Response:
        """The answer to a request by the route of this kind of message."""
        if not kind.lasting or any(name in BODY for name, _ in request.scope["headers"]):
            return await self._asked(kind, request)
        said, asked = self._kept.said(), _request_of(request)
        if known := said.get(asked):
            _name(request, kind, known.user_id)
            return answers.given(known.body, request)
        response = await self._asked(kind, request)
        if response.status_code == OK:
            keep(said, asked, Said(request.scope["state"]["user_id"], bytes(response.body)))
        return response

    async def _asked(self, kind: type[Message[Any]], request: Request) -> Response:
        if kind.bulky:
            return await self._brought(kind, request)
        body, progress = await request.body(), Progress(_untold)
        work = partial(self._answer, kind, request, body, progress)
        do = self.write if issubclass(kind, Command) else self.read
        return await do(request, work, progress=progress)

    async def _brought(self, kind: type[Message[Any]], request: Request) -> Response:
        """The answer to a message with a file: of nobody who is not let in, and read while commands go on."""
        try:
            actor = await self.read(request, partial(self.sender, request))
            _name(request, kind, actor.user_id)
        except PodiumError as error:
            async for _ in request.stream():
                pass  # most clients hear nothing before they have sent all
            return answers.refusal(error, request)
        with self.under_way.watched(actor.user_id, request.headers.get("idempotency-key")) as watched:
            return await self._take_in(kind, request, watched)

    async def _take_in(self, kind: type[Message[Any]], request: Request, watched: Watched) -> Response:
        try:
            body = await _body(request, watched)
            actor = await self.read(request, partial(self.sender, request))  # a file takes long: they may be out by now
            message = await self.read(request, partial(_message, kind, request, body), limits.BULKY_SECONDS)
            do = self.write if isinstance(message, Command) else self.read
            work = partial(self._do, message, actor, request, body, watched)
            return await do(request, work, limits.BULKY_SECONDS, progress=watched)
        except PodiumError as error:
            return answers.refusal(error, request)

    async def read(
        self, request: Request, work: Callable[[], T], seconds: float | None = None, *, progress: Progress | None = None
    ) -> T:
        """Something that reads, in a thread for queries. Raises what stands for the answers 503 and 504.

        ``progress`` is that of the work, which is given up when nobody waits for it any more.
        """
        turns = self._reading.of(await self._whose(request))
        with self._wanted(request, progress):
            return await _done(self._readers, turns, work, seconds)

    async def write(
        self, request: Request, work: Callable[[], T], seconds: float | None = None, *, progress: Progress | None = None
    ) -> T:
        """Something that writes, in its turn among the commands. Raises the same."""
        turns = self._writing.of(await self._whose(request))
        with self._wanted(request, progress):
            return await _done(self._writer, turns, work, seconds)

    @contextlib.contextmanager
    def _wanted(self, request: Request, progress: Progress | None) -> Iterator[None]:
        """Around work whose request was read whole: it is given up with its connection, and when time is over."""
        if progress is None:
            yield
            return
        leaving = asyncio.create_task(_give_up_when_left(request, progress))
        self._running.add(progress)
        try:
            yield
        except (TimeoutError, HTTPException):
            progress.give_up()
            raise
        finally:
            leaving.cancel()
            self._running.discard(progress)

    async def _whose(self, request: Request) -> Hashable:
        """Whose turn a request needs. A header that is new is looked at first: one token can be written in many ways,
        each of which would have the turns of its address beside those of its person."""
        if self._people.is_new(request):
            turns = self._reading.of(self._people.whose(request))
            with contextlib.suppress(PodiumError):  # the work itself meets it again
                await _done(self._readers, turns, partial(self.sender, request), None)
        whose, place = self._people.whose(request), request.scope["state"]["place"]
        if isinstance(whose, str) and not place.let_in(whose):
            raise HTTPException(UNAVAILABLE)
        return whose

    def sender(self, request: Request) -> Actor:
        """The person who sends a request. Raises Unauthenticated, or Forbidden for a product."""
        sender = self.person_or_product(request)
        if isinstance(sender, AskingProduct):
            raise Forbidden(ONLY_THIS)
        return sender

    def person_or_product(self, request: Request) -> Actor | AskingProduct:
        """Who or what sends a request. Raises Unauthenticated."""
        sent = request.headers.getlist("authorization")
        try:
            sender = identity.sender_of(self.application, sent, request.scope["state"]["peer"])
        except Unauthenticated:
            self._people.learn(request, None)
            raise
        self._people.learn(request, sender.product_id if isinstance(sender, AskingProduct) else sender.user_id)
        return sender

    def close(self) -> None:
        """Stop what is still under way: of a command all is on disk, or nothing."""
        for progress in self._running:
            progress.cancel()
        self.application.permissions.close()  # a question may take a minute
        self._writer.shutdown(cancel_futures=True)
        self._readers.shutdown(cancel_futures=True)

    def _answer(self, kind: type[Message[Any]], request: Request, body: bytes, progress: Progress) -> Response:
        try:
            actor = self.sender(request)
            _name(request, kind, actor.user_id)
            return self._do(_message(kind, request, body), actor, request, body, progress)
        except PodiumError as error:
            return answers.refusal(error, request)

    def _do(self, message: Message[Any], actor: Actor, request: Request, body: bytes, progress: Progress) -> Response:
        progress.refuse_cancelled()
        if isinstance(message, Query):
            return answers.answer(
                type(message), text_of(self.application.query(message, actor, progress=progress)), request
            )
        assert isinstance(message, Command)
        return answers.answer(type(message), self._carry_out(message, actor, request, body, progress), request)

    def _carry_out(self, command: Command[Any], actor: Actor, request: Request, body: bytes, progress: Progress) -> str:
        """The answer to a command as JSON text; the one of before where its Idempotency-Key was seen before."""
        ticket = _ticket(request, body)
        if known := self._known(actor, ticket):
            return known
        text = ""

        def finish(work: Work, result: Any) -> None:
            nonlocal text
            text = text_of(result)
            if ticket:
                receipts.keep(work, ticket, "" if command.tells_secret else text)

        try:
            self.application.execute(command, actor, progress, finish=finish)
        except PodiumError:
            if known := self._known(actor, ticket):  # another server of this database was faster with the same request
                return known
            raise
        self._told()
        return text

    def _known(self, actor: Actor, ticket: Ticket | None) -> str | None:
        return self.application.look(actor, lambda view: receipts.answer_of(view, ticket)) if ticket else None


def _message(kind: type[Message[Any]], request: Request, body: bytes) -> Message[Any]:
    """The message that a request carries. Raises InvalidInput."""
    return message_of(kind, request.path_params, request.query_params.multi_items(), value_of(request, body))


async def _body(request: Request, watched: Watched) -> bytes:
    """The body of a request, kept as long as it is wanted. Raises Cancelled when it is not any more."""
    pieces = bytearray()
    async for piece in request.stream():
        if watched.cancelled:
            pieces.clear()
        else:
            pieces += piece
    watched.step(0, 0)
    return bytes(pieces)


async def _give_up_when_left(request: Request, progress: Progress) -> None:
    """Give work up when the client has closed the connection. What else comes on it is read later."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
    progress.give_up()


def _untold(done: int, total: int) -> None:
    """Most commands are over before anybody asks how far they are."""


async def _done(pool: ThreadPoolExecutor, turns: asyncio.Semaphore, work: Callable[[], T], seconds: float | None) -> T:
    """The result of work in a thread. Its turn lasts as long as it does, also when nobody waits for it any more."""
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(seconds or limits.WORK_SECONDS):  # what has not begun by then never does
            await turns.acquire()
            begun = pool.submit(work)
            begun.add_done_callback(lambda _: loop.call_soon_threadsafe(turns.release))
            return await asyncio.wrap_future(begun)
    except asyncio.CancelledError:  # the server stops, and has waited for as long as it does
        raise HTTPException(UNAVAILABLE) from None


def _name(request: Request, kind: type[Message[Any]], user_id: Id) -> None:
    """For the log."""
    state = request.scope["state"]
    state["user_id"], state["message"] = user_id, kind.__name__


def _request_of(request: Request) -> Hashable:
    """What makes two requests for a lasting answer the same: who sends them by what proof, and what they ask."""
    return request.scope["path"], request.scope["query_string"], proof_of(request)


def _ticket(request: Request, body: bytes) -> Ticket | None:
    sent_keys = request.headers.getlist("idempotency-key")
    if not sent_keys:
        return None
    key = sent_keys[0]
    if len(sent_keys) > 1 or not 0 < len(key) <= MOST_KEY or not (key.isascii() and key.isprintable()):
        raise InvalidInput("Idempotency-Key", f"There is one Idempotency-Key, of 1 to {MOST_KEY} characters of ASCII.")
    sent = hashlib.sha256(f"{request.method} {request.url.path}?{request.url.query}\n".encode())
    sent.update(body)
    return Ticket(key, sent.hexdigest())
