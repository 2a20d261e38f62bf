"""Leaving when nobody has touched a key or the mouse for long: on a shared host that is told to end what is forgotten.

Over SSH nothing else does: sshd asks only a silent line whether anybody is there, and a client that is stopped, or a
machine that sleeps behind a connection that is kept, still takes what is drawn.
"""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from typing import TYPE_CHECKING, Any

from textual import events

from tui.terminal.lifecycle import GRACE_SECONDS

if TYPE_CHECKING:
    from tui.terminal.terminal_app import TerminalApp

MINUTE = 60.0
"""Seconds."""

TOUCHES = (events.InputEvent, events.Paste)


class IdleTimeout:
    """Ends the application after some minutes without a touch.

    A thread looks at the time, since the loop waits for a terminal that takes nothing more.
    """

    def __init__(self, app: TerminalApp[Any]) -> None:
        self.minutes = 0
        """0 means never."""
        self._app = app
        self._touched = 0.0

    def begin(self) -> None:
        """Count from now on."""
        self.touch()
        if self.minutes:
            self._app.app_suspend_signal.subscribe(self._app, self._be_patient)
            threading.Thread(target=self._watch, name="idle limit", daemon=True).start()

    def touch(self) -> None:
        """The person is there, or comes back to this terminal."""
        self._touched = time.monotonic()

    def saw(self, event: events.Event) -> None:
        """Look at an event that may be of the person's."""
        if isinstance(event, TOUCHES):
            self.touch()

    def _be_patient(self, _: object) -> None:
        """A product has the terminal, and the keys."""
        self._touched = float("inf")

    def _watch(self) -> None:
        while (left := self._touched + self.minutes * MINUTE - time.monotonic()) > 0:
            time.sleep(min(left, MINUTE))
        with contextlib.suppress(RuntimeError):  # the loop may have ended first
            self._app.leave(0, f"Podium was left: nobody touched a key for {self.minutes} min.")
        time.sleep(GRACE_SECONDS)
        if self._app.is_running:
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGHUP)
