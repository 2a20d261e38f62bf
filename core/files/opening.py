"""Opening a file that a person or an administrator names, without waiting for a pipe."""

from __future__ import annotations

import os
from pathlib import Path
from typing import BinaryIO


def open_now(path: Path) -> BinaryIO:
    """The file at this path, to be read as bytes; also what is no regular file, which the caller refuses.

    A pipe is opened at once, where ``open`` would wait until somebody writes to it. Raises OSError.
    """
    return open(path, "rb", opener=_at_once)


def _at_once(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
