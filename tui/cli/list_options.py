"""--fields, --sort and --limit of a command that prints a list."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from core.codec.encoding import camel
from core.domain.model import Priority, Status
from core.errors import InvalidInput
from core.record import Record
from core.text.naming import did_you_mean
from core.text.phrases import names
from core.text.sanitize import visible_line

DESCENDING = "-"
"""The sign before a field of --sort by which its highest value is first."""


class ListOptions(Record):
    """The fields that are printed, in their order, the field to sort by, and the most lines; None for all."""

    fields: tuple[str, ...] = ()
    sort: str = ""
    limit: int | None = None


class ListedLine:
    """One line of a list: its JSON, and the cells of its row by their heads."""

    def __init__(self, value: Any, document: Any, cells: dict[str, object]) -> None:
        self.value, self.document, self.cells = value, document, cells

    def get(self, field: str) -> Any:
        """The value of a field: of the JSON, of a record in it, or of the table, in this order. Raises InvalidInput.

        A field is written as in JSON or as the head of a column, in any case; a dot leads into a record.
        """
        found: Any = self.document
        for word in field.split("."):
            found = _step(found, word)
            if found is _NOTHING:
                break
        if found is _NOTHING and field.casefold() in self.cells:
            return self.cells[field.casefold()]
        if found is _NOTHING:
            inner = [each for each in self.document.values() if isinstance(each, dict)]
            found = next((each for each in (_step(record, field) for record in inner) if each is not _NOTHING), found)
        if found is _NOTHING:
            known = [*self.document, *(each for each in self.cells if each and each not in self.document)]
            raise InvalidInput(
                "fields", f"There is no field “{field}” here, but {names(known)}.{did_you_mean(field, known)}"
            )
        return found


_NOTHING = object()


def _step(document: Any, word: str) -> Any:
    if not isinstance(document, dict):
        return _NOTHING
    by_name = {key.casefold(): value for key, value in document.items()}
    return by_name.get(camel(word.replace("-", "_")).casefold(), _NOTHING)


def arrange(lines: Iterable[ListedLine], options: ListOptions) -> list[ListedLine]:
    """Return the lines in the order and up to the limit that are wanted. Raises InvalidInput."""
    found = list(lines)
    if options.sort:
        field = options.sort.removeprefix(DESCENDING)
        found = _sort(found, field, is_descending=options.sort.startswith(DESCENDING))
    return found[: options.limit]


def _sort(lines: list[ListedLine], field: str, *, is_descending: bool) -> list[ListedLine]:
    """Lines by a field, those without a value last in either direction."""
    valued = [(each.get(field), each) for each in lines]
    found = [(_order(value), each) for value, each in valued if value not in (None, "", [])]
    found.sort(key=lambda pair: pair[0], reverse=is_descending)
    return [*(each for _, each in found), *(each for value, each in valued if value in (None, "", []))]


ORDERED = (Priority, Status)
"""The words of JSON that have an order of their own."""


def _order(value: Any) -> tuple[int, Any]:
    """The place of a value: numbers and ordered words by their rank, texts by their letters and the numbers in them."""
    if isinstance(value, int | float):
        return 0, value
    for words in ORDERED:
        if value in words.__members__:
            return 0, [*words.__members__].index(value)
    parts = re.split(r"(\d+)", cell(value).casefold())
    return 1, [(part.isdecimal(), int(part) if part.isdecimal() else part) for part in parts if part]


def cell(value: Any) -> str:
    """A value of JSON as one cell between tabs."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ",".join(map(cell, value))
    if isinstance(value, dict):
        return str(value.get("name") or value.get("title") or value.get("id") or "")
    return "" if value is None else visible_line(str(value))


def choose_fields(line: ListedLine, fields: Sequence[str]) -> dict[str, Any]:
    """Return the fields of a line, by the names under which they were asked for. Raises InvalidInput."""
    return {field: line.get(field) for field in fields}
