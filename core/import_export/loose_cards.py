"""Cards of other programs on their way into a draft: each gets a place in a project, whatever the file says of it.

What a card belongs to and waits for may be missing, come twice, run in a circle or be many levels deep. Such things are
repaired where they have one meaning, and else become words at the end of the description; notes count both.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Annotated, Any, TypeVar

from core.domain.dependencies import MAX_BLOCKERS
from core.domain.fields import MAX_FIELDS, MAX_TEXT, FieldKind, is_plain_number, key_for
from core.domain.labels import LabelColour
from core.domain.max_lengths import MAX_PHASES, PHASE_NAME
from core.domain.model import ItemKind, Priority, Status
from core.domain.statuses import CLOSED, status_meant
from core.errors import InvalidInput
from core.import_export.document import CommentEntry, FieldEntry, ItemEntry, ValueEntry
from core.import_export.draft import (
    PHASE,
    Draft,
    archive_card,
    free_name,
    lines,
    local_day,
    status_of_tasks,
    waiting_for,
    with_status,
)
from core.import_export.tables.words import status_word
from core.record import replace
from core.templates.checked_files import read_json
from core.text.dates import FIRST_YEAR, LAST_YEAR
from core.text.document_fields import FieldRule
from core.text.label_names import imported_name
from core.text.phrases import count, in_words, names
from core.text.sanitize import link

T = TypeVar("T")

START = "Start"
"""The field of start days."""

LONGEST_NAME = 100
"""A longer text is no name of a person."""


def as_text(value: Any) -> str:
    """Return a value of JSON as a text; "" for nothing."""
    if value is None or value is False or value in ("", [], {}):
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def as_texts(value: Any) -> tuple[str, ...]:
    """Return a list of JSON, or a single value, as texts; without what is empty."""
    return tuple(filter(None, map(as_text, value if isinstance(value, list) else [value])))


def as_objects(value: Any) -> tuple[dict[str, Any], ...]:
    """Return the objects of a list of JSON, or of an object that has them by their ids; another value by the key ""."""
    listed = value if isinstance(value, list) else [*value.values()] if isinstance(value, dict) else [value]
    return tuple(each if isinstance(each, dict) else {"": each} for each in listed if as_text(each))


Text = Annotated[Any, FieldRule(as_text)]
Texts = Annotated[Any, FieldRule(as_texts)]
Objects = Annotated[Any, FieldRule(as_objects)]
"""Values of any type in a stranger's JSON: a strange one must not refuse the file."""


def read_part(part: Mapping[str, Any], kind: type[T]) -> T:
    """Return a part of a file as a record, whose fields take any value."""
    return read_json(json.dumps(part), kind)


def read_moment(text: str) -> datetime | None:
    """Return a time of ISO 8601; None for another text, and for a year that no card can have.

    >>> read_moment("2026-12-03 09:30")
    datetime.datetime(2026, 12, 3, 9, 30)
    """
    try:
        at = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    return at if FIRST_YEAR < at.year < LAST_YEAR else None


def _in_utc(at: datetime) -> datetime:
    return at if at.tzinfo else at.replace(tzinfo=UTC)


class LooseCard:
    """A card of a file. ``parent`` and ``waits`` are ids of the file; ``own`` are values that become custom fields."""

    def __init__(self, id: str, title: str, origin: str, phase: str = "") -> None:
        self.id, self.title, self.origin, self.phase = id or origin, title, origin, phase
        self.description, self.link, self.parent = "", "", ""
        self.status: Status | None = Status.TO_DO
        """None for an activity whose status follows from its tasks."""
        self.due: date | None = None
        self.completed_at: datetime | None = None
        self.priority = Priority.NORMAL
        self.is_activity = self.is_archived = False
        self.waits: list[str] = []
        self.lags: dict[str, int] = {}
        """The days between the due days of the card and of those that it waits for, by their ids."""
        self.people: list[str] = []
        self.labels: list[str] = []
        self.comments: list[CommentEntry] = []
        self.own: dict[str, str] = {}
        self.words: list[str] = []
        self.activity: LooseCard | None = None
        self.tasks: list[LooseCard] = []

    def say(self, head: str, text: str) -> None:
        """Put a text, if there is one, at the end of the description; one of many lines under a heading."""
        if text := text.strip():
            self.words.append(f"\n## {head}\n\n{text}\n" if "\n" in text else f"{head}: {text}")

    def take_status(self, word: str) -> None:
        """Read a status; a word that is only near to one of Podium, or unknown, stands in the description, too."""
        exact = status_meant(word)
        if exact is None:
            self.say("Status", word)
        self.status = exact or status_word(word) or Status.TO_DO

    def read_day(self, head: str, text: str) -> date | None:
        """Return a day; another text becomes words."""
        if (day := local_day(read_moment(text))) is None:
            self.say(head, text)
        return day

    def take_start(self, text: str) -> None:
        """Read the day on which the card starts, which becomes a field."""
        if day := self.read_day(START, text):
            self.own[START] = day.isoformat()

    def take_link(self, head: str, text: str) -> None:
        """Read the address of the card."""
        try:
            self.link = link(text)
        except InvalidInput:
            self.say(head, text)

    def take_comment(self, made: Draft, author: str, at: str, text: str) -> None:
        """Read a comment. One without a time that is known becomes words."""
        moment = read_moment(at)
        if moment and made.clean(text).strip():
            by = made.author(" ".join(made.clean(author).split())[:LONGEST_NAME] or "unknown")
            self.comments += made.comments(by, _in_utc(moment), text)
        else:
            self.say(f"Comment of {author[:LONGEST_NAME] or 'unknown'}{at and f' at {at}'}", text)


_SENTENCES = {
    "twice": "{} with an id that another one has {are} kept beside it.",
    "parents": "{} whose parent is not in the file, or in a circle, {are} without it; the description names it.",
    "deeper": "{} more than two levels deep {are} in the activity at the top; the description has the parent.",
    "phases": "{} {are} in another phase than in the file, or in one whose name is cut; the description has the name.",
    "open": "{} closed in the file {are} in progress here, because tasks in them are open.",
    "people": "{} with several people in an activity {are} assigned to the first; the others are in words.",
    "waits": "{} with waits that cannot be here {are} without them; the description has them.",
    "labels": "{} with labels that are written a little differently {are} marked so in the description.",
}


def place_cards(
    made: Draft,
    cards: Sequence[LooseCard],
    phases: Iterable[str] = (),
    colours: Mapping[str, LabelColour] | None = None,
) -> None:
    """Put the cards of a file into its draft. ``phases`` are those that the file has in this order, empty ones too."""
    counted: Counter[str] = Counter()
    by_id: dict[str, LooseCard] = {}
    for card in cards:
        if by_id.setdefault(card.id.casefold(), card) is not card:
            card.id = f"{card.id} again, {card.origin}"
            counted["twice"] += 1
    _find_activities(cards, by_id, counted)
    _find_phases(made, cards, phases, counted)
    for card in cards:
        _open_activity(card, counted)
    fields = _choose_fields(made, cards)
    made.fields = tuple(fields.values())
    for card in cards:
        _find_waits(card, by_id, counted)
        made.add(card.phase, _item(made, card, fields, colours or {}, counted), card.origin)
    for each, number in counted.items():
        if number:
            made.note(_SENTENCES[each].format(count(number, "card"), are="is" if number == 1 else "are"))
    if START in fields:
        made.note("Start days are a date field, because cards have no start yet.")


def _find_activities(cards: Sequence[LooseCard], by_id: Mapping[str, LooseCard], counted: Counter[str]) -> None:
    """Find the activity of each card: the highest of its parents."""

    def leave(card: LooseCard, parent: str) -> None:
        card.say("Parent", parent)
        card.activity = None
        counted["parents"] += 1

    for card in cards:
        card.activity = by_id.get(card.parent.casefold())
        if card.parent and card.activity in (None, card):
            leave(card, card.parent)
    tops: dict[LooseCard, LooseCard] = {}
    for card in cards:
        way: dict[LooseCard, None] = {}
        here = card
        while here.activity and here not in tops and here not in way:
            way[here] = None
            here = here.activity
        if here in way and here.activity:
            leave(here, here.activity.title)
        tops |= dict.fromkeys(way, tops.get(here, here))
    for card in cards:
        if card.activity is None:
            continue
        if (top := tops[card]) is not card.activity:
            card.say("Parent", card.activity.title)
            counted["deeper"] += 1
        card.activity = top
        top.tasks.append(card)


def _find_phases(made: Draft, cards: Sequence[LooseCard], phases: Iterable[str], counted: Counter[str]) -> None:
    """Give each card a phase of the project; tasks have that of their activity."""
    wanted = dict.fromkeys([*phases, *(card.phase or PHASE for card in cards if not card.activity)] or [PHASE])
    kept = [*wanted][:MAX_PHASES]
    for name in kept:
        made.phase(name)
    for card in sorted(cards, key=lambda each: each.activity is not None):
        said = card.phase
        card.phase = card.activity.phase if card.activity else said or PHASE
        if card.phase not in kept:
            card.phase = kept[-1]
        if said not in ("", card.phase) or len(said) > PHASE_NAME:
            card.say("Phase", said)
            counted["phases"] += 1


def _open_activity(card: LooseCard, counted: Counter[str]) -> None:
    """Leave no activity closed whose tasks are open, which a project cannot have."""
    statuses = [task.status or Status.TO_DO for task in card.tasks]
    if card.status is None:
        card.status = status_of_tasks(statuses)
    elif card.status in CLOSED and not CLOSED.issuperset(statuses):
        if card.status is Status.ARCHIVED:
            card.say("Status", in_words(card.status))
        card.status = Status.IN_PROGRESS
        counted["open"] += 1


def _find_waits(card: LooseCard, by_id: Mapping[str, LooseCard], counted: Counter[str]) -> None:
    """Leave the waits for cards of the file. An activity waits for its tasks anyhow."""
    found: dict[str, LooseCard] = {}
    for each in dict.fromkeys(card.waits):
        other = by_id.get(each.casefold())
        if not other or other in (card, card.activity) or other.activity is card or len(found) == MAX_BLOCKERS:
            card.say("Waits for", other.title if other else each)
            counted["waits"] += 1
        else:
            found[other.id] = other
    card.waits = [*found]


def _choose_fields(made: Draft, cards: Sequence[LooseCard]) -> dict[str, FieldEntry]:
    """The custom fields for the cards' own values, at most those that a project can have, by the names of the file."""
    values: dict[str, list[str]] = {}
    for card in cards:
        cleaned = {name: made.clean(text).strip() for name, text in card.own.items()}
        card.own = {name: text for name, text in cleaned.items() if text}
        for name, text in card.own.items():
            values.setdefault(name, []).append(text)
    found: dict[str, FieldEntry] = {}
    for name, texts in values.items():
        if len(found) == MAX_FIELDS or any(len(text) > MAX_TEXT or "\n" in text for text in texts):
            continue
        is_number = all(map(is_plain_number, texts))
        is_date = name == START or all(map(_is_day, texts))
        kind = FieldKind.DATE if is_date else FieldKind.NUMBER if is_number else FieldKind.TEXT
        called = free_name(made.clean(name), [each.name for each in found.values()])
        found[name] = FieldEntry(name=called, key=key_for(called, {each.key for each in found.values()}), kind=kind)
    return found


def _is_day(text: str) -> bool:
    """True for a day as it is kept."""
    return bool(re.fullmatch(r"2[01]\d\d-\d\d-\d\d", text)) and read_moment(text) is not None


def _item(
    made: Draft,
    card: LooseCard,
    fields: Mapping[str, FieldEntry],
    colours: Mapping[str, LabelColour],
    counted: Counter[str],
) -> ItemEntry:
    """The card as it stands in the document."""
    for name in [each for each in card.own if each not in fields]:
        card.say(name, card.own.pop(name))
    if changed := [each for each in card.labels if imported_name(each) not in ("", each.strip())]:
        card.say("Labels in the file", ", ".join(changed))
        counted["labels"] += 1
    people = []
    for name in dict.fromkeys(each.strip() for each in card.people):
        if len(name) <= LONGEST_NAME and any(map(str.isalnum, name)):
            people.append(made.person(name, origin=card.origin))
        else:
            card.say("Assigned to", name)
    if card.activity and len(people) > 1:
        card.say("Also assigned", names(people[1:]))
        counted["people"] += 1
        people = people[:1]
    is_activity = not card.activity and (card.is_activity or card.tasks or len(people) > 1)
    status = card.status or Status.TO_DO
    if card.completed_at and status is not Status.COMPLETED:
        card.say("Completed", str(local_day(card.completed_at)))
        card.completed_at = None
    labels = made.labels(card.labels, colours)
    item = ItemEntry(
        id=card.id,
        kind=ItemKind.ACTIVITY if is_activity else ItemKind.TASK,
        title=card.title,
        activity=card.activity.id if card.activity else None,
        due=card.due,
        link=card.link,
        priority=card.priority,
        labels=labels,
        description=lines(card.description, "\n".join(card.words).strip(), made.words(card.labels)),
        assigned=tuple(dict.fromkeys(people)),
        fields=tuple(ValueEntry(field=fields[each].key, value=text) for each, text in card.own.items()),
        comments=tuple(card.comments),
        waits_for=tuple(
            replace(each, lag_days=card.lags.get(each.card or "", 0)) for each in waiting_for(card.id, card.waits)
        ),
        completed_at=_in_utc(card.completed_at) if card.completed_at else None,
    )
    item = with_status(item, status)
    if card.activity and card.activity.status is Status.ARCHIVED and status is not Status.ARCHIVED:
        item = replace(archive_card(item), archived_with_activity=True)
    return archive_card(item) if card.is_archived else item
