"""Imports kanban-tui's list of tasks, the output of ``ktui task list --board ID --json``.

It has no empty fields and only the numbers of columns, not their names; so the status follows from the times at which a
task was started and finished. All tasks go to one phase.
"""

from __future__ import annotations

from datetime import datetime

from core.domain.model import ItemKind, Status
from core.import_export.document import ItemEntry
from core.import_export.draft import PHASE, Draft, lines, local_day, waiting_for
from core.record import Record
from core.templates.checked_files import read_json

NAMES = {"due": "due_date", "id": "task_id"}


class KanbanTask(Record, rename=None):
    task_id: int
    title: str
    column: int = 0
    description: str | None = ""
    start_date: datetime | None = None
    finish_date: datetime | None = None
    due_date: datetime | None = None
    finished: bool = False
    category: int | None = None
    blocked_by: tuple[int, ...] = ()


def draft(text: str) -> Draft:
    """The draft of the tasks of one board. Raises InvalidImport."""
    tasks = read_json(text, tuple[KanbanTask, ...])
    known = {task.task_id for task in tasks}
    made = Draft("kanban-tui")
    made.has_ids = True
    made.phase(PHASE)
    for at, task in enumerate(tasks):
        category = [f"category {task.category}"] if task.category is not None else []
        others = ", ".join(str(each) for each in task.blocked_by if each not in known)
        item = ItemEntry(
            id=str(task.task_id),
            kind=ItemKind.TASK,
            title=task.title,
            status=_status(task),
            due=local_day(task.due_date),
            labels=made.labels(category),
            description=lines(task.description or "", f"Blocked by: {others}" if others else "", made.words(category)),
            waits_for=waiting_for(task.task_id, (each for each in task.blocked_by if each in known)),
        )
        made.add(PHASE, item, f"[{at}]")
    if any(set(task.blocked_by) - known for task in tasks):
        made.notes.append("What a task is blocked by on another board becomes words in its description.")
    if any(task.category is not None for task in tasks):
        made.notes.append("kanban-tui names no categories in this list: rename the labels “category 1” and so on.")
    made.notes.append(
        "kanban-tui names no columns in this list: the status follows from when a task was begun and done."
    )
    return made


def _status(task: KanbanTask) -> Status:
    if task.finished or task.finish_date:
        return Status.COMPLETED
    return Status.IN_PROGRESS if task.start_date else Status.TO_DO
