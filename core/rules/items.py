"""Rules of both tasks and activities: create, move, reorder, set a due date, archive, delete.

The messages are in ``tasks.py`` and ``activities.py``; each names its own permission.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from datetime import date
from typing import ClassVar, TypeVar

from core.domain.fields import ItemField
from core.domain.labels import ItemLabel
from core.domain.max_lengths import CARD_TITLE
from core.domain.model import Assignment, Comment, Id, Item, ItemKind, Member, Phase, Status, User
from core.domain.products.products import Application
from core.domain.statuses import CLOSED, STATUS_WORDS, TRANSITIONS
from core.domain.workflow import blocker
from core.engine.messages import Command
from core.engine.project_guard import owners
from core.engine.unit_of_work import Snapshot, UnitOfWork, check_version, new_id
from core.errors import OBSTACLES_LISTED, InvalidInput, NotFound, RuleViolation
from core.record import replace
from core.rules.approvals import Consent, confirm_reopening
from core.rules.dependencies import NEEDS_NO_BLOCKERS, check_not_blocked, is_blocked, move_waiting
from core.rules.dependency_cycles import check_cards_still_in_order, dependencies_of
from core.rules.gate_readiness import check_not_locked
from core.rules.ordering import rank_before, ranks_before
from core.rules.phases import read_workflow
from core.text.dates import FIRST_YEAR, LAST_YEAR
from core.text.phrases import ULID_FORM, count, no_such
from core.text.sanitize import many_lines, one_line

R = TypeVar("R")

REORDERED = "reordered"
"""The verb of a card that has only another place within its phase."""

EARLIEST_DUE, LATEST_DUE = date(FIRST_YEAR, 1, 1), date(LAST_YEAR, 12, 31)


class ItemCommand(Command[R]):
    """The base of commands on one task or activity."""

    kind: ClassVar[ItemKind | None]
    """The kind of card that it is about; None for both."""

    @property
    @abstractmethod
    def item_id(self) -> Id:
        """The id of the task or activity."""

    def scope(self, view: Snapshot) -> Id:
        return find_item(view, self.item_id, self.kind).project_id


def find_item(view: Snapshot, item_id: Id, kind: ItemKind | None, seen_version: int | None = None) -> Item:
    """Return the task or activity with this id. Raises NotFound, also when the item is of the other ``kind``."""
    item = view.find(Item, id=item_id)
    if item is None or (kind is not None and item.kind is not kind):
        raise NotFound(no_such(kind.lower() if kind else "card", item_id))
    return check_version(view, item, seen_version)


def chosen_id(work: UnitOfWork, chosen: Id | None, field: str) -> Id:
    """Return the id that the sender chose for a new item, else a new id. Raises InvalidInput for an unusable one."""
    if chosen is None:
        return new_id()
    if not ULID_FORM.fullmatch(chosen) or work.find(Item, id=chosen) is not None:
        raise InvalidInput(
            field, "The id for the new card is not a ULID, or it is taken. Leave it out to get a new one."
        )
    return chosen


def title(text: str) -> str:
    return one_line(text, "title", most=CARD_TITLE)


def description(text: str) -> str:
    return many_lines(text, "description")


def due_date(due: date | None) -> date | None:
    """Return a due date. Raises InvalidInput outside the years 2000 to 2199, which are typing mistakes."""
    if due is not None and not EARLIEST_DUE <= due <= LATEST_DUE:
        raise InvalidInput("due", f"The due date {due} is out of range. Choose a date from 2000 to 2199.")
    return due


def check_assignable(view: Snapshot, project_id: Id, user_id: Id) -> str:
    """Return the name of an active member, who can be assigned. Raises RuleViolation for other users."""
    user = view.get(User, id=user_id)
    if view.find(Member, project_id=project_id, user_id=user_id) is None:
        raise RuleViolation("Only members of this project can be assigned. Invite them first, then assign.")
    if not user.active:
        raise RuleViolation(f"{user.name} is no longer active in this workspace. Assign another member.")
    return user.name


def add(work: UnitOfWork, item: Item, consent: Consent) -> Item:
    """Insert a new item, which reopens its phase. Returns it with its number."""
    with confirm_reopening(work, item.project_id, consent):
        added = work.insert(item)
    work.say(f"added the {item.kind.lower()} “{item.title}”")
    return added


def move(work: UnitOfWork, item: Item, status: Status, consent: Consent) -> Item:
    """Move an item to another status. Starting a task starts its activity.

    Raises RuleViolation for a move that ``TRANSITIONS`` does not allow, in a locked phase, with open tasks, or while it
    waits for an open card.
    """
    if status is item.status:
        return item
    if status is Status.ARCHIVED:
        raise InvalidInput("status", "Archived is not a status to move to. Archive the card instead.")
    if status not in TRANSITIONS[item.status]:
        raise RuleViolation(f"“{item.title}” is archived. Restore it first.")
    check_not_locked(work, item, status)
    check_not_blocked(work, item, status)
    if item.kind is ItemKind.ACTIVITY and status is Status.COMPLETED:
        check_no_open_tasks(work, item)
    with confirm_reopening(work, item.project_id, consent) if item.status in CLOSED else nullcontext():
        moved = work.update(item, status=status)
        if item.activity_id and status not in CLOSED:
            _carry_activity(work, moved)
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


def place(work: UnitOfWork, item: Item, phase_id: Id, before_id: Id | None, consent: Consent) -> Item:
    """Put an item before another one, or last if ``before_id`` is None, in its own or another phase.

    An activity takes its tasks and its application along. A task that leaves the phase of its activity leaves the
    activity too.
    """
    phase = work.get(Phase, project_id=item.project_id, id=phase_id)
    if before_id == item.id and phase_id == item.phase_id:
        return item
    rank = rank_before(work, Item, before_id, project_id=item.project_id, phase_id=phase_id)
    item = work.get(Item, project_id=item.project_id, id=item.id)
    if phase_id == item.phase_id:
        work.say(f"{REORDERED} “{item.title}”")
        return work.update(item, rank=rank)
    with confirm_reopening(work, item.project_id, consent) as end_approvals:
        moved = _change_phase(work, item, phase, rank, end_approvals)
    work.say(f"moved “{item.title}” to phase “{phase.name}”")
    return moved


def _change_phase(work: UnitOfWork, item: Item, phase: Phase, rank: str, end_approvals: Callable[[], None]) -> Item:
    was = read_workflow(work, item.project_id).state(phase.id)
    tasks = tasks_of(work, item) if item.kind is ItemKind.ACTIVITY else []
    moved = work.update(item, phase_id=phase.id, rank=rank, activity_id=None)
    places = ranks_before(work, Item, None, len(tasks), project_id=item.project_id, phase_id=phase.id) if tasks else []
    for task, place_last in zip(tasks, places, strict=True):
        work.update(task, phase_id=phase.id, rank=place_last)
    if item.kind is ItemKind.ACTIVITY:
        _take_application_along(work, item, phase)
    end_approvals()
    of_each_status = {each.status: each for each in reversed((moved, *tasks))}
    for each in reversed(of_each_status.values()):  # checked last: the move may have closed the phase before this one
        check_not_locked(work, replace(each, phase_id=phase.id), each.status, was)
    check_cards_still_in_order(work, (moved, *tasks))
    return moved


def _take_application_along(work: UnitOfWork, activity: Item, phase: Phase) -> None:
    held = application_of(work, activity)
    if held:
        place_last = rank_before(work, Application, None, project_id=activity.project_id, phase_id=phase.id)
        work.update(held, phase_id=phase.id, rank=place_last)


def application_of(view: Snapshot, activity: Item) -> Application | None:
    """Return the application of an activity, or None."""
    return view.find(Application, project_id=activity.project_id, activity_id=activity.id)


def schedule(work: UnitOfWork, item: Item, due: date | None, follow: bool = False) -> Item:
    """Set the due date of an item, or remove it with None. With ``follow`` the cards that wait for it move along."""
    scheduled = work.update(item, due=due_date(due))
    moved = move_waiting(work, scheduled) if follow else []
    for each in moved:
        due_date(each.due)
    along = f", and moved {count(len(moved), 'card')} that {'waits' if len(moved) == 1 else 'wait'} for it"
    said = f"set “{item.title}” due {due}" if due else f"removed the due date of “{item.title}”"
    work.say(said + (along if moved else ""))
    return scheduled


def archive(work: UnitOfWork, item: Item) -> Item:
    """Archive an item, and with an activity its tasks; each remembers its status.

    The application of an activity does not change: it has no status, and can still be launched.
    """
    if item.status is Status.ARCHIVED:
        return item
    for task in tasks_of(work, item) if item.kind is ItemKind.ACTIVITY else []:
        if task.status is not Status.ARCHIVED:
            work.update(task, status=Status.ARCHIVED, archived_from=task.status, archived_with=item.id)
    work.say(f"archived “{item.title}”")
    return work.update(item, status=Status.ARCHIVED, archived_from=item.status)


def restore(work: UnitOfWork, item: Item, consent: Consent) -> Item:
    """Restore an item to the status that it had, and with an activity the tasks that were archived with it.

    A task of an archived activity can be restored only after its activity.
    """
    if item.status is not Status.ARCHIVED:
        return item
    if item.activity_id:
        _refuse_under_archived(work, item)
    with confirm_reopening(work, item.project_id, consent):
        restored = _restore(work, [item])[0]
        tasks = tasks_of(work, item) if item.kind is ItemKind.ACTIVITY else []
        _restore(work, [task for task in tasks if task.archived_with == item.id])
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


def _refuse_under_archived(work: UnitOfWork, task: Item) -> None:
    activity = work.get(Item, project_id=task.project_id, id=task.activity_id)
    if activity.status is Status.ARCHIVED:
        raise RuleViolation(f"“{task.title}” belongs to “{activity.title}”, which is archived. Restore that first.")


def delete(work: UnitOfWork, item: Item, consent: Consent) -> None:
    """Delete an archived item for good, with its comments; with an activity also its tasks and its application.

    No other card waits for it any more. An application is removed with its assignments; its launches stay in the
    history. A phase without cards is complete only by an approval.
    """
    if item.status is not Status.ARCHIVED:
        raise RuleViolation(f"“{item.title}” is not archived. Archive it first; only then can it be deleted for good.")
    with confirm_reopening(work, item.project_id, consent):
        for task in tasks_of(work, item) if item.kind is ItemKind.ACTIVITY else []:
            _delete(work, task)
        held = application_of(work, item)
        if held:
            remove_application(work, held)
        _delete(work, item)
    work.say(f"deleted “{item.title}” for good")


def _delete(work: UnitOfWork, item: Item) -> None:
    for label in work.all(ItemLabel, "project_id = :p AND item_id = :item", p=item.project_id, item=item.id):
        work.delete(label)
    for comment in work.all(Comment, "project_id = :p AND item_id = :item", p=item.project_id, item=item.id):
        work.delete(comment)
    for value in values_of(work, item):
        work.delete(value)
    for dependency in dependencies_of(work, item):
        if dependency.project_id == item.project_id:  # one of another project stays, and blocks nothing
            work.delete(dependency)
    _unassign(work, item)
    work.delete(item)


def remove_application(work: UnitOfWork, application: Application) -> None:
    """Remove an application with its assignments."""
    _unassign(work, application)
    work.delete(application)


def _unassign(work: UnitOfWork, target: Item | Application) -> None:
    where = "project_id = :project_id AND target_id = :target_id"
    for assignment in work.all(Assignment, where, project_id=target.project_id, target_id=target.id):
        work.delete(assignment)


def open_tasks_refusal(activity: Item, number: int) -> str:
    """The sentence for an activity that a number of open tasks keeps from being completed."""
    tasks = "one task is" if number == 1 else f"{number} tasks are"
    return f"“{activity.title}” cannot be completed: {tasks} still open in it."


def check_no_open_tasks(view: Snapshot, activity: Item) -> None:
    """Raise RuleViolation if an activity has a task that is neither Completed nor Archived: it cannot be Completed."""
    tasks = [task for task in tasks_of(view, activity) if task.status not in CLOSED]
    if not tasks:
        return
    phase = view.get(Phase, project_id=activity.project_id, id=activity.phase_id)
    raise RuleViolation(
        open_tasks_refusal(activity, len(tasks)),
        blockers=tuple(blocker(task, phase) for task in tasks[:OBSTACLES_LISTED]),
        who_can=owners(view, activity.project_id),
    )


def values_of(view: Snapshot, item: Item) -> list[ItemField]:
    """Return the values of the own fields of a card."""
    return view.all(ItemField, "project_id = :p AND item_id = :item", p=item.project_id, item=item.id)


def tasks_of(view: Snapshot, activity: Item) -> list[Item]:
    """Return the tasks of an activity, in order, including archived ones."""
    return view.all(
        Item,
        "project_id = :project_id AND activity_id = :activity_id ORDER BY rank, id",
        project_id=activity.project_id,
        activity_id=activity.id,
    )
