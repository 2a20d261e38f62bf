"""The lines of search results: under their project, with the words that were searched for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.actions.personal.search import SearchHit, SearchHitKind
from core.domain.model import Status
from core.text.excerpts import Mark
from tui.drawing.styles import Styles, TextRole
from tui.screens.personal.recent_searches import RecentSearch
from tui.widgets.columns import Cell, Column, Line, cell

COLUMNS = (
    Column("Title", 24, 70),
    Column("Type", 12, 22, rank=1),
    Column("Phase", 16, 24, rank=3),
    Column("Match", 20, 130, rank=2),
)

OF_ALL = "The whole workspace"
"""The heading of what is in no project."""


def lines_of(found: Sequence[SearchHit], look: Styles) -> Iterator[tuple[SearchHit, Line]]:
    """The findings by project, the project with the best one first, each with its line."""
    order = {project: place for place, project in enumerate(dict.fromkeys(each.project_id for each in found))}
    return ((each, _line(each, look)) for each in sorted(found, key=lambda each: order[each.project_id]))


def lines_of_recent(searches: Sequence[RecentSearch]) -> Iterator[tuple[RecentSearch, Line]]:
    """The recent searches, each with its line."""
    for each in searches:
        yield each, Line(f"RECENT {each.text}", (cell(each.text), (), (), ()), section="Recent searches")


def _line(found: SearchHit, look: Styles) -> Line:
    text_role = TextRole.QUIET if found.out_of_use else TextRole.TITLE
    return Line(
        f"{found.kind} {found.id}",
        (
            (*_sign(found, look), *_key(found), *_emphasised(found.title, found.title_marks, text_role)),
            cell(found.what),
            cell(found.phase),
            _emphasised(found.excerpt, found.excerpt_marks, TextRole.QUIET),
        ),
        section=found.project or OF_ALL,
    )


def _sign(found: SearchHit, look: Styles) -> Cell:
    signs = look.signs
    of_kind = {SearchHitKind.COMMENT: signs.comment, SearchHitKind.APPLICATION: signs.application}
    if found.kind in (SearchHitKind.TASK, SearchHitKind.ACTIVITY):
        sign = signs.of(found.status or Status.TO_DO, found.kind is SearchHitKind.ACTIVITY)
    else:
        sign = of_kind.get(found.kind, signs.dot)
    return ((f"{sign} ", TextRole.QUIET),)


def _key(found: SearchHit) -> Cell:
    return ((f"{found.key} ", TextRole.QUIET),) if found.key else ()


def _emphasised(text: str, marks: Sequence[Mark], text_role: TextRole) -> Cell:
    """A text with the words in it that were looked for."""
    words: list[tuple[str, TextRole]] = []
    end = 0
    for mark in marks:
        words += [*cell(text[end : mark.start], text_role), *cell(text[mark.start : mark.end], TextRole.ACCENT)]
        end = mark.end
    return (*words, *cell(text[end:], text_role))
