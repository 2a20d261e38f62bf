"""Fairness: each user's requests take turns in the threads of the server.

A user who sends many requests waits for their own ones, and other users do not wait for them. A request waits for its
turn before it gets a thread.

Turns alone let each person send one command after the other, and some take a second. So who has used the writer for
MOST_SECONDS of the last WITHIN_SECONDS waits behind all others. Nothing is refused for it: such a command goes on as
soon as the others have none here, and after BEHIND_SECONDS anyway.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from threading import Lock
from time import monotonic, thread_time
from typing import Any, Literal, TypeAlias, TypeVar
from weakref import WeakValueDictionary

from starlette.exceptions import HTTPException
from starlette.requests import Request

from core.domain.model import Id
from core.errors import PodiumError
from core.server.requests import responses
from core.server.requests.authentication import Authenticator
from core.server.requests.bounds import limits
from core.server.requests.running_commands import give_up_on_disconnect
from core.storage.progress import Progress

T = TypeVar("T")
Snapshot: TypeAlias = Callable[[Callable[[], None]], None]
Instead = TypeVar("Instead")

READERS = 4
"""Threads for short queries: more than the cores, because some wait for the authorization service."""

LONG_SECONDS = 0.1
"""Processor time from which a query counts as long. Most take a hundredth of it."""

MAX_LONG = 10_000
"""The most queries that are remembered as long; at that number all are dropped."""

WATCH_AFTER_SECONDS = 0.25
"""Seconds after which the connection of a request is watched; most requests are answered before."""


class FairQueue:
    """The threads that read and write for requests.

    Commands have as many threads as the database has writers. A file has one, and so one queue. With several, the
    commands of one project take turns in front of the threads, since only one of them could go on in the database.
    Large commands have a few threads, and write in slices between the other commands. Queries have the threads of
    ``Readers``. Each method raises TimeoutError and HTTPException, for the responses 504 and 503.
    """

    def __init__(
        self,
        authenticator: Authenticator,
        writers: int,
        snapshot: Snapshot,
        count_wait: Callable[[str, float], None] | None = None,
    ) -> None:
        """``snapshot`` runs a function whose reads see one state of the database.

        ``count_wait`` is called with the kind of threads and the seconds that each work waited for them.
        """
        self._authenticator = authenticator
        self._count_wait = count_wait
        self._writers = writers
        self._running: set[Progress] = set()
        self._writing, self._reading = TurnLimiter(limits.WRITES_PER_USER), TurnLimiter(limits.READS_PER_USER)
        self._of_projects = TurnLimiter(1)
        self._use = WriterUse()
        self._writer = ThreadPoolExecutor(writers, thread_name_prefix="podium-write")
        self._large = ThreadPoolExecutor(limits.LARGE_COMMANDS, thread_name_prefix="podium-large")
        self._readers = Readers(snapshot)

    async def read(
        self, request: Request, work: Callable[[], T], seconds: float | None = None, *, progress: Progress | None = None
    ) -> T:
        """Return the result of ``work``, which only reads.

        ``progress`` is the progress of the work, which is stopped when its client leaves or after ``seconds``.
        """
        turns = [self._reading.turns_of(await self._owner(request))]
        with self._given_up(request, progress):
            return await run_in_turn(self._readers.short, turns, self._with_wait("reader", work), seconds)

    async def query(
        self,
        request: Request,
        work: Callable[[], T],
        progress: Progress,
        single_flight: bool,
        seconds: float,
        instead: Callable[[], Instead],
    ) -> T | Instead:
        """Return the result of a query, in the thread for long queries if it was long when this user last sent it.

        A result of ``instead`` in its thread that is true is returned in its place.
        """
        owner = await self._owner(request)
        query = owner, request.scope["method"], request.scope["path"]

        def turn() -> T | Instead:
            return instead() or self._readers.run_timed(query, work)

        with self._given_up(request, progress):
            threads = self._readers.threads_for(query, single_flight)
            return await run_in_turn(threads, [self._reading.turns_of(owner)], self._with_wait("reader", turn), seconds)

    async def write(
        self,
        request: Request,
        work: Callable[[], T],
        seconds: float | None = None,
        *,
        progress: Progress | None = None,
        in_slices: bool = False,
        scope: Id = "",
    ) -> T:
        """Return the result of ``work``, which writes: among the commands, or ``in_slices`` among the large ones.

        ``scope`` is the project, or WORKSPACE, whose commands take turns with it; "" for none.
        """
        owner = await self._owner(request)
        # The turns of the owner come first, so that no one waits for a project or the writer with a second command.
        turns = [self._writing.turns_of(owner), WriterTurn(self._use, owner)]
        work = partial(self._use.run_timed, owner, work)
        if scope and self._writers > 1 and not in_slices:
            turns.append(self._of_projects.turns_of(scope))
        with self._given_up(request, progress):
            threads, kind = (self._large, "large") if in_slices else (self._writer, "writer")
            return await run_in_turn(threads, turns, self._with_wait(kind, work), seconds)

    def _with_wait(self, kind: str, work: Callable[[], T]) -> Callable[[], T]:
        """Return ``work``, which first counts how long it waited from now on."""
        count, asked_at = self._count_wait, monotonic()
        if count is None:
            return work

        def begin() -> T:
            count(kind, monotonic() - asked_at)
            return work()

        return begin

    def cancel(self) -> None:
        """Stop all work at its next step."""
        for progress in self._running:
            progress.cancel()

    def close(self) -> None:
        """Wait for the threads; work that has not begun is dropped."""
        for threads in (self._writer, self._large):
            threads.shutdown(cancel_futures=True)
        self._readers.shutdown()

    @contextlib.contextmanager
    def _given_up(self, request: Request, progress: Progress | None) -> Iterator[None]:
        """Stop the work when the connection of its request is closed, and when its time is over."""
        if progress is None:
            yield
            return
        watching: list[asyncio.Task[None]] = []
        timer = asyncio.get_running_loop().call_later(
            WATCH_AFTER_SECONDS, lambda: watching.append(asyncio.create_task(give_up_on_disconnect(request, progress)))
        )
        self._running.add(progress)
        try:
            yield
        except (TimeoutError, HTTPException):
            progress.give_up()
            raise
        finally:
            timer.cancel()
            for task in watching:
                task.cancel()
            self._running.discard(progress)

    async def _owner(self, request: Request) -> Hashable:
        """The owner whose turn a request needs.

        An unknown credential is authenticated first. Otherwise each spelling of a token would have the turns of its
        address in addition to those of its user.
        """
        owners = self._authenticator.owners
        if owners.is_new(request):
            turns = [self._reading.turns_of(owners.owner(request))]
            with contextlib.suppress(PodiumError):  # the work raises it again
                await run_in_turn(self._readers.short, turns, partial(self._authenticator.user, request), None)
        owner, slot = owners.owner(request), request.scope["state"]["slot"]
        if isinstance(owner, str) and not slot.assign(owner):
            raise HTTPException(responses.UNAVAILABLE)
        return owner


class TurnLimiter:
    """Limits the work that each user, or each project, has in one kind of threads at one time."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._turns: WeakValueDictionary[Hashable, asyncio.Semaphore] = WeakValueDictionary()

    def turns_of(self, owner: Hashable) -> asyncio.Semaphore:
        """The turns of one owner: one for each work in a thread or in front of it, first come, first served."""
        if (turns := self._turns.get(owner)) is None:
            turns = self._turns[owner] = asyncio.Semaphore(self._limit)
        return turns


class Readers:
    """The threads for queries: a few for short ones, one for single-flight queries, which all open screens send after
    a change, and one for queries that took long when they were last sent.

    A query is identified by its user and its address. Only processor time counts: a thread that waits for the
    authorization service does not delay other queries.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self.short = ThreadPoolExecutor(READERS, thread_name_prefix="podium-read")
        self._single_flight = BatchThread(snapshot, "podium-single-flight")
        self._long = ThreadPoolExecutor(1, thread_name_prefix="podium-long-read")
        self._long_queries: set[Hashable] = set()

    def threads_for(self, query: Hashable, single_flight: bool) -> Threads:
        """The threads for a query; an unknown one counts as short."""
        if query in self._long_queries:
            return self._long
        return self._single_flight if single_flight else self.short

    def shutdown(self) -> None:
        """Wait for the running queries; the others are dropped."""
        for threads in (self.short, self._single_flight, self._long):
            threads.shutdown(cancel_futures=True)

    def run_timed(self, query: Hashable, work: Callable[[], T]) -> T:
        """Return the result of a query's work, and remember whether it took long. Safe in any thread."""
        begun = thread_time()
        try:
            return work()
        finally:
            if thread_time() - begun < LONG_SECONDS:
                self._long_queries.discard(query)
            else:
                if len(self._long_queries) >= MAX_LONG:
                    self._long_queries = set()
                self._long_queries.add(query)


MAX_BATCH = 32
"""The most works of one batch, whose results are handed over together: some ten milliseconds."""


class BatchThread:
    """A thread for what many clients ask at one time. All that waits for it is read on one snapshot, and handed over in
    one step of the event loop: for 200 screens a transaction and a wake-up each would be a quarter of the work.

    The snapshot is newer than each request in the batch.
    """

    def __init__(self, snapshot: Snapshot, name: str) -> None:
        self._snapshot = snapshot
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=name)
        self._waiting: deque[tuple[Future[Any], Callable[[], Any]]] = deque()
        self._is_called = False
        """True from when the thread is called until it looks at what waits."""

    def submit(self, run: Callable[[Callable[[], T]], T], work: Callable[[], T], /) -> Future[T]:
        """Give work to the thread, in the event loop. The result comes in a step of the loop."""
        future: Future[T] = Future()
        self._waiting.append((future, partial(run, work)))
        self._call(asyncio.get_running_loop())
        return future

    def _call(self, loop: asyncio.AbstractEventLoop) -> None:
        if not self._is_called:
            self._is_called = True
            self._thread.submit(self._work, loop)

    def _work(self, loop: asyncio.AbstractEventLoop) -> None:
        self._is_called = False  # first, so that what comes from now on calls again
        taken = [self._waiting.popleft() for _ in range(min(MAX_BATCH, len(self._waiting)))]
        if self._waiting:
            self._call(loop)
        batch = [each for each in taken if each[0].set_running_or_notify_cancel()]
        results: list[Any] = []
        try:
            self._snapshot(lambda: results.extend([work() for _, work in batch]))
        except Exception:  # noqa: BLE001 (each of them alone says what it is)
            settle = [_settling(future, work) for future, work in batch]
        else:
            settle = [partial(future.set_result, each) for (future, _), each in zip(batch, results, strict=True)]
        with contextlib.suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(lambda: [step() for step in settle])

    def shutdown(self, *, cancel_futures: bool) -> None:
        """Wait for the running batch; the others are dropped."""
        while cancel_futures and self._waiting:
            self._waiting.popleft()[0].cancel()
        self._thread.shutdown()


def _settling(future: Future[T], work: Callable[[], T]) -> Callable[[], None]:
    """Do work, and return the function that gives its result or its error to a future."""
    try:
        return partial(future.set_result, work())
    except BaseException as error:  # noqa: BLE001 (as an executor does)
        return partial(future.set_exception, error)


Threads: TypeAlias = ThreadPoolExecutor | BatchThread


async def run_in_turn(
    threads: Threads, turns: Sequence[asyncio.Semaphore], work: Callable[[], T], seconds: float | None
) -> T:
    """Return the result of ``work`` in a thread, after all of its turns, which last until it ends.

    Raises TimeoutError, and HTTPException (503) if the server stops. The work may then still be running.
    """
    loop = asyncio.get_running_loop()
    waiting: asyncio.Future[T] = loop.create_future()

    def over(begun: Future[T]) -> None:
        release(turns)
        if waiting.done():
            return
        if begun.cancelled():
            waiting.cancel()
        elif error := begun.exception():
            waiting.set_exception(error)
        else:
            waiting.set_result(begun.result())

    try:
        async with asyncio.timeout(seconds or limits.WORK_SECONDS):
            begun = await submit(threads, turns, work)
            begun.add_done_callback(partial(_call_in, loop, over))
            try:
                return await waiting
            except asyncio.CancelledError:
                begun.cancel()  # drops it if it has not begun
                raise
    except asyncio.CancelledError:  # the server stops, and its grace period is over
        raise HTTPException(responses.UNAVAILABLE) from None


def _call_in(loop: asyncio.AbstractEventLoop, step: Callable[[Future[T]], None], begun: Future[T]) -> None:
    """Call ``step`` in the thread of a loop: at once if this is it."""
    try:
        is_here = asyncio.get_running_loop() is loop
    except RuntimeError:
        is_here = False
    if is_here:
        step(begun)
    else:
        loop.call_soon_threadsafe(step, begun)


async def submit(threads: Threads, turns: Sequence[asyncio.Semaphore], work: Callable[[], T]) -> Future[T]:
    """Give ``work`` to the threads after all of its turns, which the caller releases. Raises CancelledError."""
    taken: list[asyncio.Semaphore] = []
    try:
        for each in turns:
            await each.acquire()
            taken.append(each)
        return threads.submit(run_and_trim, work)
    except BaseException:
        release(taken)
        raise


def release(turns: Sequence[asyncio.Semaphore]) -> None:
    """End turns."""
    for each in turns:
        each.release()


def run_and_trim(work: Callable[[], T]) -> T:
    """Return the result of ``work``, and give free memory back to the system if it took long: otherwise the C library
    keeps it for each thread, and a few queries about large projects double the memory of a server."""
    begun = thread_time()
    try:
        return work()
    finally:
        if thread_time() - begun >= LONG_SECONDS:
            limits.give_back_the_rest()


MOST_SECONDS, WITHIN_SECONDS = 10.0, 60.0
"""Seconds of processor time of the writer, and the time within which they are counted."""

LEAST_SECONDS = 1e-6
"""Less than any command takes."""

BEHIND_SECONDS = 10.0
"""The most seconds that one command waits behind those of others: less than a request may take."""


class WriterUse:
    """The time that each person has used of the writer lately, and the commands of the others."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._last: deque[tuple[float, Hashable, float]] = deque()
        self._used: defaultdict[Hashable, float] = defaultdict(float)
        self.in_turn, self.nobody = 0, asyncio.Event()
        """The commands of those who wait behind nobody."""

    def run_timed(self, owner: Hashable, work: Callable[[], T]) -> T:
        """Return the result of ``work``, and count its processor time for its owner. Safe in any thread."""
        begun = thread_time()
        try:
            return work()
        finally:
            self.add(owner, thread_time() - begun)

    def add(self, owner: Hashable, seconds: float) -> None:
        """Count seconds that a command has used."""
        with self._lock:
            self._last.append((monotonic(), owner, seconds))
            self._used[owner] += seconds

    def is_much(self, owner: Hashable) -> bool:
        """Return whether the owner waits behind all others now."""
        with self._lock:
            while self._last and self._last[0][0] < monotonic() - WITHIN_SECONDS:
                _, other, seconds = self._last.popleft()
                self._used[other] -= seconds
                if self._used[other] < LEAST_SECONDS:  # what rounding leaves of people who have sent nothing lately
                    del self._used[other]
            return self._used.get(owner, 0.0) >= MOST_SECONDS


class WriterTurn(asyncio.Semaphore):
    """The turn of one command, which comes at once, or behind all others."""

    def __init__(self, use: WriterUse, owner: Hashable) -> None:
        super().__init__()
        self._use, self._owner, self._is_behind = use, owner, False

    async def acquire(self) -> Literal[True]:
        use, ends = self._use, monotonic() + BEHIND_SECONDS
        while (much := use.is_much(self._owner)) and use.in_turn and monotonic() < ends:
            use.nobody.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(0.5):  # then the minute may be over
                    await use.nobody.wait()
        self._is_behind = much
        use.in_turn += not much
        return True

    def release(self) -> None:
        self._use.in_turn -= not self._is_behind
        if not self._use.in_turn:
            self._use.nobody.set()
