"""A text in a private file while a person edits it in a program of their own.

Each text has a folder of its own with mode 0700, because editors put swap and backup files beside it. A file that could
not be read back stays there for 30 days.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tempfile
import time
from pathlib import Path

from core.files.own_files import NO_LINK, make_own
from core.files.state_files import state_file

MAX_BYTES = 1_000_000
"""The largest file that is read back."""

MAX_DAYS = 30
"""Days for which a file is kept."""


class UnreadableText(Exception):
    """Raised for a file that cannot be the text of a record. The message says what is wrong with it."""


def make_text_file(name: str, text: str) -> Path:
    """Write a text to a new private file, and return its path. ``name`` is one of ours, never a text of a user.

    Raises OSError.
    """
    folder = state_file("texts")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    _prune(folder)
    path = Path(tempfile.mkdtemp(dir=folder), f"{name}.md")
    with open(make_own(path), "wb") as file:
        file.write(f"{text}\n".encode() if text else b"")
    return path


def read_text_file(path: Path) -> str:
    """Return the text of a file after it was edited, without the line end that editors add.

    Raises UnreadableText, and OSError if there is no such file or it is a link.
    """
    with open(os.open(path, os.O_RDONLY | NO_LINK), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise UnreadableText("is no file any more")
        content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise UnreadableText(f"has more than {MAX_BYTES:,} bytes")
    try:
        return content.decode("utf-8-sig").replace("\r\n", "\n").rstrip("\n")
    except UnicodeDecodeError:
        raise UnreadableText("is not UTF-8") from None


def remove_text_file(path: Path) -> None:
    """Remove a file of ``make_text_file`` with its folder. Never raises."""
    shutil.rmtree(path.parent, ignore_errors=True)


def _prune(folder: Path) -> None:
    with contextlib.suppress(OSError):
        for each in folder.iterdir():
            if not each.is_symlink() and time.time() - each.stat().st_mtime > MAX_DAYS * 24 * 3600:
                shutil.rmtree(each, ignore_errors=True)
