"""Fairness in time: who has used the writer for ten seconds of a minute waits behind all others until that is over.

Turns alone let each person send one command after the other, and some take a second. Nothing is refused for it: such a
command goes on as soon as nobody else has one here, and after BEHIND_SECONDS anyway.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import defaultdict, deque
from collections.abc import Callable, Hashable
from threading import Lock
from time import monotonic, thread_time
from typing import Literal, TypeVar

T = TypeVar("T")

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

    def timed(self, owner: Hashable, work: Callable[[], T]) -> T:
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
