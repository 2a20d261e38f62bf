"""Imports boards of Nextcloud Deck: the JSON of a board, or of all boards of a person (``occ deck:export``).

Stacks whose names stand for a status are the statuses of one phase, and each other stack is a phase, as lists of Trello
are; with several boards, their names come first. Archived and deleted cards are archived. Groups that are assigned,
dependent cards and attachments become words.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from core.codec.encoding import camel
from core.domain.model import Status
from core.import_export.draft import LONGEST_NAME, PHASE, Draft, find_unread, is_name
from core.import_export.programs.loose_cards import (
    LooseCard,
    Objects,
    Text,
    as_objects,
    as_text,
    place_cards,
    read_moment,
    read_part,
)
from core.import_export.tables.words import split_words, status_of_list
from core.record import Record, fields
from core.templates.checked_files import read_json

OWN = frozenset(
    split_words("""
    boardId, stackId, type, attachmentCount, commentsUnread, commentsCount,
    ETag, overdue, board, relatedStack, relatedBoard, order, permissions, shared, settings, shareToken, externalId, id,
    cardId
    """)
)
"""Keys that Deck has for itself: ids, counts and settings."""


class DeckFile(Record):
    """One board, or several by their ids."""

    boards: Objects = ()
    title: Text = ""
    stacks: Objects = ()


class DeckStack(Record):
    title: Text = ""
    deleted_at: Text = ""
    is_done_column: Text = ""
    cards: Objects = ()


class DeckCard(Record):
    id: Text = ""
    title: Text = ""
    description: Text = ""
    labels: Objects = ()
    assigned_users: Objects = ()
    attachments: Objects = ()
    archived: Text = ""
    done: Text = ""
    duedate: Text = ""
    startdate: Text = ""
    deleted_at: Text = ""
    dependent_cards: Objects = ()
    comments: Objects = ()


def draft(text: str, _called: str = "") -> Draft:
    """The draft of the boards of a file. Raises InvalidImport."""
    read = read_json(text, DeckFile)
    boards = [read_part(each, DeckFile) for each in read.boards] or [read]
    made = Draft(boards[0].title if len(boards) == 1 else "Nextcloud Deck")
    cards: list[LooseCard] = []
    phases: list[str] = []
    raw: list[dict[str, Any]] = []
    for board in boards:
        for column in (read_part(each, DeckStack) for each in _sort_parts(board.stacks)):
            status = Status.COMPLETED if column.is_done_column else status_of_list(column.title)
            around = board.title if len(boards) > 1 else ""
            phases.append(": ".join(filter(None, (around, "" if status else column.title))) or PHASE)
            for each in _sort_parts(column.cards):
                card = _card(made, read_part(each, DeckCard), f"cards[{len(cards)}]")
                card.phase = phases[-1]
                card.status = card.status if card.status is Status.COMPLETED else status or Status.TO_DO
                card.is_archived |= _is_said(column.deleted_at)
                cards.append(card)
                raw.append(each)
    place_cards(made, cards, phases)
    if len({*phases}) > 1:
        made.note("Each stack that is no status becomes a phase; a phase is locked until those before it are done.")
    labels = [label for each in raw for label in as_objects(each.get("labels"))]
    on_boards = as_objects(json.loads(text).get("boards"))
    made.left_out += find_unread(raw, {*map(camel, fields(DeckCard))}, "cards here have no such thing", OWN)
    made.left_out += find_unread(labels, {"title", ""}, "labels get colours of Podium", OWN)
    made.left_out += find_unread(on_boards, {"title", "stacks", "color", "labels", "owner"}, "a project has none", OWN)
    return made


def _sort_parts(parts: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(parts, key=lambda each: each["order"] if isinstance(each.get("order"), int | float) else 0)


def _is_said(text: str) -> bool:
    return text not in ("", "0", "false")


def _card(made: Draft, read: DeckCard, origin: str) -> LooseCard:
    card = LooseCard(read.id, read.title, origin)
    card.description = read.description
    card.due = card.read_day("Due", read.duedate)
    card.take_start(read.startdate)
    card.labels = [as_text(each.get("title") or each.get("")) for each in read.labels]
    card.is_archived = _is_said(read.archived) or _is_said(read.deleted_at)
    card.say("Deleted in Deck", "yes" if _is_said(read.deleted_at) else "")
    if _is_said(read.done):
        card.status, card.completed_at = Status.COMPLETED, read_moment(read.done)
    for head, text in (("Done", "" if card.completed_at else read.done), ("Archived", read.archived)):
        card.say(head, "" if text in ("true", "false", "0", "1") else text)
    for each in read.assigned_users:
        who = each.get("participant") or each
        who = who if isinstance(who, dict) else {"uid": who}
        login, name = as_text(who.get("uid") or who.get("primaryKey") or who.get("")), as_text(who.get("displayname"))
        if not (each.get("type") or who.get("type")) and is_name(login):
            card.people.append(made.person(login, name[:LONGEST_NAME], origin=origin))
        else:
            card.say("Assigned to", name or login or as_text(who))
    for each in read.attachments:
        card.say("Attached", as_text(each.get("data") or each.get("") or each))
    for each in read.dependent_cards:
        card.say("Dependent card", as_text(each.get("")) or as_text(each))
    for each in read.comments:
        at, by = (each.get("creationDateTime") or each.get("createdAt"), each.get("actorId") or each.get("author"))
        said = as_text(each.get("message") or each.get("text") or each.get("") or each)
        card.take_comment(made, as_text(by), as_text(at), said)
    return card
