"""Textual's driver of a terminal, for a program that is stopped and continued from outside."""

from __future__ import annotations

import os
import signal
import time

from textual import events
from textual.drivers.linux_driver import LinuxDriver
from textual.message import Message

from tui.terminal.lifecycle import is_in_background, is_in_front, is_leaving

MOMENT = 0.1
"""Seconds in which a signal is handled that came just before SIGCONT: the system may give it to another thread, which
is later. A stopped Podium would never handle it."""


class TerminalDriver(LinuxDriver):
    """Starts anew after SIGCONT in an orderly way, whatever stopped it.

    A debugger, ``cpulimit`` or ``kill -STOP`` stop a program without SIGTSTP. Textual then starts a second time while
    it still runs: two threads share the keys between them, and the raw modes of the line are taken for those of before.
    """

    def process_message(self, message: Message) -> None:
        """Take a newline for enter: so the terminal itself sends what was typed before it was set up for a screen."""
        if isinstance(message, events.Key) and message.key == "ctrl+j":
            message = events.Key("enter", "\r")
        super().process_message(message)

    def _sigcont_application(self, *_: object) -> None:
        if is_leaving():  # a shell that ends a stopped program sends SIGCONT after SIGTERM or SIGHUP
            return
        if is_in_background():
            time.sleep(MOMENT)
            if not is_leaving():
                os.kill(os.getpid(), signal.SIGSTOP)  # until the terminal is given back
            return
        if not is_in_front():  # a terminal that hangs up sends SIGCONT, too; Podium is about to end
            return
        if self._auto_restart and not self._must_signal_resume:
            self.suspend_application_mode()
            self._must_signal_resume = True
        super()._sigcont_application()
