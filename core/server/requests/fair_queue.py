"""Each person's turn in the threads of the server: whoever sends much at once waits for themselves, others do not.

A turn is had before a thread is, so that what waits for its sender's own turn keeps no thread and nobody's place.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from time import thread_time
from typing import TypeVar
from weakref import WeakValueDictionary

from starlette.exceptions import HTTPException
from starlette.requests import Request

from core.domain.model import Id
from core.server.requests import limits, responses

T = TypeVar("T")

READERS = 4
"""Threads for short queries; more than the cores, since some wait for the authorization service."""

LONG_SECONDS = 0.1
"""Of a processor, for one question: from here on it keeps others waiting. Most take a hundredth of it."""

MAX_KNOWN = 10_000
"""Proofs of who somebody is whose people are remembered; then all are forgotten, and found out again."""


class People:
    """Whose a request is, as far as that is known before the database is asked."""

    def __init__(self) -> None:
        self._known: dict[Hashable, Id] = {}

    def whose(self, request: Request) -> Hashable:
        """The person who came by this proof before, whichever of their tokens it is; else the account or address that
        it comes from, so that made-up tokens make nobody many."""
        known = self._known.get(credential_of(request))
        peer, client = request.scope["state"]["peer"], request.client
        return known or (peer.uid if peer else client and client.host,)

    def is_new(self, request: Request) -> bool:
        """Whether it comes with a header that is not known, or is not valid."""
        sent, _ = proof = credential_of(request)
        return bool(sent) and proof not in self._known

    def learn(self, request: Request, user_id: Id | None) -> None:
        """Note whose the proof was that came with a request; nobody's, if it is not valid any more. From any thread."""
        if user_id is None:
            self._known.pop(credential_of(request), None)
            return
        if len(self._known) >= MAX_KNOWN:
            self._known = {}
        self._known[credential_of(request)] = user_id


class UserLimiter:
    """Of one pool of threads: how many pieces of work of one person are in it at one time."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._of: WeakValueDictionary[Hashable, asyncio.Semaphore] = WeakValueDictionary()

    def of(self, whose: Hashable) -> asyncio.Semaphore:
        """To be held as long as work of theirs is in a thread, or waits for one; they come in their order."""
        if (turns := self._of.get(whose)) is None:
            turns = self._of[whose] = asyncio.Semaphore(self._most)
        return turns


class Readers:
    """The threads for queries: a few for short ones, one for single-flight queries, which all open screens send after
    a change, and one that all share which took long when they were last asked.

    What is asked is known by its person and its address. Only seconds of a processor count: a thread that waits for the
    authorization service keeps nobody else waiting.
    """

    def __init__(self) -> None:
        self.few = ThreadPoolExecutor(READERS, thread_name_prefix="podium-read")
        self._single_flight = ThreadPoolExecutor(1, thread_name_prefix="podium-single-flight")
        self._one = ThreadPoolExecutor(1, thread_name_prefix="podium-long-read")
        self._long: set[Hashable] = set()

    def of(self, asked: Hashable, single_flight: bool) -> ThreadPoolExecutor:
        """The threads for a question; one that is new here is taken for a short one."""
        if asked in self._long:
            return self._one
        return self._single_flight if single_flight else self.few

    def shutdown(self) -> None:
        """Wait for what is under way; the rest never begins."""
        for threads in (self.few, self._single_flight, self._one):
            threads.shutdown(cancel_futures=True)

    def timed(self, asked: Hashable, work: Callable[[], T]) -> T:
        """The result of work for a question, whose time is remembered. From any thread."""
        begun = thread_time()
        try:
            return work()
        finally:
            if thread_time() - begun < LONG_SECONDS:
                self._long.discard(asked)
            else:
                if len(self._long) >= MAX_KNOWN:
                    self._long = set()
                self._long.add(asked)


async def done(pool: ThreadPoolExecutor, turns: asyncio.Semaphore, work: Callable[[], T], seconds: float | None) -> T:
    """The result of work in a thread. Its turn lasts as long as it does, also when nobody waits for it any more.

    Raises TimeoutError, and what stands for the answer 503 when the server stops.
    """
    loop = asyncio.get_running_loop()
    waiting: asyncio.Future[T] = loop.create_future()

    def over(begun: Future[T]) -> None:
        turns.release()
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
            await turns.acquire()
            begun = pool.submit(tidily, work)
            begun.add_done_callback(lambda begun: loop.call_soon_threadsafe(over, begun))
            try:
                return await waiting
            except asyncio.CancelledError:
                begun.cancel()  # what has not begun by now never does
                raise
    except asyncio.CancelledError:  # the server stops, and has waited for as long as it does
        raise HTTPException(responses.UNAVAILABLE) from None


def tidily(work: Callable[[], T]) -> T:
    """The result of work. Where it was long, memory that it took and let go of is given back: else the C library keeps
    it for each thread, and a few questions about large projects leave a server twice as large."""
    begun = thread_time()
    try:
        return work()
    finally:
        if thread_time() - begun >= LONG_SECONDS:
            limits.give_back_the_rest()


def credential_of(request: Request) -> tuple[bytes, int | None]:
    """What shows who sends a request: a hash of its header, which takes 32 bytes whatever was sent, or else the account
    at the other end."""
    peer = request.scope["state"]["peer"]
    sent = [value for name, value in request.scope["headers"] if name == b"authorization"]
    return hashlib.sha256(b"\n".join(sent)).digest() if sent else b"", peer and peer.uid
