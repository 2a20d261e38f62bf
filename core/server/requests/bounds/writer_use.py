"""Fairness in time: a person who has used the writer for long waits behind all others until a minute has passed.

Turns alone let each person send one command after the other, and some take a second. Nothing is refused for it: who
waits behind the others goes on as soon as nobody else has a command here, and after BEHIND_SECONDS anyway.
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

MOST_SECONDS = 10.0
"""Seconds of processor time of the writer that one person can use within WITHIN_SECONDS and still wait in turn."""

WITHIN_SECONDS = 60.0

BEHIND_SECONDS = 10.0
"""The most seconds that one command waits behind those of others: less than a request may take."""

LOOK_SECONDS = 0.5
"""Seconds between two looks at whether the minute is over."""


class WriterUse:
    """The time that each person has used of the writer lately, and the commands of the others. Safe in any thread."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._last: deque[tuple[float, Hashable, float]] = deque()
        """The time at which each command ended, its owner, and its seconds."""
        self._used: defaultdict[Hashable, float] = defaultdict(float)
        self.in_turn = 0
        """The commands, waiting and running, of people who do not wait behind others."""
        self.nobody = asyncio.Event()
        """Set while there are none."""
        self.nobody.set()

    def timed(self, owner: Hashable, work: Callable[[], T]) -> Callable[[], T]:
        """Return ``work``, which also counts its processor time for its owner."""

        def run() -> T:
            begun = thread_time()
            try:
                return work()
            finally:
                self.add(owner, thread_time() - begun)

        return run

    def add(self, owner: Hashable, seconds: float) -> None:
        """Count seconds that a command has used."""
        with self._lock:
            self._last.append((monotonic(), owner, seconds))
            self._used[owner] += seconds
            self._forget()

    def is_much(self, owner: Hashable) -> bool:
        """Return whether the owner waits behind all others now."""
        with self._lock:
            self._forget()
            return self._used.get(owner, 0.0) >= MOST_SECONDS

    def _forget(self) -> None:
        """Forget what is longer ago than a minute."""
        while self._last and self._last[0][0] < monotonic() - WITHIN_SECONDS:
            _, owner, seconds = self._last.popleft()
            self._used[owner] -= seconds
        if not self._last:
            self._used.clear()


class WriterTurn(asyncio.Semaphore):
    """The turn of one command, which comes at once, or behind all others."""

    def __init__(self, use: WriterUse, owner: Hashable) -> None:
        super().__init__(1)
        self._use, self._owner = use, owner
        self._in_turn = False

    async def acquire(self) -> Literal[True]:
        """Wait while others have commands, if the owner has used the writer for long. Raises CancelledError."""
        use, ends = self._use, monotonic() + BEHIND_SECONDS
        while (much := use.is_much(self._owner)) and not use.nobody.is_set() and monotonic() < ends:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LOOK_SECONDS):
                    await use.nobody.wait()
        if not much:
            self._in_turn = True
            use.in_turn += 1
            use.nobody.clear()
        return True

    def release(self) -> None:
        """End the turn."""
        if self._in_turn:
            self._in_turn = False
            self._use.in_turn -= 1
            if not self._use.in_turn:
                self._use.nobody.set()
