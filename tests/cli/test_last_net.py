"""Unexpected errors, a missing extra and a full output end in one sentence, also for programs."""

from __future__ import annotations

import json
import os
import re
import resource
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from itertools import product
from pathlib import Path

import pytest

from core.server.openapi.error_pages import pages
from core.wire.error_bodies import KINDS
from tests.cli.conftest import CommandLine
from tests.docs.readme import CLI
from tests.support.paths import ROOT
from tests.support.sweeps import sweep
from tests.support.system_programs import needs
from tui.cli.commands import EXIT_STATUSES
from tui.cli.program import podium

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
import tui.cli.projects.projects
def broken(*_, **__):
    raise KeyError("title")
from core.engine.engine import Engine
Engine.query = broken
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
        (["commands", "--openapi"], "server"),
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
@pytest.mark.parametrize(
    "words",
    sweep(
        [
            "user list", "user list --json", "commands", "--help", "--version", "help", "man", "completion zsh",
            "config", "add x -p slow", "add x -p slow --json", "task show Edit -p slow",
        ],
        ("user list", "--help", "--version", "man", "completion zsh", "add x -p slow --json").__contains__,
    ),
)  # fmt: skip
def test_a_full_output_is_one_sentence(run: CommandLine, tmp_path: Path, words: str) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "tui", *words.split()],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            env=environment(tmp_path, PODIUM_DB=str(run.db), PODIUM_AS="robin"),
        )
    assert done.returncode == 74
    assert "The output cannot be written: No space left on device." in done.stderr
    assert "Traceback" not in done.stderr


ENDS = (">&-", "| true", "| head -c 1 >/dev/null")
WRITING = (
    "man", "commands", "completion bash", "task list slow", "--help", "task --help", "--version", "add x -p slow",
)  # fmt: skip


@pytest.mark.parametrize(
    ("words", "end"),
    sweep(product(WRITING, ENDS), lambda case: case[0] == "task list slow" or case[1] == ENDS[len(case[0]) % 3]),
)
def test_a_command_whose_output_nobody_reads_ends_quietly(
    run: CommandLine, tmp_path: Path, words: str, end: str
) -> None:
    command = f"set -o pipefail; {sys.executable} -m tui {words} {end}"
    env = environment(tmp_path, PODIUM_DB=str(run.db), PODIUM_AS="robin")
    done = subprocess.run([needs("bash"), "-c", command], env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("words", ["gate check full 1", "gate check full 1 --json"])
@pytest.mark.parametrize("end", sweep(ENDS, lambda end: end != "| true"))
def test_the_status_of_a_check_is_kept_where_its_output_is_not_read(
    run: CommandLine, tmp_path: Path, words: str, end: str
) -> None:
    run("project", "create", "full")
    run("phase", "add", "full", "Only", "--gate", "review")
    run("add", "-", "-p", "full", stdin="\n".join(f"{number} {'x' * 150}" for number in range(400)).encode())
    command = f"set -o pipefail; {sys.executable} -m tui {words} {end}"
    env = environment(tmp_path, PODIUM_DB=str(run.db), PODIUM_AS="robin")
    done = subprocess.run([needs("bash"), "-c", command], env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "")


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


# -- limits of the system ------------------------------------------------------------------------------------------

WHAT_ENDS_IN_ONE_SENTENCE = [("task", "list", "slow"), ("--help",), ("doctor",), ("serve", "--socket", "s"), ()]


def limited(which: int, most: int, run: CommandLine, *words: str, flags: tuple[str, ...] = ()) -> tuple[int, str, str]:
    """The exit status, output and errors of a command whose process has this limit."""
    done = subprocess.run(
        [sys.executable, *flags, "-m", "tui", *words],
        preexec_fn=lambda: resource.setrlimit(which, (most, most)),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        cwd=run.db.parent,
        env=environment(
            run.db.parent,
            PODIUM_DB=str(run.db),
            PODIUM_AS="robin",
            PYTHONPATH=os.pathsep.join(filter(None, [str(ROOT), *sys.path])),
        ),
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("words", WHAT_ENDS_IN_ONE_SENTENCE, ids=" ".join)
@pytest.mark.parametrize("most", sweep([4, 6, 8, 10, 16, 63], lambda most: most in (4, 63)))
def test_too_few_open_files_end_every_command_in_one_sentence(
    run: CommandLine, words: tuple[str, ...], most: int
) -> None:
    # Python itself needs five where a file .pth is read at its start; -S leaves these out
    status, out, said = limited(resource.RLIMIT_NOFILE, most, run, *words, flags=("-S",))
    assert (status, out) == (71, "")
    assert said == (
        f"Podium needs 64 open files, but only {most} are allowed here. Run “ulimit -n 1024”, or ask an administrator, "
        "then start Podium again.\n"
    )


@pytest.mark.parametrize("words", WHAT_ENDS_IN_ONE_SENTENCE, ids=" ".join)
@pytest.mark.parametrize("megabytes", sweep([32, 40, 64, 127], lambda megabytes: megabytes in (32, 127)))
def test_too_little_memory_ends_every_command_in_one_sentence(
    run: CommandLine, words: tuple[str, ...], megabytes: int
) -> None:
    status, out, said = limited(resource.RLIMIT_AS, megabytes * 1024 * 1024, run, *words)
    assert (status, out) == (71, "")
    assert said.startswith("Podium needs 134,217,728 bytes of memory")
    assert len(said.splitlines()) == 1


def test_the_least_that_is_allowed_is_enough_for_a_command(run: CommandLine) -> None:
    for which, least in ((resource.RLIMIT_NOFILE, 64), (resource.RLIMIT_AS, 128 * 1024 * 1024)):
        assert limited(which, least, run, "task", "list", "slow")[0] == 0
        assert limited(which, least, run, "project", "favourite", "slow")[0] == 0


@pytest.mark.parametrize(
    ("raised", "words"),
    [
        ("OSError(errno.EMFILE, 'Too many open files')", "Too many files are open"),
        ("OSError(errno.ENFILE, 'Too many open files in system')", "Too many files are open"),
        ("MemoryError()", "There is too little memory"),
    ],
)
def test_what_is_used_up_meanwhile_is_no_fault_of_podium(
    run: CommandLine, tmp_path: Path, raised: str, words: str
) -> None:
    broken = BROKEN.replace("import sys", "import errno, sys", 1).replace('KeyError("title")', raised)
    done = python(broken, "project", "list", "--db", str(run.db), "--as", "robin", home=tmp_path)
    assert (done.returncode, done.stdout) == (71, "")
    assert words in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_each_code_that_only_a_command_prints_has_its_page(run: CommandLine, tmp_path: Path) -> None:
    place = ("--json", "--db", str(run.db), "--as", "robin")
    said = [
        python("from tui.__main__ import main; main()", "no-such-command", "--json", home=tmp_path),
        python(BROKEN, "project", "list", *place, home=tmp_path),
        python(BROKEN.replace('KeyError("title")', "MemoryError()"), "project", "list", *place, home=tmp_path),
        python(
            BROKEN.replace('KeyError("title")', "OSError(28, 'No space')"), "project", "list", *place, home=tmp_path
        ),
    ]
    found = {}
    for done in said:
        [error] = json.loads(done.stderr.splitlines()[-1])["errors"]
        found[error["errorCode"]] = done.returncode
        assert error["link"] == f"/v1/errors/{error['errorCode']}"
        assert pages()[error["errorCode"]].what_to_do
    assert found == {"USAGE": 2, "INTERNAL_ERROR": 70, "TOO_LITTLE_MEMORY_OR_FILES": 71, "OUTPUT_NOT_WRITTEN": 74}
    assert all(pages()[code].status == status for code, status in found.items() if code != "INTERNAL_ERROR")


def test_every_exit_status_is_in_the_help_and_on_the_page_of_the_command_line() -> None:
    statuses = {kind.exit_status for kind in KINDS.values()} | {0, 70, 71, 74, 130}
    listed = " ".join((podium.epilog or "").split())
    page = re.findall(r"^\| (\d+) \| ", CLI.read_text(), re.MULTILINE)
    assert {int(each) for each in re.findall(r"(?:, |: )(\d+) ", listed)} == set(EXIT_STATUSES) == statuses
    assert {int(each) for each in page} == statuses


# -- reports ---------------------------------------------------------------------------------------------------------


def test_the_newest_ten_reports_are_kept(run: CommandLine, tmp_path: Path) -> None:
    folder = tmp_path / ".local" / "state" / "podium" / "faults"
    folder.mkdir(parents=True)
    old = [folder / f"20260101T0000{second:02}000000.txt" for second in range(15)]
    mine = folder / "notes.txt"
    for each in (*old, mine):
        each.write_text("as it was")
    python(BROKEN, "project", "list", "--db", str(run.db), "--as", "robin", home=tmp_path)
    left = sorted(folder.iterdir())
    assert mine in left
    assert left[:9] == old[6:]
    assert len(left) == 11
    assert "KeyError: 'title'" in left[9].read_text()
