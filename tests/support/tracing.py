"""The files of the product that a real action enters, in whichever thread."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterator
from types import FrameType
from typing import Any

from tests.support.paths import ROOT


class Tracing:
    """Records the files of packages whose functions are called, in this thread and in those that start while it is on.

    Python 3.11 cannot profile a thread that already runs, so a server and its threads have to start within the context.
    """

    def __init__(self, *packages: str) -> None:
        self._folders = tuple(f"{ROOT / each}/" for each in packages)
        self._is_recording = False
        self.entered: dict[str, None] = {}
        """The paths below the top of the repository, in the order in which they were entered first."""

    def __enter__(self) -> Tracing:
        threading.setprofile(self._note)
        return self

    def __exit__(self, *_: object) -> None:
        threading.setprofile(None)

    @contextlib.contextmanager
    def recording(self) -> Iterator[None]:
        """Record what is entered meanwhile."""
        self._is_recording = True
        sys.setprofile(self._note)
        try:
            yield
        finally:
            sys.setprofile(None)
            self._is_recording = False

    def _note(self, frame: FrameType, event: str, _: Any) -> None:
        if self._is_recording and event == "call":
            path = frame.f_code.co_filename
            if path.startswith(self._folders) and frame.f_code.co_name != "<module>":
                self.entered[path.removeprefix(f"{ROOT}/")] = None
