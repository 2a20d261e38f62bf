"""The tables of Todoist, whose lines are sections, tasks, notes of the task before, and settings.

Its priorities go from 1, the highest, to 4: https://todoist.com/help/articles/format-a-csv-file-to-import-into-todoist-UVUXTmm6
"""

from __future__ import annotations

from core.domain.model import Priority
from core.import_export.draft import Draft
from core.import_export.tables.grid import CellGrid, GridRow
from core.import_export.tables.heads import Use
from core.import_export.tables.mapping import TableMapping
from core.record import replace
from core.text.sanitize import quote_value

NEEDED = frozenset(("TYPE", "CONTENT", "INDENT"))
"""The heads by which such a table is known."""


PRIORITIES = {"1": Priority.URGENT, "2": Priority.HIGH, "3": Priority.NORMAL, "4": Priority.LOW}


def take_todoist(grid: CellGrid, mapping: TableMapping, made: Draft) -> tuple[CellGrid, TableMapping]:
    """Return a table of Todoist with a line for each task, and columns for its section and its notes.

    The mapping gets the meaning of its priorities and of its two columns of days. Another table is returned as it is.
    """
    if not {head.upper() for head in grid.heads} >= NEEDED:
        return grid, mapping
    heads = [head.upper() for head in grid.heads]
    kind, content = heads.index("TYPE"), heads.index("CONTENT")
    day, deadline = (heads.index(head) if head in heads else -1 for head in ("DATE", "DEADLINE"))
    rows: list[GridRow] = []
    section, settings = "", 0
    lost: list[str] = []
    for row in grid.rows:
        beside = [cell for at, cell in enumerate(row.cells) if at not in (kind, content) and cell.strip()]
        match row.cells[kind].strip().casefold():
            case "section":
                section = row.cells[content]
                lost += beside
            case "note" if rows:
                *cells, note = rows[-1].cells
                said = f"{row.cells[content]} ({', '.join(beside)})" if beside else row.cells[content]
                rows[-1] = GridRow(rows[-1].number, (*cells, "\n".join(filter(None, (note, said)))))
            case "task":
                cells = [*row.cells, section, ""]
                if min(day, deadline) >= 0 and not cells[day].strip():
                    cells[day], cells[deadline] = cells[deadline], ""
                rows.append(GridRow(row.number, (*cells[:kind], *cells[kind + 1 :])))
            case "note":
                lost += [row.cells[content], *beside]
            case _:
                settings += 1
    made.leave_out(settings, "line", "a view was set up there, and no task")
    made.leave_out(len(lost), "cell", f"no task has them: “{quote_value(' '.join(lost))}”")
    others = (*grid.heads[:kind], *grid.heads[kind + 1 :])
    columns = {**mapping.columns}
    if day >= 0 and Use.DUE not in columns.values():  # before a DEADLINE, which few tasks have
        columns[grid.heads[day]] = Use.DUE
    mapping = replace(mapping, priorities=PRIORITIES | {**mapping.priorities}, columns=columns)
    return replace(grid, heads=(*others, "Section", "Notes of the task"), rows=tuple(rows)), mapping
