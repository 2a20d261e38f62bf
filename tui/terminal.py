"""Living with a terminal: it may be missing, hang up, stop and go on, or send bytes that are no text."""

from __future__ import annotations

import codecs
import os
import signal
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

GRACE_SECONDS = 3
"""How long the screen gets to close after a hang-up before the process is ended."""


def has_terminal() -> bool:
    """Whether there is a terminal to draw on; the web driver brings its own."""
    return "TEXTUAL_DRIVER" in os.environ or (sys.stdin.isatty() and sys.stdout.isatty())


def leave_on_signals(leave: Callable[[int], None]) -> None:
    """Leave cleanly on SIGHUP and SIGTERM, with the exit status that tells which.

    A handler of the loop would wait for a busy loop, and a hang-up that is ignored would spin for ever on a closed
    terminal, so the handler is the system's, and an alarm ends what does not end by itself.
    """

    def handle(number: int, _frame: FrameType | None) -> None:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(GRACE_SECONDS)
        leave(128 + number)

    for name in ("SIGHUP", "SIGTERM"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), handle)


def accept_any_bytes() -> None:
    """Read what is not UTF-8 as replacement characters; Textual's driver would end the program (its issue 6456)."""
    from textual.drivers import linux_driver

    linux_driver.getincrementaldecoder = _lenient  # type: ignore[attr-defined]


def _lenient(encoding: str) -> Callable[..., Any]:
    decoder = codecs.getincrementaldecoder(encoding)
    return lambda _errors="strict": decoder("replace")
