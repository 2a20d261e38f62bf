"""The pipeline of a request that carries a message, from its bytes to the bytes of the response, as a list of steps.

``steps_for`` lists the steps of a request. Those that follow each other in one place run there in one turn. Around them
are fairness (bounds/fair_queue.py), which gives each user turns in the threads, and idempotency (execution.py), which
carries out a command once however often it is sent. A large response is sent in pieces, when it has room
(bounds/unsent_answers.py).
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from enum import Enum
from functools import partial
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple, cast

from starlette.requests import Request
from starlette.responses import Response

from core.authorization.local_source import LocalPermissions
from core.engine.engine import Engine
from core.engine.idempotency import IdempotencyKey
from core.engine.large_projects import Sweeper
from core.engine.messages import Command, Message, Query
from core.engine.unit_of_work import Actor
from core.errors import Cancelled, PodiumError
from core.server.requests import responses
from core.server.requests.authentication import Authenticator
from core.server.requests.bounds import limits
from core.server.requests.bounds.body_limits import FileSlot, discard_body, is_long, read_file
from core.server.requests.bounds.fair_queue import FairQueue
from core.server.requests.bounds.unsent_answers import UnsentAnswers
from core.server.requests.decoding import Body, also_asked, decode_message, is_dry_run
from core.server.requests.execution import Executor, idempotency_key
from core.server.requests.running_commands import RunningCommands
from core.storage.progress import Progress
from core.wire.routes import SEEN


class Where(Enum):
    """The place in which a step runs."""

    LOOP = "the event loop, which does no reading and writing"
    READER = "a thread that reads"
    WRITER = "a thread that writes, or one that reads where the message writes nothing"


class Step(NamedTuple):
    """One step of a request. ``run`` is given the request on its way; that of the last step returns the response."""

    name: str
    where: Where
    run: Callable[[Dispatcher, Exchange], Any]


class Exchange:
    """A request on its way. Its steps fill the fields that have no value at first."""

    actor: Actor
    body: Body
    message: Message[Any]
    key: IdempotencyKey | None
    dry_run: bool
    """True if it asks only what its command would change."""
    also: Query[Any] | None
    """The query that is answered together with its command."""

    def __init__(self, kind: type[Message[Any]], request: Request, cleanup: contextlib.AsyncExitStack) -> None:
        """``cleanup`` is closed after the last step."""
        self.kind, self.request, self.cleanup = kind, request, cleanup
        self.is_received = False
        """True from when its body is received on; a request that is refused before still sends it."""
        self.progress = Progress()
        self.seconds: float | None = None
        """Seconds for each turn in a thread; None for the usual time."""


class Dispatcher:
    """Takes each request through its steps."""

    def __init__(
        self, engine: Engine, announce: Callable[[], None], count_wait: Callable[[str, float], None] | None = None
    ) -> None:
        """``announce`` is called, in any thread, after each commit; ``count_wait`` as for ``FairQueue``."""
        self.engine = engine
        self.running = RunningCommands()
        self.authenticator = Authenticator(engine)
        self.queue = FairQueue(self.authenticator, engine.database.writers, self._on_one_snapshot, count_wait)
        self.unsent = UnsentAnswers(self.authenticator.owners.owner)
        self._executor = Executor(engine, announce)
        self._file_slot = FileSlot()
        self._sweeper = Sweeper(engine.database)
        self._sweeper.start()

    async def serve(self, kind: type[Message[Any]], request: Request) -> Response:
        """Return the response to a request on the route of this kind of message."""
        async with contextlib.AsyncExitStack() as cleanup:
            exchange = Exchange(kind, request, cleanup)
            try:
                for where, steps in groupby(steps_for(kind, request), attrgetter("where")):
                    if where is Where.LOOP:
                        for step in steps:
                            await step.run(self, exchange)
                    elif response := await self._in_turn(where, tuple(steps), exchange):
                        return response if exchange.is_received else await discard_body(request, response)
            except PodiumError as error:
                return self._error_response(error, request)
        raise AssertionError("the last step returns the response")

    async def _in_turn(self, where: Where, steps: Sequence[Step], exchange: Exchange) -> Response | None:
        """Run steps in a thread when it is their turn. Returns the response; None if more steps follow."""
        kind, request, progress = exchange.kind, exchange.request, exchange.progress
        run = partial(self._run, steps, exchange)
        if where is Where.READER and steps[-1] is not ANSWER:
            return await self.queue.read(request, run, exchange.seconds)
        if not issubclass(kind, Command) or (exchange.dry_run and (kind.bulky or kind.leaves_rows)):
            if kind.bulky:
                return await self.queue.read(request, run, exchange.seconds, progress=progress)
            single_flight = kind.single_flight and isinstance(self.engine.permissions, LocalPermissions)
            return await self.unsent.query(request, partial(self.queue.query, request, run, progress, single_flight))
        if not (kind.bulky or kind.large or kind.leaves_rows):
            scope = request.scope["state"].get("project", "")
            return await self.queue.write(request, run, progress=progress, scope=scope)
        self.running.add(progress)
        try:
            return await self.queue.write(request, run, exchange.seconds, progress=progress, in_slices=True)
        finally:
            self._sweeper.start()

    def _on_one_snapshot(self, work: Callable[[], None]) -> None:
        """Run the work of several requests, none of which waits, whose reads see one snapshot."""
        self.engine.database.read(lambda _: work())

    def _run(self, steps: Sequence[Step], exchange: Exchange) -> Any:
        """Run steps in this thread. An error becomes the response here: elsewhere, its traceback would hold the body.

        A query has one snapshot for all steps. A response names the commits that this server has seen.
        """

        def run() -> Any:
            return [step.run(self, exchange) for step in steps][-1]

        try:
            response = self.engine.authorizer.together(run, exchange.progress) if steps[-1] is ANSWER else run()
        except PodiumError as error:
            response = self._error_response(error, exchange.request)
        if response and (seen := self.engine.database.commits_seen()):
            response.headers[SEEN] = str(seen)
        return response

    def _admit(self, exchange: Exchange) -> None:
        """Find the sender, and check their permission as far as the head of the request shows it."""
        admit = partial(self.authenticator.admit, exchange.kind, exchange.request)
        exchange.actor = self.engine.authorizer.together(admit)

    async def _receive(self, exchange: Exchange) -> None:
        """Receive the body."""
        exchange.body, exchange.is_received = await exchange.request.body(), True

    async def _receive_file(self, exchange: Exchange) -> None:
        """Receive a file. Its sender can ask for the progress from now on."""
        request, exchange.is_received = exchange.request, True
        running = self.running.track(request.scope["state"]["user_id"], request.headers.get("idempotency-key"))
        exchange.progress = watched = exchange.cleanup.enter_context(running)
        exchange.body = body = bytearray()
        exchange.cleanup.callback(_free, body)
        await read_file(body, request, watched)

    async def _take_slot(self, exchange: Exchange) -> None:
        """Wait for the right to work on a file, which may take longer than other work."""
        await exchange.cleanup.enter_async_context(self._file_slot.take_slot())
        exchange.seconds = limits.BULKY_SECONDS

    def _decode(self, exchange: Exchange) -> None:
        """Decode the message, and what headers and address say about it."""
        kind, request, body = exchange.kind, exchange.request, exchange.body
        exchange.dry_run, exchange.message = is_dry_run(kind, request), decode_message(kind, request, body)
        key = idempotency_key(request, body) if issubclass(kind, Command) else None  # also refuses a wrong one
        exchange.key = None if exchange.dry_run else key
        exchange.also = also_asked(kind, request)

    def _answer(self, exchange: Exchange) -> Response:
        """Answer a query."""
        answer = self._executor.query(cast("Query[Any]", exchange.message), exchange.actor, exchange.progress)
        return responses.message_response(exchange.kind, answer, exchange.request)

    def _execute(self, exchange: Exchange) -> Response:
        """Execute a message. Its sender is authenticated again, because it may have waited."""
        exchange.progress.check_not_cancelled()
        message, request, progress = exchange.message, exchange.request, exchange.progress
        exchange.actor = actor = self.authenticator.user(request)
        if not isinstance(message, Command):
            return self._answer(exchange)
        if exchange.dry_run:
            return responses.json_response(self._executor.dry_run(message, actor, progress), request)
        text, also = self._executor.command(message, actor, exchange.key, progress, exchange.also)
        if also:
            return responses.double_response(exchange.kind, text, also, request)
        return responses.message_response(exchange.kind, text, request)

    def _error_response(self, error: PodiumError, request: Request) -> Response:
        """The response to an error; 503 if the server stopped the command, so that clients send it again."""
        if isinstance(error, Cancelled) and self.running.stopped:
            return responses.status_response(responses.UNAVAILABLE, request=request)
        return responses.error_response(error, request)

    def close(self) -> None:
        """Stop all work. Each command is either stored as a whole or not at all."""
        self.running.stop()
        self.queue.cancel()
        self._sweeper.cancel()
        self.engine.permissions.close()  # a permission query may take a minute
        self.queue.close()
        self._sweeper.close()


def _free(body: bytearray) -> None:
    """Free the memory of a file, unless a thread still reads it, and frees it later."""
    with contextlib.suppress(BufferError):
        body.clear()


ADMIT = Step("admit", Where.READER, Dispatcher._admit)
"""The sender, and the permission as far as the head of the request shows it (authentication.py)."""

RECEIVE = Step("receive", Where.LOOP, Dispatcher._receive)

RECEIVE_FILE = Step("receive", Where.LOOP, Dispatcher._receive_file)
"""The body, of limited size (bounds/body_limits.py)."""

TAKE_SLOT = Step("take the slot for files", Where.LOOP, Dispatcher._take_slot)

DECODE = Step("decode", Where.READER, Dispatcher._decode)
"""The message (decoding.py). A command is decoded before it waits for its turn to write."""

ANSWER = Step("answer", Where.READER, Dispatcher._answer)

EXECUTE = Step("execute", Where.WRITER, Dispatcher._execute)
"""The engine carries the message out (execution.py), and its result or error becomes JSON (responses.py)."""


def steps_for(kind: type[Message[Any]], request: Request) -> tuple[Step, ...]:
    """Return the steps of a request. Its sender is admitted before a long body is received, and any body is parsed."""
    if kind.bulky:  # receiving a file and waiting for the slot take long, and the permission may be lost meanwhile
        return (ADMIT, RECEIVE_FILE, ADMIT, TAKE_SLOT, ADMIT, DECODE, EXECUTE)
    first = (ADMIT,) if is_long(request) else ()
    return (*first, RECEIVE, ADMIT, DECODE, ANSWER if issubclass(kind, Query) else EXECUTE)
