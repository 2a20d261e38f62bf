"""How often one may try to sign in: a token cannot be guessed, but asking the server costs it something."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

TRIES = 10
"""Of one address within ``TRIES_SECONDS``, as long as they fail."""

TRIES_SECONDS = 60.0

MAX_ADDRESSES = 10_000
"""That are counted at one time; then the one that began longest ago is forgotten."""


class Tries:
    """The sign-ins that are under way, or failed a moment ago, by address."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._of: dict[str, deque[float]] = {}

    def __len__(self) -> int:
        return len(self._of)

    def begin(self, address: str) -> bool:
        """Count a try before it is made; False where it may not be made."""
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
        """Take the last one back, which did not fail."""
        if tries := self._of.get(address):
            tries.pop()
            if not tries:
                del self._of[address]
