"""Imports GanttProject's files (.gan).

The due day is the end that GanttProject shows: the last of the working days of a task, counted from its start by the
weekends and holidays of the file. Lags are days. The preview of the import names what is left out.
"""

from __future__ import annotations

from bisect import bisect_left
from contextlib import suppress
from datetime import date
from typing import Any
from urllib.parse import unquote_plus

from core.domain.model import Priority
from core.import_export.draft import Draft, find_unread, lines
from core.import_export.programs.loose_cards import LooseCard, Text
from core.import_export.programs.outline import (
    MILESTONE,
    PlanOutline,
    Resource,
    iso_day,
    take_days,
    take_percent,
    take_wait,
)
from core.import_export.programs.xml_file import count_values, inside, parts_of, read_xml
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
    key: Text = field(name="taskproperty-id", default="")
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


LISTED = frozenset(
    ("task", "depend", "customproperty", "taskproperty", "resource", "allocation", "date", "view", "role", "roles")
)
LINKS = {"1": "start to start", "2": "", "3": "finish to finish", "4": "start to finish"}
_PRIORITIES = {"0": Priority.LOW, "1": Priority.NORMAL, "2": Priority.HIGH, "3": Priority.LOW, "4": Priority.URGENT}
_WEEK = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_LONGEST = 99_999
"""The most days of a duration that is read."""


def draft(text: str, called: str = "") -> Draft:
    """The draft of a plan; ``called`` is its name if it has none. Raises InvalidImport."""
    project = inside(read_xml(text, LISTED), "project")
    about = [
        f"{key}: {project[name]}" for key, name in (("Company", "company"), ("Link", "webLink")) if project.get(name)
    ]
    made = Draft(str(project.get("name") or called), lines(str(project.get("description") or ""), "\n".join(about)))
    outline = PlanOutline(made)
    properties = {
        each.get("id"): each.get("name") for each in parts_of(project, "tasks", "taskproperties", "taskproperty")
    }
    working = _working_days(project)
    tasks: list[tuple[GanttTask, LooseCard]] = []
    top = read_values(parts_of(project, "tasks", "task"), tuple[GanttTask, ...])
    waiting: list[tuple[GanttTask, LooseCard | None]] = [(each, None) for each in reversed(top)]
    while waiting:
        task, parent = waiting.pop()
        card = outline.add(_card(task, f"task {len(tasks) + 1}", working), parent)
        for each in task.customproperty:
            card.keep(str(properties.get(each.key) or each.key or "Field"), each.value)
        tasks.append((task, card))
        waiting += [(each, card) for each in reversed(task.task)]
    for task, card in tasks:
        for link in task.depend:
            lag = int(link.difference[:9]) if link.difference.removeprefix("-").isdecimal() else None
            said = f"{link.difference} days" if lag != 0 else ""
            if other := outline.find(link.id):
                take_wait(other, card, card.id, LINKS.get(link.type, f"type {link.type}"), lag, said)
            else:
                card.say("Linked with", f"{link.id} {said}".strip())
    people = {
        str(each.get("id")): Resource(str(each.get("name") or ""), email if "@" in email else "")
        for each in parts_of(project, "resources", "resource")
        for email in (str(each.get("contacts") or ""),)
    }
    given = parts_of(project, "allocations", "allocation")
    first = sorted(given, key=lambda each: each.get("responsible") != "true")  # the coordinator
    outline.assign(people, ((str(each.get("task-id")), str(each.get("resource-id"))) for each in first))
    outline.place()
    if tasks:
        made.note("Due days are the ends that GanttProject shows, by the weekends and holidays of the file.")
    _name_unread(made, project)
    return made


def _card(task: GanttTask, origin: str, working: list[int]) -> LooseCard:
    card = LooseCard(task.id, task.name, origin)
    card.description = task.notes
    start = end = iso_day(task.start)
    card.say("Milestone", task.meeting if task.meeting not in ("true", "false") else "")
    if task.meeting == "true":
        card.labels.append(MILESTONE)
    elif start:
        days = int(task.duration) if task.duration.isdecimal() and len(task.duration) < 6 else _LONGEST
        at = bisect_left(working, start.toordinal()) + max(1, days) - 1
        end = date.fromordinal(working[at]) if at < len(working) else None
    if end is None or not task.duration.isdecimal():
        card.say("Duration", task.duration)
    take_days(card, task.start, end.isoformat() if end else "")
    take_percent(card, task.complete)
    card.priority = _PRIORITIES.get(task.priority, Priority.NORMAL)
    if task.priority not in ("", "0", "1", "2", "4"):
        card.say("Priority", "lowest" if task.priority == "3" else task.priority)
    card.take_link("Link", unquote_plus(task.web_link) if "%3A" in task.web_link else task.web_link)
    return card


def _working_days(project: dict[str, Any]) -> list[int]:
    """The days on which tasks of the file go on, of all years that Podium knows, as ordinals."""
    types = inside(project, "calendars", "day-types")
    types = inside(types, "calendar") or types  # as in older files
    week, shown = inside(types, "default-week"), inside(types, "only-show-weekends")
    free = {at for at, name in enumerate(_WEEK) if week.get(name) == "1" and shown.get("value") != "true"}
    special = {
        tuple(str(each.get(part) or "") for part in ("year", "month", "date")): each["type"] == "WORKING_DAY"
        for each in parts_of(project, "calendars", "date")
        if each.get("type") in ("WORKING_DAY", "HOLIDAY")
    }
    works: dict[int, bool] = {}
    for (year, *of_year), kind in sorted(special.items()):  # those of each year first
        for each in range(FIRST_YEAR, LAST_YEAR + 1) if not year else [year]:
            with suppress(ValueError):
                works[date(int(each), *map(int, of_year)).toordinal()] = kind
    days = range(date(FIRST_YEAR, 1, 1).toordinal(), date(LAST_YEAR, 12, 31).toordinal())
    return [day for day in days if works.get(day, (day - 1) % 7 not in free)]


def _name_unread(made: Draft, project: dict[str, Any]) -> None:
    """Name what is on no card."""
    tasks, within = [], parts_of(project, "tasks", "task")
    while within:
        tasks += within
        within = [each for part in within for each in part.get("task", ())]
    links = [each for task in tasks for each in task.get("depend", ()) if each.get("hardness") == "Rubber"]
    people = [
        {key: value for key, value in each.items() if key != "contacts" or "@" not in value}
        for each in parts_of(project, "resources", "resource")
    ]
    given = [
        {key: value for key, value in each.items() if (key, value) != ("load", "100.0")}
        for each in parts_of(project, "allocations", "allocation")
    ]
    made.left_out += (
        *find_unread(tasks, {*encoded_fields(GanttTask).values(), "uid"}, "cards have no colours, shapes and such"),
        *find_unread(links, ("id", "type", "difference"), "waits here are all alike"),
        *find_unread(people, ("id", "name"), "people here have no such thing"),
        *find_unread(given, ("task-id", "resource-id", "responsible"), "a card just has its people"),
    )
    known = ("name", "company", "webLink", "description", "tasks", "resources", "allocations", "calendars")
    others = {key: count_values(value) for key, value in project.items() if key not in known and value}
    made.leave_out(sum(others.values()), "value", "GanttProject has it for itself", others)
