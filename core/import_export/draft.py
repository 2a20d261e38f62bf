"""What a file of another program becomes: a document, with the place in the file that each part of it came from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date, datetime
from typing import NamedTuple

from core.domain.model import ProjectRole, Status
from core.domain.workflow import CLOSED
from core.import_export.document import ItemEntry, PersonEntry, PhaseEntry, ProjectDocument

PHASE = "Work"
"""The one phase of what knows no phases."""

MAX_TITLE_LENGTH = 200
MAX_NAME_LENGTH = 80
_PART = re.compile(r"(people|phases)\[(\d+)\](?:\.items\[(\d+)\])?\.?(.*)")


class Placed(NamedTuple):
    """A card of the draft, and where it stands in the file."""

    item: ItemEntry
    origin: str


class Column(NamedTuple):
    """A phase of the draft, and where its name stands in the file."""

    cards: list[Placed]
    origin: str


class Draft:
    """A document in the making. Everybody in it becomes a contributor: other programs know no owners."""

    def __init__(self, name: str, description: str = "") -> None:
        self.name = name
        self.description = description
        self.notes: list[str] = []
        """What becomes of things that Podium does not know, in words for whoever imports."""
        self._people: dict[str, tuple[PersonEntry, str]] = {}
        self._phases: dict[str, Column] = {}

    def person(self, login: str, name: str = "", email: str = "", *, origin: str = "") -> str:
        """How the document calls somebody."""
        entry = PersonEntry(login=login, name=name, email=email, role=ProjectRole.CONTRIBUTOR)
        self._people.setdefault(login, (entry, origin))
        return login

    def phase(self, name: str, origin: str = "") -> list[Placed]:
        """Have a phase, although nothing may be in it; what is in it."""
        return self._phases.setdefault(_shortened(name, MAX_NAME_LENGTH), Column([], origin)).cards

    def add(self, phase: str, item: ItemEntry, origin: str) -> None:
        """Put a card last into a phase; one with too long a title keeps the whole of it in its description."""
        title = _shortened(item.title, MAX_TITLE_LENGTH)
        if title != item.title:
            item = replace(item, title=title, description=lines(item.title, item.description))
        self.phase(phase).append(Placed(item, origin))

    def document(self) -> ProjectDocument:
        return ProjectDocument(
            name=self.name,
            description=self.description,
            people=tuple(person for person, _ in self._people.values()),
            phases=tuple(
                PhaseEntry(name=name, items=tuple(placed.item for placed in column.cards))
                for name, column in self._phases.items()
            ),
        )

    def origin(self, field: str, names: Mapping[str, str]) -> str:
        """The field of the file that a field of the document came from; ``names`` are those that have another name."""
        found = _PART.match(field)
        if found is None:
            return field
        part, at, card, rest = found.groups()
        if part == "people":
            origin = list(self._people.values())[int(at)][1]
        else:
            column = list(self._phases.values())[int(at)]
            origin = column.cards[int(card)].origin if card else column.origin
        return ".".join(each for each in (origin, names.get(rest, rest)) if each)


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


_MEANINGS: Mapping[Status, str] = {
    Status.TO_DO: "to do, todo, backlog, ready, open, new, planned, next, next up, pending, not started, waiting",
    Status.IN_PROGRESS: "in progress, doing, wip, started, active, working on, in review, review, testing, blocked",
    Status.COMPLETED: "completed, complete, done, finished, closed, shipped, released, resolved",
    Status.ARCHIVED: "archived, archive, deleted, cancelled, canceled",
}
_STATUSES = {word: status for status, words in _MEANINGS.items() for word in words.split(", ")}


def meaning(name: str) -> Status | None:
    """The status that the name of a column, or a word in a table, means; None when it means none."""
    return _STATUSES.get(" ".join(re.findall(r"[^\W_]+", name.casefold())))


def archived(item: ItemEntry) -> ItemEntry:
    """The card in the archive, with the status that it had."""
    return item if item.status is Status.ARCHIVED else replace(item, status=Status.ARCHIVED, archived_from=item.status)


def with_status(item: ItemEntry, status: Status) -> ItemEntry:
    """The card with a status; what is archived without saying from where comes back as To Do."""
    return archived(replace(item, status=Status.TO_DO)) if status is Status.ARCHIVED else replace(item, status=status)


def status_of_tasks(statuses: Iterable[Status]) -> Status:
    """The status of an activity that has none of its own, by those of its tasks."""
    found = set(statuses)
    if found and found <= CLOSED:
        return Status.COMPLETED if Status.COMPLETED in found else Status.TO_DO
    return Status.IN_PROGRESS if found & {Status.IN_PROGRESS, Status.COMPLETED} else Status.TO_DO


def local_day(at: datetime | None) -> date | None:
    """The day on which a moment is here: other programs keep a due day as the moment it begins or ends."""
    if at is None:
        return None
    try:
        return at.astimezone().date() if at.tzinfo else at.date()
    except (OverflowError, OSError, ValueError):  # at the ends of the calendar; refused as a date that cannot be meant
        return at.date()


def lines(*texts: str) -> str:
    """Paragraphs, those that say something."""
    return "\n\n".join(text for text in texts if text.strip())
