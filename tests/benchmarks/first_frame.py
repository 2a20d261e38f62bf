"""``python -m tests.benchmarks.first_frame TEXT hello``, or ``… TEXT podium open …``: up to the frame with a text.

The process ends when that frame is on the terminal, so that nothing after it is counted. With
``FIRST_FRAME_REPORT=FILE`` in the environment, it writes to that file what it had done by then: see ``Report``.
"""

from __future__ import annotations

import os
import sys
from typing import Any, TypedDict

REPORT = "FIRST_FRAME_REPORT"

END_OF_FRAME = "\x1b[?2026l"
"""Ends a synchronised update, within which a terminal shows nothing."""


class Report(TypedDict):
    """The work of a program until its first frame was complete."""

    modules: list[str]
    """The names of the modules that were imported."""
    bytes: int
    """The bytes that were sent to the terminal."""


class Terminal:
    """The terminal that Textual draws on. The process ends after the first write that shows a text."""

    def __init__(self, file: Any, text: str) -> None:
        self._file = file
        self._text = text
        self._bytes = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def write(self, text: str) -> None:
        self._file.write(text)
        self._bytes += len(text.encode())
        if self._text in text:
            self._file.write(END_OF_FRAME)  # Textual would, a moment later
            self._file.flush()
            if path := os.environ.get(REPORT):
                write_report(path, {"modules": sorted(sys.modules), "bytes": self._bytes})
            os._exit(0)


def write_report(path: str, report: Report) -> None:
    import json

    with open(path, "w", encoding="utf-8") as file:
        json.dump(report, file)


def main() -> None:
    text, program, *arguments = sys.argv[1:]
    sys.__stderr__ = Terminal(sys.__stderr__, text)  # type: ignore[misc, assignment]
    sys.argv[:] = [program, *arguments]
    if program == "hello":
        from tests.benchmarks.hello import Hello

        Hello().run()
    else:
        from tui.__main__ import main as podium

        podium()


if __name__ == "__main__":
    main()
