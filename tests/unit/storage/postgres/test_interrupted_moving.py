"""Copies of a workspace that are cancelled, killed or wrong: there is never more than one place to work in."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from core.errors import Cancelled, DatabaseMoved, InvalidInput, StorageError
from core.net.database_url import DatabasePlace
from core.storage import copying
from core.storage.opening import open_database
from core.storage.postgres.copy_store import PostgresStore
from core.storage.progress import Progress
from core.storage.schema.copied_tables import CopiedTable
from core.storage.sqlite.copy_store import SqliteStore
from tests.support.copied_workspaces import WAYS, can_be_worked_in, content_of, copy, refused, text_of
from tests.support.paths import ROOT
from tests.support.sweeps import sweep

KILLED = """
import os, sys
from datetime import UTC, datetime
from core.net.database_url import database_place
from core.storage import copying
from core.storage.sqlite.copy_store import SqliteStore
from core.storage.postgres.copy_store import PostgresStore
from core.storage.progress import Progress
source, target, step = sys.argv[1:]
source, target = map(database_place, (source, target))
done = 0
for kind in (SqliteStore, PostgresStore):
    for name in ("add", "complete", "set_mark", "commit"):
        def stepped(self, *arguments, run=getattr(kind, name), name=name):
            global done
            done += name != "add"
            if done == int(step):
                os.kill(os.getpid(), 9)
            run(self, *arguments)
        setattr(kind, name, stepped)
copying.copy_workspace(source, target, datetime.now(UTC), Progress())
"""


@pytest.mark.parametrize(("source", "target"), WAYS)
def test_a_cancelled_copy_leaves_the_target_empty_and_the_source_as_it_was(
    filled: Callable[[str], DatabasePlace],
    new: Callable[[str], DatabasePlace],
    source: str,
    target: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(copying, "ROWS_AT_ONCE", 100)
    old, to = filled(source), new(target)
    before = content_of(old)
    totals = list[int]()

    def stop_late(done: int, total: int) -> None:
        totals.append(total)
        if done > total * 0.9:
            progress.cancel()

    progress = Progress(stop_late)
    with pytest.raises(Cancelled):
        copy(old, to, progress)
    assert set(totals) == {3 * sum(each.rows for each in before.values())}
    if isinstance(to, Path):
        assert not list(to.parent.glob(f"{to.name}*"))
    else:
        assert {each.rows for name, each in content_of(to).items() if name != "feed"} == {0}
    open_database(old).close()
    assert copy(old, to).tables == before


@pytest.mark.parametrize("step", sweep(range(1, 8), lambda step: step in (1, 5, 6)))
@pytest.mark.parametrize(("source", "target"), [("file", "database"), ("database", "file")])
def test_a_killed_copy_never_leaves_two_places_to_work_in_and_can_be_repeated(
    filled: Callable[[str], DatabasePlace], new: Callable[[str], DatabasePlace], source: str, target: str, step: int
) -> None:
    old, to = filled(source), new(target)
    before = content_of(old)
    command = [sys.executable, "-c", KILLED, *map(text_of, (old, to)), str(step)]
    assert subprocess.run(command, cwd=ROOT, check=False).returncode == -signal.SIGKILL
    assert [can_be_worked_in(place) for place in (old, to)] == [step <= 5, False]
    assert copy(old, to).tables == before == content_of(to)
    assert [can_be_worked_in(place) for place in (old, to)] == [False, True]


def test_the_rest_of_another_copy_is_refused(
    filled: Callable[[str], DatabasePlace], new: Callable[[str], DatabasePlace], demo: Path, tmp_path: Path
) -> None:
    old, to = filled("file"), new("database")
    command = [sys.executable, "-c", KILLED, *map(text_of, (old, to)), "5"]
    assert subprocess.run(command, cwd=ROOT, check=False).returncode == -signal.SIGKILL
    sentence = refused(to)
    assert sentence.startswith(f"A copy from {old} to the database")
    with pytest.raises(DatabaseMoved, match="was interrupted"):
        copy(Path(shutil.copy(demo, tmp_path / "other.db")), to)


@pytest.mark.parametrize(("kind", "target"), [(SqliteStore, "file"), (PostgresStore, "database")])
def test_a_copy_that_differs_is_not_kept(
    filled: Callable[[str], DatabasePlace],
    new: Callable[[str], DatabasePlace],
    kind: Any,
    target: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    old, to, add = filled("file"), new(target), kind.add

    def lose_one(self: Any, table: CopiedTable, rows: Iterator[tuple[Any, ...]]) -> None:
        if table.name == "comment":
            next(rows)
        add(self, table, rows)

    monkeypatch.setattr(kind, "add", lose_one)
    with pytest.raises(StorageError, match="in the tables comment"):
        copy(old, to)
    monkeypatch.undo()
    open_database(old).close()
    assert not can_be_worked_in(to)
    copy(old, to)


def test_a_moved_workspace_is_not_opened_again_by_copying_it_to_itself_or_to_a_copy_of_its_file(
    filled: Callable[[str], DatabasePlace], new: Callable[[str], DatabasePlace], tmp_path: Path
) -> None:
    old = filled("file")
    assert isinstance(old, Path)
    with pytest.raises(InvalidInput, match="are the same place"):
        copy(old, old)
    copy(old, new("file"))
    twin = Path(shutil.copy(old, tmp_path / "twin.db"))
    for target in (old, twin):
        with pytest.raises((DatabaseMoved, InvalidInput)):
            copy(old, target)
        assert not can_be_worked_in(target)
