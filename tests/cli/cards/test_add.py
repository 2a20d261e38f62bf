"""``podium add`` and ``podium use``: tasks of the current project, from words and from stdin."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from core.demo import make_demo
from tests.cli.conftest import CommandLine
from tui.cli import current_project

Anywhere = Callable[..., Result]


@pytest.fixture(autouse=True)
def _own_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "here" / "below").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "here" / "below")


def titles(run: CommandLine, project: str) -> list[str]:
    return [task["title"] for task in run.json("task", "list", project)["data"]]


def test_words_are_a_task_in_the_first_open_phase_of_the_current_project(run: CommandLine) -> None:
    run("use", "slow")
    said = run("add", "Write", "the", "brief").stdout
    key = run.task("slow", "Write the brief")["key"]
    assert said == f"Added “Write the brief” ({key}) to “Production” of “Slow Mornings campaign”.\n"
    assert run.task("slow", "Write the brief")["status"] == "TO_DO"
    assert run.task("slow", "Write the brief")["phase"] == run.task("slow", "Edit the 45″ film")["phase"]


def test_a_name_and_a_day_at_the_end_are_understood_and_printed(run: CommandLine) -> None:
    said = run("add", "Write brief @mara 3 dec 2031", "-p", "slow").stdout
    task = run.task("slow", "Write brief")
    place = f"({task['key']}) to “Production” of “Slow Mornings campaign”"
    assert f"“Write brief” {place}, for Mara Oduya, due Wed 3 Dec 2031." in said
    assert task["due"] == "2031-12-03"
    assert task["assignees"] == ["mara.oduya"]
    run("add", 'Write brief "3 dec 2031"', "-p", "slow")
    assert run.task("slow", "Write brief 3 dec 2031")["due"] is None
    noted = run("add", "Ask @zoe", "-p", "slow").stdout
    assert "“@zoe” stays in the title: no member has this name." in noted
    assert run.task("slow", "Ask @zoe")["assignees"] == []


def test_stdin_is_one_task_on_each_line_and_one_step_of_the_history(run: CommandLine) -> None:
    before = titles(run, "slow")
    lines = "- [ ] Book the crew @mara\n\n2) Shoot day 1\n  • Größe 天気\n".encode()
    said = run("add", "-", "-p", "slow", stdin=lines).stdout.splitlines()
    assert said[0] == "Added 3 tasks to “Production” of “Slow Mornings campaign”:"
    first = int(run.task("slow", "Book the crew")["key"].removeprefix("SLO-"))
    assert said[1:] == [
        f"  SLO-{first}  Book the crew, for Mara Oduya",
        f"  SLO-{first + 1}  Shoot day 1",
        f"  SLO-{first + 2}  Größe 天気",
    ]
    assert set(titles(run, "slow")) - set(before) == {"Book the crew", "Shoot day 1", "Größe 天気"}
    assert "added the task “Book the crew” and 2 more" in run("undo", "slow").stdout
    assert titles(run, "slow") == before


def test_a_list_as_windows_writes_it_has_no_mark_in_its_first_title(run: CommandLine) -> None:
    before = titles(run, "slow")
    run("add", "-", "-p", "slow", stdin="\ufeffErste Größe\r\nZweite\r\n".encode())
    assert set(titles(run, "slow")) - set(before) == {"Erste Größe", "Zweite"}


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        (b"", "stdin is empty"),
        (b"\n \n", "stdin is empty"),
        (b"good\n\xff\n", "not UTF-8 text (byte 5)"),
        (b"good\n" + b"x" * 900 + b"\n", "Line 2: "),
        (b"x\n" * 501, "1 to 500 tasks at a time"),
        (b"x" * 1_000_001, "more than 1,000,000 bytes"),
    ],
)
def test_what_cannot_be_read_as_tasks_adds_none(run: CommandLine, lines: bytes, sentence: str) -> None:
    before = titles(run, "slow")
    assert sentence in run("add", "-", "-p", "slow", stdin=lines, status=2).stderr
    assert titles(run, "slow") == before


def test_ids_and_json_are_printed_for_scripts(run: CommandLine) -> None:
    added = run("add", "One", "-p", "slow", "-q").stdout.strip()
    assert run.task("slow", "One")["id"] == added
    several = run("add", "-", "-p", "slow", "-q", stdin=b"Two\nThree\n").stdout.splitlines()
    assert several == [run.task("slow", title)["id"] for title in ("Two", "Three")]
    answer = run.json("add", "Four @mara", "-p", "slow")
    assert (answer["phase"], answer["tasks"][0]["assignee"]) == ("Production", "Mara Oduya")
    assert answer["tasks"][0]["task"]["id"] == run.task("slow", "Four")["id"]


def test_without_a_current_project_the_only_one_is_meant_and_of_several_none(run: CommandLine, tmp_path: Path) -> None:
    assert "podium use PROJECT" in run("add", "Lost", status=2).stderr
    only = CommandLine(tmp_path / "new.db", "ada")
    only("init", "--name", "Studio")
    assert "No project is named" in only("add", "Lost", status=2).stderr
    only("project", "create", "Website")
    only("phase", "add", "Website", "Build")
    assert "“Build” of “Website”" in only("add", "Found").stdout
    assert only("use").stdout == "“Website” is your only project, so it is the current one.\n"


def test_a_project_where_nothing_is_open_says_so(run: CommandLine) -> None:
    run("project", "create", "Empty")
    said = run("add", "x", "-p", "Empty", status=1).stderr
    assert "“Empty” has no phases yet. Add one first: press N on its Canvas, or type “podium phase add" in said
    assert "Every phase of “Kornblume packaging redesign” is complete" in run("add", "x", "-p", "korn", status=1).stderr
    assert "Did you mean “Empty”" in run("add", "x", "-p", "Emtpy", status=6).stderr
    assert run("add", "x", "-p", "booking", status=3).stdout == ""


# -- the current project -------------------------------------------------------------------------------------------


def test_use_chooses_the_project_for_the_person_and_shows_it(run: CommandLine) -> None:
    assert "podium use PROJECT" in run("use", status=6).stderr
    assert run("use", "torq").stdout == "“Torq T4 drill launch” is the current project.\n"
    assert run("use").stdout == "“Torq T4 drill launch” is the current project.\n"
    assert run("use", "-q").stdout.strip() == run.project("Torq")["project"]["id"]
    assert run("task", "list").stdout == run("task", "list", "torq").stdout
    run("use", "--clear")
    assert run("use", status=6).stdout == ""


def test_use_here_is_for_a_folder_and_those_below_it(
    run: CommandLine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    run("use", "torq")
    monkeypatch.chdir(tmp_path / "here")
    assert f"in {tmp_path / 'here'} and below" in run("use", "slow", "--here").stdout
    for folder, name in (("here", "Slow"), ("here/below", "Slow"), (".", "Torq")):
        monkeypatch.chdir(tmp_path / folder)
        assert f"“{name}" in run("use").stdout
    monkeypatch.chdir(tmp_path / "here")
    run("use", "--clear", "--here")
    assert "“Torq" in run("use").stdout


def test_each_workspace_has_a_current_project_of_its_own(run: CommandLine, tmp_path: Path) -> None:
    run("use", "torq")
    make_demo(tmp_path / "other.db", login="robin")
    other = CommandLine(tmp_path / "other.db")
    assert other("use", status=6).stdout == ""
    other("use", "slow")
    assert "“Torq" in run("use").stdout
    assert "“Slow" in other("use").stdout


def test_the_file_of_the_choice_is_private_and_tells_no_name(run: CommandLine, tmp_path: Path) -> None:
    run("use", "torq")
    [file] = (tmp_path / "state" / "podium").iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert json.loads(file.read_text()) == {str(run.db): {"/": run.project("Torq")["project"]["id"]}}
    file.chmod(0o666)  # others can have written it
    assert run("use", status=6).stdout == ""


def test_a_project_that_was_left_or_deleted_is_no_longer_the_current_one(run: CommandLine) -> None:
    run("use", "torq")
    run("project", "archive", "torq")
    run("project", "delete", "torq", "--yes")
    for words in (("use",), ("add", "x"), ("task", "list"), ("task", "done", "x")):
        assert "Choose another one with “podium use PROJECT”" in run(*words, status=6).stderr
    assert run.by("priya.raman")("use", run.project("Slow")["project"]["id"], status=6).stdout == ""


@pytest.mark.parametrize("broken", ["", "[]", "{", '{"x": 1}', '{"DB": []}', '{"DB": {"/": "../../x"}}'])
def test_a_file_that_is_not_understood_is_none(run: CommandLine, tmp_path: Path, broken: str) -> None:
    path = tmp_path / "state" / "podium" / "current_projects.json"
    path.parent.mkdir(parents=True)
    path.write_text(broken.replace("DB", str(run.db)))
    path.chmod(0o600)
    assert "No project is chosen" in run("use", status=6).stderr
    assert run("use", "torq").exit_code == 0


def test_a_folder_that_is_gone_has_the_project_of_the_person(
    run: CommandLine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    run("use", "torq")
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert "“Torq" in run("use").stdout
    assert run("add", "x").exit_code == 0
    assert run("use", "slow", "--here", status=2).stdout == ""


def test_undo_and_redo_without_a_project_are_about_the_current_one(run: CommandLine) -> None:
    run("use", "slow")
    run("add", "Captured")
    assert "added the task “Captured”" in run("undo").stdout
    assert "Captured" not in titles(run, "slow")
    assert "added the task “Captured”" in run("redo").stdout
    assert "Captured" in titles(run, "slow")
    run("add", "Elsewhere", "-p", "torq")
    said = run("undo", status=1).stderr
    assert "Your last change was in “Torq T4 drill launch”: added the task “Elsewhere”" in said
    assert "Captured" in titles(run, "slow")


# -- without click -------------------------------------------------------------------------------------------------


def test_add_imports_neither_click_nor_anything_else_that_it_does_not_need(run: CommandLine) -> None:
    code = (
        "import sys\n"
        "heavy = ('click', 'inspect', 'asyncio', 'hashlib', 'tempfile', 'shutil', 'platformdirs', 'httpx', 'textual',\n"
        "         'typing_extensions', 'core.actions.catalog', 'tui.cli.program')\n"
        "import os; leave = os._exit\n"
        "def tell(status):\n"
        "    print([name for name in heavy if name in sys.modules], file=sys.stderr)\n"
        "    leave(status)\n"
        "os._exit = tell\n"
        "from tui.__main__ import main; main()"
    )
    run("add", "first", "-p", "slow")  # makes the backup of the day
    argv = [sys.executable, "-c", code, "add", "Quick", "@mara", "fri", "-p", "slow", "--as", "robin"]
    done = subprocess.run([*argv, "--db", str(run.db)], capture_output=True, text=True, check=True, env={**os.environ})
    assert done.stderr == "[]\n"
    assert "for Mara Oduya, due Fri" in done.stdout
    assert run.task("slow", "Quick")


def test_add_explains_itself_and_refuses_as_every_command_does(run: CommandLine, anywhere: Anywhere) -> None:
    assert "podium add Write brief @bob fri" in " ".join(anywhere("add", "--help").stdout.split())
    for words, status, sentence in (
        (["add"], 2, "Missing argument"),
        (["add", "x", "--porject"], 2, "No such option"),
        (["add", "-rf"], 2, "If it is a text, put “--” before it: podium add -- TEXT..."),
        (["add", "x", "-p"], 2, "requires an argument"),
        (["add", "x", "--json", "-p", "none such"], 6, '"NOT_FOUND"'),
        (["add", "\udcff"], 2, "not UTF-8"),
    ):
        place = ["--db", str(run.db), "--as", "robin"] if words[1:] else []
        argv = [sys.executable, "-m", "tui", words[0], *place, *words[1:]]
        done = subprocess.run(argv, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout) == (status, ""), (words, done.stderr)
        assert sentence in done.stderr


def test_the_folders_of_the_user_are_those_of_the_platform(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert current_project._file() == tmp_path / "state" / "podium" / "current_projects.json"
