"""Rules that several messages about tasks and activities share: finding one, its texts and dates, what it holds."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from datetime import date
from typing import ClassVar, TypeVar

from core.domain.fields import ItemField
from core.domain.max_lengths import CARD_TITLE
from core.domain.model import Assignment, Id, Item, ItemKind, Member, Phase, Status, User
from core.domain.phase_states import blocker
from core.domain.products.products import Application
from core.domain.statuses import CLOSED
from core.engine.messages import Command
from core.engine.project_guard import owners
from core.engine.unit_of_work import Snapshot, UnitOfWork, check_version, new_id
from core.errors import OBSTACLES_LISTED, InvalidInput, NotFound, RuleViolation
from core.rules.ordering import rank_before
from core.storage.database import batches, placeholders
from core.text.dates import FIRST_YEAR, LAST_YEAR
from core.text.phrases import ULID_FORM, no_such
from core.text.sanitize import many_lines, one_line

R = TypeVar("R")

REORDERED = "reordered"
"""The verb of a card that has only another place within its phase."""

EARLIEST_DUE, LATEST_DUE = date(FIRST_YEAR, 1, 1), date(LAST_YEAR, 12, 31)


class ItemCommand(Command[R]):
    """The base of commands on one task or activity."""

    kind: ClassVar[ItemKind | None] = None
    """The kind of card that it is about; None for both."""

    @property
    @abstractmethod
    def item_id(self) -> Id:
        """The id of the task or activity."""

    def scope(self, view: Snapshot) -> Id:
        return self.find_card(view).project_id

    def find_card(self, view: Snapshot, seen_version: int | None = None) -> Item:
        """Return the task or activity. Raises NotFound, or VersionConflict if it changed since the sender saw it."""
        return find_item(view, self.item_id, self.kind, seen_version)


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
    """Return the title of a card as it is stored. Raises InvalidInput."""
    return one_line(text, "title", most=CARD_TITLE)


def description(text: str) -> str:
    """Return the description of a card as it is stored. Raises InvalidInput."""
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


def application_of(view: Snapshot, activity: Item) -> Application | None:
    """Return the application of an activity, or None."""
    return view.find(Application, project_id=activity.project_id, activity_id=activity.id)


def move_applications(work: UnitOfWork, moved: Mapping[Id, Id]) -> None:
    """Put the applications of activities last in the phases that these have moved to, which are given by activity."""
    for part in batches(list(moved)):
        chosen, params = placeholders(part)
        where = f"project_id = :project_id AND activity_id IN {chosen} ORDER BY phase_id, rank, id"
        for held in work.all(Application, where, project_id=work.scope, **params):
            phase_id = moved[held.activity_id or ""]
            place_last = rank_before(work, Application, None, project_id=work.scope, phase_id=phase_id)
            work.update(held, phase_id=phase_id, rank=place_last)


def archive(work: UnitOfWork, item: Item) -> Item:
    """Archive an item, and with an activity its tasks; each remembers its status.

    The application of an activity does not change: it has no status, and can still be launched.
    """
    if item.status is Status.ARCHIVED:
        return item
    for task in tasks_of(work, item):
        if task.status is not Status.ARCHIVED:
            work.update(task, status=Status.ARCHIVED, archived_from=task.status, archived_with=item.id)
    work.say(f"archived “{item.title}”")
    return work.update(item, status=Status.ARCHIVED, archived_from=item.status)


def remove_application(work: UnitOfWork, application: Application) -> None:
    """Remove an application with its assignments."""
    unassign(work, application)
    work.delete(application)


def unassign(work: UnitOfWork, target: Item | Application) -> None:
    """Remove the assignments of a task, an activity or an application."""
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
    """Return the values of the custom fields of a card."""
    return view.all(ItemField, "project_id = :p AND item_id = :item", p=item.project_id, item=item.id)


def tasks_of(view: Snapshot, activity: Item) -> list[Item]:
    """Return the tasks of an activity, in order, including archived ones. A task has none, and nothing is read."""
    if activity.kind is not ItemKind.ACTIVITY:
        return []
    return view.all(
        Item,
        "project_id = :project_id AND activity_id = :activity_id ORDER BY rank, id",
        project_id=activity.project_id,
        activity_id=activity.id,
    )
