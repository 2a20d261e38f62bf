"""Textual's terminal driver, with support for a program that another process stops and continues."""

from __future__ import annotations

import contextlib
import fcntl
import os
import selectors
import signal
import struct
import termios
import time
from codecs import getincrementaldecoder
from collections.abc import Callable
from itertools import chain
from threading import Event
from typing import Any

from textual.drivers.linux_driver import LinuxDriver
from textual.message import Message

from core.text.sanitize import visible_line
from tui.terminal.ascii_filter import OLD_TERMINALS
from tui.terminal.background import QUESTION, TerminalBackground
from tui.terminal.lifecycle import STDERR, is_in_background, is_in_front, is_leaving, stop_group
from tui.terminal.pastes import PasteParser

LOOK = 0.1
"""Seconds after which the input thread looks whether it is to end."""

AT_ONCE = 4096
"""Most bytes of one read."""

MOMENT = 0.1
"""Seconds to wait for a signal that was sent just before SIGCONT: the system can deliver it to another thread, which
runs later, and a stopped process would never handle it."""

ANSWER_TIME = 0.5
"""Seconds after a question in which Podium does not leave the terminal, because the shell would get the answer as keys.
Most terminals answer within a few milliseconds."""

KEEP_TITLE, GIVE_TITLE_BACK = "\x1b[22;2t", "\x1b[23;2t"
"""xterm's stack of titles (XTWINOPS)."""

LONGEST_TITLE = 120
"""Characters."""


class TerminalDriver(LinuxDriver):
    """Restarts correctly after SIGCONT, also after SIGSTOP.

    A debugger, ``cpulimit`` or ``kill -STOP`` stop a program without SIGTSTP. Textual would then start a second input
    thread beside the first, so that each gets some of the keys, and would save its raw line modes as the original ones.

    The event loop stops and restarts the terminal, not the handler of a signal: that can interrupt a write, and would
    wait for ever for its lock.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._asked = 0.0
        self._answered = Event()
        self._title = ""
        self._has_title = os.environ.get("TERM", "") not in OLD_TERMINALS

    def ask_background(self) -> None:
        """Ask the terminal for its background colour. The answer, if there is one, is a ``TerminalBackground``."""
        if self.input_tty and os.isatty(STDERR):  # which Textual draws on
            self._asked = time.monotonic()
            self._answered.clear()
            self.write(QUESTION)
            self.flush()

    def process_message(self, message: Message) -> None:
        """Send a message of the input thread to the app."""
        if isinstance(message, TerminalBackground):
            self._answered.set()
        super().process_message(message)

    def start_application_mode(self) -> None:
        """Take the terminal over, at the start and whenever another program had it."""
        if (sent := getattr(self._app, "sent", None)) is not None:
            sent.forget()
        super().start_application_mode()  # type: ignore[no-untyped-call]
        if self._has_title:
            self.write(KEEP_TITLE)
            title, self._title = self._title, ""
            self.name_terminal(title)

    def name_terminal(self, place: str) -> None:
        """Name the window or the tab of the terminal, as xterm has it (OSC 2)."""
        title = visible_line(place)[:LONGEST_TITLE]
        if self._has_title and title and title != self._title:
            self._title = title
            self.write(f"\x1b]2;{title}\x1b\\")

    def stop_application_mode(self) -> None:
        """Restore the terminal, after the answer to a question that was asked just now."""
        self._answered.wait(max(0, self._asked + ANSWER_TIME - time.monotonic()))
        if self._has_title:
            self.write(GIVE_TITLE_BACK)
        super().stop_application_mode()

    def _request_terminal_sync_mode_support(self) -> None:
        """Ask the terminal the questions of its start."""
        super()._request_terminal_sync_mode_support()
        if getattr(self._app, "follows_terminal", False):
            self.ask_background()

    def run_input_thread(self) -> None:
        """Read the input. Newlines that wait at the start are enter: until now the terminal was in cooked mode."""
        PasteParser.typed_ahead = _waiting_bytes(self.fileno)
        parser = PasteParser(self._debug)
        parser.escape_delay = getattr(self._app, "escape_delay", parser.escape_delay)
        decode = getincrementaldecoder("utf-8")("replace").decode  # Textual's driver crashes at other bytes
        with selectors.SelectSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            is_last = False
            while not is_last:
                is_last = self.exit_event.is_set()
                is_ready = selector.select(min(LOOK, parser.seconds_left))
                data = os.read(self.fileno, AT_ONCE) if is_ready else b""
                text = decode(data, final=is_last)
                for message in chain(parser.feed(text) if text else (), parser.tick()):
                    self.process_message(message)
                if is_ready and not data:  # the end of the input, which is ready for ever
                    self.exit_event.wait(LOOK)

    def stop_for_shell(self) -> None:
        """Restore the terminal, then stop with all of the process group."""
        self.suspend_application_mode()
        self._must_signal_resume = True
        stop_group()

    def disable_input(self) -> None:
        """Stop reading keys. Those that were typed meanwhile are dropped, unless another application follows."""
        keys = getattr(self._app, "type_ahead", None)
        if keys is None or not keys.hands_over or self._key_thread is None:
            super().disable_input()
            return
        signal.signal(signal.SIGWINCH, signal.SIG_DFL)
        self._disable_mouse_support()
        self.exit_event.set()
        self._key_thread.join()
        self._key_thread = None
        self.exit_event.clear()

    def _sigtstp_application(self, *_: object) -> None:
        self._soon(super()._sigtstp_application)

    def _sigcont_application(self, *_: object) -> None:
        self._soon(self._go_on)

    def _soon(self, act: Callable[[], None]) -> None:
        """Call ``act`` from the event loop; at once while another program has the terminal and Podium waits for it."""
        if not self._auto_restart:
            act()
            return
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(act)

    def _go_on(self) -> None:
        if is_leaving():  # a shell that terminates a stopped program sends SIGTERM or SIGHUP, then SIGCONT
            return
        if is_in_background():
            time.sleep(MOMENT)
            if not is_leaving():
                os.kill(os.getpid(), signal.SIGSTOP)  # until Podium is in the foreground again
            return
        if not is_in_front():  # a hang-up of the terminal also sends SIGCONT; Podium is about to exit
            return
        if self._auto_restart and not self._must_signal_resume:
            self.suspend_application_mode()
            self._must_signal_resume = True
        super()._sigcont_application()


def _waiting_bytes(descriptor: int) -> int:
    """Return the number of bytes of input that nobody has read; 0 if the system does not tell."""
    with contextlib.suppress(OSError):
        return int(struct.unpack("i", fcntl.ioctl(descriptor, termios.FIONREAD, b"\0" * 4))[0])
    return 0
