"""TerminalSession: a program under a real pty, driven by keys and watched on its screen."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Self, TypeVar

from tests.support.terminal.keys import encode
from tests.support.terminal.process import BACKGROUND, PtyProcess
from tests.support.terminal.screen import Screen

T = TypeVar("T")

PATIENCE = 40.0
"""Seconds a test waits for a picture: long enough for a busy machine, since only a failure waits that long."""


class NotShown(AssertionError):
    """The expected picture did not come; the message holds the screen as it was."""


class TerminalSession:
    """Any program, on a terminal of its own.

    ``send`` writes keys (``tests/support/terminal/keys.py``), ``wait_for`` waits for a text. As a context manager it
    leaves no process behind, however the test ends.
    """

    def __init__(
        self,
        argv: Sequence[str],
        *,
        cols: int = 120,
        rows: int = 40,
        env: Mapping[str, str | None] | None = None,
        warm: bool = False,
        background: bytes | None = BACKGROUND,
    ) -> None:
        self._emulator = Screen(cols, rows)
        self._events = threading.Condition()
        self._raw = bytearray()
        self._ended = False
        self.process = PtyProcess(argv, self._receive, cols=cols, rows=rows, env=env, warm=warm, background=background)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def screen(self) -> list[str]:
        """The rows as they are shown, without the blanks on their right."""
        with self._events:
            return self._emulator.lines

    @property
    def text(self) -> str:
        """The rows as one text."""
        return "\n".join(self.screen)

    @property
    def cursor(self) -> tuple[int, int]:
        """Column and row of the terminal's own cursor."""
        with self._events:
            return self._emulator.cursor

    @property
    def raw(self) -> bytes:
        """Every byte the program has sent."""
        with self._events:
            return bytes(self._raw)

    def style_at(self, x: int, y: int) -> tuple[str, str]:
        """Foreground and background of a cell: "default", a name, or six hexadecimal digits."""
        with self._events:
            cell = self._emulator.shown[y][x]
            return cell.fg, cell.bg

    def find(self, text: str) -> tuple[int, int]:
        """Column and row of the first cell of a text on the screen, for the mouse. Raises NotShown."""
        with self._events:
            place = self._emulator.find(text)
        if place is not None:
            return place
        raise NotShown(f"“{text}” is not on the screen:\n{self._dump()}")

    def send(self, keys: str) -> None:
        """Type keys and use the mouse, all in one write."""
        self.process.write(encode(keys))

    def send_bytes(self, data: bytes) -> None:
        """Send bytes that no keyboard would."""
        self.process.write(data)

    def resize(self, cols: int, rows: int) -> None:
        with self._events:
            self._emulator.resize(cols, rows)
        self.process.resize(cols, rows)

    def signal(self, number: int) -> None:
        self.process.signal(number)

    def wait_for(self, pattern: str, timeout: float = PATIENCE) -> re.Match[str]:
        """Wait until a regular expression (``^`` and ``$`` mean rows) is found on the screen. Raises NotShown."""
        regex = re.compile(pattern, re.MULTILINE)
        found = self._wait(lambda: regex.search(self._emulator.text), timeout)
        if found is None:
            raise NotShown(f"{self._why(timeout)} for “{pattern}” on the screen:\n{self._dump()}")
        return found

    def wait_for_cursor(self, pattern: str) -> re.Match[str]:
        """Wait until a regular expression matches the row from the terminal's own cursor on. Raises NotShown."""
        found = self._wait(lambda: re.match(pattern, self._emulator.after_cursor), PATIENCE)
        if found is None:
            raise NotShown(f"{self._why(PATIENCE)} for “{pattern}” at the cursor {self.cursor}:\n{self._dump()}")
        return found

    def wait_until_gone(self, pattern: str, timeout: float = PATIENCE) -> None:
        """Wait until a regular expression is no longer found on the screen. Raises NotShown."""
        regex = re.compile(pattern, re.MULTILINE)
        if not self._wait(lambda: not regex.search(self._emulator.text), timeout):
            raise NotShown(f"{self._why(timeout)} for “{pattern}” to leave the screen:\n{self._dump()}")

    def wait_for_bytes(self, data: bytes, timeout: float = PATIENCE) -> None:
        """Wait until the program has sent some bytes. Raises NotShown."""
        if not self._wait(lambda: data in self._raw, timeout):
            raise NotShown(f"{self._why(timeout)} for the bytes {data!r}; the screen:\n{self._dump()}")

    def settle(self, quiet: float = 0.15, timeout: float = PATIENCE) -> str:
        """Wait until nothing has arrived for ``quiet`` seconds; the screen then."""
        deadline = time.monotonic() + timeout
        with self._events:
            while self._events.wait(quiet) and not self._ended and time.monotonic() < deadline:
                pass
            return self._emulator.text

    def exit_status(self, timeout: float = PATIENCE) -> int:
        """Wait for the end of the program; its exit status, negative for a signal. Raises NotShown."""
        status = self.process.wait(timeout)
        if status is None:
            raise NotShown(f"The program still runs after {timeout:g} s; its screen:\n{self._dump()}")
        return status

    def close(self) -> None:
        """End the program if it still runs."""
        self.process.close()

    def _receive(self, moment: float, data: bytes) -> None:
        with self._events:
            self._raw += data
            self._ended = not data
            self._emulator.feed(data)
            self._events.notify_all()

    def _wait(self, found: Callable[[], T], timeout: float) -> T | None:
        deadline = time.monotonic() + timeout
        with self._events:
            while not (result := found()):
                left = deadline - time.monotonic()
                if left <= 0 or self._ended:
                    return None
                self._events.wait(left)
            return result

    def _why(self, timeout: float) -> str:
        return "The program ended before waiting was over" if self._ended else f"Waited {timeout:g} s in vain"

    def _dump(self) -> str:
        lines = self.screen
        rule = "─" * self._emulator.cols
        return "\n".join([rule, *lines, rule])
