"""Imports GanttProject's files (.gan).

The due day is the end that GanttProject shows: the last of the working days of a task, counted from its start by the
weekends and holidays of the file. Lags are days. The preview of the import names what is left out.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from typing import Any

from core.domain.model import Priority
from core.import_export.draft import Draft, LeftOut, find_unread
from core.import_export.loose_cards import LooseCard, Text
from core.import_export.outline import MILESTONE, iso_day, place_outline, take_days, take_percent, take_wait
from core.import_export.xml_file import count_values, parts_of, read_xml
from core.record import Record, encoded_fields, field
from core.templates.checked_files import read_values
from core.text.dates import FIRST_YEAR, LAST_YEAR


class GanttLink(Record):
    """A link from a task to the one with ``id``, which waits for it."""

    id: Text = ""
    type: Text = "2"
    difference: Text = "0"
    hardness: Text = ""


class GanttValue(Record):
    taskproperty_id: Text = field(name="taskproperty-id", default="")
    value: Text = ""


class GanttTask(Record):
    id: Text = ""
    name: Text = ""
    start: Text = ""
    duration: Text = ""
    complete: Text = ""
    priority: Text = ""
    meeting: Text = ""
    web_link: Text = ""
    notes: Text = ""
    depend: tuple[GanttLink, ...] = ()
    customproperty: tuple[GanttValue, ...] = ()
    task: tuple[GanttTask, ...] = ()


class GanttResource(Record):
    id: Text = ""
    name: Text = ""
    contacts: Text = ""


class GanttAllocation(Record):
    task_id: Text = field(name="task-id", default="")
    resource_id: Text = field(name="resource-id", default="")
    responsible: Text = ""


LISTED = frozenset(
    ("task", "depend", "customproperty", "taskproperty", "resource", "allocation", "date", "view", "role")
)

LINKS = {"1": "start to start", "2": "", "3": "finish to finish", "4": "start to finish"}
_PRIORITIES = {"0": Priority.LOW, "1": Priority.NORMAL, "2": Priority.HIGH, "3": Priority.LOW, "4": Priority.URGENT}
_WEEK = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


def draft(text: str, called: str = "") -> Draft:
    """The draft of a plan; ``called`` is its name if it has none. Raises InvalidImport."""
    raw = read_xml(text, LISTED).get("project")
    project: Mapping[str, Any] = raw if isinstance(raw, dict) else {}
    about = (
        f"{head}: {project[key]}" for key, head in (("company", "Company"), ("webLink", "Link")) if project.get(key)
    )
    made = Draft(
        project.get("name") or called, "\n\n".join(filter(None, (as_words(project.get("description")), *about)))
    )
    properties = {
        str(each.get("id")): str(each.get("name") or "Field")
        for each in parts_of(project, "tasks", "taskproperties", "taskproperty")
    }
    tasks = [*_walk(read_values(parts_of(project, "tasks", "task"), tuple[GanttTask, ...]))]
    people = _find_people(made, project)
    working = _working_days(project)
    cards: list[LooseCard] = []
    by_id: dict[str, LooseCard] = {}
    for at, (task, above) in enumerate(tasks):
        card = _card(task, f"task {at + 1}", properties, working)
        card.parent = cards[above].id if above is not None else ""
        if by_id.setdefault(task.id, card) is not card:
            card.id = f"{card.id} again, {card.origin}"
        card.people = people[task.id]
        cards.append(card)
    for (task, _), card in zip(tasks, cards, strict=True):
        for link in task.depend:
            lag = int(link.difference) if link.difference.lstrip("-").isdecimal() else None
            words = f"{link.difference} days" if link.difference != "0" else ""
            kind = LINKS.get(link.type, f"type {link.type}")
            if other := by_id.get(link.id):
                take_wait(other, card, task.id, kind, lag, words)
            else:
                card.say("Waited for by", f"{link.id} {words}".strip())
    place_outline(made, cards)
    if cards:
        made.note("Due days are the ends that GanttProject shows, by the weekends and holidays of the file.")
    _name_unread(made, project)
    return made


def as_words(value: Any) -> str:
    """Return an element as a text; "" for one that has elements."""
    return value if isinstance(value, str) else ""


def _walk(tasks: tuple[GanttTask, ...]) -> Iterator[tuple[GanttTask, int | None]]:
    """Yield each task in order, with the place of the one around it."""
    waiting: list[tuple[GanttTask, int | None]] = [(each, None) for each in reversed(tasks)]
    place = 0
    while waiting:
        task, above = waiting.pop()
        yield task, above
        waiting += [(each, place) for each in reversed(task.task)]
        place += 1


def _card(task: GanttTask, origin: str, properties: Mapping[str, str], working: list[date]) -> LooseCard:
    card = LooseCard(task.id, task.name, origin)
    card.description = task.notes
    start, is_milestone = iso_day(task.start), task.meeting == "true"
    end = start
    if start and task.duration.isdecimal() and not is_milestone:
        at = bisect_left(working, start) + max(1, int(task.duration[:6])) - 1
        end = working[at] if at < len(working) else None
    elif task.duration and not is_milestone:
        card.say("Duration", task.duration)
    if start and end is None:
        card.say("Duration", task.duration)
    take_days(card, task.start, end.isoformat() if end else "", ("Start", "End"))
    take_percent(card, task.complete)
    card.priority = _PRIORITIES.get(task.priority, Priority.NORMAL)
    if task.priority not in ("", "0", "1", "2", "4"):
        card.say("Priority", "lowest" if task.priority == "3" else task.priority)
    if is_milestone:
        card.labels.append(MILESTONE)
    card.take_link("Link", task.web_link)
    for each in task.customproperty:
        if each.value:
            card.own[properties.get(each.taskproperty_id, each.taskproperty_id or "Field")] = each.value
    return card


def _working_days(project: Mapping[str, Any]) -> list[date]:
    """The days on which tasks of the file go on, of all years that Podium knows."""
    calendars = project.get("calendars")
    types: Any = calendars.get("day-types") if isinstance(calendars, dict) else None
    for _ in range(2):  # older files have a calendar around the week
        types = types if isinstance(types, dict) else {}
        types = types.get("calendar", types)
    week = types.get("default-week") if isinstance(types, dict) else None
    shown = types.get("only-show-weekends") if isinstance(types, dict) else None
    is_shown = isinstance(shown, dict) and shown.get("value") == "true"
    free = {at for at, name in enumerate(_WEEK) if isinstance(week, dict) and week.get(name) == "1" and not is_shown}
    special = {
        (str(each.get("year") or ""), str(each.get("month")), str(each.get("date"))): each.get("type")
        for each in parts_of(calendars, "date")
    }
    found = []
    day, last = date(FIRST_YEAR, 1, 1), date(LAST_YEAR, 12, 31)
    while day < last:
        key = (str(day.year), str(day.month), str(day.day))
        kind = special.get(key) or special.get(("", *key[1:]))
        if kind == "WORKING_DAY" or (kind != "HOLIDAY" and day.weekday() not in free):
            found.append(day)
        day += timedelta(days=1)
    return found


def _find_people(made: Draft, project: Mapping[str, Any]) -> dict[str, list[str]]:
    """The logins of the people of each task, the coordinator first."""
    resources = read_values(parts_of(project, "resources", "resource"), tuple[GanttResource, ...])
    by_id = {each.id: each for each in resources}
    used: set[str] = set()
    found: dict[str, list[str]] = defaultdict(list)
    given = read_values(parts_of(project, "allocations", "allocation"), tuple[GanttAllocation, ...])
    for each in sorted(given, key=lambda each: each.responsible != "true"):
        if (person := by_id.get(each.resource_id)) and (person.name or person.contacts):
            used.add(person.id)
            email = person.contacts if "@" in person.contacts and " " not in person.contacts else ""
            login = email or person.name or person.contacts
            if len(login) <= 100:
                made.person(login, person.name, email)
            found[each.task_id].append(login)
    if idle := sum(bool(each.name) and each.id not in used for each in resources):
        made.left_out.append(LeftOut(idle, "resource", "no task has it"))
    return found


def _name_unread(made: Draft, project: Mapping[str, Any]) -> None:
    """Name what is on no card."""
    tasks, waiting = [], parts_of(project, "tasks", "task")
    while waiting:
        tasks += waiting
        waiting = [each for part in waiting for each in part.get("task", ())]
    read = {*encoded_fields(GanttTask).values(), "uid"}
    made.left_out += find_unread(tasks, read, "cards have no colours, shapes, costs and earliest starts")
    links = [each for task in tasks for each in task.get("depend", ())]
    soft = sum(each.get("hardness") == "Rubber" for each in links)
    if soft:
        made.left_out.append(LeftOut(soft, "soft link", "waits here are all alike", ("hardness",)))
    people = parts_of(project, "resources", "resource")
    made.left_out += find_unread(people, {*encoded_fields(GanttResource).values()}, "people here have no such thing")
    given = [
        {key: value for key, value in each.items() if (key, value) != ("load", "100.0")}
        for each in parts_of(project, "allocations", "allocation")
    ]
    made.left_out += find_unread(given, {*encoded_fields(GanttAllocation).values()}, "a card just has its people")
    known = ("name", "company", "webLink", "description", "tasks", "resources", "allocations", "calendars")
    for key, value in project.items():
        if key not in known and (number := count_values(value)):
            made.left_out.append(LeftOut(number, "value", "GanttProject has it for itself", (key,)))
