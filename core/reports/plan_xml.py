"""A project as Microsoft Project's XML, which Project, ProjectLibre and GanttProject open.

Phases are summary tasks, and activities and tasks stand in them. Each is one day long, its due day, in a calendar in
which people work each day: cards have no start yet. GanttProject leaves out a task without days, and all tasks in it,
so what has no due day has an estimated one, which Podium does not read. The UID of a card is its number, which stays.
Elements are in the order of the schema (mspdi_pj12.xsd), which also demands a currency.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from core.domain.model import Status
from core.import_export.document import ItemEntry, PhaseEntry, ProjectDocument
from core.import_export.draft import lines
from core.import_export.programs.ms_project import KEY, LABELS, PODIUM, PRIORITIES
from core.import_export.programs.outline import MILESTONE, PERCENT
from core.import_export.tables.csv_export import own_head
from core.text.sanitize import sanitize
from core.text.short_keys import MAX_NUMBER, card_key

TEXTS = (*(188743000 + each for each in (731, 734, 737, 740, 743, *range(746, 751), 997, 998, 999)), 188744000)
"""The ids of the fields Text1 to Text14 of tasks."""

MAX_LINK = 512
"""The most characters of a link by the schema."""

BEGUN = "50"
"""The percentage of a card in progress that has no field for it, or one that Project would not take."""


def to_plan_xml(document: ProjectDocument, now: datetime) -> str:
    """The plan of a project. ``now`` is the time of the export."""
    project = Element("Project", xmlns="http://schemas.microsoft.com/project")
    _fill(project, SaveVersion=14, Name=f"{document.name}.xml", Title=document.name, Author=PODIUM)
    first = document.start or now.date()
    _fill(project, CreationDate=_time(now), ScheduleFromStart=1, StartDate=f"{first}T08:00:00", CurrencyCode="USD")
    _fill(project, CalendarUID=1, MinutesPerDay=480, MinutesPerWeek=3360, DaysPerMonth=30)
    names = {field.key: own_head(field.name) for field in document.fields} | {LABELS: LABELS, KEY: KEY}
    ids = dict(zip(names, TEXTS, strict=False))
    listed = SubElement(project, "ExtendedAttributes")
    for number, (key, name) in enumerate(names.items(), 1):
        _add(listed, "ExtendedAttribute", FieldID=ids[key], FieldName=f"Text{number}", Alias=name)
    _add_calendar(project)
    tasks = SubElement(project, "Tasks")
    top = _add(tasks, "Task", UID=0, ID=0, Name=document.name, OutlineLevel=0)
    _fill(top, **_days(None, first), Summary=1, Notes=document.description)
    uids = {item.id: item.number or MAX_NUMBER + 1000 + at for at, item in enumerate(document.items)}
    for number, (outline, part) in enumerate(_list_parts(document), 1):
        uid = MAX_NUMBER + int(outline) if isinstance(part, PhaseEntry) else uids[part.id]
        task = _add(tasks, "Task", UID=uid, ID=number)
        if isinstance(part, PhaseEntry):
            _fill(task, Name=part.name, Manual=1, OutlineNumber=outline, OutlineLevel=1)
            _fill(task, **_days(part.due, first), Summary=1, Notes=part.objectives)
        else:
            _fill_card(task, part, names, first, outline)
            for wait in part.waits_for:
                if wait.card:
                    link = {"PredecessorUID": uids[wait.card], "Type": 1, "LinkLag": wait.lag_days * 4800}
                    _add(task, "PredecessorLink", **link, LagFormat=7)
            key = card_key(document.key, part.number) if document.key and part.number else ""
            values = {each.field: each.value for each in part.fields} | {LABELS: ", ".join(part.labels), KEY: key}
            for name in filter(values.get, values):
                _add(task, "ExtendedAttribute", FieldID=ids[name], Value=values[name])
    members = [each for each in document.people if each.role]
    people = {each.login: at for at, each in enumerate(members, 1)}
    resources, assignments = SubElement(project, "Resources"), SubElement(project, "Assignments")
    for at, each in enumerate(members, 1):
        _add(resources, "Resource", UID=at, ID=at, Name=each.name or each.login, Type=1, EmailAddress=each.email)
    pairs = ((item, login) for item in document.items for login in item.assigned)
    for at, (item, login) in enumerate(pairs, 1):
        _add(assignments, "Assignment", UID=at, TaskUID=uids[item.id], ResourceUID=people[login], Units=1)
    indent(project)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(project, encoding="unicode")}\n'


def _fill(part: Element, **values: object) -> None:
    """Add an element for each value that is not empty."""
    for tag, value in values.items():
        if value != "":
            SubElement(part, tag).text = sanitize(str(value))


def _add(around: Element, tag: str, **values: object) -> Element:
    """Add an element with values in it."""
    part = SubElement(around, tag)
    _fill(part, **values)
    return part


def _time(at: datetime) -> str:
    return f"{at:%Y-%m-%dT%H:%M:%S}"


def _days(due: date | None, first: date) -> dict[str, object]:
    """The elements of a due day; without one, those of the first day of the project, marked as estimated."""
    times = {"Start": f"{due or first}T08:00:00", "Finish": f"{due or first}T17:00:00", "Duration": "PT8H0M0S"}
    by_hand = {f"Manual{name}": time for name, time in times.items()}
    return {**times, **by_hand, "DurationFormat": 7 if due else 39, "Estimated": int(not due)}


def _add_calendar(project: Element) -> None:
    """Add a calendar in which people work eight hours on each day of the week."""
    calendar = _add(SubElement(project, "Calendars"), "Calendar", UID=1, Name="Each day", IsBaseCalendar=1)
    week = SubElement(calendar, "WeekDays")
    for day in range(1, 8):
        hours = SubElement(_add(week, "WeekDay", DayType=day, DayWorking=1), "WorkingTimes")
        for start, end in (("08", "12"), ("13", "17")):
            _add(hours, "WorkingTime", FromTime=f"{start}:00:00", ToTime=f"{end}:00:00")


def _list_parts(document: ProjectDocument) -> Iterator[tuple[str, PhaseEntry | ItemEntry]]:
    """Yield the phases, and the cards in them, activities before their tasks, each with its outline number."""
    for place, phase in enumerate(document.phases, 1):
        yield str(place), phase
        inside: dict[str | None, list[ItemEntry]] = defaultdict(list)
        for item in phase.items:
            inside[item.activity].append(item)
        for at, top in enumerate(inside[None], 1):
            yield f"{place}.{at}", top
            yield from ((f"{place}.{at}.{below}", item) for below, item in enumerate(inside[top.id], 1))


def _fill_card(task: Element, item: ItemEntry, names: Mapping[str, str], first: date, outline: str) -> None:
    """Add the elements of a card to its task."""
    _fill(task, Name=item.title, Active=int(item.status is not Status.ARCHIVED), Manual=1)
    _fill(task, OutlineNumber=outline, OutlineLevel=outline.count(".") + 1, Priority=PRIORITIES[item.priority])
    said = next((each.value for each in item.fields if names[each.field] == own_head(PERCENT)), "")
    begun = said if re.fullmatch("[1-9][0-9]?", said) else BEGUN
    percent = {Status.COMPLETED: "100", Status.IN_PROGRESS: begun}.get(item.archived_from or item.status, "0")
    _fill(task, **_days(item.due, first), Milestone=int(MILESTONE in item.labels), PercentComplete=percent)
    _fill(task, ActualFinish=_time(item.completed_at) if item.completed_at else "")
    link = item.link if len(item.link) <= MAX_LINK else ""
    _fill(task, Hyperlink=link, HyperlinkAddress=link)  # GanttProject reads the first
    _fill(task, Notes=lines(item.description, "" if link == item.link else f"Link: {item.link}"))
