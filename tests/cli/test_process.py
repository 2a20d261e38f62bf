"""``python -m tui`` as a process: what it imports, pipes that close early, bytes that are no text."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import CommandLine
from tests.support.system_programs import needs

HEAVY = ("textual", "rich", "sqlite_utils", "asyncio", "httpx", "pydantic", "pydantic_core", "tomllib", "jinja2")

IMPORTED = f"""
import atexit, sys
def tell():
    print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)
atexit.register(tell)
sys.argv[0] = "podium"
from tui.__main__ import main
main()
"""


def environment(tmp_path: Path, **more: str) -> dict[str, str]:
    return {**os.environ, "PODIUM_CONFIG": os.devnull, **more}


def process(*args: str, **more: Any) -> subprocess.CompletedProcess[bytes]:
    done: subprocess.CompletedProcess[bytes] = subprocess.run(
        [sys.executable, *args], capture_output=True, timeout=60, check=False, **more
    )
    return done


def test_reading_commands_import_nothing_heavy(run: CommandLine, tmp_path: Path) -> None:
    for words in (("project", "list", "--json"), ("task", "list", "slow"), ("gate", "check", "torq", "2")):
        done = process("-c", IMPORTED, *words, "--db", str(run.db), "--as", "robin", env=environment(tmp_path))
        assert done.stderr.decode().strip() == "[]", words


def test_a_command_works_as_a_process(run: CommandLine, tmp_path: Path) -> None:
    place = {"PODIUM_DB": str(run.db), "PODIUM_AS": "robin"}
    done = process("-m", "tui", "project", "show", "no such", env=environment(tmp_path, **place))
    assert (done.returncode, done.stdout) == (6, b"")
    assert "There is no project “no such”" in done.stderr.decode()


def test_a_reader_that_leaves_early_is_no_error(run: CommandLine, tmp_path: Path) -> None:
    command = f"{sys.executable} -m tui commands --json | head -c 5; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run([needs("bash"), "-c", command], capture_output=True, env=environment(tmp_path), check=False)
    assert done.stderr == b""
    assert done.stdout.decode().endswith("0\n")


def test_a_terminal_without_utf8_gets_signs_it_can_show(run: CommandLine, tmp_path: Path) -> None:
    env = environment(tmp_path, PYTHONIOENCODING="ascii", PODIUM_DB=str(run.db), PODIUM_AS="robin")
    done = process("-m", "tui", "user", "list", env=env)
    assert done.returncode == 0
    assert b"Zieli?ski" in done.stdout


def test_arguments_that_are_no_text_are_refused(run: CommandLine, tmp_path: Path) -> None:
    env = environment(tmp_path, PODIUM_DB=str(run.db), PODIUM_AS="robin")
    done = subprocess.run(
        [sys.executable.encode(), b"-m", b"tui", b"project", b"create", b"a\xff"],
        capture_output=True,
        env=env,
        check=False,
    )
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("arguments", [["project", "list", "--json"], ["project", "list", "--nonsense", "--json"]])
def test_links_of_errors_are_whole_urls_where_the_address_of_the_api_is_known(
    tmp_path: Path, arguments: list[str]
) -> None:
    known = os.environ | {"PODIUM_PUBLIC_URL": "https://podium.example", "PODIUM_DB": str(tmp_path / "none.db")}
    result = subprocess.run(
        [sys.executable, "-m", "tui", *arguments], env=known, capture_output=True, text=True, timeout=60
    )
    (error,) = json.loads(result.stderr)["errors"]
    assert error["link"] == f"https://podium.example/v1/errors/{error['errorCode']}"
