"""Tasks: the smallest pieces of work, in a phase or in an activity of it."""

from __future__ import annotations

from datetime import date
from typing import TypeVar

from core.domain.fields import FieldValue
from core.domain.model import Id, Item, ItemKind, Phase, Priority, Status
from core.domain.notifications import NotificationKind
from core.domain.permissions import Permission
from core.engine.messages import Command, ProjectQuery
from core.engine.unit_of_work import Snapshot, UnitOfWork
from core.errors import RuleViolation
from core.record import made_from
from core.rules import items
from core.rules.card_fields import card_values, values_statement
from core.rules.items import ItemCommand, find_item
from core.rules.labels import label_names, put_labels
from core.rules.notifications import notify
from core.rules.ordering import rank_before

R = TypeVar("R")


class TaskCommand(ItemCommand[R]):
    """A command on one task."""

    kind = ItemKind.TASK
    permission = Permission.TASK_MANAGE
    task_id: Id
    seen_version: int | None = None

    @property
    def item_id(self) -> Id:
        return self.task_id

    def seen(self, work: UnitOfWork) -> Item:
        """Return the task. Raises VersionConflict when it has changed since the sender saw it."""
        return find_item(work, self.task_id, ItemKind.TASK, self.seen_version)


class CreateTask(Command[Item]):
    """Add a task to a phase, or to one of its activities."""

    route = "POST /v1/phases/{phase_id}/tasks"
    permission = Permission.TASK_MANAGE
    creates = True
    phase_id: Id
    title: str
    activity_id: Id | None = None
    assignee_id: Id | None = None
    due: date | None = None
    description: str = ""
    before_id: Id | None = None
    task_id: Id | None = None
    relock: bool = False
    allow_lapse: str = ""
    priority: Priority = Priority.NORMAL
    labels: tuple[str, ...] = ()
    """Labels by their ids or names; a name that no label has becomes a new label of the project."""

    def scope(self, view: Snapshot) -> Id:
        return view.get(Phase, id=self.phase_id).project_id

    def run(self, work: UnitOfWork) -> Item:
        if self.activity_id:
            self._refuse_activity(work)
        if self.assignee_id:
            items.check_assignable(work, work.scope, self.assignee_id)
        rank = rank_before(work, Item, self.before_id, project_id=work.scope, phase_id=self.phase_id)
        task = Item(
            project_id=work.scope,
            id=items.chosen_id(work, self.task_id, "task_id"),
            kind=ItemKind.TASK,
            phase_id=self.phase_id,
            rank=rank,
            title=items.title(self.title),
            activity_id=self.activity_id,
            assignee_id=self.assignee_id,
            due=items.due_date(self.due),
            description=items.description(self.description),
            priority=self.priority,
        )
        added = items.add(work, task, self)
        put_labels(work, added, self.labels)
        _notify_assignee(work, task.id, self.assignee_id)
        return added

    def _refuse_activity(self, work: UnitOfWork) -> None:
        activity = work.get(Item, project_id=work.scope, id=self.activity_id)
        if activity.kind is not ItemKind.ACTIVITY:
            raise RuleViolation(f"“{activity.title}” is a task. Only activities hold tasks.")
        if activity.phase_id != self.phase_id:
            raise RuleViolation(f"“{activity.title}” is in another phase. Create the task there.")
        if activity.status in (Status.COMPLETED, Status.ARCHIVED):
            raise RuleViolation(f"“{activity.title}” is {activity.status.lower()}. Reopen it before adding tasks.")


class EditTask(TaskCommand[Item]):
    """Change the title or the description of a task; fields that are left out stay."""

    route = "PATCH /v1/tasks/{task_id}"
    title: str | None = None
    description: str | None = None

    def run(self, work: UnitOfWork) -> Item:
        task = self.seen(work)
        title = items.title(self.title) if self.title is not None else task.title
        text = items.description(self.description) if self.description is not None else task.description
        work.say(f"renamed “{task.title}” to “{title}”" if title != task.title else f"described “{title}”")
        return work.update(task, title=title, description=text)


class MoveTask(TaskCommand[Item]):
    """Move a task to another status."""

    route = "POST /v1/tasks/{task_id}/move"
    permission = Permission.TASK_MOVE
    status: Status
    relock: bool = False
    allow_lapse: str = ""

    def run(self, work: UnitOfWork) -> Item:
        return items.move(work, self.seen(work), self.status, self)


class ReorderTask(TaskCommand[Item]):
    """Put a task before another card, or last, in this or another phase."""

    route = "POST /v1/tasks/{task_id}/order"
    phase_id: Id
    before_id: Id | None = None
    relock: bool = False
    allow_lapse: str = ""

    def run(self, work: UnitOfWork) -> Item:
        return items.place(work, self.seen(work), self.phase_id, self.before_id, self)


class AssignTask(TaskCommand[Item]):
    """Assign a task to a member, or remove its assignee."""

    route = "POST /v1/tasks/{task_id}/assign"
    assignee_id: Id | None

    def run(self, work: UnitOfWork) -> Item:
        task = self.seen(work)
        name = items.check_assignable(work, task.project_id, self.assignee_id) if self.assignee_id else "nobody"
        work.say(f"assigned “{task.title}” to {name}")
        if self.assignee_id != task.assignee_id:
            _notify_assignee(work, task.id, self.assignee_id)
        return work.update(task, assignee_id=self.assignee_id)


def _notify_assignee(work: UnitOfWork, task_id: Id, assignee_id: Id | None) -> None:
    notify(work, NotificationKind.ASSIGNED, task_id, [assignee_id] if assignee_id else [])


class SetTaskDueDate(TaskCommand[Item]):
    """Set the due date of a task, or remove it. Cards that wait for it can follow.

    Each open card of the project that waits for it, directly or through others, is then due at least its lag later.
    """

    route = "POST /v1/tasks/{task_id}/due-date"
    due: date | None
    follow: bool = False

    def run(self, work: UnitOfWork) -> Item:
        return items.schedule(work, self.seen(work), self.due, self.follow)


class ArchiveTask(TaskCommand[Item]):
    """Archive a task; Restore brings it back."""

    route = "POST /v1/tasks/{task_id}/archive"
    held_key = True

    def run(self, work: UnitOfWork) -> Item:
        return items.archive(work, self.seen(work))


class RestoreTask(TaskCommand[Item]):
    """Restore an archived task to the status that it had."""

    route = "POST /v1/tasks/{task_id}/restore"
    relock: bool = False
    allow_lapse: str = ""

    def run(self, work: UnitOfWork) -> Item:
        return items.restore(work, self.seen(work), self)


class DeleteTask(TaskCommand[None]):
    """Delete an archived task for good. This cannot be undone."""

    route = "DELETE /v1/tasks/{task_id}"
    permission = Permission.PROJECT_DELETE
    undoable = False
    relock: bool = False
    allow_lapse: str = ""

    def run(self, work: UnitOfWork) -> None:
        items.delete(work, self.seen(work), self)


class ListedTask(Item):
    """A task with the names of its labels and the values of its own fields."""

    labels: tuple[str, ...] = ()
    fields: tuple[FieldValue, ...] = ()


class ListTasks(ProjectQuery[tuple[ListedTask, ...]]):
    """List the tasks of a project in their order; archived ones only with ``archived``."""

    route = "GET /v1/projects/{project_id}/tasks"
    permission = Permission.PROJECT_VIEW
    archived: bool = False

    def run(self, view: Snapshot) -> tuple[ListedTask, ...]:
        condition = "" if self.archived else " AND status <> 'ARCHIVED'"
        where = f"project_id = :project_id AND kind = 'TASK'{condition} ORDER BY phase_id, rank, id"
        labels = label_names(view, self.project_id)
        sql, params = values_statement(self.project_id)
        values = card_values(view.tx.tuples(sql, **params))
        return tuple(
            made_from(ListedTask, task, labels=labels.get(task.id, ()), fields=values.get(task.id, ()))
            for task in view.all(Item, where, project_id=self.project_id)
        )
