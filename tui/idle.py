"""Leaving when nobody has touched a key or the mouse for long: on a shared host that is told to end what is forgotten.

Over SSH nothing else does: a client that is stopped, or a machine that sleeps behind a connection that is kept, still
takes what is drawn, and sshd asks only a silent line whether anybody is there.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from textual import events

from tui.terminal import end_in_any_case

if TYPE_CHECKING:
    from tui.app import PodiumApp

MINUTE = 60.0
"""Seconds."""

TOUCHES = (events.InputEvent, events.Paste)


class IdleLimit:
    """Ends the application after some minutes without a touch."""

    def __init__(self, app: PodiumApp) -> None:
        self.minutes = 0
        """0 means never."""
        self._app = app
        self._touched = 0.0

    def begin(self) -> None:
        """Count from now on."""
        self.touch()
        if self.minutes:
            self._wait(self.minutes * MINUTE)

    def touch(self) -> None:
        """The person is there, or comes back from a product that had the terminal."""
        self._touched = time.monotonic()

    def saw(self, event: events.Event) -> None:
        """Look at an event that may be of the person's."""
        if isinstance(event, TOUCHES):
            self.touch()

    def _wait(self, seconds: float) -> None:
        self._app.set_timer(seconds, self._look)

    def _look(self) -> None:
        left = self._touched + self.minutes * MINUTE - time.monotonic()
        if left > 0:
            self._wait(left)
        else:
            end_in_any_case()
            self._app.exit(message=f"Podium was left: nobody touched a key for {self.minutes} min.")
