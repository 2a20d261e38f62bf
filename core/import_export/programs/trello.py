"""Imports Trello's JSON of a board (menu of a board: Print, export and share: Export as JSON).

Lists whose names stand for a status (To Do, Doing, Done) are the statuses of one phase; each other list is a phase. A
card with a checklist or several members is an activity, and its check items are tasks; any other card is a task. Labels
keep their names and colours; one without a name is called by its colour. Custom fields and start days become fields,
and attachments words in the description. Closed cards, and cards of closed lists, are archived. The preview of the
import tells people these rules, and names what is left out.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import datetime
from math import inf
from typing import Annotated, Any

from core.codec.encoding import camel
from core.domain.fields import FieldKind
from core.domain.labels import LabelColour
from core.domain.model import Status
from core.errors import InvalidImport
from core.import_export.document import CommentEntry
from core.import_export.draft import PHASE, Draft, find_unread, free_name, local_day
from core.import_export.programs.loose_cards import START, LooseCard, place_cards
from core.import_export.tables.words import split_words, status_of_list
from core.record import Record, fields
from core.templates.checked_files import read_json
from core.text.document_fields import FieldRule
from core.text.phrases import agree
from core.text.sanitize import quote_value

NAMES = {"title": "name", "description": "desc", "assigned": "idMembers", "login": "username"}
"""Trello's names of the fields of a card and of a member."""


def _place(pos: Any) -> float:
    """Return the place of a part among others, from a number, “top” or “bottom”."""
    try:
        return float(pos)
    except (TypeError, ValueError, OverflowError):
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


def draft(text: str, _called: str = "") -> Draft:
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
        self._draft = Draft(board.name, board.desc or "", NAMES)
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
        taken = [START] if any(card.start for card in board.cards) else []
        self._fields: dict[str, tuple[TrelloField, str]] = {}
        """The custom fields with the names that they have here, by their ids."""
        for field in board.custom_fields:
            taken.append(free_name(field.name, taken))
            self._fields[field.id] = field, taken[-1]
        self._archived_items = 0

    def draft(self) -> Draft:
        ordered = sorted((each for each in self._board.lists if not each.closed), key=lambda each: each.pos)
        for action in sorted(self._board.actions, key=lambda action: action.date):
            self._take_comment(action)
        places = {each.id: place for place, each in enumerate(ordered)}
        cards = sorted(
            enumerate(self._board.cards), key=lambda each: (places.get(each[1].id_list, len(places)), each[1].pos)
        )
        loose = [each for at, card in cards for each in self._take(card, f"cards[{at}]")]
        phases = [*dict.fromkeys(map(_phase, ordered))]
        self._note(len(phases))
        kinds = {name: _KINDS.get(field.type, FieldKind.TEXT) for field, name in self._fields.values()}
        place_cards(self._draft, loose, phases, kinds)
        return self._draft

    def _take_comment(self, action: TrelloAction) -> None:
        card = action.data.get("card")
        said = action.data.get("text")
        if action.type not in COMMENTS or not isinstance(card, dict) or not isinstance(said, str) or not said.strip():
            return
        creator = action.member_creator
        by = self._draft.author(creator.username, creator.full_name or "") if creator else self._draft.author("unknown")
        self._comments[str(card.get("id"))] += self._draft.comments(by, action.date, said)

    def _take(self, card: TrelloCard, origin: str) -> Iterator[LooseCard]:
        """Yield a card, and its check items."""
        column = self._lists.get(card.id_list)
        if column is None:
            raise InvalidImport(f"{origin}.idList", f"There is no list “{quote_value(card.id_list)}” in the file.")
        checklists = sorted(self._checklists.pop(card.id, []), key=lambda each: each[1].pos)
        loose = self._card(card, column, origin)
        yield loose
        for place, checklist in checklists:
            if len(checklists) == 1 or not checklist.check_items:
                loose.say("Checklist", checklist.name or "")
            prefix = f"{checklist.name}: " if len(checklists) > 1 and checklist.name else ""
            for at, check in sorted(enumerate(checklist.check_items), key=lambda each: each[1].pos):
                yield self._task(check, loose, prefix, f"{place}.checkItems[{at}]")

    def _card(self, card: TrelloCard, column: TrelloList, origin: str) -> LooseCard:
        made = LooseCard(card.id, card.name, origin, _phase(column))
        status = Status.COMPLETED if card.due_complete else status_of_list(column.name) or Status.TO_DO
        made.is_archived = card.closed or column.closed or status is Status.ARCHIVED
        made.status = Status.TO_DO if status is Status.ARCHIVED else status
        made.description, made.due = card.desc or "", local_day(card.due)
        made.comments = self._comments.pop(card.id, [])
        made.people = [self._people[each] for each in card.id_members if each in self._people]
        former = [self._former.get(each, "a former member") for each in card.id_members if each not in self._people]
        made.say("Assigned to", ", ".join(former))
        colours = {label.name or label.color or "": _colour(label) for label in card.labels}
        self._draft.labels(colours, colours)
        made.labels = [*colours]
        if card.start:
            made.own[START] = str(local_day(card.start))
        for value in card.custom_field_items:
            field, name = self._fields.get(value.id_custom_field, (None, "Field"))
            text = _value_of(field, value)
            if field:
                made.keep(name, text)
            else:
                made.say(name, text)
        for each in card.attachments:
            made.say("Attached", each.url or "")
        return made

    def _task(self, check: TrelloCheckItem, card: LooseCard, prefix: str, origin: str) -> LooseCard:
        """A check item as a task. On a completed card, an unchecked item is archived: it must not leave a task open."""
        task = LooseCard(check.id, prefix + check.name, origin)
        task.parent, task.due = card.id, local_day(check.due)
        task.people = [self._people[check.id_member]] if check.id_member in self._people else []
        task.status = Status.COMPLETED if check.state == "complete" else Status.TO_DO
        if card.status is Status.COMPLETED and task.status is Status.TO_DO:
            self._archived_items += 1
            task.status = Status.ARCHIVED
        return task

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
            made.note(agree(self._archived_items, "{} unchecked item{s} of completed cards {is_} archived."))
        loose = sum(len(each.check_items) for lists in self._checklists.values() for _, each in lists)
        made.leave_out(loose, "check item", "its card is not in the file")
        made.leave_out(sum(map(len, self._comments.values())), "comment", "its card is not in the file")
        filled = {card.id_list for card in board.cards}
        empty = [each.name for each in board.lists if each.closed and each.id not in filled]
        made.leave_out(len(empty), "list", "it is archived and has no cards", empty)
        others = sum(action.type not in COMMENTS for action in board.actions)
        made.leave_out(others, "action", "the history of a board is not read, but for its comments")


def _phase(column: TrelloList) -> str:
    return PHASE if status_of_list(column.name) else column.name.strip() or PHASE


def _value_of(field: TrelloField | None, value: TrelloValue) -> str:
    """The value of a custom field as text; a day as ISO 8601."""
    given: Mapping[str, Any] = value.value or {}
    if value.id_value and field:
        given = next((each.value for each in field.options or () if each.id == value.id_value), {})
    if "date" in given:
        day = local_day(datetime.fromisoformat(str(given["date"]).replace("Z", "+00:00")))
        return day.isoformat() if day else ""
    if "checked" in given:
        return "yes" if str(given["checked"]).casefold() == "true" else ""
    return next((" ".join(str(each).split()) if each else "" for each in given.values()), "")
