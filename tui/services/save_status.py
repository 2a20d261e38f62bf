"""The honest state of one's own changes: saved, saving, not saved, or nobody there who could say; and a long wait."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

OFFLINE = "✗ offline, trying again"

READING_SHOWN_AFTER = 1.0
"""Seconds before "reading" is shown: what a person waits for that long needs a reason."""


@dataclass(slots=True)
class SaveStatus:
    """What the title line says. A change counts as saved only when it is on disk."""

    waiting: int = 0
    reading: int = 0
    """Questions that have no answer for a while now."""
    fault: str = ""
    online: bool = True
    """Whether what has the data can be reached."""
    read_only: bool = False
    """Whether the database could not be written when it was opened, and nothing was since."""

    def begin(self) -> None:
        self.waiting += 1

    def end(self, fault: str = "") -> None:
        self.waiting -= 1
        self.fault = fault
        self.read_only = self.read_only and bool(fault)

    def hear(self, *, online: bool) -> None:
        """Take news of the connection. What failed before it was lost is seen anew when it is back."""
        self.online = online
        if online:
            self.fault = ""

    @contextlib.contextmanager
    def question(self, show: Callable[[], None]) -> Iterator[None]:
        """While a question waits for its answer; ``show`` is called when that takes long, and when it is over then."""
        is_long = False

        def note() -> None:
            nonlocal is_long
            is_long = True
            self.reading += 1
            show()

        timer = asyncio.get_running_loop().call_later(READING_SHOWN_AFTER, note)
        try:
            yield
        finally:
            timer.cancel()
            if is_long:
                self.reading -= 1
                show()

    @property
    def is_saved(self) -> bool:
        """Whether all is known to be on disk."""
        return self.online and not (self.fault or self.waiting or self.read_only)

    def words(self) -> tuple[str, str]:
        """The words, with a sign that does not need colour, and their style."""
        if not self.online:
            return OFFLINE, "bold $error"
        if self.read_only:
            return "read only", "bold $warning"
        if self.fault:
            return "✗ not saved", "bold $error"
        if self.waiting:
            return "… saving", "$warning"
        if self.reading:
            return "… reading", "$warning"
        return "✓ saved", "$success"
