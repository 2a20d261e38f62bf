"""The measurement of what grows: its two workspaces, and the table."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from core.actions import load_catalog
from core.actions.projects.lists import ListProjects
from core.actions.workflow.canvas import GetCanvas
from core.engine.engine import Engine
from core.sign_in.local import sign_on
from core.storage.schema.integrity import damage
from core.storage.sqlite.database import SqliteDatabase
from tests.benchmarks.growth import matrix, messages, sizes
from tests.benchmarks.growth.sizes import BUSY, FIRST, SIZES, Scale
from tests.benchmarks.notes import Notes
from tests.benchmarks.workspace import LOGIN

SIZES_OF_TEST = tuple(size for size in SIZES if size.cards <= 1_000)


def test_the_workspace_is_whole_and_has_projects_of_known_size(tmp_path: Path) -> None:
    path = tmp_path / "large.db"
    sizes.generate(path, Scale(SIZES_OF_TEST, 20, 4_000))
    database = SqliteDatabase(path)
    with closing(Engine(database, load_catalog)) as engine:
        assert damage(database.connection) == []
        for size in SIZES_OF_TEST:
            canvas = engine.query(GetCanvas(project_id=size.project_id), sign_on(engine, LOGIN))
            assert len(canvas.cards) == size.cards + size.phases - 6
            assert len(canvas.head.columns) == size.phases
            assert len(canvas.head.members) == size.members
            assert canvas.cards[0].title.startswith("A00001 ")
        busy = sign_on(engine, BUSY)
        assert len(engine.query(ListProjects(), busy).lines) == 20
        notes = Notes()
        messages.count_in_lists(path, "20 projects", notes)
        assert notes.median("My work: rows, 20 projects") >= sizes.OWN_CARDS
        assert notes.median("Inbox: rows, 20 projects") >= sizes.IN_INBOX
        assert notes.median("letter in the search box: rows, 20 projects") > 0


def test_the_table_has_each_size_beside_the_smallest_with_its_goal() -> None:
    notes = Notes()
    for what in matrix.GOALS:
        lists = what.split(":")[0] in (*messages.LISTS, "cursor in Projects")
        for name in (matrix.FEW, matrix.PROJECTS) if lists else (matrix.ALONE, *(size.name for size in SIZES)):
            notes.add(f"{what}, {name}", 3.0 if name == "10,000 cards" else 2.0)
    rows = {cells[0]: cells for cells in (line.strip("| ").split(" | ") for line in matrix.table(notes).splitlines())}
    assert rows.keys() == {"smallest", "---", *matrix.GOALS}
    assert "| start | 2 ms | 1.00 × | 1.50 × | 1.00 × | 1.00 × | 1.00 × | 1.00 × |  | ≤ 1.15 × |" in matrix.table(notes)
    assert "| Inbox | 2 ms |  |  |  |  |  |  | 1.00 × | ≤ 1.15 × |" in matrix.table(notes)
    above = [what for what in matrix.GOALS if what.split(":")[0] not in (*messages.LISTS, "cursor in Projects")]
    assert matrix.missed(notes) == len(above)


def test_the_table_names_the_sizes_of_its_run() -> None:
    assert "| 1,000,000 tasks | 10,000 projects |" in matrix.table(Notes())
    assert "| 100,000 tasks | 1,000 projects |" in matrix.table(Notes(), quick=True)


def test_what_is_not_measured_is_left_empty_and_misses_no_goal() -> None:
    notes = Notes()
    assert matrix.missed(notes) == 0
    assert "| move | – |  |" in matrix.table(notes)
    notes.add(f"move: statements, {FIRST.name}", 20)
    assert "| move: statements | 20 |  |" in matrix.table(notes)
