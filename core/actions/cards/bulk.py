"""Bulk changes: many changes as one transaction, one line in the history and one undo."""

from __future__ import annotations

from typing import Any

from core.actions.cards.activities import CreateActivity
from core.actions.cards.applications import ApplicationCommand
from core.actions.cards.comments import AddComment
from core.actions.cards.tasks import CreateTask
from core.domain.max_lengths import MAX_RECORDS_IN_BULK, MAX_STEPS, TOO_MANY_STEPS
from core.domain.permissions import Permission
from core.domain.products.products import Application
from core.engine.messages import Command, ProjectCommand
from core.engine.unit_of_work import UnitOfWork
from core.errors import InvalidInput, NotFound, PodiumError
from core.record import Record
from core.rules.items import ItemCommand, find_item

STEPS = (ItemCommand, ApplicationCommand, CreateTask, CreateActivity, AddComment)
"""The messages that a bulk change can consist of: those about cards."""


class BulkRefusal(Record):
    """A refused step: its number from 0, the title of its card, and the reason. A deleted card has no title."""

    step: int
    title: str
    reason: str


class BulkResult(Record):
    """The number of steps done, and the refused steps."""

    done: int
    refused: tuple[BulkRefusal, ...]


class BulkUpdate(ProjectCommand[BulkResult]):
    """Carry out up to 500 messages about cards of one project as one step, and list those that are refused.

    Each message needs its own permission, and is carried out as a whole or not at all. Together they write at most
    2,000 records.
    """

    route = "POST /v1/projects/{project_id}/bulk"
    permission = Permission.TASK_MOVE
    commands: tuple[Command[Any], ...]

    def __post_init__(self) -> None:
        if len(self.commands) > MAX_STEPS:
            raise InvalidInput("commands", TOO_MANY_STEPS.format(len(self.commands)))

    @property
    def deletes(self) -> bool:
        return any(command.deletes for command in self.commands)

    def run(self, work: UnitOfWork) -> BulkResult:
        work.most_writes = MAX_RECORDS_IN_BULK
        refused: list[BulkRefusal] = []
        said: list[str] = []
        for step, command in enumerate(self.commands):
            try:
                work.attempt(lambda command=command: self._step(work, command))  # type: ignore[misc]
                said.append(work.summary)
            except PodiumError as error:
                work.check_count()  # too many records refuse the whole change, not only this step
                refused.append(BulkRefusal(step=step, title=_title(work, command), reason=str(error)))
        if said:
            work.say(said[0] if len(said) == 1 else f"{said[0]} and {len(said) - 1} more")
        return BulkResult(done=len(said), refused=tuple(refused))

    def _step(self, work: UnitOfWork, command: Command[Any]) -> None:
        if not (command.undoable and isinstance(command, STEPS)):
            raise InvalidInput("commands", f"{type(command).__name__} cannot be part of a bulk change.")
        if command.scope(work) != self.project_id:
            raise InvalidInput("commands", "A bulk change stays within one project.")
        work.require(command.permission)
        command.run(work)


def _title(work: UnitOfWork, command: Command[Any]) -> str:
    """Return the title of a step's card; "" for a deleted card, and for one of another project, which stays secret."""
    if isinstance(command, CreateTask | CreateActivity):
        return command.title
    try:
        here = command.scope(work) == work.scope
    except NotFound:
        return ""
    match command:
        case ItemCommand() | AddComment() if here:
            return find_item(work, command.item_id, None).title
        case ApplicationCommand() if here:
            return work.get(Application, id=command.application_id).name
    return ""
