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


@dataclass(frozen=True, slots=True)
class Lines:
    """A text of several lines; answers with a ``str``."""

    name: str
    label: str
    value: str = ""


@dataclass(frozen=True, slots=True)
class Day:
    """A day as people type it (``core.dates``); answers with a ``date`` or None."""

    name: str
    label: str
    value: date | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few, all of them in view; answers with the first part of the chosen option."""

    name: str
    label: str
    options: tuple[tuple[str, str], ...]
    """What is answered, and how it reads."""
    value: str


@dataclass(frozen=True, slots=True)
class People:
    """People out of many; answers with a tuple of ids, which holds at most one unless ``multiple``."""

    name: str
    label: str
    options: tuple[tuple[str, str], ...]
    """Ids and names."""
    value: tuple[str, ...] = ()
    multiple: bool = False


Field = Line | Lines | Day | Choice | People
