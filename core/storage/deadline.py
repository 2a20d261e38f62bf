"""The end of a transaction that runs too long, or that is cancelled because its result is not needed any more."""

from __future__ import annotations

import time

from core.errors import TookTooLong
from core.storage.progress import Progress

WRITE_SECONDS = 1.0
"""Seconds of processor time for a transaction that writes, because all other writers wait for it. An import has more.

Processor time is measured, because on a busy machine or a slow disk even small transactions take long by the clock.
"""

READ_SECONDS = 20.0
"""Seconds of processor time for a transaction that reads."""

SLOWEST_SECONDS = 20.0
"""Seconds by the clock for either: less than a server allows a request, so that its sender learns the reason."""

CHECK_EVERY = 10_000
"""Instructions of SQLite between two checks of the deadline: about a millisecond."""


class Deadline:
    """The deadline of one transaction. It is checked before each statement, and during long ones."""

    def __init__(self, seconds: float, progress: Progress) -> None:
        self._seconds = seconds
        self._used_up = time.thread_time() + seconds
        self._ends = time.monotonic() + max(seconds, SLOWEST_SECONDS)
        self._progress = progress

    @property
    def is_cancelled(self) -> bool:
        """True if the sender does not need the result any more."""
        return self._progress.cancelled

    def is_over(self) -> bool:
        """Return True if the transaction has to end. SQLite calls this during a statement, and then stops it."""
        return self._progress.cancelled or self._is_late()

    def is_over_by_clock(self) -> bool:
        """Return True as ``is_over`` does, without the processor time, which only the thread itself can read."""
        return self._progress.cancelled or time.monotonic() > self._ends

    def check(self) -> None:
        """Raise Cancelled or TookTooLong if the transaction has to end."""
        self._progress.check_not_cancelled()
        if self._is_late():
            raise TookTooLong(SLOWEST_SECONDS if time.monotonic() > self._ends else self._seconds)

    def _is_late(self) -> bool:
        return time.thread_time() > self._used_up or time.monotonic() > self._ends
