"""The parts of ``python -m tests.benchmarks --keys``, and the tables that it prints and writes to the page."""

from __future__ import annotations

from pathlib import Path

from tests.benchmarks.keys import slow_line, walk
from tests.benchmarks.keys.lines import CANVAS, table_of_keys, table_of_screens, table_of_slow_line
from tests.benchmarks.keys.screens import screens
from tests.benchmarks.notes import Notes

SLOW_LINE = "slow line"

TABLES = {"keys of the Canvas": table_of_keys, "all screens": table_of_screens, SLOW_LINE: table_of_slow_line}
"""By the name of their place on the page."""


def list_parts() -> list[str]:
    """The names of what can be measured alone."""
    return [*screens(), SLOW_LINE]


def measure(folder: Path, notes: Notes, repetitions: int, parts: list[str]) -> int:
    """Note these parts, in ``folder``. Return the number of screens that failed."""
    failures = walk.measure(folder, notes, repetitions, [name for name in parts if name != SLOW_LINE])
    if SLOW_LINE in parts:
        slow_line.measure(folder, notes, repetitions)
    return failures


def chosen(only: list[str] | None, quick: bool) -> list[str]:
    """The parts to measure; of the screens, only the Canvas where it is to be quick."""
    return only or ([CANVAS, SLOW_LINE] if quick else list_parts())


def all_tables(notes: Notes) -> str:
    return "\n\n".join(table(notes) for table in TABLES.values())


def with_tables(page: str, notes: Notes) -> str:
    """The text of the page with the tables of a run."""
    for name, table in TABLES.items():
        start, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
        before, after = page.partition(start)[0], page.partition(end)[2]
        page = f"{before}{start}{table(notes)}\n{end}{after}"
    return page
