"""The rules of fields that a user wrote in a file: they stand in the types of the fields, and
``core.templates.checked_files`` applies them.

>>> class Part(Record):
...     name: Annotated[str, line(80)]
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime
from functools import partial
from typing import Annotated, Any, TypeVar

from core.errors import InvalidImport, InvalidInput
from core.record import Record
from core.text.dates import FIRST_YEAR, LAST_YEAR
from core.text.sanitize import link, many_lines, one_line

T = TypeVar("T")


class FieldRule(Record, kw_only=False):
    """A function that returns a value as it is stored, or raises InvalidInput.

    It takes a ``noun`` for its message, if there is one; "" stands for the name of the field. With ``optional``, an
    empty value is kept as it is.
    """

    check: Callable[..., Any]
    noun: str | None = None
    optional: bool = False

    def apply(self, field: str, value: Any) -> Any:
        if self.optional and not value:
            return value
        return self.check(value) if self.noun is None else self.check(value, self.noun or field)


def line(most: int = 200, noun: str = "", *, empty: bool = False, optional: bool = False) -> FieldRule:
    """Return the rule of a name or a title. One that shows nothing becomes "" with ``empty``."""
    return FieldRule(partial(one_line, most=most, empty=empty), noun, optional)


def text(most: int = 20_000, noun: str = "") -> FieldRule:
    """Return the rule of a text with lines."""
    return FieldRule(partial(many_lines, most=most), noun, optional=True)


Link = Annotated[str, FieldRule(link, optional=True)]


def checked_field(path: str, check: Callable[..., T], *values: Any, **limits: Any) -> T:
    """Return the result of ``check``. Raises InvalidImport with the path and the message of the check."""
    try:
        return check(*values, **limits)
    except InvalidInput as refused:
        raise InvalidImport(path, str(refused)) from None


def _moment(at: datetime) -> datetime:
    if at.tzinfo is None:
        raise InvalidInput("at", f"{at} has no time zone. Write it like 2026-12-03T09:30:00+00:00.")
    if not FIRST_YEAR <= at.year <= LAST_YEAR:
        raise InvalidInput("at", f"{at} is out of range. Times are from {FIRST_YEAR} to {LAST_YEAR}.")
    return at.astimezone(UTC).replace(microsecond=at.microsecond // 1000 * 1000)


def _day(day: date) -> date:
    if not FIRST_YEAR <= day.year <= LAST_YEAR:
        raise InvalidInput("day", f"{day} is out of range. Dates are from {FIRST_YEAR} to {LAST_YEAR}.")
    return day


Moment = Annotated[datetime, FieldRule(_moment)]
"""A time in UTC."""

Day = Annotated[date, FieldRule(_day)]
