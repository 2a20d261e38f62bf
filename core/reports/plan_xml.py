"""A project as Microsoft Project's XML, which Project, ProjectLibre and GanttProject open.

Phases are summary tasks, and activities and tasks stand in them. A card is one day long, its due day, in a calendar in
which people work each day: cards have no start yet. The UID of a card is its number, which stays.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from core.domain.model import Status
from core.import_export.document import ItemEntry, PhaseEntry, ProjectDocument
from core.import_export.ms_project import LABELS, PRIORITIES
from core.import_export.outline import MILESTONE, PERCENT
from core.text.short_keys import MAX_NUMBER
from core.text.sanitize import sanitize

TEXTS = (731, 734, 737, 740, 743, 746, 747, 748, 749, 750, 997, 998, 999)
"""The ends of the ids of the fields Text1 to Text13 of tasks."""


def to_plan_xml(document: ProjectDocument, now: datetime) -> str:
    """The plan of a project. ``now`` is the time of the export."""
    project = Element("Project", xmlns="http://schemas.microsoft.com/project")
    _add(
        project,
        SaveVersion=14,
        Name=f"{document.name}.xml",
        Title=document.name,
        CreationDate=f"{now:%Y-%m-%dT%H:%M:%S}",
    )
    _add(project, ScheduleFromStart=1, StartDate=f"{document.start or now.date()}T08:00:00", CalendarUID=1)
    _add(project, MinutesPerDay=480, MinutesPerWeek=3360, DaysPerMonth=30)
    names = {field.key: field.name for field in document.fields}
    ids = dict(zip((*names, LABELS), (188_743_000 + each for each in TEXTS), strict=False))
    listed = SubElement(project, "ExtendedAttributes")
    for number, (key, field_id) in enumerate(ids.items(), 1):
        _add(
            SubElement(listed, "ExtendedAttribute"),
            FieldID=field_id,
            FieldName=f"Text{number}",
            Alias=names.get(key, key),
        )
    calendar = SubElement(SubElement(project, "Calendars"), "Calendar")
    _add(calendar, UID=1, Name="Each day", IsBaseCalendar=1, BaseCalendarUID=-1)
    week = SubElement(calendar, "WeekDays")
    for day in range(1, 8):
        weekday = SubElement(week, "WeekDay")
        _add(weekday, DayType=day, DayWorking=1)
        hours = SubElement(weekday, "WorkingTimes")
        for start, end in ((8, 12), (13, 17)):
            _add(SubElement(hours, "WorkingTime"), FromTime=f"{start:02}:00:00", ToTime=f"{end:02}:00:00")
    tasks = SubElement(project, "Tasks")
    uids = {item.id: item.number or MAX_NUMBER + 1000 + at for at, item in enumerate(document.items)}
    for number, (outline, part) in enumerate(_outline(document), 1):
        task = SubElement(tasks, "Task")
        if isinstance(part, PhaseEntry):
            _add_phase(task, number, outline, part)
        else:
            _add_card(task, number, outline, part, uids, ids, names)
    resources, assignments = SubElement(project, "Resources"), SubElement(project, "Assignments")
    people = {each.login: at for at, each in enumerate((each for each in document.people if each.role), 1)}
    for person in document.people:
        if at := people.get(person.login):
            _add(
                SubElement(resources, "Resource"),
                UID=at,
                ID=at,
                Name=person.name or person.login,
                Type=1,
                EmailAddress=person.email,
            )
    pairs = ((item, login) for item in document.items for login in item.assigned if login in people)
    for at, (item, login) in enumerate(pairs, 1):
        _add(SubElement(assignments, "Assignment"), UID=at, TaskUID=uids[item.id], ResourceUID=people[login], Units=1)
    indent(project)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(project, encoding="unicode") + "\n"


def _add(around: Element, **values: object) -> None:
    """Add an element for each value that is not empty."""
    for tag, value in values.items():
        if value != "":
            SubElement(around, tag).text = sanitize(str(value))


def _outline(document: ProjectDocument) -> Iterator[tuple[str, PhaseEntry | ItemEntry]]:
    """Yield the phases, and the cards in them, activities before their tasks, each with its outline number."""
    for place, phase in enumerate(document.phases, 1):
        yield f"{place}", phase
        tops = [item for item in phase.items if item.activity is None]
        for at, top in enumerate(tops, 1):
            yield f"{place}.{at}", top
            inner = (item for item in phase.items if item.activity == top.id)
            yield from ((f"{place}.{at}.{below}", item) for below, item in enumerate(inner, 1))


def _add_phase(task: Element, number: int, outline: str, phase: PhaseEntry) -> None:
    _add(task, UID=MAX_NUMBER + int(outline), ID=number, Name=phase.name, OutlineNumber=outline, OutlineLevel=1)
    if phase.due:
        _add(task, Finish=f"{phase.due}T17:00:00")
    _add(task, Summary=1, Notes=phase.objectives)


def _add_card(
    task: Element, number: int, outline: str, item: ItemEntry, uids: dict[str, int], ids: dict[str, int], names: dict[str, str]
) -> None:
    values = {each.field: each.value for each in item.fields} | {LABELS: ", ".join(item.labels)}
    day = (
        {"Start": f"{item.due}T08:00:00", "Finish": f"{item.due}T17:00:00", "Duration": "PT8H0M0S"} if item.due else {}
    )
    _add(task, UID=uids[item.id], ID=number, Name=item.title, Active=int(item.status is not Status.ARCHIVED), Manual=1)
    _add(task, OutlineNumber=outline, OutlineLevel=outline.count(".") + 1, Priority=PRIORITIES[item.priority])
    _add(task, **day, Milestone=int(MILESTONE in item.labels))
    status = item.archived_from or item.status
    begun = next((each.value for each in item.fields if names[each.field] == PERCENT), "50")
    percent = {Status.COMPLETED: "100", Status.IN_PROGRESS: begun}.get(status, "0")
    _add(
        task,
        PercentComplete=percent,
        ActualFinish=f"{item.completed_at:%Y-%m-%dT%H:%M:%S}" if item.completed_at else "",
    )
    _add(task, HyperlinkAddress=item.link, Notes=item.description)
    for wait in item.waits_for:
        if wait.card:
            _add(
                SubElement(task, "PredecessorLink"),
                PredecessorUID=uids[wait.card],
                Type=1,
                LinkLag=wait.lag_days * 4800,
                LagFormat=7,
            )
    for key, value in values.items():
        if value:
            _add(SubElement(task, "ExtendedAttribute"), FieldID=ids[key], Value=value)
