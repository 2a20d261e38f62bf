"""Messages about a task or an activity alike: creation, status, place, due date, priority, archive."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from datetime import date
from typing import Any, TypeVar

from core.domain.fields import ItemField
from core.domain.labels import ItemLabel
from core.domain.model import Comment, Id, Item, ItemKind, Phase, Priority, Status
from core.domain.origins import CardOrigin
from core.domain.permissions import CHANGING_CARDS, Permission
from core.domain.statuses import CLOSED, STATUS_WORDS, TRANSITIONS
from core.engine.messages import Command
from core.engine.unit_of_work import Snapshot, UnitOfWork
from core.errors import InvalidInput, RuleViolation
from core.record import replace
from core.rules import items
from core.rules.approvals import confirm_reopening, end_votes
from core.rules.dependencies import NEEDS_NO_BLOCKERS, check_not_blocked, is_blocked, move_waiting
from core.rules.dependency_cycles import check_cards_still_in_order, dependencies_of
from core.rules.gate_conditions import check_completed, follow_conditions
from core.rules.gate_readiness import check_not_locked
from core.rules.items import REORDERED, ItemCommand, tasks_of
from core.rules.labels import put_labels
from core.rules.ordering import rank_before, ranks_before
from core.rules.phases import read_workflow
from core.text.phrases import count, in_words

R = TypeVar("R")


class CreateCommand(Command[Item]):
    """A command that adds a task or an activity to a phase."""

    creates = True
    phase_id: Id
    title: str
    due: date | None = None
    description: str = ""
    before_id: Id | None = None
    relock: bool = False
    allow_lapse: str = ""
    priority: Priority = Priority.NORMAL
    labels: tuple[str, ...] = ()
    """Labels by their ids or names; a name that no label has becomes a new label of the project."""

    def scope(self, view: Snapshot) -> Id:
        return view.get(Phase, id=self.phase_id).project_id

    def add_card(self, work: UnitOfWork, kind: ItemKind, card_id: Id, **more: Any) -> Item:
        """Insert the card with its labels, which reopens its phase. Returns it with its number."""
        new = Item(
            project_id=work.scope,
            id=card_id,
            kind=kind,
            phase_id=self.phase_id,
            rank=rank_before(work, Item, self.before_id, project_id=work.scope, phase_id=self.phase_id),
            title=items.title(self.title),
            due=items.due_date(self.due),
            description=items.description(self.description),
            priority=self.priority,
            **more,
        )
        with confirm_reopening(work, work.scope, self):
            added = work.insert(new)
        work.say(f"added the {kind.lower()} “{added.title}”")
        put_labels(work, added, self.labels)
        return added


class CardCommand(ItemCommand[R]):
    """A command on one task or activity, regardless of which of the two it is."""

    permission = Permission.TASK_MANAGE
    card_id: Id
    seen_version: int | None = None

    @property
    def item_id(self) -> Id:
        return self.card_id


class ManageCommand(CardCommand[R]):
    """A command that takes the permission to manage cards of its kind."""

    def needs(self, view: Snapshot) -> Permission:
        return CHANGING_CARDS[self.find_card(view).kind]


class MoveCard(CardCommand[Item]):
    """Move a task or an activity to another status.

    Starting a task starts its activity. Refused are moves that ``TRANSITIONS`` does not have, into a locked phase, of
    an activity with open tasks to completed, and of a card that waits for an open one.
    """

    route = "POST /v1/items/{card_id}/move"
    permission = Permission.TASK_MOVE
    status: Status
    relock: bool = False
    allow_lapse: str = ""

    def run(self, work: UnitOfWork) -> Item:
        item, status = self.find_card(work, self.seen_version), self.status
        if status is item.status:
            return item
        if status is Status.ARCHIVED:
            raise InvalidInput("status", "Archived is not a status to move to. Archive the card instead.")
        if status not in TRANSITIONS[item.status]:
            raise RuleViolation(f"“{item.title}” is archived. Restore it first.")
        check_not_locked(work, item, status)
        check_not_blocked(work, item, status)
        if status is Status.COMPLETED:
            items.check_no_open_tasks(work, item)
            check_completed(work, [item])
        first = len(work.changes)
        with confirm_reopening(work, item.project_id, self) if item.status in CLOSED else nullcontext():
            moved = work.update(item, status=status)
            if item.activity_id and status not in CLOSED:
                _carry_activity(work, moved)
        if status in CLOSED:
            end_votes(work, work.changes[first:])
        work.say(f"{_verb(item.status, status)} “{item.title}”")
        return moved


def _verb(before: Status, after: Status) -> str:
    if after is Status.COMPLETED:
        return "completed"
    if before is Status.COMPLETED:
        return "reopened"
    return "started" if after is Status.IN_PROGRESS else "put back"


def _carry_activity(work: UnitOfWork, task: Item) -> None:
    """Starting a task starts its To Do activity; an open task reopens its Completed activity.

    Otherwise a Completed activity would have an open task, which no move allows. In a locked phase, or while it waits
    for an open card, it reopens to To Do, because nothing enters In Progress then.
    """
    activity = work.get(Item, project_id=task.project_id, id=task.activity_id)
    if activity.status is Status.COMPLETED or (activity.status is Status.TO_DO and task.status is Status.IN_PROGRESS):
        refused = read_workflow(work, task.project_id).refuses(task.phase_id, Status.IN_PROGRESS)
        refused = refused or is_blocked(work, activity)
        work.update(activity, status=Status.TO_DO if refused else Status.IN_PROGRESS)


class ReorderCard(ManageCommand[Item]):
    """Put a task or an activity before another card, or last, in this or another phase.

    An activity, which needs ``ACTIVITY_MANAGE``, takes its tasks and its application along. A task that leaves the
    phase of its activity leaves the activity too.
    """

    route = "POST /v1/items/{card_id}/order"
    phase_id: Id
    before_id: Id | None = None
    relock: bool = False
    allow_lapse: str = ""

    def run(self, work: UnitOfWork) -> Item:
        item = self.find_card(work, self.seen_version)
        phase = work.get(Phase, project_id=item.project_id, id=self.phase_id)
        if self.before_id == item.id and phase.id == item.phase_id:
            return item
        rank = rank_before(work, Item, self.before_id, project_id=item.project_id, phase_id=phase.id)
        item = work.get(Item, project_id=item.project_id, id=item.id)  # again, because that can give it another rank
        if phase.id == item.phase_id:
            work.say(f"{REORDERED} “{item.title}”")
            return work.update(item, rank=rank)
        with confirm_reopening(work, item.project_id, self) as end_approvals:
            moved = _change_phase(work, item, phase, rank, end_approvals)
        work.say(f"moved “{item.title}” to phase “{phase.name}”")
        return moved


def _change_phase(work: UnitOfWork, item: Item, phase: Phase, rank: str, end_approvals: Callable[[], None]) -> Item:
    was = read_workflow(work, item.project_id).state(phase.id)
    tasks = tasks_of(work, item)
    moved = work.update(item, phase_id=phase.id, rank=rank, activity_id=None)
    places = ranks_before(work, Item, None, len(tasks), project_id=item.project_id, phase_id=phase.id) if tasks else []
    for task, place_last in zip(tasks, places, strict=True):
        work.update(task, phase_id=phase.id, rank=place_last)
    if item.kind is ItemKind.ACTIVITY:
        items.move_applications(work, {item.id: phase.id})
    end_approvals()
    of_each_status = {each.status: each for each in reversed((moved, *tasks))}
    for each in reversed(of_each_status.values()):  # checked last: the move may have closed the phase before this one
        check_not_locked(work, replace(each, phase_id=phase.id), each.status, was)
    check_cards_still_in_order(work, (moved, *tasks))
    return moved


class SetCardDueDate(ManageCommand[Item]):
    """Set the due date of a task or an activity, or remove it. Cards that wait for it can follow.

    Each open card of the project that waits for it, directly or through others, is then due at least its lag later. An
    activity needs ``ACTIVITY_MANAGE``.
    """

    route = "POST /v1/items/{card_id}/due-date"
    due: date | None
    follow: bool = False

    def run(self, work: UnitOfWork) -> Item:
        item, due = self.find_card(work, self.seen_version), items.due_date(self.due)
        scheduled = work.update(item, due=due)
        moved = move_waiting(work, scheduled) if self.follow else []
        for each in moved:
            items.due_date(each.due)
        along = f", and moved {count(len(moved), 'card')} that {'waits' if len(moved) == 1 else 'wait'} for it"
        said = f"set “{item.title}” due {due}" if due else f"removed the due date of “{item.title}”"
        work.say(said + (along if moved else ""))
        return scheduled


class SetPriority(CardCommand[Item]):
    """Set the priority of a task or an activity."""

    route = "POST /v1/items/{card_id}/priority"
    priority: Priority

    def run(self, work: UnitOfWork) -> Item:
        item = self.find_card(work, self.seen_version)
        work.say(f"set the priority of “{item.title}” to {in_words(self.priority)}")
        return work.update(item, priority=self.priority)


class ArchiveCard(ManageCommand[Item]):
    """Archive a task, or an activity and its tasks; Restore brings them back.

    The application of an activity stays where it is and can still be launched. An activity needs ``ACTIVITY_MANAGE``.
    """

    route = "POST /v1/items/{card_id}/archive"
    held_key = True

    def run(self, work: UnitOfWork) -> Item:
        first = len(work.changes)
        archived = items.archive(work, self.find_card(work, self.seen_version))
        follow_conditions(work, work.changes[first:])
        end_votes(work, work.changes[first:])
        return archived


class RestoreCard(ManageCommand[Item]):
    """Restore an archived task or activity to the status that it had, with the tasks that were archived with it.

    A task of an archived activity can be restored only after its activity. An activity needs ``ACTIVITY_MANAGE``.
    """

    route = "POST /v1/items/{card_id}/restore"
    relock: bool = False
    allow_lapse: str = ""

    def run(self, work: UnitOfWork) -> Item:
        item = self.find_card(work, self.seen_version)
        if item.status is not Status.ARCHIVED:
            return item
        if item.activity_id:
            activity = work.get(Item, project_id=item.project_id, id=item.activity_id)
            if activity.status is Status.ARCHIVED:
                belongs = f"“{item.title}” belongs to “{activity.title}”, which is archived."
                raise RuleViolation(f"{belongs} Restore that first.")
        with confirm_reopening(work, item.project_id, self):
            restored = _restore(work, [item])[0]
            _restore(work, [task for task in tasks_of(work, item) if task.archived_with == item.id])
        work.say(f"restored “{item.title}” to {STATUS_WORDS[restored.status]}")
        return restored


def _restore(work: UnitOfWork, cards: Sequence[Item]) -> list[Item]:
    """Restore to the remembered status; to To Do where the phase is locked for that status, or the card is blocked.

    All cards are in one phase, and in one activity or none, so the consequences of an open card are applied only once
    for each status.
    """
    refused: dict[Status, bool] = {}
    opened: set[Status] = set()
    found: list[Item] = []
    for card in cards:
        status = card.archived_from or Status.TO_DO
        if status not in refused:
            refused[status] = read_workflow(work, card.project_id).refuses(card.phase_id, status)
        if refused[status] or (status in NEEDS_NO_BLOCKERS and is_blocked(work, card)):
            status = Status.TO_DO
        restored = work.update(card, status=status, archived_from=None, archived_with=None)
        found.append(restored)
        if status not in CLOSED and status not in opened:
            opened.add(status)
            if card.activity_id:
                _carry_activity(work, restored)
            refused.clear()
    return found


class DeleteCard(CardCommand[None]):
    """Delete an archived task, or activity with its tasks and application, for good. This cannot be undone.

    Their comments go along, and no other card waits for them any more. The launches of an application stay in the
    history. A phase without cards is complete only by an approval.
    """

    route = "DELETE /v1/items/{card_id}"
    permission = Permission.PROJECT_DELETE
    undoable = False
    relock: bool = False
    allow_lapse: str = ""

    def run(self, work: UnitOfWork) -> None:
        item = self.find_card(work, self.seen_version)
        if item.status is not Status.ARCHIVED:
            not_yet = f"“{item.title}” is not archived."
            raise RuleViolation(f"{not_yet} Archive it first; only then can it be deleted for good.")
        with confirm_reopening(work, item.project_id, self):
            for task in tasks_of(work, item):
                _delete(work, task)
            held = items.application_of(work, item)
            if held:
                items.remove_application(work, held)
            _delete(work, item)
        work.say(f"deleted “{item.title}” for good")


def _delete(work: UnitOfWork, item: Item) -> None:
    for record in (ItemLabel, Comment, ItemField, CardOrigin):
        for each in work.all(record, "project_id = :p AND item_id = :item", p=item.project_id, item=item.id):
            work.delete(each)
    for dependency in dependencies_of(work, item):
        if dependency.project_id == item.project_id:  # one of another project stays, and blocks nothing
            work.delete(dependency)
    items.unassign(work, item)
    work.delete(item)
