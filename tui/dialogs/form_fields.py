"""What a form asks for. ``name`` is the key of the answer, and the field an ``InvalidInput`` speaks of."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text; answers with a ``str``."""

    name: str
    label: str
    value: str = ""
    placeholder: str = ""
    only: tuple[str, str] | None = None
    """Asked for only while the field of this name, a Choice, has this value; else it is in no answer."""
    replaced: bool = False
    """Whether its value is a proposal: it is selected on the way into the field, so that typing replaces it."""


@dataclass(frozen=True, slots=True)
class Lines:
    """A text of several lines; answers with a ``str``."""

    name: str
    label: str
    value: str = ""
    only: tuple[str, str] | None = None
    """As with ``Line``."""
    note: str = ""
    """What stands under it until something is wrong."""
    people: tuple[tuple[str, str], ...] = ()
    """Logins and names of those who can be named in it as ``@login``, and are offered as one types."""


@dataclass(frozen=True, slots=True)
class DateField:
    """A day as people type it (``core.text.dates``); answers with a ``date`` or None."""

    name: str
    label: str
    value: date | None = None
    lasts: int = 0
    """Days from it to an end that is told with it, as it is typed."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few, all of them in view; answers with the first part of the chosen option."""

    name: str
    label: str
    options: tuple[tuple[str, str], ...]
    """What is answered, and how it reads."""
    value: str


@dataclass(frozen=True, slots=True)
class PickerField:
    """Some out of many, from a list that typing narrows; answers with a tuple of values, in the order of the list.

    The tuple holds at most one value unless ``multiple``.
    """

    name: str
    label: str
    options: tuple[tuple[str, ...], ...]
    """What is answered, how it reads and, optionally, a hint beside it in the list."""
    value: tuple[str, ...] = ()
    multiple: bool = False
    none: str = "none"
    """How it reads when nothing is chosen."""
    note: str = ""
    """As with ``Lines``."""


@dataclass(frozen=True, slots=True)
class People(PickerField):
    """People out of many: ids and names."""

    none: str = "nobody"


Field = Line | Lines | DateField | Choice | PickerField
