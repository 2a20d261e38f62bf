"""Running a terminal product in the foreground of the terminal, while this process waits."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import FrameType
from typing import Any

from tui.terminal.lifecycle import GRACE_SECONDS, set_foreground_group, suspended_terminal

LEAVING = (signal.SIGHUP, signal.SIGTERM)
"""Signals that end the product, then this process."""

FOR_THE_PROGRAM = (signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP)
"""Signals of keys, for the foreground group. This process ignores them, also in the moments when it is that group."""


def find_program(name: str, environ: Mapping[str, str]) -> str | None:
    """Return the absolute path of a program; None without one that can be run.

    Relative paths in PATH are ignored, as the current folder must not matter.
    """
    folders = [folder for folder in environ.get("PATH", os.defpath).split(os.pathsep) if os.path.isabs(folder)]
    return shutil.which(name, path=os.pathsep.join(folders))


def run_in_foreground(argv: Sequence[str], environ: Mapping[str, str], folder: str) -> int:
    """Run a program in this terminal, without a shell, and wait for its end.

    Return its exit status, negative for a signal. The terminal's modes are always restored. Call it in the main
    thread, while nothing else draws. Raises OSError if the program cannot be started.

    The program gets its own process group, so ctrl+c reaches only the program. If ctrl+z stops it, it is continued at
    once, because there is no shell to continue it.
    """
    return _Job().run(argv, environ, folder)


class _Job:
    """One run of a program."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._leaving = 0

    def run(self, argv: Sequence[str], environ: Mapping[str, str], folder: str) -> int:
        with self._signals_held(), suspended_terminal():
            self._process = subprocess.Popen(  # noqa: S603 (a registered command, without a shell)
                list(argv), env=dict(environ), cwd=folder, process_group=0
            )
            if self._leaving:
                self._end(self._leaving)
            status = self._wait(self._process)
        if self._leaving:
            os.kill(os.getpid(), self._leaving)  # for the previous handler
        return status

    def _wait(self, process: subprocess.Popen[bytes]) -> int:
        """Wait for the end. Continue a program that is stopped, also one that read before it was in the foreground."""
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
        """Context with our signal handlers. Python functions, because the program would inherit ignored signals."""
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
        """Send the program a signal to end, and kill it if it has not ended in time."""
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
    """Ignore a signal."""
