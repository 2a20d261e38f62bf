"""Imports Trello's JSON of a board (menu of a board: Print, export and share: Export as JSON).

Lists whose names stand for a status (To Do, Doing, Done) are the statuses of one phase; each other list is a phase. A
card with a checklist or several members is an activity, and its check items are tasks; any other card is a task. Labels
keep their names and colours; one without a name is called by its colour. Attachments become words in the description.
Closed cards, and cards of closed lists, are archived. The preview of the import tells people these rules.
"""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime
from typing import Any

from core.domain.labels import LabelColour
from core.domain.model import ItemKind, Status
from core.domain.statuses import status_meant
from core.errors import InvalidImport
from core.import_export.document import CommentEntry, ItemEntry
from core.import_export.draft import PHASE, Draft, archive_card, lines, local_day, with_status
from core.record import Record, replace
from core.templates.checked_files import read_json
from core.text.sanitize import sanitize

NAMES = {"title": "name", "description": "desc", "assigned": "idMembers", "login": "username"}
"""Trello's names of the fields of a card and of a member."""


class TrelloMember(Record):
    id: str
    username: str
    full_name: str = ""


class TrelloList(Record):
    id: str
    name: str
    closed: bool = False
    pos: float = 0


class TrelloLabel(Record):
    name: str | None = ""
    color: str | None = None


class TrelloAttachment(Record):
    url: str | None = None


class TrelloCard(Record):
    id: str
    name: str
    id_list: str
    desc: str = ""
    closed: bool = False
    due: datetime | None = None
    due_complete: bool | None = False
    pos: float = 0
    id_members: tuple[str, ...] = ()
    labels: tuple[TrelloLabel, ...] = ()
    attachments: tuple[TrelloAttachment, ...] = ()


class TrelloCheckItem(Record):
    id: str
    name: str
    state: str = "incomplete"
    pos: float = 0
    due: datetime | None = None
    id_member: str | None = None


class TrelloChecklist(Record):
    id: str
    id_card: str
    name: str = ""
    pos: float = 0
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
    desc: str = ""
    members: tuple[TrelloMember, ...] = ()
    checklists: tuple[TrelloChecklist, ...] = ()
    actions: tuple[TrelloAction, ...] = ()


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
    return _Board(read_json(text, TrelloBoard)).draft()


class _Board:
    """Turns a board into a draft."""

    def __init__(self, board: TrelloBoard) -> None:
        self._board = board
        self._draft = Draft(board.name, board.desc)
        self._lists = {each.id: each for each in board.lists}
        self._people = {
            each.id: self._draft.person(each.username, each.full_name, origin=f"members[{at}]")
            for at, each in enumerate(board.members)
        }
        self._comments: dict[str, list[CommentEntry]] = defaultdict(list)
        self._checklists: dict[str, list[tuple[str, TrelloChecklist]]] = defaultdict(list)
        for at, checklist in enumerate(board.checklists):
            self._checklists[checklist.id_card].append((f"checklists[{at}]", checklist))

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
        return PHASE if status_meant(column.name) else column.name

    def _take_comment(self, action: TrelloAction) -> None:
        card = action.data.get("card")
        said = action.data.get("text")
        if action.type != "commentCard" or not isinstance(card, dict) or not isinstance(said, str) or not said.strip():
            return
        creator = action.member_creator
        by = self._draft.person(creator.username, creator.full_name) if creator else self._draft.person("unknown")
        self._comments[str(card.get("id"))].append(CommentEntry(author=by, at=action.date, text=said))

    def _take(self, card: TrelloCard, origin: str) -> None:
        """Add a card with its check items."""
        column = self._lists.get(card.id_list)
        if column is None:
            raise InvalidImport(f"{origin}.idList", f"There is no list “{sanitize(card.id_list)}” in the file.")
        phase = self._phase(column)
        checklists = sorted(self._checklists[card.id], key=lambda each: each[1].pos)
        item = self._item(card, column, holds=any(each.check_items for _, each in checklists))
        self._draft.add(phase, item, origin)
        for place, checklist in checklists:
            prefix = f"{checklist.name}: " if len(checklists) > 1 and checklist.name else ""
            for at, check in sorted(enumerate(checklist.check_items), key=lambda each: each[1].pos):
                self._draft.add(phase, self._task(check, item, prefix), f"{place}.checkItems[{at}]")

    def _item(self, card: TrelloCard, column: TrelloList, *, holds: bool) -> ItemEntry:
        people = tuple(dict.fromkeys(self._people[each] for each in card.id_members if each in self._people))
        links = [each.url for each in card.attachments if each.url]
        colours = {label.name or label.color or "": _colour(label) for label in card.labels}
        status = status_meant(column.name) or Status.TO_DO
        item = ItemEntry(
            id=card.id,
            kind=ItemKind.ACTIVITY if holds or len(people) > 1 else ItemKind.TASK,
            title=card.name,
            due=local_day(card.due),
            labels=self._draft.labels(colours, colours),
            description=lines(
                card.desc,
                self._draft.words(colours),
                "\n".join(f"Attached: {link}" for link in links),
            ),
            assigned=people,
            comments=tuple(self._comments[card.id]),
        )
        item = with_status(item, Status.COMPLETED if card.due_complete else status)
        return archive_card(item) if card.closed or column.closed else item

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
            return archive_card(task)
        return replace(archive_card(task), archived_with_activity=True) if card.status is Status.ARCHIVED else task

    def _note(self, phases: int) -> None:
        notes = self._draft.notes
        if any(card.attachments for card in self._board.cards):
            notes.append("Attachments become links in the description; the files stay in Trello.")
        if phases > 1:
            notes.append(
                "Each list that is no status becomes a phase; a phase is locked until those before it are done."
            )
