"""From a key, or from the start of a program, to the arrival of the bytes that complete the expected picture.

A thread stamps each chunk as it arrives; the chunks are emulated only when the terminal has fallen quiet, so neither
the emulator's time nor its use of the processor is in a figure. Inside a synchronised update nothing counts as shown.
"""

from __future__ import annotations

import queue
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from tests.benchmarks import process
from tests.support.terminal.keys import encode
from tests.support.terminal.process import PtyProcess
from tests.support.terminal.screen import Screen

Expectation = Callable[[Screen], bool]

QUIET = 0.05
"""Seconds without a byte after which a picture counts as finished."""

TIMEOUT = 20.0

BUSY = 0.05
"""The share of a core from which on a program that shows nothing is at work, and not at rest."""


class NoPicture(Exception):
    """The expected picture did not come, or was there before the key; never a figure."""


@dataclass(frozen=True, slots=True)
class Lap:
    """One answer: milliseconds to the expected picture, and the bytes until it was quiet again."""

    ms: float
    bytes: int
    moment: float
    """When the picture was complete, by ``time.perf_counter``."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The bytes that followed some keys until it was quiet: milliseconds to the first and the last of them."""

    first: float
    last: float
    bytes: int


def shows(*patterns: str) -> Expectation:
    """Every pattern is found in the text of the screen; ``^`` and ``$`` mean rows."""
    regexes = [re.compile(pattern, re.MULTILINE) for pattern in patterns]
    return lambda screen: all(regex.search(screen.text) for regex in regexes)


class Stopwatch:
    """A program on a terminal, with a clock. A context manager: the program ends with it."""

    def __init__(
        self,
        argv: Sequence[str],
        *,
        cols: int = 120,
        rows: int = 40,
        env: Mapping[str, str | None] | None = None,
    ) -> None:
        self.screen = Screen(cols, rows)
        self.quiet = QUIET
        self.timeout = TIMEOUT
        self.until_idle = False
        """True where a picture is finished only when the program is at rest too: for one that pauses in between."""
        self._chunks: queue.SimpleQueue[tuple[float, bytes]] = queue.SimpleQueue()
        self._ended = False
        self.process = PtyProcess(argv, self._receive, cols=cols, rows=rows, env=env)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.close()

    @property
    def pid(self) -> int:
        return self.process.pid

    def start(self, expected: Expectation) -> Lap:
        """From before the program was started to its expected first picture."""
        return self._watch("The start", self.process.started, expected)

    def start_until_still(self, expected: Expectation) -> Lap:
        """From before the program was started to the last change of its first pictures, the last one as expected."""
        lap = self._watch("The start", self.process.started, None)
        while not expected(self.screen):
            lap = self._watch("The start", self.process.started, None)
        return lap

    def press(self, keys: str, expected: Expectation) -> Lap:
        """From before the write of some keys to the expected picture."""
        self.settle()
        if expected(self.screen):
            raise NoPicture(f"The picture was there before {keys}:\n{self.screen.text}")
        return self._watch(keys, self.process.write(encode(keys)), expected)

    def press_until_still(self, keys: str) -> Lap:
        """From before the write of some keys to the last visible change before it is quiet: where the final picture
        cannot be told beforehand."""
        self.settle()
        return self._watch(keys, self.process.write(encode(keys)), None)

    def hear(self, keys: str) -> Answer | None:
        """From before the write of some keys to the last byte before it is quiet, which does not count. None if
        nothing came."""
        self.settle(0.0)
        begin = self.process.write(encode(keys))
        chunks = [chunk for chunk in self._gather(self.quiet) if chunk[1]]
        for _, data in chunks:
            self.screen.feed(data)
        if not chunks:
            return None
        first, last = ((chunks[at][0] - begin) * 1000 for at in (0, -1))
        return Answer(first, last, sum(len(data) for _, data in chunks))

    def since(self, moment: float, expected: Expectation) -> Lap:
        """From a moment, by ``time.perf_counter``, at which something happened elsewhere, to the expected picture."""
        return self._watch("What happened elsewhere", moment, expected)

    def settle(self, quiet: float | None = None) -> int:
        """Wait until nothing has come for a while and emulate what did; the number of bytes."""
        chunks = self._gather(self.quiet if quiet is None else quiet)
        for _, data in chunks:
            self.screen.feed(data)
        return sum(len(data) for _, data in chunks)

    def listen(self, seconds: float) -> int:
        """The bytes that come in some seconds during which nothing is done."""
        time.sleep(seconds)
        return self.settle(0.0)

    def _receive(self, moment: float, data: bytes) -> None:
        self._chunks.put((moment, data))

    def _gather(self, quiet: float) -> list[tuple[float, bytes]]:
        """The chunks that come before ``quiet`` seconds without one; an empty one is the end of the program."""
        chunks: list[tuple[float, bytes]] = []
        deadline = time.perf_counter() + self.timeout
        while not self._ended:
            used = process.processor(self.pid) if self.until_idle else 0.0
            try:
                chunk = self._chunks.get(timeout=quiet) if quiet else self._chunks.get_nowait()
            except queue.Empty:
                if not (self.until_idle and self._is_busy(used, quiet)):
                    break
                if time.perf_counter() > deadline:
                    raise NoPicture(f"The program is still at work after {self.timeout:.0f} seconds") from None
                continue
            self._ended = not chunk[1]
            chunks.append(chunk)
        return chunks

    def _is_busy(self, used: float, seconds: float) -> bool:
        """True if the program was at work in these seconds, before which it had used so many of a processor, or is
        still waiting for one that others use."""
        return process.processor(self.pid) - used > BUSY * seconds or process.is_waiting(self.pid)

    def _watch(self, cause: str, begin: float, expected: Expectation | None) -> Lap:
        """Without an expectation, any change will do, and the last one before it is quiet counts."""
        deadline = time.perf_counter() + self.timeout
        matched, count = None, 0
        while matched is None:
            for moment, data in self._gather(self.quiet):
                count += len(data)
                changed = self.screen.feed(data)
                if changed and (expected is None or (matched is None and expected(self.screen))):
                    matched = moment
            if matched is None and (self._ended or time.perf_counter() > deadline):
                why = "the program ended" if self._ended else "nothing of it came"
                raise NoPicture(f"{cause} should have changed the picture; {why}:\n{self.screen.text}")
        return Lap((matched - begin) * 1000, count, matched)
