"""How what a search found is put in lines: under the project it is in, with the words that were looked for."""

from __future__ import annotations

from collections.abc import Sequence

from core.actions.search import Found, FoundKind
from core.excerpt import Mark
from core.model import Status
from tui.board.look import Ink, Look
from tui.widgets.columns import Cell, Column, Line, cell

COLUMNS = (
    Column("Found", 24, 70),
    Column("What", 12, 22, rank=1),
    Column("Phase", 16, 24, rank=3),
    Column("In its text", 20, 130, rank=2),
)

OF_ALL = "The whole workspace"
"""The heading of what is in no project."""


def lines_of(found: Sequence[Found], look: Look) -> list[Line]:
    """The findings by project, the project with the best one first."""
    order = {project: place for place, project in enumerate(dict.fromkeys(each.project_id for each in found))}
    return [_line(each, look) for each in sorted(found, key=lambda each: order[each.project_id])]


def line_id(found: Found) -> str:
    return f"{found.kind} {found.id}"


def _line(found: Found, look: Look) -> Line:
    ink = Ink.QUIET if found.out_of_use else Ink.TITLE
    return Line(
        line_id(found),
        (
            (*_sign(found, look), *_emphasised(found.title, found.title_marks, ink)),
            cell(found.what),
            cell(found.phase),
            _emphasised(found.excerpt, found.excerpt_marks, Ink.QUIET),
        ),
        section=found.project or OF_ALL,
    )


def _sign(found: Found, look: Look) -> Cell:
    signs = look.signs
    of_kind = {FoundKind.COMMENT: signs.comment, FoundKind.APPLICATION: signs.application}
    if found.kind in (FoundKind.TASK, FoundKind.ACTIVITY):
        sign = signs.of(found.status or Status.TO_DO, found.kind is FoundKind.ACTIVITY)
    else:
        sign = of_kind.get(found.kind, signs.dot)
    return ((f"{sign} ", Ink.QUIET),)


def _emphasised(text: str, marks: Sequence[Mark], ink: Ink) -> Cell:
    """A text with the words in it that were looked for."""
    words: list[tuple[str, Ink]] = []
    end = 0
    for begin, stop in marks:
        words += [*cell(text[end:begin], ink), *cell(text[begin:stop], Ink.ACCENT)]
        end = stop
    return (*words, *cell(text[end:], ink))
