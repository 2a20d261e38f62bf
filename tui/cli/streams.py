"""Files that commands read and write, where “-” stands for stdin and stdout."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import click

from core.errors import InvalidInput
from core.import_export.files import MAX_BYTES, read_bytes, read_file, read_stream, read_stream_bytes, write_file
from tui.cli.message_command import flag
from tui.cli.output import put

STREAM = "-"

OUTPUT = (
    click.Option(
        ["-o", "--output", "file"], default=STREAM, metavar="FILE", help="The output file (default: “-”, stdout)."
    ),
    flag("--force", "Replace an existing file."),
)
"""The options of a command that writes a file."""

PAGES = (".html", ".htm", ".xhtml")
"""The endings of files that a browser opens as HTML."""

OF_TEXTS = {".md": "markdown", ".txt": "markdown", ".html": "html"}
"""The formats of a text with headings, by the ending of its file."""


def format_of(file: str, wanted: str | None, endings: Mapping[str, str], default: str) -> str:
    """Return the format of a file that is written: the one that is wanted, else by its ending, the default without one.

    Raises InvalidInput for an unknown ending, and for anything but HTML in a file that a browser takes for it: it would
    run what is in the texts.
    """
    ending = Path(file).suffix.lower()
    found = wanted or {"": default, **endings}.get(ending)
    if found is None:
        known = ", ".join(endings)
        raise InvalidInput("file", f"No format has the ending “{ending}”. Use one of {known}, or name --format.")
    if ending in PAGES and found != "html":
        what = f"A browser takes a file with the ending “{ending}” for HTML, which {found} is not."
        raise InvalidInput("file", f"{what} Use another ending, or --format html.")
    return found


def read(file: str, most: int = MAX_BYTES) -> str:
    """The text of a file of at most ``most`` bytes. Raises InvalidImport."""
    return read_stream(sys.stdin.buffer, most) if file == STREAM else read_file(Path(file), most)


def read_raw(file: str, most: int = MAX_BYTES) -> bytes:
    """The bytes of a file of at most ``most`` bytes. Raises InvalidImport."""
    return read_stream_bytes(sys.stdin.buffer, most) if file == STREAM else read_bytes(Path(file), most)


def write(text: str, file: str, *, force: bool) -> bool:
    """Write a text by the options ``OUTPUT``; False where it went to stdout. Raises InvalidInput."""
    if file == STREAM:
        put(text)
        return False
    write_file(Path(file), text, replace=force, way_out="Choose another name, or add --force.")
    return True
