"""The instructions of a start, up to the first full frame, as ``valgrind --tool=cachegrind`` counts them.

They repeat within two percent at any load of the machine, since the seed of hashes is fixed and every module is
compiled. Only instructions of the program count, not those of the kernel.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.benchmarks import workspace
from tests.benchmarks.notes import Notes
from tests.benchmarks.runs import NOTHING_MORE, whole_canvas
from tests.benchmarks.stopwatch import NoPicture
from tests.support.paths import ROOT
from tests.support.system_programs import FOLDERS
from tests.support.terminal.process import PtyProcess
from tests.support.terminal.screen import Screen

CARDS = 100

TIMES = 3
"""Starts of each program, of which the median counts."""

WITHIN = 300.0
"""Seconds for one start. A quiet machine takes 10."""

SUMMARY = re.compile(r"^summary: (\d+)", re.MULTILINE)


def measure(database: Path, notes: Notes) -> None:
    """Note the millions of instructions of both programs; nothing where valgrind is not installed."""
    if shutil.which("valgrind", path=FOLDERS) is None:
        print("The instructions of a start are not counted: apt-get install valgrind", file=sys.stderr)
        return
    with tempfile.TemporaryDirectory() as home:
        picture(hello(), Path(home))  # the first start compiles
        first = picture(podium(database), Path(home))
        if not whole_canvas(CARDS)(first):
            raise NoPicture(f"The frame is not the whole Canvas:\n{first.text}")
        for _ in range(TIMES):
            notes.add("hello instructions", counted(hello(), Path(home)))
            notes.add("100 instructions", counted(podium(database), Path(home)))


def hello() -> list[str]:
    return ["presses 0", "hello"]


def podium(database: Path) -> list[str]:
    """The arguments of ``first_frame`` for the Canvas of 100 cards."""
    name = workspace.project_name(CARDS)
    return ["A00001", "podium", "open", name, "--db", str(database), "--as", workspace.LOGIN]


def counted(arguments: Sequence[str], home: Path) -> float:
    """Millions of instructions up to the first frame. Raises NoPicture."""
    counts = home / "counts"
    valgrind = ["valgrind", "--tool=cachegrind", "--cache-sim=no", f"--cachegrind-out-file={counts}"]
    picture(arguments, home, prefix=valgrind)
    found = SUMMARY.search(counts.read_text())
    assert found is not None
    return int(found[1]) / 1e6


def picture(
    arguments: Sequence[str],
    home: Path,
    *,
    prefix: Sequence[str] = (),
    env: Mapping[str, str] = NOTHING_MORE,
) -> Screen:
    """The first frame, 120×40. Raises NoPicture if the program ends without it."""
    screen, chunks = Screen(120, 40), list[bytes]()
    command = [*prefix, sys.executable, "-m", "tests.benchmarks.first_frame", *arguments]
    settings = {"HOME": str(home), "PATH": FOLDERS, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "0", **env}
    process = PtyProcess(command, lambda _, data: chunks.append(data), env=settings)
    try:
        status = process.wait(WITHIN)
    finally:
        process.close()
    screen.feed(b"".join(chunks))
    if status != 0:
        raise NoPicture(f"The first frame did not come; the program ended with status {status}:\n{screen.text}")
    return screen
