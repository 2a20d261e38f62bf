"""Imports Microsoft Project's XML (File, Save As, XML), as ProjectLibre, GanttProject and Podium write it too.

The day of a finish is the due day, and that of a start a field, as are a deadline, custom fields and a percentage. Lags
in working days are days. Work resources become people, and other ones words. What Project calculates is not read.
"""

from __future__ import annotations

import re
from math import ceil
from typing import Any

from core.domain.model import Priority
from core.import_export.draft import Draft, find_unread, lines
from core.import_export.programs.loose_cards import LooseCard, Text, read_moment
from core.import_export.programs.outline import (
    MILESTONE,
    PERCENT,
    PlanOutline,
    Resource,
    describe,
    iso_day,
    take_days,
    take_percent,
    take_wait,
)
from core.import_export.programs.xml_file import count_values, inside, parts_of, read_xml
from core.import_export.tables.csv_export import own_name
from core.record import Record, encoded_fields, field
from core.templates.checked_files import read_values
from core.text.phrases import agree

PRIORITIES = {Priority.LOW: 300, Priority.NORMAL: 500, Priority.HIGH: 700, Priority.URGENT: 900}
"""The numbers of priorities; Project has 0 to 1000, and 500 is the usual one."""

LABELS, KEY = "Labels", "Key"
"""The names of the custom fields in which Podium writes labels, and the keys of cards."""

LINKS = {"0": "finish to finish", "1": "", "2": "start to finish", "3": "start to start"}
_ELAPSED = frozenset(("4", "6", "8", "10", "12"))
_PARTS = frozenset(("19", "20", "51", "52"))
"""The formats of lags that count all hours of the day, and that are a part of the other task's duration."""

_YES, _NO = ("1", "true"), ("0", "false")


class ProjectWait(Record, rename="pascal"):
    uid: Text = field(name="PredecessorUID", default="")
    type: Text = "1"
    cross_project: Text = ""
    link_lag: Text = ""
    lag_format: Text = ""


class ProjectValue(Record, rename="pascal"):
    id: Text = field(name="FieldID", default="")
    value: Text = ""


class ProjectTask(Record, rename="pascal"):
    uid: Text = field(name="UID", default="")
    wbs: Text = field(name="WBS", default="")
    name: Text = ""
    is_null: Text = ""
    active: Text = ""
    outline_number: Text = ""
    outline_level: Text = ""
    priority: Text = ""
    start: Text = ""
    finish: Text = ""
    estimated: Text = ""
    actual_finish: Text = ""
    deadline: Text = ""
    percent_complete: Text = ""
    milestone: Text = ""
    notes: Text = ""
    contact: Text = ""
    hyperlink: Text = ""
    hyperlink_address: Text = ""
    predecessor_link: tuple[ProjectWait, ...] = ()
    extended_attribute: tuple[ProjectValue, ...] = ()


LISTED = frozenset(("Task", "Resource", "Assignment", "PredecessorLink", "ExtendedAttribute"))

USUAL = {"Start": "08:00:00", "Finish": "17:00:00"}
"""The times of day at which days of work begin and end, where a file does not say them."""

PODIUM = "Podium"
"""The author of Podium's own files, whose tasks at the top are the phases."""

ABOUT = ("Subject", "Category", "Company", "Manager", "Author")
"""What a project says of itself, which becomes words in its description."""

_CALCULATED = re.compile(
    "(Actual|Remaining|Regular|Over|Early|Late|Level|Manual|Is|Display|Total|Free|Start|Finish|Work|Cost|Delay|Percent"
    "|Physical|Duration|Resume|Create|Creation|Has|Standard|ConstraintType|FixedCostAccrual|Commitment|Earned)[A-Za-z]*"
    "|GUID|U?ID|Type|Stop|EffortDriven|Recurring|Estimated|Summary|Critical|ExternalTask|ACWP|BCW[SP]|[CS]V|HideBar"
    "|IgnoreResourceCalendar|Rollup|CalendarUID|TimephasedData|Initials|(?:Max|Peak)?Units|Milestone|LinkedFields"
    "|FixedMaterial|ResponsePending|UpdateNeeded|BookingType|AccrueAt|CanLevel|StatusManager"
)
"""Elements of tasks, resources and assignments that Project calculates from the others, or shows them by."""

_NONE = frozenset(("0", "0.00", "-1", "PT0H0M0S", "PT0M0S"))
"""Values that say nothing."""


def draft(text: str, called: str = "") -> Draft:
    """The draft of a plan; ``called`` is its name if it has none. Raises InvalidImport."""
    project = inside(read_xml(text, LISTED), "Project")
    name = str(project.get("Title") or "") or re.sub(r"\.(xml|mpp)$", "", str(project.get("Name") or ""))
    own = str(project.get("StartDate"))[:10] if project.get("Author") == PODIUM else None
    made = Draft(
        name or called, "\n".join(f"{each}: {project[each]}" for each in ABOUT if project.get(each) and own is None)
    )
    outline = PlanOutline(made)
    usual = tuple(str(project.get(f"Default{each}Time") or at) for each, at in USUAL.items())
    heads = {
        str(each.get("FieldID")): str(each.get("Alias") or each.get("FieldName") or each.get("FieldID"))
        for each in parts_of(project, "ExtendedAttributes", "ExtendedAttribute")
    }
    above: list[tuple[int, LooseCard]] = []
    tasks: list[tuple[ProjectTask, LooseCard]] = []
    empty = 0
    for at, task in enumerate(read_values(parts_of(project, "Tasks", "Task"), tuple[ProjectTask, ...])):
        if task.outline_level == "0" and not tasks:  # the project as a task
            about = describe(_card(task, "", heads, own, usual), {}) if own is None else task.notes
            made.description = lines(made.description, made.clean(lines(task.name if task.name != name else "", about)))
        elif task.is_null in _YES or not (task.name or task.notes or task.start or task.finish):
            empty += 1
        else:
            level = int(task.outline_level) if re.fullmatch(r"\d{1,5}", task.outline_level) else 1
            while above and above[-1][0] >= level:
                above.pop()
            card = outline.add(_card(task, f"Tasks.Task[{at}]", heads, own, usual), above[-1][1] if above else None)
            above.append((level, card))
            tasks.append((task, card))
    given = str(project.get("MinutesPerDay") or "")
    minutes = int(given) if re.fullmatch(r"[1-9]\d{0,3}", given) else 480
    rounded = sum(_take_wait(outline, card, each, minutes) for task, card in tasks for each in task.predecessor_link)
    resources = {
        str(each.get("UID")): Resource(
            str(each.get("Name") or ""), str(each.get("EmailAddress") or ""), each.get("Type", "1") == "1"
        )
        for each in parts_of(project, "Resources", "Resource")
        if each.get("Name") or each.get("EmailAddress")
    }
    pairs = (
        (str(each.get("TaskUID")), str(each.get("ResourceUID")))
        for each in parts_of(project, "Assignments", "Assignment")
    )
    outline.assign(resources, (pair for pair in pairs if not pair[1].startswith("-")))
    outline.place(by_top=own is not None)
    if rounded:
        made.note(agree(rounded, "{} lag{s} {is_} rounded up to whole days."))
    made.leave_out(empty, "line", "there is nothing in it")
    _name_unread(made, project)
    return made


def _card(task: ProjectTask, origin: str, heads: dict[str, str], own: str | None, usual: tuple[str, ...]) -> LooseCard:
    """Read a task. ``own`` is the day that Podium writes where there is none, in a plan of its own."""
    card = LooseCard(task.uid, task.name, origin)
    card.description = task.notes
    if task.estimated not in _YES or task.finish[:10] != own:
        take_days(card, task.start, task.finish, usual)
    take_percent(card, task.percent_complete)
    if own is not None:
        card.own.pop(PERCENT, None)
    card.is_archived = task.active in _NO
    card.completed_at = read_moment(task.actual_finish)
    card.say("Finished", "" if card.completed_at else task.actual_finish)
    number = int(task.priority) if re.fullmatch(r"\d{1,4}", task.priority) else 500
    card.priority = min(PRIORITIES, key=lambda each: abs(PRIORITIES[each] - number))
    if task.priority not in ("", str(PRIORITIES[card.priority])):
        card.say("Priority", task.priority)
    if task.milestone in _YES:
        card.labels.append(MILESTONE)
    card.take_link("Link", task.hyperlink_address)
    card.say("Text of the link", task.hyperlink if task.hyperlink != task.hyperlink_address else "")
    card.say("Contact", task.contact)
    for head, text in (("Milestone", task.milestone), ("Active", task.active)):
        card.say(head, text if text not in (*_YES, *_NO) else "")
    deadline = iso_day(task.deadline)
    card.keep("Deadline", deadline.isoformat() if deadline else task.deadline)
    card.keep("WBS", task.wbs if task.wbs != task.outline_number else "")
    for each in task.extended_attribute:
        if (head := heads.get(each.id, f"Field {each.id}")) == LABELS:
            card.labels += filter(None, map(str.strip, each.value.split(",")))
        elif own is not None and head == KEY:
            card.key = each.value
        else:
            text = re.sub(r"^(\d{4}-\d\d-\d\d)T00:00:00$", r"\1", each.value)
            card.keep(head if own is None else own_name(head), text)
    return card


def _take_wait(outline: PlanOutline, card: LooseCard, link: ProjectWait, minutes: int) -> bool:
    """Read what a task waits for. Return True for a lag that is no whole number of days."""
    other = outline.find(link.uid) if link.cross_project in ("", *_NO) else None
    kind = LINKS.get(link.type, f"type {link.type}")
    if not re.fullmatch(r"-?\d{1,9}", link.link_lag or "0") or link.lag_format in _PARTS:
        take_wait(card, other, link.uid, kind, None, f"lag {link.link_lag}")
        return False
    days = int(link.link_lag or 0) / (14_400 if link.lag_format in _ELAPSED else 10 * minutes)
    take_wait(card, other, link.uid, kind, ceil(days), f"{days:+g} days" if days else "")
    return not days.is_integer()


def _name_unread(made: Draft, project: dict[str, Any]) -> None:
    """Name what is on no card."""
    calculated = 0
    for tag, read in {
        "Task": {*encoded_fields(ProjectTask).values()},
        "Resource": {"UID", "Name", "Type", "EmailAddress"},
        "Assignment": {"TaskUID", "ResourceUID"},
    }.items():
        parts = [
            {key: value for key, value in each.items() if key not in read and value and str(value) not in _NONE}
            for each in parts_of(project, f"{tag}s", tag)
        ]
        own = {key for each in parts for key in each if _CALCULATED.fullmatch(key)}
        calculated += sum(len(own & each.keys()) for each in parts)
        made.left_out += find_unread(parts, own, "cards and people here have no such thing")
    made.leave_out(calculated, "value", "Project calculates it, or shows tasks by it")
    known = (*ABOUT, "Title", "Name", "Tasks", "Resources", "Assignments", "ExtendedAttributes")
    number = count_values({key: value for key, value in project.items() if key not in known})
    made.leave_out(number, "value", "it is a setting or a calendar of Project")
