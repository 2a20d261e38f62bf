"""Checks of the fields of a document that people wrote: a refusal names the field by its path from the top.

A path is written as ``phases[0].items[3].title``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from core.errors import InvalidImport, InvalidInput

T = TypeVar("T")


def checked_field(path: str, check: Callable[..., T], *values: Any, **limits: Any) -> T:
    """Return the result of a check. Raises InvalidImport with the path and the sentence of the check."""
    try:
        return check(*values, **limits)
    except InvalidInput as refused:
        raise InvalidImport(path, str(refused)) from None


def checked_text(path: str, check: Callable[..., str], text: str, noun: str = "", **limits: Any) -> str:
    """Return a text as a check of ``core.text.sanitize`` keeps it; ``noun`` is the last name of the path if empty.

    Raises InvalidImport.
    """
    return checked_field(path, check, text, noun or path.rpartition(".")[2], **limits)


def checked_list(path: str, entries: Iterable[T], read: Callable[[T, str], Any]) -> tuple[Any, ...]:
    """Return the entries of a list, each as ``read`` makes it from the entry and its path."""
    return tuple(read(entry, f"{path}[{index}]") for index, entry in enumerate(entries))
