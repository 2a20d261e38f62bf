"""The SHA-256 of a file that a person names as evidence, read by the program that they run; no server reads files.

A person can name anything by mistake, so a device, a pipe and a folder are refused and never waited for. So is a file
that another program still writes: its hash would be that of no file that stays.
"""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path

from core.domain.evidence import file_name
from core.errors import InvalidInput
from core.files.opening import open_now
from core.record import Record
from core.text.sanitize import visible_line

PIECE = 1 << 20
"""Bytes that are read at a time."""


class HashedFile(Record):
    """A file as evidence names it: its name without the path, its size in bytes, and its SHA-256 in hexadecimal."""

    name: str
    size: int
    sha256: str


def hash_file(path: Path, field: str = "file") -> HashedFile:
    """Read a file and return what evidence keeps of it. A link is followed to its file.

    Raises InvalidInput, in one sentence that names the path: for what is no regular file or cannot be read, for a file
    that changes while it is read, and for a name that cannot be shown.
    """
    shown = visible_line(str(path))
    try:
        _refuse_special(os.stat(path), shown, field)  # before it is opened, which some devices act on
        with open_now(path) as file:
            before = os.fstat(file.fileno())
            _refuse_special(before, shown, field)
            digest, left = hashlib.sha256(), before.st_size + 1  # not to its end: a growing file has none
            while left and (piece := file.read(min(PIECE, left))):
                digest.update(piece)
                left -= len(piece)
            same = left == 1 and _facts(before) == _facts(os.fstat(file.fileno())) == _facts(os.stat(path))
    except OSError as error:
        raise InvalidInput(field, f"The file {shown} cannot be read: {error.strerror}.") from None
    except ValueError:  # a zero byte in the path
        raise InvalidInput(field, f"“{shown}” is no path of a file.") from None
    if not same:
        raise InvalidInput(
            field, f"The file {shown} changed while it was read. Wait until it is written, and try again."
        )
    return HashedFile(name=file_name(path.name, field), size=before.st_size, sha256=digest.hexdigest())


def _refuse_special(found: os.stat_result, shown: str, field: str) -> None:
    if stat.S_ISREG(found.st_mode):
        return
    what = (
        "a folder" if stat.S_ISDIR(found.st_mode) else "a pipe" if stat.S_ISFIFO(found.st_mode) else "no regular file"
    )
    raise InvalidInput(field, f"{shown} is {what}. Evidence is a file with contents that stay, such as a PDF.")


def _facts(found: os.stat_result) -> tuple[int, ...]:
    """The facts that change when a file is written to, or replaced by another one."""
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
