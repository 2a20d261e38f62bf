"""Tasks and activities as CSV, for export and import; one line per card.

An exported table can be imported again, but it is not the whole project: the document is. A cell that a spreadsheet
would take for a formula gets an apostrophe at its start, which spreadsheets hide and the import removes; a text that
begins with apostrophes before such a sign gets one more, so that export and import are inverse.

Imported tables are separated by comma, semicolon or tab, and have a header line. Columns are found by the names in
``HEADS``, or as the caller maps them (``{"title": "Task name"}``). Other ones become custom fields, whose kind follows
from their cells: numbers, dates such as 2026-12-03, links, or texts. People and choices come as texts, because a table
does not say who or what could have been chosen. A card without a phase goes to the phase "Work"; an activity that only
its tasks name is created, and its status follows from theirs.
"""

from __future__ import annotations

import csv
import io
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date

from core.domain.fields import MAX_FIELDS, MAX_NAME, FieldKind, key_for
from core.domain.model import ItemKind, Priority, Status
from core.domain.statuses import status_meant
from core.errors import InvalidImport, InvalidInput
from core.import_export.document import FieldEntry, ItemEntry, PhaseEntry, ProjectDocument, ValueEntry
from core.import_export.draft import PHASE, Draft, lines, status_of_tasks, with_status
from core.record import Record
from core.rules.fields import checked_name, folded_word, plain_value
from core.text.dates import parse_due
from core.text.phrases import in_words, names
from core.text.sanitize import quote_value, sanitize
from core.text.short_keys import MAX_NUMBER, card_key, read_card_key

HEADS: Mapping[str, tuple[str, ...]] = {
    "key": ("key", "issue key"),
    "phase": ("phase", "stage", "section", "list", "milestone"),
    "kind": ("kind", "type"),
    "activity": ("activity", "parent", "epic", "group"),
    "title": ("title", "name", "task", "task name", "summary", "subject", "card"),
    "status": ("status", "state"),
    "assigned": ("assigned", "assigned to", "assignee", "owner", "responsible", "who"),
    "due": ("due", "due date", "deadline"),
    "description": ("description", "notes", "details"),
    "link": ("link", "url"),
    "priority": ("priority", "importance"),
    "labels": ("labels", "label", "tags", "tag", "categories", "category"),
}
"""The columns in the order of the export, with the header names by which an import finds them."""

PRIORITIES: Mapping[Priority, tuple[str, ...]] = {
    Priority.LOW: ("low", "lowest", "minor", "trivial"),
    Priority.NORMAL: ("", "normal", "medium", "none"),
    Priority.HIGH: ("high", "major", "important"),
    Priority.URGENT: ("urgent", "highest", "critical", "blocker"),
}
"""The words that mean a priority in tables."""

BETWEEN_PEOPLE = ";"
_BETWEEN_LABELS = re.compile("[;,]")
NAMELESS = "Imported tasks"
"""The name of a project from a table without a file name."""
_FORMULA = re.compile(r"'*[=+\-@\t\r＝＋－＠]")
_SEPARATOR = re.compile(r'"?sep=([,;\t|])"?\r?\n', re.IGNORECASE)
"""A first line that tells Excel the separator of the cells."""

_GUARDED = re.compile(r"'+[=+\-@\t\r＝＋－＠]")


BYTE_ORDER_MARK = "\ufeff"
"""The beginning of a table as a file: without it Excel takes UTF-8 for another encoding, and shows “é” as two signs."""


def to_csv(document: ProjectDocument) -> str:
    """The cards of a project in order; people by login, dates as ISO 8601, line ends as in RFC 4180."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow([*HEADS, *(guard_cell(own_head(field.name)) for field in document.fields)])
    for phase in document.phases:
        titles = {item.id: item.title for item in phase.items}
        for item in phase.items:
            key = card_key(document.key, item.number) if document.key and item.number else ""
            held = {each.field: each.value for each in item.fields}
            own = (held.get(field.key, "") for field in document.fields)
            writer.writerow([guard_cell(cell) for cell in (key, *_cells(phase, item, titles), *own)])
    return text.getvalue()


def _cells(phase: PhaseEntry, item: ItemEntry, titles: Mapping[str, str]) -> tuple[str, ...]:
    return (
        phase.name,
        in_words(item.kind),
        titles[item.activity] if item.activity else "",
        item.title,
        in_words(item.status),
        f"{BETWEEN_PEOPLE} ".join(item.assigned),
        item.due.isoformat() if item.due else "",
        item.description,
        item.link,
        in_words(item.priority),
        f"{BETWEEN_PEOPLE} ".join(item.labels),
    )


def guard_cell(cell: str) -> str:
    """The cell with an apostrophe before it if a spreadsheet would take it for a formula."""
    return f"'{cell}" if _FORMULA.match(cell) else cell


def _unguard_cell(cell: str) -> str:
    return cell[1:] if _GUARDED.match(cell) else cell


def columns_from(said: Iterable[str]) -> dict[str, str]:
    """The header name of each column, from texts such as ``title=Task name``. Raises InvalidInput."""
    columns: dict[str, str] = {}
    for each in said:
        column, _, head = (part.strip() for part in each.partition("="))
        if column not in HEADS or not head:
            raise InvalidInput("columns", f"“{sanitize(each)}” is not FIELD=HEAD. Fields are {names(list(HEADS))}.")
        columns[column] = head
    return columns


class CsvRow(Record, kw_only=False):
    """One record of the file: its cells by column, and its first line."""

    line: int
    cells: Mapping[str, str]
    others: Mapping[str, str] = {}
    """The cells of the columns that have no meaning of their own, by their heads."""

    @property
    def origin(self) -> str:
        return f"line {self.line}"

    def cell(self, column: str) -> str:
        """The text in a column; "" without such a column."""
        return self.cells.get(column, "").strip()

    @property
    def group(self) -> tuple[str, str]:
        """The phase and the activity of the card."""
        return self.cell("phase") or PHASE, self.cell("activity")


def draft(text: str, columns: Mapping[str, str], today: date, called: str = "") -> Draft:
    """The draft of a table. ``columns`` maps columns to header names that differ from ``HEADS``; ``called`` names the
    project.

    Raises InvalidImport.
    """
    rows = list(_rows(text, columns))
    key, numbers = _keys(rows)
    made = Draft(called or NAMELESS, key=key)
    fields = made.fields = own_columns([row.others for row in rows])
    activities = _activities(rows)
    statuses: dict[tuple[str, str], list[Status]] = defaultdict(list)
    for row in rows:
        statuses[row.group].append(_status(row))
    for row, number in zip(rows, numbers, strict=True):
        phase, name = row.group
        if name and row.group not in activities:
            activities[row.group] = f"activity {name} of {phase}"
            status = status_of_tasks(statuses[row.group])
            entry = ItemEntry(id=activities[row.group], kind=ItemKind.ACTIVITY, title=name, status=status)
            made.add(phase, entry, row.origin)
        labels = [each.strip() for each in _BETWEEN_LABELS.split(row.cell("labels"))]
        people = [each.strip() for each in row.cell("assigned").split(BETWEEN_PEOPLE)]
        item = ItemEntry(
            id=row.origin,
            number=number,
            kind=_kind(row),
            title=row.cell("title"),
            activity=activities[row.group] if name else None,
            due=_due(row, today),
            priority=_priority(row, made),
            labels=made.labels(labels),
            description=lines(row.cell("description"), made.words(labels)),
            link=row.cell("link"),
            fields=values_in(row.others, fields),
            assigned=tuple(
                made.person(each, each, each if "@" in each else "", origin=row.origin) for each in people if each
            ),
        )
        made.add(phase, with_status(item, _status(row)), row.origin)
    return made


def _keys(rows: list[CsvRow]) -> tuple[str, list[int]]:
    """The key of the project and the number of each card; none if they are not the different keys of one project."""
    keys = [read_card_key(row.cell("key")) for row in rows]
    projects, numbers = {key[0] for key in keys if key}, [key[1] for key in keys if key]
    if len(projects) == 1 and len(set(numbers)) == len(numbers) and max(numbers) <= MAX_NUMBER:
        return projects.pop(), [key[1] if key else 0 for key in keys]
    return "", [0] * len(rows)


def _activities(rows: list[CsvRow]) -> dict[tuple[str, str], str]:
    """The activities that have a line of their own, by phase and title; the first of several with one title."""
    found: dict[tuple[str, str], str] = {}
    for row in rows:
        if _kind(row) is ItemKind.ACTIVITY:
            found.setdefault((row.group[0], row.cell("title")), row.origin)
    return found


def _kind(row: CsvRow) -> ItemKind:
    return ItemKind.ACTIVITY if row.cell("kind").casefold() == "activity" else ItemKind.TASK


def _status(row: CsvRow) -> Status:
    status = status_meant(row.cell("status")) if row.cell("status") else Status.TO_DO
    if status is None:
        known = names([in_words(each) for each in Status])
        raise InvalidImport(
            "status", f"“{sanitize(row.cell('status'))}” is no status. Known are {known}.", line=row.line
        )
    return status


def _priority(row: CsvRow, made: Draft) -> Priority:
    """The priority of a card; a word that means none is named in a note, and the card is normal."""
    word = row.cell("priority")
    found = next((priority for priority, words in PRIORITIES.items() if word.casefold() in words), None)
    if found is None:
        note = (
            f"The priority “{quote_value(word)}” is unknown. Known are {names([in_words(each) for each in Priority])}."
        )
        made.notes += [note] if note not in made.notes else []
    return found or Priority.NORMAL


def _due(row: CsvRow, today: date) -> date | None:
    try:
        return parse_due(row.cell("due").partition("T")[0], today)
    except InvalidInput as refused:
        raise InvalidImport("due", str(refused), line=row.line) from None


def _rows(text: str, columns: Mapping[str, str]) -> Iterator[CsvRow]:
    """The records below the header line; empty lines are skipped."""
    said = _SEPARATOR.match(text)
    delimiter = said[1] if said else _delimiter(text)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line = 1
    try:
        if said:
            next(reader)
        heads = [_unguard_cell(head).strip() for head in next(reader, [])]
        places = _places(heads, columns)
        line = reader.line_num + 1
        for cells in reader:
            if len(cells) > len(heads):
                raise InvalidImport("", f"It has {len(cells)} cells, and there are {len(heads)} heads.", line=line)
            if any(cell.strip() for cell in cells):
                plain = [_unguard_cell(cell) for cell in cells]
                known = {column: plain[at] for column, at in places.items() if at < len(plain)}
                others = {
                    heads[at]: cell for at, cell in enumerate(plain) if at not in places.values() and cell.strip()
                }
                yield CsvRow(line, known, others)
            line = reader.line_num + 1
    except csv.Error as error:
        raise InvalidImport("", f"It is no table ({error}).", line=line) from None


def _delimiter(text: str) -> str:
    """The separator that occurs most often in the header line."""
    heads = text.partition("\n")[0]
    return max(",;\t", key=heads.count)


def _places(heads: list[str], columns: Mapping[str, str]) -> dict[str, int]:
    """The position of each column. Raises InvalidImport if the title, or a header name of ``columns``, is missing."""
    found: dict[str, int] = {}
    listed = names([f"“{sanitize(head)}”" for head in heads])
    folded = [" ".join(head.casefold().replace("_", " ").split()) for head in heads]
    for column, words in HEADS.items():
        wanted = (columns[column].casefold(),) if column in columns else words
        place = next((folded.index(word) for word in wanted if word in folded), None)
        if place is None and column in columns:
            raise InvalidImport(column, f"There is no head “{sanitize(columns[column])}”. There is {listed}.", line=1)
        if place is not None and place not in found.values():
            found[column] = place
    if "title" not in found:
        raise InvalidImport(
            "title",
            f"No column looks like the title of the tasks (found: {listed}). Name it with title=COLUMN, after --map or "
            "in “Columns”.",
            line=1,
        )
    return found


OF_CARDS = frozenset(
    "key phase kind activity title status assigned due description link assignee owner notes details list".split()  # noqa: SIM905
)
"""Heads that an import would take for another column."""

KINDS = (FieldKind.NUMBER, FieldKind.DATE, FieldKind.LINK, FieldKind.TEXT)
"""The kinds that a column can have; the first that all its cells fit is taken."""

Cells = Mapping[str, str]


MARK = " (field)"
"""The end of the head of a field that is named like another column, or like such a head."""


def own_head(name: str) -> str:
    """The head of the column of a field with this name, which an import takes for no other column."""
    return f"{name}{MARK}" if _needs_mark(name) else name


def _own_name(head: str) -> str:
    """The name of the field in a column with this head."""
    head = head.strip()
    return (head.removesuffix(MARK) if _needs_mark(head) else head)[:MAX_NAME]


def _needs_mark(name: str) -> bool:
    while name.endswith(MARK):
        name = name.removesuffix(MARK)
    return name.casefold() in OF_CARDS


def own_columns(rows: Sequence[Cells]) -> tuple[FieldEntry, ...]:
    """Return the fields in the other columns of a table, at most twelve. Columns that cannot be fields are left out."""
    cells: dict[str, list[str]] = {}
    for row in rows:
        for head, cell in row.items():
            cells.setdefault(head, []).append(cell)
    found: dict[str, FieldEntry] = {}
    for head, held in cells.items():
        kind = next(
            (kind for kind in (FieldKind.NUMBER, FieldKind.DATE, FieldKind.LINK, FieldKind.TEXT) if _fit(kind, held)),
            None,
        )
        name = _own_name(head)
        if (
            kind is None
            or not _is_name(name)
            or folded_word(name) in (folded_word(each.name) for each in found.values())
        ):
            continue
        found[head] = FieldEntry(name=name, key=key_for(name, {each.key for each in found.values()}), kind=kind)
    return tuple(found.values())[:MAX_FIELDS]


def values_in(row: Cells, fields: Sequence[FieldEntry]) -> tuple[ValueEntry, ...]:
    """Return the values of a line."""
    by_name = {_own_name(head): cell for head, cell in row.items()}
    return tuple(ValueEntry(field=field.key, value=by_name[field.name]) for field in fields if field.name in by_name)


def _fit(kind: FieldKind, cells: Sequence[str]) -> bool:
    """Return True if all cells can be values of this kind."""
    try:
        for cell in cells:
            if kind is FieldKind.DATE:
                date.fromisoformat(cell.strip())
            else:
                plain_value(kind, (), cell)
    except (InvalidInput, ValueError):
        return False
    return True


def _is_name(name: str) -> bool:
    try:
        return checked_name(name) == name
    except InvalidInput:
        return False
