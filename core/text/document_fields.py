"""Checks of the fields of a document that a user wrote. An error names the field by its path from the top.

A path is written as ``phases[0].items[3].title``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Any, TypeVar

from core.errors import InvalidImport, InvalidInput
from core.text.dates import FIRST_YEAR, LAST_YEAR

T = TypeVar("T")


def checked_field(path: str, check: Callable[..., T], *values: Any, **limits: Any) -> T:
    """Return the result of ``check``. Raises InvalidImport with the path and the message of the check."""
    try:
        return check(*values, **limits)
    except InvalidInput as refused:
        raise InvalidImport(path, str(refused)) from None


def checked_text(path: str, check: Callable[..., str], text: str, noun: str = "", **limits: Any) -> str:
    """Return a text that a function of ``core.text.sanitize`` checks. Raises InvalidImport.

    ``noun`` names the field in the message; by default it is the last part of ``path``.
    """
    return checked_field(path, check, text, noun or path.rpartition(".")[2], **limits)


def checked_list(path: str, entries: Iterable[T], read: Callable[[T, str], Any]) -> tuple[Any, ...]:
    """Return the entries of a list as a tuple, each converted by ``read(entry, path)``."""
    return tuple(read(entry, f"{path}[{index}]") for index, entry in enumerate(entries))


def checked_moment(at: datetime, where: str) -> datetime:
    """Return a time in UTC. Raises InvalidImport."""
    if at.tzinfo is None:
        raise InvalidImport(where, f"{at} has no time zone. Write it like 2026-12-03T09:30:00+00:00.")
    if not FIRST_YEAR <= at.year <= LAST_YEAR:
        raise InvalidImport(where, f"{at} is out of range. Times are from {FIRST_YEAR} to {LAST_YEAR}.")
    return at.astimezone(UTC).replace(microsecond=at.microsecond // 1000 * 1000)
