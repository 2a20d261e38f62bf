"""The lines of the Projects widget: a project, and an item that is next for the user."""

from __future__ import annotations

from datetime import date
from operator import itemgetter

from core.actions.projects.lists import ProjectSummary
from core.domain.model import Id, ItemKind
from core.domain.project_health import HEALTH_WORDS
from core.domain.statuses import ItemCounts
from core.reads.open_items import OpenItem
from core.reads.workflows import WaitingGate
from core.text.dates import format_due
from tui.board.cards import due_role
from tui.drawing.health import health_role, health_sign
from tui.drawing.people import Team
from tui.drawing.rows import progress_bar
from tui.drawing.styles import Styles, TextRole
from tui.widgets.columns import LOW, Cell, Column, Line, cell

HEALTH = "Health"

MEMBERS = 22
"""Most cells of the members of a project."""

COLUMNS = (
    Column("Project", 24, 44),
    Column("Role", 11, 11, rank=7),
    Column("Client / Market / Brand", 16, 46, rank=5),
    Column("Phase now", 13, 30, rank=4),
    Column("Progress", 12, 16, rank=3),
    Column(HEALTH, 10, 10, rank=1),
    Column("Next due", 10, 10, rank=2),
    Column("Members", 14, MEMBERS, rank=6),
)

NEXT_COLUMNS = (
    Column("Next for me", 20, 80, enough=40),
    Column("Due", 9, 9, rank=1),
    Column("Project", 12, 24, rank=LOW),
)

BAR = 6
"""Cells of the progress bar."""


LineFacts = tuple[ProjectSummary, date, Styles, Id]
"""The facts that the line of a project is made of: the parameters of ``project_line``."""


def project_line(line: ProjectSummary, today: date, look: Styles, me: Id = "") -> Line:
    """The line of a project. An archived project, and one that the user cannot see, is muted; my own name is not."""
    star = f"{look.signs.favourite} " if line.favourite else "  "
    name = (
        TextRole.QUIET
        if line.project.archived or line.withheld
        else TextRole.NAME
        if line.favourite
        else TextRole.TITLE
    )
    return Line(
        line.project.id,
        (
            ((star, TextRole.SOON), *cell(line.project.name, name)),
            cell((line.role or "").lower()),
            cell(" / ".join(line.links)),
            cell(_phase(line)),
            _progress(line.tally, look),
            _health(line, look),
            due_cell(line.next_due, today) if not line.project.archived else (),
            tuple(Team(dict(zip(line.member_ids, line.members, strict=True)), me).words(line.member_ids, MEMBERS)),
        ),
        detail=line.withheld
        or "; ".join(gate.title for gate in line.gates)
        or " ".join(line.project.description.partition("\n\n")[0].split()),
    )


def next_line(item: OpenItem | WaitingGate, today: date, look: Styles, with_project: bool) -> Line:
    """One of my open items, or a gate that waits for my decision; ``with_project`` begins with the project's key."""
    if isinstance(item, WaitingGate):
        title, key, sign, due, where = item.title, item.project_key, look.signs.open, None, item.title
        item_id = item.phase_id
    else:
        title, key, due, item_id = item.title, item.key.rpartition("-")[0], item.due, item.id
        sign, where = look.signs.of(item.status, item.kind is ItemKind.ACTIVITY), f"in {item.phase}"
    of_project = f"{key} " if with_project and key else ""
    first = ((f"{sign} {of_project}", TextRole.QUIET), *cell(title, TextRole.TITLE))
    return Line(item_id, (first, due_cell(due, today), cell(item.project)), detail=f"{where} · {item.project}")


def due_cell(due: date | None, today: date) -> Cell:
    """A due date of something open, in words."""
    if due is None:
        return ()
    return cell(format_due(due, today), due_role(due, today))


def _phase(line: ProjectSummary) -> str:
    """The phase it is in, or why it is in none."""
    if line.withheld:
        return "not shown to you"
    return line.phase_now or ("archived" if line.project.archived else "all done" if line.tally.total else "")


def _progress(tally: ItemCounts, look: Styles) -> Cell:
    """A bar and ``3/8``."""
    if not tally.total:
        return ()
    bar = filter(itemgetter(0), progress_bar(look, tally, BAR))
    return (*bar, (f" {tally.done}/{tally.total}", TextRole.QUIET))


def _health(line: ProjectSummary, look: Styles) -> Cell:
    if line.ownerless:
        return cell("no owner", TextRole.LATE)
    sign = health_sign(look, line.health)
    return ((f"{sign} {HEALTH_WORDS[line.health]}", health_role(line.health)),) if sign else ()
