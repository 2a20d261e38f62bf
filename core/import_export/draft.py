"""The draft of a project from another program's file: a document, with the place in the file of each of its parts."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, date, datetime, time
from typing import Any

from core.domain.fields import MAX_NAME, FieldKind, key_for
from core.domain.labels import MAX_LABELS, LabelColour
from core.domain.max_lengths import CARD_TITLE, COMMENT, PHASE_NAME, PROJECT_NAME
from core.domain.model import ProjectRole, Status
from core.domain.statuses import CLOSED
from core.errors import InvalidInput
from core.import_export.circles import find_circle_of_waits
from core.import_export.document import (
    CommentEntry,
    FieldEntry,
    ItemEntry,
    LabelEntry,
    OriginEntry,
    PersonEntry,
    PhaseEntry,
    ProjectDocument,
    WaitEntry,
)
from core.import_export.origins import THE_FILE, cut_source, source_by_title
from core.record import Record, made_from, replace
from core.rules.fields import checked_name, folded_word
from core.text.dates import FIRST_YEAR, LAST_YEAR
from core.text.label_names import LABEL_NAME, fold_name, imported_name
from core.text.phrases import agree, count, shorten, some
from core.text.sanitize import drop_unshown, is_plain, quote_value

_EMPTY: tuple[Any, ...] = (None, "", [], {}, False)
"""Values of a key in JSON that say nothing."""

PHASE = "Work"
"""The only phase of a file without phases."""

DESCRIPTION = 20_000
"""The most characters of a description."""

UNTITLED = "Without a title"

OUT_OF_RANGE = f"A day before {FIRST_YEAR} or after {LAST_YEAR} is in the description."

NAMED = 12
"""Places in the file that a sentence names; of more it says how many."""

CANNOT_WAIT = "A card that cannot wait for another one here (a circle, or a later phase) says so in its description."

MAX_CIRCLES = 50
"""The most circles of waits that are broken at one card each."""

LONGEST_NAME = 100
"""A longer text is no name of a person."""

TOO_MANY = f"A project has {MAX_LABELS} labels of {LABEL_NAME} characters at most. Others become words in descriptions."
_PART = re.compile(r"(people|phases)\[(\d+)\](?:\.items\[(\d+)\])?\.?(.*)")


class DraftCard:
    """A card of the draft, and its place in the file."""

    def __init__(self, item: ItemEntry, origin: str) -> None:
        self.item = item
        self.origin = origin


class DraftPhase(Record, kw_only=False):
    """A phase of the draft, and the place of its name in the file."""

    cards: list[DraftCard]
    origin: str
    due: date | None = None
    objectives: str = ""
    assigned: tuple[str, ...] = ()


class ColumnUse(Record, kw_only=False):
    """A column of a table for people: its head, some of its cells, and what becomes of them."""

    head: str
    samples: tuple[str, ...]
    becomes: str
    use: str
    """A ``tables.heads.Use``."""


class UnknownWord(Record, kw_only=False):
    """A word for a status or a priority that is not known, with the number of its cells."""

    kind: str
    """“status” or “priority”."""
    word: str
    number: int


class KnownWord(UnknownWord, kw_only=False):
    """A word that is known, or that the person has mapped, and the status or priority that it means."""

    means: str


class LeftOut(Record, kw_only=False):
    """A part of the file that is on no card, with its number and the reason."""

    number: int
    noun: str
    why: str
    of: tuple[str, ...] = ()
    """Where it stands in the file, such as the head of a column."""

    @property
    def sentence(self) -> str:
        """For people: “Left out: 2 cells of “Sprint”, because you skip them.”"""
        where = f" of {some([f'“{quote_value(each)}”' for each in self.of], NAMED)}" if self.of else ""
        return f"Left out: {count(self.number, self.noun)}{where}, because {self.why}."


def find_unread(
    parts: Iterable[Mapping[str, Any]], read: Collection[str], why: str, ignored: Collection[str] = ()
) -> list[LeftOut]:
    """Return what is left out of parts of a JSON file: the values of keys that are neither read nor ignored.

    >>> find_unread([{"id": 1, "cover": "red"}], {"id"}, "cards have none")[0].sentence
    'Left out: 1 value of “cover”, because cards have none.'
    """
    known = {*read, *ignored}
    found = Counter(key for part in parts for key, value in part.items() if key not in known and value not in _EMPTY)
    return [LeftOut(found.total(), "value", why, tuple(found))] if found else []


class Draft:
    """A document in the making. Everyone in it becomes a contributor, because other programs have no owners."""

    def __init__(self, name: str, description: str = "", names: Mapping[str, str] | None = None) -> None:
        self.notes: list[str] = []
        """Sentences for the importer about what is read in another way than it stands in the file."""
        self._dropped = 0
        """The invisible signs that were dropped."""
        self.times = 0
        """The times of day that are left out."""
        self.key = ""
        self._names = names or {}
        """The names of fields that differ in the file."""
        name = " ".join(self.clean(name).split()) or "Imported"
        self.name = shorten(name, PROJECT_NAME)
        self.description = lines(name if self.name != name else "", self.clean(description))
        self.left_out: list[LeftOut] = []
        self.columns: tuple[ColumnUse, ...] = ()
        self.unknown: tuple[UnknownWord, ...] = ()
        self.known: tuple[KnownWord, ...] = ()
        """The columns of a table, and its unknown and known words."""
        self.fields: Mapping[str, FieldEntry] = {}
        """The custom fields of the project by their keys."""
        self._people: dict[str, tuple[PersonEntry, str]] = {}
        self._phases: dict[str, DraftPhase] = {}
        self._labels: dict[str, LabelEntry] = {}

    def person(self, login: str, name: str = "", email: str = "", *, origin: str = "") -> str:
        """Add a person. Return the login by which the document refers to them."""
        login, name = self._line(login), self._line(name)
        entry = PersonEntry(login=login, name=name, email=email, role=ProjectRole.CONTRIBUTOR)
        if login not in self._people or self._people[login][0].role is None:
            self._people[login] = entry, origin
        return login

    def name_people(self, logins: Iterable[str]) -> list[str]:
        """The names of people for words, each with the address."""
        return [self._people[login][0].words for login in logins]

    def author(self, login: str, name: str = "") -> str:
        """Add the author of comments. Only who has cards, too, becomes a member. Return their login."""
        login, name = self._line(login), self._line(name)
        self._people.setdefault(login, (PersonEntry(login=login, name=name), ""))
        return login

    def _line(self, text: str) -> str:
        """A text of the file on one line."""
        return " ".join(self.clean(text).split())

    def labels(self, names: Iterable[str], colours: Mapping[str, LabelColour] | None = None) -> tuple[str, ...]:
        """Add labels, and return their names in the document; ``colours`` are those that names have in the file.

        The first ones of the file become labels. ``words`` returns those that are too many for a project.
        """
        found: dict[str, None] = {}
        for text in names:
            name = imported_name(self._line(text))
            if (key := fold_name(name)) not in self._labels:
                if not name or len(self._labels) == MAX_LABELS:
                    continue
                colour = (colours or {}).get(text) or tuple(LabelColour)[len(self._labels) % len(LabelColour)]
                self._labels[key] = LabelEntry(name=name, colour=colour)
            found[self._labels[key].name] = None
        return tuple(found)

    def words(self, names: Iterable[str]) -> str:
        """Return the names that have become no labels, as words for the description; "" for none."""
        plain = [self._line(each) for each in names]
        left = [each for each in plain if each and fold_name(imported_name(each)) not in self._labels]
        if not left:
            return ""
        self.note(TOO_MANY)
        return f"Labels: {', '.join(left)}"

    def phase(self, name: str, origin: str = "", **about: Any) -> list[DraftCard]:
        """Add a phase, which may stay empty. Return its cards. ``about`` has its due day, objectives and logins."""
        whole = self._line(name) or PHASE
        called = shorten(whole, PHASE_NAME)
        if called != whole:
            self.note(f"The name of a phase is cut: “{whole}”.")
        return self._phases.setdefault(called, DraftPhase([], origin, **about)).cards

    def add(self, phase: str, item: ItemEntry, origin: str, source: str = "", unsaid: Collection[str] = ()) -> None:
        """Add a card at the end of a phase. A title that is too long is shortened, and kept in the description.

        ``source`` is its id in the program, which the next version of the file has too; ``unsaid`` as in OriginEntry.
        """
        whole, text, due = self._line(item.title) or UNTITLED, self.clean(item.description).expandtabs(4), item.due
        if (title := shorten(whole, CARD_TITLE)) != whole:
            text = lines(whole, text)
        if due is not None and not FIRST_YEAR <= due.year <= LAST_YEAR:
            self.note(OUT_OF_RANGE)
            text, due = lines(text, f"Due: {due}"), None
        named = OriginEntry(program="", id=source, unsaid=tuple(unsaid))
        item = replace(item, origin=named, title=title, description=lines(text), due=due)
        self.phase(phase).append(DraftCard(self._fit(self._clean_values(item)), origin))

    def _clean_values(self, item: ItemEntry) -> ItemEntry:
        """The card with values that can be shown; days that are out of range are in its description."""
        values, words, is_day = [], [], FieldKind.DATE
        for each in item.fields:
            field, text = self.fields[each.field], each.value
            if not is_plain(text):
                each = replace(each, value=self._line(text))
            if field.kind is is_day and not str(FIRST_YEAR) <= text[:4] <= str(LAST_YEAR):
                words.append(f"{field.name}: {text}")
            else:
                values.append(each)
        if words:
            self.note(OUT_OF_RANGE)
            return replace(item, fields=tuple(values), description=lines(item.description, "\n".join(words)))
        return replace(item, fields=tuple(values)) if values else item

    def _fit(self, item: ItemEntry) -> ItemEntry:
        """The card with a description that is not too long: it goes on in comments."""
        if len(item.description) <= DESCRIPTION:
            return item
        first, *rest = split_text(item.description, DESCRIPTION, COMMENT)
        self.note("A description that is too long goes on in comments of the card.")
        by = self.author(THE_FILE)
        more = tuple(CommentEntry(author=by, at=datetime.now(UTC), text=each) for each in rest)
        return replace(item, description=first, comments=(*item.comments, *more))

    def comments(self, author: str, at: datetime, text: str) -> list[CommentEntry]:
        """The comment of an author; several for a text that is too long for one."""
        parts = split_text(self.clean(text).expandtabs(4).strip(), COMMENT, COMMENT)
        if len(parts) > 1:
            self.note("A comment that is too long is in several.")
        return [CommentEntry(author=author, at=at, text=each) for each in parts]

    def leave_out(self, number: int, noun: str, why: str, of: Iterable[str] = ()) -> None:
        """Name what is on no card, if there is something."""
        if number:
            self.left_out.append(LeftOut(number, noun, why, tuple(of)))

    def note(self, sentence: str) -> None:
        """Add a sentence for the importer, once."""
        if sentence not in self.notes:
            self.notes.append(sentence)

    def clean(self, text: str) -> str:
        """Return a text in composed letters (NFC), without signs that nothing can show, which are counted."""
        if (plain := drop_unshown(text)) != text:
            self._dropped += max(0, len(text.replace("\r\n", "\n")) - len(plain))
        return plain if plain.isascii() else unicodedata.normalize("NFC", plain)

    def _break_circles(self) -> None:
        """Make words of what cards wait for that would never begin: cards in a circle, and those of later phases."""
        places = {card.item.id: at for at, phase in enumerate(self._phases.values()) for card in phase.cards}
        cards: dict[str | None, DraftCard] = {
            card.item.id: card for phase in self._phases.values() for card in phase.cards
        }
        for card in cards.values():
            for wait in card.item.waits_for:
                if places[wait.card or ""] > places[card.item.id]:
                    self._say_wait(card, wait, cards[wait.card])
        for _ in range(MAX_CIRCLES):
            if not (circle := find_circle_of_waits({name or "": card.item for name, card in cards.items()})):
                return
            near = {*circle, *(cards[each].item.activity for each in circle)}
            last = [card for name, card in cards.items() if name in near and card.item.waits_for][-1]
            for wait in last.item.waits_for:
                self._say_wait(last, wait, cards[wait.card])
        order = {name: at for at, name in enumerate(cards)}
        for name, card in cards.items():  # so many circles: only cards above are waited for, and no own activity
            own = card.item.activity or name
            for wait in card.item.waits_for:
                top = cards[wait.card].item.activity or wait.card
                is_above = order[wait.card] < order[name] if top == own else order[top] < order[own]
                if not is_above or (top == own and own in (name, wait.card)):
                    self._say_wait(card, wait, cards[wait.card])

    def _say_wait(self, card: DraftCard, wait: WaitEntry, blocker: DraftCard) -> None:
        """Say in words what a card waits for."""
        text = lines(card.item.description, f"Waits for: {blocker.item.title}")
        left = tuple(each for each in card.item.waits_for if each != wait)
        card.item = self._fit(replace(card.item, description=text, waits_for=left))
        self.note(CANNOT_WAIT)

    def document(self, program: str = "file") -> ProjectDocument:
        """Return the document of a program's file, with a note of the signs that were dropped."""
        self._break_circles()
        first, *rest = split_text(self.description, DESCRIPTION, DESCRIPTION)
        why = f"the description of a project has at most {DESCRIPTION:,}"
        self.leave_out(sum(map(len, rest)), "character", why, ["description"])
        self._give_origins(program)
        if self.times:
            self.note(agree(self.times, "{} time{s} of day {is_} left out: a card has a day."))
        if self._dropped:
            self.note(agree(self._dropped, "{} invisible sign{s} {was} dropped."))
        return ProjectDocument(
            name=self.name,
            key=self.key,
            description=first,
            people=tuple(person for person, _ in self._people.values()),
            labels=tuple(self._labels.values()),
            fields=tuple(self.fields.values()),
            phases=tuple(
                made_from(PhaseEntry, column, name=name, items=tuple(placed.item for placed in column.cards))
                for name, column in self._phases.items()
            ),
        )

    def _give_origins(self, program: str) -> None:
        """Name the program, and by title, phase and parent the cards that have no id there."""
        titles = {card.item.id: card.item.title for phase in self._phases.values() for card in phase.cards}
        is_only = {*self._phases} == {PHASE}
        for name, phase in self._phases.items():
            for card in phase.cards:
                given, parent = card.item.origin, titles.get(card.item.activity or "", "")
                unsaid = {*(given.unsaid if given else ()), *(["phase"] if is_only else [])}
                by_title = source_by_title(card.item.title, "" if "phase" in unsaid else name, parent)
                source = cut_source((given.id if given else "") or by_title)
                card.item = replace(
                    card.item, origin=OriginEntry(program=program, id=source, unsaid=tuple(sorted(unsaid)))
                )

    def origin(self, field: str) -> str:
        """The field of the file behind a field of the document."""
        found = _PART.match(field)
        if found is None:
            return field
        part, at, card, rest = found.groups()
        if part == "people":
            origin = list(self._people.values())[int(at)][1]
        else:
            column = list(self._phases.values())[int(at)]
            origin = column.cards[int(card)].origin if card else column.origin
        return ".".join(each for each in (origin, self._names.get(rest, rest)) if each)


def is_name(text: str) -> bool:
    """Return whether a text can be the name of a person."""
    return len(text) <= LONGEST_NAME and any(map(str.isalnum, text))


def make_field(head: str, others: Collection[FieldEntry], kind: FieldKind, choices: tuple[str, ...] = ()) -> FieldEntry:
    """Return the custom field for a head, with a name and a key that no other field has."""
    name = free_name(head, [each.name for each in others])
    return FieldEntry(name=name, key=key_for(name, {each.key for each in others}), kind=kind, choices=choices)


def free_name(head: str, taken: Collection[str]) -> str:
    """Return the name of a custom field for a head: its first characters, with a number if another field has them.

    >>> free_name("Cost", ["cost"])
    'Cost 2'
    """
    plain = " ".join(head.split())[:MAX_NAME].strip()
    try:
        plain = checked_name(plain)
    except InvalidInput:
        plain = "Column"
    name, number = plain, 1
    while folded_word(name) in map(folded_word, taken):
        number += 1
        name = f"{plain[: MAX_NAME - 4].rstrip()} {number}"
    return name


def split_text(text: str, first: int, others: int) -> list[str]:
    """Return a text in parts of at most so many characters, each ending at a line or a blank where one is near.

    >>> split_text("one two three", 8, 8)
    ['one two', 'three']
    """
    parts: list[str] = []
    while text:
        most = others if parts else first
        if len(text) <= most:
            parts.append(text)
            break
        at = max(text.rfind("\n", most // 2, most + 1), text.rfind(" ", most - most // 10, most + 1))
        at = at if at > 0 else most
        parts.append(text[:at].rstrip())
        text = text[at:].strip()
    return [part for part in parts if part] or [""]


def archive_card(item: ItemEntry) -> ItemEntry:
    """The card as archived, with its status as the one before."""
    return item if item.status is Status.ARCHIVED else replace(item, status=Status.ARCHIVED, archived_from=item.status)


def with_status(item: ItemEntry, status: Status, above: Status | None, *, is_archived: bool = False) -> ItemEntry:
    """The card with a status; archived if it says so or its activity is, which has the status ``above``.

    One that has no other status than archived counts as To Do before.
    """
    if status is Status.ARCHIVED:
        return archive_card(replace(item, status=Status.TO_DO))
    item = replace(item, status=status)
    if above is Status.ARCHIVED:
        return replace(archive_card(item), archived_with_activity=True)
    return archive_card(item) if is_archived else item


def status_of_tasks(statuses: Iterable[Status]) -> Status:
    """The status of an activity that has none of its own, derived from its tasks."""
    found = set(statuses)
    if found and found <= CLOSED:
        return Status.COMPLETED if Status.COMPLETED in found else Status.TO_DO
    return Status.IN_PROGRESS if found & {Status.IN_PROGRESS, Status.COMPLETED} else Status.TO_DO


def local_day(at: datetime | None) -> date | None:
    """The day of a time: in its own zone, but of one in UTC in the local one.

    Other programs store due days as their first or last moment, in UTC.
    """
    return at and _in_local_zone(at).date()


def has_time(at: datetime | None) -> bool:
    """Return whether a time is not just its day, of which programs store the first or the last minute.

    >>> has_time(datetime(2026, 12, 3, 23, 59, 59)), has_time(datetime(2026, 12, 3, 9))
    (False, True)
    """
    return at is not None and _in_local_zone(at).time().replace(second=0, microsecond=0) not in (time(0), time(23, 59))


def _in_local_zone(at: datetime) -> datetime:
    try:
        return at if at.utcoffset() or at.tzinfo is None else at.astimezone()
    except (OverflowError, OSError, ValueError):  # at the ends of the calendar; such a date is refused later
        return at


def lines(*texts: str) -> str:
    """The texts as paragraphs; empty ones are left out."""
    return "\n\n".join(text for text in texts if text.strip())
