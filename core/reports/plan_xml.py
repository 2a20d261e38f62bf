"""A project as Microsoft Project's XML, which Project, ProjectLibre and GanttProject open.

Phases are summary tasks, and activities and tasks stand in them. A card is one day long, its due day, in a calendar in
which people work each day: cards have no start yet. The UID of a card is its number, which stays.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import datetime
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from core.domain.model import Status
from core.import_export.document import ItemEntry, PhaseEntry, ProjectDocument
from core.import_export.programs.ms_project import LABELS, PODIUM, PRIORITIES
from core.import_export.programs.outline import MILESTONE, PERCENT
from core.text.sanitize import sanitize
from core.text.short_keys import MAX_NUMBER

TEXTS = (731, 734, 737, 740, 743, 746, 747, 748, 749, 750, 997, 998, 999)
"""The ends of the ids of the fields Text1 to Text13 of tasks."""

BEGUN = "50"
"""The percentage of a card in progress that has no field for it."""


def to_plan_xml(document: ProjectDocument, now: datetime) -> str:
    """The plan of a project. ``now`` is the time of the export."""
    project = Element("Project", xmlns="http://schemas.microsoft.com/project")
    _fill(project, SaveVersion=14, Name=f"{document.name}.xml", Title=document.name, Author=PODIUM)
    _fill(
        project,
        CreationDate=_time(now),
        ScheduleFromStart=1,
        StartDate=f"{document.start or now.date()}T08:00:00",
        CalendarUID=1,
    )
    _fill(project, MinutesPerDay=480, MinutesPerWeek=3360, DaysPerMonth=30)
    names = {field.key: field.name for field in document.fields} | {LABELS: LABELS}
    ids = dict(zip(names, (f"188743{each}" for each in TEXTS), strict=False))
    listed = SubElement(project, "ExtendedAttributes")
    for number, (key, name) in enumerate(names.items(), 1):
        _add(listed, "ExtendedAttribute", FieldID=ids[key], FieldName=f"Text{number}", Alias=name)
    _add_calendar(project)
    tasks = SubElement(project, "Tasks")
    _add(tasks, "Task", UID=0, ID=0, Name=document.name, OutlineLevel=0, Summary=1, Notes=document.description)
    uids = {item.id: item.number or MAX_NUMBER + 1000 + at for at, item in enumerate(document.items)}
    for number, (outline, part) in enumerate(_list_parts(document), 1):
        if isinstance(part, PhaseEntry):
            due = {"Finish": f"{part.due}T17:00:00"} if part.due else {}
            uid = MAX_NUMBER + int(outline)
            task = _add(tasks, "Task", UID=uid, ID=number, Name=part.name, OutlineNumber=outline, OutlineLevel=1)
            _fill(task, **due, Summary=1, Notes=part.objectives)
        else:
            task = _add_card(tasks, part, names, UID=uids[part.id], ID=number, outline=outline)
            for wait in part.waits_for:
                if wait.card:
                    link = {"PredecessorUID": uids[wait.card], "Type": 1, "LinkLag": wait.lag_days * 4800}
                    _add(task, "PredecessorLink", **link, LagFormat=7)
            for each in part.fields:
                _add(task, "ExtendedAttribute", FieldID=ids[each.field], Value=each.value)
            if part.labels:
                _add(task, "ExtendedAttribute", FieldID=ids[LABELS], Value=", ".join(part.labels))
    people = {each.login: at for at, each in enumerate((each for each in document.people if each.role), 1)}
    resources, assignments = SubElement(project, "Resources"), SubElement(project, "Assignments")
    for person in document.people:
        if at := people.get(person.login):
            name = person.name or person.login
            _add(resources, "Resource", UID=at, ID=at, Name=name, Type=1, EmailAddress=person.email)
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


def _add_card(tasks: Element, item: ItemEntry, names: Mapping[str, str], *, outline: str, **ids: int) -> Element:
    """Add a task for a card."""
    task = _add(tasks, "Task", **ids, Name=item.title, Active=int(item.status is not Status.ARCHIVED), Manual=1)
    _fill(task, OutlineNumber=outline, OutlineLevel=outline.count(".") + 1, Priority=PRIORITIES[item.priority])
    if item.due:
        _fill(task, Start=f"{item.due}T08:00:00", Finish=f"{item.due}T17:00:00", Duration="PT8H0M0S")
    begun = next((each.value for each in item.fields if names[each.field] == PERCENT), BEGUN)
    status = item.archived_from or item.status
    percent = {Status.COMPLETED: "100", Status.IN_PROGRESS: begun}.get(status, "0")
    _fill(task, Milestone=int(MILESTONE in item.labels), PercentComplete=percent)
    _fill(task, ActualFinish=_time(item.completed_at) if item.completed_at else "")
    _fill(task, HyperlinkAddress=item.link, Notes=item.description)
    return task
