"""A program under a pseudo-terminal: its bytes with the time each chunk arrived, and answers to its questions.

A thread reads, so that an arrival time owes nothing to what is done with the bytes later, and answers what a
program may ask a terminal at its start: device attributes, modes 2026 and 2048, foreground and background.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import signal
import struct
import termios
import threading
import time
from collections.abc import Callable, Mapping, Sequence

from tests.support.waiting import PATIENCE
from tests.support.warm_start import RESET_SIGNALS, WarmProcess

Receive = Callable[[float, bytes], None]
"""Takes a chunk and when it arrived, in seconds of ``time.perf_counter``; called in the reading thread."""

ENVIRONMENT = {"LANG": "C.UTF-8", "TERM": "xterm-256color", "COLORTERM": "truecolor"}
INHERITED = ("PATH", "HOME", "TMPDIR")

QUESTION = re.compile(rb"\x1b\[0?(c)|\x1b\[\?(\d+)\$p|\x1b\](1[01]);\?(?:\x07|\x1b\\)|\x1b\[([56])n")
MAX_QUESTION_LENGTH = 16
MODES = {b"2026": b"2", b"2004": b"2", b"1006": b"2", b"25": b"1", b"7": b"1"}
"""DECRQM: 1 is set, 2 is reset; every other mode is answered 0, "not known", 2048 (in-band resizes) among them."""
FOREGROUND, BACKGROUND = b"rgb:d8d8/d8d8/d8d8", b"rgb:1010/1010/1010"


def answer(question: re.Match[bytes], background: bytes | None) -> bytes:
    """The answer of an xterm with at least 256 colours; without a background, it says nothing about that."""
    attributes, mode, colour, report = question.groups()
    if attributes:
        return b"\x1b[?62;22c"
    if mode:
        return b"\x1b[?%b;%b$y" % (mode, MODES.get(mode, b"0"))
    if colour:
        said = background if colour == b"11" else FOREGROUND
        return b"\x1b]%b;%b\x1b\\" % (colour, said) if said else b""
    return b"\x1b[0n" if report == b"5" else b"\x1b[1;1R"


class PtyProcess:
    """One program in a session of its own, on a terminal of its own. ``close`` ends it, whatever it does."""

    def __init__(
        self,
        argv: Sequence[str],
        receive: Receive,
        *,
        cols: int = 120,
        rows: int = 40,
        env: Mapping[str, str | None] | None = None,
        warm: bool = False,
        background: bytes | None = BACKGROUND,
    ) -> None:
        """``warm``: ``argv`` are the arguments of ``podium``, which is started as ``tests.support.warm_start`` does.

        ``background`` is the colour in the answer to OSC 11; None gives no answer.
        """
        self.receive = receive
        self._background = background
        self._unasked = b""
        self._status: int | None = None
        self._reaping = threading.Lock()
        self._master, slave = pty.openpty()
        self.resize(cols, rows)
        self.path = path = os.ttyname(slave)
        self.started = time.perf_counter()
        self._warm = WarmProcess(argv, environment(env), [slave] * 3, terminal=True) if warm else None
        self.pid = self._warm.pid if self._warm else self._spawn(argv, path, environment(env))
        os.close(slave)
        self._reader = threading.Thread(target=self._read, name=f"pty of {self.pid}", daemon=True)
        self._reader.start()

    @staticmethod
    def _spawn(argv: Sequence[str], path: str, env: dict[str, str]) -> int:
        """Start the program. In its new session, the first terminal it opens becomes its controlling one."""
        return os.posix_spawnp(
            argv[0],
            list(argv),
            env,
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, path, os.O_RDWR, 0),
                (os.POSIX_SPAWN_DUP2, 0, 1),
                (os.POSIX_SPAWN_DUP2, 0, 2),
            ],
            setsid=True,
            setsigdef=RESET_SIGNALS,
        )

    def write(self, data: bytes) -> float:
        """Send bytes as if typed; the time just before they went."""
        moment = time.perf_counter()
        os.write(self._master, data)
        return moment

    def resize(self, cols: int, rows: int) -> None:
        """Change the size of the terminal; the kernel tells the program by SIGWINCH."""
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))

    def signal(self, number: int) -> None:
        os.kill(self.pid, number)

    def poll(self) -> int | None:
        """The exit status, negative for a signal, or None while the program runs."""
        with self._reaping:
            if self._status is None and self._warm:
                self._status = self._warm.poll()
            elif self._status is None:
                pid, status = os.waitpid(self.pid, os.WNOHANG)
                if pid:
                    self._status = os.waitstatus_to_exitcode(status)
            return self._status

    def wait(self, timeout: float) -> int | None:
        """The exit status as soon as there is one, or None after ``timeout`` seconds."""
        deadline = time.monotonic() + timeout
        while self.poll() is None and time.monotonic() < deadline:
            time.sleep(0.005)
        if self._status is not None:
            self._reader.join(5.0)  # its last words
        return self._status

    def close(self) -> None:
        """End the program and all of its process group: politely, then not."""
        for number, seconds in ((signal.SIGTERM, 1.0), (signal.SIGKILL, PATIENCE)):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, number)
            self.wait(seconds)  # until its end is known, which the process that forked it tells through a pipe
        with contextlib.suppress(OSError):
            os.close(self._master)

    def _read(self) -> None:
        while True:
            try:
                data = os.read(self._master, 65536)
            except OSError:  # EIO: nobody has the terminal open any more
                data = b""
            moment = time.perf_counter()
            if data:
                self._answer(data)
            self.receive(moment, data)
            if not data:
                return

    def _answer(self, data: bytes) -> None:
        """Answer the questions in a chunk; one that was cut in two is seen whole with the next chunk."""
        data = self._unasked + data
        end = 0
        for question in QUESTION.finditer(data):
            end = question.end()
            with contextlib.suppress(OSError):
                os.write(self._master, answer(question, self._background))
        self._unasked = data[max(end, len(data) - MAX_QUESTION_LENGTH) :]


def environment(changes: Mapping[str, str | None] | None) -> dict[str, str]:
    """A small, known environment: what a program needs of ours, a terminal's words, and the changes; None removes."""
    inherited = {name: os.environ[name] for name in INHERITED if name in os.environ}
    merged = {**inherited, **ENVIRONMENT, **(changes or {})}
    return {name: value for name, value in merged.items() if value is not None}
