"""Imports taskwarrior's export, the output of ``task export``.

taskwarrior's projects group tasks without an order, so each becomes an activity of one phase; phases would lock each
other. Waiting tasks are To Do and note the day until which they wait; deleted tasks are archived; templates of
recurring tasks are left out, because the list has the tasks themselves. Tags become labels, and the priorities H, M and
L high, normal and low; ``depends`` becomes what a card waits for. Annotations and other priorities become words in the
description. The urgency, which taskwarrior computes, is left out.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Annotated, Any

from core.domain.model import ItemKind, Priority, Status
from core.errors import InvalidImport, InvalidInput
from core.import_export.document import ItemEntry
from core.import_export.draft import PHASE, Draft, lines, local_day, status_of_tasks, waiting_for, with_status
from core.record import Record
from core.templates.checked_files import read_json
from core.text.document_fields import FieldRule
from core.text.sanitize import sanitize

NAMES = {"title": "description", "id": "uuid", "activity": "project"}
_MOMENT = re.compile(r"\d{8}T\d{6}Z")
_STATUSES = {
    "pending": Status.TO_DO,
    "waiting": Status.TO_DO,
    "completed": Status.COMPLETED,
    "deleted": Status.ARCHIVED,
}
_PRIORITIES = {"H": Priority.HIGH, "M": Priority.NORMAL, "L": Priority.LOW}
RECURRING = "recurring"


class Annotation(Record):
    entry: str
    description: str


def _uuids(depends: Any) -> tuple[str, ...]:
    """Return the list of a task; before taskwarrior 2.6 it was a text with commas."""
    given = depends.split(",") if isinstance(depends, str) else depends
    if not isinstance(given, list) or not all(isinstance(each, str) for each in given):
        raise InvalidInput("depends", "It should be a list, each text.")
    return tuple(filter(None, given))


class WarriorTask(Record):
    uuid: str
    description: str
    status: str
    due: str | None = None
    start: str | None = None
    wait: str | None = None
    project: str = ""
    priority: str = ""
    tags: tuple[str, ...] = ()
    depends: Annotated[Any, FieldRule(_uuids)] = ()
    annotations: tuple[Annotation, ...] = ()


def draft(text: str) -> Draft:
    """The draft of the tasks of an export. Raises InvalidImport."""
    tasks = read_json(text, tuple[WarriorTask, ...])
    kept = [(at, task) for at, task in enumerate(tasks) if task.status != RECURRING]
    made = Draft("Taskwarrior")
    made.phase(PHASE)
    known = {task.uuid for _, task in kept}
    items = [_item(made, task, known, f"[{at}]") for at, task in kept]
    for project in dict.fromkeys(task.project for _, task in kept if task.project):
        first = next(at for at, task in kept if task.project == project)
        statuses = [item.status for item in items if item.activity == _activity(project)]
        activity = ItemEntry(
            id=_activity(project), kind=ItemKind.ACTIVITY, title=project, status=status_of_tasks(statuses)
        )
        made.add(PHASE, activity, f"[{first}]")
    for (at, _), item in zip(kept, items, strict=True):
        made.add(PHASE, item, f"[{at}]")
    _note(made, tasks)
    return made


def _activity(project: str) -> str:
    """The id of the activity of a project; the prefix keeps it distinct from all uuids."""
    return f"project {project}"


def _item(made: Draft, task: WarriorTask, known: set[str], origin: str) -> ItemEntry:
    if task.status not in _STATUSES:
        statuses = ", ".join([*_STATUSES, RECURRING])
        raise InvalidImport(f"{origin}.status", f"“{sanitize(task.status)}” is none of {statuses}.")
    needs = ", ".join(each for each in task.depends if each not in known)
    waits = _moment(task.wait, f"{origin}.wait") if task.status == "waiting" else None
    item = ItemEntry(
        id=task.uuid,
        kind=ItemKind.TASK,
        title=task.description,
        activity=_activity(task.project) if task.project else None,
        due=local_day(_moment(task.due, f"{origin}.due")),
        priority=_PRIORITIES.get(task.priority, Priority.NORMAL),
        labels=made.labels(task.tags),
        description=lines(
            "\n".join(_describe_note(each, f"{origin}.annotations[{at}]") for at, each in enumerate(task.annotations)),
            made.words(task.tags),
            f"Priority: {task.priority}" if task.priority and task.priority not in _PRIORITIES else "",
            f"Waits until {local_day(waits)}" if waits else "",
            f"Depends on: {needs}" if needs else "",
        ),
        waits_for=waiting_for(task.uuid, (each for each in task.depends if each in known)),
    )
    status = _STATUSES[task.status]
    return with_status(item, Status.IN_PROGRESS if status is Status.TO_DO and task.start else status)


def _describe_note(annotation: Annotation, origin: str) -> str:
    return f"{local_day(_moment(annotation.entry, f'{origin}.entry'))}: {annotation.description}"


def _moment(text: str | None, field: str) -> datetime | None:
    """A time in taskwarrior's form: UTC, in the basic format of ISO 8601."""
    if not text:
        return None
    try:
        if not _MOMENT.fullmatch(text):
            raise ValueError
        return datetime.strptime(text, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    except ValueError:
        raise InvalidImport(field, f"“{sanitize(text)}” is not a time like 20261203T093000Z.") from None


def _note(made: Draft, tasks: tuple[WarriorTask, ...]) -> None:
    if any(task.project for task in tasks):
        made.notes.append("Projects of taskwarrior become activities.")
    if any(task.annotations for task in tasks):
        made.notes.append("Annotations become words in the description.")
    known = {task.uuid for task in tasks if task.status != RECURRING}
    if any(set(task.depends) - known for task in tasks):
        made.notes.append("Dependencies on tasks that are not in the file become words in the description.")
    if any(task.status == RECURRING for task in tasks):
        made.notes.append("The models of recurring tasks are left out; their tasks are there.")
