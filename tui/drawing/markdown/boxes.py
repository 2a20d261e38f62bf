"""The check boxes of a text: ``- [ ] Call the printer``."""

from __future__ import annotations

import re
from collections.abc import Collection

from core.record import Record
from tui.drawing.markdown.blocks import read_document

_BOX = re.compile(r"((?:[-+*>]|\d{1,9}[.)]| )*\[)([ xX])(\] +)(.*)")
"""A line with a check box: what comes before its mark, the mark, and its words."""


class CheckBox(Record, kw_only=False):
    """One check box of a text."""

    line: int
    """The line of the text, from 0."""
    is_ticked: bool
    words: str


def boxes_of(text: str) -> list[CheckBox]:
    """Return the check boxes that are drawn for a text, from the top."""
    lines = text.split("\n")
    found = [(number, _BOX.match(lines[number])) for number in read_document(text).box_lines if number < len(lines)]
    return [CheckBox(number, box[2] != " ", box[4].strip()) for number, box in found if box]


def tick_boxes(text: str, which: Collection[int]) -> str:
    """Return the text with the check boxes of these lines ticked and its others empty. Nothing else changes."""
    lines = text.split("\n")
    for box in boxes_of(text):
        if (box.line in which) != box.is_ticked:
            lines[box.line] = _BOX.sub(rf"\g<1>{'x' if box.line in which else ' '}\g<3>\g<4>", lines[box.line])
    return "\n".join(lines)
