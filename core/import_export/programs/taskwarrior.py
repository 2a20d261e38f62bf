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
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any

from core.domain.model import Priority, Status
from core.errors import InvalidImport, InvalidInput
from core.import_export.draft import Draft, find_unread, has_time, local_day
from core.import_export.programs.loose_cards import LooseCard, as_text, place_cards
from core.record import Record, fields
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

OWN = frozenset(
    ("annotations", "id", "urgency", "entry", "modified", "mask", "imask", "parent", "rtype", "last", "template")
)
"""Attributes that taskwarrior has for itself, and its annotations."""


def draft(text: str, _called: str = "") -> Draft:
    """The draft of the tasks of an export. Raises InvalidImport."""
    tasks = read_json(text, tuple[WarriorTask, ...])
    raw: list[dict[str, Any]] = json.loads(text)
    made = Draft("Taskwarrior", names=NAMES)
    repeated = {each.get("parent") for each in raw}
    kept = [(at, task) for at, task in enumerate(tasks) if task.status != RECURRING or task.uuid not in repeated]
    activities: dict[str, LooseCard] = {}
    for at, task in kept:
        if task.project and task.project not in activities:
            activity = LooseCard(_activity(task.project), task.project, f"[{at}]")
            activity.status, activity.is_activity = None, True
            activities[task.project] = activity
    if activities:
        made.note("Projects of taskwarrior become activities.")
    if any(task.annotations for task in tasks):
        made.note("Annotations become words in the description.")
    made.leave_out(len(tasks) - len(kept), "recurring task", "the tasks that repeat it are there")
    place_cards(made, [*activities.values(), *(_card(task, raw[at], f"[{at}]") for at, task in kept)])
    read = {"annotations", "id"} | {key for each in raw for key in each if key not in OWN}
    made.left_out += find_unread(raw, read, "taskwarrior has it for itself")
    return made


def _text_of(key: str, value: Any) -> str:
    """The value of an attribute as text; a time in “scheduled” and “until” as its day."""
    text = as_text(int(value) if isinstance(value, float) and value.is_integer() else value)
    return str(local_day(_moment(text, key))) if text and key in DAYS else text


def _activity(project: str) -> str:
    """The id of the activity of a project; the prefix keeps it distinct from all uuids."""
    return f"project {project}"


def _card(task: WarriorTask, raw: Mapping[str, Any], origin: str) -> LooseCard:
    card = LooseCard(task.uuid, task.description, origin)
    card.description = "\n".join(
        _describe_note(each, f"{origin}.annotations[{at}]") for at, each in enumerate(task.annotations)
    )
    card.parent = _activity(task.project) if task.project else ""
    card.due = local_day(_moment(task.due, f"{origin}.due"))
    card.labels, card.waits = [*task.tags], dict.fromkeys(task.depends, 0)
    card.priority = _PRIORITIES.get(task.priority, Priority.NORMAL)
    card.say("Priority", "" if task.priority in _PRIORITIES else task.priority)
    if task.wait and (waits := _moment(task.wait, f"{origin}.wait")):
        card.say("Waits until", str(local_day(waits)))
    card.say("Status", "" if task.status in _STATUSES else task.status)
    status = _STATUSES.get(task.status, Status.TO_DO)
    if status is Status.COMPLETED:
        card.completed_at = _moment(task.end, f"{origin}.end")
    elif ended := _moment(task.end, f"{origin}.end"):
        card.say("Ended", str(local_day(ended)))
    card.status = Status.IN_PROGRESS if status is Status.TO_DO and task.start else status
    times = (task.due, task.wait, *(as_text(raw.get(key)) for key in DAYS))
    card.times = sum(has_time(_moment(each, origin)) for each in times)
    for key, value in raw.items():
        if key not in OWN and key not in fields(task):
            card.keep(key.capitalize(), _text_of(key, value))
    return card


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
