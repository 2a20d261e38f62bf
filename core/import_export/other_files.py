"""Files that are no project, board or table: each is named for what it is, with the way to save it as one that is read.

Advice about columns would make rubbish of them: a card of each line of a calendar.
"""

from __future__ import annotations

import re

from core.errors import InvalidImport

SAVE_AS_CSV = "Save it as CSV (UTF-8), and import that."

_BYTES = (
    (b"SQLite format 3\0", "a database", "From kanban-tui, import what “ktui task list --json” prints."),
    (b"PK\x03\x04", "a spreadsheet (.xlsx, .ods) or another zip archive", SAVE_AS_CSV),
    (
        b"\xd0\xcf\x11\xe0",
        "an old Office file (.xls, .mpp)",
        "Save a sheet as CSV (UTF-8), and a plan of Project as XML (File, Save As, XML).",
    ),
    (b"%PDF", "a PDF", "Export the table from the program that made it, as CSV."),
    (b"\x1f\x8b", "a compressed file (gzip)", "Unpack it first."),
)

_TEXTS = (
    (r"<!doctype html|<html", "a web page", "Export the tasks from their program as CSV or JSON."),
    (r"<\?xml|<[a-z]+[ >]", "XML", "Export the tasks from their program as CSV or JSON."),
    (r"\{\\rtf", "a text document (.rtf)", "Copy its table into a spreadsheet, and save that."),
    (r"(?:#{1,6} |---\r?\n)", "Markdown without check boxes", "Write “- [ ] ” before each task."),
)


def refuse_other_bytes(data: bytes) -> None:
    """Raise InvalidImport for a file that is no text, and is known."""
    for beginning, what, way_out in _BYTES:
        if data.startswith(beginning):
            raise InvalidImport("", f"It is {what}. {way_out}")


def refuse_other_texts(text: str) -> None:
    """Raise InvalidImport for a text that is neither JSON nor a table, and is known."""
    beginning = text[:20_000].lstrip("\ufeff \t\r\n")
    for pattern, what, way_out in _TEXTS:
        if re.match(pattern, beginning, re.IGNORECASE | re.MULTILINE):
            raise InvalidImport("", f"It is {what}. Podium cannot read it yet. {way_out}")
