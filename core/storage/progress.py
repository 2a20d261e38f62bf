"""The progress of long commands, and their cancellation."""

from __future__ import annotations

import threading
from collections.abc import Callable

from core.errors import Cancelled

NOTHING_KEPT = "Stopped. Nothing of it was kept."


def _ignore(done: int, total: int) -> None:
    """Report nothing."""


class Progress:
    """The progress of a command, reported from its thread; any thread may call ``cancel``."""

    def __init__(self, report: Callable[[int, int], None] = _ignore) -> None:
        """``report`` gets the number of steps that are done and the number of all steps, in the thread of the command.

        Without it nothing is reported, and the command can still be cancelled.
        """
        self.report = report
        self._cancelled = threading.Event()
        self._deciding = threading.Lock()
        self._goes_on = False

    def cancel(self) -> None:
        """Make the command stop at its next step; nothing of it is kept."""
        self._cancelled.set()

    def give_up(self) -> None:
        """Cancel the command because its request was abandoned, unless ``go_on`` was called."""
        with self._deciding:
            if not self._goes_on:
                self.cancel()

    def go_on(self) -> None:
        """From here on, run to the end even if the request is abandoned, because a part of the command is committed.

        Raises Cancelled if the command was cancelled before.
        """
        with self._deciding:
            self.check_not_cancelled()
            self._goes_on = True

    def step(self, done: int, total: int) -> None:
        """Report ``done`` of ``total`` steps. Raises Cancelled, which undoes the whole transaction."""
        self.check_not_cancelled()
        self.report(done, total)

    def check_not_cancelled(self) -> None:
        """Raise Cancelled if the command was cancelled."""
        if self.cancelled:
            raise Cancelled(NOTHING_KEPT)

    @property
    def cancelled(self) -> bool:
        """True once the command was cancelled."""
        return self._cancelled.is_set()


NO_PROGRESS = Progress()
"""The progress of a command whose progress is not shown."""
