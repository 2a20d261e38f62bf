"""``podium template``: find, read, use, save, bring, in words and as JSON."""

from __future__ import annotations

import os
from pathlib import Path

from tests.cli.conftest import CommandLine
from tui.cli.projects.templates import NOTHING_DIFFERS


def test_templates_are_listed_by_words_and_tags(run: CommandLine) -> None:
    lines = run.json("template", "list")["data"]
    assert {line["template"]["name"] for line in lines} >= {"Event", "Software release"}
    assert [line["template"]["name"] for line in run.json("template", "list", "harden", "flags")["data"]] == []
    (line,) = run.json("template", "list", "HARDEN", "--tag", "software")["data"]
    assert (line["phases"], line["items"], line["days"]) == (6, 45, 75)
    assert "No matching templates" in run("template", "list", "zzz").output


def test_a_template_is_shown_as_an_outline(run: CommandLine) -> None:
    output = run("template", "show", "event").output
    assert "1 Concept  (day 14, Lead), review gate with evidence" in output
    assert "    - Visit three venues  (day 20, Producer)" in output
    detail = run.json("template", "show", "Event", "--version", "1")
    assert detail["body"]["phases"][0]["deliverables"] == ["Concept", "Budget"]
    assert detail["missingProducts"] == []
    assert run.error("template", "show", "Event", "--version", "9", status=6)["errorCode"] == "NOT_FOUND"
    run("template", "show", "nothing", status=6)


def test_the_help_of_save_describes_the_name_and_the_description(run: CommandLine) -> None:
    lines = [" ".join(line.split()) for line in run("template", "save", "--help").stdout.splitlines()]
    assert "--name TEXT The name of a new template." in lines
    assert "--description TEXT The description of the template." in lines


def test_a_project_is_made_from_one_saved_again_and_brought_up_to_date(run: CommandLine) -> None:
    first = ("project", "create", "Summer fair", "--template", "Event", "--start", "2027-02-28", "--role", "lead=robin")
    made = run.json(*first)
    assert (made["leftOut"], made["project"]["start"]) == ([], "2027-02-28")
    task = run.task("Summer fair", "Choose format and date")
    assert task["due"] == "2027-03-07"
    assert task["assignees"] == ["robin"]
    same = run("template", "save", "Summer fair", "--update", "Event", "--dry-run").stdout
    assert same == f"{NOTHING_DIFFERS}\n"

    run("project", "create", "Winter fair", "--template", "Event", "--start", "2027-11-01")
    run("task", "add", "Summer fair", "1", "Book the band")
    output = run("template", "save", "Summer fair", "--update", "Event", "--dry-run").output
    assert "Concept / Book the band" in output
    saved = run.json("template", "save", "Summer fair", "--update", "Event", "--note", "With music")
    assert saved["number"] == 2
    assert [each["note"] for each in run.json("template", "versions", "Event")["data"]] == ["With music", ""]
    (difference,) = run.json("template", "compare", "Event", "1", "2")["data"]
    assert (difference["kind"], difference["path"]) == ("ADDED", ["Concept", "Book the band"])

    assert "Concept / Book the band" in run("template", "merge", "Event", "Winter fair", "--dry-run").stdout
    planned = run.json("template", "merge", "Event", "Winter fair", "--dry-run")["changes"]
    assert [each["after"]["title"] for each in planned if each["entity"] == "item"] == ["Book the band"]
    assert "now has version 2 of “Event”" in run("template", "merge", "Event", "Winter fair").output
    assert run.task("Winter fair", "Book the band")["status"] == "TO_DO"
    run("undo", "Winter fair")
    tasks = run.json("task", "list", "Winter fair")["data"]
    assert "Book the band" not in {each["title"] for each in tasks}
    assert run.json("template", "merge", "Event", "Winter fair")["fromNumber"] == 1

    run("task", "archive", "Summer fair", "Book the band")
    run("template", "save", "Summer fair", "--update", "Event", "--note", "Without music")
    refused = run("template", "merge", "Event", "Winter fair", "--keep", "Hire a bus", status=2).stderr
    assert "The version does not remove “Hire a bus”." in refused
    run("template", "merge", "Event", "Winter fair", "--keep", "Book the band")
    assert run.task("Winter fair", "Book the band")["status"] == "TO_DO"


def test_a_template_is_saved_renamed_and_removed(run: CommandLine) -> None:
    run("project", "create", "Fair", "--template", "Event", "--start", "mon")
    saved = run.json("template", "save", "Fair", "--name", "Our fair", "--tag", "north", "--description", "Small")
    assert (saved["name"], saved["tags"], saved["description"]) == ("Our fair", ["north"], "Small")
    edited = run.json("template", "edit", "our", "--name", "Fairs", "--no-tags")
    assert (edited["name"], edited["tags"]) == ("Fairs", [])
    run("template", "remove", "Fairs")
    run("template", "show", "Fairs", status=6)
    run("undo")
    assert run.json("template", "show", "Fairs")["line"]["template"]["description"] == "Small"


def test_what_was_typed_wrongly_is_told(run: CommandLine) -> None:
    use = ("project", "create", "Fair", "--template", "Event")
    assert "Add --template" in run(*use[:3], "--version", "1", status=2).output
    for start in ("none", "someday", "2026-02-30", "3000-01-01"):
        assert run.error(*use, "--start", start, status=2)["errorCode"] == "INVALID_INPUT"
    assert "Tue 14 Jan 2200" in run(*use, "--start", "2199-12-31", status=2).output
    for role in ("lead", "=robin", "lead=", "boss=robin"):
        run(*use, "--start", "mon", "--role", role, status=2)
    run(*use, "--start", "mon", "--role", "lead=nobody-here", status=6)
    run("template", "save", "Fair", "--name", "x", status=6)
    assert "Fair" not in {line["project"]["name"] for line in run.json("project", "list")["data"]}


def test_the_first_day_of_a_project_is_told_when_it_is_made_or_later(run: CommandLine) -> None:
    assert run.json("project", "create", "Fair", "--start", "2027-01-04")["start"] == "2027-01-04"
    assert run.json("project", "edit", "Fair", "--start", "2027-01-11")["start"] == "2027-01-11"
    run("project", "edit", "Fair", "--start", "none", status=2)


def test_a_template_is_exported_edited_and_imported(run: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "event.toml"
    run("template", "export", "Event", "-o", str(file))
    text = file.read_text()
    assert 'name = "Event"' in text
    assert "already" in run("template", "export", "Event", "-o", str(file), status=2).stderr
    run("template", "export", "Event", "-o", str(file), "--force")
    assert run("template", "export", "Event").stdout == text == file.read_text()
    assert "There is a template “Event” already" in run("template", "import", str(file), status=2).stderr
    file.write_text(text.replace('name = "Concept"', 'name = "First idea"'))
    added = run.json("template", "import", str(file), "--name", "Our event")
    assert (added["name"], added["number"], added["tags"]) == ("Our event", 1, ["event", "conference", "live"])
    before, after = (run.json("template", "show", name)["body"]["phases"] for name in ("Event", "Our event"))
    assert after == [before[0] | {"name": "First idea"}, *before[1:]]
    run("undo")
    assert "Our event" not in run("template", "list").output
    assert "Our event" in run("template", "import", "-", "--name", "Our event", stdin=text.encode()).output


def test_a_file_that_is_no_template_is_refused_and_nothing_is_added(run: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "bad.toml"
    file.write_text('name = "A"\n\n[[phases]]\nname = "B"\ndue = "soon"\n')
    said = run("template", "import", str(file), status=2).stderr
    assert "Line 5, phases[0].due: It should be a whole number, or nothing; “soon” is not." in said
    error = run.error("template", "import", str(file), status=2)
    assert error["errorCode"] == "INVALID_IMPORT"
    os.mkfifo(tmp_path / "pipe")
    assert "it is a pipe or a device" in run("template", "import", str(tmp_path / "pipe"), status=2).stderr
    run.by("jonas.weidmann")("template", "import", str(file), status=2)
    file.write_text('name = "A"\n\n[[phases]]\nname = "B"\n')
    run.by("jonas.weidmann")("template", "import", str(file), status=3)
    assert len(run.json("template", "list")["data"]) == 5
