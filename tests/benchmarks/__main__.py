"""``python -m tests.benchmarks``: repeat all runs, each time in a new random order, and print the table.

Drifts of the machine and its other work hit all runs alike, so that a ratio of medians is fair. The exit status is 0
when every run got its pictures and every line is reached. ``--load`` measures load, memory and floods instead,
``--peers`` Podium beside the programs that people would pick instead, ``--growth`` the same at every size, and
``--keys`` every key of every screen.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from tests.benchmarks import (
    behind,
    commands,
    core,
    custom_fields,
    instructions,
    load,
    long_card,
    my_work,
    permissions,
    questions,
    remote,
    runs,
    search,
    server,
    simulation,
    templates,
    transfers,
    workspace,
)
from tests.benchmarks.figures import LINES, Line, missed, table, with_table
from tests.benchmarks.growth import matrix
from tests.benchmarks.keys import part
from tests.benchmarks.keys.lines import count_missed
from tests.benchmarks.notes import Notes
from tests.benchmarks.peers import comparison, page
from tests.benchmarks.runs import Place, Run
from tests.benchmarks.stopwatch import NoPicture

PAGE = Path(__file__).with_name("README.md")

HELLO = ("hello-start", "hello")
"""The runs that every figure needs."""

RUNS = (*runs.RUNS, *search.RUNS, *remote.RUNS, *behind.RUNS)

WITHOUT_SCREEN: dict[str, Callable[[Place, Notes, int], None]] = {
    "instructions": lambda place, notes, _: instructions.measure(place.database, notes),
    "core": lambda place, notes, times: core.measure(place.database, notes, times),
    "custom fields": lambda place, notes, times: custom_fields.measure(place.database, notes, times),
    "search in core": lambda place, notes, times: search.measure(place.database, notes, times),
    "templates": lambda place, notes, times: templates.measure(place.database, notes, times),
    "permissions": lambda place, notes, times: permissions.measure(place.home, notes, 2 * times),
    "my work": lambda place, notes, times: my_work.measure(place.home, notes, 2 * times),
    "questions": lambda place, notes, times: questions.measure(place.database, place.home, notes, times),
    "server": lambda place, notes, times: server.measure(place.database, place.home, notes, times),
    "long card": lambda _, notes, times: long_card.measure(notes, max(3, times // 10)),
    "commands": lambda _, notes, times: commands.measure(notes, times),
    "transfers": lambda _, notes, times: transfers.measure(notes, max(3, times // 5)),
}
"""What is measured in this process, about so many times."""


def main() -> int:
    arguments = parsed()
    if arguments.page:
        write_page(arguments)
        return 0
    if arguments.keys:
        return measured_keys(arguments)
    if arguments.load:
        return measured_load(arguments)
    if arguments.growth:
        return measured_growth(arguments)
    return measured_peers(arguments) if arguments.peers else measured_runs(arguments)


def measured_load(arguments: argparse.Namespace) -> int:
    """Load, memory and floods. The status to end with."""
    notes = Notes()
    load.measure({name: load.PARTS[name] for name in arguments.only or load.PARTS}, notes, arguments.quick)
    lines = [line for line in load.LINES if line.is_measured(notes)]
    report(arguments, notes, lines)
    return 1 if missed(notes, lines) else 0


def measured_peers(arguments: argparse.Namespace) -> int:
    """Podium beside its peers. The status to end with: a peer that is not installed here is no failure."""
    notes = Notes()
    with tempfile.TemporaryDirectory(prefix="podium-peers-") as folder:
        missing = comparison.measure(Path(folder), notes, arguments.repetitions, arguments.quick)
    report(arguments, notes, comparison.LINES)
    print(*missing, sep="\n")
    return 1 if missed(notes, comparison.LINES) else 0


def write_page(arguments: argparse.Namespace) -> None:
    """Write the generated tables of the page from the samples of runs."""
    notes = Notes.from_file(arguments.page)
    if arguments.load:
        simulation.write_pages(notes, PAGE)
        PAGE.write_text(simulation.with_part(PAGE.read_text(), "load", load.table_of_page(notes)))
    elif arguments.keys or arguments.peers:
        write = part.with_tables if arguments.keys else page.with_table
        PAGE.write_text(write(PAGE.read_text(), notes))
    else:
        PAGE.write_text(with_table(PAGE.read_text(), notes))


def measured_keys(arguments: argparse.Namespace) -> int:
    """Every key of every screen. The status to end with."""
    notes = Notes()
    with tempfile.TemporaryDirectory(prefix="podium-keys-") as folder:
        parts = part.chosen(arguments.only, arguments.quick)
        failures = part.measure(Path(folder), notes, arguments.repetitions, parts)
    print(part.all_tables(notes))
    print(machine())
    save(arguments, notes)
    return 1 if count_missed(notes) or failures else 0


def measured_growth(arguments: argparse.Namespace) -> int:
    """Growth with a project or with the workspace. The status to end with."""
    notes = Notes()
    with tempfile.TemporaryDirectory(prefix="podium-growth-") as folder:
        failures = matrix.measure(Path(folder), notes, arguments.repetitions, arguments.quick)
    print(matrix.table(notes, arguments.quick))
    print(machine())
    save(arguments, notes)
    return 1 if matrix.missed(notes) or failures else 0


def report(arguments: argparse.Namespace, notes: Notes, lines: Sequence[Line]) -> None:
    """Print the lines, and save the samples."""
    print(table(notes, lines))
    print(machine())
    save(arguments, notes)


def save(arguments: argparse.Namespace, notes: Notes) -> None:
    """Write the samples to the file that is wanted."""
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(notes.listed(), indent=1))


def measured_runs(arguments: argparse.Namespace) -> int:
    """Podium beside a bare program. The status to end with."""
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
    report(arguments, notes, LINES)
    print(f"hello: start {shown(notes, 'hello start')}, key {shown(notes, 'hello key')}; failed runs: {failures}")
    return 1 if missed(notes) or failures else 0


def parsed() -> argparse.Namespace:
    names = [*WITHOUT_SCREEN, *(run.name for run in RUNS)]
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description="Measure Podium against hello.")
    parser.add_argument("--quick", action="store_true", help="few repetitions, about ten minutes")
    parser.add_argument("--load", action="store_true", help="load, memory and floods beside their limits, instead")
    parser.add_argument(
        "--peers", action="store_true", help="Podium beside kanban-tui, pykantui, dooit and calcurse, instead"
    )
    parser.add_argument("--keys", action="store_true", help="every key of every screen, to its last byte, instead")
    every = f"{', '.join(names)}; with --load: {', '.join(load.PARTS)}; with --keys: {', '.join(part.list_parts())}"
    parser.add_argument(
        "--growth", action="store_true", help="the same at every size of project and workspace, instead"
    )
    parser.add_argument("--only", action="append", metavar="NAME", help=every)
    parser.add_argument(
        "--repetitions", type=int, help="how often (20, with --peers, --growth and --keys 3; with --quick 4 and 1)"
    )
    parser.add_argument("--json", metavar="FILE", help="write all samples to a file")
    parser.add_argument("--page", metavar="FILE", help="write the tables of the page from such a file, instead")
    arguments = parser.parse_args()
    of_mode = part.list_parts() if arguments.keys else load.PARTS if arguments.load else names
    known = () if arguments.peers or arguments.growth else of_mode
    if unknown := [name for name in arguments.only or () if name not in known]:
        parser.error(f"there is no part “{unknown[0]}”; there are {', '.join(known)}")
    is_long = arguments.peers or arguments.growth or arguments.keys
    often = (1 if arguments.quick else 3) if is_long else (4 if arguments.quick else 20)
    arguments.repetitions = arguments.repetitions or often
    return arguments


def machine() -> str:
    return f"load of the machine {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors"


def schedule(chosen: list[Run], repetitions: int) -> Iterator[Run]:
    """All runs of all repetitions in their order; the first repetition has every kind of run."""
    for repetition in range(repetitions):
        print(f"Repetition {repetition + 1} of {repetitions}", file=sys.stderr)
        due = [run for run in chosen if repetition % run.every == 0]
        yield from random.sample(due, len(due))


def attempted(run: Run, place: Place, notes: Notes) -> bool:
    """Measure a run. Return False if a picture did not appear, and print the screen."""
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
