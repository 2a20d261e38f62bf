"""The lines of a table to each other: parents, phases, and what waits for what.

Parents are cards of the table, made activities, in any order of lines. What cannot be here becomes words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property

from core.domain.dependencies import MAX_BLOCKERS, MAX_LAG
from core.domain.max_lengths import MAX_PHASES, PHASE_NAME
from core.domain.model import ItemKind, Status
from core.domain.statuses import CLOSED
from core.import_export.circles import find_tops
from core.import_export.draft import PHASE
from core.import_export.tables.columns import CellColumns, is_link
from core.import_export.tables.heads import Use
from core.import_export.tables.lines import LineReader, TableLine
from core.text.folding import fold
from core.text.phrases import shorten
from core.text.short_keys import read_card_key, read_card_keys

_WAIT = re.compile(r"(.+?)(?:FS)?\s*(?:\+\s*(\d+)\s*(?:d|t|days?|tage?)?)?", re.IGNORECASE)
"""A predecessor: a card, and the lag in days of MS Project and GanttProject."""

_PAGE = re.compile(r"\s+\((?:https?://|\.\./|[^()\s]*\.md\b)[^()\s]*\)")
"""The address of a page that Notion writes behind its title."""

READ_LATER = frozenset(
    (
        Use.ID,
        Use.KEY,
        Use.OUTLINE,
        Use.TITLE,
        Use.PARENT,
        Use.INDENT,
        Use.STATUS,
        Use.WAITS_FOR,
        Use.BLOCKS,
        Use.NOTHING,
    )
)
"""The uses of columns whose cells are read again, when all lines are there."""


class Relations:
    """Finds the relations of the lines of a table, and notes those that cannot be."""

    def __init__(self, table: Sequence[TableLine], columns: CellColumns, reader: LineReader) -> None:
        self._table, self._columns, self._noted, self._in_words = table, columns, reader.noted, reader.in_words

    def find(self) -> None:
        """Give the lines their parents, phases and waits."""
        self._find_parents()
        self._find_phases()
        self._open_parents()
        self._find_waits()

    def find_keys(self) -> str:
        """Number the lines by their keys. Return the key of the project; "" if they are no different keys of one."""
        cells = [self._columns.text(Use.KEY, line.at) or self._columns.text(Use.ID, line.at) for line in self._table]
        key, numbers = read_card_keys(cells)
        for line, number in zip(self._table, numbers, strict=True):
            line.number = number
            for column in self._columns.of[Use.KEY]:
                if not number and (text := column.cells[line.at]):
                    line.say(column.head, text)
                    self._in_words[column.head] += 1
        return key

    @cached_property
    def _index(self) -> dict[str, TableLine]:
        """The lines by what names them: an id or a key, else an outline number, a link or a title."""
        found: dict[str, TableLine] = {}
        for use in (Use.ID, Use.KEY, Use.OUTLINE, Use.LINK, Use.TITLE):
            for line in self._table:
                read = line.title if use is Use.TITLE else line.item.link if use is Use.LINK else None
                if text := self._columns.text(use, line.at).rstrip(".") if read is None else str(read):
                    found.setdefault(fold(text), line)
        return found

    def _find_parents(self) -> None:
        in_phase: dict[tuple[str, str], TableLine] = {}
        for line in self._table:  # an activity of the phase goes before another card of that title
            if line.kind is ItemKind.ACTIVITY:
                in_phase.setdefault((fold(line.phase), fold(line.title)), line)
        levels: list[tuple[int, TableLine]] = []
        blanks = self._find_blanks()
        above: dict[str, TableLine] = {}
        for line in self._table:
            said = _PAGE.sub("", self._columns.text(Use.PARENT, line.at))
            parent = in_phase.get((fold(line.phase), fold(said))) or self._index.get(fold(said)) if said else None
            if parent and fold(parent.title) == fold(said):  # of cards with one title, the next above
                parent = above.get(fold(said), parent)
            above[fold(line.title)] = line
            outline = self._columns.text(Use.OUTLINE, line.at).rstrip(".")
            if not said and "." in outline:
                parent = self._index.get(outline.rpartition(".")[0])
            if not said and (level := blanks.get(line.id) or self._columns.text(Use.INDENT, line.at)):
                levels = [each for each in levels if each[0] < int(level)]
                parent = levels[-1][1] if levels else None
                levels.append((int(level), line))
            if said and parent is None and _is_id(said):
                self._noted.say("parents", line, self._columns.of[Use.PARENT][0].head, said)
            elif said and parent is None:
                line.group = " ".join(said.split())
            elif parent is line:
                line.say("Parent", said)
            else:
                line.parent = parent
        tops = find_tops({line: line.parent for line in self._table if line.parent})
        for line in self._table:
            if line.parent and tops.get(line) is not line.parent:
                self._noted.say("deeper", line, "Parent", line.parent.title)
                line.parent = tops.get(line)
        for line in self._table:
            if line.parent is None:
                continue
            line.phase = line.phase or line.parent.phase
            if line.phase == line.parent.phase:
                line.parent.is_parent = True
            else:
                self._noted.say("elsewhere", line, "Parent", line.parent.title)
                line.parent = None
        for line in self._table:
            if line.group and line.is_parent:
                line.say("Parent", line.group)
                line.group = ""

    def _find_blanks(self) -> dict[str, str]:
        """The blanks before each title, if they show which lines are in others, and no column does."""
        named = any(self._columns.of[use] for use in (Use.PARENT, Use.OUTLINE, Use.INDENT))
        titles = {line.id: self._columns.text(Use.TITLE, line.at).expandtabs(4) for line in self._table}
        blanks = {name: len(title) - len(title.lstrip()) for name, title in titles.items()}
        is_indented = not named and blanks and next(iter(blanks.values())) == 0 and max(blanks.values()) > 1
        return {name: str(number) for name, number in blanks.items()} if is_indented else {}

    def _open_parents(self) -> None:
        """Leave no activity closed whose tasks are open, which a project cannot have."""
        is_open = {line.parent for line in self._table if line.status not in CLOSED}
        for line in self._table:
            if line.status in CLOSED and line in is_open:
                if line.status is Status.ARCHIVED:
                    line.say("Status", self._columns.text(Use.STATUS, line.at) or "archived")
                line.status = Status.IN_PROGRESS
                self._noted["open"].append(line)

    def _find_phases(self) -> None:
        """Name the phases. A name that is too long is whole in words, and those above the limit join the last one."""
        order: dict[str, str] = {}
        for line in self._table:
            whole = line.phase or PHASE
            name = shorten(whole, PHASE_NAME)
            if whole not in order:
                last = next(reversed(order.values())) if len(order) >= MAX_PHASES else name
                order[whole] = name if name in order.values() or len(order) < MAX_PHASES else last
            if order[whole] != whole:
                self._noted.say("phases", line, "Phase", whole)
            line.phase = order[whole]

    def _find_waits(self) -> None:
        """Find what the lines wait for. What is no card of the table, and what cannot be waited for, become words."""
        if not (self._columns.of[Use.WAITS_FOR] or self._columns.of[Use.BLOCKS]):
            return
        has_ids = bool(self._columns.of[Use.ID] or self._columns.of[Use.KEY])
        if not has_ids:  # as in Smartsheet, which writes no column of its numbers
            for line in self._table:
                self._index.setdefault(str(line.row - self._table[0].row + 1), line)
        places = {name: at for at, name in enumerate(dict.fromkeys(line.phase for line in self._table))}

        def put(waiting: TableLine, blocker: TableLine, lag: int, line: TableLine, head: str, cell: str) -> None:
            if (
                waiting is blocker
                or places[blocker.phase] > places[waiting.phase]
                or len(waiting.waits) >= MAX_BLOCKERS
            ):
                self._noted.say("waits", line, head, cell)
            else:
                waiting.waits[blocker.id] = lag

        for line in self._table:
            for use in (Use.WAITS_FOR, Use.BLOCKS):
                for column in self._columns.of[use]:
                    if not (cell := column.cells[line.at]):
                        continue
                    found = _read_waits(cell, self._index)
                    if found and not has_ids and cell[0].isdecimal():
                        self._noted["numbers"].append(line)
                    if found is None:
                        self._noted.say("waits", line, column.head, cell)
                    for other, lag in found or ():
                        pair = (line, other) if use is Use.WAITS_FOR else (other, line)
                        put(*pair, lag, line, column.head, cell)


def _is_id(text: str) -> bool:
    """True for a number, a key or a link, which names a card of another table, and is no title."""
    return text.lstrip("#").isdecimal() or read_card_key(text) is not None or is_link(text)


def _read_waits(cell: str, index: Mapping[str, TableLine]) -> list[tuple[TableLine, int]] | None:
    """The lines that a cell names, with the lag of each in days; None if one of them is no line of the table."""
    cell = _PAGE.sub("", cell)
    if line := index.get(fold(cell)):
        return [(line, 0)]
    found: list[tuple[TableLine, int]] = []
    for part in filter(None, map(str.strip, re.split(r"[,;\n]", cell))):
        read = _WAIT.fullmatch(part)
        line = index.get(fold(part)) or (index.get(fold(read[1].strip())) if read else None)
        lag = int(read[2] or 0) if read and index.get(fold(part)) is None else 0
        if line is None or lag > MAX_LAG:
            return None
        found.append((line, lag))
    return found
