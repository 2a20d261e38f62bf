"""Living with a terminal: it may be missing, hang up, stop and go on, or send bytes that are no text."""

from __future__ import annotations

import codecs
import contextlib
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from types import FrameType
from typing import Any

GRACE_SECONDS = 3
"""How long the screen gets to close after a hang-up before the process is ended."""

INTERRUPT_EVERY = 0.1
"""Seconds between two interruptions of a main thread that has not yet handled a signal."""

ENDING = ("SIGHUP", "SIGINT", "SIGQUIT", "SIGALRM", "SIGTERM", "SIGUSR1", "SIGUSR2")
"""Signals that end a program which does not handle them, and would leave the terminal as it is."""

STDIN, STDOUT, STDERR = 0, 1, 2

_is_leaving = False

ORDINARY = "".join(
    (
        "\x18\x1b\\",  # whatever sequence was left unfinished is given up
        "\x1b[0m\x1b(B\x0f",  # no colours, no line-drawing letters
        "\x1b7\x1b[?1049l\x1b7\x1b[r\x1b8",  # the main screen, all of it scrolling, the cursor where it was
        "\x1b[?7h\x1b[?25h\x1b[4l\x1b[?5l",  # lines wrap, a cursor is seen, typing overwrites, nothing is inverted
        "\x1b[?1l\x1b>\x1b[<9u\x1b[>4m",  # cursor keys, keypad and modified keys as at first
        *(f"\x1b[?{mode}l" for mode in (9, 1000, 1001, 1002, 1003, 1005, 1006, 1015, 1016)),  # the mouse
        *(f"\x1b[?{mode}l" for mode in (1004, 2004, 2026, 2048)),  # focus, paste, held-back frames, sizes in the input
    )
)
"""Puts a terminal into its ordinary modes, whatever a program left it in. The cursor stays."""


def has_terminal() -> bool:
    """Whether there is a terminal to draw on; the web driver brings its own."""
    return "TEXTUAL_DRIVER" in os.environ or (sys.stdin.isatty() and sys.stdout.isatty())


@contextlib.contextmanager
def living_with_terminal(leave: Callable[[int], None]) -> Iterator[None]:
    """Around what draws on the terminal: read any bytes, leave when it hangs up or is gone, and put its line back."""
    accept_any_bytes()
    leave_on_signals(leave)
    leave_with_terminal(leave)
    before = _line_modes()
    try:
        yield
    finally:
        _restore_line(before)


def _line_modes() -> list[Any] | None:
    """The modes of the line, such as whether it echoes; None without a terminal."""
    try:
        import termios

        return termios.tcgetattr(STDIN)
    except (ImportError, termios.error):
        return None


def _restore_line(before: list[Any] | None) -> None:
    """Restore the modes of the line.

    Textual does so, too, but after SIGSTOP and SIGCONT it takes its own raw modes for those of before (its driver saves
    them again when it goes on).
    """
    import termios

    if before is not None and is_in_front():
        with contextlib.suppress(termios.error):
            termios.tcsetattr(STDIN, termios.TCSANOW, before)  # what was never read would be waited for


def leave_on_signals(leave: Callable[[int], None]) -> None:
    """Leave cleanly on each signal that ends a program, with the exit status that tells which.

    A handler of the loop would wait for a busy loop, and a hang-up that is ignored would spin for ever on a closed
    terminal, so the handler is the system's, and an alarm ends what does not end by itself.
    """

    def handle(number: int, _frame: FrameType | None) -> None:
        global _is_leaving
        _is_leaving = True
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)  # the terminal is restored also from the background
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(GRACE_SECONDS)
        leave(128 + number)

    numbers = [getattr(signal, name) for name in ENDING if hasattr(signal, name)]
    for number in numbers:
        signal.signal(number, handle)
    if hasattr(signal, "pthread_kill"):
        _pass_on(numbers)


def _pass_on(numbers: Sequence[int]) -> None:
    """Interrupt the main thread at the first of these signals, until it has run the handler.

    The system gives a signal to any thread, and Python its handler to the main one, when that next runs. While it waits
    to write to a terminal that takes nothing more it never does (measured: a client that was stopped, and then given
    up by sshd, left a program that spun for ever).

    The interruption is a signal of its own, SIGURG, that does nothing. Sending the same number again would run the
    handler twice; a second SIGALRM would end the process by the grace that the first one has just begun.
    """
    import threading
    import time

    told, telling = os.pipe()
    os.set_blocking(telling, False)
    signal.set_wakeup_fd(telling, warn_on_full_buffer=False)
    signal.signal(signal.SIGURG, lambda *_: None)

    def watch() -> None:
        while os.read(told, 1)[0] not in numbers:
            pass
        while not _is_leaving:
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGURG)
            time.sleep(INTERRUPT_EVERY)

    threading.Thread(target=watch, name="signals", daemon=True).start()


def leave_with_terminal(leave: Callable[[int], None]) -> None:
    """Leave when the other end of the terminal is gone, or the program that shows us in a browser: nobody would see the
    screen, and nobody end it. What does not leave is ended, after a product in front has had its own grace.

    A hang-up is told of by a signal as well, but not to whoever was started by a shell that ignores it, as under
    ``nohup``; Textual's drivers do not look (measured: one idles for ever, the other reads for ever, on a whole
    processor).
    """
    import select
    import threading
    import time

    def watch() -> None:
        other_end = select.poll()
        other_end.register(STDIN, 0)  # a hang-up is told of unasked
        ((_, told),) = other_end.poll()
        if told & select.POLLNVAL:  # where the system cannot tell of terminals
            return
        with contextlib.suppress(RuntimeError):  # the loop may have ended first
            leave(128 + signal.SIGHUP)
        time.sleep(2 * GRACE_SECONDS)
        os._exit(128 + signal.SIGHUP)

    threading.Thread(target=watch, name="the other end", daemon=True).start()


def is_in_front() -> bool:
    """Whether there is a terminal of this process, and the process is not in the background of it."""
    with contextlib.suppress(OSError):
        return os.isatty(STDOUT) and os.tcgetpgrp(STDIN) == os.getpgrp()
    return False


def forget_keys() -> None:
    """Drop what was typed ahead, before a question that nothing but a look at it may answer."""
    import termios

    with contextlib.suppress(termios.error, OSError):
        termios.tcflush(STDIN, termios.TCIFLUSH)


def is_leaving() -> bool:
    """Whether a signal has come that ends the program."""
    return _is_leaving


def is_in_background() -> bool:
    """Whether there is a terminal of this process, and another group of processes is in front of it."""
    with contextlib.suppress(OSError):
        return os.isatty(STDOUT) and os.tcgetpgrp(STDIN) != os.getpgrp()
    return False


def set_foreground_group(group: int) -> None:
    """Give the terminal to a group of processes: it reads the keys, and ctrl+c goes to it alone.

    It is also asked for from the background, where SIGTTOU would stop the asker. A group that is gone, or a terminal
    that has hung up, changes nothing.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTTOU})
    try:
        with contextlib.suppress(OSError):
            os.tcsetpgrp(STDIN, group)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextlib.contextmanager
def suspended_terminal() -> Iterator[None]:
    """Lend the terminal to another program: afterwards it is as it was, in front of it is who was, and what was typed
    for the other program and never read is gone. Nothing is raised when the terminal has hung up meanwhile."""
    import termios

    attributes = None
    with contextlib.suppress(termios.error):
        attributes = termios.tcgetattr(STDIN)
    try:
        yield
    finally:
        set_foreground_group(os.getpgrp())
        with contextlib.suppress(OSError, termios.error):
            _put_back(attributes)


def _put_back(attributes: list[Any] | None) -> None:
    """Restore the modes of the line, then those of the terminal; raises ``termios.error`` or OSError."""
    import termios

    for descriptor in (STDIN, STDOUT, STDERR):
        os.set_blocking(descriptor, True)
    if attributes is not None:
        flowing = attributes.copy()
        flowing[0] &= ~termios.IXON  # sets an output in motion again that ctrl+s had halted: writing would wait for it
        for each in (flowing, attributes):
            termios.tcsetattr(STDIN, termios.TCSANOW, each)
        termios.tcflush(STDIN, termios.TCIFLUSH)
    os.write(STDOUT, ORDINARY.encode())


def accept_any_bytes() -> None:
    """Read what is not UTF-8 as replacement characters; Textual's driver would end the program (its issue 6456)."""
    from textual.drivers import linux_driver

    linux_driver.getincrementaldecoder = _lenient  # type: ignore[attr-defined]


def _lenient(encoding: str) -> Callable[..., Any]:
    decoder = codecs.getincrementaldecoder(encoding)
    return lambda _errors="strict": decoder("replace")
