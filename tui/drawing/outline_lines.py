"""Lines of an outline with signs and indents; a long text is wrapped below its own first line."""

from __future__ import annotations

from collections.abc import Iterator

from rich.cells import cell_len, chop_cells
from textual.content import Content

from core.record import Record
from core.text.sanitize import sanitize
from tui.drawing.cells import fit
from tui.drawing.theme import QUIET

INDENT = 2
"""Cells per level."""

MAX_HINT = 0.45
"""The share of a line that a hint can take; beside a short text it can take more."""

MIN_TEXT = 8
"""Fewest cells of a text, at any level."""


class OutlineEntry(Record, kw_only=False):
    """``  ◇ A text, wrapped below itself      hint``. The default is a blank line."""

    text: str = ""
    hint: str = ""
    """A note at the right end."""
    lead: str = ""
    """The sign before the text."""
    indent: int = 0
    style: str = ""
    lead_style: str = QUIET


def draw_entry(entry: OutlineEntry, width: int) -> Iterator[Content]:
    """The lines of one entry: the whole text, and the hint beside the first line."""
    margin = " " * min(entry.indent * INDENT, max(0, width - MIN_TEXT))
    lead = f"{sanitize(entry.lead)} " if entry.lead else ""
    room = max(MIN_TEXT, width - cell_len(margin + lead))
    words = one_line(entry.text)
    hint = fit(one_line(entry.hint), max(int(room * MAX_HINT), room - cell_len(words) - 2)) if entry.hint else ""
    room -= cell_len(hint) + 2 if hint else 0
    for number, text in enumerate(wrap_text(words, room)):
        begin = (lead, entry.lead_style) if number == 0 else " " * cell_len(lead)
        if number == 0 and hint:
            yield Content.assemble(margin, begin, (fit(text, room, pad=True), entry.style), (f"  {hint}", QUIET))
        else:
            yield Content.assemble(margin, begin, (text, entry.style))


def one_line(text: str) -> str:
    """User text in one line: safe, with single spaces."""
    return " ".join(sanitize(text).split())


def wrap_text(text: str, cells: int) -> list[str]:
    """Wrap a text into lines of at most ``cells`` cells, between words if possible. Returns at least one line."""
    lines = [""]
    for word in text.split():
        if lines[-1] and cell_len(f"{lines[-1]} {word}") <= cells:
            lines[-1] = f"{lines[-1]} {word}"
            continue
        parts = chop_cells(word, max(2, cells))
        lines[-1:] = [*filter(None, lines[-1:]), *parts]
    return lines
