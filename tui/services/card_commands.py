"""Commands for cards of any kind.

Each function takes the card and ``seen``: True to name the version that the user saw, so that a change made meanwhile
is a conflict. The messages are imported with this module, so handlers import it only when they need it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from typing import Any, TypeAlias

from core.actions.cards.activities import AssignActivity, EditActivity
from core.actions.cards.applications import (
    AssignApplication,
    EditApplication,
    RemoveApplication,
    ReorderApplication,
    SetApplicationDueDate,
)
from core.actions.cards.bulk import BulkUpdate
from core.actions.cards.cards import ArchiveCard, MoveCard, ReorderCard, RestoreCard, SetCardDueDate, SetPriority
from core.actions.cards.labels import SetLabels
from core.actions.cards.tasks import AssignTask, EditTask
from core.domain.model import Id, ItemKind, Priority, Status
from core.engine.messages import Command
from tui.services.cards import Target

Change: TypeAlias = Callable[[Target, bool], Command[Any] | Sequence[Command[Any]] | None]
"""Returns the command for one card, or several, or None for no change. The flag is ``seen``."""


def edit(card: Target, **fields: Any) -> Command[Any]:
    """Change ``title`` and ``description`` of a card, also ``link`` of an activity; of an application ``name``."""
    if card.kind is ItemKind.APPLICATION:
        return EditApplication(application_id=card.id, seen_version=card.version, **fields)
    if card.kind is ItemKind.ACTIVITY:
        return EditActivity(activity_id=card.id, seen_version=card.version, **fields)
    return EditTask(task_id=card.id, seen_version=card.version, **fields)


def move(card: Target, status: Status, *, seen: bool = True) -> Command[Any]:
    """Move a task or an activity to a status."""
    return MoveCard(card_id=card.id, seen_version=_version(card, seen), status=status)


def reorder(card: Target, phase_id: Id, before_id: Id | None = None, *, seen: bool = True) -> Command[Any]:
    """Put a card into a phase, before another card or last."""
    version = _version(card, seen)
    if card.kind is ItemKind.APPLICATION:
        return ReorderApplication(application_id=card.id, seen_version=version, phase_id=phase_id, before_id=before_id)
    return ReorderCard(card_id=card.id, seen_version=version, phase_id=phase_id, before_id=before_id)


def assign(card: Target, people: Sequence[Id], *, seen: bool = True) -> Command[Any]:
    """Assign people to a card; a task takes the last of them."""
    version = _version(card, seen)
    if card.kind is ItemKind.APPLICATION:
        return AssignApplication(application_id=card.id, seen_version=version, member_ids=tuple(people))
    if card.kind is ItemKind.ACTIVITY:
        return AssignActivity(activity_id=card.id, seen_version=version, member_ids=tuple(people))
    return AssignTask(task_id=card.id, seen_version=version, assignee_id=people[-1] if people else None)


def set_due_date(card: Target, due: date | None, *, follow: bool = False, seen: bool = True) -> Command[Any]:
    """Set or clear the due date of a card; with ``follow`` the cards that wait for it move along."""
    version = _version(card, seen)
    if card.kind is ItemKind.APPLICATION:
        return SetApplicationDueDate(application_id=card.id, seen_version=version, due=due)
    return SetCardDueDate(card_id=card.id, seen_version=version, due=due, follow=follow)


def mark(
    card: Target, add: Sequence[str], remove: Sequence[str], priority: Priority | None, *, seen: bool = True
) -> Sequence[Command[Any]]:
    """Put labels on a card and take others off, and set its priority; no command for what stays."""
    if card.kind is ItemKind.APPLICATION:
        return ()
    of_labels = [SetLabels(card_id=card.id, add=tuple(add), remove=tuple(remove))] if add or remove else []
    if priority is None:
        return of_labels
    version = _version(card, seen and not of_labels)  # labels alone raise it
    return [*of_labels, SetPriority(card_id=card.id, priority=priority, seen_version=version)]


def archive(card: Target, *, seen: bool = True) -> Command[Any]:
    """Archive a task or an activity; remove an application, which cannot be archived."""
    version = _version(card, seen)
    if card.kind is ItemKind.APPLICATION:
        return RemoveApplication(application_id=card.id, seen_version=version)
    return ArchiveCard(card_id=card.id, seen_version=version)


def restore(card: Target, *, seen: bool = True) -> Command[Any]:
    """Restore a task or an activity from the archive."""
    return RestoreCard(card_id=card.id, seen_version=_version(card, seen))


def to_status(card: Target, status: Status | None, *, seen: bool = True) -> Command[Any] | None:
    """The command that gives a card a status, archived included; None if it has that status."""
    if status is card.status or status is None:
        return None
    if status is Status.ARCHIVED:
        return archive(card, seen=seen)
    return restore(card, seen=seen) if card.status is Status.ARCHIVED else move(card, status, seen=seen)


def _version(card: Target, seen: bool) -> int | None:
    return card.version if seen else None


def bulk_command(project_id: Id, cards: Sequence[Target], make: Change, *, tasks_first: bool) -> Command[Any] | None:
    """One command for all cards: the card's own for one, BulkUpdate for several, None if ``make`` returns None for all.

    A BulkUpdate does not name versions, because a card in it can change another one: starting a task starts its
    activity. ``tasks_first`` puts tasks before activities, as an activity is completed after its tasks.
    """
    ordered = sorted(cards, key=lambda card: (card.kind is ItemKind.TASK) != tasks_first)
    made = [make(card, len(cards) == 1) for card in ordered]
    return one_step(project_id, [each for found in made if found for each in _as_list(found)])


def _as_list(commands: Command[Any] | Sequence[Command[Any]]) -> Sequence[Command[Any]]:
    return (commands,) if isinstance(commands, Command) else commands


def one_step(project_id: Id, commands: Sequence[Command[Any]], *, atomic: bool = False) -> Command[Any] | None:
    """Several commands as one step of the history; one command as itself, and None for no command."""
    if len(commands) <= 1:
        return commands[0] if commands else None
    return BulkUpdate(project_id=project_id, commands=tuple(commands), atomic=atomic)
