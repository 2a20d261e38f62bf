"""The mapping that a person gives for a table: the meaning of columns and words, the forms of days and numbers.

It comes from options of the command line, or from a screen, and can be kept as a file, in JSON.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Literal, TypeVar

from core.codec.encoding import to_json
from core.domain.fields import FieldKind
from core.domain.model import Priority, Status
from core.errors import InvalidInput
from core.import_export.document import DocumentPart
from core.import_export.tables.cell_days import DayOrder
from core.import_export.tables.heads import Use
from core.import_export.tables.words import priority_word, status_word
from core.record import Record, made_from
from core.text.amounts import DecimalSign
from core.text.folding import fold
from core.text.phrases import in_words, names
from core.text.sanitize import quote_value

T = TypeVar("T", Status, Priority)


class TableMapping(Record):
    """The mapping for a table. Heads and words are compared without case and accents; "" leaves a word out.

    Example::

        TableMapping(columns={"Job": Use.TITLE}, statuses={"in work": Status.IN_PROGRESS}, dates=DayOrder.DMY)
    """

    columns: Mapping[str, Use] = {}
    statuses: Mapping[str, Status] = {}
    priorities: Mapping[str, Priority] = {}
    people: Mapping[str, str] = {}
    """The login, e-mail address or name of a person, by the word in the table."""
    dates: DayOrder | None = None
    decimal: DecimalSign | None = None
    skip_lines: int | None = None
    encoding: str = ""
    sheet: str = ""
    kinds: Mapping[str, FieldKind] = {}
    """The kinds of custom fields by their names: those of the project that the table goes into."""

    def use_of(self, head: str) -> Use | None:
        """The use of a column by its head."""
        return next((use for said, use in self.columns.items() if same(said, head)), None)

    def kind_of(self, head: str) -> FieldKind | None:
        """The kind of the custom field that the project has for a column."""
        return next((kind for name, kind in self.kinds.items() if same(name, head)), None)

    def status_of(self, word: str) -> Status | None:
        said = next((status for each, status in self.statuses.items() if same(each, word)), None)
        return said or status_word(word)

    def priority_of(self, word: str) -> Priority | None:
        said = next((priority for each, priority in self.priorities.items() if same(each, word)), None)
        return said or priority_word(word)

    def person_of(self, word: str) -> str:
        return next((person for each, person in self.people.items() if same(each, word)), word)


class MappingDocument(DocumentPart):
    """The content of a mapping's file, with the texts that the options of the command line take."""

    format: Literal["podium-mapping"]
    version: Literal[1] = 1
    columns: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ()
    priorities: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    dates: DayOrder | None = None
    decimal: DecimalSign | None = None
    skip_lines: int | None = None
    encoding: str = ""
    sheet: str = ""


def write_mapping(mapping: TableMapping) -> str:
    """Return the text of a mapping's file."""
    document = made_from(
        MappingDocument,
        mapping,
        format="podium-mapping",
        columns=tuple(f"{use}={head}" for head, use in mapping.columns.items()),
        statuses=tuple(f"{word}={in_words(status)}" for word, status in mapping.statuses.items()),
        priorities=tuple(f"{word}={in_words(priority)}" for word, priority in mapping.priorities.items()),
        people=tuple(f"{word}={person}" for word, person in mapping.people.items()),
    )
    return json.dumps(to_json(document), indent=2, ensure_ascii=False) + "\n"


def read_mapping(text: str) -> TableMapping:
    """Return the mapping in the text of a file. Raises InvalidImport, with line and field, and InvalidInput."""
    from core.templates.checked_files import read_json

    document = read_json(text, MappingDocument)
    return made_from(
        TableMapping,
        document,
        columns=read_columns(document.columns),
        statuses=read_statuses(document.statuses),
        priorities=read_priorities(document.priorities),
        people=read_people(document.people),
    )


def same(one: str, other: str) -> bool:
    """Return True for words that differ in case, accents and blanks alone."""
    return plain_words(one) == plain_words(other)


def plain_words(text: str) -> str:
    """Return the form in which heads and words are compared."""
    return fold(" ".join(text.split()))


def read_columns(said: Iterable[str]) -> dict[str, Use]:
    """Return the use of each column by its head, from texts such as ``title=Task name``. Raises InvalidInput.

    >>> read_columns(["title=Task name", "skip=Sprint"])
    {'Task name': <Use.TITLE: 'title'>, 'Sprint': <Use.NOTHING: 'skip'>}
    """
    found: dict[str, Use] = {}
    for each in said:
        use, head = _pair(each, "columns", "FIELD=HEAD")
        if use not in list(Use):
            raise InvalidInput("columns", f"“{quote_value(each)}” is not FIELD=HEAD. Fields are {names([*Use])}.")
        found[head] = Use(use)
    return found


def read_statuses(said: Iterable[str]) -> dict[str, Status]:
    """Return the status of each word, from texts such as ``in work=doing``. Raises InvalidInput."""
    return _read_words(said, "status", Status, status_word)


def read_priorities(said: Iterable[str]) -> dict[str, Priority]:
    """Return the priority of each word, from texts such as ``1=urgent``. Raises InvalidInput."""
    return _read_words(said, "priority", Priority, priority_word)


def _read_words(
    said: Iterable[str], kind: str, all_of: Iterable[T], meaning: Callable[[str], T | None]
) -> dict[str, T]:
    found: dict[str, T] = {}
    for each in said:
        word, meant = _pair(each, kind, f"WORD={kind.upper()}")
        if (means := meaning(meant)) is None:
            known = names([in_words(one) for one in all_of])
            raise InvalidInput(kind, f"“{quote_value(meant)}” is no {kind}. There are {known}.")
        found[word] = means
    return found


def read_people(said: Iterable[str]) -> dict[str, str]:
    """Return the person for each word, from texts such as ``Bob L.=bob``; “” leaves a word out. Raises InvalidInput."""
    return dict(_pair(each, "people", "WORD=PERSON", may_be_empty=True) for each in said)


def _pair(text: str, field: str, form: str, *, may_be_empty: bool = False) -> tuple[str, str]:
    """The two sides of a sign of equality: of heads, which can have one, the first, and of words the last."""
    parts = text.partition("=") if field == "columns" else text.rpartition("=")
    one, other = parts[0].strip(), parts[2].strip()
    if not one or not (other or may_be_empty):
        raise InvalidInput(field, f"“{quote_value(text)}” is not {form}.")
    return one, other
