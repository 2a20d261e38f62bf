"""A table as the draft of a project: each line is a card, or a check box of one.

Nothing is lost and nothing changed without a word: what has no place on a card becomes lines “Head: value” at the end
of its description, and what is on no card is named with its number and the reason. Parents are cards of the table, made
activities, in any order of lines. A card that several people do is an activity with these members.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime

from core.domain.dependencies import MAX_BLOCKERS, MAX_LAG
from core.domain.fields import FieldKind, from_thousandths
from core.domain.max_lengths import MAX_PHASES, PHASE_NAME
from core.domain.model import ItemKind, Priority, Status
from core.domain.statuses import CLOSED
from core.errors import InvalidInput
from core.import_export.document import ItemEntry, ValueEntry, WaitEntry
from core.import_export.draft import (
    PHASE,
    ColumnUse,
    Draft,
    KnownWord,
    LeftOut,
    UnknownWord,
    archive_card,
    lines,
    status_of_tasks,
    with_status,
)
from core.import_export.tables.cell_days import read_days
from core.import_export.tables.columns import Column, Columns, decide_columns, is_link, strip_unit, tells_done
from core.import_export.tables.csv_export import unguard_cell
from core.import_export.tables.grid import Grid, Row
from core.import_export.tables.heads import Use
from core.import_export.tables.mapping import TableMapping
from core.import_export.tables.todoist import take_todoist
from core.record import replace
from core.text.amounts import read_amount
from core.text.folding import fold
from core.text.label_names import imported_name
from core.text.phrases import count, names, some
from core.text.sanitize import quote_value
from core.text.short_keys import MAX_NUMBER, read_card_key

NAMELESS = "Imported tasks"
"""The name of a project from a table without a file name."""

NAMED = 6
"""Words or columns that a note names; of more it says how many."""

LONGEST_NAME = 100
"""A longer text is no name of a person."""

_BETWEEN_LABELS = re.compile(r"[;,|\n]")
_BETWEEN_PEOPLE = re.compile(r"[;\n]")
_SHARE = re.compile(r"\s*(?:\[\d+%\]|\(\d+\))$")
"""What MS Project and Todoist write behind a person: the share of their time, or a number."""

_TIME = re.compile(r"[T ](?!00[:h]00|12:00 ?AM)\d{1,2}[:h]\d{2}", re.IGNORECASE)
_COMMENT = re.compile(r"\s*(\d{1,2}/\w{3}/\d{2} \d{1,2}:\d{2} [AP]M);([^;\n]*);(.*)", re.DOTALL)
"""A comment of Jira: its time, the account of its author, and its text."""

_WAIT = re.compile(r"(.+?)(?:FS)?\s*(?:\+\s*(\d+)\s*(?:d|t|days?|tage?)?)?", re.IGNORECASE)
"""A predecessor: a card, and the lag in days of MS Project and GanttProject."""


class _Line:
    """A line of the table, on the way to a card."""

    def __init__(self, row: Row, title: str) -> None:
        self.row = row
        self.id = f"row {row.number}"
        self.title = title
        self.phase = ""
        self.status = Status.TO_DO
        self.people: list[str] = []
        self.words: list[str] = []
        self.item: dict[str, object] = {}
        self.unsaid: list[str] = []
        """What no cell says, as in OriginEntry."""
        self.parent: _Line | None = None
        self.group = ""
        """The title of a parent that is no line of the table."""
        self.children: list[_Line] = []
        self.waits: dict[str, int] = {}
        """The lags of the lines that it waits for, by their ids."""

    def say(self, head: str, text: str) -> None:
        """Put a cell into the description."""
        self.words.append(f"{head}:\n{text}" if "\n" in text else f"{head}: {text}")


def draft(grid: Grid, mapping: TableMapping, today: date, called: str = "") -> Draft:
    """Return the draft of a table. ``called`` names the project.

    Raises InvalidImport without a column of titles, and Undecided for days and numbers with two meanings.
    """
    return _Table(grid, mapping, today, called).draft()


class _Table:
    """Turns a table into a draft."""

    def __init__(self, grid: Grid, mapping: TableMapping, today: date, called: str) -> None:
        self._mapping, self._today = mapping, today
        self._made = Draft(called or NAMELESS)
        grid = take_todoist(self._clean(grid), self._made.left_out)
        self._columns: Columns = decide_columns(grid, mapping, today)
        self._by_use = {use: self._columns.of(use) for use in Use}
        self._rows = grid.rows
        self._counted: Counter[str] = Counter()
        self._unknown: dict[str, Counter[str]] = {"status": Counter(), "priority": Counter()}
        self._known: Counter[tuple[str, str, str]] = Counter()
        """The kinds, words and meanings of cells that are known."""
        if grid.before:
            shown = " ".join(cell for row in grid.before for cell in row.cells if cell.strip())
            number = len(grid.before)
            self._made.left_out.append(
                LeftOut(
                    number,
                    "line",
                    f"{'it stands' if number == 1 else 'they stand'} before the heads: “{quote_value(shown)}”",
                )
            )

    def _clean(self, grid: Grid) -> Grid:
        """The table without signs that nothing can show, and without the apostrophes before formulas."""
        clean = self._made.clean
        rows = tuple(Row(row.number, tuple(clean(unguard_cell(cell)) for cell in row.cells)) for row in grid.rows)
        return replace(grid, heads=tuple(clean(unguard_cell(head)) for head in grid.heads), rows=rows)

    def draft(self) -> Draft:
        made = self._made
        made.notes += self._columns.notes
        made.fields = tuple(column.field for column in self._columns.columns if column.field)
        made.columns = tuple(
            ColumnUse(each.head, each.samples, each.becomes, each.use.value) for each in self._columns.columns
        )
        table = [self._line(row) for row in self._rows]
        made.key, numbers = self._keys(table)
        self._find_parents(table)
        self._find_phases(table)
        self._open_parents(table)
        self._find_waits(table)
        groups: dict[str, list[Status]] = {}
        for line in table:
            if line.group:
                groups.setdefault(_id_of_group(line), []).append(line.status)
        for line, number in zip(table, numbers, strict=True):
            if line.group and (statuses := groups.pop(_id_of_group(line), None)):
                status = status_of_tasks(statuses)
                made.add(
                    line.phase,
                    ItemEntry(id=_id_of_group(line), kind=ItemKind.ACTIVITY, title=line.group, status=status),
                    line.id,
                    unsaid=("phase", "priority", "status"),
                )
                self._counted["activities"] += 1
            source = self._text(Use.ID, line.row) or self._text(Use.KEY, line.row)
            made.add(line.phase, self._item(line, number), line.id, source, line.unsaid)
        self._note_all()
        return made

    # -- cells ---------------------------------------------------------------------------------------------------------

    def _text(self, use: Use, row: Row) -> str:
        """The cell of a line in the column with a use; "" without one."""
        return next((column.text(row.cells) for column in self._by_use[use]), "")

    def _line(self, row: Row) -> _Line:
        title = " ".join(self._text(Use.TITLE, row).split())
        if not title:
            self._counted["untitled"] += 1
        line = _Line(row, title or f"Row {row.number}")
        line.phase = " ".join(self._text(Use.PHASE, row).split())
        line.unsaid += [] if line.phase else ["phase"]
        line.status = self._status(line, row)
        line.people = self._people(line, row)
        descriptions = []
        for at, column in enumerate(self._by_use[Use.DESCRIPTION]):
            if text := column.text(row.cells):
                descriptions.append(text) if not at else line.say(column.head, text)
        labels = [
            each.strip()
            for column in self._by_use[Use.LABELS]
            for each in _BETWEEN_LABELS.split(column.text(row.cells))
        ]
        labels = [each for each in labels if each]
        self._counted["labels"] += sum(imported_name(each) not in ("", each) for each in labels)
        line.item = {
            "due": self._day(line, row, Use.DUE),
            "priority": self._priority(line, row),
            "labels": self._made.labels(labels),
            "link": self._link(line, row),
            "fields": self._fields(line, row),
            "comments": self._comments(line, row),
            "description": lines(*descriptions),
        }
        for use in (Use.ID, Use.OUTLINE, Use.WORDS):
            for column in self._by_use[use]:
                if column.field is None:
                    self._say(line, column, row)
        if left := self._made.words(labels):
            line.words.append(left)
        for column in self._by_use[Use.NOTHING]:
            self._counted[f"skip {column.head}"] += bool(column.text(row.cells))
        return line

    def _say(self, line: _Line, column: Column, row: Row) -> None:
        if text := column.text(row.cells):
            line.say(column.head, text)
            self._counted[f"words {column.head}"] += 1

    def _status(self, line: _Line, row: Row) -> Status:
        word = self._text(Use.STATUS, row)
        status = self._mapping.status_of(word) if word else Status.TO_DO
        if status is None:
            self._unknown["status"][word] += 1
            line.say(self._by_use[Use.STATUS][0].head, word)
            status, word = Status.TO_DO, ""
        elif word:
            self._known["status", word, status.value] += 1
        line.unsaid += [] if word else ["status"]
        for column in self._by_use[Use.DONE]:
            cell = column.text(row.cells)
            if cell and column.field is None and not _is_said(cell):
                self._say(line, column, row)
            if not cell or status in CLOSED:
                continue
            line.unsaid = [each for each in line.unsaid if each != "status"]
            said = self._mapping.status_of(cell)
            if tells_done(cell, self._mapping, self._today):
                status = said if said in CLOSED else Status.COMPLETED
            elif status is Status.TO_DO and re.fullmatch(r"[1-9]\d?(?:[.,]\d+)? ?%?", cell):
                status = Status.IN_PROGRESS
        return status

    def _people(self, line: _Line, row: Row) -> list[str]:
        """The logins of the people of a line in the document."""
        found: dict[str, str] = {}
        names_here = [
            (part, column.head)
            for column in self._by_use[Use.ASSIGNED]
            for part in _split_people(column.text(row.cells))
        ]
        emails = [
            part for column in self._by_use[Use.EMAIL] for part in re.split(r"[;,\n ]+", column.text(row.cells)) if part
        ]
        is_paired = len(emails) == len(names_here)
        for at, (part, head) in enumerate(names_here):
            name = _SHARE.sub("", part).removeprefix("@")
            if name != part and part != f"@{name}":
                line.say(head, part)
            if family := re.fullmatch(r"([^\W\d_][\w'’-]+), ([^\W\d_][\w'’. -]+)", name):
                name = f"{family[2]} {family[1]}"
            who = self._mapping.person_of(name)
            if who and len(who) <= LONGEST_NAME and any(map(str.isalnum, who)):
                email = emails[at] if is_paired else who if "@" in who else ""
                if fold(who) not in found:
                    found[fold(who)] = self._made.person(email or who, who, email, origin=line.id)
            else:
                line.say(head, part)
        if not is_paired:
            for email in emails:
                if len(email) > LONGEST_NAME:
                    line.say("E-mail", email)
                    continue
                found[fold(email)] = self._made.person(email, email, email, origin=line.id)
        return [*dict.fromkeys(found.values())]

    def _day(self, line: _Line, row: Row, use: Use) -> date | None:
        """The day in a column; a cell that has none, or more than a day, becomes words."""
        text = self._text(use, row)
        if not text:
            return None
        head = self._by_use[use][0].head
        try:
            days = read_days(text, self._today, self._columns.order)
        except InvalidInput:
            self._counted["no day"] += 1
            line.say(head, text)
            return None
        if days.start is not None:
            line.say(head, text)
        elif days.due is not None and _TIME.search(text):
            self._counted["times"] += 1
        return days.due

    def _priority(self, line: _Line, row: Row) -> Priority:
        word = self._text(Use.PRIORITY, row)
        found = self._mapping.priority_of(word) if word else Priority.NORMAL
        if found is None:
            self._unknown["priority"][word] += 1
            line.say(self._by_use[Use.PRIORITY][0].head, word)
        elif word:
            self._known["priority", word, found.value] += 1
        line.unsaid += [] if word and found else ["priority"]
        return found or Priority.NORMAL

    def _link(self, line: _Line, row: Row) -> str:
        text = self._text(Use.LINK, row)
        if text and not is_link(text):
            line.say(self._by_use[Use.LINK][0].head, text)
            self._counted["links"] += 1
            return ""
        return text

    def _comments(self, line: _Line, row: Row) -> tuple[object, ...]:
        found: list[object] = []
        for column in self._by_use[Use.COMMENT]:
            for cell in (row.cells[at].strip() for at in column.places):
                of_jira = _COMMENT.fullmatch(cell)
                try:
                    at = datetime.strptime(of_jira[1], "%d/%b/%y %I:%M %p").replace(tzinfo=UTC) if of_jira else None
                except ValueError:
                    at = None
                if of_jira and at and of_jira[3].strip():
                    author = self._made.author(of_jira[2].strip() or "unknown")
                    found += self._made.comments(author, at, of_jira[3])
                elif cell:
                    line.say(column.head, cell)
        return tuple(found)

    def _fields(self, line: _Line, row: Row) -> tuple[ValueEntry, ...]:
        values = []
        for column in self._columns.columns:
            text = column.text(row.cells)
            if column.field is None or not text:
                continue
            if column.use is Use.START:
                day = self._day(line, row, Use.START)
                text = day.isoformat() if day else ""
            elif column.field.kind is FieldKind.NUMBER:
                text = from_thousandths(read_amount(strip_unit(text), column.decimal))
            if text:
                values.append(ValueEntry(field=column.field.key, value=text))
        return tuple(values)

    # -- what lines are to each other ----------------------------------------------------------------------------------

    def _keys(self, table: Sequence[_Line]) -> tuple[str, list[int]]:
        """The key of the project and the number of each card; none if they are no different keys of one project."""
        cells = [self._text(Use.KEY, line.row) or self._text(Use.ID, line.row) for line in table]
        keys = [read_card_key(cell) for cell in cells]
        projects, numbers = {key[0] for key in keys if key}, [key[1] for key in keys if key]
        is_one = len(projects) == 1 and len(set(numbers)) == len(numbers) and max(numbers) <= MAX_NUMBER
        for line, key in zip(table, keys, strict=True):
            for column in self._by_use[Use.KEY]:
                if not (is_one and key):
                    self._say(line, column, line.row)
        return (projects.pop(), [key[1] if key else 0 for key in keys]) if is_one else ("", [0] * len(table))

    def _index(self, table: Sequence[_Line]) -> dict[str, _Line]:
        """The lines by what names them: an id or a key, else an outline number, else a title; of equals the first."""
        found: dict[str, _Line] = {}
        for use in (Use.ID, Use.KEY, Use.OUTLINE, Use.TITLE):
            for line in table:
                text = line.title if use is Use.TITLE else self._text(use, line.row).rstrip(".")
                if text:
                    found.setdefault(fold(text), line)
        return found

    def _find_parents(self, table: Sequence[_Line]) -> None:
        index = self._index(table)
        in_phase: dict[tuple[str, str], _Line] = {}
        for line in table:  # an activity of the phase goes before another card of that title
            place = fold(line.phase), fold(line.title)
            if self._text(Use.KIND, line.row).casefold() == "activity" and place not in in_phase:
                in_phase[place] = line
        levels: list[tuple[int, _Line]] = []
        for line in table:
            said = self._text(Use.PARENT, line.row)
            parent = in_phase.get((fold(line.phase), fold(said))) or index.get(fold(said)) if said else None
            outline = self._text(Use.OUTLINE, line.row).rstrip(".")
            if not said and "." in outline:
                parent = index.get(outline.rpartition(".")[0])
            if not said and (level := self._text(Use.INDENT, line.row)):
                levels = [each for each in levels if each[0] < int(level)]
                parent = levels[-1][1] if levels else None
                levels.append((int(level), line))
            if said and parent is None and _is_id(said):
                line.say(self._by_use[Use.PARENT][0].head, said)
                self._counted["parents"] += 1
            elif said and parent is None:
                line.group = " ".join(said.split())
            elif parent is line:
                line.say("Parent", said)
            else:
                line.parent = parent
        for line in table:
            if line.parent is not None and (top := _find_top(line)) is not line.parent:
                line.say("Parent", line.parent.title)
                self._counted["deeper"] += 1
                line.parent = top if top is not line else None
        for line in table:
            if line.parent is not None and line.parent.parent is not None:  # they are in each other
                line.say("Parent", line.parent.title)
                line.parent = None
        for line in table:
            if line.parent is None:
                continue
            line.phase = line.phase or line.parent.phase
            if line.phase == line.parent.phase:
                line.parent.children.append(line)
            else:
                line.say("Parent", line.parent.title)
                self._counted["elsewhere"] += 1
                line.parent = None
        for line in table:
            if line.group and line.children:
                line.say("Parent", line.group)
                line.group = ""

    def _open_parents(self, table: Sequence[_Line]) -> None:
        """Leave no activity closed whose tasks are open, which a project cannot have."""
        for line in table:
            if line.status in CLOSED and any(each.status not in CLOSED for each in line.children):
                if line.status is Status.ARCHIVED:
                    line.say("Status", self._text(Use.STATUS, line.row) or "archived")
                line.status = status_of_tasks([*(each.status for each in line.children), Status.IN_PROGRESS])
                self._counted["open"] += 1

    def _find_phases(self, table: Sequence[_Line]) -> None:
        """Name the phases. A name that is too long is whole in words, and those above the limit join the last one."""
        order: dict[str, str] = {}
        for line in table:
            whole = line.phase or PHASE
            name = whole if len(whole) <= PHASE_NAME else f"{whole[: PHASE_NAME - 1]}…"
            if whole not in order:
                last = next(reversed(order.values())) if len(order) >= MAX_PHASES else name
                order[whole] = name if name in order.values() or len(order) < MAX_PHASES else last
            if order[whole] != whole:
                line.say("Phase", whole)
                self._counted["phases"] += 1
            line.phase = order[whole]

    def _find_waits(self, table: Sequence[_Line]) -> None:
        """Find what the lines wait for. What is no card of the table, and what cannot be waited for, become words."""
        index = self._index(table)
        places = {name: at for at, name in enumerate(dict.fromkeys(line.phase for line in table))}

        def put(waiting: _Line, blocker: _Line, lag: int, line: _Line, head: str, cell: str) -> None:
            if (
                waiting is blocker
                or places[blocker.phase] > places[waiting.phase]
                or len(waiting.waits) >= MAX_BLOCKERS
            ):
                line.say(head, cell)
                self._counted["waits"] += 1
            else:
                waiting.waits[blocker.id] = lag

        for line in table:
            for use in (Use.WAITS_FOR, Use.BLOCKS):
                for column in self._by_use[use]:
                    for cell in filter(None, (line.row.cells[at].strip() for at in column.places)):
                        found = _read_waits(cell, index)
                        if found is None:
                            line.say(column.head, cell)
                            self._counted["waits"] += 1
                        for other, lag in found or ():
                            pair = (line, other) if use is Use.WAITS_FOR else (other, line)
                            put(*pair, lag, line, column.head, cell)

    # -- cards ---------------------------------------------------------------------------------------------------------

    def _item(self, line: _Line, number: int) -> ItemEntry:
        """The card of a line."""
        activity = line.parent.id if line.parent else _id_of_group(line) if line.group else None
        is_said = self._text(Use.KIND, line.row).casefold() == "activity"
        holds = line.children or is_said or len(line.people) > 1
        people = line.people
        if activity is not None:
            if is_said:
                line.say("Kind", "activity")
            if len(people) > 1:
                line.say("Also assigned", names(people[1:]))
                self._counted["also"] += 1
                people = people[:1]
        item = ItemEntry(
            id=line.id,
            number=number,
            kind=ItemKind.ACTIVITY if holds and activity is None else ItemKind.TASK,
            title=line.title,
            activity=activity,
            assigned=tuple(people),
            waits_for=tuple(WaitEntry(card=each, lag_days=lag) for each, lag in line.waits.items()),
            **line.item,  # type: ignore[arg-type]
        )
        item = with_status(replace(item, description=lines(item.description, "\n".join(line.words))), line.status)
        if line.parent and line.parent.status is Status.ARCHIVED and line.status is not Status.ARCHIVED:
            item = replace(archive_card(item), archived_with_activity=True)
        return item

    # -- notes ---------------------------------------------------------------------------------------------------------

    def _note_all(self) -> None:
        """Say what was read in another way than it stands, and what is on no card."""
        counted, notes = self._counted, self._made.notes
        words = [key.removeprefix("words ") for key in counted if key.startswith("words ")]
        if words:
            number = sum(counted[f"words {each}"] for each in words)
            listed = some([f"“{quote_value(each)}”" for each in words], NAMED)
            notes.append(
                f"{count(number, 'cell')} of {listed} {'is' if number == 1 else 'are'} at the end of descriptions."
            )
        for kind, means in (
            ("status", "a status, so the cards are To Do"),
            ("priority", "a priority, so the cards are normal"),
        ):
            if unknown := self._unknown[kind]:
                self._made.unknown += tuple(UnknownWord(kind, word, number) for word, number in unknown.most_common())
                listed = some([f"“{quote_value(word)}” ({number})" for word, number in unknown.most_common()], NAMED)
                notes.append(f"Not known as {means}: {listed}. --{kind} “WORD={kind.upper()}” says what they mean.")
        self._made.known = tuple(
            KnownWord(kind, word, number, means) for (kind, word, means), number in self._known.most_common()
        )
        for key, sentence in _SENTENCES.items():
            if number := counted[key]:
                notes.append(sentence.format(number, s="" if number == 1 else "s", is_="is" if number == 1 else "are"))
        if any(column.use is Use.START for column in self._columns.columns):
            notes.append("Start days are a date field, because cards have no start yet.")
        for key, number in counted.items():
            if key.startswith("skip ") and number:
                head = key.removeprefix("skip ")
                self._made.left_out.append(LeftOut(number, "cell", "you skip the column", (head,)))


_SENTENCES = {
    "untitled": "{} line{s} without a title {is_} called “Row” with its number.",
    "no day": "{} cell{s} in columns of days {is_} no day, and {is_} in the description.",
    "times": "{} time{s} of day {is_} left out: a card has a day.",
    "links": "{} link{s} that cannot be opened {is_} in the description.",
    "parents": "{} card{s} whose parent is not in the table {is_} without it; the description names the parent.",
    "waits": "{} wait{s} that cannot be here {is_} in the description.",
    "deeper": "{} card{s} more than two levels deep {is_} in the activity at the top; the description has the parent.",
    "elsewhere": "{} card{s} whose parent is in another phase {is_} beside it; the description names the parent.",
    "phases": "{} card{s} {is_} in a phase whose name is cut or joined; the description has the name.",
    "also": "{} card{s} with several people in an activity {is_} assigned to the first; the others are in words.",
    "activities": "{} card{s} {is_} made as activities, for parents that have no line.",
    "open": "{} card{s} that {is_} closed in the file {is_} in progress here, because tasks in them are open.",
    "labels": "{} label{s} {is_} written a little differently, as labels here have no commas and quotes.",
}


def _id_of_group(line: _Line) -> str:
    """The id of the activity that is made for a parent that is no line."""
    return f"activity {line.group} of {line.phase}"


def _is_id(text: str) -> bool:
    """True for a number or a key, which names a card of another table, and is no title."""
    return text.lstrip("#").isdecimal() or read_card_key(text) is not None


def _is_said(cell: str) -> bool:
    """True for a cell such as “yes” or “100 %”, of which the status says all."""
    return bool(re.fullmatch(r"(?:100|0) ?%?|\w{1,6}|[✓✔☑☐✗]", cell))


def _split_people(text: str) -> Iterable[str]:
    """The people in a cell: “Maya; Bob” and “maya, bob” are two, and “Okafor, Maya” is one."""
    for part in _BETWEEN_PEOPLE.split(text):
        parts = [each.strip() for each in part.split(",")]
        is_one = len(parts) == 2 and all(
            re.fullmatch(r"[^\W\d_a-zß-ÿ][\w'’-]+", each.split(" ")[0]) for each in parts if each
        )
        is_one = is_one and not any("@" in each or " " in each for each in parts)
        yield from filter(None, [part.strip()] if is_one else parts)


def _find_top(line: _Line) -> _Line | None:
    """The highest parent of a line; None without one. A circle ends where it was before."""
    known = {line.id}
    top = line.parent
    while top is not None and top.parent is not None and top.id not in known:
        known.add(top.id)
        top = top.parent
    return top


def _read_waits(cell: str, index: Mapping[str, _Line]) -> list[tuple[_Line, int]] | None:
    """The lines that a cell names, with the lag of each in days; None if one of them is no line of the table."""
    if line := index.get(fold(cell)):
        return [(line, 0)]
    found: list[tuple[_Line, int]] = []
    for part in filter(None, map(str.strip, re.split(r"[,;\n]", cell))):
        read = _WAIT.fullmatch(part)
        line = index.get(fold(part)) or (index.get(fold(read[1].strip())) if read else None)
        lag = int(read[2] or 0) if read and index.get(fold(part)) is None else 0
        if line is None or lag > MAX_LAG:
            return None
        found.append((line, lag))
    return found
