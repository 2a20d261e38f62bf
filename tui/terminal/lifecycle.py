"""The life of a program in a terminal: without one, hang-up, stop and continue, and input that is not UTF-8."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

GRACE_SECONDS = 3
"""Seconds for a clean exit after a signal, before the process is killed."""

INTERRUPT_EVERY = 0.1
"""Seconds between two interruptions of the main thread, until it has handled a signal."""

ENDING = ("SIGHUP", "SIGINT", "SIGQUIT", "SIGALRM", "SIGTERM", "SIGUSR1", "SIGUSR2")
"""Signals that by default end a process, which would leave the terminal in its raw modes."""

STDIN, STDOUT, STDERR = 0, 1, 2

_is_leaving = False

ORDINARY = "".join(
    (
        "\x18\x1b\\",  # cancel an unfinished sequence
        "\x1b[0m\x1b(B\x0f",  # no colours, no line-drawing characters
        "\x1b7\x1b[?1049l\x1b7\x1b[r\x1b8",  # main screen, scrolling region of the whole screen, cursor unmoved
        "\x1b[?7h\x1b[?25h\x1b[4l\x1b[?5l",  # wrap lines, show the cursor, overwrite, no inverse video
        "\x1b[?1l\x1b>\x1b[<9u\x1b[>4m",  # default cursor keys, keypad and modified keys
        *(f"\x1b[?{mode}l" for mode in (9, 1000, 1001, 1002, 1003, 1005, 1006, 1015, 1016)),  # the mouse
        *(f"\x1b[?{mode}l" for mode in (1004, 2004, 2026, 2048)),  # focus, paste, synchronized output, in-band resize
    )
)
"""Resets the modes of a terminal to their defaults without moving the cursor."""


def has_terminal() -> bool:
    """True if standard input and output are a terminal, or the web driver replaces it."""
    return "TEXTUAL_DRIVER" in os.environ or (sys.stdin.isatty() and sys.stdout.isatty())


@contextlib.contextmanager
def living_with_terminal(leave: Callable[[int], None]) -> Iterator[None]:
    """Context of a program that draws on the terminal.

    Calls ``leave`` with the exit status at a signal or a hang-up, and restores the line modes at the end.
    """
    leave_on_signals(leave)
    leave_with_terminal(leave)
    before = _line_modes()
    try:
        yield
    finally:
        _restore_line(before)


def _line_modes() -> list[Any] | None:
    """The line modes, such as echo; None without a terminal."""
    try:
        import termios

        return termios.tcgetattr(STDIN)
    except (ImportError, termios.error):
        return None


def _restore_line(before: list[Any] | None) -> None:
    """Restore the line modes.

    Textual restores them too, but after SIGSTOP and SIGCONT to its own raw modes, because its driver saves the modes
    again when it continues.
    """
    import termios

    if before is not None and is_in_front():
        with contextlib.suppress(termios.error):
            termios.tcsetattr(STDIN, termios.TCSANOW, before)  # TCSADRAIN would wait for output that is never read


def leave_on_signals(leave: Callable[[int], None]) -> None:
    """Exit cleanly at each signal in ENDING, with exit status 128 + its number.

    These are handlers of the process, because a handler of the event loop would wait for a busy loop, and a program
    that ignores a hang-up would loop for ever on the closed terminal. An alarm kills a process that does not exit.
    """

    def handle(number: int, _frame: FrameType | None) -> None:
        global _is_leaving
        _is_leaving = True
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)  # so that the terminal is restored from the background too
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(GRACE_SECONDS)
        leave(128 + number)

    numbers = [getattr(signal, name) for name in ENDING if hasattr(signal, name)]
    for number in numbers:
        signal.signal(number, handle)
    if hasattr(signal, "pthread_kill"):
        _pass_on()


def _pass_on() -> None:
    """Interrupt the main thread after each signal, until it has run the handlers.

    The system delivers a signal to any thread, but Python runs the handler in the main thread, when that runs next. A
    main thread that waits for a key or for a blocked terminal never runs it: after SIGSTOP and SIGCONT the screen
    stayed empty until the next key, and an ssh client that was stopped and later dropped by sshd left a program that
    looped for ever.

    The interruption is SIGURG. The same signal again would run its handler twice, and a second SIGALRM would kill the
    process, because the first one has restored the default action for the alarm. Its own handler runs together with
    those of the signals before it, and ends the interruptions.
    """
    import threading

    reading_end, writing_end = os.pipe()
    os.set_blocking(writing_end, False)
    signal.set_wakeup_fd(writing_end, warn_on_full_buffer=False)
    handled = threading.Event()
    signal.signal(signal.SIGURG, lambda *_: handled.set())

    def watch() -> None:
        while not _is_leaving:
            if os.read(reading_end, 1)[0] == signal.SIGURG:
                continue
            handled.clear()
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGURG)
            while not handled.wait(INTERRUPT_EVERY):
                signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGURG)

    threading.Thread(target=watch, name="signals", daemon=True).start()


def leave_with_terminal(leave: Callable[[int], None]) -> None:
    """Exit when the other end of the terminal, or of the browser gateway, is closed. A process that does not exit in
    time is killed; the time includes the one that a launched product has.

    SIGHUP alone is not enough: it is ignored in a process that was started by ``nohup``. Textual's drivers do not check
    for a hang-up: the terminal's driver idles for ever, the web driver reads for ever and uses a whole
    processor.
    """
    import select
    import threading
    import time

    def watch() -> None:
        other_end = select.poll()
        other_end.register(STDIN, 0)  # poll reports a hang-up without being asked for it
        ((_, happened),) = other_end.poll()
        if happened & select.POLLNVAL:  # the system cannot poll terminals
            return
        with contextlib.suppress(RuntimeError):  # the loop can have ended first
            leave(128 + signal.SIGHUP)
        time.sleep(2 * GRACE_SECONDS)
        os._exit(128 + signal.SIGHUP)

    threading.Thread(target=watch, name="the other end", daemon=True).start()


def is_in_front() -> bool:
    """True if this process has a terminal and is in its foreground."""
    with contextlib.suppress(OSError):
        return os.isatty(STDOUT) and os.tcgetpgrp(STDIN) == os.getpgrp()
    return False


def no_way_back() -> str:
    """Return the reason why no shell could continue Podium after a stop; "" if one can.

    A shell with job control gives each command a process group of its own. The group must not be orphaned, which is
    one without a member whose parent is in another group of the session: nothing would ever continue it (POSIX).
    """
    if "TEXTUAL_DRIVER" in os.environ:
        return "Podium runs in a browser here, so there is no shell to go back to."
    if not (is_in_front() and _has_job_control()):
        return "No shell with job control started Podium here, so Ctrl+Z could not come back. Press Ctrl+Q to quit."
    return ""


def stop_group() -> None:
    """Stop the process group, scripts that started Podium included, until the shell continues it."""
    handler = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
    os.killpg(os.getpgrp(), signal.SIGTSTP)
    signal.signal(signal.SIGTSTP, handler)


def _has_job_control() -> bool:
    group, session, process = os.getpgrp(), os.getsid(0), os.getpid()
    with contextlib.suppress(OSError, ValueError, IndexError):
        while group != session and os.getsid(process) == session:
            if os.getpgid(process) != group:
                return True
            process = os.getppid() if process == os.getpid() else _parent_of(process)
    return False


def _parent_of(process: int) -> int:
    """Return the parent of a process. Raises OSError if the system does not tell."""
    descriptor = os.open(f"/proc/{process}/stat", os.O_RDONLY | os.O_CLOEXEC)
    try:
        return int(os.read(descriptor, 4096).rpartition(b")")[2].split()[1])
    finally:
        os.close(descriptor)


def forget_keys() -> None:
    """Drop the keys that were typed ahead, before a question that the user must read first."""
    import termios

    with contextlib.suppress(termios.error, OSError):
        termios.tcflush(STDIN, termios.TCIFLUSH)


def is_leaving() -> bool:
    """True after a signal that ends the program."""
    return _is_leaving


def is_in_background() -> bool:
    """True if this process has a terminal and another process group is in its foreground."""
    with contextlib.suppress(OSError):
        return os.isatty(STDOUT) and os.tcgetpgrp(STDIN) != os.getpgrp()
    return False


def set_foreground_group(group: int) -> None:
    """Bring a process group to the foreground of the terminal, so that it alone gets keys and ctrl+c.

    Works from the background too: SIGTTOU, which would stop this process, is blocked. If the group has ended or the
    terminal has hung up, nothing happens.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTTOU})
    try:
        with contextlib.suppress(OSError):
            os.tcsetpgrp(STDIN, group)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextlib.contextmanager
def suspended_terminal() -> Iterator[None]:
    """Give the terminal to another program for a while. At the end the modes and the foreground group are restored, and
    unread keys are dropped. A terminal that has hung up meanwhile is no error."""
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
    """Restore the line modes, then the terminal's modes. Raises ``termios.error`` or OSError."""
    import termios

    for descriptor in (STDIN, STDOUT, STDERR):
        os.set_blocking(descriptor, True)
    if attributes is not None:
        flowing = attributes.copy()
        flowing[0] &= ~termios.IXON  # continue output that ctrl+s has stopped, because writing would wait for ever
        for each in (flowing, attributes):
            termios.tcsetattr(STDIN, termios.TCSANOW, each)
        termios.tcflush(STDIN, termios.TCIFLUSH)
    os.write(STDOUT, ORDINARY.encode())
