"""The tables of Todoist, whose lines are sections, tasks, notes of the task before, and settings."""

from __future__ import annotations

from core.import_export.draft import Draft
from core.import_export.tables.grid import CellGrid, GridRow
from core.record import replace

NEEDED = frozenset(("TYPE", "CONTENT", "INDENT"))
"""The heads by which such a table is known."""


def take_todoist(grid: CellGrid, made: Draft) -> CellGrid:
    """Return a table of Todoist with a line for each task, and columns for its section and its notes.

    Another table is returned as it is.
    """
    if not {head.upper() for head in grid.heads} >= NEEDED:
        return grid
    heads = [head.upper() for head in grid.heads]
    kind, content = heads.index("TYPE"), heads.index("CONTENT")
    rows: list[GridRow] = []
    section, settings = "", 0
    for row in grid.rows:
        match row.cells[kind].strip().casefold():
            case "section":
                section = row.cells[content]
            case "note" if rows:
                *cells, note = rows[-1].cells
                rows[-1] = GridRow(rows[-1].number, (*cells, "\n".join(filter(None, (note, row.cells[content])))))
            case "task":
                rows.append(GridRow(row.number, (*row.cells[:kind], *row.cells[kind + 1 :], section, "")))
            case _:
                settings += 1
    made.leave_out(settings, "line", "a view was set up there, and no task")
    others = (*grid.heads[:kind], *grid.heads[kind + 1 :])
    return replace(grid, heads=(*others, "Section", "Notes of the task"), rows=tuple(rows))
