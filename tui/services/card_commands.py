"""Commands about one card or many, whatever its kind: the one place where a screen turns a card into a message."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, NamedTuple, Protocol, cast

from core.domain.model import Id, ItemKind, Status
from core.engine.messages import Command


class Target(Protocol):
    """What cards of the Canvas and items of the core have in common."""

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
"""Where the messages about a card of each kind are. The catalog of all messages takes a tenth of the memory that
Podium needs, and nothing on the screen needs all of them."""


class CardCommand(NamedTuple):
    """A command that each kind of card has: "Set{}DueDate" is ``SetTaskDueDate``, ``SetActivityDueDate`` and so on."""

    name: str

    def on(self, card: Target, *, seen: bool = True, **fields: Any) -> Command[Any]:
        """The message that does it to this card, with the version that was seen."""
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
"""Of an application: what to archive is to a task or an activity."""

STATUS_ORDER = (Status.TO_DO, Status.IN_PROGRESS, Status.COMPLETED)
"""The statuses that H and L step through; to archive is an action of its own."""


def next_status(status: Status | None, step: int) -> Status | None:
    """The status a step further (+1) or back (-1), or None at the end, in the archive and where there is none."""
    if status not in STATUS_ORDER:
        return None
    place = STATUS_ORDER.index(status) + step
    return STATUS_ORDER[place] if 0 <= place < len(STATUS_ORDER) else None


def bulk_command(
    project_id: Id, cards: Sequence[Target], make: Callable[[Target, bool], Command[Any] | None], *, tasks_first: bool
) -> Command[Any] | None:
    """One command for all cards: their own for one, a BulkUpdate for several, None when there is nothing to do.

    Inside a bulk a card's version may already differ through another card of it (starting a task starts its
    activity), so there the version seen is not named. Activities that are completed come after their tasks.
    """
    ordered = sorted(cards, key=lambda card: (card.kind is ItemKind.TASK) != tasks_first)
    return one_step(project_id, [command for card in ordered if (command := make(card, len(cards) == 1))])


def one_step(project_id: Id, commands: Sequence[Command[Any]]) -> Command[Any] | None:
    """Several commands as one step of the history, one as itself, none as None."""
    if len(commands) <= 1:
        return commands[0] if commands else None
    from core.actions.cards.bulk import BulkUpdate

    return BulkUpdate(project_id=project_id, commands=tuple(commands))


def without_own_tasks(cards: Sequence[Target]) -> list[Target]:
    """The cards less the tasks whose activity is among them: what is done to it is done to them."""
    activities_here = {card.id for card in cards if card.kind is ItemKind.ACTIVITY}
    return [card for card in cards if card.kind is not ItemKind.TASK or card.activity_id not in activities_here]


def to_status(card: Target, status: Status | None, *, seen: bool = True) -> Command[Any] | None:
    """The message that brings a card to a status, into the archive and out of it too; None where it has that status."""
    if status is card.status:
        return None
    if status is Status.ARCHIVED:
        return ARCHIVE.on(card, seen=seen)
    return RESTORE.on(card, seen=seen) if card.status is Status.ARCHIVED else MOVE.on(card, seen=seen, status=status)


def archive_or_remove(card: Target, seen: bool) -> Command[Any]:
    """The message that archives a card, or removes it when it is an application, for which there is no archive."""
    return (REMOVE if card.kind is ItemKind.APPLICATION else ARCHIVE).on(card, seen=seen)


def assign(card: Target, people: Sequence[Id], seen: bool) -> Command[Any]:
    """The message that assigns these people to a card; a task takes the last of them."""
    if card.kind is ItemKind.TASK:
        return ASSIGN.on(card, seen=seen, assignee_id=people[-1] if people else None)
    return ASSIGN.on(card, seen=seen, member_ids=tuple(people))
