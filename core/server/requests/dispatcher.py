"""The pipeline of a request that carries a message, from its bytes to the bytes of the response.

authenticate  authentication.py           the sender, by a token or by the account at the other end
admit         authentication.py           the permission, as far as the head of the request shows it
limit         bounds/body_limits.py       the size of the body
decode        decoding.py                 the message
execute       execution.py                the engine carries it out
respond       responses.py                the result or the error as JSON
send          bounds/unsent_answers.py    a large one in pieces, when it has room

Around them are fairness (bounds/fair_queue.py), which gives each user turns in the threads, and idempotency
(execution.py), which carries out a command once however often it is sent.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar, cast

from starlette.requests import Request
from starlette.responses import Response

from core.authorization.local_source import LocalPermissions
from core.engine.engine import Engine
from core.engine.idempotency import IdempotencyKey
from core.engine.large_projects import Sweeper
from core.engine.messages import Command, Message, Query
from core.errors import Cancelled, PodiumError
from core.record import Record
from core.server.requests import responses
from core.server.requests.authentication import Authenticator
from core.server.requests.bounds import limits
from core.server.requests.bounds.body_limits import FileSlot, discard_body, is_long, read_file
from core.server.requests.bounds.fair_queue import FairQueue
from core.server.requests.bounds.unsent_answers import UnsentAnswers
from core.server.requests.decoding import Body, also_asked, decode_message, is_dry_run
from core.server.requests.execution import Executor, idempotency_key
from core.server.requests.running_commands import RunningCommand, RunningCommands
from core.storage.progress import Progress
from core.wire.routes import SEEN

T = TypeVar("T")


class Dispatcher:
    """Takes each request through the pipeline. The steps run in threads, which do all reading and writing."""

    def __init__(
        self, engine: Engine, announce: Callable[[], None], count_wait: Callable[[str, float], None] | None = None
    ) -> None:
        """``announce`` is called, in any thread, after each commit; ``count_wait`` as for ``FairQueue``."""
        self.engine = engine
        self.running = RunningCommands()
        self.authenticator = Authenticator(engine)
        self.queue = FairQueue(self.authenticator, engine.database.writers, count_wait)
        self.unsent = UnsentAnswers(self.authenticator.owners.owner)
        self._executor = Executor(engine, announce)
        self._file_slot = FileSlot()
        self._sweeper = Sweeper(engine.database)
        self._sweeper.start()

    async def serve(self, kind: type[Message[Any]], request: Request) -> Response:
        """Return the response to a request on the route of this kind of message.

        The sender's permission is checked before a long body is read, and before any body is parsed.
        """
        if kind.bulky:
            return await self._serve_file(kind, request)
        if is_long(request) and (refusal := await self._refusal(kind, request)):
            return await discard_body(request, refusal)
        body, progress = await request.body(), Progress()
        if issubclass(kind, Query):
            return await self._serve_query(kind, request, body, progress)
        decoded = await self.queue.read(request, self._responding(request, partial(self._decode, kind, request, body)))
        if isinstance(decoded, Response):
            return decoded
        execute = self._responding(request, partial(self._execute, decoded, request, progress))
        if decoded.dry_run and issubclass(kind, Command) and kind.leaves_rows:
            make = partial(self.queue.query, request, execute, progress, False)
            return await self.unsent.query(request, make)
        if issubclass(kind, Command) and (kind.large or kind.leaves_rows):
            return await self._in_slices(request, execute, limits.WORK_SECONDS, progress)
        scope = request.scope["state"].get("project", "")
        return await self.queue.write(request, execute, progress=progress, scope=scope)

    async def _serve_query(self, kind: type[Query[Any]], request: Request, body: Body, progress: Progress) -> Response:
        """Run all steps of a query in one thread, so that its sender is authenticated once."""
        steps = self._responding(request, partial(self._answer_query, kind, request, body, progress))
        single_flight = kind.single_flight and isinstance(self.engine.permissions, LocalPermissions)
        make = partial(self.queue.query, request, steps, progress, single_flight)
        return await self.unsent.query(request, make)

    async def _serve_file(self, kind: type[Message[Any]], request: Request) -> Response:
        """Return the response to a message with a file. Its sender can ask for the progress meanwhile."""
        if refusal := await self._refusal(kind, request):
            return await discard_body(request, refusal)
        user_id = request.scope["state"]["user_id"]
        with self.running.track(user_id, request.headers.get("idempotency-key")) as running:
            body = bytearray()
            try:
                await read_file(body, request, running)
                if refusal := await self._refusal(kind, request):
                    return refusal  # reading a file takes long, so the permission may be lost by now
                async with self._file_slot.taken():
                    return await self._execute_file(kind, request, body, running)
            except PodiumError as error:
                return self._error_response(error, request)
            finally:
                with contextlib.suppress(BufferError):  # a thread is still reading it, and frees it later
                    body.clear()

    async def _execute_file(
        self, kind: type[Message[Any]], request: Request, body: Body, running: RunningCommand
    ) -> Response:
        decode = self._responding(request, partial(self._decode, kind, request, body))
        decoded = await self.queue.read(request, decode, limits.BULKY_SECONDS)
        if isinstance(decoded, Response):
            return decoded
        execute = self._responding(request, partial(self._execute, decoded, request, running))
        if isinstance(decoded.message, Command) and not decoded.dry_run:
            return await self._in_slices(request, execute, limits.BULKY_SECONDS, running)
        return await self.queue.read(request, execute, limits.BULKY_SECONDS, progress=running)

    async def _in_slices(
        self, request: Request, execute: Callable[[], Response], seconds: float, progress: Progress
    ) -> Response:
        """Execute a command that writes in slices, between other commands, or that leaves rows to delete."""
        self.running.add(progress)
        try:
            return await self.queue.write(request, execute, seconds, progress=progress, in_slices=True)
        finally:
            self._sweeper.start()

    async def _refusal(self, kind: type[Message[Any]], request: Request) -> Response | None:
        """The error response to a request that its head rules out; None if it may go on."""
        step = partial(self.authenticator.admit, kind, request)
        admitted = await self.queue.read(request, self._responding(request, step))
        return admitted if isinstance(admitted, Response) else None

    def _responding(self, request: Request, step: Callable[[], T]) -> Callable[[], T | Response]:
        """Make a step return its error as a response, in its thread: elsewhere, the traceback would hold the body.

        A response names the commits that this server has seen.
        """

        def responding() -> T | Response:
            try:
                done: T | Response = step()
            except PodiumError as error:
                done = self._error_response(error, request)
            if isinstance(done, Response) and (seen := self.engine.database.commits_seen()):
                done.headers[SEEN] = str(seen)
            return done

        return responding

    def _error_response(self, error: PodiumError, request: Request) -> Response:
        """The response to an error; 503 if the server stopped the command, so that clients send it again."""
        if isinstance(error, Cancelled) and self.running.stopped:
            return responses.status_response(responses.UNAVAILABLE, request=request)
        return responses.error_response(error, request)

    def _answer_query(self, kind: type[Query[Any]], request: Request, body: Body, progress: Progress) -> Response:
        def answer() -> bytes:
            actor = self.authenticator.admit(kind, request)
            query = cast(Query[Any], decode_message(kind, request, body))
            return self._executor.query(query, actor, progress)

        return responses.message_response(kind, self.engine.authorizer.together(answer, progress), request)

    def _decode(self, kind: type[Message[Any]], request: Request, body: Body) -> DecodedRequest:
        """Decode the message of a request, after its sender was admitted and before it waits for its turn to write."""
        self.engine.authorizer.together(partial(self.authenticator.admit, kind, request))
        dry_run, message = is_dry_run(kind, request), decode_message(kind, request, body)
        key = idempotency_key(request, body) if isinstance(message, Command) else None  # also refuses a wrong one
        return DecodedRequest(message, None if dry_run else key, dry_run, also_asked(kind, request))

    def _execute(self, decoded: DecodedRequest, request: Request, progress: Progress) -> Response:
        """Execute a message. Its sender is authenticated again, because the message may have waited."""
        progress.check_not_cancelled()
        actor, message = self.authenticator.user(request), decoded.message
        if decoded.dry_run:
            return responses.json_response(
                self._executor.dry_run(cast(Command[Any], message), actor, progress), request
            )
        if isinstance(message, Command):
            text, also = self._executor.command(message, actor, decoded.key, progress, decoded.also)
            if also:
                return responses.double_response(type(message), text, also, request)
            return responses.message_response(type(message), text, request)
        answer = self._executor.query(cast(Query[Any], message), actor, progress)
        return responses.message_response(type(message), answer, request)

    def close(self) -> None:
        """Stop all work. Each command is either stored as a whole or not at all."""
        self.running.stop()
        self.queue.cancel()
        self._sweeper.cancel()
        self.engine.permissions.close()  # a permission query may take a minute
        self.queue.close()
        self._sweeper.close()


class DecodedRequest(Record, kw_only=False):
    """The message of a request, with what its headers and its address say about it."""

    message: Message[Any]
    key: IdempotencyKey | None
    dry_run: bool
    """True if it asks only what the message would change."""
    also: Query[Any] | None
    """The query that is answered together with a command."""
