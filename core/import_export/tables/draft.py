"""A table as the draft of a project: each line is a card.

Nothing is lost and nothing changed without a word: what has no place on a card becomes lines “Head: value” at the end
of its description, and what is on no card is named with its number and the reason. A card that several people do is an
activity with these members.
"""

from __future__ import annotations

from datetime import date

from core.domain.model import ItemKind, Status
from core.import_export.document import ItemEntry, WaitEntry
from core.import_export.draft import (
    ColumnUse,
    Draft,
    KnownWord,
    UnknownWord,
    lines,
    status_of_tasks,
    with_status,
)
from core.import_export.tables.columns import CellColumns, decide_columns
from core.import_export.tables.csv_export import unguard_cell
from core.import_export.tables.grid import CellGrid, GridRow
from core.import_export.tables.heads import Use
from core.import_export.tables.lines import LineReader, NotedLines, TableLine
from core.import_export.tables.mapping import TableMapping
from core.import_export.tables.relations import READ_LATER, Relations
from core.import_export.tables.todoist import take_todoist
from core.record import replace
from core.text.phrases import agree, count, names, some
from core.text.sanitize import is_plain, quote_value

NAMELESS = "Imported tasks"
"""The name of a project from a table without a file name."""

LISTED = 20
"""Words and lines that a note lists; of more it says how many."""

NAMED = 6
"""Columns that a note names."""


def draft(grid: CellGrid, mapping: TableMapping, today: date, called: str = "") -> Draft:
    """Return the draft of a table. ``called`` names the project.

    Raises InvalidImport without a column of titles, and Undecided for days and numbers with two meanings.
    """
    made = Draft(called or NAMELESS)
    if grid.before:
        shown = quote_value(" ".join(cell for row in grid.before for cell in row.cells if cell.strip()))
        stand = "it stands" if len(grid.before) == 1 else "they stand"
        made.leave_out(len(grid.before), "line", f"{stand} before the heads: “{shown}”")
    grid, mapping = take_todoist(_clean(grid, made), mapping, made)
    columns, rows = decide_columns(grid, mapping, today), [row.number for row in grid.rows]
    del grid  # its cells are in the columns
    made.notes += columns.notes
    made.unknown = columns.unknown
    made.fields = {each.field.key: each.field for each in columns.columns if each.field}
    made.columns = tuple(ColumnUse(each.head, each.samples, each.becomes, each.use.value) for each in columns.columns)
    reader = LineReader(columns, mapping, today, made)
    table = [reader.read(at, row) for at, row in enumerate(rows)]
    for column in columns.columns:
        if column.use not in READ_LATER:
            column.cells.clear()  # they are in the lines now
    relations = Relations(table, columns, reader)
    made.key = relations.find_keys()
    relations.find()
    _add_cards(made, columns, table, reader.noted)
    _note_all(made, columns, reader)
    return made


def _clean(grid: CellGrid, made: Draft) -> CellGrid:
    """The table without signs that nothing can show, and without the apostrophes before formulas."""

    def clean(row: GridRow) -> GridRow:
        whole = "".join(row.cells)
        if is_plain(whole) and "'" not in whole:
            return row
        return GridRow(row.number, tuple(made.clean(unguard_cell(cell)) for cell in row.cells))

    return replace(
        grid, heads=tuple(made.clean(unguard_cell(head)) for head in grid.heads), rows=tuple(map(clean, grid.rows))
    )


def _add_cards(made: Draft, columns: CellColumns, table: list[TableLine], noted: NotedLines) -> None:
    """Add a card for each line, and before its first task an activity for each parent that is no line."""
    groups: dict[str, list[Status]] = {}
    for line in table:
        if line.group:
            groups.setdefault(_id_of_group(line), []).append(line.status)
    for line in table:
        if line.group and (statuses := groups.pop(_id_of_group(line), None)):
            status, id = status_of_tasks(statuses), _id_of_group(line)
            group = ItemEntry(id=id, kind=ItemKind.ACTIVITY, title=line.group, status=status)
            made.add(line.phase, group, line.id, unsaid={"priority", "status", *line.unsaid})
            noted["activities"].append(line)
        source = columns.text(Use.ID, line.at) or columns.text(Use.KEY, line.at)
        made.add(line.phase, _make_item(line, columns, noted, made), line.id, source, line.unsaid)


def _make_item(line: TableLine, columns: CellColumns, noted: NotedLines, made: Draft) -> ItemEntry:
    """The card of a line."""
    activity = line.parent.id if line.parent else _id_of_group(line) if line.group else None
    is_said = line.kind is ItemKind.ACTIVITY
    holds = line.is_parent or is_said or len(line.people) > 1
    people = line.people
    if activity is not None:
        if is_said and not columns.of[Use.KIND][0].field:
            line.say("Kind", "activity")
        if len(people) > 1:
            noted.say("also", line, "Also assigned", names(made.name_people(people[1:])))
            people = people[:1]
    elif len(people) > 1 and not (line.is_parent or is_said):
        noted["several"].append(line)
    item = replace(
        line.item,
        number=line.number,
        kind=ItemKind.ACTIVITY if holds and activity is None else ItemKind.TASK,
        activity=activity,
        assigned=people,
        waits_for=tuple(WaitEntry(card=each, lag_days=lag) for each, lag in line.waits.items()),
        description=lines(line.item.description, "\n".join(line.words)),
    )
    item = with_status(item, line.status, line.parent.status if line.parent else None)
    del line.item, line.words  # they are on the card now, and memory is short
    return replace(item, archived_from=line.before) if line.status is Status.ARCHIVED else item


def _note_all(made: Draft, columns: CellColumns, reader: LineReader) -> None:
    """Say what was read in another way than it stands, and what is on no card."""
    notes = made.notes
    if number := reader.in_words.total():
        listed = some([f"“{quote_value(each)}”" for each in reader.in_words], NAMED)
        notes.append(f"{count(number, 'cell')} of {listed} {agree(number, '{is_}')} at the end of descriptions.")
    for kind, usual in (("status", "To Do"), ("priority", "normal")):
        if unknown := reader.unknown[kind]:
            made.unknown += tuple(UnknownWord(kind, word, number) for word, number in unknown.most_common())
            listed = some([f"“{quote_value(word)}” ({number})" for word, number in unknown.most_common()], LISTED)
            way = f"--{kind} “WORD={kind.upper()}” says what they mean."
            notes.append(f"Not known as a {kind}, so the cards are {usual}: {listed}. {way}")
    made.known = tuple(
        KnownWord(kind, word, number, means) for (kind, word, means), number in reader.known.most_common()
    )
    for key, sentence in _SENTENCES.items():
        if number := len(reader.noted[key]):
            places = [f"row {line.row} “{quote_value(line.title)}”" for line in dict.fromkeys(reader.noted[key])]
            notes.append(f"{agree(number, sentence)[:-1]} ({some(places, LISTED)}).")
    if any(column.use is Use.START and column.field for column in columns.columns):
        notes.append("Start days are a date field, because cards have no start yet.")
    for column in columns.of[Use.NOTHING]:
        made.leave_out(sum(map(bool, column.cells)), "cell", "you skip the column", [column.head])


_SENTENCES = {
    "untitled": "{} line{s} without a title {is_} called “Row” with its number.",
    "no day": "{} cell{s} in columns of days {is_} no day, and {is_} in the description.",
    "times": "{} time{s} of day {is_} left out: a card has a day.",
    "links": "{} link{s} that cannot be opened {is_} in the description.",
    "parents": "{} card{s} whose parent is not in the table {is_} without it; the description names the parent.",
    "waits": "{} wait{s} that cannot be here {is_} in the description.",
    "lists": "{} card{s} {has} the status that {its} list names, unless you map that column to the phase.",
    "numbers": "{} wait{s} {is_} for the line with that number, because the table has no ids.",
    "deeper": "{} card{s} more than two levels deep {is_} in the activity at the top; the description has the parent.",
    "elsewhere": "{} card{s} whose parent is in another phase {is_} beside it; the description names the parent.",
    "phases": "{} card{s} {is_} in a phase whose name is cut or joined; the description has the name.",
    "also": "{} card{s} with several people in an activity {is_} assigned to the first; the others are in words.",
    "several": "Several people share {} card{s}: such a card is an activity, because a task has one person.",
    "activities": "{} activit{ies} {is_} made for parents that have no line.",
    "further": "{} card{s} {is_} further than the status says, by another column; the description has the status.",
    "open": "{} card{s} that {is_} closed in the file {is_} in progress here, because tasks in them are open.",
    "labels": "{} card{s} {is_} labelled a little differently, as labels here have no commas and quotes.",
}


def _id_of_group(line: TableLine) -> str:
    """The id of the activity that is made for a parent that is no line."""
    return f"activity {line.group} of {line.phase}"
