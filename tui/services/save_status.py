"""The save status of the user's changes: saved, saving, not saved or offline; and reading, during a long query."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

OFFLINE = "✗ offline, reconnecting"

READING_SHOWN_AFTER = 1.0
"""Seconds before "reading" is shown, to explain a long wait."""


@dataclass(slots=True)
class SaveStatus:
    """The save status in the title line. A change counts as saved only when it is on disk."""

    waiting: int = 0
    reading: int = 0
    """The number of queries that have waited longer than that."""
    fault: str = ""
    passes: bool = False
    """True if the fault is over as soon as the database answers."""
    online: bool = True
    """True while the backend can be reached."""
    read_only: bool = False
    """True if the database was not writable when it was opened, and no change was saved since."""

    def begin(self) -> None:
        self.waiting += 1

    def end(self, fault: str = "", *, passes: bool = False) -> None:
        self.waiting -= 1
        self.fault, self.passes = fault, passes
        self.read_only = self.read_only and bool(fault)

    def hear(self, *, online: bool) -> None:
        """Update the state of the connection. When it is back, an earlier failure is cleared."""
        self.online = online
        if online:
            self.fault = ""

    @contextlib.contextmanager
    def question(self, show: Callable[[], None]) -> Iterator[None]:
        """Context of a query that waits for its answer. If it takes long, calls ``show``, and again at its end.

        An answer ends a fault that was a database away.
        """
        is_long = False

        def note() -> None:
            nonlocal is_long
            is_long = True
            self.reading += 1
            show()

        timer = asyncio.get_running_loop().call_later(READING_SHOWN_AFTER, note)
        try:
            yield
            if self.fault and self.passes:
                self.fault = ""
                show()
        finally:
            timer.cancel()
            if is_long:
                self.reading -= 1
                show()

    @property
    def is_saved(self) -> bool:
        """True if all changes are on disk."""
        return self.online and not (self.fault or self.waiting or self.read_only)

    def words(self) -> tuple[str, str]:
        """The status in words, with a symbol, and its style."""
        if not self.online:
            return OFFLINE, "bold $text-error"
        if self.read_only:
            return "read only", "bold $text-warning"
        if self.fault:
            return "✗ not saved", "bold $text-error"
        if self.waiting:
            return "… saving", "$text-warning"
        if self.reading:
            return "… reading", "$text-warning"
        return "✓ saved", "$text-success"
