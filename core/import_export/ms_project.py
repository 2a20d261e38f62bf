"""Imports Microsoft Project's XML (File, Save As, XML), as ProjectLibre, GanttProject and Podium write it too.

The day of a finish is the due day, and that of a start a field, as are a deadline, custom fields and a percentage. Lags
in working days are days. Work resources become people, and other ones words. What Project calculates is not read.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from math import ceil

from core.domain.model import Priority, Status
from core.import_export.draft import Draft, LeftOut, find_unread, lines
from core.import_export.loose_cards import LooseCard, Text, read_moment
from core.import_export.outline import MILESTONE, iso_day, place_outline, take_days, take_percent, take_wait
from core.import_export.xml_file import count_values, parts_of, read_xml
from core.record import Record, encoded_fields, field
from core.templates.checked_files import read_values
from core.text.phrases import count

NOBODY = "-65535"
"""The resource of an assignment without one."""

PRIORITIES = {Priority.LOW: 300, Priority.NORMAL: 500, Priority.HIGH: 700, Priority.URGENT: 900}
"""The numbers of priorities; Project has 0 to 1000, and 500 is the usual one."""

LABELS = "Labels"
"""The name of the custom field in which Podium writes labels."""

LINKS = {"0": "finish to finish", "1": "", "2": "start to finish", "3": "start to start"}
_ELAPSED = frozenset(("4", "6", "8", "10", "12"))
_PERCENT = frozenset(("19", "20", "51", "52"))
"""The formats of lags that count all hours of the day, and that are a part of the other task's duration."""


class ProjectWait(Record, rename="pascal"):
    predecessor_uid: Text = field(name="PredecessorUID", default="")
    type: Text = "1"
    cross_project: Text = ""
    link_lag: Text = ""
    lag_format: Text = ""


class ProjectValue(Record, rename="pascal"):
    field_id: Text = field(name="FieldID", default="")
    value: Text = ""


class ProjectTask(Record, rename="pascal"):
    uid: Text = field(name="UID", default="")
    name: Text = ""
    is_null: Text = ""
    active: Text = ""
    outline_number: Text = ""
    outline_level: Text = ""
    wbs: Text = field(name="WBS", default="")
    priority: Text = ""
    start: Text = ""
    finish: Text = ""
    actual_finish: Text = ""
    deadline: Text = ""
    percent_complete: Text = ""
    milestone: Text = ""
    notes: Text = ""
    contact: Text = ""
    hyperlink_address: Text = ""
    predecessor_link: tuple[ProjectWait, ...] = ()
    extended_attribute: tuple[ProjectValue, ...] = ()


class ProjectResource(Record, rename="pascal"):
    uid: Text = field(name="UID", default="")
    name: Text = ""
    type: Text = "1"
    email_address: Text = ""


class ProjectAssignment(Record, rename="pascal"):
    task_uid: Text = field(name="TaskUID", default="")
    resource_uid: Text = field(name="ResourceUID", default="")


LISTED = frozenset(("Task", "Resource", "Assignment", "PredecessorLink", "ExtendedAttribute"))

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
    raw = read_xml(text, LISTED).get("Project")
    project: Mapping[str, object] = raw if isinstance(raw, dict) else {}
    name = str(project.get("Title") or "") or re.sub(r"\.(xml|mpp)$", "", str(project.get("Name") or ""))
    about = [f"{each}: {said}" for each in ABOUT if isinstance(said := project.get(each), str) and said]
    made = Draft(name or called, "\n".join(about))
    tasks = read_values(parts_of(project, "Tasks", "Task"), tuple[ProjectTask, ...])
    fields = {
        str(each.get("FieldID")): str(each.get("Alias") or each.get("FieldName") or "Field")
        for each in parts_of(project, "ExtendedAttributes", "ExtendedAttribute")
    }
    people = _find_people(made, project)
    cards: list[LooseCard] = []
    by_uid: dict[str, LooseCard] = {}
    levels: list[tuple[int, LooseCard]] = []
    empty = 0
    waiting = []
    for at, task in enumerate(tasks):
        if task.outline_level == "0":
            made.description = lines(made.description, task.name if task.name != name else "", task.notes)
        elif task.is_null in ("1", "true") or not (task.name or task.notes or task.start or task.finish):
            empty += 1
        else:
            card = _card(task, f"Tasks.Task[{at}]", fields)
            level = int(task.outline_level) if task.outline_level.isdecimal() else task.outline_number.count(".") + 1
            while levels and levels[-1][0] >= level:
                levels.pop()
            card.parent = levels[-1][1].id if levels else ""
            levels.append((level, card))
            if by_uid.setdefault(task.uid, card) is not card:
                card.id = f"{card.id} again, {card.origin}"
            cards.append(card)
            waiting.append((card, task))
            for login, say in people[task.uid]:
                card.say("Resource", login) if say else card.people.append(login)
    minutes = str(project.get("MinutesPerDay") or "")
    rounded = sum(
        _take_waits(card, task, by_uid, int(minutes) if minutes.isdecimal() else 480) for card, task in waiting
    )
    place_outline(made, cards)
    if any(each.own.get("Start") for each in cards) or waiting:
        made.note("Days are those of the file: Project's working days and calendars are not here.")
    if rounded:
        made.note(f"{count(rounded, 'lag')} {'is' if rounded == 1 else 'are'} rounded up to whole days.")
    if empty:
        made.left_out.append(LeftOut(empty, "line", "there is nothing in it"))
    _name_unread(made, project)
    return made


def _card(task: ProjectTask, origin: str, fields: Mapping[str, str]) -> LooseCard:
    card = LooseCard(task.uid, task.name, origin)
    card.description = task.notes
    take_days(card, task.start, task.finish, ("Start", "Finish"))
    take_percent(card, task.percent_complete)
    if task.active in ("0", "false"):
        card.status = Status.ARCHIVED
    card.completed_at = read_moment(task.actual_finish)
    if card.completed_at is None:
        card.say("Finished", task.actual_finish)
    if task.priority.isdecimal():
        number = int(task.priority[:4])
        card.priority = min(PRIORITIES, key=lambda each: (abs(PRIORITIES[each] - number), -PRIORITIES[each]))
        if PRIORITIES[card.priority] != number:
            card.say("Priority", task.priority)
    elif task.priority:
        card.say("Priority", task.priority)
    if task.milestone in ("1", "true"):
        card.labels.append(MILESTONE)
    card.take_link("Link", task.hyperlink_address)
    card.say("Contact", task.contact)
    if day := iso_day(task.deadline):
        card.own["Deadline"] = day.isoformat()
    else:
        card.say("Deadline", task.deadline)
    if task.wbs != task.outline_number:
        card.own["WBS"] = task.wbs
    for each in task.extended_attribute:
        value = re.sub(r"^(\d{4}-\d\d-\d\d)T00:00:00$", r"\1", each.value)
        if (name := fields.get(each.field_id, f"Field {each.field_id}")) == LABELS:
            card.labels += filter(None, map(str.strip, value.split(",")))
        else:
            card.own[name] = value
    card.own = {name: value for name, value in card.own.items() if value}
    return card


def _find_people(made: Draft, project: Mapping[str, object]) -> dict[str, list[tuple[str, bool]]]:
    """The logins of people, and the names of other resources, by the UIDs of the tasks to which they are assigned."""
    resources = read_values(parts_of(project, "Resources", "Resource"), tuple[ProjectResource, ...])
    by_uid = {each.uid: each for each in resources}
    used: set[str] = set()
    found: dict[str, list[tuple[str, bool]]] = defaultdict(list)
    for each in read_values(parts_of(project, "Assignments", "Assignment"), tuple[ProjectAssignment, ...]):
        resource = by_uid.get(each.resource_uid)
        if resource and (resource.name or resource.email_address):
            used.add(resource.uid)
            login = resource.email_address or resource.name
            if resource.type == "1" and len(login) <= 100:
                made.person(login, resource.name, resource.email_address)
            found[each.task_uid].append((login if resource.type == "1" else resource.name, resource.type != "1"))
    if idle := sum(bool(each.name) and each.uid not in used for each in resources):
        made.left_out.append(LeftOut(idle, "resource", "no task has it"))
    return found


def _take_waits(card: LooseCard, task: ProjectTask, by_uid: Mapping[str, LooseCard], minutes: int) -> int:
    """Read what a task waits for. Return how many of the lags are no whole days."""
    rounded = 0
    for each in task.predecessor_link:
        other = by_uid.get(each.predecessor_uid) if each.cross_project in ("", "0", "false") else None
        lag: int | None = None
        words = "lag " + each.link_lag if each.link_lag not in ("", "0") else ""
        if re.fullmatch(r"-?\d{1,9}", each.link_lag or "0") and each.lag_format not in _PERCENT:
            days = int(each.link_lag or 0) / (14_400 if each.lag_format in _ELAPSED else 10 * max(minutes, 1))
            lag, words = ceil(days), f"{days:+g} days" if days else ""
            rounded += days != lag and LINKS.get(each.type) == ""
        take_wait(card, other, each.predecessor_uid, LINKS.get(each.type, f"type {each.type}"), lag, words)
    return rounded


def _name_unread(made: Draft, project: Mapping[str, object]) -> None:
    """Name what is on no card."""
    kinds = {"Task": ProjectTask, "Resource": ProjectResource, "Assignment": ProjectAssignment}
    calculated = 0
    for tag, kind in kinds.items():
        read = {*encoded_fields(kind).values()}
        parts = [
            {key: value for key, value in each.items() if value not in _NONE and key not in read}
            for each in parts_of(project, f"{tag}s", tag)
        ]
        own = {key for each in parts for key in each if _CALCULATED.fullmatch(key)}
        calculated += sum(bool(each[key]) for each in parts for key in own & each.keys())
        made.left_out += find_unread(parts, own, "cards and people here have no such thing")
    if calculated:
        made.left_out.append(LeftOut(calculated, "value", "Project calculates it, or shows tasks by it"))
    others = {
        key: value
        for key, value in project.items()
        if key not in (*ABOUT, "Title", "Name", "Tasks", "Resources", "Assignments", "ExtendedAttributes")
    }
    if number := count_values(others):
        made.left_out.append(LeftOut(number, "value", "it is a setting or a calendar of Project"))
