"""The draft of a project from another program's file: a document, with the place in the file of each of its parts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import date, datetime

from core.domain.labels import MAX_LABELS, LabelColour
from core.domain.model import ProjectRole, Status
from core.domain.statuses import CLOSED
from core.import_export.document import (
    FieldEntry,
    ItemEntry,
    LabelEntry,
    PersonEntry,
    PhaseEntry,
    ProjectDocument,
    WaitEntry,
)
from core.record import Record, replace
from core.text.label_names import LABEL_NAME, fold_name, imported_name

PHASE = "Work"
"""The only phase of a file without phases."""

MAX_TITLE_LENGTH = 200
MAX_NAME_LENGTH = 80
TOO_MANY = f"A project has {MAX_LABELS} labels of {LABEL_NAME} characters at most. Others become words in descriptions."
_PART = re.compile(r"(people|phases)\[(\d+)\](?:\.items\[(\d+)\])?\.?(.*)")


class DraftCard(Record, kw_only=False):
    """A card of the draft, and its place in the file."""

    item: ItemEntry
    origin: str


class DraftPhase(Record, kw_only=False):
    """A phase of the draft, and the place of its name in the file."""

    cards: list[DraftCard]
    origin: str


class Draft:
    """A document in the making. Everyone in it becomes a contributor, because other programs have no owners."""

    def __init__(self, name: str, description: str = "", key: str = "") -> None:
        self.name = name
        self.key = key
        self.description = description
        self.notes: list[str] = []
        """Sentences for the importer about content that has no counterpart in Podium."""
        self.fields: tuple[FieldEntry, ...] = ()
        """The custom fields of the project."""
        self._people: dict[str, tuple[PersonEntry, str]] = {}
        self._phases: dict[str, DraftPhase] = {}
        self._labels: dict[str, LabelEntry] = {}

    def person(self, login: str, name: str = "", email: str = "", *, origin: str = "") -> str:
        """Add a person. Return the login by which the document refers to them."""
        entry = PersonEntry(login=login, name=name, email=email, role=ProjectRole.CONTRIBUTOR)
        self._people.setdefault(login, (entry, origin))
        return login

    def labels(self, names: Iterable[str], colours: Mapping[str, LabelColour] | None = None) -> tuple[str, ...]:
        """Add labels, and return their names in the document; ``colours`` are those that names have in the file.

        The first ones of the file become labels. ``words`` returns those that are too many for a project.
        """
        found: dict[str, None] = {}
        for text in names:
            name = imported_name(text)
            if fold_name(name) not in self._labels and (not name or len(self._labels) == MAX_LABELS):
                continue
            colour = (colours or {}).get(text) or tuple(LabelColour)[len(self._labels) % len(LabelColour)]
            found[self._labels.setdefault(fold_name(name), LabelEntry(name=name, colour=colour)).name] = None
        return tuple(found)

    def words(self, names: Iterable[str]) -> str:
        """Return the names that have become no labels, as words for the description; "" for none."""
        left = [each for each in names if each.strip() and fold_name(imported_name(each)) not in self._labels]
        if left and (note := TOO_MANY) not in self.notes:
            self.notes.append(note)
        return f"Labels: {', '.join(left)}" if left else ""

    def phase(self, name: str, origin: str = "") -> list[DraftCard]:
        """Add a phase, which may stay empty. Return its cards."""
        return self._phases.setdefault(_shorten(name, MAX_NAME_LENGTH), DraftPhase([], origin)).cards

    def add(self, phase: str, item: ItemEntry, origin: str) -> None:
        """Add a card at the end of a phase. A title that is too long is shortened, and kept in the description."""
        title = _shorten(item.title, MAX_TITLE_LENGTH)
        if title != item.title:
            item = replace(item, title=title, description=lines(item.title, item.description))
        self.phase(phase).append(DraftCard(item, origin))

    def document(self) -> ProjectDocument:
        return ProjectDocument(
            name=self.name,
            key=self.key,
            description=self.description,
            people=tuple(person for person, _ in self._people.values()),
            labels=tuple(self._labels.values()),
            fields=self.fields,
            phases=tuple(
                PhaseEntry(name=name, items=tuple(placed.item for placed in column.cards))
                for name, column in self._phases.items()
            ),
        )

    def origin(self, field: str, names: Mapping[str, str]) -> str:
        """The field of the file behind a field of the document. ``names`` maps names of fields that differ there."""
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


def _shorten(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def archive_card(item: ItemEntry) -> ItemEntry:
    """The card as archived, with its status as the one before."""
    return item if item.status is Status.ARCHIVED else replace(item, status=Status.ARCHIVED, archived_from=item.status)


def with_status(item: ItemEntry, status: Status) -> ItemEntry:
    """The card with a status. A card that comes archived counts as To Do before."""
    return (
        archive_card(replace(item, status=Status.TO_DO)) if status is Status.ARCHIVED else replace(item, status=status)
    )


def status_of_tasks(statuses: Iterable[Status]) -> Status:
    """The status of an activity that has none of its own, derived from its tasks."""
    found = set(statuses)
    if found and found <= CLOSED:
        return Status.COMPLETED if Status.COMPLETED in found else Status.TO_DO
    return Status.IN_PROGRESS if found & {Status.IN_PROGRESS, Status.COMPLETED} else Status.TO_DO


def local_day(at: datetime | None) -> date | None:
    """The day of a time in the local time zone, because other programs store due days as their first or last moment."""
    if at is None:
        return None
    try:
        return at.astimezone().date() if at.tzinfo else at.date()
    except (OverflowError, OSError, ValueError):  # at the ends of the calendar; such a date is refused later
        return at.date()


def lines(*texts: str) -> str:
    """The texts as paragraphs; empty ones are left out."""
    return "\n\n".join(text for text in texts if text.strip())


def waiting_for(card: object, blockers: Iterable[object]) -> tuple[WaitEntry, ...]:
    """The entries of the cards that a card waits for, by their ids in the document, each once and never itself."""
    ids = dict.fromkeys(str(each) for each in blockers)
    return tuple(WaitEntry(card=each) for each in ids if each != str(card))
