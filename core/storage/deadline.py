"""When a transaction is given up: when nobody waits for it any more, or after as long as one may take."""

from __future__ import annotations

import time

from core.errors import TookTooLong
from core.progress import Progress

WRITE_SECONDS = 5.0
"""For a transaction that writes: everybody else who writes waits for it. An import takes many."""

READ_SECONDS = 20.0
"""For one that reads: less than a server gives a request, so that its sender hears why."""

LOOK_EVERY = 10_000
"""Instructions of SQLite between two looks at the clock: about a millisecond."""


class Deadline:
    """Of one transaction. It is looked at before each statement, and from inside of long ones."""

    def __init__(self, seconds: float, progress: Progress) -> None:
        self._seconds = seconds
        self._ends = time.monotonic() + seconds
        self._progress = progress

    def is_over(self) -> bool:
        """Whether the transaction is given up. SQLite calls this, and stops the statement then."""
        return self._progress.cancelled or time.monotonic() > self._ends

    def look(self) -> None:
        """Raises Cancelled or TookTooLong where the transaction is given up."""
        self._progress.refuse_cancelled()
        if time.monotonic() > self._ends:
            raise TookTooLong(self._seconds)
