"""Calendars, and plans of GanttProject and Microsoft Project: what each part of them becomes, and that none is lost.

Each format has a sample with all that it can hold. Nothing else tests what becomes of outlines, links and zones.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.codec.encoding import to_json
from core.errors import InvalidImport
from core.import_export.files import FileFormat, ImportedFile, detect_format, read_document
from core.import_export.programs import xml_file
from tests.unit.import_export.test_tables import in_words

SAMPLES = Path(__file__).parent / "samples"
NOW = datetime(2026, 11, 2, 12, tzinfo=UTC)
DUE = date(2026, 12, 3)


def cards(read: ImportedFile) -> list[str]:
    return [in_words(read.document, item) for item in read.document.items]


def phases(read: ImportedFile) -> list[str]:
    return [f"{each.name} {each.due or ''}: {each.objectives}" for each in read.document.phases]


def said(read: ImportedFile) -> list[str]:
    return [*read.notes, *(each.sentence for each in read.left_out)]


CALENDAR = (
    [
        "Print the leaflet; both sides: in_progress 2026-12-03 high @bob@example.com #print #paper thick #urgent"
        " Start=2026-11-30 Percent complete=40 after Write the text +2 https://example.com/leaflet “First line\n"
        "Second line, which is folded in the middle of a word\n\nWhen: until 23:30 Europe/Berlin\n"
        "Priority: 2\nAttendee: Room 5 room5@example.com\n"
        "Organizer: Okafor, Maya maya@example.com\nPlace: Print shop\nComment: Ask for a proof\n"
        "Attached: https://example.com/leaflet.pdf\nRepeats: FREQ=SECONDLY;INTERVAL=1;BYSETPOS=366\n"
        "Related (starttostart): Fair\nLabels: paper, thick”",
        "Write the text: completed of The whole text 2026-12-01 low",
        "The whole text: activity “Duration: P2DT4H”",
        "Never mind: archived of Fair “Due: someday”",
        "Fair: activity 2027-03-03 Start=2027-03-01 after Late talk “Status: TENTATIVE”",
        "Late talk: 2027-01-05 “When: 22:00–00:00 America/New_York”",
        "Two days: 2027-01-11 Start=2027-01-10",
    ],
    ["Work : "],
    [
        "Not as in the file, but said in descriptions: “Labels” of 1 card.",
        "Start days are a date field, because cards have no start yet.",
        "1 card of what repeats comes once.",
        "Left out: 8 values of “CALSCALE”, “X-WR-TIMEZONE”, “DTSTAMP”, “PARTSTAT”, “ATTACH”, “X-APPLE-SORT-ORDER”,"
        " “SEQUENCE” and “CLASS”, because cards have no such thing.",
        "Left out: 2 components of “STANDARD” and “VTIMEZONE”, because a day is the one that stands in the file.",
        "Left out: 2 components of “VALARM” and “VJOURNAL”, because only things to do and events are cards.",
    ],
)
GANTT = (
    [
        "Leaflet: activity in Print in_progress 2026-12-05 urgent Start=2026-12-01 Percent complete=50"
        " https://example.com/leaflet",
        "Text: in Print completed of Leaflet 2026-12-03 Start=2026-12-01",
        "Headline: in Print of Leaflet 2026-12-01 “Parent: Text”",
        "Layout: in Print of Leaflet 2026-12-28 low @bob@example.com Start=2026-12-24 Cost code=00123 after Text +2"
        " “Priority: lowest\nAssigned: bob@example.com and Ann”",
        "Leaflet is there: in Print 2026-12-28 #milestone “Linked with: Layout (start to start)\n"
        "Linked with: Layout (finish to start, -1 days)”",
        "Stand: in Fair Start=2027-01-04 https://example.com/stand “Duration: soon”",
        "Party: activity in Fair 2027-01-11 @bob@example.com @Ann Start=2027-01-09",
    ],
    [
        "Print 2026-12-14: All that is on paper\n\nStatus: in progress\nPriority: high\nStart: 2026-11-30\n"
        "Percent complete: 30",
        "Fair 2027-01-07: Start: 2027-01-04\nWaits for: Print",
    ],
    [
        "2 tasks at the top that hold tasks are the phases; a phase is locked until those before it are done.",
        "Not as in the file, but said in descriptions: “Parent” of 1 card and “Assigned” of 1 card.",
        "Start days are a date field, because cards have no start yet.",
        "1 milestone has this label.",
        "Due days are the ends that GanttProject shows, by the weekends and holidays of the file.",
        "Left out: 1 resource, because no task has it.",
        "Left out: 1 assignment, because its task or its resource is not in the file.",
        "Left out: 12 values of “color”, “expand”, “thirdDate” and “thirdDate-constraint”, because cards have no"
        " colours, shapes and such.",
        "Left out: 1 value of “hardness”, because waits here are all alike.",
        "Left out: 6 values of “function”, “phone”, “rate” and “contacts”, because people here have no such thing.",
        "Left out: 6 values of “function” and “load”, because a card just has its people.",
        "Left out: 13 values of “view-date”, “version”, “locale”, “view”, “vacations” and “roles”, because GanttProject"
        " has it for itself.",
    ],
)
PROJECT = (
    [
        "Leaflet: activity in Print in_progress 2026-12-24 urgent Start=2026-12-01 Percent complete=50 WBS=P.1",
        "Text: in Print completed of Leaflet 2026-12-03 high Start=2026-12-01 https://example.com/text"
        " “Priority: 650\nContact: Eve”",
        "Layout: in Print of Leaflet 2026-12-24 @bob@example.com Deadline=2026-12-31 Cost code=00123 Date1=2026-12-30"
        " after Text +2 “Resource: Paper”",
        "Leaflet is there: in Print 2026-12-28 #milestone after Leaflet +1 “Linked with: Layout (start to start)\n"
        "Linked with: Text (finish to start, -1 days)”",
        "Stand: in Fair archived “Due: some day\nWaits for: Print”",
    ],
    [
        "Print 2026-12-28: All that is on paper\n\nStatus: in progress\nStart: 2026-11-30\nPercent complete: 30",
        "Fair : ",
    ],
    [
        "2 tasks at the top that hold tasks are the phases; a phase is locked until those before it are done.",
        "Start days are a date field, because cards have no start yet.",
        "1 milestone has this label.",
        "1 lag is rounded up to whole days.",
        "Left out: 1 resource, because no task has it.",
        "Left out: 1 line, because there is nothing in it.",
        "Left out: 2 values of “FixedCost” and “Baseline”, because cards and people here have no such thing.",
        "Left out: 1 value of “Group”, because cards and people here have no such thing.",
        "Left out: 21 values, because Project calculates it, or shows tasks by it.",
        "Left out: 4 values, because it is a setting or a calendar of Project.",
    ],
)


@pytest.mark.parametrize(
    ("name", "format", "expected"),
    [
        ("plan.ics", FileFormat.ICALENDAR, CALENDAR),
        ("plan.gan", FileFormat.GANTTPROJECT, GANTT),
        ("plan.xml", FileFormat.MS_PROJECT, PROJECT),
    ],
)
def test_a_sample_with_all_that_a_format_can_hold(
    name: str, format: FileFormat, expected: tuple[list[str], list[str], list[str]]
) -> None:
    read = read_document((SAMPLES / name).read_bytes())
    assert (read.format, read.document.name) == (format, "Spring launch")
    assert (cards(read), phases(read), said(read)) == expected


# -- what one part of a file becomes -----------------------------------------------------------------------------------


def calendar(*components: str) -> str:
    return "\r\n".join(["BEGIN:VCALENDAR", *components, "END:VCALENDAR", ""])


def todo(*lines: str) -> str:
    return "\r\n".join(["BEGIN:VTODO", *lines, "END:VTODO"])


def event(*lines: str) -> str:
    return todo(*lines).replace("VTODO", "VEVENT")


def gantt(tasks: str, calendars: str = "") -> str:
    return f'<project name="Plan">{calendars}<tasks>{tasks}</tasks></project>'


def plan(*tasks: str, more: str = "") -> str:
    listed = "".join(f"<Task>{each}</Task>" for each in tasks)
    return f'<Project xmlns="http://schemas.microsoft.com/project"><Tasks>{listed}</Tasks>{more}</Project>'


WEEK = '<calendars><day-types><default-week sat="1" sun="1"/>{}</day-types>{}</calendars>'
FRIDAY = '<task id="1" name="A" start="2026-12-04" duration="2"/>'

PARTS = [
    (calendar(event("SUMMARY:A", "DTSTART:20261203T230000Z")), ["A: 2026-12-03 “When: 23:00 UTC”"]),
    (calendar(event("SUMMARY:A", "DTSTART:20261203T090000", "DTEND:20261204T100000")),
     ["A: 2026-12-04 Start=2026-12-03 “When: 09:00–10:00”"]),
    (calendar(event("SUMMARY:A", "DTSTART:20261203T100000", "DURATION:PT1H30M")),
     ["A: 2026-12-03 “When: 10:00–11:30”"]),
    (calendar(event("SUMMARY:A", "DTSTART:20261203T000000", "DTEND:20261204T000000")), ["A: 2026-12-03"]),
    (calendar(todo("UID:1", "SUMMARY:A", "DUE:20261203T093000")), ["A: 2026-12-03 “When: until 09:30”"]),
    (calendar(event("SUMMARY:A", "DTSTART;VALUE=DATE:20261203", "DTEND;VALUE=DATE:20261203")), ["A: 2026-12-03"]),
    (calendar(event("SUMMARY:A", "DTSTART;VALUE=DATE:20261203", "DURATION:P99999999999D")),
     ["A: 2026-12-03 “Duration: P99999999999D”"]),
    (calendar(todo("SUMMARY:A", "STATUS:COMPLETED", "PERCENT-COMPLETE:no")), ["A: completed “Percent complete: no”"]),
    (calendar(todo("UID:1", "SUMMARY:A", "DUE:1066")), ["A: “Due: 1066”"]),
    (calendar(todo("SUMMARY:A", "SUMMARY:B", "UID:1", "RELATED-TO:2"), todo("UID:2", "SUMMARY:C", "RELATED-TO:1")),
     ["A: activity “Parent: C”", "C: of A"]),
    (gantt(FRIDAY), ["A: 2026-12-05 Start=2026-12-04"]),
    (gantt(FRIDAY, WEEK.format("", "")), ["A: 2026-12-07 Start=2026-12-04"]),
    (gantt(FRIDAY, WEEK.format('<only-show-weekends value="true"/>', "")), ["A: 2026-12-05 Start=2026-12-04"]),
    (gantt(FRIDAY, WEEK.format("", '<date year="2026" month="12" date="7" type="HOLIDAY"/>')),
     ["A: 2026-12-08 Start=2026-12-04"]),
    (gantt('<task id="1" name="A" start="2026-12-04" duration="99999999999999"/>'),
     ["A: Start=2026-12-04 “Duration: 99999999999999”"]),
    (gantt('<task id="1" name="A"/><task id="1" name="B"/>'), ["A:", "B:"]),
    (gantt('<taskproperties><taskproperty id="c" name="Start"/></taskproperties>' + FRIDAY + '<task id="2" name="B">'
           '<customproperty taskproperty-id="c" value="soon"/></task>'),
     ["A: 2026-12-05 Start=2026-12-04", "B: Start=soon"]),
    (plan("<UID>1</UID><Name>A</Name><Priority>9999999</Priority>"), ["A: “Priority: 9999999”"]),
    (plan("<UID>1</UID><Name>A</Name><Name>B</Name><OutlineLevel>x</OutlineLevel>"), ["A:"]),
    (plan("<UID>1</UID><Name><b>A</b></Name>"), ['{"b": "A"}:']),
    (plan("<UID>1</UID><Name>A</Name><PredecessorLink><PredecessorUID>1</PredecessorUID></PredecessorLink>"),
     ["A: “Waits for: A”"]),
    (plan("<UID>1</UID><Name>A</Name>", "<UID>2</UID><Name>B</Name><PredecessorLink><PredecessorUID>1</PredecessorUID>"
          "<Type>1</Type><LinkLag>50</LinkLag><LagFormat>19</LagFormat></PredecessorLink>"),
     ["A:", "B: “Linked with: A (finish to start, lag 50)”"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), PARTS)
def test_one_strange_or_special_value_becomes_what_it_means_or_words(text: str, expected: list[str]) -> None:
    assert [line.replace(": ", ":", 1) if line.endswith(": ") else line for line in cards(read_document(text))] == [
        each.removesuffix(":") for each in expected
    ]


def nested(*titles: str) -> str:
    """A plan of tasks, whose titles begin with a dot for each level."""
    return plan(
        *(
            f"<UID>{at}</UID><Name>{title.lstrip('.')}</Name><OutlineLevel>{title.count('.') + 1}</OutlineLevel>"
            for at, title in enumerate(titles, 1)
        )
    )


@pytest.mark.parametrize(
    ("titles", "expected"),
    [
        (("A", ".B", "C"), {"Work": ["A", "B", "C"]}),
        (("A", ".B", "C", ".D"), {"A": ["B"], "C": ["D"]}),
        (("Z", "A", ".B", "Y", "C", ".D", "..E", "X"), {"A": ["Z", "B", "Y"], "C": ["D", "E", "X"]}),
        (("All", ".A", "..B", ".C", "..D"), {"A": ["B"], "C": ["D"]}),
        (("All", ".A", ".B"), {"Work": ["All", "A", "B"]}),
        (("A", ".B", "A", ".C"), {"A": ["B"], "A 2": ["C"]}),
        (("A" * 300, ".B", "C", ".D"), {"A" * 76 + " 2": ["B"], "C": ["D"]}),
    ],
)
def test_several_tasks_at_the_top_that_hold_tasks_are_the_phases(
    titles: tuple[str, ...], expected: dict[str, list[str]]
) -> None:
    read = read_document(nested(*titles))
    assert {each.name: [item.title for item in each.items] for each in read.document.phases} == expected
    assert all(title.lstrip(".") in json.dumps(to_json(read.document)) for title in titles)


# -- nothing is lost ---------------------------------------------------------------------------------------------------

PLANS = st.lists(
    st.tuples(st.integers(1, 5), st.dictionaries(st.integers(0, 19), st.integers(0, 7), max_size=8)), max_size=12
)
TAGS = (
    "Notes WBS Contact Start Finish Deadline Priority PercentComplete HyperlinkAddress ActualFinish "
    "Milestone Active FixedCost Cost Baseline ConstraintDate PredecessorLink ExtendedAttribute Name "
    "Unknown"
)


PROPERTIES = (
    "DESCRIPTION DTSTART DUE DURATION STATUS PERCENT-COMPLETE COMPLETED PRIORITY CATEGORIES ATTENDEE "
    "ORGANIZER URL COMMENT RRULE X-ANY DTSTAMP ATTACH LOCATION SUMMARY DTEND"
)


def token(at: int, tag: object) -> str:
    return f"v{at}x{str(tag).lower()}z"


def as_project(tasks: list[tuple[int, dict[int, int]]]) -> str:
    made = []
    for at, (level, held) in enumerate(tasks):
        inside = [f"<UID>{at}</UID><Name>{token(at, 'title')}</Name><OutlineLevel>{level}</OutlineLevel>"]
        for number, choice in held.items():
            tag, value = TAGS.split()[number], ("2026-12-03T08:00:00", "50", token(at, number))[min(choice, 2)]
            if tag == "PredecessorLink":
                value = f"<PredecessorUID>{choice}</PredecessorUID><Type>{choice}</Type><LinkLag>{at * 4800}</LinkLag>"
            if tag == "ExtendedAttribute":
                value = f"<FieldID>{choice}</FieldID><Value>{value}</Value>"
            inside.append(f"<{tag}>{value}</{tag}>")
        made.append("".join(inside))
    return plan(*made)


def as_gantt(tasks: list[tuple[int, dict[int, int]]]) -> str:
    names = ("notes", "webLink", "start", "duration", "complete", "priority", "color", "thirdDate", "unknown", "shape")
    text, depth = "", 0
    for at, (level, held) in enumerate(tasks):
        while depth >= level:
            text, depth = f"{text}</task>", depth - 1
        values = {
            names[number]: ("2026-12-03", "50", token(at, names[number]))[min(choice, 2)]
            for number, choice in held.items()
            if number < len(names)
        }
        said = "".join(f" {name}={quoteattr(value)}" for name, value in values.items())
        text += f'<task id="{at}" name="{token(at, "title")}"{said}><depend id="{at % 5}" type="{level % 4}"/>'
        depth += 1
    return gantt(text + "</task>" * depth)


def as_calendar(tasks: list[tuple[int, dict[int, int]]]) -> str:
    names = PROPERTIES.split()
    made = []
    for at, (level, held) in enumerate(tasks):
        lines = [f"UID:{at}", f"SUMMARY:{token(at, 'title')}"]
        lines += [
            f"RELATED-TO;RELTYPE={('PARENT', 'CHILD', 'DEPENDS-ON', 'FINISHTOSTART', 'NEXT')[level - 1]}:{at * 7 % 5}"
        ]
        for number, choice in held.items():
            value = ("20261203T080000Z", "50", token(at, number))[min(choice, 2)]
            lines.append(f"{names[number]}:{value}")
        made.append((todo if level % 2 else event)(*lines))
    return calendar(*made)


def check_conserved(
    write: Callable[[list[tuple[int, dict[int, int]]]], str], tasks: list[tuple[int, dict[int, int]]]
) -> None:
    """Each title is in the project, and other values are in it or counted among what is left out."""
    text = write(tasks)
    read = read_document(text)
    whole = json.dumps(to_json(read.document)).lower()
    lost = [
        word
        for at in range(len(tasks))
        for word in (token(at, tag) for tag in ("title", *range(20), *("notes", "webLink", "color", "shape")))
        if word in text and word not in whole
    ]
    assert not [word for word in lost if "title" in word]
    assert len(lost) <= sum(each.number for each in read.left_out)
    peeled = sum("is the project" in note for note in read.notes)
    assert len(read.document.items) + len(read.document.phases) + peeled >= len(tasks)


@pytest.mark.parametrize("write", [as_project, as_gantt, as_calendar])
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(tasks=PLANS)
def test_nothing_of_a_random_file_is_lost(write: Any, tasks: list[tuple[int, dict[int, int]]]) -> None:
    check_conserved(write, tasks)


@pytest.mark.sweep
@pytest.mark.parametrize("write", [as_project, as_gantt, as_calendar])
@settings(max_examples=1_000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(tasks=PLANS)
def test_nothing_of_many_random_files_is_lost(write: Any, tasks: list[tuple[int, dict[int, int]]]) -> None:
    check_conserved(write, tasks)


# -- files that harm, or that are no whole files -----------------------------------------------------------------------

BOMB = '<!DOCTYPE Project [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>'
OUTSIDE = '<!DOCTYPE Project [<!ENTITY a SYSTEM "file:///etc/passwd">]>'
HOSTILE = {
    "entities": (BOMB + plan("<Name>&b;</Name>"), "entities of its own"),
    "an outside entity": (OUTSIDE + plan("<Name>&a;</Name>"), "entities of its own"),
    "a DTD": ('<!DOCTYPE project SYSTEM "http://example.com/x.dtd">' + gantt(""), "entities of its own"),
    "100,000 levels": (gantt('<task id="1" name="A">' * 100_000), "levels deep"),
    "too many elements": (plan("<a/>" * 20_000), "more than 10,000 elements"),
    "half a file": (plan("<Name>A</Name>")[:-20], "not whole XML"),
    "a task of words": (gantt("<task>words</task>") + "<", "not whole XML"),
    "half a calendar": (calendar(todo("SUMMARY:A"))[:-28], "It ends inside a VTODO"),
    "an end too many": (calendar("END:VTODO"), "ends nothing"),
    "1,000,000 components": (calendar("BEGIN:VTODO\nEND:VTODO\n" * 1_000_000), "Split it"),
    "100,000 components in each other": (calendar("BEGIN:VTODO\n" * 99_000), "ends nothing"),
    "a long line": ("BEGIN:VCALENDAR\nA:" + "a" * 20_000_000, "Split it"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_or_broken_file_is_refused_in_one_sentence(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xml_file, "MAX_ELEMENTS", 10_000)
    text, expected = HOSTILE[name]
    with pytest.raises(InvalidImport, match=expected):
        read_document(text)


def test_a_line_that_broken_folding_cut_is_put_behind_the_one_before() -> None:
    read = read_document(calendar(todo("SUMMARY:A", "DESCRIPTION:One", "two and three")))
    assert cards(read) == ["A: “One\ntwo and three”"]
    assert said(read)[0] == "1 broken line is put behind the line before."


def test_a_fold_inside_a_letter_is_no_fault() -> None:
    letter = "é".encode()
    text = calendar(todo("SUMMARY:Caf|")).encode().replace(b"|", letter[:1] + b"\r\n " + letter[1:])
    read = read_document(text)
    assert (cards(read), said(read)) == (["Café"], [])


@pytest.mark.parametrize(
    ("text", "format"),
    [
        ("\ufeffBEGIN:VCALENDAR\nEND:VCALENDAR", FileFormat.ICALENDAR),
        ('<?xml version="1.0"?>\n<!-- one -->\n' + gantt(""), FileFormat.GANTTPROJECT),
        ('<?xml version="1.0"?>' + plan(), FileFormat.MS_PROJECT),
    ],
)
def test_a_format_is_known_by_what_is_in_the_file(text: str, format: FileFormat) -> None:
    assert detect_format(text) is format


def test_another_project_in_xml_is_no_plan_of_ganttproject() -> None:
    with pytest.raises(InvalidImport, match="It is XML"):
        detect_format('<?xml version="1.0"?><project xmlns="http://maven.apache.org/POM/4.0.0"></project>')
    with pytest.raises(InvalidImport, match="File, Save As, XML"):
        read_document(b"\xd0\xcf\x11\xe0")
