"""The path of a file as a person types it, drags it onto the terminal, or copies it as an address."""

from __future__ import annotations

import os
import shlex
from contextlib import suppress
from pathlib import Path
from urllib.parse import unquote

ADDRESS = "file://"


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
