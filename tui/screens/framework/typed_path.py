"""The path of a file as a person types it, drags it onto the terminal, or copies it as an address."""

from __future__ import annotations

import os
import shlex
from contextlib import suppress
from itertools import takewhile
from pathlib import Path
from urllib.parse import unquote

from core.text.sanitize import sanitize

ADDRESS = "file://"


def complete_path(typed: str) -> tuple[str, tuple[str, ...]]:
    """Return the path with all that the files which it can mean have in common, and the names of several.

    >>> complete_path("/no/such/folder/pl")
    ('/no/such/folder/pl', ())
    """
    folder, name = os.path.split(typed)
    found: dict[str, str] = {}
    with suppress(OSError, ValueError), os.scandir(os.path.expanduser(folder) or ".") as entries:
        for each in entries:
            is_meant = each.name.startswith(name) and (name or not each.name.startswith("."))
            if is_meant and sanitize(each.name) == each.name:
                found[each.name] = each.name + (os.sep if each.is_dir() else "")
    if not found:
        return typed, ()
    names = tuple(found[each] for each in sorted(found))
    same = takewhile(lambda pair: pair[0] == pair[1], zip(min(names), max(names), strict=False))
    return os.path.join(folder, "".join(sign for sign, _ in same)), names if len(names) > 1 else ()


def read_path(typed: str) -> Path:
    r"""Return the path that is meant, without blanks, quotes and backslashes around what a shell would read.

    A file that is there under exactly this name is taken first.

    >>> [str(read_path(each)) for each in ("'/tmp/My file.csv' ", r"/tmp/My\ file.csv", "file:///tmp/My%20file.csv")]
    ['/tmp/My file.csv', '/tmp/My file.csv', '/tmp/My file.csv']
    """
    text = typed.strip()
    if os.path.lexists(os.path.expanduser(text)):
        return Path(os.path.expanduser(text))
    with suppress(ValueError):  # several words, or one quote: as it was typed
        [text] = shlex.split(text)
    if text[:1] == "“" and text[-1:] == "”":
        text = text[1:-1].strip()
    if text.startswith(ADDRESS):
        text = unquote(text.removeprefix(ADDRESS).removeprefix("localhost"))
    return Path(os.path.expanduser(text))
