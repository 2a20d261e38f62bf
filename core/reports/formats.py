"""A project in every export format: the query that each format needs, and the text it makes of the answer.

The command line and the screens go through here, so that a file is the same from both.

An iCalendar (RFC 5545) is written by the ``icalendar`` library. Phases, cards and applications are all-day events on
their due days, which all calendar programs show; cards and applications can also be to-dos. The UIDs come from the ids
of the records, so that a calendar updates its entries instead of adding new ones.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from core.actions.projects.exports import (
    DueItem,
    ExportProject,
    GetStatusReport,
    ListDueDates,
    ProjectReport,
    ProjectSchedule,
)
from core.domain.model import Id, Status
from core.engine.messages import ProjectQuery
from core.import_export.document import ProjectDocument
from core.import_export.origins import own_uid
from core.record import Record
from core.text.phrases import in_words

MISSING = object()


class ExportFormat(StrEnum):
    """The formats of an exported project."""

    JSON = "JSON"
    CSV = "CSV"
    ICAL = "ICAL"
    ICAL_TASKS = "ICAL_TASKS"
    MS_PROJECT = "MS_PROJECT"
    CHECKLIST = "CHECKLIST"
    MARKDOWN = "MARKDOWN"
    HTML = "HTML"


class ExportRenderer(Record, kw_only=False):
    """One format: what it is for, its file extension, its query, and the function from answer and time to text."""

    meaning: str
    ending: str
    query: Callable[[Id], ProjectQuery[Any]]
    text: Callable[[Any, datetime], str]


def _json(document: ProjectDocument, _: datetime) -> str:
    from core.codec.encoding import to_json

    return json.dumps(_shorten_document(to_json(document)), indent=2, ensure_ascii=False) + "\n"


OMITTED: Mapping[str, object] = {
    "labels": [],
    "priority": "NORMAL",
    "fields": [],
    "waitsFor": [],
    "evidenceKind": "NONE",
    "fileSize": 0,
    "fileSha256": "",
    "deliveredBy": None,
    "deliveredAt": None,
    "completedBy": None,
    "completedAt": None,
    "removedPhases": [],
    "phaseName": "",
    "detail": "",
    "about": None,
    "seq": 0,
    "sha256": "",
    "seal": "",
    "way": "",
    "onHold": False,
    "policy": None,
    "criteria": [],
    "ground": "",
    "meeting": None,
    "recordedBy": None,
    "condition": None,
    "origin": None,
    "unsaid": [],
    "last": "",
}
"""Keys of a project and of its parts that a file leaves out where they have these values, as most do."""


def _shorten_document(document: dict[str, Any]) -> dict[str, Any]:
    """Return the document without what most projects, cards, deliverables and decisions do not have."""
    phases = (*document["phases"], *document["removedPhases"])
    kinds = ("items", "deliverables", "decisions")
    parts = [part for phase in phases for kind in kinds for part in phase.get(kind, ())]
    parts += [part["origin"] for part in parts if part.get("origin")]
    for each in (document, *phases, *parts):
        for name, usual in OMITTED.items():
            if each.get(name, MISSING) == usual:
                del each[name]
    return document


def _csv(document: ProjectDocument, _: datetime) -> str:
    from core.import_export.tables.csv_export import BYTE_ORDER_MARK, to_csv

    return BYTE_ORDER_MARK + to_csv(document)


ICAL_STATUSES = {Status.TO_DO: "NEEDS-ACTION", Status.IN_PROGRESS: "IN-PROCESS", Status.COMPLETED: "COMPLETED"}


def to_calendar(dates: ProjectSchedule, now: datetime, *, tasks: bool = False) -> str:
    """The calendar of a project, of events, or with ``tasks`` of things to do. ``now`` is the time of the export."""
    from icalendar import Calendar, vText

    calendar = Calendar()
    calendar.add("prodid", "-//Podium//podium-tui//EN")
    calendar.add("version", "2.0")
    calendar.add("x-wr-calname", vText(dates.project))
    for line in dates.lines:
        calendar.add_component(_calendar_entry(line, dates.project, now, tasks and line.kind != PHASE))
    written: bytes = calendar.to_ical()
    return written.decode()


PHASE = "PHASE"


def _calendar_entry(line: DueItem, project: str, now: datetime, is_task: bool) -> Any:
    from icalendar import Event, Todo

    component = Todo() if is_task else Event()
    component.add("uid", own_uid(line.id))
    component.add("dtstamp", now)
    status = ICAL_STATUSES.get(line.status) if line.status else None
    done = "✓ " if line.status is Status.COMPLETED and not is_task else ""
    component.add("summary", f"{line.title} due ({project})" if line.kind == PHASE else done + line.title)
    component.add("categories", [in_words(line.kind), line.phase])
    if is_task:
        component.add("due", line.due)
    else:
        component.add("dtstart", line.due)
        component.add("dtend", line.due + timedelta(days=1))
        component.add("transp", "TRANSPARENT")
    if status:
        component.add("status" if is_task else "x-podium-status", status)
    about = [f"{project}: {line.phase}", *([f"Assigned to {', '.join(line.people)}"] if line.people else [])]
    component.add("description", "\n".join(about))
    return component


def _todos(dates: ProjectSchedule, now: datetime) -> str:
    return to_calendar(dates, now, tasks=True)


def _plan(document: ProjectDocument, now: datetime) -> str:
    from core.reports.plan_xml import to_plan_xml

    return to_plan_xml(document, now)


def _checklist(document: ProjectDocument, _: datetime) -> str:
    from core.import_export.programs.check_lists import to_check_lists

    return to_check_lists(document)


def _markdown(report: ProjectReport, _: datetime) -> str:
    from core.reports.status_report import to_markdown

    return to_markdown(report)


def _html(report: ProjectReport, _: datetime) -> str:
    from core.reports.html_page import to_html
    from core.reports.status_report import in_sections

    return to_html(in_sections(report))


def _of(query: type[ProjectQuery[Any]]) -> Callable[[Id], ProjectQuery[Any]]:
    return lambda project_id: query(project_id=project_id)


def import_note(format: ExportFormat, answer: object, text: str) -> str:
    """A warning if an exported project is too large to be imported again; "" if it is not."""
    if format is not ExportFormat.JSON or not isinstance(answer, ProjectDocument):
        return ""
    from core.import_export.files import HOW_WITHOUT, MAX_BYTES, MAX_SENT
    from core.import_export.validation import MAX_RECORDS, records_of

    size, records = len(text.encode()), records_of(answer)
    if size > MAX_BYTES or records > MAX_RECORDS:
        return (
            f"It has {size:,} bytes and {records:,} records. An import takes {MAX_BYTES:,} and {MAX_RECORDS:,} at"
            " most, so this file cannot be imported again. To keep the project, make a backup: “podium backup FILE”."
        )
    return f"It has {size:,} bytes, and a server takes {MAX_SENT:,}. {HOW_WITHOUT}" if size > MAX_SENT else ""


WHOLE, DATES, REPORT = map(_of, (ExportProject, ListDueDates, GetStatusReport))
RENDERINGS: dict[ExportFormat, ExportRenderer] = {
    ExportFormat.JSON: ExportRenderer("JSON: the whole project, to import it again.", ".json", WHOLE, _json),
    ExportFormat.CSV: ExportRenderer("CSV: tasks and activities, for a spreadsheet.", ".csv", WHOLE, _csv),
    ExportFormat.ICAL: ExportRenderer("iCalendar: all due dates, for a calendar program.", ".ics", DATES, to_calendar),
    ExportFormat.ICAL_TASKS: ExportRenderer(
        "iCalendar: due cards as things to do, which Outlook and Google do not show.", ".ics", DATES, _todos
    ),
    ExportFormat.MS_PROJECT: ExportRenderer(
        "XML of Microsoft Project, also for ProjectLibre and GanttProject.", ".xml", WHOLE, _plan
    ),
    ExportFormat.CHECKLIST: ExportRenderer(
        "Markdown: check lists of the cards, to work with elsewhere.", ".md", WHOLE, _checklist
    ),
    ExportFormat.MARKDOWN: ExportRenderer("Markdown: the status report, as text.", ".md", REPORT, _markdown),
    ExportFormat.HTML: ExportRenderer("HTML: the status report, to print and to keep.", ".html", REPORT, _html),
}
