"""Long commands say how far they are, and can be stopped."""

from __future__ import annotations

import threading
from collections.abc import Callable

from core.errors import Cancelled

NOTHING_KEPT = "Stopped. Nothing of it was kept."


def _ignore(done: int, total: int) -> None:
    """Report nothing."""


class Progress:
    """How far a command is, told from the thread that carries it out; ``cancel`` may be called from any thread."""

    def __init__(self, tell: Callable[[int, int], None] = _ignore) -> None:
        """``tell`` is called with the steps that are done and all steps, in the thread of the command.

        Without it nothing is reported, and the command can still be cancelled.
        """
        self.tell = tell
        self._cancelled = threading.Event()
        self._deciding = threading.Lock()
        self._goes_on = False

    def cancel(self) -> None:
        """Have the command stop at its next step; nothing of it will be kept."""
        self._cancelled.set()

    def give_up(self) -> None:
        """Stop it, since a request waits for it no more; not where a part of it was done before."""
        with self._deciding:
            if not self._goes_on:
                self.cancel()

    def go_on(self) -> None:
        """Have it go on to its end from here, though no request waits for it any more: a part of it is done.

        Raises Cancelled where it was stopped before.
        """
        with self._deciding:
            self.check_not_cancelled()
            self._goes_on = True

    def step(self, done: int, total: int) -> None:
        """Say that so many steps are done. Raises Cancelled, which takes the whole transaction back."""
        self.check_not_cancelled()
        self.tell(done, total)

    def check_not_cancelled(self) -> None:
        """Raises Cancelled where somebody wants it stopped."""
        if self.cancelled:
            raise Cancelled(NOTHING_KEPT)

    @property
    def cancelled(self) -> bool:
        """Whether somebody wants it stopped."""
        return self._cancelled.is_set()


NO_PROGRESS = Progress()
"""Of a command that nobody watches."""
