"""Phases and due dates as iCalendar (RFC 5545), written by the ``icalendar`` library.

A phase is an all-day event on its due date; a card or an application is a to-do. The UIDs come from the ids of the
records, so a calendar that reads the file again updates its entries instead of adding new ones.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from core.actions.projects.exports import DueItem, ProjectSchedule
from core.domain.model import Status
from core.text.phrases import in_words

UID_DOMAIN = "podium.invalid"
"""Makes the UIDs distinct from those of other programs; no one can own this top-level domain (RFC 2606)."""

STATUSES = {Status.TO_DO: "NEEDS-ACTION", Status.IN_PROGRESS: "IN-PROCESS", Status.COMPLETED: "COMPLETED"}


def to_calendar(dates: ProjectSchedule, now: datetime) -> str:
    """The calendar of a project. ``now`` is the time of the export."""
    from icalendar import Calendar

    calendar = Calendar()
    calendar.add("prodid", "-//Podium//podium-tui//EN")
    calendar.add("version", "2.0")
    calendar.add("x-wr-calname", dates.project)
    for line in dates.lines:
        calendar.add_component(_component(line, dates.project, now))
    written: bytes = calendar.to_ical()
    return written.decode()


def _component(line: DueItem, project: str, now: datetime) -> Any:
    from icalendar import Event, Todo

    component = Event() if line.kind == "PHASE" else Todo()
    component.add("uid", f"{line.id}@{UID_DOMAIN}")
    component.add("dtstamp", now)
    if line.kind == "PHASE":
        component.add("summary", f"{line.title} due ({project})")
        component.add("dtstart", line.due)
        component.add("dtend", line.due + timedelta(days=1))
        component.add("transp", "TRANSPARENT")
    else:
        component.add("summary", line.title)
        component.add("due", line.due)
        component.add("categories", [in_words(line.kind), line.phase])
        if line.status is not None:
            component.add("status", STATUSES[line.status])
    about = [f"{project}: {line.phase}", *([f"Assigned to {', '.join(line.people)}"] if line.people else [])]
    component.add("description", "\n".join(about))
    return component
