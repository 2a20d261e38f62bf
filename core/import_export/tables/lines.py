"""The lines of a table on the way to cards: what each cell says about its card.

A cell without a place on a card becomes a line “Head: value” at the end of the description.
"""

from __future__ import annotations

import contextlib
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, date, datetime
from functools import cache, partial
from itertools import product

from core.domain.model import ItemKind, Priority, Status
from core.domain.statuses import CLOSED
from core.errors import InvalidInput
from core.import_export.document import CommentEntry, ItemEntry, ValueEntry
from core.import_export.draft import LONGEST_NAME, Draft, is_name
from core.import_export.tables.cell_days import read_days
from core.import_export.tables.columns import CLOSING, CellColumn, CellColumns, is_link, says_done
from core.import_export.tables.heads import Use, names_list, plain_head
from core.import_export.tables.mapping import TableMapping
from core.import_export.tables.words import kind_word, status_of_list, truth_word
from core.text.folding import fold
from core.text.label_names import imported_name

_BETWEEN_LABELS = re.compile(r"[;,|\n]")
_BETWEEN_PEOPLE = re.compile(r"[;\n]|\s/\s|/(?=[^\s/]+@)")
_ADDRESS = re.compile(r"(?<=\S)\s*[<(]([^<>()@\s]+@[^<>()@\s]+)[>)]$")
_SHARE = re.compile(r"\s*(?:\[\d+%\]|\(\d+\))$")
"""What MS Project and Todoist write behind a person: the share of their time, or a number."""

_TIME = re.compile(r"[T ](?!00[:h]00|12:00 ?AM)\d{1,2}[:h]\d{2}", re.IGNORECASE)
_COMMENT = re.compile(
    r"\s*(?P<day>\d[\w/.-]+[T ]\d{1,2}:\d\d(?::\d\d)?(?: [AP]M)?);(?P<author>[^;\n]*);(?P<text>.*)", re.DOTALL
)
"""A comment of Jira: its time, the account of its author, and its text."""

_SIGNED = re.compile(r"(?P<text>.*\S)\s+\((?P<author>[^()\n]+) - (?P<day>[A-Z][a-z]{2} \d{1,2}, \d{4})\)", re.DOTALL)
"""A comment of Pivotal Tracker, with its author and day at the end."""

_DAYS, _CLOCKS = ("%d/%b/%y", "%d/%b/%Y", "%d.%m.%y", "%d.%m.%Y", "%Y-%m-%d"), (" %I:%M %p", " %H:%M", "T%H:%M:%S")
"""The forms of such a time."""


class TableLine:
    """A line of the table, on the way to a card."""

    __slots__ = (
        *("at", "before", "group", "id", "is_parent", "item", "kind", "number", "parent", "people", "phase", "row"),
        *("status", "title", "unsaid", "waits", "words"),
    )
    item: ItemEntry
    """The card as far as its own cells say it."""

    def __init__(self, at: int, row: int, title: str) -> None:
        self.at, self.row = at, row
        """Its place among the lines, and its number in a spreadsheet."""
        self.id = f"row {row}"
        self.title = title
        self.number = 0
        """The number in the key of its card; 0 for the next one."""
        self.phase = ""
        self.kind: ItemKind | None = None
        self.status = self.before = Status.TO_DO
        """Its status, and the one before it was archived."""
        self.people: tuple[str, ...] = ()
        self.words: list[str] = []
        self.unsaid: tuple[str, ...] = ()
        """What no cell says, as in OriginEntry."""
        self.parent: TableLine | None = None
        self.group = ""
        """The title of a parent that is no line of the table."""
        self.is_parent = False
        self.waits: dict[str, int] = {}
        """The lags of the lines that it waits for, by their ids."""

    def say(self, head: str, text: str) -> None:
        """Put a cell into the description."""
        self.words.append(f"{head}:\n{text}" if "\n" in text else f"{head}: {text}")


class NotedLines(defaultdict[str, list[TableLine]]):
    """The lines that notes are about, by the keys of the sentences."""

    def say(self, key: str, line: TableLine, head: str, text: str) -> None:
        """Put a cell into the description of its card, and note that."""
        line.say(head, text)
        self[key].append(line)


class LineReader:
    """Reads the lines of a table. It collects what is read in another way than it stands."""

    def __init__(self, columns: CellColumns, mapping: TableMapping, today: date, made: Draft) -> None:
        self._columns, self._mapping, self._made = columns, mapping, made
        self._is_board = not columns.of[Use.STATUS] and any(
            names_list(each.head) and not mapping.use_of(each.head) for each in columns.of[Use.PHASE]
        )
        """True if lists of a board may be statuses, as in a board of Trello."""
        cells = {cell for column in columns.of[Use.ASSIGNED] for cell in column.cells}
        self._listed = {fold(name.strip()) for cell in cells if cell.count(",") != 1 for name in cell.split(",")}
        """The people of cells in which a comma has one meaning."""
        self._closing = [(each, plain_head(each.head) == "resolution") for use in CLOSING for each in columns.of[use]]
        """The columns that close cards, and whether Jira keeps them for a card that is tested, or open again."""
        self._own = [
            (each.cells, each.field.key, each.use is Use.START, each.numbers) for each in columns.columns if each.field
        ]
        said = (Use.ID, Use.OUTLINE, Use.KIND, Use.WORDS)
        self._said = [(each, each.use is Use.KIND) for each in columns.columns if each.use in said and not each.field]
        self._status_of, self._priority_of = cache(mapping.status_of), cache(mapping.priority_of)  # most cells repeat
        self._kind_of, self._says_done = cache(kind_word), cache(partial(says_done, mapping=mapping, today=today))
        self._read_days = cache(partial(read_days, today=today, order=columns.order))
        self._find_labels = cache(self._split_labels)
        self._found: dict[tuple[tuple[str, ...], ...], tuple[tuple[str, ...], list[tuple[str, str]]]] = {}
        """The logins and the words in cells with people."""
        self.in_words: Counter[str] = Counter()
        """The numbers of cells in descriptions by the heads of their columns."""
        self.noted = NotedLines(list)
        self.unknown: dict[str, Counter[str]] = {"status": Counter(), "priority": Counter()}
        self.known: Counter[tuple[str, str, str]] = Counter()
        """The kinds, words and meanings of cells that are known."""

    def read(self, at: int, row: int) -> TableLine:
        """Return a line with what its cells say; its parent and its waits follow when all lines are read."""
        title = " ".join(self._columns.text(Use.TITLE, at).split())
        line = TableLine(at, row, title or f"Row {row}")
        if not title:
            self.noted["untitled"].append(line)
        line.phase = " ".join(self._columns.text(Use.PHASE, at).split())
        line.kind = self._kind_of(self._columns.text(Use.KIND, at))
        line.status = self._status(line)
        line.unsaid += () if line.phase else ("phase",)
        line.people = self._people(line)
        for column in self._columns.of[Use.DESCRIPTION][1:]:
            if text := column.cells[at]:
                line.say(column.head, text)
        names, labels = self._find_labels(*(column.cells[at] for column in self._columns.of[Use.LABELS]))
        if any(imported_name(each) not in ("", each) for each in names):
            self.noted["labels"].append(line)
        line.item = ItemEntry(
            id=line.id,
            kind=ItemKind.TASK,
            title=line.title,
            due=self._day(line, Use.DUE),
            priority=self._priority(line),
            labels=labels,
            link=self._link(line),
            fields=self._fields(line),
            comments=self._comments(line),
            description=self._columns.text(Use.DESCRIPTION, at),
        )
        for column, is_kind in self._said:
            if (text := column.cells[at]) and not (is_kind and self._kind_of(text)):
                self._say(line, column, text)
        if len(labels) < len(names) and (left := self._made.words(names)):
            line.words.append(left)
        line.words = ["\n".join(line.words)] if line.words else []  # one text takes less memory than many
        return line

    def _split_labels(self, *cells: str) -> tuple[list[str], tuple[str, ...]]:
        """The names in the cells of a line with labels, and those of its labels in the document."""
        names = [name for cell in cells for each in _BETWEEN_LABELS.split(cell) if (name := each.strip())]
        return names, self._made.labels(names)

    def _say(self, line: TableLine, column: CellColumn, text: str) -> None:
        line.say(column.head, text)
        self.in_words[column.head] += 1

    def _take_word(self, line: TableLine, use: Use, word: str, found: Status | Priority | None) -> None:
        """Count a word for a status or a priority; one that is not known is in the description, too."""
        if found is None:
            self.unknown[use][word] += 1
            line.say(self._columns.of[use][0].head, word)
        elif word:
            self.known[use.value, word, found.value] += 1
        line.unsaid += () if word and found else (use.value,)

    def _status(self, line: TableLine) -> Status:
        word = self._columns.text(Use.STATUS, line.at)
        status = self._status_of(word) if word else Status.TO_DO
        if self._is_board and (of_list := self._status_of(line.phase) or status_of_list(line.phase)):
            status, word, line.phase = of_list, line.phase, ""
            self.noted["lists"].append(line)
        self._take_word(line, Use.STATUS, word, status)
        status = status or Status.TO_DO
        for column, stays in self._closing:
            cell = column.cells[line.at]
            if cell and column.field is None and not _is_said(cell):
                self._say(line, column, cell)
            if not cell or (status in CLOSED and column.use is Use.DONE):
                continue
            if word and stays:
                if column.field is None and _is_said(cell):
                    line.say(column.head, cell)
                continue
            line.unsaid = tuple(each for each in line.unsaid if each != "status")
            said, before, is_done = self._status_of(cell), status, self._says_done(cell)
            if column.use is Use.ARCHIVED:
                if is_done and status is not Status.ARCHIVED:
                    line.before, status = status, Status.ARCHIVED
                continue
            if is_done:
                status = said if said in CLOSED else Status.COMPLETED
            elif status is Status.TO_DO and re.fullmatch(r"[1-9]\d?(?:[.,]\d+)? ?%?", cell):
                status = Status.IN_PROGRESS
            if word and status is not before:
                line.say((self._columns.of[Use.STATUS] or self._columns.of[Use.PHASE])[0].head, word)
                self.noted["further"].append(line)
        return status

    def _people(self, line: TableLine) -> tuple[str, ...]:
        """The logins of the people of a line in the document."""
        of = self._columns.of
        assigned, emails = (tuple(each.cells[line.at] for each in of[use]) for use in (Use.ASSIGNED, Use.EMAIL))
        if (assigned, emails) not in self._found:
            self._found[assigned, emails] = self._find_people(assigned, emails, line.id)
        people, words = self._found[assigned, emails]
        for each in words:
            line.say(*each)
        return people

    def _find_people(
        self, assigned: Sequence[str], cells: Sequence[str], origin: str
    ) -> tuple[tuple[str, ...], list[tuple[str, str]]]:
        """The logins of the people in cells, and the texts that are no people, each with its head."""
        found: dict[str, str] = {}
        words: list[tuple[str, str]] = []
        names_here = [
            (part, column.head)
            for column, cell in zip(self._columns.of[Use.ASSIGNED], assigned, strict=True)
            for part in _split_people(cell, self._listed)
        ]
        emails = [part for cell in cells for part in re.split(r"[;,\n ]+", cell) if part]
        is_paired = len(emails) == len(names_here) and all(is_name(part) for part, _ in names_here)
        for at, (part, head) in enumerate(names_here):
            name = _SHARE.sub("", part).removeprefix("@")
            if name != part and part != f"@{name}":
                words.append((head, part))
            address = found_at[1] if (found_at := _ADDRESS.search(name)) else ""
            name = _ADDRESS.sub("", name)
            if family := re.fullmatch(r"([^\W\d_][\w'’-]+), ([^\W\d_][\w'’. -]+)", name):
                name = f"{family[2]} {family[1]}"
            who = self._mapping.person_of(name)
            address = emails[at] if is_paired else address
            if who and is_name(who):
                if address and who != name:
                    words.append((head, f"{name} ({address})"))
                    address = ""
                email = address or (who if "@" in who else "")
                if fold(who) not in found:
                    found[fold(who)] = self._made.person(email or who, who, email, origin=origin)
                elif address:
                    words.append(("E-mail", address))
            else:
                words.append((head, f"{name} ({address})" if is_paired else part))
        if not is_paired:
            for email in emails:
                who = self._mapping.person_of(email)
                if not who or len(email) > LONGEST_NAME:
                    words.append(("E-mail", email))
                    continue
                found[fold(who)] = self._made.person(who, who, who if "@" in who else "", origin=origin)
        return tuple(dict.fromkeys(found.values())), words

    def _day(self, line: TableLine, use: Use) -> date | None:
        """The day in a column; a cell that has none, or more than a day, becomes words."""
        text = self._columns.text(use, line.at)
        if not text:
            return None
        head = self._columns.of[use][0].head
        try:
            days = self._read_days(text)
        except InvalidInput:
            self.noted.say("no day", line, head, text)
            return None
        if days.start is not None:
            line.say(head, text)
        elif days.due is not None and _TIME.search(text):
            self.noted["times"].append(line)
        return days.due

    def _priority(self, line: TableLine) -> Priority:
        word = self._columns.text(Use.PRIORITY, line.at)
        found = self._priority_of(word) if word else Priority.NORMAL
        self._take_word(line, Use.PRIORITY, word, found)
        return found or Priority.NORMAL

    def _link(self, line: TableLine) -> str:
        text = self._columns.text(Use.LINK, line.at)
        if text and not is_link(text):
            self.noted.say("links", line, self._columns.of[Use.LINK][0].head, text)
            return ""
        return text

    def _comments(self, line: TableLine) -> tuple[CommentEntry, ...]:
        found: list[CommentEntry] = []
        for column in self._columns.of[Use.COMMENT]:
            cell = column.cells[line.at]
            said = _COMMENT.fullmatch(cell) or _SIGNED.fullmatch(cell)
            at = _read_moment(said["day"]) if said else None
            if said and at and said["text"].strip():
                author = self._made.author(said["author"].strip() or "unknown")
                found += self._made.comments(author, at, said["text"])
            elif cell:
                line.say(column.head, cell)
        return tuple(found)

    def _fields(self, line: TableLine) -> tuple[ValueEntry, ...]:
        values = []
        for cells, key, is_start, numbers in self._own:
            if not (text := cells[line.at]):
                continue
            if is_start:
                day = self._day(line, Use.START)
                text = day.isoformat() if day else ""
            if text:
                values.append(ValueEntry(field=key, value=numbers.get(text, text)))
        return tuple(values)


def _read_moment(text: str) -> datetime | None:
    """The time of a comment; None for one in another form."""
    for form in (*map("".join, product(_DAYS, _CLOCKS)), "%b %d, %Y"):
        with contextlib.suppress(ValueError):
            return datetime.strptime(text, form).replace(tzinfo=UTC)
    return None


def _is_said(cell: str) -> bool:
    """True for a cell such as “yes” or “100 %”, of which the status says all."""
    return truth_word(cell) is not None or bool(re.fullmatch(r"(?:100|0) ?%?", cell))


def _split_people(text: str, listed: Collection[str]) -> Iterable[str]:
    """The people in a cell: “Maya; Bob” and “maya, bob” are two, and “Okafor, Maya” is one.

    It is two if both stand alone or among several in other cells, which are ``listed``.
    """
    for part in _BETWEEN_PEOPLE.split(text):
        parts = [each.strip() for each in part.split(",")]
        words = [_ADDRESS.sub("", each) for each in parts]
        is_one = len(parts) == 2 and all(re.fullmatch(r"[^\W\d_a-zß-ÿ][\w'’-]+", each) for each in words if each)
        is_one = is_one and not all(fold(each) in listed for each in parts)
        yield from filter(None, [part.strip()] if is_one else parts)
