"""Sentences and columns, with the values of a result in them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, datetime
from enum import StrEnum
from operator import attrgetter
from string import Formatter
from typing import Any

from core.text.phrases import in_words, names
from tui.cli.output import day, moment


def sentence(template: str, result: Any, parameters: Mapping[str, Any]) -> str:
    """The sentence of a template: ``{title}`` is a field of the result, and ``{task.title}`` one of a parameter.

    Several values stand with commas between them. After a colon stands what is said where there is no value, such as
    ``{due:on no day}``.
    """
    return _Sentence(result).vformat(template, (), parameters)


class _Sentence(Formatter):
    def __init__(self, result: Any) -> None:
        self._result = result

    def get_value(self, key: int | str, args: Any, kwargs: Mapping[str, Any]) -> Any:
        name = str(key)
        return getattr(self._result, name) if hasattr(self._result, name) else kwargs[name]

    def format_field(self, value: Any, format_spec: str) -> str:
        return format_value(value) or format_spec


class Columns:
    """The cells of a record in a table: paths of fields, with spaces between them, and functions of the record."""

    def __init__(self, *cells: str | Callable[[Any], object]) -> None:
        self.cells = cells
        self.paths = [path for cell in cells if isinstance(cell, str) for path in cell.split()]
        self._cells = [
            get for cell in cells for get in (map(attrgetter, cell.split()) if isinstance(cell, str) else [cell])
        ]

    def __call__(self, record: object) -> list[str]:
        return [format_value(get(record)) for get in self._cells]


def format_value(value: Any) -> str:
    """A value for people. Several ones stand with commas between them, and a record by its name."""
    if isinstance(value, tuple):
        return ", ".join(map(format_value, value))
    if isinstance(value, StrEnum):
        return in_words(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return moment(value)
    if isinstance(value, date | None):
        return day(value)
    return str(getattr(value, "name", value))


def quote_names(records: tuple[Any, ...], none: str) -> str:
    """The names of records inside “ and ”, or ``none``."""
    return names([f"“{each.name}”" for each in records]) or none
