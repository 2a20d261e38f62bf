"""What nothing foresaw ends in one sentence, also for programs, and a missing extra or a full output in another."""

from __future__ import annotations

import json
import os
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.commands.conftest import CommandLine
from tests.programs import needs

WITHOUT = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {names!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Missing())
sys.argv[0] = "podium"
from tui.__main__ import main
main()
"""

BROKEN = """
import sys
import tui.cli.projects
def broken(*_, **__):
    raise KeyError("title")
from core.application import Application
Application.query = broken
sys.argv[0] = "podium"
from tui.__main__ import main
main()
"""


def environment(tmp_path: Path, **more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PODIUM_", "XDG_"))}
    return kept | {"HOME": str(tmp_path)} | more


def python(code: str, *words: str, home: Path, **more: str) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-c", code, *words]
    return subprocess.run(argv, env=environment(home, **more), capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("words", "extra"),
    [
        (["serve", "--port", "0"], "server"),
        (["messages", "--openapi"], "server"),
        (["web", "--server", "unix:/x", "--port", "9999"], "web"),
        (["web"], "web"),
    ],
    ids=lambda each: str(each),
)
@pytest.mark.parametrize("as_json", [False, True], ids=["people", "programs"])
def test_a_command_without_its_extra_says_in_one_line_what_to_install(
    run: CommandLine, tmp_path: Path, words: list[str], extra: str, as_json: bool
) -> None:
    missing = WITHOUT.format(names=["uvicorn", "starlette", "httptools", "aiohttp", "textual_serve"])
    place = [] if words[0] == "web" else ["--db", str(run.db)]
    done = python(missing, *words, *place, *(["--json"] if as_json else []), home=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    said = json.loads(done.stderr)["errors"][0]["errorMessage"] if as_json else done.stderr
    assert f"pip install 'podium-tui[{extra}]'" in said


def test_a_fault_of_podium_is_one_sentence_and_a_private_report(run: CommandLine, tmp_path: Path) -> None:
    done = python(BROKEN, "project", "list", "--db", str(run.db), "--as", "robin", home=tmp_path)
    assert (done.returncode, done.stdout) == (70, "")
    assert "Podium has a fault (KeyError in core/" not in done.stderr  # it was raised in this test's own code
    assert "Podium has a fault (KeyError" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    [report] = (tmp_path / ".local" / "state" / "podium" / "faults").iterdir()
    assert str(report) in done.stderr
    assert stat.S_IMODE(report.stat().st_mode) == 0o600
    assert "KeyError: 'title'" in report.read_text()


def test_a_program_gets_a_fault_as_json(run: CommandLine, tmp_path: Path) -> None:
    done = python(BROKEN, "project", "list", "--json", "--db", str(run.db), "--as", "robin", home=tmp_path)
    assert done.returncode == 70
    [error] = json.loads(done.stderr)["errors"]
    assert (error["errorCode"], bool(error["correlationId"])) == ("INTERNAL_ERROR", True)


def test_a_fault_is_told_also_where_no_report_can_be_written(run: CommandLine, tmp_path: Path) -> None:
    place = tmp_path / "state"
    place.write_text("this is a file")
    words = ("project", "list", "--db", str(run.db), "--as", "robin")
    done = python(BROKEN, *words, home=tmp_path, XDG_STATE_HOME=str(place))
    assert done.returncode == 70
    assert "No report could be written." in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("words", [["user", "list"], ["user", "list", "--json"], ["messages"], ["--help"]])
def test_a_full_output_is_one_sentence(run: CommandLine, tmp_path: Path, words: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "tui", *words],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            env=environment(tmp_path, PODIUM_DB=str(run.db), PODIUM_AS="robin"),
        )
    assert done.returncode == 74
    assert "The output cannot be written: No space left on device." in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", ">&- 2>&- <&-", ">/dev/full 2>/dev/full"])
def test_a_command_is_carried_out_with_closed_streams(run: CommandLine, tmp_path: Path, closed: str) -> None:
    command = f"{sys.executable} -m tui project create 'Quiet' {closed}"
    env = environment(tmp_path, PODIUM_DB=str(run.db), PODIUM_AS="robin")
    done = subprocess.run([needs("bash"), "-c", command], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == (74 if "full" in closed else 0), done.stderr
    assert "Traceback" not in done.stderr
    with closing(sqlite3.connect(run.db)) as database:
        assert database.execute("SELECT count(*) FROM project WHERE name = 'Quiet'").fetchone() == (1,)
        assert database.execute("PRAGMA quick_check").fetchone() == ("ok",)
