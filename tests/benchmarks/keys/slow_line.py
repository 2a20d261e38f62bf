"""A line of 256 kbit/s with a round trip of 120 ms, and keys over it.

``python -m tests.benchmarks.keys.slow_line PROGRAM …`` runs a program on a terminal of its own, and is the line between
that and the terminal that it is itself on. It reads on while at most ROOM bytes are on their way, as a connection does.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import select
import shutil
import sys
import termios
import time
import tty
from collections import deque
from pathlib import Path

from tests.benchmarks.figures import Line, median
from tests.benchmarks.keys.project import LOGIN, make_workspace, name_project
from tests.benchmarks.notes import Notes
from tests.benchmarks.runs import PODIUM
from tests.benchmarks.stopwatch import Stopwatch, shows

RATE = 256_000 / 8
"""Bytes in a second."""

DELAY = 0.06
"""Seconds from one end to the other."""

ROOM = 64 * 1024
CHUNK = 1_024

CARDS = 100
TIMES = 4
SILENCE = 0.5

WITHIN = {**dict.fromkeys("nDagwL", 350), ":": 550, "enter": 550, "]": 1_000, "?": 1_000}
"""Milliseconds from a key to its last byte at the end of the line."""

BEFORE = {"w": "l", "L": "h"}
"""Keys that are pressed before another one: why is asked of a card that is blocked."""

LINES = tuple(
    Line(f"`{key}` over 256 kbit/s and 120 ms", limit, "ms", *median(f"slow line {key} last byte"))
    for key, limit in WITHIN.items()
)


class Way:
    """The bytes on their way in one direction, each chunk with the time at which it arrives."""

    def __init__(self, rate: float = RATE, delay: float = DELAY) -> None:
        self._rate, self._delay = rate, delay
        self._free = 0.0
        self._chunks: deque[tuple[float, bytes]] = deque()

    @property
    def size(self) -> int:
        """The number of bytes on their way."""
        return sum(len(data) for _, data in self._chunks)

    @property
    def next(self) -> float:
        """The time at which the next chunk arrives; infinite if none is on its way."""
        return self._chunks[0][0] if self._chunks else float("inf")

    def send(self, data: bytes, now: float) -> None:
        """Put bytes at the end of those that still wait for the line."""
        for at in range(0, len(data), CHUNK):
            part = data[at : at + CHUNK]
            self._free = max(self._free, now) + len(part) / self._rate
            self._chunks.append((self._free + self._delay, part))

    def arrived(self, now: float) -> bytes:
        """The bytes that have arrived by now, once."""
        parts = []
        while self._chunks and self._chunks[0][0] <= now:
            parts.append(self._chunks.popleft()[1])
        return b"".join(parts)


def relay(inner: int) -> None:
    """Pass bytes between our own terminal and an inner one until the program there has ended and all have arrived."""
    up, down = Way(), Way()
    is_open = True
    while is_open or down.size:
        sources = [0, inner] if is_open and down.size < ROOM else [0] if is_open else []
        wait = max(0.0, min(up.next, down.next, time.monotonic() + 1) - time.monotonic())
        ready, _, _ = select.select(sources, [], [], wait)
        for source in ready:
            data = b""
            with contextlib.suppress(OSError):  # EIO: the program has closed its terminal
                data = os.read(source, 65_536)
            is_open = is_open and bool(data)
            (down if source == inner else up).send(data, time.monotonic())
        _write(1, down.arrived(time.monotonic()))
        if is_open:
            _write(inner, up.arrived(time.monotonic()))


def _write(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


def main(argv: list[str]) -> int:
    size = fcntl.ioctl(0, termios.TIOCGWINSZ, bytes(8))
    pid, inner = pty.fork()
    if not pid:
        os.execvp(argv[0], argv)
    fcntl.ioctl(inner, termios.TIOCSWINSZ, size)
    tty.setraw(0)
    relay(inner)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def over_line(argv: list[str]) -> list[str]:
    """The command that runs another one at the far end of the line."""
    return [sys.executable, "-m", "tests.benchmarks.keys.slow_line", *argv]


def measure(folder: Path, notes: Notes, repetitions: int) -> None:
    """Note the keys in WITHIN, on the Canvas of 100 cards, in ``folder``."""
    database = folder / "slow.db"
    make_workspace(database, (CARDS,))
    argv = over_line([PODIUM, "open", name_project(CARDS), "--db", str(database), "--as", LOGIN])
    home = {"HOME": str(folder), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    for _ in range(repetitions):
        with Stopwatch(argv, env=home) as app:
            app.start(shows(rf"{name_project(CARDS)} .*saved", r"\? help"))
            app.quiet = SILENCE
            app.settle()
            for key in WITHIN:
                for before in BEFORE.get(key, ""):
                    app.hear(before)
                _press(app, key, notes)
    for file in folder.glob("slow.db*"):
        file.unlink() if file.is_file() else shutil.rmtree(file)


def _press(app: Stopwatch, key: str, notes: Notes) -> None:
    for number in range(TIMES):
        answer = app.hear(key if len(key) == 1 else f"<{key}>")
        if answer and number:
            notes.add(f"slow line {key} last byte", answer.last)
            notes.add(f"slow line {key} bytes", answer.bytes)
        app.hear("H" if key == "L" else "<esc>")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
