"""The number of lines of a card: it follows from the title and the width alone, so it is measured once."""

from __future__ import annotations

from core.domain.canvas import Card
from core.domain.model import Id, ItemKind
from tui.drawing.rows import one_line, wrap_text

TITLE_AT = 3
"""Cells before a title: the cursor's bar, and the sign of the status with a blank."""

SUBTASK = 2
"""Cells that the title of a task in an activity stands further to the right."""


def is_subtask(card: Card) -> bool:
    return card.activity_id is not None and card.kind is ItemKind.TASK


def title_room(card: Card, width: int) -> int:
    """Cells for each line of a title in a column of ``width`` cells, of which the last one is blank."""
    return max(1, width - TITLE_AT - 1 - (SUBTASK if is_subtask(card) else 0))


class Heights:
    """Returns the lines of a card, with the blank one that follows it, at one width. Long titles are kept."""

    def __init__(self, width: int, title_lines: int) -> None:
        self.width = width
        self.title_lines = title_lines
        self._kept: dict[Id, tuple[str, int]] = {}
        self._short = (width - TITLE_AT - 1 - SUBTASK) // 2
        """Letters that fit on a line of any card: each has at most two cells."""

    def __call__(self, card: Card) -> int:
        title = card.title
        if len(title) <= self._short:
            return 3
        room = title_room(card, self.width)
        if 2 * len(title) <= room or (len(title) <= room and title.isascii()):
            return 3
        kept = self._kept.get(card.id)
        if kept is None or kept[0] != title:
            kept = title, lines_of(title, room, self.title_lines)
            self._kept[card.id] = kept
        return kept[1] + 2


def lines_of(title: str, room: int, most: int) -> int:
    """The number of lines of a title, as ``wrap_text`` breaks it: words of letters of one cell are only counted."""
    if title.isascii() and title.isprintable() and "  " not in title and title == title.strip():
        lines, start = 1, 0
        while len(title) - start > room and lines < most:
            start = title.rfind(" ", start, start + room + 1) + 1
            if not start:
                break
            lines += 1
        else:
            return lines
    return len(wrap_text(one_line(title), room, most, ""))


def compact_height(_card: Card) -> int:
    """The one line of a compact card."""
    return 1
