"""A warm start does what a real one does: the same picture, the same output, the same ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.terminal.podium import opened
from tests.support.waiting import wait_until
from tests.support.warm_start import IS_POSSIBLE, WarmProcess
from tests.support.workspace import World

pytestmark = pytest.mark.skipif(not IS_POSSIBLE, reason="the system cannot tell of the end of any child")


def test_it_draws_what_a_real_one_draws_and_ends_with_its_status(world: World) -> None:
    world.task("Write the brief")
    place = Path(world.database.path)
    with opened(place, warm=False) as real, opened(place) as warm:
        for session in (real, warm):
            session.wait_for("Write the brief")
        wait_until(lambda: real.text == warm.text)
        for session in (real, warm):
            session.signal(signal.SIGTERM)
            assert session.exit_status() == 128 + signal.SIGTERM


@pytest.mark.parametrize("words", ["project list", "project list --json", "phase list Nowhere", "no-such-command"])
def test_a_command_prints_and_ends_as_a_real_one(world: World, tmp_path: Path, words: str) -> None:
    arguments = [*words.split(), "--db", str(world.database.path), "--as", "maya"]
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "LANG": "C.UTF-8"}
    real = subprocess.run([sys.executable, "-m", "tui", *arguments], env=env, capture_output=True, check=False)
    with open(os.devnull) as nothing, open(tmp_path / "out", "wb") as out, open(tmp_path / "err", "wb") as err:
        files = [nothing.fileno(), out.fileno(), err.fileno()]
        warm = WarmProcess(arguments, env, files, terminal=False)
        assert warm.wait(60) == real.returncode
    assert (tmp_path / "out").read_bytes() == real.stdout
    assert (tmp_path / "err").read_bytes() == real.stderr
    assert real.stdout or real.stderr
