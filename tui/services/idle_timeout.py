"""Quitting when the user is idle, for shared hosts whose administrator sets a limit.

Over SSH nothing else ends a forgotten session: sshd checks only silent connections, and a client that is stopped, or
sleeps behind a kept connection, still receives output.
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
"""In seconds."""

TOUCHES = (events.InputEvent, events.Paste)


class IdleTimeout:
    """Quits the application after some minutes without a key or the mouse.

    A thread checks the time, because the event loop can wait for a blocked terminal.
    """

    def __init__(self, app: TerminalApp[Any]) -> None:
        self.minutes = 0
        """The limit in minutes; 0 means never."""
        self._app = app
        self._touched = 0.0

    def begin(self) -> None:
        """Start to measure."""
        self.touch()
        if self.minutes:
            self._app.app_suspend_signal.subscribe(self._app, self._be_patient)
            threading.Thread(target=self._watch, name="idle limit", daemon=True).start()

    def touch(self) -> None:
        """Restart the measurement: the user is there."""
        self._touched = time.monotonic()

    def saw(self, event: events.Event) -> None:
        """Restart the measurement at an event from keys, mouse or clipboard."""
        if isinstance(event, TOUCHES):
            self.touch()

    def _be_patient(self, _: object) -> None:
        """Pause while a launched product has the terminal."""
        self._touched = float("inf")

    def _watch(self) -> None:
        while (left := self._touched + self.minutes * MINUTE - time.monotonic()) > 0:
            time.sleep(min(left, MINUTE))
        with contextlib.suppress(RuntimeError):  # the loop can have ended first
            self._app.leave(0, f"Podium has quit: no key was pressed for {self.minutes} min.")
        time.sleep(GRACE_SECONDS)
        if self._app.is_running:
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGHUP)
