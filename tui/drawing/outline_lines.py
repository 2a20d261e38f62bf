"""Lines of an outline with signs and indents, folded so that a text goes on below its own beginning."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from rich.cells import cell_len, chop_cells
from textual.content import Content

from core.text.sanitize import sanitized
from tui.drawing.cells import fit
from tui.drawing.theme import QUIET

INDENT = 2
"""Cells of one step in."""

MAX_HINT = 0.45
"""The part of a line that the hint may take; of a short text more is left to it."""

MIN_TEXT = 8
"""Cells that a text always gets, however far in it stands."""


class Entry(NamedTuple):
    """``  ◇ A text that goes on below itself      hint``; the default one is a blank line."""

    text: str = ""
    hint: str = ""
    """What is said of it, at the right end."""
    lead: str = ""
    """The sign before it."""
    indent: int = 0
    style: str = ""
    lead_style: str = QUIET


def drawn(entry: Entry, width: int) -> Iterator[Content]:
    """The lines of one entry: all of its text, and its hint beside the first."""
    margin = " " * min(entry.indent * INDENT, max(0, width - MIN_TEXT))
    lead = f"{sanitized(entry.lead)} " if entry.lead else ""
    room = max(MIN_TEXT, width - cell_len(margin + lead))
    words = one_line(entry.text)
    hint = fit(one_line(entry.hint), max(int(room * MAX_HINT), room - cell_len(words) - 2)) if entry.hint else ""
    room -= cell_len(hint) + 2 if hint else 0
    for number, text in enumerate(folded(words, room)):
        begin = (lead, entry.lead_style) if number == 0 else " " * cell_len(lead)
        if number == 0 and hint:
            yield Content.assemble(margin, begin, (fit(text, room, pad=True), entry.style), (f"  {hint}", QUIET))
        else:
            yield Content.assemble(margin, begin, (text, entry.style))


def one_line(text: str) -> str:
    """Text from people with single blanks and nothing unsafe."""
    return " ".join(sanitized(text).split())


def folded(text: str, cells: int) -> list[str]:
    """One line of text as lines of at most so many cells, between words where that is possible; never none."""
    lines = [""]
    for word in text.split():
        if lines[-1] and cell_len(f"{lines[-1]} {word}") <= cells:
            lines[-1] = f"{lines[-1]} {word}"
            continue
        parts = chop_cells(word, max(2, cells))
        lines[-1:] = [*filter(None, lines[-1:]), *parts]
    return lines
