"""One request that carries a message, from its bytes to the bytes of the answer.

Everything that reads or writes happens in the threads of the Desk: one for commands, which keeps them in one queue, a
few for large ones, which take their turns among them in slices, one for what these leave, and a few for queries.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Hashable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, TypeVar, cast

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from core.authorization.local_source import LocalPermissions
from core.codec.encoding import text_of
from core.domain.model import Id
from core.engine import idempotency
from core.engine.engine import Application
from core.engine.gateway_sessions import ONLY_SESSIONS
from core.engine.idempotency import IdempotencyKey
from core.engine.messages import Command, Message, Query
from core.engine.slices import sweep
from core.engine.unit_of_work import Actor, UnitOfWork
from core.errors import Cancelled, Forbidden, NotFound, PodiumError, Unauthenticated
from core.server.requests import authentication, limits, responses
from core.server.requests.authentication import AskingProduct, OpeningGateway, Sender
from core.server.requests.encoded_results import EncodedResults
from core.server.requests.fair_queue import People, Readers, UserLimiter, done
from core.server.requests.product_questions import ONLY_THIS
from core.server.requests.request_body import Body, is_long, message_in, read_into, thrown_away
from core.server.requests.running_commands import RunningCommand, RunningCommands, give_up_when_left, untold
from core.server.requests.tickets import ticket_of
from core.storage.progress import Progress
from core.text.dates import TODAY, day_and_zone
from core.wire.routes import BODILESS, head_of, route_of

T = TypeVar("T")

LOOK_SECONDS = 0.25
"""How long work is under way before its connection is watched."""


class Dispatcher:
    """Carries out messages for whoever sent them."""

    def __init__(self, application: Application, told: Callable[[], None]) -> None:
        """``told`` is called, in any thread, after something was committed."""
        self.application = application
        self.under_way = RunningCommands()
        self._told = told
        self._running: set[Progress] = set()
        self._encoded = EncodedResults()
        self._people = People()
        self._writing, self._reading = UserLimiter(limits.WRITES_OF_ONE), UserLimiter(limits.READS_OF_ONE)
        self._files = asyncio.Semaphore(1)
        """Of the files that were brought one is in memory at a time as more than its bytes."""
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="podium-write")
        self._large = ThreadPoolExecutor(limits.LARGE_COMMANDS, thread_name_prefix="podium-large")
        self._sweeper = ThreadPoolExecutor(1, thread_name_prefix="podium-sweep")
        self._sweeping = untold()
        self._sweep()
        self._readers = Readers()

    async def serve(self, kind: type[Message[Any]], request: Request) -> Response:
        """The answer to a request by the route of this kind of message."""
        # A long body is read, and any body parsed, only for a user who may send it.
        if kind.bulky:
            return await self._brought(kind, request)
        if is_long(request) and (refused := await self.read(request, partial(self._refused, kind, request))):
            return await thrown_away(request, refused)
        body, progress = await request.body(), untold()
        if issubclass(kind, Query):
            return await self._ask(kind, request, partial(self._answer, kind, request, body, progress), progress)
        sent = await self.read(request, partial(self._made, kind, request, body))
        if isinstance(sent, Response):
            return sent
        work = partial(self._do, sent, request, progress)
        if issubclass(kind, Command) and (kind.large or kind.leaves_rows):
            return await self._in_slices(request, work, limits.WORK_SECONDS, progress)
        return await self.write(request, work, progress=progress)

    async def _brought(self, kind: type[Message[Any]], request: Request) -> Response:
        """The answer to a message with a file, of which one is worked on at a time."""
        if refused := await self.read(request, partial(self._refused, kind, request)):
            return await thrown_away(request, refused)
        user_id = request.scope["state"]["user_id"]
        with self.under_way.watched(user_id, request.headers.get("idempotency-key")) as watched:
            return await self._take_in(kind, request, watched)

    async def _take_in(self, kind: type[Message[Any]], request: Request, watched: RunningCommand) -> Response:
        body = bytearray()
        try:
            await read_into(body, request, watched)
            if refused := await self.read(request, partial(self._refused, kind, request)):
                return refused  # a file takes long: they may be out by now
            async with self._one_file():
                sent = await self.read(request, partial(self._made, kind, request, body), limits.BULKY_SECONDS)
                if isinstance(sent, Response):
                    return sent
                work = partial(self._do, sent, request, watched)
                if isinstance(sent.message, Command):
                    return await self._in_slices(request, work, limits.BULKY_SECONDS, watched)
                return await self.read(request, work, limits.BULKY_SECONDS, progress=watched)
        except PodiumError as error:
            return self._refusal(error, request)
        finally:
            with contextlib.suppress(BufferError):  # a thread still looks at it, and lets go of it later
                body.clear()

    async def _in_slices(self, request: Request, work: Callable[[], T], seconds: float, progress: Progress) -> T:
        """Something that writes in slices, each in its turn among the commands, or leaves rows to be deleted so."""
        self.under_way.add(progress)
        try:
            return await self._write(self._large, request, work, seconds, progress)
        finally:
            self._sweep()

    @contextlib.asynccontextmanager
    async def _one_file(self) -> AsyncIterator[None]:
        """The turn of a file to be in memory as more than its bytes."""
        async with self._files:
            try:
                yield
            finally:
                await asyncio.to_thread(limits.give_back_the_rest)

    async def read(
        self, request: Request, work: Callable[[], T], seconds: float | None = None, *, progress: Progress | None = None
    ) -> T:
        """Something that reads, in a thread for queries. Raises what stands for the answers 503 and 504.

        ``progress`` is that of the work, which is given up when nobody waits for it any more.
        """
        turns = self._reading.of(await self._whose(request))
        with self._wanted(request, progress):
            return await done(self._readers.few, turns, work, seconds)

    async def _ask(
        self, kind: type[Query[Any]], request: Request, work: Callable[[], Response], progress: Progress
    ) -> Response:
        """The answer to a query, in the thread for long ones if it was long when this person last asked it."""
        whose = await self._whose(request)
        asked = whose, request.scope["method"], request.scope["path"]
        timed = partial(self._readers.timed, asked, work)
        together = kind.single_flight and isinstance(self.application.permissions, LocalPermissions)
        with self._wanted(request, progress):
            return await done(self._readers.of(asked, together), self._reading.of(whose), timed, None)

    async def write(
        self, request: Request, work: Callable[[], T], seconds: float | None = None, *, progress: Progress | None = None
    ) -> T:
        """Something that writes, in its turn among the commands. Raises the same."""
        return await self._write(self._writer, request, work, seconds, progress)

    async def _write(
        self,
        pool: ThreadPoolExecutor,
        request: Request,
        work: Callable[[], T],
        seconds: float | None,
        progress: Progress | None,
    ) -> T:
        turns = self._writing.of(await self._whose(request))
        with self._wanted(request, progress):
            return await done(pool, turns, work, seconds)

    @contextlib.contextmanager
    def _wanted(self, request: Request, progress: Progress | None) -> Iterator[None]:
        """Around work whose request was read whole: it is given up with its connection, and when time is over.

        Most is done before anybody looks whether the connection is still there.
        """
        if progress is None:
            yield
            return
        leaving: list[asyncio.Task[None]] = []
        looking = asyncio.get_running_loop().call_later(
            LOOK_SECONDS, lambda: leaving.append(asyncio.create_task(give_up_when_left(request, progress)))
        )
        self._running.add(progress)
        try:
            yield
        except (TimeoutError, HTTPException):
            progress.give_up()
            raise
        finally:
            looking.cancel()
            for watching in leaving:
                watching.cancel()
            self._running.discard(progress)

    async def _whose(self, request: Request) -> Hashable:
        """Whose turn a request needs. A header that is new is looked at first: one token can be written in many ways,
        each of which would have the turns of its address beside those of its person."""
        if self._people.is_new(request):
            turns = self._reading.of(self._people.whose(request))
            with contextlib.suppress(PodiumError):  # the work itself meets it again
                await done(self._readers.few, turns, partial(self.sender, request), None)
        whose, place = self._people.whose(request), request.scope["state"]["place"]
        if isinstance(whose, str) and not place.let_in(whose):
            raise HTTPException(responses.UNAVAILABLE)
        return whose

    def sender(self, request: Request) -> Actor:
        """The person who sends a request. Raises Unauthenticated, or Forbidden for a product or a gateway."""
        sender = self.who(request)
        if isinstance(sender, Actor):
            today, zone = day_and_zone(request.headers.get(TODAY, ""), self.application.clock())
            return replace(sender, today=today, zone=zone)
        raise Forbidden(ONLY_THIS if isinstance(sender, AskingProduct) else ONLY_SESSIONS)

    def gateway(self, request: Request) -> Id:
        """The token of the gateway that sends a request. Raises Unauthenticated, or Forbidden for anybody else."""
        sender = self.who(request)
        if isinstance(sender, OpeningGateway):
            return sender.gateway_id
        raise Forbidden("Only a gateway opens sessions, with a token of its own: “podium token gateway create”.")

    def who(self, request: Request) -> Sender:
        """Who or what sends a request. Raises Unauthenticated."""
        sent = request.headers.getlist("authorization")
        try:
            sender = authentication.sender_of(self.application, sent, request.scope["state"]["peer"])
        except Unauthenticated:
            self._people.learn(request, None)
            raise
        self._people.learn(request, _id_of(sender))
        return sender

    def _sweep(self) -> None:
        """Have what deleted projects and stopped imports have left deleted."""
        with contextlib.suppress(RuntimeError):  # it is being closed
            self._sweeper.submit(sweep, self.application.database, self._sweeping)

    def close(self) -> None:
        """Stop what is still under way: of a command all is on disk, or nothing."""
        self.under_way.stop()
        for progress in (*self._running, self._sweeping):
            progress.cancel()
        self.application.permissions.close()  # a question may take a minute
        for pool in (self._writer, self._large, self._sweeper):
            pool.shutdown(cancel_futures=True)
        self._readers.shutdown()

    def _refusal(self, error: PodiumError, request: Request) -> Response:
        """The answer to what was begun: 503, upon which clients send it again, where the server stopped it."""
        if isinstance(error, Cancelled) and self.under_way.stopped:
            return responses.plain_refusal(responses.UNAVAILABLE, request=request)
        return responses.refusal(error, request)

    def _refused(self, kind: type[Message[Any]], request: Request) -> Response | None:
        """The refusal of a request whose head is enough for it, before anything is made of its body."""
        try:
            self._admit(kind, request)
        except PodiumError as error:
            return responses.refusal(error, request)
        return None

    def _admit(self, kind: type[Message[Any]], request: Request) -> Actor:
        """The sender of a message, who may send it as far as its head says. Raises PodiumError."""
        actor = self.sender(request)
        _name(request, kind, actor.user_id)
        if route_of(kind).method not in BODILESS:
            self.application.admit(head_of(kind, request.path_params), actor)
        return actor

    def _answer(self, kind: type[Query[Any]], request: Request, body: Body, progress: Progress) -> Response:
        """The answer to a query, whose sender is looked at once: nothing is waited for in between."""
        try:
            actor = self._admit(kind, request)
            return self._told_of(cast(Query[Any], message_in(kind, request, body)), actor, request, progress)
        except PodiumError as error:
            return responses.refusal(error, request)

    def _told_of(self, query: Query[Any], actor: Actor, request: Request, progress: Progress) -> Response:
        text = self._encoded.text(self.application.query(query, actor, progress=progress))
        return responses.answer(type(query), text, request)

    def _made(self, kind: type[Message[Any]], request: Request, body: Body) -> _Sent | Response:
        """What a request carries, made before its turn; or its refusal, made here: an error would hold the body."""
        try:
            self._admit(kind, request)
            message = message_in(kind, request, body)
            return _Sent(message, ticket_of(request, body) if isinstance(message, Command) else None)
        except PodiumError as error:
            return responses.refusal(error, request)

    def _do(self, sent: _Sent, request: Request, progress: Progress) -> Response:
        """Carry out a message for its sender, who is looked at once more: it may have waited for its turn."""
        message = sent.message
        try:
            progress.check_not_cancelled()
            actor = self.sender(request)
            if not isinstance(message, Command):
                return self._told_of(cast(Query[Any], message), actor, request, progress)
            text = self._carry_out(message, actor, sent.ticket, progress)
        except PodiumError as error:
            return self._refusal(error, request)
        return responses.answer(type(message), text, request)

    def _carry_out(self, command: Command[Any], actor: Actor, ticket: IdempotencyKey | None, progress: Progress) -> str:
        """The answer to a command as JSON text; the one of before where its Idempotency-Key was seen before."""
        if known := self._known(command, actor, ticket):
            return known
        text = ""

        def finish(work: UnitOfWork, result: Any) -> None:
            nonlocal text
            text = text_of(result)
            if ticket:
                idempotency.keep(work, ticket, "" if command.tells_secret else text)

        try:
            self.application.execute(command, actor, progress, finish=finish)
        except PodiumError:
            if known := self._known(command, actor, ticket):  # another server was faster with the same request
                return known
            raise
        self._told()
        return text

    def _known(self, command: Command[Any], actor: Actor, ticket: IdempotencyKey | None) -> str | None:
        """The answer that a command got before, given to somebody who still may send it.

        Of what was taken away nobody has rights any more; then an empty answer is given. Raises PodiumError.
        """
        answer = self.application.look(actor, lambda view: idempotency.answer_of(view, ticket)) if ticket else None
        if answer is None:
            return None
        try:
            self.application.authorize(command, actor)
        except NotFound:
            if answer != responses.NOTHING:
                raise
        return idempotency.told(answer)


class _Sent(NamedTuple):
    """What a request carries."""

    message: Message[Any]
    ticket: IdempotencyKey | None


def _id_of(sender: Sender) -> Id:
    """Whose turns and connections a sender has."""
    if isinstance(sender, Actor):
        return sender.user_id
    return sender.product_id if isinstance(sender, AskingProduct) else sender.gateway_id


def _name(request: Request, kind: type[Message[Any]], user_id: Id) -> None:
    """For the log."""
    state = request.scope["state"]
    state["user_id"], state["message"] = user_id, kind.__name__
