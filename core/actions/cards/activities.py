"""Activities: work items that hold tasks, a link, and any number of assigned members."""

from __future__ import annotations

from datetime import date
from typing import TypeVar

from core.domain.model import Id, Item, ItemKind, Phase, Priority, Status
from core.domain.permissions import Permission
from core.engine.messages import Command
from core.engine.unit_of_work import Snapshot, UnitOfWork
from core.rules import items
from core.rules.assignments import assign
from core.rules.items import ItemCommand, find_item
from core.rules.labels import put_labels
from core.rules.ordering import rank_before
from core.text.sanitize import link as accepted_link

R = TypeVar("R")


class ActivityCommand(ItemCommand[R]):
    """A command on one activity."""

    kind = ItemKind.ACTIVITY
    permission = Permission.ACTIVITY_MANAGE
    activity_id: Id
    seen_version: int | None = None

    @property
    def item_id(self) -> Id:
        return self.activity_id

    def seen(self, work: UnitOfWork) -> Item:
        """Return the activity. Raises VersionConflict when it has changed since the sender saw it."""
        return find_item(work, self.activity_id, ItemKind.ACTIVITY, self.seen_version)


class CreateActivity(Command[Item]):
    """Add an activity to a phase."""

    route = "POST /v1/phases/{phase_id}/activities"
    permission = Permission.ACTIVITY_MANAGE
    creates = True
    phase_id: Id
    title: str
    due: date | None = None
    description: str = ""
    link: str = ""
    member_ids: tuple[Id, ...] = ()
    before_id: Id | None = None
    activity_id: Id | None = None
    relock: bool = False
    allow_lapse: str = ""
    priority: Priority = Priority.NORMAL
    labels: tuple[str, ...] = ()
    """Labels by their ids or names; a name that no label has becomes a new label of the project."""

    def scope(self, view: Snapshot) -> Id:
        return view.get(Phase, id=self.phase_id).project_id

    def run(self, work: UnitOfWork) -> Item:
        rank = rank_before(work, Item, self.before_id, project_id=work.scope, phase_id=self.phase_id)
        activity = Item(
            project_id=work.scope,
            id=items.chosen_id(work, self.activity_id, "activity_id"),
            kind=ItemKind.ACTIVITY,
            phase_id=self.phase_id,
            rank=rank,
            title=items.title(self.title),
            due=items.due_date(self.due),
            description=items.description(self.description),
            priority=self.priority,
            link=accepted_link(self.link),
        )
        added = items.add(work, activity, self)
        put_labels(work, added, self.labels)
        return assign(work, added, self.member_ids)[0]


class EditActivity(ActivityCommand[Item]):
    """Change the title, the description or the link of an activity; fields that are left out stay."""

    route = "PATCH /v1/activities/{activity_id}"
    title: str | None = None
    description: str | None = None
    link: str | None = None

    def run(self, work: UnitOfWork) -> Item:
        activity = self.seen(work)
        title = items.title(self.title) if self.title is not None else activity.title
        text = items.description(self.description) if self.description is not None else activity.description
        link = accepted_link(self.link) if self.link is not None else activity.link
        work.say(f"renamed “{activity.title}” to “{title}”" if title != activity.title else f"edited “{title}”")
        return work.update(activity, title=title, description=text, link=link)


class MoveActivity(ActivityCommand[Item]):
    """Move an activity to another status."""

    route = "POST /v1/activities/{activity_id}/move"
    permission = Permission.TASK_MOVE
    status: Status
    relock: bool = False
    allow_lapse: str = ""

    def run(self, work: UnitOfWork) -> Item:
        return items.move(work, self.seen(work), self.status, self)


class ReorderActivity(ActivityCommand[Item]):
    """Put an activity before another card, or last, in this or another phase; its tasks and application go along."""

    route = "POST /v1/activities/{activity_id}/order"
    phase_id: Id
    before_id: Id | None = None
    relock: bool = False
    allow_lapse: str = ""

    def run(self, work: UnitOfWork) -> Item:
        return items.place(work, self.seen(work), self.phase_id, self.before_id, self)


class AssignActivity(ActivityCommand[Item]):
    """Assign exactly these members to an activity."""

    route = "POST /v1/activities/{activity_id}/assign"
    member_ids: tuple[Id, ...]

    def run(self, work: UnitOfWork) -> Item:
        activity, people = assign(work, self.seen(work), self.member_ids)
        work.say(f"assigned “{activity.title}” to {people}")
        return activity


class SetActivityDueDate(ActivityCommand[Item]):
    """Set the due date of an activity, or remove it. Cards that wait for it can follow.

    Each open card of the project that waits for it, directly or through others, is then due at least its lag later.
    """

    route = "POST /v1/activities/{activity_id}/due-date"
    due: date | None
    follow: bool = False

    def run(self, work: UnitOfWork) -> Item:
        return items.schedule(work, self.seen(work), self.due, self.follow)


class ArchiveActivity(ActivityCommand[Item]):
    """Archive an activity and its tasks; Restore brings them back.

    Its application stays where it is and can still be launched.
    """

    route = "POST /v1/activities/{activity_id}/archive"
    held_key = True

    def run(self, work: UnitOfWork) -> Item:
        return items.archive(work, self.seen(work))


class RestoreActivity(ActivityCommand[Item]):
    """Restore an archived activity, with the tasks that were archived with it."""

    route = "POST /v1/activities/{activity_id}/restore"
    relock: bool = False
    allow_lapse: str = ""

    def run(self, work: UnitOfWork) -> Item:
        return items.restore(work, self.seen(work), self)


class DeleteActivity(ActivityCommand[None]):
    """Delete an archived activity with its tasks and its application for good. This cannot be undone."""

    route = "DELETE /v1/activities/{activity_id}"
    permission = Permission.PROJECT_DELETE
    undoable = False
    relock: bool = False
    allow_lapse: str = ""

    def run(self, work: UnitOfWork) -> None:
        items.delete(work, self.seen(work), self)
