"""Cards of other programs on their way into a draft: each gets a place in a project, whatever the file says of it.

What a card belongs to and waits for may be missing, come twice, run in a circle or be many levels deep. Such things are
repaired where they have one meaning; what the file says is then in the description, and a note counts it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Annotated, Any, TypeVar

from core.domain.dependencies import MAX_BLOCKERS
from core.domain.fields import MAX_CHOICE, MAX_CHOICES, MAX_FIELDS, FieldKind, is_plain_number
from core.domain.max_lengths import MAX_PHASES, PHASE_NAME
from core.domain.model import ItemKind, Priority, Status
from core.domain.statuses import CLOSED, status_meant
from core.errors import InvalidInput
from core.import_export import draft
from core.import_export.circles import find_tops
from core.import_export.document import CommentEntry, FieldEntry, ItemEntry, ValueEntry, WaitEntry
from core.import_export.draft import LONGEST_NAME, PHASE, Draft, is_name
from core.import_export.tables.columns import is_plain_day, is_text
from core.import_export.tables.words import status_word
from core.templates.checked_files import read_json
from core.text.dates import FIRST_YEAR, LAST_YEAR
from core.text.document_fields import FieldRule
from core.text.label_names import imported_name
from core.text.phrases import count, in_words, names
from core.text.sanitize import link
from core.text.short_keys import read_card_keys

T = TypeVar("T")

START = "Start"
"""The field of start days."""


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
    is_by_id = isinstance(value, dict) and all(isinstance(each, dict) for each in value.values())
    listed = value if isinstance(value, list) else [*value.values()] if is_by_id else [value]
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


class LooseCard:
    """A card of a file. ``parent`` and ``waits`` are ids of the file; ``own`` are values that become custom fields.

    ``source`` is its id in the program, if the next version of the file has it too.
    """

    def __init__(self, id: str, title: str, origin: str, phase: str = "") -> None:
        self.id, self.title, self.origin, self.phase = id or origin, title, origin, phase
        self.source = id
        self.unsaid: tuple[str, ...] = ()
        """As in OriginEntry."""
        self.key = ""
        """Its key in Podium, where the file has it."""
        self.description = self.link = self.parent = ""
        self.status: Status | None = Status.TO_DO
        """None for an activity whose status follows from its tasks."""
        self.priority = Priority.NORMAL
        self.due: date | None = None
        self.completed_at: datetime | None = None
        self.is_activity = self.is_archived = False
        self.waits: dict[str, int] = {}
        """The days between the due days of the cards that it waits for and its own, by their ids."""
        self.people: list[str] = []
        self.labels: list[str] = []
        self.comments: list[CommentEntry] = []
        self.own: dict[str, str] = {}
        self.words: list[str] = []
        self.times = 0
        """The times of day that are left out."""
        self.lost: list[str] = []
        """What is not as in the file, such as “parent”."""
        self.activity: LooseCard | None = None
        self.tasks: list[LooseCard] = []

    def say(self, head: str, text: str) -> None:
        """Put a text, if there is one, at the end of the description; one of many lines under a heading."""
        if text := text.strip():
            self.words.append(f"\n## {head}\n\n{text}\n" if "\n" in text else f"{head}: {text}")

    def keep(self, head: str, text: str) -> None:
        """Keep a value for a custom field; a second one for the same field becomes words."""
        if text and self.own.setdefault(head, text) != text:
            self.say(head, text)

    def lose(self, what: str, text: str) -> None:
        """Say what the file says, because the project has it in another way."""
        self.say(what.capitalize(), text)
        self.lost.append(what)

    def take_status(self, word: str) -> None:
        """Read a status; a word that is only near to one of Podium, or unknown, stands in the description, too."""
        if (exact := status_meant(word)) is None:
            self.say("Status", word)
        self.status = exact or status_word(word) or Status.TO_DO

    def read_day(self, head: str, text: str) -> date | None:
        """Return a day; another text becomes words."""
        moment = read_moment(text)
        self.times += draft.has_time(moment)
        if moment is None:
            self.say(head, text)
        return draft.local_day(moment)

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
        moment, author = read_moment(at), " ".join(made.clean(author).split())[:LONGEST_NAME] or "unknown"
        if moment and made.clean(text).strip():
            self.comments += made.comments(made.author(author), _in_utc(moment), text)
        else:
            self.say(f"Comment of {author}{at and f' at {at}'}", text)


def _in_utc(at: datetime) -> datetime:
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def place_cards(
    made: Draft, cards: Sequence[LooseCard], phases: Iterable[str] = (), kinds: Mapping[str, FieldKind] | None = None
) -> None:
    """Put the cards of a file into its draft. ``phases`` are those that the file has in this order, empty ones too.

    ``kinds`` are those of custom fields that the file knows, by name; others follow from the values.
    """
    by_id: dict[str, LooseCard] = {}
    for card in cards:
        if by_id.setdefault(card.id.casefold(), card) is not card:
            card.lose("id", card.id)
            card.id, card.source = f"{card.id} again, {card.origin}", ""
    _find_activities(cards, by_id)
    _find_phases(made, cards, phases)
    unsaid = {card: ("priority", "status") for card in cards if card.status is None}
    for card in cards:
        _open_activity(card)
    fields = _choose_fields(made, cards, kinds or {})
    made.fields = {each.key: each for each in fields.values()}
    made.key, numbers = read_card_keys(card.key for card in cards)
    for card, number in zip(cards, numbers, strict=True):
        _find_waits(card, by_id)
        card.say("Key", "" if number else card.key)
        item = _item(made, card, number, fields)
        made.add(card.phase, item, card.origin, card.source, unsaid.get(card, card.unsaid))
    made.times += sum(card.times for card in cards)
    lost = Counter(what for card in cards for what in dict.fromkeys(card.lost))
    if lost:
        listed = names([f"“{what.capitalize()}” of {count(number, 'card')}" for what, number in lost.items()])
        made.note(f"Not as in the file, but said in descriptions: {listed}.")
    if START in fields and fields[START].kind is FieldKind.DATE:
        made.note("Start days are a date field, because cards have no start yet.")


def _find_activities(cards: Sequence[LooseCard], by_id: Mapping[str, LooseCard]) -> None:
    """Find the activity of each card: the highest of its parents."""
    for card in cards:
        card.activity = by_id.get(card.parent.casefold())
        if card.parent and card.activity in (None, card):
            card.lose("parent", card.parent)
            card.activity = None
    tops = find_tops({card: card.activity for card in cards if card.activity})
    for card in cards:
        if card.activity:
            if tops.get(card) is not card.activity:
                card.lose("parent", card.activity.title)
            card.activity = tops.get(card)
        if card.activity:
            card.activity.tasks.append(card)


def _find_phases(made: Draft, cards: Sequence[LooseCard], phases: Iterable[str]) -> None:
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
            card.lose("phase", said)


def _open_activity(card: LooseCard) -> None:
    """Leave no activity closed whose tasks are open, which a project cannot have."""
    statuses = [task.status or Status.TO_DO for task in card.tasks]
    if card.status is None:
        card.status = draft.status_of_tasks(statuses)
    elif card.status in CLOSED and not CLOSED.issuperset(statuses):
        card.lose("status", in_words(card.status))
        card.status = Status.IN_PROGRESS


def _find_waits(card: LooseCard, by_id: Mapping[str, LooseCard]) -> None:
    """Leave the waits for cards of the file. An activity waits for its tasks anyhow."""
    found: dict[str, int] = {}
    for each, lag in card.waits.items():
        other = by_id.get(each.casefold())
        if not other or other in (card, card.activity) or other.activity is card or len(found) == MAX_BLOCKERS:
            card.lose("waits for", other.title if other else each)
        else:
            found[other.id] = lag
    card.waits = found


def _choose_fields(made: Draft, cards: Sequence[LooseCard], kinds: Mapping[str, FieldKind]) -> dict[str, FieldEntry]:
    """The custom fields for the cards' own values, at most those that a project can have, by the names of the file."""
    values: dict[str, list[str]] = {}
    for card in cards:
        card.own = {name: clean for name, text in card.own.items() if (clean := made.clean(text).strip())}
        for name, text in card.own.items():
            values.setdefault(name, []).append(text)
    found: dict[str, FieldEntry] = {}
    for name, texts in values.items():
        if len(found) == MAX_FIELDS or not is_text(texts):
            continue
        is_day, is_number = all(map(is_plain_day, texts)), all(map(is_plain_number, texts))
        kind = kinds.get(name) or (FieldKind.DATE if is_day else FieldKind.NUMBER)
        choices = tuple(dict.fromkeys(texts)) if kind is FieldKind.CHOICE else ()
        is_list = 0 < len(choices) <= MAX_CHOICES and max(map(len, choices)) <= MAX_CHOICE
        fits = {FieldKind.DATE: is_day, FieldKind.NUMBER: is_number, FieldKind.CHOICE: is_list}
        if not fits.get(kind):
            kind, choices = FieldKind.TEXT, ()
        found[name] = draft.make_field(made.clean(name), found.values(), kind, choices)
    return found


def _item(made: Draft, card: LooseCard, number: int, fields: Mapping[str, FieldEntry]) -> ItemEntry:
    """The card as it stands in the document."""
    for name in [each for each in card.own if each not in fields]:
        card.say(name, card.own[name])
    card.labels = [made.clean(each).strip() for each in card.labels]
    labels = made.labels(card.labels)
    if changed := [each for each in card.labels if imported_name(each) not in ("", each) and not made.words([each])]:
        card.lose("labels", ", ".join(changed))
    for name in card.people:
        card.say("Assigned to", "" if is_name(name) else made.clean(name))
    people = [*dict.fromkeys(made.person(name, origin=card.origin) for name in card.people if is_name(name))]
    if card.activity and len(people) > 1:
        card.lose("assigned", names(people))
        people = people[:1]
    status = card.status or Status.TO_DO
    if card.completed_at and status is not Status.COMPLETED:
        card.say("Completed", str(draft.local_day(card.completed_at)))
    is_activity = not card.activity and (card.is_activity or card.tasks or len(people) > 1)
    item = ItemEntry(
        id=card.id,
        number=number,
        kind=ItemKind.ACTIVITY if is_activity else ItemKind.TASK,
        title=card.title,
        activity=card.activity.id if card.activity else None,
        due=card.due,
        link=card.link,
        priority=card.priority,
        labels=labels,
        description=draft.lines(card.description, "\n".join(card.words).strip(), made.words(card.labels)),
        assigned=tuple(people),
        fields=tuple(ValueEntry(field=fields[each].key, value=card.own[each]) for each in card.own if each in fields),
        comments=tuple(card.comments),
        waits_for=tuple(WaitEntry(card=each, lag_days=lag) for each, lag in card.waits.items()),
        completed_at=_in_utc(card.completed_at) if card.completed_at and status is Status.COMPLETED else None,
    )
    above = card.activity.status if card.activity else None
    if card.activity and card.activity.is_archived:
        above = Status.ARCHIVED
    return draft.with_status(item, status, above, is_archived=card.is_archived)
