"""The summary of a phase in its header: objectives, deliverables and outcomes, if the view settings show them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from core.domain.canvas import PhaseColumn
from core.domain.model import Id
from core.domain.view_settings import PhaseSection, ViewSettings
from tui.board.cards import DrawingSettings
from tui.board.grouping import Column
from tui.drawing.rows import Word, one_line, row, wrapped
from tui.drawing.styles import BackgroundRole, Row, TextRole

MAX_TEXT = 3
"""Most lines of objectives or of outcomes."""

MAX_NAMED = 4
"""Most deliverables that are listed."""

PARTS = (PhaseSection.OBJECTIVES, PhaseSection.DELIVERABLES, PhaseSection.OUTCOMES)
OBJECTIVES_OUTCOMES = {PhaseSection.OBJECTIVES: "Objectives", PhaseSection.OUTCOMES: "Outcomes"}
"""Labels of the texts."""


class SummaryLines(NamedTuple):
    """The number of lines of each text."""

    objectives: int = 0
    deliverables: int = 0
    outcomes: int = 0

    def within(self, lines: int) -> SummaryLines:
        """As many of these as fit in ``lines``; the longest text is shortened first."""
        over = sum(self) - lines
        if over <= 0:
            return self
        given = list(self)
        for _ in range(over):
            given[given.index(max(given))] -= 1
        return SummaryLines(*given)


NO_TEXTS = SummaryLines()


def shows_texts(viewing: ViewSettings) -> bool:
    """True if the view settings show any text of the summary."""
    return any(part in PARTS for part in viewing.sections)


def texts_of(columns: Iterable[Column], viewing: ViewSettings, width: int) -> dict[Id, SummaryLines]:
    """The number of lines that each phase needs in columns of ``width`` cells."""

    def lines(part: PhaseSection, phase: PhaseColumn) -> int:
        if part not in viewing.sections:
            return 0
        if part is PhaseSection.DELIVERABLES:
            return min(len(phase.promised), MAX_NAMED)
        label, text = OBJECTIVES_OUTCOMES[part], phase.objectives if part is PhaseSection.OBJECTIVES else phase.outcomes
        return len(wrapped(f"{label} {one_line(text)}", width - 2, MAX_TEXT, "")) if text else 0

    phases = (column for column in columns if isinstance(column, PhaseColumn))
    return {phase.id: SummaryLines(*(lines(part, phase) for part in PARTS)) for phase in phases}


def about_rows(setting: DrawingSettings, phase: PhaseColumn, texts: SummaryLines, width: int) -> list[Row]:
    """The lines of a summary, with as many of each text as ``texts`` says."""
    objectives, outcomes = OBJECTIVES_OUTCOMES.values()
    return [
        *_text(setting, objectives, phase.objectives, texts.objectives, width),
        *_deliverables(setting, phase, texts.deliverables, width),
        *_text(setting, outcomes, phase.outcomes, texts.outcomes, width),
    ]


def _text(setting: DrawingSettings, label: str, text: str, lines: int, width: int) -> list[Row]:
    """``Objectives Win the first …``, wrapped at words and cut at the last line."""
    if not text or not lines:
        return []
    found = wrapped(f"{label} {one_line(text)}", width - 2, lines, setting.look.ellipsis)
    rest = found[0].removeprefix(label)
    first: list[Word] = [(" " + found[0][: len(found[0]) - len(rest)], TextRole.SECTION), (rest, TextRole.QUIET)]
    others: list[list[Word]] = [[(" " + line, TextRole.QUIET)] for line in found[1:]]
    return [row(setting.look, BackgroundRole.PLAIN, width, words) for words in [first, *others]]


def _deliverables(setting: DrawingSettings, phase: PhaseColumn, lines: int, width: int) -> list[Row]:
    """One deliverable per line with its sign, the count beside the first; the last line has the number left out."""
    if not phase.promised or not lines:
        return []
    signs = setting.look.signs
    hidden = len(phase.promised) - lines
    named = phase.promised if hidden <= 0 else phase.promised[: lines - 1]
    rows: list[list[Word]] = [
        [
            (f" {signs.delivered[each.done]} ", TextRole.DONE if each.done else TextRole.QUIET),
            (one_line(each.name), TextRole.QUIET),
        ]
        for each in named
    ]
    if hidden > 0:
        more = f"{hidden + 1} {'more' if named else 'deliverables'}"
        rows.append([(f" {signs.dot} {more}", TextRole.QUIET)])
    count: Word = (f" {phase.deliverables_done}/{phase.deliverables}", TextRole.QUIET)
    return [
        row(setting.look, BackgroundRole.PLAIN, width, words, [count] if at == 0 else [])
        for at, words in enumerate(rows)
    ]
