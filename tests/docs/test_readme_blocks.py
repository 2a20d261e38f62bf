"""The blocks of the README run as they are written. The others run in tests/api and tests/end_to_end, and in CI."""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from tests.docs.readme import README
from tests.support.system_programs import needs

BLOCKS = re.findall(r"```console\n(.*?)```", README.read_text(), re.DOTALL)
(COMMANDS,) = [block for block in BLOCKS if "podium init --name" in block and "sudo" not in block]


def test_the_commands_run_in_their_order_on_a_fresh_machine(tmp_path: Path) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    podium = programs / "podium"
    podium.write_text(f'#!/bin/sh\nexec {sys.executable} -m tui "$@"\n')
    podium.chmod(0o755)
    work = tmp_path / "work"
    work.mkdir()
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PODIUM_", "XDG_"))}
    env = kept | {"HOME": str(tmp_path), "PATH": f"{programs}:{os.environ['PATH']}"}
    env["PYTHONPATH"] = str(README.parent)
    script = "set -e\n" + COMMANDS.replace(" && echo", "; echo")  # set -e looks past what stands before &&
    done = subprocess.run([needs("bash"), "-c", script], cwd=work, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "open, and may pass" in done.stdout
    assert (work / "status.md").read_text().startswith("# Spring campaign")
    assert (tmp_path / "autumn.db").stat().st_size > 0
    with closing(sqlite3.connect(tmp_path / ".local/share/podium/podium.db")) as database:
        assert database.execute("SELECT name FROM project ORDER BY name").fetchall() == [
            ("Autumn campaign",),
            ("Spring campaign",),
        ]
        assert database.execute("SELECT count(*) FROM application").fetchone() == (0,), "the last change is undone"


def test_every_command_of_the_readme_exists() -> None:
    from tui.cli.program import COMMANDS as KNOWN

    named = {word for block in BLOCKS for word in re.findall(r"(?:^|\s)podium ([a-z][a-z-]*)\b", block, re.MULTILINE)}
    accounts = {"podium"}
    assert named - accounts <= set(KNOWN), named - accounts - set(KNOWN)
