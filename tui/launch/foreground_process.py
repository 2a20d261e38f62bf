"""Running a terminal product: a job in front of the terminal, which this process waits for."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import FrameType
from typing import Any

from tui.terminal.lifecycle import GRACE_SECONDS, set_foreground_group, suspended_terminal

LEAVING = (signal.SIGHUP, signal.SIGTERM)
"""They end the program as well as this process."""

FOR_THE_PROGRAM = (signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP)
"""What keys send. They go to the group in front; in the moments in which that is ours, they are not for us."""


def run_in_foreground(argv: Sequence[str], environ: Mapping[str, str], folder: str) -> int:
    """Run a program, without a shell, in this terminal and wait for its end; its exit status, negative for a signal.

    The terminal is restored whatever the program did. To be called in the main thread, with nothing else drawing.
    Raises OSError when the program cannot be started.

    The program is a group of processes of its own, so that ctrl+c goes to it alone. It cannot be stopped by
    ctrl+z: nobody would be there to set it going again, so it is told to go on at once.
    """
    return _Job().run(argv, environ, folder)


class _Job:
    """One run of one program."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._leaving = 0

    def run(self, argv: Sequence[str], environ: Mapping[str, str], folder: str) -> int:
        with self._signals_held(), suspended_terminal():
            self._process = subprocess.Popen(  # noqa: S603 (what a workspace admin registered, and no shell)
                list(argv), env=dict(environ), cwd=folder, process_group=0
            )
            if self._leaving:
                self._end(self._leaving)
            status = self._wait(self._process)
        if self._leaving:
            os.kill(os.getpid(), self._leaving)  # now to whoever handled it before
        return status

    def _wait(self, process: subprocess.Popen[bytes]) -> int:
        """Wait for the end; a program that stops, also because it read before it was in front, goes on."""
        while True:
            set_foreground_group(process.pid)
            _, status = os.waitpid(process.pid, os.WUNTRACED)
            if not os.WIFSTOPPED(status):
                process.returncode = os.waitstatus_to_exitcode(status)
                return process.returncode
            set_foreground_group(process.pid)
            self._send(signal.SIGCONT)

    @contextlib.contextmanager
    def _signals_held(self) -> Iterator[None]:
        """Python's own handlers are put back to their default in the program; what is ignored would stay ignored."""
        handlers: dict[int, Callable[[int, FrameType | None], None]] = {
            **dict.fromkeys(LEAVING, self._leave),
            **dict.fromkeys(FOR_THE_PROGRAM, _pass_over),
            signal.SIGALRM: self._kill,
        }
        before: dict[int, Any] = {number: signal.signal(number, handler) for number, handler in handlers.items()}
        try:
            yield
        finally:
            signal.alarm(0)
            for number, handler in before.items():
                signal.signal(number, handler)

    def _leave(self, number: int, _frame: FrameType | None) -> None:
        self._leaving = number
        self._end(number)

    def _end(self, number: int) -> None:
        """Tell the program to end, and see to it that it does."""
        self._send(number)
        self._send(signal.SIGCONT)
        signal.alarm(GRACE_SECONDS)

    def _kill(self, _number: int, _frame: FrameType | None) -> None:
        self._send(signal.SIGKILL)

    def _send(self, number: int) -> None:
        if self._process is not None and self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, number)


def _pass_over(_number: int, _frame: FrameType | None) -> None:
    """Do nothing."""
