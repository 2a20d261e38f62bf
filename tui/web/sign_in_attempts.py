"""The limit of sign-in attempts per address. It protects the server's time; a token cannot be guessed anyway."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

TRIES = 10
"""Most failed attempts of one address within ``TRIES_SECONDS``."""

TRIES_SECONDS = 60.0

MAX_ADDRESSES = 10_000
"""Most addresses that are counted; above that, the oldest is dropped."""


class SignInAttempts:
    """The attempts in progress or failed lately, by address."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._of: dict[str, deque[float]] = {}

    def __len__(self) -> int:
        return len(self._of)

    def begin(self, address: str) -> bool:
        """Count an attempt before it is made. Return False if the limit is reached."""
        since = self._clock() - TRIES_SECONDS
        while self._of and (len(self._of) >= MAX_ADDRESSES or next(iter(self._of.values()))[-1] <= since):
            self._of.pop(next(iter(self._of)))
        tries = self._of.setdefault(address, deque())
        while tries and tries[0] <= since:
            tries.popleft()
        if len(tries) >= TRIES:
            return False
        tries.append(self._clock())
        return True

    def forget(self, address: str) -> None:
        """Do not count the last attempt, which did not fail."""
        if tries := self._of.get(address):
            tries.pop()
            if not tries:
                del self._of[address]
