"""A project as a table, a calendar and a report."""

from __future__ import annotations

import csv
import io
import os
import re
import stat
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from icalendar import Calendar

from core.actions.cards.cards import SetCardDueDate
from core.actions.dependencies.links import LinkCards
from core.actions.fields.custom_fields import AddField, SetFields
from core.actions.history.history import Undo
from core.actions.projects.exports import ExportProject, GetStatusReport, ListDueDates
from core.actions.projects.projects import EditProject
from core.actions.workflow.deliverables import AddDeliverable, Deliver
from core.actions.workflow.gate_conditions import ListConditions, WaiveCondition
from core.actions.workflow.gate_criteria import AddCriterion, RemoveCriterion
from core.actions.workflow.gate_record import ListGateDecisions
from core.actions.workflow.gate_votes import CastVote
from core.actions.workflow.gates import DecideGate
from core.actions.workflow.phases import EditPhase, SetPhaseDueDate
from core.domain.fields import FieldKind, FieldValue
from core.domain.gate_policy import CriterionKind, Vote
from core.domain.gates import Decision
from core.domain.model import Gate, ItemKind, Phase, Priority
from core.errors import InvalidInput
from core.import_export import files, validation
from core.import_export.document import FieldEntry, ItemEntry, PhaseEntry, ProjectDocument, ValueEntry
from core.import_export.files import FileFormat, read_document, text_of, write_file
from core.import_export.tables.csv_export import guard_cell, to_csv, unguard_cell
from core.record import replace
from core.reports import gate_decisions, sections
from core.reports.formats import RENDERINGS, ExportFormat, import_note, to_calendar
from core.reports.status_report import DECISIONS_SHOWN, to_markdown
from core.text.markdown import escape_markdown
from tests.support.conditions import TEXT, set_panel, vote_go_if
from tests.support.workspace import World

DUE = date(2026, 3, 4)
NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
FORMULAS = ("=1+1", "+1", "-1", "@SUM(A1)", "'=1", "''-x", "＝cmd", "'plain", "plain")
TITLES = st.text(st.sampled_from("=+-@'\",;＝ab"), min_size=1, max_size=8).map(str.strip).filter(bool)


def with_titles(*titles: str) -> ProjectDocument:
    items = tuple(ItemEntry(id=str(at), kind=ItemKind.TASK, title=title) for at, title in enumerate(titles))
    return ProjectDocument(name="Any", phases=(PhaseEntry(name="Work", items=items),))


def test_no_cell_of_a_table_is_a_formula() -> None:
    rows = list(csv.DictReader(io.StringIO(to_csv(with_titles(*FORMULAS)), newline="")))
    assert [row["title"] for row in rows] == [
        "'=1+1",
        "'+1",
        "'-1",
        "'@SUM(A1)",
        "''=1",
        "'''-x",
        "'＝cmd",
        "'plain",
        "plain",
    ]


def test_no_head_or_value_of_a_custom_field_is_a_formula() -> None:
    field = FieldEntry(name="=cmd", key="cmd", kind=FieldKind.TEXT)
    items = [
        ItemEntry(id=each, kind=ItemKind.TASK, title="A", fields=(ValueEntry(field="cmd", value=each),))
        for each in FORMULAS
    ]
    document = ProjectDocument(name="Any", fields=(field,), phases=(PhaseEntry(name="Work", items=tuple(items)),))
    heads, *rows = csv.reader(io.StringIO(to_csv(document), newline=""))
    assert heads[-1] == "'=cmd"
    assert [row[-1] for row in rows] == [
        row["title"] for row in csv.DictReader(io.StringIO(to_csv(with_titles(*FORMULAS))))
    ]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_no_part_of_a_cell_does_harm_where_a_spreadsheet_divides_lines_at_another_sign(separator: str) -> None:
    harm = "=cmd|' /C calc'!A0"
    texts = f"x;{harm};y", f"x;'{harm}", f"One\n{harm}\n- item", "a;-b", "x\t@SUM(1)"
    items = tuple(ItemEntry(id=each, kind=ItemKind.TASK, title="A", description=each) for each in texts)
    document = ProjectDocument(name="Any", phases=(PhaseEntry(name=f"W;{harm}", items=items),))
    written = to_csv(document)
    cells = [cell for row in csv.reader(io.StringIO(written, newline=""), delimiter=separator) for cell in row]
    assert not [cell for cell in cells if re.match(r"[=+@-].*[(|!]", cell)]
    again = read_document(written, FileFormat.CSV).document
    assert [item.description.split() for item in again.items] == [item.description.split() for item in items]
    assert "\n- item" in written  # a list in a description stays as it is


@given(st.text(st.sampled_from("=+-@'\";\t\n(|! ＝ab\r"), max_size=14))
def test_a_guarded_cell_comes_back_as_it_was(cell: str) -> None:
    assert unguard_cell(guard_cell(cell)) == cell


@given(st.lists(TITLES, min_size=1))
def test_a_table_is_read_back_as_it_was_written(titles: list[str]) -> None:
    text = to_csv(with_titles(*titles))
    again = read_document(text, FileFormat.CSV).document
    assert [item.title for item in again.items] == titles
    assert to_csv(again) == text


def test_a_table_has_the_cards_with_people_and_dates(world: World) -> None:
    plan = world.activity("Plan", member_ids=(world.bob.user_id,), priority=Priority.URGENT, labels=("print", "Legal"))
    task = world.task("Write, then\tread", activity_id=plan.id, due=DUE, description="One\nTwo")
    world.start(task.id)
    document = world.ask(ExportProject(project_id=world.project.id))
    assert to_csv(document).splitlines() == [
        "key,phase,kind,activity,title,status,assigned,due,description,link,priority,labels",
        "SPR-1,Discover,activity,,Plan,in progress,bob,,,,urgent,Legal; print",
        'SPR-2,Discover,task,Plan,"Write, then read",in progress,,2026-03-04,"One',
        'Two",,normal,',
    ]
    assert to_csv(read_document(to_csv(document)).document) == to_csv(document)


def test_a_calendar_has_events_of_a_day_or_cards_as_things_to_do(world: World) -> None:
    world.do(SetPhaseDueDate(phase_id=world.discover.id, due=DUE))
    task = world.task("Write; “a,b”\\n", due=DUE, assignee_id=world.bob.user_id)
    gone = world.task("Gone", due=DUE)
    world.archive(gone.id)
    dates = world.ask(ListDueDates(project_id=world.project.id))
    events = Calendar.from_ical(to_calendar(dates, NOW)).walk("VEVENT")
    assert [(str(each["summary"]), each.decoded("dtstart"), each.decoded("dtend")) for each in events] == [
        (title, DUE, DUE + timedelta(days=1)) for title in ("Discover due (Spring launch)", task.title)
    ]
    written = to_calendar(dates, NOW, tasks=True)
    assert all(len(line.encode()) <= 75 for line in written.split("\r\n"))
    calendar = Calendar.from_ical(written)
    (event,) = calendar.walk("VEVENT")
    (todo,) = calendar.walk("VTODO")
    assert (event["summary"], event.decoded("dtstart")) == ("Discover due (Spring launch)", DUE)
    assert [each["uid"] for each in events] == [event["uid"], todo["uid"]]
    assert event["uid"] == f"{world.discover.id}@podium.invalid"
    assert (todo["summary"], todo.decoded("due"), todo["status"]) == (task.title, DUE, "NEEDS-ACTION")
    assert "Assigned to Bob Lind" in str(todo["description"])
    world.do(SetCardDueDate(card_id=task.id, due=date(2026, 3, 5)))
    again = Calendar.from_ical(to_calendar(world.ask(ListDueDates(project_id=world.project.id)), NOW, tasks=True))
    assert again.walk("VTODO")[0]["uid"] == todo["uid"]


def test_a_calendar_of_nothing_is_one(world: World) -> None:
    assert (
        Calendar.from_ical(to_calendar(world.ask(ListDueDates(project_id=world.project.id)), NOW)).subcomponents == []
    )


def test_a_report_says_how_it_stands_what_is_late_and_what_was_decided(world: World) -> None:
    world.do(EditProject(project_id=world.project.id, description="For *everybody*."))
    world.do(EditPhase(phase_id=world.discover.id, gate=Gate.REVIEW))
    world.do(SetPhaseDueDate(phase_id=world.discover.id, due=date(2026, 3, 1)))
    world.task("Late | one", due=date(2026, 2, 27))
    world.task("Soon", due=DUE, assignee_id=world.bob.user_id)
    world.task("Far", due=date(2026, 5, 1))
    world.do(DecideGate(phase_id=world.discover.id, decision=Decision.HOLD, reason="Wait for <b>Bob</b>"))
    report = to_markdown(world.ask(GetStatusReport(project_id=world.project.id)))
    for line in (
        "# Spring launch",
        "For \\*everybody\\*.",
        "- Health: **overdue**",
        "- Progress: **0%** (0 of 3 cards done)",
        "| 1 | Discover | open | 0/3 | 2026-03-01 | review, on hold |",
        "| 2 | Build | locked | 0/0 |  | automatic |",
        "- 1 open card is past its due date.",
        "- “Discover” is past its due date.",
        "- 1 card late or due within three days with nobody assigned",
        "- Forecast: The forecast begins on Mon 9 Mar 2026, a week after the first day of the project.",
        "- 2026-02-27: Late \\| one (Discover, nobody)",
        "- 2026-03-04: Soon (Discover, Bob Lind)",
        "- 2026-03-02: Discover, held by Maya Okafor: Wait for \\<b\\>Bob\\</b\\>",
    ):
        assert line in report.splitlines(), line
    assert "Far" not in report


def test_a_report_and_the_gate_record_say_what_became_of_votes_and_conditions(world: World) -> None:
    set_panel(world, world.maya, world.bob)
    condition = vote_go_if(world)
    vote = CastVote(phase_id=world.discover.id, vote=Vote.NO, reason="Too early")
    world.do(vote, world.bob)
    world.do(EditPhase(phase_id=world.build.id, gate=Gate.REVIEW))
    add = AddCriterion(phase_id=world.build.id, kind=CriterionKind.HAND, person_id=world.bob.user_id, text="Signed")

    def report() -> list[str]:
        return to_markdown(world.ask(GetStatusReport(project_id=world.project.id))).splitlines()

    now = report()
    for line in (
        "## Gates now",
        "1 of 2 votes go, 1 no.",
        "- Who decides: all of Maya Okafor and Bob Lind.",
        "- Bob Lind: no: Too early",
        f"| {TEXT} | Discover | Maya Okafor | Bob Lind | 2026-03-20 | proposed |",
    ):
        assert line in now, line
    world.do(replace(vote, vote=Vote.GO, reason=""), world.bob)
    for _ in range(DECISIONS_SHOWN):
        criterion = world.do(add)
        world.do(RemoveCriterion(criterion_id=criterion.id))
    [approval] = [each for each in report() if "approved by" in each]
    assert approval.startswith("- 2026-03-02: Discover, approved by 2 of 2 votes go (Maya Okafor go if, Bob Lind)")
    then = report()
    decisions, votes = then.index("## Decisions at the gates"), then.index("## Votes at the gates")
    assert then[decisions + 2] == "The newest, and those in force; 13 older ones in the gate record."
    assert decisions < then.index(approval) < votes
    assert any("rules changed by Maya Okafor (the criterion “Signed” was removed: person" in each for each in then)
    assert f"voted go if by Maya Okafor, counted (if “{TEXT}”, by Bob Lind" in "\n".join(then[votes:])
    world.clock.forward(days=1)
    world.do(WaiveCondition(condition_id=condition.id, reason="Not sold there"))
    fate = "waived by Maya Okafor on Tue 3 Mar 2026: Not sold there"
    assert f"| {TEXT} | Discover | Maya Okafor | Bob Lind | 2026-03-20 | {fate} |" in report()
    assert any(f"condition waived by Maya Okafor (the condition “{TEXT}” of" in each for each in report())
    lines = world.ask(ListGateDecisions(project_id=world.project.id, every_seal=True))
    conditions = world.ask(ListConditions(project_id=world.project.id))
    record = gate_decisions.to_sections("Spring", lines, {}, timezone(timedelta(hours=14)), conditions)
    assert f"| {TEXT} | Discover | Maya Okafor | Bob Lind | 2026-03-20 | {fate} |" in sections.to_markdown(record)
    assert "- Votes: 2 of 2 votes go" in sections.to_markdown(record)
    assert f"- Condition: if “{TEXT}”" in sections.to_markdown(record)
    [row] = [
        each for each in csv.DictReader(io.StringIO(gate_decisions.to_csv(lines, {}, conditions))) if each["Condition"]
    ]
    assert (row["Entry"], row["Condition"]) == ("voted go if, counted", conditions[0].sentence)
    assert gate_decisions.to_document(lines, {}, conditions)["conditions"][0]["state"] == fate


def test_a_report_has_what_was_promised_the_sums_what_waits_and_the_overridden(world: World) -> None:
    world.do(EditPhase(phase_id=world.discover.id, objectives="Know *who* pays.", outcomes="A price."))
    brief, plan = (world.do(AddDeliverable(phase_id=world.discover.id, name=name)) for name in ("Brief", "Plan"))
    world.do(Deliver(deliverable_id=brief.id, link="https://example.com/brief"), world.bob)
    world.do(AddField(project_id=world.project.id, name="Cost", kind=FieldKind.NUMBER, sums=True))
    world.do(AddField(project_id=world.project.id, name="Ledger", kind=FieldKind.TEXT))
    first, second = world.task("First"), world.task("Second")
    world.do(SetFields(item_id=first.id, values=(FieldValue(key="cost", value="2.5"),)))
    world.do(LinkCards(waiting_id=second.id, blocker_id=first.id))
    world.do(DecideGate(phase_id=world.build.id, decision=Decision.OVERRIDE, reason="Early start"))
    report = to_markdown(world.ask(GetStatusReport(project_id=world.project.id), world.vera))
    for line in (
        "### 1 Discover",
        "Know \\*who\\* pays.",
        "- Deliverable “Brief”: done, delivered by Bob Lind on 2026-03-02; link <https://example.com/brief>",
        f"- Deliverable “{plan.name}”: not done; no evidence",
        "| Cost | 2.5 | 0 | 1 |",
        "| Ledger |  |  | 0 |",
        "- 1 open card must wait for others: SPR-2 “Second”",
        "- Phase 2 Build is open because its lock was overridden",
    ):
        assert line in report.splitlines(), line
    world.complete(first.id)
    after = to_markdown(world.ask(GetStatusReport(project_id=world.project.id)))
    assert "must wait for others" not in after
    assert "| Cost | 2.5 | 2.5 | 1 |" in after


def test_a_report_says_which_dates_were_moved_since_the_last_approval_or_the_start(world: World) -> None:
    def moved() -> list[str]:
        report = to_markdown(world.ask(GetStatusReport(project_id=world.project.id)))
        *_, part = report.partition("## Dates moved\n\n")
        lines = part.partition("\n\n## ")[0].splitlines()
        return [*lines[:1], *lines[4:]]

    def set_due(phase: Phase, day: int | None) -> None:
        world.do(SetPhaseDueDate(phase_id=phase.id, due=date(2026, 4, day) if day else None))

    for phase in (world.discover, world.build, world.launch):
        set_due(phase, 10)
    assert moved() == []  # the first date of a phase is no move
    set_due(world.discover, 17)
    set_due(world.build, 9)
    set_due(world.launch, None)
    set_due(world.discover, 24)
    assert moved() == [
        "Since the start of the project.",
        "| 1 Discover | 2026-04-10 | 2026-04-24 | 14 days later |",
        "| 2 Build | 2026-04-10 | 2026-04-09 | 1 day earlier |",
        "| 3 Launch | 2026-04-10 | no date |  |",
    ]
    world.do(Undo(project_id=world.project.id))
    assert "| 1 Discover | 2026-04-10 | 2026-04-17 | 7 days later |" in moved()
    world.do(EditPhase(phase_id=world.discover.id, gate=Gate.REVIEW))
    world.do(DecideGate(phase_id=world.discover.id, decision=Decision.PASS))
    assert moved() == []
    set_due(world.build, 12)
    assert moved() == [
        "Since the approval of 1 Discover on 2026-03-02.",
        "| 2 Build | 2026-04-09 | 2026-04-12 | 3 days later |",
    ]
    set_due(world.build, 9)
    assert moved() == []  # it came back


def test_a_report_of_a_new_project_has_only_what_there_is_to_say(world: World) -> None:
    project = world.new_project("Empty")
    report = to_markdown(world.ask(GetStatusReport(project_id=project.id)))
    assert [line for line in report.splitlines() if line.startswith("#")] == ["# Empty"]


@pytest.mark.parametrize(
    ("typed", "written"),
    [
        ("# big", "\\# big"),
        ("- item", "\\- item"),
        ("12. item", "12\\. item"),
        ("[x](https://a.b)", "\\[x\\](https\\://a.b)"),
        ("www.a.b or a@b.c", "www\\.a.b or a\\@b.c"),
        ("&lt; & R&D", "\\&lt; & R&D"),
        ("a\n# b", "a # b"),
        ("plain, 1.5 of 2 - done!", "plain, 1.5 of 2 - done!"),
    ],
)
def test_what_people_typed_is_no_markup_in_a_report(typed: str, written: str) -> None:
    assert escape_markdown(typed) == written


def test_every_format_writes_text_of_a_project_with_something_in_each_part(world: World) -> None:
    world.task(due=DUE)
    for format in ExportFormat:
        answer = world.ask(RENDERINGS[format].query(world.project.id))
        assert world.project.name in RENDERINGS[format].text(answer, NOW) or format is ExportFormat.CSV


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    write_file(tmp_path / "a.csv", "ä\r\n", replace=False)
    assert (tmp_path / "a.csv").read_bytes() == "ä\r\n".encode()
    with pytest.raises(InvalidInput, match="is there already"):
        write_file(tmp_path / "a.csv", "", replace=False)
    with pytest.raises(InvalidInput, match="There is no folder"):
        write_file(tmp_path / "none" / "a.csv", "", replace=False)
    with pytest.raises(InvalidInput, match="cannot be replaced"):
        write_file(tmp_path, "", replace=True)
    assert [each.name for each in tmp_path.iterdir()] == ["a.csv"]


def test_an_export_is_private_and_goes_through_no_link_that_another_person_put_there(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.write_text("as it was")
    for name in (".report.json.part", "link.json"):
        (tmp_path / name).symlink_to(mine)
    with pytest.raises(InvalidInput, match=f"is a link to {mine}"):
        write_file(tmp_path / "link.json", "{}", replace=True)
    write_file(tmp_path / "report.json", "{}", replace=True)
    assert mine.read_text() == "as it was"
    assert (tmp_path / "link.json").is_symlink()
    assert (tmp_path / "report.json").read_text() == "{}"
    assert stat.S_IMODE((tmp_path / "report.json").lstat().st_mode) == 0o600
    assert (tmp_path / ".report.json.part").is_symlink()


def test_an_export_is_on_the_disk_before_it_has_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []

    def fsync(descriptor: int) -> None:
        done.append("folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file")

    rename = os.replace

    def named(source: Path, target: Path) -> None:
        done.append("name")
        rename(source, target)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(os, "replace", named)
    write_file(tmp_path / "report.json", "{}", replace=True)
    assert done == ["file", "name", "folder"]


# -- tables for Excel, and what can be imported again ----------------------------------------------------------------


def test_a_table_begins_with_the_mark_by_which_excel_knows_utf_8(world: World) -> None:
    world.task("Café")
    answer = world.ask(RENDERINGS[ExportFormat.CSV].query(world.project.id))
    text = RENDERINGS[ExportFormat.CSV].text(answer, NOW)
    assert text.encode().startswith(b"\xef\xbb\xbfkey,phase,")
    assert [item.title for item in read_document(text_of(text.encode())).document.items] == ["Café"]


def test_an_export_says_when_it_is_too_large_to_be_imported_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.task()
    document = world.ask(ExportProject(project_id=world.project.id))
    text = RENDERINGS[ExportFormat.JSON].text(document, NOW)
    assert import_note(ExportFormat.JSON, document, text) == ""
    monkeypatch.setattr(files, "MAX_SENT", len(text) - 1)
    assert "Import it on the server's machine with --db." in import_note(ExportFormat.JSON, document, text)
    assert import_note(ExportFormat.CSV, document, text) == ""
    monkeypatch.setattr(files, "MAX_BYTES", len(text) - 1)
    assert "cannot be imported again" in import_note(ExportFormat.JSON, document, text)
    monkeypatch.undo()
    monkeypatch.setattr(validation, "MAX_RECORDS", 1)
    assert "cannot be imported again" in import_note(ExportFormat.JSON, document, text)


@pytest.mark.parametrize("ending", ["-wal", "-journal", ".podium-part"])
def test_an_export_gets_no_name_of_a_file_that_sqlite_or_podium_would_remove(ending: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="reserved for files beside a database"):
        write_file(tmp_path / f"other.db{ending}", "{}", replace=True)
    assert list(tmp_path.iterdir()) == []
