"""Large imports and deletions on a disk with too little room: nothing of them is left, and others go on writing."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from core.actions import load_catalog
from core.actions.cards.bulk import BulkUpdate
from core.actions.cards.tasks import CreateTask
from core.actions.projects.exports import ExportProject
from core.actions.projects.imports import ImportProject
from core.actions.projects.projects import ArchiveProject, DeleteProject
from core.codec.encoding import brief
from core.engine import large_projects
from core.engine.engine import Engine
from core.errors import DatabaseFull
from core.import_export.document import ItemEntry, ProjectDocument
from core.record import replace
from core.storage.schema.integrity import damage
from core.storage.sqlite.database import SqliteDatabase
from core.storage.sqlite.disk_space import MIN_ROOM, free_room
from tests.faults.test_disk import fill, mounted
from tests.support.api.server import ServerOfTests
from tests.support.postgres_cluster import about_the_file
from tests.support.sweeps import sweep
from tests.support.waiting import wait_until
from tests.support.workspace import Clock, World, content, gather, new_database

pytestmark = about_the_file

MEGABYTE = 1024 * 1024

NAMES = tuple(f"word{number}" for number in range(20_000))


@contextmanager
def world_on(disk: Path, clock: Clock, megabytes: int) -> Iterator[World]:
    """The world on a small disk, with one task."""
    with (
        mounted(disk, f"size={megabytes * MEGABYTE}") as folder,
        closing(Engine(new_database(folder / "podium.db"), load_catalog, clock=clock)) as engine,
    ):
        world = World(engine, gather(engine))
        world.task("Before")
        yield world


def with_cards(world: World, cards: int, words: int) -> ProjectDocument:
    """A project with so many cards, each with so many words."""
    document: ProjectDocument = world.ask(ExportProject(project_id=world.project.id))
    chance = random.Random(1)
    (card,) = document.phases[0].items

    def another(number: int) -> ItemEntry:
        return replace(card, id=f"t{number}", number=number + 1, description=" ".join(chance.choices(NAMES, k=words)))

    first = replace(document.phases[0], items=tuple(map(another, range(cards))))
    return replace(document, name="Brought", phases=(first, *document.phases[1:]))


def hidden_rows(world: World) -> dict[str, int]:
    """The number of rows of a project that does not exist, by table."""
    sql = "SELECT count(*) AS n FROM {} WHERE project_id NOT IN (SELECT id FROM project UNION SELECT 'workspace')"
    counts = {rows.table: world.rows(sql.format(rows.table))[0]["n"] for rows in large_projects.HIDDEN}
    return {table: count for table, count in counts.items() if count}


def nothing_is_left(world: World) -> bool:
    return hidden_rows(world) == {} and world.rows("SELECT 1 FROM unfinished") == []


def others_can_write(world: World) -> None:
    """Write more than the last room of a disk that is full, through another program's connection too."""
    path = world.database.path
    assert free_room(path.parent) >= MIN_ROOM
    for number in range(20):
        world.task(f"After {number}", description="y" * 5_000)
    with closing(SqliteDatabase(path)) as other:
        other.write(lambda tx: tx.execute("UPDATE feed SET seq = seq WHERE id = 'workspace'"))
        assert damage(other.connection) == []


SIZES = [(6, 8_000, 8), (8, 8_000, 8), (12, 20_000, 8), (12, 400, 1_200), (24, 8_000, 100), (48, 2_000, 1_200)]
"""Megabytes of the disk, cards, and words of each: none fits."""


@pytest.mark.parametrize(("megabytes", "cards", "words"), sweep(SIZES, lambda size: size in (SIZES[0], SIZES[3])))
def test_an_import_that_does_not_fit_leaves_nothing_and_others_write_on(
    tmp_path: Path, clock: Clock, megabytes: int, cards: int, words: int
) -> None:
    with world_on(tmp_path / "disk", clock, megabytes) as world:
        document, before = with_cards(world, cards, words), content(world.database)
        for _ in range(3):
            with pytest.raises(DatabaseFull, match=r"No room .* Nothing was changed; make room and retry\.$"):
                world.do(ImportProject(document=document))
            assert nothing_is_left(world)
            assert content(world.database) == before
        others_can_write(world)


def test_an_import_that_fits_is_kept_on_a_small_disk(tmp_path: Path, clock: Clock) -> None:
    with world_on(tmp_path / "disk", clock, 20) as world:
        brought = world.do(ImportProject(document=with_cards(world, 2_500, 8)))
        assert len(world.rows("SELECT 1 FROM item WHERE project_id = :id", id=brought.id)) == 2_500
        assert nothing_is_left(world)
        others_can_write(world)


def test_it_leaves_nothing_while_a_reader_keeps_the_log_from_being_cut(tmp_path: Path, clock: Clock) -> None:
    with world_on(tmp_path / "disk", clock, 12) as world:
        path = world.database.path
        with closing(SqliteDatabase(path)) as reader:
            reader.connection.execute("BEGIN")
            reader.connection.execute("SELECT count(*) FROM item").fetchone()
            with pytest.raises(DatabaseFull):
                world.do(ImportProject(document=with_cards(world, 8_000, 8)))
            assert nothing_is_left(world)
            others_can_write(world)
            reader.connection.execute("ROLLBACK")


def test_the_command_says_one_sentence_and_the_next_one_can_write(tmp_path: Path, clock: Clock) -> None:
    with world_on(tmp_path / "disk", clock, 8) as world:
        world.database.close()
        table, path = tmp_path / "cards.csv", world.database.path
        rows = (f"Card {number},Make,Some words about card {number}" for number in range(8_000))
        table.write_text("\n".join(("title,phase,description", *rows)))

        def podium(*words: str) -> subprocess.CompletedProcess[str]:
            line = [sys.executable, "-m", "tui", *words, "--db", str(path), "--as", "maya"]
            return subprocess.run(line, capture_output=True, text=True, timeout=120, check=False)

        refused = podium("project", "import", str(table))
        assert (refused.returncode, refused.stdout) == (5, "")
        assert refused.stderr.startswith("The disk is full: No room for the project")
        assert len(refused.stderr.splitlines()) == 1, refused.stderr
        added = podium("task", "add", "Spring launch", "Discover", "After")
        assert (added.returncode, added.stderr) == (0, "")
        assert {row["title"] for row in world.rows("SELECT title FROM item")} == {"Before", "After"}
        assert nothing_is_left(world)


def test_on_a_server_others_write_on_and_it_stays_ready(tmp_path: Path, clock: Clock) -> None:
    with world_on(tmp_path / "disk", clock, 12) as world, ServerOfTests(world) as server:
        document = with_cards(world, 8_000, 8)
        maya = server.client(world.maya)
        answer = maya.post("/v1/projects/import", json={"document": brief(document)}, timeout=60)
        assert answer.status_code == 503
        assert "DATABASE_FULL" in answer.text
        wait_until(lambda: nothing_is_left(world))
        assert server.stranger().get("/ready").status_code == 200
        others_can_write(world)


@pytest.mark.parametrize("leave", sweep([2_500_000, 5_000_000], lambda leave: leave == 2_500_000))
def test_a_large_project_is_deleted_on_a_disk_that_is_nearly_full(
    tmp_path: Path, clock: Clock, leave: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(large_projects, "PAUSE_SECONDS", 0.0)  # there are no other writers
    with world_on(tmp_path / "disk", clock, 64) as world:
        large = world.do(ImportProject(document=with_cards(world, 8_000, 8)))
        world.do(ArchiveProject(project_id=large.id))
        world.engine.database.room()
        ballast = fill(tmp_path / "disk", leave)
        world.do(DeleteProject(project_id=large.id))

        def is_swept() -> bool:
            large_projects.sweep(world.database)  # a slice that a busy machine makes too slow is left to the next one
            return nothing_is_left(world)

        wait_until(is_swept)
        world.task("After", description="y" * 5_000)
        ballast.unlink()


DELETED = [(9, 105, 3_000, None), (12, 105, 3_000, None), (9, 105, 3_000, 150_000), (9, 200, 8, 150_000)]
"""Megabytes of the disk, cards, words of each, and what others leave of it."""


@pytest.mark.parametrize(("megabytes", "cards", "words", "leave"), sweep(DELETED, lambda size: size == DELETED[2]))
def test_a_project_that_fits_into_a_few_transactions_is_deleted_there_too(
    tmp_path: Path,
    clock: Clock,
    megabytes: int,
    cards: int,
    words: int,
    leave: int | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(large_projects, "PAUSE_SECONDS", 0.0)  # there are no other writers
    with world_on(tmp_path / "disk", clock, megabytes) as world:
        project = world.new_project("Long texts")
        phase = world.phase("First", project.id)
        for number in range(cards):
            world.task(f"Card {number}", phase, description=f"w{number} " * words)
        world.do(ArchiveProject(project_id=project.id))
        world.engine.database.room()
        if leave is not None:
            fill(tmp_path / "disk", leave)
        world.do(DeleteProject(project_id=project.id))
        large_projects.sweep(world.database)
        assert nothing_is_left(world)
        world.task("After")


def test_one_change_that_does_not_fit_gives_back_the_room_that_it_took(tmp_path: Path, clock: Clock) -> None:
    """Of any command: of a template, a copy or a bulk change as well."""
    with world_on(tmp_path / "disk", clock, 4) as world:
        before = world.engine.database.room()
        steps = [CreateTask(phase_id=world.discover.id, title=f"T{n}", description="y" * 20_000) for n in range(100)]
        with pytest.raises(DatabaseFull):
            world.do(BulkUpdate(project_id=world.project.id, commands=tuple(steps)))
        assert world.engine.database.room().taken == before.taken
        assert os.stat(f"{world.database.path}-wal").st_size == 0
        others_can_write(world)
