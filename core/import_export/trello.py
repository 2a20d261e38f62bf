"""Imports Trello's JSON of a board (menu of a board: Print, export and share: Export as JSON).

Lists whose names stand for a status (To Do, Doing, Done) are the statuses of one phase; each other list is a phase. A
card with a checklist or several members is an activity, and its check items are tasks; any other card is a task. Labels
keep their names and colours; one without a name is called by its colour. Custom fields and start days become fields,
and attachments words in the description. Closed cards, and cards of closed lists, are archived. The preview of the
import tells people these rules, and names what is left out.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime
from math import inf
from typing import Annotated, Any

from core.codec.encoding import camel
from core.domain.fields import MAX_CHOICE, MAX_CHOICES, MAX_FIELDS, MAX_TEXT, FieldKind, is_plain_number, key_for
from core.domain.labels import LabelColour
from core.domain.model import ItemKind, Status
from core.errors import InvalidImport
from core.import_export.document import CommentEntry, FieldEntry, ItemEntry, ValueEntry
from core.import_export.draft import (
    PHASE,
    Draft,
    LeftOut,
    archive_card,
    find_unread,
    free_name,
    lines,
    local_day,
    with_status,
)
from core.import_export.tables.words import split_words, status_word
from core.record import Record, fields, replace
from core.templates.checked_files import read_json
from core.text.document_fields import FieldRule
from core.text.phrases import count
from core.text.sanitize import sanitize

NAMES = {"title": "name", "description": "desc", "assigned": "idMembers", "login": "username"}
"""Trello's names of the fields of a card and of a member."""


def _place(pos: Any) -> float:
    """Return the place of a part among others, from a number, “top” or “bottom”."""
    try:
        return float(pos)
    except (TypeError, ValueError):
        return -inf if pos == "top" else inf


Position = Annotated[Any, FieldRule(_place)]


class TrelloMember(Record):
    id: str
    username: str
    full_name: str | None = ""


class TrelloList(Record):
    id: str
    name: str
    closed: bool = False
    pos: Position = 0


class TrelloLabel(Record):
    name: str | None = ""
    color: str | None = None


class TrelloAttachment(Record):
    url: str | None = None


class TrelloOption(Record):
    id: str
    value: Mapping[str, Any] = {}


class TrelloField(Record):
    """A custom field of a board: a checkbox, a date, a list, a number or a text."""

    id: str
    name: str
    type: str = "text"
    options: tuple[TrelloOption, ...] | None = ()


class TrelloValue(Record):
    id_custom_field: str
    id_value: str | None = None
    value: dict[str, Any] | None = None


class TrelloCard(Record):
    id: str
    name: str
    id_list: str
    desc: str | None = ""
    closed: bool = False
    due: datetime | None = None
    start: datetime | None = None
    due_complete: bool | None = False
    pos: Position = 0
    id_members: tuple[str, ...] = ()
    labels: tuple[TrelloLabel, ...] = ()
    attachments: tuple[TrelloAttachment, ...] = ()
    custom_field_items: tuple[TrelloValue, ...] = ()


class TrelloCheckItem(Record):
    id: str
    name: str
    state: str = "incomplete"
    pos: Position = 0
    due: datetime | None = None
    id_member: str | None = None


class TrelloChecklist(Record):
    id: str
    id_card: str
    name: str | None = ""
    pos: Position = 0
    check_items: tuple[TrelloCheckItem, ...] = ()


class TrelloAction(Record):
    type: str
    date: datetime
    data: dict[str, Any]
    member_creator: TrelloMember | None = None


class TrelloBoard(Record):
    name: str
    lists: tuple[TrelloList, ...]
    cards: tuple[TrelloCard, ...]
    desc: str | None = ""
    members: tuple[TrelloMember, ...] = ()
    checklists: tuple[TrelloChecklist, ...] = ()
    actions: tuple[TrelloAction, ...] = ()
    custom_fields: tuple[TrelloField, ...] = ()


START = "start"
"""The id of the field of start days, which Trello has beside its custom fields."""

_KINDS = {"number": FieldKind.NUMBER, "date": FieldKind.DATE, "list": FieldKind.CHOICE}

MOST_ACTIONS = 1_000
"""The newest actions of a board, which are all that Trello exports."""

COMMENTS = ("commentCard", "copyCommentCard")
"""The actions with a comment: of a card, and of one that was copied."""

OWN = frozenset(
    split_words("""
    address, badges, checkItemStates, closed, coordinates, creationMethod, dateLastActivity,
    dateViewedByCurrentMember, descData, dueComplete, dueReminder, email, idAttachmentCover, idBoard, idChecklists,
    idLabels, idMembersVoted, idOrganization, idShort, isTemplate, limits, locationName, manualCoverAttachment,
    mirrorSourceId, nodeId, pinned, shortLink, shortUrl, staticMapUrl, subscribed, url, creationMethodError,
    creationMethodLoadingStartedAt, idMemberCreator, cardRole, cover
    """)
)
"""Keys of a card that Trello has for itself: ids, addresses, times and looks."""


_COLOURS = {colour.lower(): colour for colour in LabelColour} | {
    "sky": LabelColour.TEAL,
    "lime": LabelColour.GREEN,
    "black": LabelColour.GREY,
}


def _colour(label: TrelloLabel) -> LabelColour:
    """The nearest colour; Trello has shades, such as “green_dark”."""
    return _COLOURS.get((label.color or "").partition("_")[0], LabelColour.GREY)


def draft(text: str) -> Draft:
    """The draft of a board. Raises InvalidImport."""
    made = _Board(read_json(text, TrelloBoard)).draft()
    cards = json.loads(text)["cards"]
    read = {camel(name) for name in fields(TrelloCard)}
    made.left_out += find_unread(cards, read, "cards here have no such thing", OWN)
    return made


class _Board:
    """Turns a board into a draft."""

    def __init__(self, board: TrelloBoard) -> None:
        self._board = board
        self._draft = Draft(board.name, board.desc or "")
        self._lists = {each.id: each for each in board.lists}
        self._people = {
            each.id: self._draft.person(each.username, each.full_name or "", origin=f"members[{at}]")
            for at, each in enumerate(board.members)
        }
        self._former = {
            each.member_creator.id: each.member_creator.full_name or each.member_creator.username
            for each in board.actions
            if each.member_creator and each.member_creator.id not in self._people
        }
        self._comments: dict[str, list[CommentEntry]] = defaultdict(list)
        self._checklists: dict[str, list[tuple[str, TrelloChecklist]]] = defaultdict(list)
        for at, checklist in enumerate(board.checklists):
            self._checklists[checklist.id_card].append((f"checklists[{at}]", checklist))
        self._own: dict[str, list[tuple[str, str]]] = defaultdict(list)
        """The values of fields by the card, each with the id of its field."""
        self._fields = self._choose_fields()
        self._draft.fields = tuple(self._fields.values())
        self._archived_items = 0

    def draft(self) -> Draft:
        ordered = sorted((each for each in self._board.lists if not each.closed), key=lambda each: each.pos)
        for column in ordered:
            self._draft.phase(self._phase(column), f"lists[{self._board.lists.index(column)}]")
        for action in sorted(self._board.actions, key=lambda action: action.date):
            self._take_comment(action)
        places = {each.id: place for place, each in enumerate(ordered)}
        cards = sorted(
            enumerate(self._board.cards), key=lambda each: (places.get(each[1].id_list, len(places)), each[1].pos)
        )
        for at, card in cards:
            self._take(card, f"cards[{at}]")
        self._note(len({self._phase(each) for each in ordered}))
        return self._draft

    def _phase(self, column: TrelloList) -> str:
        return PHASE if _status_of(column.name) else column.name

    def _choose_fields(self) -> dict[str, FieldEntry]:
        """The custom fields of the board by their ids, at most those that a project can have; the start days first."""
        found: dict[str, FieldEntry] = {}
        if any(card.start for card in self._board.cards):
            found[START] = FieldEntry(name="Start", key="start", kind=FieldKind.DATE)
        values: dict[str, list[str]] = defaultdict(list)
        by_id = {field.id: field for field in self._board.custom_fields}
        for card in self._board.cards:
            for value in card.custom_field_items:
                if text := self._draft.line(_value_of(by_id.get(value.id_custom_field), value)):
                    values[value.id_custom_field].append(text)
                    self._own[card.id].append((value.id_custom_field, text))
        for field in self._board.custom_fields:
            kind = _KINDS.get(field.type, FieldKind.TEXT)
            if len(found) == MAX_FIELDS or not values[field.id] or not all(map(_fits, values[field.id])):
                continue
            if kind is FieldKind.NUMBER and not all(map(is_plain_number, values[field.id])):
                kind = FieldKind.TEXT
            choices = tuple(dict.fromkeys(values[field.id])) if kind is FieldKind.CHOICE else ()
            if len(choices) > MAX_CHOICES or any(len(each) > MAX_CHOICE for each in choices):
                kind, choices = FieldKind.TEXT, ()
            name = free_name(self._draft.line(field.name), [each.name for each in found.values()])
            key = key_for(name, {each.key for each in found.values()})
            found[field.id] = FieldEntry(name=name, key=key, kind=kind, choices=choices)
        return found

    def _take_comment(self, action: TrelloAction) -> None:
        card = action.data.get("card")
        said = action.data.get("text")
        if action.type not in COMMENTS or not isinstance(card, dict) or not isinstance(said, str) or not said.strip():
            return
        creator = action.member_creator
        by = self._draft.author(creator.username, creator.full_name or "") if creator else self._draft.author("unknown")
        self._comments[str(card.get("id"))] += self._draft.comments(by, action.date, said)

    def _take(self, card: TrelloCard, origin: str) -> None:
        """Add a card with its check items."""
        column = self._lists.get(card.id_list)
        if column is None:
            raise InvalidImport(f"{origin}.idList", f"There is no list “{sanitize(card.id_list)}” in the file.")
        phase = self._phase(column)
        checklists = sorted(self._checklists.pop(card.id, []), key=lambda each: each[1].pos)
        item = self._item(card, column, checklists)
        self._draft.add(phase, item, origin)
        for place, checklist in checklists:
            prefix = f"{checklist.name}: " if len(checklists) > 1 and checklist.name else ""
            for at, check in sorted(enumerate(checklist.check_items), key=lambda each: each[1].pos):
                self._draft.add(phase, self._task(check, item, prefix), f"{place}.checkItems[{at}]")

    def _item(self, card: TrelloCard, column: TrelloList, checklists: list[tuple[str, TrelloChecklist]]) -> ItemEntry:
        people = tuple(dict.fromkeys(self._people[each] for each in card.id_members if each in self._people))
        former = [self._former.get(each, "a former member") for each in card.id_members if each not in self._people]
        links = [each.url for each in card.attachments if each.url]
        colours = {label.name or label.color or "": _colour(label) for label in card.labels}
        status = _status_of(column.name) or Status.TO_DO
        own, words = self._values(card)
        named = [each.name for _, each in checklists if each.name and not (each.check_items and checklists[1:])]
        item = ItemEntry(
            id=card.id,
            kind=ItemKind.ACTIVITY
            if any(each.check_items for _, each in checklists) or len(people) > 1
            else ItemKind.TASK,
            title=card.name,
            due=local_day(card.due),
            labels=self._draft.labels(colours, colours),
            description=lines(
                card.desc or "",
                self._draft.words(colours),
                "\n".join(f"Checklist: {name}" for name in named),
                f"Assigned to: {', '.join(former)}" if former else "",
                "\n".join(words),
                "\n".join(f"Attached: {link}" for link in links),
            ),
            assigned=people,
            fields=own,
            comments=tuple(self._comments.pop(card.id, [])),
        )
        item = with_status(item, Status.COMPLETED if card.due_complete else status)
        return archive_card(item) if card.closed or column.closed else item

    def _values(self, card: TrelloCard) -> tuple[tuple[ValueEntry, ...], list[str]]:
        """The values of a card's fields, and those that have become words."""
        by_id = {field.id: field for field in self._board.custom_fields}
        own: dict[str, ValueEntry] = {}
        words = []
        if card.start and (day := local_day(card.start)):
            own[START] = ValueEntry(field=self._fields[START].key, value=day.isoformat())
        for id, text in self._own[card.id]:
            if entry := self._fields.get(id):
                own[id] = ValueEntry(field=entry.key, value=text)
            else:
                words.append(f"{by_id[id].name if id in by_id else 'Field'}: {text}")
        return tuple(own.values()), words

    def _task(self, check: TrelloCheckItem, card: ItemEntry, prefix: str) -> ItemEntry:
        """A check item as a task. On a completed card, an unchecked item is archived: it must not leave a task open."""
        person = self._people.get(check.id_member or "")
        task = ItemEntry(
            id=check.id,
            kind=ItemKind.TASK,
            title=prefix + check.name,
            status=Status.COMPLETED if check.state == "complete" else Status.TO_DO,
            activity=card.id,
            due=local_day(check.due),
            assigned=(person,) if person else (),
        )
        if (card.archived_from or card.status) is Status.COMPLETED and task.status is Status.TO_DO:
            self._archived_items += 1
            return archive_card(task)
        return replace(archive_card(task), archived_with_activity=True) if card.status is Status.ARCHIVED else task

    def _note(self, phases: int) -> None:
        made, board = self._draft, self._board
        if any(card.attachments for card in board.cards):
            made.note("Attachments become links in the description; the files stay in Trello.")
        if phases > 1:
            made.note("Each list that is no status becomes a phase; a phase is locked until those before it are done.")
        if len(board.actions) >= MOST_ACTIONS:
            made.note(
                f"Trello exports the newest {MOST_ACTIONS:,} actions of a board, so older comments are not in it."
            )
        if self._archived_items:
            number = count(self._archived_items, "unchecked item")
            made.note(f"{number} of completed cards {'is' if self._archived_items == 1 else 'are'} archived.")
        if START in self._fields:
            made.note("Start days are a date field, because cards have no start yet.")
        loose = sum(len(each.check_items) for lists in self._checklists.values() for _, each in lists)
        if loose:
            made.left_out.append(LeftOut(loose, "check item", "its card is not in the file"))
        if lost := sum(map(len, self._comments.values())):
            made.left_out.append(LeftOut(lost, "comment", "its card is not in the file"))
        filled = {card.id_list for card in board.cards}
        if empty := tuple(each.name for each in board.lists if each.closed and each.id not in filled):
            made.left_out.append(LeftOut(len(empty), "list", "it is archived and has no cards", empty))
        if others := sum(action.type not in COMMENTS for action in board.actions):
            made.left_out.append(LeftOut(others, "action", "the history of a board is not read, but for its comments"))


def _status_of(name: str) -> Status | None:
    """The status that a list stands for, also with a limit or a picture: “Doing (max 3)”, “Done ✅”."""
    return status_word(re.sub(r"[(\[].*?[)\]]", "", name))


def _value_of(field: TrelloField | None, value: TrelloValue) -> str:
    """The value of a custom field as text; a day as ISO 8601."""
    given: Mapping[str, Any] = value.value or {}
    if value.id_value and field:
        given = next((each.value for each in field.options or () if each.id == value.id_value), {})
    with contextlib.suppress(ValueError):
        if "date" in given and (day := local_day(datetime.fromisoformat(str(given["date"])))):
            return day.isoformat()
    if "checked" in given:
        return "yes" if str(given["checked"]).casefold() == "true" else ""
    return next((" ".join(str(each).split()) if each else "" for each in given.values()), "")


def _fits(text: str) -> bool:
    return len(text) <= MAX_TEXT
