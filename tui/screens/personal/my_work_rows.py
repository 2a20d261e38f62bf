"""The lines of My work, and the headings they stand under."""

from __future__ import annotations

from datetime import date, timedelta

from core.domain.model import ItemKind
from core.reads.open_items import OpenItem
from core.text.phrases import in_words
from tui.drawing.card_facts import priority_word, waiting_mark
from tui.drawing.styles import Styles, TextRole
from tui.screens.projects.rows import due_cell
from tui.widgets.columns import Column, Line, cell

COLUMNS = (
    Column("What", 24, 70),
    Column("Due", 9, 10, rank=1),
    Column("Project", 14, 34, rank=2),
    Column("Phase", 14, 26, rank=4),
    Column("Status", 13, 22, rank=3),
)

LATE, TODAY, SOON, LATER, NO_DATE = "Late", "Today", "Next 7 days", "Later", "No date"


def section_of(due: date | None, today: date) -> str:
    """The heading of an open item.

    Seven days rather than the rest of the week, which on a Friday says nothing of Monday.
    """
    if due is None:
        return NO_DATE
    if due <= today:
        return LATE if due < today else TODAY
    return SOON if due <= today + timedelta(days=7) else LATER


def work_line(item: OpenItem, today: date, look: Styles, marked: bool | None) -> Line:
    """One of my open items; a locked phase has a sign and a word. ``marked`` is None while nothing is marked."""
    signs, title = look.signs, TextRole.QUIET if item.locked else TextRole.TITLE
    sign = signs.of(item.status, item.kind is ItemKind.ACTIVITY)
    mark = () if marked is None else ((f"{signs.mark if marked else ' '} ", TextRole.ACCENT),)
    word = priority_word(item.priority)
    priority = ((f"{word[0]} ", word[1]),) if word else ()
    locked = ((f"{signs.locked} ", TextRole.SOON),) if item.locked else ()
    waiting = waiting_mark(item, signs)
    status = cell(in_words(item.status), TextRole.QUIET)
    if item.locked:
        status = cell("locked", TextRole.SOON)
    elif waiting:
        status = (waiting.word(brief=False),)
    return Line(
        item.id,
        (
            (*mark, (f"{sign} ", TextRole.QUIET), *priority, *cell(item.title, title)),
            due_cell(item.due, today),
            cell(item.project),
            (*locked, *cell(f"{item.phase_number} {item.phase}")),
            status,
        ),
        section=section_of(item.due, today),
        detail="it cannot start yet: w says why" if item.locked or item.waits_for else "",
    )
