"""The table: a line for each thing that is done, a column for each size, as a ratio to the smallest of the same run."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from tests.benchmarks.growth import messages, screens, sizes
from tests.benchmarks.growth.sizes import FIRST, SIZES
from tests.benchmarks.notes import Notes, NotMeasured
from tests.benchmarks.stopwatch import NoPicture

TASKS = "many tasks"
"""The project of 100 cards in the large workspace."""
PROJECTS = "many projects"
"""The person with many projects, in the large workspace."""
FEW = f"{sizes.FEW} projects"
ALONE = "alone"
"""The project of 100 cards in the small workspace, to which that in the large one is compared."""

COLUMNS = (*(size.name for size in SIZES), TASKS, PROJECTS)
COUNTS = ("statements", "rows", "steps of SQLite")

GOALS = {
    "start": 1.15,
    "cursor": 1.1,
    "move": 1.3,
    **{f"move: {count}": 1.1 if "steps" in count else 1 for count in COUNTS},
    **dict.fromkeys(screens.VIEWS.values(), 1.15),
    **{f"change of another in the {view}": 1.3 for view in screens.VIEWS.values()},
    "Projects": 1.15,
    "cursor in Projects": 1.1,
    "My work": 1.15,
    "Inbox": 1.15,
    "letter in the search box": 1.15,
    **{f"{what}: {count}": 1.1 if "steps" in count else 1 for what in messages.LISTS for count in COUNTS},
}
"""What is done, and how many times the smallest size it may take at any other."""


def measure(folder: Path, notes: Notes, repetitions: int, quick: bool) -> int:
    """Note everything in GOALS at each size, which with ``quick`` are smaller. Return the number of failed runs."""
    small, large = folder / "small.db", folder / "large.db"
    scale = _large(quick)
    print(f"Making a workspace of {scale.items:,} items …", file=sys.stderr)
    sizes.generate(small, sizes.SMALL)
    sizes.generate(large, scale)
    runs: dict[str, Callable[[Notes], None]] = {ALONE: partial(screens.work_in_project, small, folder, FIRST, ALONE)}
    messages.count_in_project(small, FIRST, ALONE, notes)
    for size in scale.sizes:
        messages.count_in_project(large, size, size.name, notes)
        runs[size.name] = partial(screens.work_in_project, large, folder, size, size.name)
    for database, name in ((small, FEW), (large, PROJECTS)):
        messages.count_in_lists(database, name, notes)
        runs[name] = partial(screens.work_in_lists, database, folder, name)
    failures = 0
    for repetition in range(repetitions):
        for name in random.sample(list(runs), len(runs)):
            print(f"Repetition {repetition + 1} of {repetitions}: {name}", file=sys.stderr)
            try:
                runs[name](notes)
            except NoPicture as failure:
                print(f"{name}: {failure}", file=sys.stderr)
                failures += 1
    return failures


def _large(quick: bool) -> sizes.Scale:
    return sizes.LARGE_QUICK if quick else sizes.LARGE


def table(notes: Notes, quick: bool = False) -> str:
    """The lines in columns, as Markdown, with the sizes of the large workspace."""
    scale = _large(quick)
    named = {TASKS: f"{scale.items:,} tasks", PROJECTS: f"{scale.projects:,} projects"}
    head = ("", "smallest", *(named.get(column, column) for column in COLUMNS[1:]), "goal")
    rows = [head, ("---",) * len(head), *(_row(notes, what) for what in GOALS)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def missed(notes: Notes) -> int:
    """The number of ratios above their goal."""
    return sum(ratio > goal for what, goal in GOALS.items() for _, ratio in _ratios(notes, what))


def _row(notes: Notes, what: str) -> Sequence[str]:
    ratios = dict(_ratios(notes, what))
    smallest = next((_shown(notes, what, name) for name in (FIRST.name, FEW) if _noted(notes, what, name)), "–")
    cells = [f"{ratios[column]:.2f} ×" if column in ratios else "" for column in COLUMNS[1:]]
    return (what, smallest, *cells, f"≤ {GOALS[what]:g} ×")


def _ratios(notes: Notes, what: str) -> Iterator[tuple[str, float]]:
    """The other sizes, as ratios to the smallest."""
    beside = {**{size.name: FIRST.name for size in SIZES[1:]}, PROJECTS: FEW}
    for column, smallest in beside.items():
        if _noted(notes, what, column):
            yield column, notes.ratio(f"{what}, {column}", f"{what}, {smallest}")
    if _noted(notes, what, ALONE):
        yield TASKS, notes.ratio(f"{what}, {FIRST.name}", f"{what}, {ALONE}")


def _shown(notes: Notes, what: str, name: str) -> str:
    median = notes.median(f"{what}, {name}")
    return f"{median:,.0f}" if what.endswith(COUNTS) else f"{median:.3g} ms"


def _noted(notes: Notes, what: str, name: str) -> bool:
    try:
        return bool(notes.of(f"{what}, {name}"))
    except NotMeasured:
        return False
