"""Tasks: the smallest pieces of work, in a phase or in an activity of it."""

from __future__ import annotations

from typing import TypeVar

from core.actions.cards.cards import CreateCommand
from core.domain.fields import FieldValue
from core.domain.model import Id, Item, ItemKind, Status
from core.domain.notifications import NotificationKind
from core.domain.permissions import Permission
from core.engine.messages import ProjectQuery
from core.engine.unit_of_work import Snapshot, UnitOfWork
from core.errors import RuleViolation
from core.record import made_from
from core.rules import items
from core.rules.card_fields import card_values, values_statement
from core.rules.items import ItemCommand
from core.rules.labels import label_names
from core.rules.notifications import notify

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


class CreateTask(CreateCommand):
    """Add a task to a phase, or to one of its activities."""

    route = "POST /v1/phases/{phase_id}/tasks"
    permission = Permission.TASK_MANAGE
    activity_id: Id | None = None
    assignee_id: Id | None = None
    task_id: Id | None = None

    def run(self, work: UnitOfWork) -> Item:
        if self.activity_id:
            self._refuse_activity(work)
        if self.assignee_id:
            items.check_assignable(work, work.scope, self.assignee_id)
        task_id = items.chosen_id(work, self.task_id, "task_id")
        assigned = {"activity_id": self.activity_id, "assignee_id": self.assignee_id}
        added = self.add_card(work, ItemKind.TASK, task_id, **assigned)
        _notify_assignee(work, task_id, self.assignee_id)
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
        task = self.find_card(work, self.seen_version)
        title = items.title(self.title) if self.title is not None else task.title
        text = items.description(self.description) if self.description is not None else task.description
        work.say(f"renamed “{task.title}” to “{title}”" if title != task.title else f"described “{title}”")
        return work.update(task, title=title, description=text)


class AssignTask(TaskCommand[Item]):
    """Assign a task to a member, or remove its assignee."""

    route = "POST /v1/tasks/{task_id}/assign"
    assignee_id: Id | None

    def run(self, work: UnitOfWork) -> Item:
        task = self.find_card(work, self.seen_version)
        name = items.check_assignable(work, task.project_id, self.assignee_id) if self.assignee_id else "nobody"
        work.say(f"assigned “{task.title}” to {name}")
        if self.assignee_id != task.assignee_id:
            _notify_assignee(work, task.id, self.assignee_id)
        return work.update(task, assignee_id=self.assignee_id)


def _notify_assignee(work: UnitOfWork, task_id: Id, assignee_id: Id | None) -> None:
    notify(work, NotificationKind.ASSIGNED, task_id, [assignee_id] if assignee_id else [])


class ListedTask(Item):
    """A task with the names of its labels and the values of its custom fields."""

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
