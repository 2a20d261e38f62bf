"""Files that commands read and write, where “-” stands for stdin and stdout."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from core.import_export.files import MAX_BYTES, read_file, read_stream, write_file
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


def read(file: str, most: int = MAX_BYTES) -> str:
    """The text of a file of at most ``most`` bytes. Raises InvalidImport."""
    return read_stream(sys.stdin.buffer, most) if file == STREAM else read_file(Path(file), most)


def write(text: str, file: str, *, force: bool) -> bool:
    """Write a text by the options ``OUTPUT``; False where it went to stdout. Raises InvalidInput."""
    if file == STREAM:
        put(text)
        return False
    write_file(Path(file), text, replace=force, way_out="Choose another name, or add --force.")
    return True
