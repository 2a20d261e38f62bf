"""Commands about one or many cards of any kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, NamedTuple, Protocol, cast

from core.domain.model import Id, ItemKind, Status
from core.engine.messages import Command


class Target(Protocol):
    """The fields that cards of a view and items of the core share."""

    @property
    def id(self) -> Id: ...
    @property
    def kind(self) -> ItemKind: ...
    @property
    def phase_id(self) -> Id: ...
    @property
    def activity_id(self) -> Id | None: ...
    @property
    def title(self) -> str: ...
    @property
    def status(self) -> Status | None: ...
    @property
    def version(self) -> int: ...


MODULES = {
    ItemKind.TASK: "core.actions.cards.tasks",
    ItemKind.ACTIVITY: "core.actions.cards.activities",
    ItemKind.APPLICATION: "core.actions.cards.applications",
}
"""The module with the messages about each kind of card. The catalog of all messages is not imported, as it takes a
tenth of Podium's memory."""


class CardCommand(NamedTuple):
    """A command for all kinds of cards: "Set{}DueDate" means ``SetTaskDueDate``, ``SetActivityDueDate`` and so on."""

    name: str

    def on(self, card: Target, *, seen: bool = True, **fields: Any) -> Command[Any]:
        """The message for this card, with its ``fields``; with ``seen``, it is refused if the card has changed."""
        noun = card.kind.capitalize()
        message: Any = getattr(import_module(MODULES[card.kind]), self.name.format(noun))
        named = {f"{noun.lower()}_id": card.id, "seen_version": card.version if seen else None}
        return cast("Command[Any]", message(**named, **fields))


EDIT = CardCommand("Edit{}")
MOVE = CardCommand("Move{}")
REORDER = CardCommand("Reorder{}")
ASSIGN = CardCommand("Assign{}")
SET_DUE_DATE = CardCommand("Set{}DueDate")
ARCHIVE = CardCommand("Archive{}")
RESTORE = CardCommand("Restore{}")
DELETE = CardCommand("Delete{}")
REMOVE = CardCommand("Remove{}")
"""For applications, which cannot be archived."""

STATUS_ORDER = (Status.TO_DO, Status.IN_PROGRESS, Status.COMPLETED)
"""The statuses that H and L step through; archiving has a key of its own."""


def next_status(status: Status | None, step: int) -> Status | None:
    """The next (+1) or previous (-1) status; None at the end, for archived cards and for applications."""
    if status not in STATUS_ORDER:
        return None
    place = STATUS_ORDER.index(status) + step
    return STATUS_ORDER[place] if 0 <= place < len(STATUS_ORDER) else None


def bulk_command(
    project_id: Id, cards: Sequence[Target], make: Callable[[Target, bool], Command[Any] | None], *, tasks_first: bool
) -> Command[Any] | None:
    """One command for all cards: the card's own for one, BulkUpdate for several, None if ``make`` returns None for all.

    ``make`` gets a card, and whether to name the version that the user saw. A BulkUpdate does not name it, because a
    card in it can change another one: starting a task starts its activity. ``tasks_first`` puts tasks before
    activities, as an activity is completed after its tasks.
    """
    ordered = sorted(cards, key=lambda card: (card.kind is ItemKind.TASK) != tasks_first)
    return one_step(project_id, [command for card in ordered if (command := make(card, len(cards) == 1))])


def one_step(project_id: Id, commands: Sequence[Command[Any]]) -> Command[Any] | None:
    """Several commands as one step of the history; one command as itself, and None for no command."""
    if len(commands) <= 1:
        return commands[0] if commands else None
    from core.actions.cards.bulk import BulkUpdate

    return BulkUpdate(project_id=project_id, commands=tuple(commands))


def without_own_tasks(cards: Sequence[Target]) -> list[Target]:
    """The cards, without tasks whose activity is among them: a command for the activity includes its tasks."""
    activities_here = {card.id for card in cards if card.kind is ItemKind.ACTIVITY}
    return [card for card in cards if card.kind is not ItemKind.TASK or card.activity_id not in activities_here]


def to_status(card: Target, status: Status | None, *, seen: bool = True) -> Command[Any] | None:
    """The message that gives a card a status, archived included; None if it has that status."""
    if status is card.status:
        return None
    if status is Status.ARCHIVED:
        return ARCHIVE.on(card, seen=seen)
    return RESTORE.on(card, seen=seen) if card.status is Status.ARCHIVED else MOVE.on(card, seen=seen, status=status)


def archive_or_remove(card: Target, seen: bool) -> Command[Any]:
    """The message that archives a card, or removes an application, which cannot be archived."""
    return (REMOVE if card.kind is ItemKind.APPLICATION else ARCHIVE).on(card, seen=seen)


def assign(card: Target, people: Sequence[Id], seen: bool) -> Command[Any]:
    """The message that assigns people to a card; a task, which has one assignee, gets the last of them."""
    if card.kind is ItemKind.TASK:
        return ASSIGN.on(card, seen=seen, assignee_id=people[-1] if people else None)
    return ASSIGN.on(card, seen=seen, member_ids=tuple(people))
