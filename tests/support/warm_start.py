"""Starts of ``podium`` without its imports: a process that has imported everything forks once for each start.

The program reads its arguments, its environment and its files as ``python -m tui`` does, and runs the same ``main`` to
the end of the interpreter. Only the imports come before. ``tests/README.md`` names the tests that start the real way.
"""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import gc
import json
import os
import pkgutil
import random
import select
import selectors
import signal
import socket
import subprocess
import sys
import termios
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import NamedTuple, TextIO, cast

from tests.support.paths import ROOT

IS_POSSIBLE = hasattr(os, "pidfd_open")
"""True where the system reports the end of any child process. Elsewhere every start is a real one."""

MAX_REQUEST = 1 << 17
"""Bytes of the arguments and the environment of a program."""

RESET_SIGNALS = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGPIPE)
"""Signals that tests under nohup, or in the background, may ignore, and the program must not."""


class WarmProcess:
    """A running program; its methods are those of ``subprocess.Popen``."""

    def __init__(self, arguments: Sequence[str], env: Mapping[str, str], files: Sequence[int], terminal: bool) -> None:
        """``files`` are its standard input, output and error; ``terminal``: they are its controlling terminal."""
        reading, telling = os.pipe()
        self._told = os.fdopen(reading, "r")
        request = {"arguments": list(arguments), "env": dict(env), "folder": os.getcwd(), "terminal": terminal}
        socket.send_fds(_control(), [json.dumps(request).encode()], [*files, telling])
        os.close(telling)
        self.pid = int(self._told.readline())
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """The exit status, negative for a signal, or None while the program runs."""
        return self._ended(0)

    def wait(self, timeout: float | None = None) -> int:
        """The exit status once there is one. Raises ``TimeoutExpired`` after ``timeout`` seconds."""
        status = self._ended(timeout)
        if status is None:
            raise subprocess.TimeoutExpired("podium", timeout or 0)
        return status

    def send_signal(self, number: int) -> None:
        """Send a signal to the program, if it still runs."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """End the program at once."""
        self.send_signal(signal.SIGKILL)

    def _ended(self, timeout: float | None) -> int | None:
        if self.returncode is None and select.select([self._told], [], [], timeout)[0]:
            self.returncode = int(self._told.readline())
            self._told.close()
        return self.returncode


@cache
def _control() -> socket.socket:
    """The way to the process that forks. It ends with this one."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        command = [sys.executable, "-m", "tests.support.warm_start", str(theirs.fileno())]
        env = {name: value for name, value in os.environ.items() if not name.startswith(("PODIUM_", "PYTHON"))}
        forking = subprocess.Popen(command, pass_fds=[theirs.fileno()], cwd=ROOT, env=env, start_new_session=True)

    def end() -> None:
        ours.close()
        forking.wait()

    atexit.register(end)
    return ours


class _Program(NamedTuple):
    """A request, in the child that becomes the program."""

    arguments: list[str]
    env: dict[str, str]
    folder: str
    terminal: bool
    files: list[int]

    def begin(self) -> None:
        """Put this process into the state in which Python starts ``python -m tui``."""
        if self.terminal:
            os.setsid()
        for number, file in enumerate(self.files):
            os.dup2(file, number)
        os.closerange(3, os.sysconf("SC_OPEN_MAX"))
        if self.terminal:
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        for signum in RESET_SIGNALS:
            signal.signal(signum, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)
        os.environ.clear()
        os.environ.update(self.env)
        os.chdir(self.folder)
        sys.argv[:] = [str(ROOT / "tui" / "__main__.py"), *self.arguments]
        sys.stdin = vars(sys)["__stdin__"] = _stream(0, "r", "surrogateescape")
        sys.stdout = vars(sys)["__stdout__"] = _stream(1, "w", "surrogateescape")
        sys.stderr = vars(sys)["__stderr__"] = _stream(2, "w", "backslashreplace")
        random.seed()


def _stream(descriptor: int, mode: str, errors: str) -> TextIO:
    by_line = mode == "w" and (descriptor == 2 or os.isatty(descriptor))
    return cast(TextIO, os.fdopen(descriptor, mode, 1 if by_line else -1, "utf-8", errors, closefd=False))


def _import_everything() -> None:
    for package in ("core", "tui"):
        for module in pkgutil.walk_packages(import_module(package).__path__, f"{package}."):
            with contextlib.suppress(ImportError):  # of an extra that is not installed
                import_module(module.name)


def _fork_for_each_request(control: socket.socket) -> _Program | None:
    """The program, in the child that becomes it; None when no more requests can come."""
    selector = selectors.DefaultSelector()
    selector.register(control, selectors.EVENT_READ)
    while True:
        for key, _ in selector.select():
            if key.fileobj is not control:
                selector.unregister(key.fd)
                os.close(key.fd)
                _tell_the_end(*key.data)
                continue
            request, files, _, _ = socket.recv_fds(control, MAX_REQUEST, 4)
            if not request:
                return None
            *files, telling = files
            pid = os.fork()
            if pid == 0:
                selector.close()  # else it would close its number once that is another file's
                control.close()
                return _Program(**json.loads(request), files=files)
            for file in files:
                os.close(file)
            os.write(telling, f"{pid}\n".encode())
            selector.register(os.pidfd_open(pid), selectors.EVENT_READ, (pid, telling))


def _tell_the_end(pid: int, telling: int) -> None:
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    with contextlib.suppress(BrokenPipeError):  # the test that started it has ended
        os.write(telling, f"{status}\n".encode())
    os.close(telling)


if __name__ == "__main__":
    _import_everything()
    gc.collect()
    gc.freeze()
    if program := _fork_for_each_request(socket.socket(fileno=int(sys.argv[1]))):
        program.begin()
        from tui.__main__ import main

        main()
