"""Counting the work of a key in Podium's own code: a test sees what grows with a project without measuring time."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from tests.support.paths import ROOT

OWN = (f"{ROOT}/core/", f"{ROOT}/tui/")


class Work:
    """The work of the functions of ``core`` and ``tui`` in this thread.

    A loop inside the interpreter, such as that of ``sorted``, counts as one instruction; the functions that it calls
    count.
    """

    def __init__(self) -> None:
        self.by_function: Counter[str] = Counter()
        """The instructions of Python by function."""
        self.calls: Counter[str] = Counter()
        """How often each function was called, and each coroutine and generator resumed."""

    @property
    def instructions(self) -> int:
        return self.by_function.total()

    def beyond(self, other: Work) -> str:
        """The functions with more instructions than in other work, for the message of a test."""
        return ", ".join(f"{name} +{more}" for name, more in (self.by_function - other.by_function).most_common(5))


@contextmanager
def counted_work() -> Iterator[Work]:
    """Count meanwhile. What was called before and goes on without being resumed does not count."""
    work = Work()

    def enter(frame: FrameType, event: str, _: Any) -> Any:
        if event != "call" or not frame.f_code.co_filename.startswith(OWN) or frame.f_code.co_name == "<module>":
            return None
        name = frame.f_code.co_qualname
        work.calls[name] += 1
        frame.f_trace_opcodes, frame.f_trace_lines = True, False

        def step(_frame: FrameType, event: str, _: Any) -> Any:
            work.by_function[name] += event == "opcode"
            return step

        return step

    before = sys.gettrace()
    sys.settrace(enter)
    try:
        yield work
    finally:
        sys.settrace(before)
