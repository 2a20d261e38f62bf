"""Calendars and plans that Podium writes: what other programs need to read them, and what comes back."""

from __future__ import annotations

import re
from datetime import date
from xml.etree.ElementTree import fromstring

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.actions.cards.cards import SetCardDueDate
from core.actions.dependencies.links import LinkCards
from core.actions.fields.custom_fields import AddField, SetFields
from core.actions.projects.exports import ExportProject, ListDueDates
from core.actions.projects.projects import EditProject
from core.actions.workflow.phases import EditPhase, SetPhaseDueDate
from core.domain.fields import FieldKind, FieldValue
from core.domain.model import ItemKind, Priority, Status
from core.import_export.document import FieldEntry, ItemEntry, PhaseEntry, ProjectDocument, ValueEntry
from core.import_export.files import FileFormat, read_document
from core.reports.formats import to_calendar
from core.reports.plan_xml import to_plan_xml
from tests.support.workspace import World
from tests.unit.import_export.test_plans import DUE, NOW, cards, phases, said
from tests.unit.import_export.test_tables import in_words

HOSTILE_TEXT = "Say “a,b;c”\\n & <b>END:VEVENT</b> =1+1"


def test_a_calendar_of_podium_comes_back_with_its_phases(world: World) -> None:
    world.do(EditProject(project_id=world.project.id, name="C:\\new; a, b"))
    world.do(SetPhaseDueDate(phase_id=world.discover.id, due=DUE))
    plan_ = world.activity("Plan", due=DUE)
    done = world.task(HOSTILE_TEXT, activity_id=plan_.id, due=DUE, assignee_id=world.bob.user_id)
    world.complete(done.id)
    world.task("Without a day")
    world.add_application(world.product(), due=DUE)
    dates = world.ask(ListDueDates(project_id=world.project.id))
    for tasks in (False, True):
        written = to_calendar(dates, NOW, tasks=tasks)
        assert written.count("\r\nBEGIN:VTODO\r\n") == (3 if tasks else 0)
        assert written.count("\r\nBEGIN:VEVENT\r\n") == (1 if tasks else 4)
        read = read_document(written)
        assert (read.document.name, phases(read)) == ("C:\\new; a, b", ["Discover 2026-12-03: "])
        assert sorted(cards(read)) == sorted(
            [
                "Plan: activity in Discover 2026-12-03",
                f"{HOSTILE_TEXT}: in Discover completed 2026-12-03 @Bob Lind",
            ]
        )
        assert "Left out: 1 component of “application”, because only things to do and events are cards." in said(read)
        elsewhere = re.sub("PRODID:.*", "PRODID:-//Mozilla.org/NONSGML Thunderbird//EN", written)
        elsewhere = elsewhere.replace("CATEGORIES:task,Discover", "CATEGORIES:task,Discover,print")
        assert sorted(cards(read_document(elsewhere))) == sorted(
            line.replace("Lind", "Lind #print") for line in cards(read)
        )


def test_a_plan_of_podium_comes_back_with_what_its_page_lists(world: World) -> None:
    field = world.do(AddField(project_id=world.project.id, name="Cost code", kind=FieldKind.TEXT))
    world.do(EditPhase(phase_id=world.discover.id, objectives="Why & how"))
    world.do(SetPhaseDueDate(phase_id=world.discover.id, due=DUE))
    top = world.activity("Plan", member_ids=(world.bob.user_id,), priority=Priority.URGENT, labels=("print", "Legal"))
    task = world.task(HOSTILE_TEXT, activity_id=top.id, due=DUE, description="One\nTwo")
    world.do(SetFields(item_id=task.id, values=(FieldValue(key=field.key, value="=HYPERLINK(1)"),)))
    last = world.task("Last", due=DUE, assignee_id=world.maya.user_id)
    world.do(SetCardDueDate(card_id=last.id, due=date(2026, 12, 6)))
    world.do(LinkCards(waiting_id=last.id, blocker_id=task.id, lag_days=2))
    done, archived = world.task("Done"), world.task("Archived")
    world.complete(done.id, archived.id)
    world.archive(archived.id)
    labels = world.do(AddField(project_id=world.project.id, name="Labels", kind=FieldKind.TEXT))
    world.do(SetFields(item_id=done.id, values=(FieldValue(key=labels.key, value="a, b"),)))
    document = world.ask(ExportProject(project_id=world.project.id))
    written = to_plan_xml(document, NOW)
    read = read_document(written)
    assert (read.format, read.document.name) == (FileFormat.MS_PROJECT, document.name)
    assert [(each.name, each.due, each.objectives) for each in read.document.phases] == [
        (each.name, each.due, each.objectives) for each in document.phases
    ]
    expected = [in_words(document, item) for item in document.items]
    back = [line.replace("@bob@example.com", "@bob").replace("@maya@example.com", "@maya") for line in cards(read)]
    assert sorted(back) == sorted(expected)
    assert read.document.key == document.key
    assert {item.title: item.number for item in read.document.items} == {
        item.title: item.number for item in document.items
    }
    assert f"<UID>{task.number}</UID>" in written  # the number of a card stays
    assert len(set(re.findall("<Alias>(.*?)</Alias>", written))) == 4  # Project has no two fields of one name
    copied = written.replace(f">SPR-{done.number}<", f">SPR-{task.number}<")
    numbers = {item.title: item.number for item in read_document(copied).document.items}
    assert (numbers[task.title], numbers["Done"]) == (task.number, 0)


ORDER = {
    "Project": "SaveVersion Name Title Author CreationDate ScheduleFromStart StartDate CurrencyCode CalendarUID"
    " MinutesPerDay MinutesPerWeek DaysPerMonth ExtendedAttributes Calendars Tasks Resources Assignments",
    "Task": "UID ID Name Active Manual OutlineNumber OutlineLevel Priority Start Finish Duration ManualStart"
    " ManualFinish ManualDuration DurationFormat Estimated Milestone Summary PercentComplete ActualFinish"
    " Hyperlink HyperlinkAddress Notes PredecessorLink ExtendedAttribute",
    "Resource": "UID ID Name Type EmailAddress",
    "Assignment": "UID TaskUID ResourceUID Units",
}


def test_a_plan_is_in_the_order_of_the_schema_and_each_task_has_days(world: World) -> None:
    """Project reads its elements in order; GanttProject leaves out a task without days, with all that is in it."""
    world.do(SetPhaseDueDate(phase_id=world.discover.id, due=DUE))
    link = "https://example.com/brief"
    top = world.activity("Plan", member_ids=(world.bob.user_id,), due=DUE, link=link)
    task = world.task("Without a day", activity_id=top.id, labels=("print",), description="Why")
    world.do(LinkCards(waiting_id=world.task("Last").id, blocker_id=task.id))
    world.complete(task.id)
    written = to_plan_xml(world.ask(ExportProject(project_id=world.project.id)), NOW)
    root = fromstring(written.replace(' xmlns="http://schemas.microsoft.com/project"', ""))
    for tag, names in ORDER.items():
        for part in root.iter(tag):
            found = [*dict.fromkeys(each.tag for each in part)]
            assert found == [name for name in names.split() if name in found]
    assert [each.text for each in root.findall("CurrencyCode")] == ["USD"]
    days = {each.findtext("Name"): (each.findtext("Start"), each.findtext("Estimated")) for each in root.iter("Task")}
    assert len(days) == 7
    assert {(each.findtext("Hyperlink"), each.findtext("HyperlinkAddress")) for each in root.iter("Task")} == {
        (None, None),
        (link, link),
    }
    assert days["Plan"] == days["Discover"] == ("2026-12-03T08:00:00", "0")
    assert days["Without a day"] == days["Build"] == days["Spring launch"] == ("2026-03-02T08:00:00", "1")
    assert read_document(written).document.description == ""
    changed = written.replace("<Finish>2026-03-02T", "<Finish>2026-03-05T")  # in Project, where it stays estimated
    assert {str(item.due) for item in read_document(changed).document.items} == {"2026-12-03", "2026-03-05"}


@pytest.mark.parametrize(("length", "expected"), [(512, "A: {0}"), (513, "A: “Why\n\nLink: {0}”")])
def test_a_link_that_is_longer_than_project_takes_is_in_the_notes(length: int, expected: str) -> None:
    link = "https://example.com/".ljust(length, "a")
    item = ItemEntry(id="1", kind=ItemKind.TASK, title="A", link=link, description="Why" if length > 512 else "")
    document = ProjectDocument(name="Any", phases=(PhaseEntry(name="Work", items=(item,)),))
    assert cards(read_document(to_plan_xml(document, NOW))) == [expected.format(link)]


@pytest.mark.parametrize("said", ["30", "0", "100", "-5", "12.5", "half"])
def test_a_card_in_progress_stays_in_progress_whatever_its_percentage_says(said: str) -> None:
    field = FieldEntry(name="Percent complete", key="percent", kind=FieldKind.TEXT)
    value = ValueEntry(field="percent", value=said)
    item = ItemEntry(id="1", kind=ItemKind.TASK, title="A", status=Status.IN_PROGRESS, fields=(value,))
    document = ProjectDocument(name="Any", fields=(field,), phases=(PhaseEntry(name="Work", items=(item,)),))
    written = to_plan_xml(document, NOW)
    assert f"<PercentComplete>{said if said == '30' else '50'}</PercentComplete>" in written
    assert cards(read_document(written)) == [f"A: in_progress Percent complete={said}"]


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=40))
@settings(max_examples=40, deadline=None)
def test_any_text_can_be_in_a_plan(text: str) -> None:
    item = ItemEntry(id="1", kind=ItemKind.TASK, title=f"A {text}", description=text)
    document = ProjectDocument(name="Any", phases=(PhaseEntry(name=f"A {text}", objectives=text, items=(item,)),))
    assert len(read_document(to_plan_xml(document, NOW)).document.items) == 1
