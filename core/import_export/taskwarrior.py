"""Imports taskwarrior's export, the output of ``task export``.

taskwarrior's projects group tasks without an order, so each becomes an activity of one phase; phases would lock each
other. Waiting tasks are To Do and note the day until which they wait; deleted tasks are archived; templates of
recurring tasks are left out, because the list has the tasks themselves. Tags become labels, and the priorities H, M and
L high, normal and low; ``depends`` becomes what a card waits for. Annotations and other priorities become words in the
description. Attributes of one's own, and the days of “scheduled” and “until”, become fields. The preview names what is
left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any

from core.domain.fields import MAX_FIELDS, MAX_TEXT, FieldKind, is_plain_number, key_for
from core.domain.model import ItemKind, Priority, Status
from core.errors import InvalidImport, InvalidInput
from core.import_export.document import FieldEntry, ItemEntry, ValueEntry
from core.import_export.draft import (
    PHASE,
    Draft,
    LeftOut,
    find_unread,
    free_name,
    lines,
    local_day,
    status_of_tasks,
    waiting_for,
    with_status,
)
from core.record import Record, replace
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
    end: str | None = None
    project: str = ""
    priority: str = ""
    tags: tuple[str, ...] = ()
    depends: Annotated[Any, FieldRule(_uuids)] = ()
    annotations: tuple[Annotation, ...] = ()


DAYS = ("scheduled", "until")
"""Attributes with a time, which become fields with a day."""

READ = frozenset(
    ("uuid", "description", "status", "due", "start", "wait", "end", "project", "priority", "tags", "depends")
)
OWN = frozenset(
    ("annotations", "id", "urgency", "entry", "modified", "mask", "imask", "parent", "rtype", "last", "template")
)
"""Attributes that are read, and those that taskwarrior has for itself."""


def draft(text: str) -> Draft:
    """The draft of the tasks of an export. Raises InvalidImport."""
    tasks = read_json(text, tuple[WarriorTask, ...])
    raw: list[dict[str, Any]] = json.loads(text)
    kept = [(at, task) for at, task in enumerate(tasks) if task.status != RECURRING]
    made = Draft("Taskwarrior")
    made.phase(PHASE)
    fields = _choose_fields([raw[at] for at, _ in kept])
    made.fields = tuple(fields.values())
    known = {task.uuid for _, task in kept}
    used: set[str] = set()
    items = []
    for at, task in kept:
        own = {key: text for key, value in raw[at].items() if key not in READ | OWN and (text := _text_of(key, value))}
        item = _item(made, task, known, f"[{at}]")
        values = tuple(ValueEntry(field=fields[key].key, value=text) for key, text in own.items() if key in fields)
        words = "\n".join(f"{key}: {text}" for key, text in own.items() if key not in fields)
        item = replace(item, fields=values, description=lines(item.description, words))
        if item.id in used:  # both are kept, and others wait for the first
            item = replace(item, id=f"{item.id} again, [{at}]")
        used.add(item.id)
        items.append(item)
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
    read = {"annotations", "id"} | {key for each in raw for key in each if key not in OWN}
    made.left_out += find_unread(raw, read, "taskwarrior has it for itself")
    return made


def _choose_fields(tasks: Sequence[Mapping[str, Any]]) -> dict[str, FieldEntry]:
    """The fields for the attributes of one's own, at most those that a project can have, by the attribute."""
    values: dict[str, list[str]] = {}
    for task in tasks:
        for key, value in task.items():
            if key not in READ | OWN and (text := _text_of(key, value)):
                values.setdefault(key, []).append(text)
    found: dict[str, FieldEntry] = {}
    for key, texts in values.items():
        if len(found) == MAX_FIELDS or any(len(text) > MAX_TEXT or "\n" in text for text in texts):
            continue
        kind = (
            FieldKind.DATE if key in DAYS else FieldKind.NUMBER if all(map(is_plain_number, texts)) else FieldKind.TEXT
        )
        name = free_name(key.capitalize(), [each.name for each in found.values()])
        found[key] = FieldEntry(name=name, key=key_for(name, {each.key for each in found.values()}), kind=kind)
    return found


def _text_of(key: str, value: Any) -> str:
    """The value of an attribute as text; a time in “scheduled” and “until” as its day."""
    if value is None or isinstance(value, dict | list | bool):
        return json.dumps(value, ensure_ascii=False) if value else ""
    if key in DAYS and (day := local_day(_moment(str(value), key))):
        return day.isoformat()
    return str(value).removesuffix(".0") if isinstance(value, float) else str(value)


def _activity(project: str) -> str:
    """The id of the activity of a project; the prefix keeps it distinct from all uuids."""
    return f"project {project}"


def _item(made: Draft, task: WarriorTask, known: set[str], origin: str) -> ItemEntry:
    needs = ", ".join(each for each in task.depends if each not in known)
    waits = _moment(task.wait, f"{origin}.wait")
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
            f"Status: {task.status}" if task.status not in _STATUSES else "",
        ),
        waits_for=waiting_for(task.uuid, (each for each in task.depends if each in known)),
    )
    status = _STATUSES.get(task.status, Status.TO_DO)
    if status is Status.COMPLETED and task.end:
        item = replace(item, completed_at=_moment(task.end, f"{origin}.end"))
    return with_status(item, Status.IN_PROGRESS if status is Status.TO_DO and task.start else status)


def _describe_note(annotation: Annotation, origin: str) -> str:
    return f"{local_day(_moment(annotation.entry, f'{origin}.entry'))}: {annotation.description}"


def _moment(text: str | None, field: str) -> datetime | None:
    """A time in taskwarrior's form: UTC, in the basic format of ISO 8601."""
    if not text:
        return None
    try:
        if re.fullmatch(r"\d{9,10}", text):  # seconds since 1970, as taskwarrior takes them too
            return datetime.fromtimestamp(int(text), UTC)
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
    if models := sum(task.status == RECURRING for task in tasks):
        made.left_out.append(LeftOut(models, "recurring model", "the tasks that follow from it are in the file"))
