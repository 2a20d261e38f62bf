"""``python -m tests.benchmarks``: repeat all runs, each time in a new random order, and print the table.

Drifts of the machine and its other work hit all runs alike, so that a ratio of medians is fair. The exit status is 0
when every run got its pictures and every line is reached.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.benchmarks import (
    behind,
    core,
    floods,
    live,
    my_work,
    permissions,
    questions,
    remote,
    runs,
    search,
    server,
    templates,
    transfers,
    workspace,
)
from tests.benchmarks.figures import missed, table
from tests.benchmarks.notes import Notes
from tests.benchmarks.runs import Place, Run
from tests.benchmarks.stopwatch import NoPicture

HELLO = ("hello-start", "hello")
"""The runs that every figure needs."""

RUNS = (*runs.RUNS, *search.RUNS, *remote.RUNS, *behind.RUNS)

WITHOUT_SCREEN: dict[str, Callable[[Place, Notes, int], None]] = {
    "core": lambda place, notes, times: core.measure(place.database, notes, times),
    "search in core": lambda place, notes, times: search.measure(place.database, notes, times),
    "templates": lambda place, notes, times: templates.measure(place.database, notes, times),
    "permissions": lambda place, notes, times: permissions.measure(place.home, notes, 2 * times),
    "my work": lambda place, notes, times: my_work.measure(place.home, notes, 2 * times),
    "questions": lambda place, notes, times: questions.measure(place.database, place.home, notes, times),
    "server": lambda place, notes, times: server.measure(place.database, place.home, notes, times),
    "live": lambda place, notes, times: live.measure(place.database, place.home, notes, 2 * times),
    "floods": lambda place, notes, times: floods.measure(place.home, notes, times),
    "transfers": lambda _, notes, times: transfers.measure(notes, max(3, times // 5)),
}
"""What is measured in this process, about so many times."""


def main() -> int:
    arguments = parsed()
    notes, failures = Notes(), 0
    print("Making or finding the database of 1,000,000 items …", file=sys.stderr)
    source = workspace.cached()
    with tempfile.TemporaryDirectory(prefix="podium-benchmark-") as folder:
        place = Place(Path(shutil.copy(source, Path(folder, "workspace.db"))), Path(folder))
        for name, measure in WITHOUT_SCREEN.items():
            if not arguments.only or name in arguments.only:
                measure(place, notes, 10 if arguments.quick else 50)
        chosen = [run for run in RUNS if not arguments.only or run.name in (*arguments.only, *HELLO)]
        for run in chosen:
            if run.name.endswith("start"):  # the first repetition finds the disk's cache as warm as the others do
                attempted(run, place, Notes())
        for run in schedule(chosen, arguments.repetitions):
            failures += not attempted(run, place, notes)
    print(table(notes))
    print(f"hello: start {shown(notes, 'hello start')}, key {shown(notes, 'hello key')}; failed runs: {failures}")
    print(f"load of the machine {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(notes.listed(), indent=1))
    return 1 if missed(notes) or failures else 0


def parsed() -> argparse.Namespace:
    names = [*WITHOUT_SCREEN, *(run.name for run in RUNS)]
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description="Measure Podium against hello.")
    parser.add_argument("--quick", action="store_true", help="few repetitions, about a minute and a half")
    parser.add_argument("--only", action="append", metavar="NAME", choices=names, help=", ".join(names))
    parser.add_argument("--repetitions", type=int, help="how often (20; with --quick 4)")
    parser.add_argument("--json", metavar="FILE", help="write all samples to a file")
    arguments = parser.parse_args()
    arguments.repetitions = arguments.repetitions or (4 if arguments.quick else 20)
    return arguments


def schedule(chosen: list[Run], repetitions: int) -> Iterator[Run]:
    """All runs of all repetitions in their order; the first repetition has every kind of run."""
    for repetition in range(repetitions):
        print(f"Repetition {repetition + 1} of {repetitions}", file=sys.stderr)
        due = [run for run in chosen if repetition % run.every == 0]
        yield from random.sample(due, len(due))


def attempted(run: Run, place: Place, notes: Notes) -> bool:
    """Whether a run got all its pictures; if not, the screen it was left with is printed."""
    try:
        run.measure(place, notes)
    except NoPicture as failure:
        print(f"{run.name}: {failure}", file=sys.stderr)
        return False
    return True


def shown(notes: Notes, name: str) -> str:
    return f"{notes.median(name):.3g} ms (p95 {notes.p95(name):.3g})"


if __name__ == "__main__":
    sys.exit(main())
