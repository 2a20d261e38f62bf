"""``podium project export``, ``podium project import`` and ``podium report``."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from core.codec.encoding import to_json
from core.domain.model import Status
from core.import_export.files import read_document
from core.record import replace
from tests.cli.conftest import CommandLine
from tests.support.spreadsheets import sheet, spreadsheet, text
from tests.unit.import_export import test_plans as samples
from tests.unit.import_export import test_texts
from tests.unit.import_export.test_imported_by import FORGED
from tests.unit.import_export.test_imports import as_imported

SAMPLES = Path(test_texts.__file__).parent / "samples"
CAMPAIGN = "Slow Mornings campaign"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_project_leaves_and_comes_back_the_same(run: CommandLine) -> None:
    run("project", "export", CAMPAIGN, "-o", "all.json")
    first = read_document(Path("all.json").read_text()).document
    assert run("project", "import", "all.json", "--name", "Back again").stdout.startswith("Imported “Back again”")
    again = read_document(run("project", "export", "Back again").stdout).document
    (at,) = {each.imported_at for phase in again.phases for each in phase.decisions}
    assert at is not None
    assert again == replace(as_imported(first, run.login, at), name="Back again", key="BAC")
    assert run("project", "import", "-", stdin=Path("all.json").read_bytes(), status=0)


def test_the_ending_says_the_format_and_a_file_is_replaced_only_by_force(run: CommandLine) -> None:
    for ending, begin in ((".csv", "\ufeffkey,phase"), (".ics", "BEGIN:VCALENDAR"), (".md", "# Slow"), (".json", "{")):
        run("project", "export", CAMPAIGN, "-o", f"out{ending}")
        assert Path(f"out{ending}").read_text().startswith(begin)
    refused = run("project", "export", CAMPAIGN, "-o", "out.md", status=2)
    assert "--force" in refused.stderr
    unknown = run("project", "export", CAMPAIGN, "-o", "out.xlsx", status=2)
    assert (
        "No format has the ending “.xlsx”. Use one of .json, .csv, .ics, .xml, .md, .html, or name --format."
        in unknown.stderr
    )
    assert not Path("out.xlsx").exists()
    run("project", "export", CAMPAIGN, "-o", "out.xlsx", "--format", "csv")
    assert Path("out.xlsx").read_text().startswith(Path("out.csv").read_text()[:20])
    run("project", "export", CAMPAIGN, "-o", "out.md", "--format", "csv", "--force")
    assert Path("out.md").read_text("utf-8-sig").startswith("key,phase,kind")
    assert run("report", CAMPAIGN).stdout.startswith("# Slow Mornings campaign")
    for words in (("report",), ("gate", "export")):
        assert "--format html" in run(*words, CAMPAIGN, "-o", "page.htm", "--format", "markdown", status=2).stderr
        assert "Use one of .md, .txt, .html" in run(*words, CAMPAIGN, "-o", "page.htm", status=2).stderr
        run(*words, CAMPAIGN, "-o", "page.html", "--force")
        assert Path("page.html").read_text().startswith("<!DOCTYPE html>")
        assert "--force" in run(*words, CAMPAIGN, "-o", "page.html", status=2).stderr
    assert run("report", CAMPAIGN, "--format", "html").stdout.startswith("<!DOCTYPE html>")
    assert "which json is not" in run("gate", "export", CAMPAIGN, "--json", "-o", "page.html", status=2).stderr
    run("gate", "export", CAMPAIGN, "-o", "gates.json")
    assert json.loads(Path("gates.json").read_text()) == run.json("gate", "export", CAMPAIGN)
    assert run.json("project", "export", CAMPAIGN, "-o", "more.json")["file"] == "more.json"


@pytest.mark.parametrize(
    ("file", "cards", "first"),
    [("plan.ics", 7, "Print the leaflet; both sides"), ("plan.gan", 7, "Leaflet"), ("plan.xml", 5, "Leaflet")],
)
def test_calendars_and_plans_of_other_programs_become_projects(
    run: CommandLine, file: str, cards: int, first: str
) -> None:
    path = Path(samples.__file__).parent / "samples" / file
    shown = run("project", "import", str(path), "--skip-unknown", "--dry-run").stdout
    assert "Left out: " in shown
    assert run("project", "import", str(path), "--skip-unknown").stdout.startswith("Imported “Spring launch”")
    kept = read_document(run("project", "export", "Spring launch").stdout).document
    assert (len(kept.items), kept.items[0].title) == (cards, first)
    assert [each for each in kept.phases if each.name == "Print"] == [] or kept.phases[0].due is not None


def test_a_project_leaves_as_a_plan_and_as_calendars_and_comes_back(run: CommandLine) -> None:
    whole = read_document(run("project", "export", CAMPAIGN).stdout).document
    run("project", "export", CAMPAIGN, "-o", "plan.xml")
    run("project", "import", "plan.xml", "--name", "Plan")
    again = read_document(run("project", "export", "Plan").stdout).document
    assert [each.name for each in again.phases] == [each.name for each in whole.phases]
    assert sorted((each.title, each.due) for each in again.items) == sorted(
        (each.title, each.due) for each in whole.items
    )
    due = sum(each.due is not None and each.status is not Status.ARCHIVED for each in whole.items)
    run("project", "export", CAMPAIGN, "-o", "events.ics")
    assert "BEGIN:VTODO" not in Path("events.ics").read_text()
    assert Path("events.ics").read_text().count("BEGIN:VEVENT") >= due
    assert run("project", "export", CAMPAIGN, "--format", "ical-tasks").stdout.count("BEGIN:VTODO") >= due


def test_a_dry_run_says_what_would_be_made_and_makes_nothing(run: CommandLine) -> None:
    Path("tasks.csv").write_text("Job;Who;Until\nPaint;robin;2026-12-03\nMove;Zed;\n")
    before = run.json("project", "list")
    mapped = ("--map", "title=Job", "--map", "assigned=Who", "--map", "due=Until")
    refused = run("project", "import", "tasks.csv", *mapped, "--dry-run", status=2)
    assert "This workspace does not have: person “Zed”" in refused.stderr
    shown = refused.stdout
    assert "“tasks”, read as a table, would become a project with" in shown
    assert "  2 tasks" in shown
    assert "Not here: person “Zed”." in shown
    plan = run.json("project", "import", "tasks.csv", *mapped, "--skip-unknown", "--dry-run")
    assert [each["after"]["title"] for each in plan["changes"] if each["entity"] == "item"] == ["Paint", "Move"]
    assert run.json("project", "list") == before


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("House 2027.v2.csv", "House 2027.v2"),
        ("a\u202eb\nc.csv", "a\ufffdb c"),
        ("n" * 250 + ".csv", "n" * 120),
        ("  .csv", "Imported tasks"),
        ("-", "Imported tasks"),
    ],
    ids=["plain", "hostile", "long", "blank", "stdin"],
)
def test_a_table_is_named_after_its_file_where_that_can_be_a_name(run: CommandLine, file: str, name: str) -> None:
    text = "title\nPaint\n"
    if file != "-":
        Path(file).write_text(text)
    assert run.json("project", "import", file, stdin=text.encode())["name"] == name


PLACES_FOR_A_FILE = {"a new project": (), "a project": ("--into", CAMPAIGN, "--allow-relock")}


@pytest.mark.parametrize("where", PLACES_FOR_A_FILE)
def test_an_import_says_what_it_left_out_as_its_dry_run_does(run: CommandLine, where: str) -> None:
    Path("g.csv").write_text("Plan of spring,,\nTitle,Due\nA,2027-03-04 10:00\n")
    words = ("project", "import", "g.csv", *PLACES_FOR_A_FILE[where])
    for said in (run(*words, "--dry-run").stdout, run(*words).stdout):
        assert said.count("Left out: 1 line, because it stands before the heads: “Plan of spring”.") == 1
        assert said.count("1 time of day is left out: a card has a day") == 1


def test_the_gate_record_says_which_decisions_were_imported(run: CommandLine) -> None:
    Path("forged.json").write_text(json.dumps(to_json(FORGED)))
    run("project", "import", "forged.json", "--skip-unknown")
    (line,) = run.json("gate", "export", "Forged")["data"]
    assert (line["by"], line["record"]["originalName"]) == ("Maya Okafor, imported by Robin Ekholm", "Maya Okafor")
    assert line["record"]["importedBy"] == line["record"]["byId"]
    for form in ("markdown", "csv"):
        assert "Maya Okafor, imported by Robin Ekholm" in run("gate", "export", "Forged", "--format", form).stdout


@pytest.mark.parametrize(
    ("name", "project", "title", "expected"),
    [
        ("beads.jsonl", "beads", "Call the printer", ("IN_PROGRESS", "2026-12-03", "URGENT", ["a b", "print"])),
        ("check_list.markdown", "Spring campaign", "Call the printer site and ask", None),
        ("check_list.markdown", "Spring campaign", "Nested", ("COMPLETED", None, "NORMAL", [])),
        ("backlog.markdown", "Backlog.md", "A long title that goes on", ("TO_DO", None, "NORMAL", [])),
        ("todo.txt", "todo.txt", "Call the printer", ("TO_DO", "2026-12-03", "URGENT", ["phone"])),
        ("deck.json", "Spring", "Open", ("TO_DO", "2026-12-03", "NORMAL", ["Bug"])),
    ],
)
def test_a_file_of_another_program_becomes_a_project(
    run: CommandLine, name: str, project: str, title: str, expected: tuple[object, ...] | None
) -> None:
    sample = SAMPLES / name
    shown = run("project", "import", str(sample), "--skip-unknown", "--dry-run").stdout
    document = read_document(sample.read_text(), name=sample.stem)
    assert all(each in shown for each in (*document.notes, *(each.sentence for each in document.left_out)))
    run("project", "import", str(sample), "--skip-unknown")
    tasks = run.json("task", "list", project, "--archived")["data"]
    activities = run.json("activity", "list", project, "--archived")["data"]
    assert sorted(card["title"] for card in (*tasks, *activities)) == sorted(
        item.title for item in document.document.items
    )
    if expected is None:
        assert title in [card["title"] for card in activities]
        return
    card = run.task(project, title)
    assert (card["status"], card["due"], card["priority"], card["labels"]) == expected


def test_check_lists_leave_and_come_back(run: CommandLine) -> None:
    run("project", "import", str(SAMPLES / "check_list.markdown"))
    run("project", "export", "Spring campaign", "--format", "checklist", "-o", "first.md")
    assert "\n- [ ] Call the printer site and ask\n  - Due: 2026-12-03\n" in Path("first.md").read_text()
    run("project", "import", "first.md", "--name", "Again")
    run("project", "export", "Again", "--format", "checklist", "-o", "second.md")
    first, second = (Path(name).read_text().split("\n", 1) for name in ("first.md", "second.md"))
    assert (second[0], second[1]) == ("# Again", first[1])


def test_unknown_people_stop_an_import_unless_they_are_left_out(run: CommandLine) -> None:
    Path("tasks.csv").write_text("title,who\nPaint,robin\nMove,Zed\n")
    error = run.error("project", "import", "tasks.csv", status=2)
    assert error["errorCode"] == "INVALID_IMPORT"
    assert "person “Zed”" in error["errorMessage"]
    run("project", "import", "tasks.csv", "--skip-unknown", "--name", "House")
    assert run.task("House", "Paint")["assignees"] == ["robin"]
    assert run.task("House", "Move")["assignees"] == []


@pytest.mark.parametrize(
    ("given", "status", "said"),
    [
        (("nothing.json",), 2, "cannot be read"),
        (("cut.json",), 2, "Line 3: It is cut off"),
        (("cut.json", "--format", "csv"), 2, "title: No column looks like the title"),
        (("cut.json", "--format", "excel"), 2, "Invalid value"),
        (("cut.json", "--map", "colour=Red"), 2, "is not FIELD=HEAD"),
    ],
)
def test_what_cannot_be_imported_is_refused_with_its_place(
    run: CommandLine, given: tuple[str, ...], status: int, said: str
) -> None:
    Path("cut.json").write_text('{\n "format": "podium-project",\n "name": "Any')
    assert said in run("project", "import", *given, status=status).stderr


def test_importing_takes_the_right_to_create_projects(run: CommandLine) -> None:
    Path("tasks.csv").write_text("title\nPaint\n")
    said = run.by("henrik.dahl")("project", "import", "tasks.csv", status=3).stderr
    assert "can create projects; you are a guest" in said
    run.by("henrik.dahl")("project", "export", "Torq", status=6)


def test_the_name_of_a_file_with_a_line_end_stands_on_one_line(run: CommandLine) -> None:
    name = "new\nline\x07.json"
    assert run("project", "export", CAMPAIGN, "-o", name).stdout.startswith("Exported to new line\ufffd.json (")
    assert run("project", "export", CAMPAIGN, "-o", name, status=2).stderr.count("\n") == 1
    made = subprocess.run(
        [sys.executable, "-m", "tui", "backup", "new\nline.db", "--db", str(run.db)], capture_output=True, text=True
    )
    assert (made.returncode, made.stdout.count("\n"), made.stderr) == (0, 1, "")
    assert "new line.db" in made.stdout


def test_ctrl_c_while_the_file_of_an_import_is_read_says_that_nothing_was_kept(run: CommandLine) -> None:
    before = run.json("project", "list", "--archived")
    arguments = ("project", "import", "-", "--db", str(run.db), "--as", run.login)
    with subprocess.Popen(
        [sys.executable, "-c", READING, *arguments], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as importing:
        assert importing.stderr is not None
        assert importing.stdin is not None  # stays open: nothing else ends the reading
        importing.wait(timeout=60)
        said = importing.stderr.read().strip()
    assert (importing.returncode, said) == (130, "Stopped. Nothing of it was kept.")
    assert run.json("project", "list", "--archived") == before


READING = """
import os, signal, sys, threading
from core.import_export import files
read = files.read_stream_bytes
def interrupted(stream, most):
    threading.Timer(0, os.kill, (os.getpid(), signal.SIGINT)).start()
    return read(stream, most)
files.read_stream_bytes = interrupted
from tui.cli.program import podium
podium.main(sys.argv[1:])
"""
"""Podium, which gets a ctrl+c while it waits for a file."""


def test_ctrl_c_before_a_command_has_begun_says_that_it_stopped(run: CommandLine) -> None:
    code = (
        "import os, signal, sys\n"
        "from tui.cli import session\n"
        "session.load = lambda given: os.kill(os.getpid(), signal.SIGINT)\n"
        "from tui.cli.program import podium\n"
        "podium.main(sys.argv[1:])\n"
    )
    arguments = ("project", "import", "any.csv", "--db", str(run.db), "--as", run.login)
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr.strip()) == (130, "", "Stopped.")


def test_ctrl_c_stops_an_import_without_a_trace(run: CommandLine) -> None:
    rows = "".join(f"Task {number}\n" for number in range(3_000))
    Path("many.csv").write_text(f"title\n{rows}")
    before = run.json("project", "list", "--archived")
    code = (
        "import os, signal, sys\n"
        "from core.storage.progress import Progress\n"
        "step = Progress.step\n"
        "def watched(self, done, total):\n"
        "    if done == 1000: os.kill(os.getpid(), signal.SIGINT)\n"
        "    step(self, done, total)\n"
        "Progress.step = watched\n"
        "from tui.cli.program import podium\n"
        "podium.main(sys.argv[1:])\n"
    )
    arguments = ("project", "import", "many.csv", "--db", str(run.db), "--as", run.login)
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, env=os.environ)
    assert (done.returncode, done.stderr.strip()) == (130, "Stopped. Nothing of it was kept.")
    assert run.json("project", "list", "--archived") == before


def test_a_sheet_is_named_and_a_mapping_is_kept_but_never_replaced_by_surprise(run: CommandLine) -> None:
    sheets = {"Old": sheet(text("A1", "Job"), text("A2", "Wash")), "New": sheet(text("A1", "Job"), text("A2", "Paint"))}
    Path("plan.xlsx").write_bytes(spreadsheet(sheets))
    said = ("--sheet", "new", "--map", "title=Job", "--save-mapping", "kept.json")
    run("project", "import", "plan.xlsx", *said, "--dry-run")
    assert not Path("kept.json").exists()
    run("project", "import", "plan.xlsx", *said)
    assert "Paint" in run("task", "list", "plan").stdout
    refused = run("project", "import", "plan.xlsx", *said, "--name", "Again", status=2)
    assert "kept.json is there already. Choose another name, or give it as --mapping too." in refused.stderr
    run("project", "import", "plan.xlsx", "--mapping", "kept.json", "--save-mapping", "kept.json", "--name", "Again")
    assert "There is “Old” and “New”" in run("project", "import", "plan.xlsx", "--sheet", "x", status=2).stderr


def test_what_a_table_leaves_open_is_said_in_the_words_of_the_question(run: CommandLine) -> None:
    Path("plan.csv").write_text('Title,Due,Cost\nPaint,03/04/2027,"7,500"\n')
    assert "Say --dates dmy or --dates mdy." in run("project", "import", "plan.csv", status=2).stderr
    asked = run("project", "import", "plan.csv", "--dates", "dmy", status=2).stderr
    assert "Say --decimal comma or --decimal point, or --map text=COLUMN" in asked
    run("project", "import", "plan.csv", "--dates", "dmy", "--decimal", "point")
    assert "2027-04-03" in run("task", "list", "plan").stdout
    (card,) = json.loads(run("project", "export", "plan").stdout)["phases"][0]["items"]
    assert (card["due"], [each["value"] for each in card["fields"]]) == ("2027-04-03", ["7500"])


PLAN = "Title;Phase;Due;Assigned\nPaint;Concept;2026-12-03;robin\nMove;Concept;;\n"


def test_a_file_goes_into_a_project_and_its_changed_version_too(run: CommandLine) -> None:
    Path("plan.csv").write_text(PLAN)
    phase = run.json("phase", "list", CAMPAIGN)["data"][-1]["phase"]["name"]
    Path("plan.csv").write_text(PLAN.replace("Concept", phase))
    into = ("import", "plan.csv", "--into", CAMPAIGN, "--skip-unknown")
    shown = run(*into, "--dry-run").stdout
    assert f"A table into “{CAMPAIGN}”: 2 new cards" in shown
    assert f"  2 new cards in “{phase}”" in shown
    assert f"Imported into “{CAMPAIGN}”: 2 new cards." in run(*into).stdout
    assert run(*into).stdout.startswith("Nothing to change.")
    Path("plan.csv").write_text(PLAN.replace("Concept", phase).replace("12-03", "12-07").replace("Move;", "Carry;"))
    shown = run(*into, "--dry-run").stdout
    assert "due date" in shown
    assert "Thu 3 Dec 2026" in shown
    assert "Mon 7 Dec 2026" in shown
    assert "Not in the file, and left as it is: " in shown
    plan = run.json(*into)
    assert [(each["before"], each["after"]) for each in plan["updates"]] == [("Thu 3 Dec 2026", "Mon 7 Dec 2026")]
    assert [each["title"] for each in plan["cards"]] == ["Carry"]
    run("undo", CAMPAIGN)
    titles = [each["title"] for each in run.json("task", "list", CAMPAIGN)["data"]]
    assert "Carry" not in titles


def test_people_of_the_workspace_are_invited_by_an_import_that_says_so(run: CommandLine) -> None:
    users = {line["user"]["login"] for line in run.json("user", "list")["data"] if line["user"]["active"]}
    members = [line["user"]["login"] for line in run.json("member", "list", CAMPAIGN)["data"]]
    login = min(users - {*members})
    Path("plan.csv").write_text(f"Title,Assigned\nPaint,{login}\nShip,zed\n")
    into = ("import", "plan.csv", "--into", CAMPAIGN)
    assert "Add --invite to make members of those who are in the workspace, or " in run(*into, status=2).stderr
    assert "Add --skip-unknown to make words of them." in run(*into, "--invite", status=2).stderr
    invite = (*into, "--invite", "--skip-unknown")
    assert "Invited, as contributor: “" in run(*invite, "--dry-run").stdout
    assert run(*invite).stdout.startswith(f"Imported into “{CAMPAIGN}”: 2 new cards and 1 new member.")
    assert login in [line["user"]["login"] for line in run.json("member", "list", CAMPAIGN)["data"]]
    assert run(*invite).stdout.startswith("Nothing to change.")


def test_a_value_that_was_changed_on_both_sides_takes_theirs_or_ours(run: CommandLine) -> None:
    phase = run.json("phase", "list", CAMPAIGN)["data"][-1]["phase"]["name"]
    text = PLAN.replace("Concept", phase).replace("robin", "")
    Path("plan.csv").write_text(text)
    into = ("project", "import", "plan.csv", "--into", CAMPAIGN)
    run(*into)
    run("task", "due", CAMPAIGN, "Paint", "2026-12-05")
    Path("plan.csv").write_text(text.replace("12-03", "12-07"))
    refused = run(*into, status=1)
    assert "1 value changed here and in the file" in refused.stderr
    assert "Sat 5 Dec 2026 here, Mon 7 Dec 2026 in the file" in refused.stderr
    assert "Add --theirs to take the values of the file, or --ours to keep those here." in refused.stderr
    both = run(*into, "--dry-run", status=1)
    assert "IN CONFLICT" in both.stdout
    assert "Give one of --theirs and --ours" in run(*into, "--theirs", "--ours", status=2).stderr
    assert run(*into, "--ours").stdout.startswith("Nothing to change.")
    assert run(*into).stdout.startswith("Nothing to change.")
    Path("plan.csv").write_text(text.replace("12-03", "12-09"))
    run(*into, "--theirs")
    (paint,) = [each for each in run.json("task", "list", CAMPAIGN)["data"] if each["title"] == "Paint"]
    assert paint["due"] == "2026-12-09"


def test_a_column_stays_of_the_kind_that_the_project_has_for_it(run: CommandLine) -> None:
    """Else the same cells would be other values in the next version of a file, in which all of them are numbers."""
    into = ("import", "plan.csv", "--into", CAMPAIGN)
    Path("plan.csv").write_text("Title;Budget\nPaint;12.500,00\nMove;ca. 3.000\n")
    assert "1 new field" in run(*into).stdout
    Path("plan.csv").write_text("Title;Budget\nPaint;12.500,00\nMove;3.150,00\n")
    assert [(each["before"], each["after"]) for each in run.json(*into)["updates"]] == [("ca. 3.000", "3.150,00")]
