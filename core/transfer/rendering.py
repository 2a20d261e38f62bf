"""A project in any of the formats in which it can leave Podium: which query it takes, and what becomes of the answer.

The command line and the screens go through here, so that a file is the same from both.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

from core.actions.exports import ExportProject, ListDates, ProjectDates, ProjectReport, ReportProject
from core.messages import ProjectQuery
from core.model import Id
from core.transfer.document import ProjectDocument


class ExportFormat(StrEnum):
    """What a project can be exported as."""

    JSON = "JSON"
    CSV = "CSV"
    ICAL = "ICAL"
    MARKDOWN = "MARKDOWN"


class Rendering(NamedTuple):
    """One format: in words, the ending of its files, the query, and what makes text of the answer at a moment."""

    words: str
    ending: str
    query: Callable[[Id], ProjectQuery[Any]]
    text: Callable[[Any, datetime], str]


def _json(document: ProjectDocument, _: datetime) -> str:
    from core.wire import to_json

    return json.dumps(to_json(document), indent=2, ensure_ascii=False) + "\n"


def _csv(document: ProjectDocument, _: datetime) -> str:
    from core.transfer.spreadsheet import BYTE_ORDER_MARK, to_csv

    return BYTE_ORDER_MARK + to_csv(document)


def _ical(dates: ProjectDates, now: datetime) -> str:
    from core.transfer.calendar import to_calendar

    return to_calendar(dates, now)


def _markdown(report: ProjectReport, _: datetime) -> str:
    from core.transfer.report import to_markdown

    return to_markdown(report)


def _whole(project_id: Id) -> ProjectQuery[Any]:
    return ExportProject(project_id=project_id)


def import_note(format: ExportFormat, answer: object, text: str) -> str:
    """What to know before a whole project of this size is imported again; empty where nothing is in the way."""
    if format is not ExportFormat.JSON or not isinstance(answer, ProjectDocument):
        return ""
    from core.transfer.acceptance import MOST_RECORDS, records_of
    from core.transfer.files import HOW_WITHOUT, MOST_BYTES, MOST_SENT

    size, records = len(text.encode()), records_of(answer)
    if size > MOST_BYTES or records > MOST_RECORDS:
        return (
            f"It has {size:,} bytes and {records:,} records. An import takes {MOST_BYTES:,} and {MOST_RECORDS:,} at"
            " most, so this file cannot be imported again. To keep the project, make a backup: “podium backup FILE”."
        )
    return f"It has {size:,} bytes, and a server takes {MOST_SENT:,}. {HOW_WITHOUT}" if size > MOST_SENT else ""


RENDERINGS: dict[ExportFormat, Rendering] = {
    ExportFormat.JSON: Rendering("The whole project, to import it again (JSON)", ".json", _whole, _json),
    ExportFormat.CSV: Rendering("Tasks and activities as a table (CSV)", ".csv", _whole, _csv),
    ExportFormat.ICAL: Rendering(
        "Phases and due dates for a calendar (iCalendar)", ".ics", lambda id: ListDates(project_id=id), _ical
    ),
    ExportFormat.MARKDOWN: Rendering(
        "A status report (Markdown)", ".md", lambda id: ReportProject(project_id=id), _markdown
    ),
}
