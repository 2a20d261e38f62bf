"""When a transaction is given up: when nobody waits for it any more, or after as long as one may take."""

from __future__ import annotations

import time

from core.errors import TookTooLong
from core.storage.progress import Progress

WRITE_SECONDS = 1.0
"""Of processor time, for a transaction that writes: everybody else who writes waits for it. An import takes many.

It is not measured by the clock, by which a busy machine or a slow disk would stop what asks for little.
"""

READ_SECONDS = 20.0
"""The same for one that reads."""

SLOWEST_SECONDS = 20.0
"""By the clock, for both: less than a server gives a request, so that its sender hears why."""

LOOK_EVERY = 10_000
"""Instructions of SQLite between two looks at the clock: about a millisecond."""


class Deadline:
    """Of one transaction. It is looked at before each statement, and from inside of long ones."""

    def __init__(self, seconds: float, progress: Progress) -> None:
        self._seconds = seconds
        self._used_up = time.thread_time() + seconds
        self._ends = time.monotonic() + max(seconds, SLOWEST_SECONDS)
        self._progress = progress

    def is_over(self) -> bool:
        """Whether the transaction is given up. SQLite calls this, and stops the statement then."""
        return self._progress.cancelled or self._is_late()

    def look(self) -> None:
        """Raises Cancelled or TookTooLong where the transaction is given up."""
        self._progress.check_not_cancelled()
        if self._is_late():
            raise TookTooLong(self._seconds)

    def _is_late(self) -> bool:
        return time.thread_time() > self._used_up or time.monotonic() > self._ends
