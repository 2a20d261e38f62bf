"""How the Projects widget puts a project, and an item that is next for me, in a line."""

from __future__ import annotations

from datetime import date

from core.actions.project_lists import ProjectLine
from core.dates import show_due
from core.model import Health, ItemKind
from core.open_work import WorkLine
from core.rules import Tally
from core.text import initials
from tui.board.cards import due_ink
from tui.board.look import ASCII, Ink, Look
from tui.board.rows import Word, people
from tui.widgets.columns import Cell, Column, Line, cell

COLUMNS = (
    Column("Project", 24, 44),
    Column("Role", 11, 11, rank=7),
    Column("Client / Market / Brand", 16, 46, rank=5),
    Column("Phase now", 13, 30, rank=4),
    Column("Progress", 12, 16, rank=3),
    Column("Health", 10, 10, rank=1),
    Column("Next due", 10, 10, rank=2),
    Column("Members", 14, 17, rank=6),
)

NEXT_COLUMNS = (
    Column("Next for me", 12, 80),
    Column("Due", 9, 9, rank=1),
    Column("Project", 12, 24, rank=2),
)

BAR = 6
"""Cells of the progress bar."""

_HEALTH: dict[Health, tuple[str, str, str, Ink]] = {
    Health.ON_TRACK: ("●", "+", "on track", Ink.DONE),
    Health.AT_RISK: ("▲", "^", "at risk", Ink.SOON),
    Health.OVERDUE: ("■", "!", "overdue", Ink.LATE),
}
"""Sign, sign in ASCII, word and ink."""


def project_line(line: ProjectLine, today: date, look: Look) -> Line:
    """A project; one in the archive is quiet, and so is one of which nothing may be told."""
    star = ("★ " if look.signs is not ASCII else "* ") if line.starred else "  "
    name = Ink.QUIET if line.project.archived or line.withheld else Ink.NAME if line.starred else Ink.TITLE
    return Line(
        line.project.id,
        (
            ((star, Ink.SOON), *cell(line.project.name, name)),
            cell((line.role or "").lower()),
            cell(" / ".join(line.links)),
            cell(_phase(line)),
            _progress(line.tally, look),
            _health(line, look),
            due_cell(line.next_due, today) if not line.project.archived else (),
            cell(people([initials(name) for name in line.members], 4)),
        ),
        detail=line.withheld or " ".join(line.project.description.partition("\n\n")[0].split()),
    )


def next_line(item: WorkLine, today: date, look: Look) -> Line:
    """One of my open items."""
    sign = look.signs.of(item.status, item.kind is ItemKind.ACTIVITY)
    return Line(
        item.id,
        (((f"{sign} ", Ink.QUIET), *cell(item.title, Ink.TITLE)), due_cell(item.due, today), cell(item.project)),
        detail=f"in {item.phase}",
    )


def due_cell(due: date | None, today: date) -> Cell:
    """A due date of something open, in words."""
    if due is None:
        return ()
    return cell(show_due(due, today), due_ink(due, today))


def _phase(line: ProjectLine) -> str:
    """The phase it is in, or why it is in none."""
    if line.withheld:
        return "not shown to you"
    return line.phase_now or ("archived" if line.project.archived else "all done" if line.tally.total else "")


def _progress(tally: Tally, look: Look) -> Cell:
    """A bar and ``3/8``; full only when everything is done, and never empty when something is."""
    if not tally.total:
        return ()
    done = round(tally.progress * BAR)
    if tally.completed:
        done = max(1, min(done, BAR if not tally.open else BAR - 1))
    words: list[Word] = [
        (look.signs.full * done, Ink.DONE),
        (look.signs.rest * (BAR - done), Ink.FAINT),
        (f" {tally.completed}/{tally.total}", Ink.QUIET),
    ]
    return tuple(word for word in words if word[0])


def _health(line: ProjectLine, look: Look) -> Cell:
    if line.ownerless:
        return cell("no owner", Ink.LATE)
    if line.health not in _HEALTH:
        return ()
    sign, ascii_sign, word, ink = _HEALTH[line.health]
    return ((f"{ascii_sign if look.signs is ASCII else sign} {word}", ink),)
