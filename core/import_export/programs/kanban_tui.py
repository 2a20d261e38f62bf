"""Imports kanban-tui's list of tasks, the output of ``ktui task list --board ID --json``.

It has no empty fields and only the numbers of columns, not their names; so the status follows from the times at which a
task was started and finished. All tasks go to one phase.
"""

from __future__ import annotations

from datetime import datetime

from core.domain.model import Status
from core.import_export.draft import Draft, local_day
from core.import_export.programs.loose_cards import LooseCard, place_cards
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


def draft(text: str, _called: str = "") -> Draft:
    """The draft of the tasks of one board. Raises InvalidImport."""
    tasks = read_json(text, tuple[KanbanTask, ...])
    made = Draft("kanban-tui", names=NAMES)
    if any(task.category is not None for task in tasks):
        made.note("kanban-tui names no categories in this list: rename the labels “category 1” and so on.")
    made.note("kanban-tui names no columns in this list: the status follows from when a task was begun and done.")
    place_cards(made, [_card(task, f"[{at}]") for at, task in enumerate(tasks)])
    return made


def _card(task: KanbanTask, origin: str) -> LooseCard:
    card = LooseCard(str(task.task_id), task.title, origin)
    card.description = task.description or ""
    card.status, card.completed_at = _status(task), task.finish_date
    card.due = local_day(task.due_date)
    card.labels = [f"category {task.category}"] if task.category is not None else []
    card.waits = dict.fromkeys(map(str, task.blocked_by), 0)
    return card


def _status(task: KanbanTask) -> Status:
    if task.finished or task.finish_date:
        return Status.COMPLETED
    return Status.IN_PROGRESS if task.start_date else Status.TO_DO
