"""Completion in bash, zsh and fish: what is completed arrives as one argument, and no title is ever run."""

from __future__ import annotations

import os
import pty
import select
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.conftest import CommandLine
from tests.docs.completion_table import FILE, made_table, text_of
from tests.support.paths import ROOT
from tests.support.sweeps import sweep
from tests.support.system_programs import needs
from tui.cli.completion.answer import bash_line, bash_quoted
from tui.cli.program import podium

WITHIN = 30.0
"""Seconds; only a failure takes them."""

QUICK = [
    'It\'s "quoted"',
    "$(touch pwned)",
    "x; touch pwned & echo | cat > pwned",
    "col:on: and = sign",
    "天気 予報 Größe",
    "back\\slash $HOME ~ *? [a] {b,c} #no !bang %d",
    "@home",
    "new\nline",
]
"""A title for each way in which a sign is quoted, and two of which the key is completed."""

HOSTILE = [
    *QUICK,
    "Write brief",
    "`touch pwned`",
    "-rf dash",
    "*",
    "🎬 🎉 עברית",
    "long " * 36 + "title",
    "tab\there",
    "bell\x07 and \x1b[31m",
]

PROGRAM = "from tui.cli.completion import answer; answer.SECONDS = 30; from tui.__main__ import main; main()"
"""The program, which answers also after more than a second: a busy machine can need it."""

WRAPPER = """#!/bin/sh
case "$1" in
    complete|completion) exec {python} -c '{program}' "$@" ;;
esac
for each in "$@"; do printf '%s\\0' "$each"; done > "{home}/arguments.part"
mv "{home}/arguments.part" "{home}/arguments"
"""

RC = {
    "bash": (".bashrc", "PS1='READY> '\nbind 'set bell-style none'\neval \"$(podium completion bash)\"\n"),
    "zsh": (
        ".zshrc",
        "PS1='READY> '\nunsetopt beep\nautoload -Uz compinit\ncompinit -u\neval \"$(podium completion zsh)\"\n",
    ),
    "fish": (
        ".config/fish/config.fish",
        "function fish_prompt\necho 'READY> '\nend\nset -g fish_greeting\npodium completion fish | source\n",
    ),
}
START = {"bash": ["--norc", "--noprofile", "-i"], "zsh": ["-i"], "fish": ["-i"]}


@pytest.fixture
def home(run: CommandLine, tmp_path: Path) -> Path:
    """A home with shells that complete, and a workspace with a project “Hostile” of one task."""
    folder = tmp_path / "home"
    (folder / "bin").mkdir(parents=True)
    wrapper = folder / "bin" / "podium"
    wrapper.write_text(WRAPPER.format(python=sys.executable, program=PROGRAM, home=folder))
    wrapper.chmod(wrapper.stat().st_mode | stat.S_IXUSR)
    for name, text in RC.values():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    run("project", "create", "Hostile")
    run("phase", "add", "Hostile", "Only")
    run("add", "Task", "-p", "Hostile")
    return folder


def environment(run: CommandLine, home: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PODIUM_", "XDG_"))}
    return kept | {
        "HOME": str(home), "ZDOTDIR": str(home), "PATH": f"{home / 'bin'}:{os.environ['PATH']}", "TERM": "xterm",
        "PODIUM_DB": str(run.db), "PODIUM_AS": "robin", "PYTHONPATH": str(ROOT), "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8",
    }  # fmt: skip


class Shell:
    """An interactive shell on a terminal of its own."""

    def __init__(self, name: str, run: CommandLine, home: Path) -> None:
        self.home, program = home, needs(name)
        pid, self.terminal = pty.fork()
        if pid == 0:
            os.chdir(home)
            flags = ["--rcfile", str(home / ".bashrc"), "-i"] if name == "bash" else START[name]
            os.execve(program, [program, *flags], environment(run, home))
        self.pid, self.seen = pid, b""
        self.read_until(lambda: b"READY>" in self.seen)

    def read_until(self, done: Callable[[], bool]) -> None:
        end = time.monotonic() + WITHIN
        while not done():
            assert time.monotonic() < end, self.seen[-2000:].decode(errors="replace")
            if select.select([self.terminal], [], [], 0.05)[0]:
                self.seen += os.read(self.terminal, 65536)

    def arguments_of(self, line: str) -> list[str]:
        """The arguments with which the program was started after this line and enter."""
        (self.home / "arguments").unlink(missing_ok=True)
        os.write(self.terminal, f"{line}\r".encode())
        self.read_until((self.home / "arguments").exists)
        return (self.home / "arguments").read_text().split("\0")[:-1]

    def close(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.terminal)


@pytest.fixture(params=list(RC))
def shell(request: pytest.FixtureRequest, run: CommandLine, home: Path) -> Iterator[Shell]:
    opened = Shell(request.param, run, home)
    yield opened
    opened.close()


@pytest.mark.parametrize("titles", sweep([QUICK, HOSTILE], lambda titles: titles == QUICK), ids=["some", "all"])
def test_a_hostile_title_arrives_as_one_argument_and_is_never_run(
    shell: Shell, run: CommandLine, home: Path, titles: list[str]
) -> None:
    task_id = run.task("Hostile", "Task")["id"]
    for title in titles:
        with closing(sqlite3.connect(run.db)) as connection, connection:
            connection.execute("UPDATE item SET title = ? WHERE id = ?", (title, task_id))
        by_key = title[0] in "-@" or not title.isprintable()
        found = shell.arguments_of("podium task done -p Hostile \t")
        assert found == ["task", "done", "-p", "Hostile", "HOS-1" if by_key else title]
        assert not (home / "pwned").exists(), title


def test_commands_options_projects_phases_people_and_statuses_are_completed(shell: Shell, run: CommandLine) -> None:
    run("task", "add", "slow", "Production", "Zip: the files")
    for typed, last in (
        ("podium task done -p Hostile HOS-\t", "HOS-1"),
        ("podium temp\t", "template"),
        ("podium task arch\t", "archive"),
        ("podium task list --arch\t", "--archived"),
        ("podium task list Slo\t", "Slow Mornings campaign"),
        ("podium phase show Torq\\ T4\\ drill\\ launch Readi\t", "Readiness"),
        ("podium task assign Slo\t 'Zip: the files' Mara\t", "Mara Oduya"),
        ("podium task move Slo\t Zip\t doi\t", "doing"),
        ("podium task move Slo\t 'Zip\t", "Zip: the files"),
        ('podium task move Slo\t "Zip\t', "Zip: the files"),
    ):
        assert shell.arguments_of(typed)[-1] == last, typed


@pytest.mark.parametrize("shell", ["bash", "zsh"], indirect=True)  # fish takes no answer that begins otherwise
def test_a_title_is_completed_by_its_letters_without_accents(shell: Shell, run: CommandLine) -> None:
    run("task", "edit", "Hostile", "Task", "--title", "Straße nach Łódź")
    assert shell.arguments_of("podium task done -p Hostile strasse\t")[-1] == "Straße nach Łódź"


def test_a_name_that_may_not_be_seen_is_not_answered_and_no_file_keeps_one(run: CommandLine, home: Path) -> None:
    env = environment(run, home)

    def answers(*words: str, **more: str) -> list[str]:
        argv = [sys.executable, "-c", PROGRAM, "complete", "zsh", *words]
        return subprocess.run(argv, env=env | more, capture_output=True, text=True, check=True).stdout.splitlines()

    before = {path for path in home.rglob("*") if path.name != "__pycache__"}
    assert "Slow Mornings campaign" in answers("task", "list", "")
    assert answers("task", "list", "", PODIUM_AS="stranger") == []
    assert "Slow Mornings campaign" not in answers("task", "list", "", PODIUM_AS="priya.raman")
    run("member", "remove", "slow", "mara")
    assert "Slow Mornings campaign" not in answers("task", "list", "", PODIUM_AS="mara.oduya")
    assert answers("task", "list", "", PODIUM_DB="/nowhere") == []
    assert answers("task", "list", "", PODIUM_SERVER="unix:/nowhere", PODIUM_DB="") == []
    assert {path for path in home.rglob("*") if path.name != "__pycache__"} == before


def test_commands_and_options_are_completed_without_opening_the_workspace(run: CommandLine, home: Path) -> None:
    code = (
        "import os, sys; leave = os._exit\n"
        "def told(status):\n"
        "    print([name for name in ('click', 'msgspec', 'core.config', 'sqlite3') if name in sys.modules])\n"
        "    sys.stdout.flush(); leave(status)\n"
        "os._exit = told\n"
        f"{PROGRAM}"
    )
    for words, answer in ((["task", "mo"], "move"), (["task", "list", "--arch"], "--archived")):
        argv = [sys.executable, "-c", code, "complete", "zsh", *words]
        done = subprocess.run(argv, env=environment(run, home), capture_output=True, text=True, check=True)
        assert done.stdout.splitlines() == [answer, "[]"]


def test_the_table_of_commands_is_that_of_the_program() -> None:
    assert FILE.read_text() == text_of(made_table(podium)), "python -m tests.docs.readme writes it"


@pytest.mark.parametrize("title", [each for each in HOSTILE if each.isprintable()])
@pytest.mark.parametrize("quote", ["", "'", '"'])
def test_a_quoted_title_is_one_word_for_bash_and_for_the_reader_of_its_lines(title: str, quote: str) -> None:
    bash = shutil.which("bash") or needs("bash")
    word = f"{quote}{bash_quoted(title, quote)}{quote}"
    said = subprocess.run([bash, "-c", f"printf '%s\\0' {word}"], capture_output=True, text=True, check=True).stdout
    assert said == f"{title}\0"
    assert bash_line(f"podium {word}", ":=@").words == ["podium", title]
