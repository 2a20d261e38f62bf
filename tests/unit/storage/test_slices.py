"""Large imports: written in slices that nobody sees before the last one, and swept where they were stopped."""

from __future__ import annotations

import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from core.actions.history.history import ListHistory
from core.actions.projects.exports import ExportProject
from core.actions.projects.imports import ImportProject
from core.engine import large_projects
from core.engine.messages import Query
from core.errors import Cancelled, DatabaseFull, PodiumError
from core.import_export.document import ProjectDocument
from core.record import replace
from core.storage.progress import Progress
from core.storage.row_mapper import encode_value
from core.storage.schema.integrity import damage
from tests.support.message_examples import messages
from tests.support.postgres_cluster import ON_POSTGRES, place_of
from tests.support.sweeps import every_message
from tests.support.workspace import World, content

ROWS = tuple(dict.fromkeys(rows.table for rows in large_projects.HIDDEN))


@pytest.fixture
def small_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    """A project of a dozen records is large."""
    for name, value in (("AT_ONCE", 0), ("STEP", 2), ("SLICE_SECONDS", 0.0), ("PAUSE_SECONDS", 0.0)):
        monkeypatch.setattr(large_projects, name, value)


@pytest.fixture
def document(world: World) -> ProjectDocument:
    """A project with something of each kind, whose tasks are Bob's."""
    product, activity = world.product("Footage store"), world.activity(member_ids=(world.bob.user_id,))
    world.add_application(product, activity_id=activity.id)
    for number in range(12):
        world.task(f"Unheard-of {number}", assignee_id=world.bob.user_id, activity_id=activity.id)
    found: ProjectDocument = world.ask(ExportProject(project_id=world.project.id))
    return replace(found, name="Brought")


def left(world: World) -> dict[str, int]:
    """The number of rows without a project, by table."""
    sql = "SELECT count(*) AS n FROM {} WHERE project_id NOT IN (SELECT id FROM project UNION SELECT 'workspace')"
    counts = {table: int(world.rows(sql.format(table))[0]["n"]) for table in ROWS}
    return {table: count for table, count in counts.items() if count}


def stopped_after(steps: int) -> Progress:
    """Of an import that a user stops after so many steps."""
    told: list[int] = []

    def tell(done: int, _total: int) -> None:
        told.append(done)
        if len(told) == steps:
            progress.cancel()

    progress = Progress(tell)
    return progress


def half(world: World, document: ProjectDocument) -> None:
    """Leave the slices of an import that was stopped in the middle."""
    with pytest.raises(Cancelled):
        world.engine.execute(ImportProject(document=document), world.maya, stopped_after(6))
    assert left(world)["item"]


def test_in_slices_the_same_project_comes_as_in_one_transaction(
    world: World, document: ProjectDocument, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = world.do(ImportProject(document=document))
    for name, value in (("AT_ONCE", 0), ("STEP", 2), ("SLICE_SECONDS", 0.0), ("PAUSE_SECONDS", 0.0)):
        monkeypatch.setattr(large_projects, name, value)
    sliced = world.do(ImportProject(document=document))
    exports = [world.ask(ExportProject(project_id=each.id)) for each in (whole, sliced)]
    assert exports[0].key != exports[1].key, "a key that is taken gets another one"
    assert exports[0] == replace(exports[1], key=exports[0].key)
    counts = [
        world.rows(
            "SELECT entity, count(*) AS n FROM change_record WHERE project_id = :p AND seq = 1 GROUP BY entity",
            p=each.id,
        )
        for each in (whole, sliced)
    ]
    assert counts[0] == counts[1]
    (line,) = world.ask(ListHistory(project_id=sliced.id))
    assert line.summary.startswith("imported the project “Brought”")
    assert world.rows("SELECT 1 FROM unfinished") == []
    if not ON_POSTGRES:
        assert damage(world.database.connection) == []


@pytest.mark.usefixtures("small_slices")
@every_message(messages.QUERIES)
def test_no_question_of_anybody_sees_what_is_half_there(
    world: World, document: ProjectDocument, kind: type[Query[Any]]
) -> None:
    query = messages.QUERIES[kind](world)

    world.answers(query)  # to have asked may be seen too, as who is here
    before = world.answers(query)
    half(world, document)
    assert world.answers(query) == before


@pytest.mark.usefixtures("small_slices")
def test_what_a_stopped_import_left_is_swept_with_the_next_one(world: World, document: ProjectDocument) -> None:
    before = content(world.database)
    half(world, document)
    if not ON_POSTGRES:
        assert damage(world.database.connection) == []
    large_projects.sweep(world.database)
    assert left(world) == {}
    assert content(world.database) == before
    half(world, document)
    world.do(ImportProject(document=document))
    assert left(world) == {}


@pytest.mark.usefixtures("small_slices")
def test_a_running_import_is_not_swept_and_one_that_was_is_refused(
    world: World, document: ProjectDocument, monkeypatch: pytest.MonkeyPatch
) -> None:
    def sweep(_seconds: float) -> None:
        swept_between.append(bool(left(world)))
        large_projects.sweep(world.database)

    swept_between: list[bool] = []
    monkeypatch.setattr(large_projects, "time", SimpleNamespace(sleep=sweep, monotonic=time.monotonic))
    kept = world.engine.execute(ImportProject(document=document), world.maya)
    assert len(world.ask(ExportProject(project_id=kept.id)).items) == len(document.items)
    assert any(swept_between)
    bring, here = large_projects.import_in_slices, left(world)

    def swept(*args: Any) -> Any:
        arrival = bring(*args)
        world.database.write(lambda tx: tx.execute("UPDATE unfinished SET pid = 0"))
        large_projects.sweep(world.database)
        return arrival

    monkeypatch.setattr("core.engine.engine.import_in_slices", swept)
    world.refuses(ImportProject(document=document), Cancelled, "start it again")
    assert left(world) == here == {}
    assert len(world.rows("SELECT 1 FROM project WHERE name = 'Brought'")) == 1


@pytest.mark.usefixtures("small_slices")
def test_an_import_on_another_machine_is_swept_only_when_it_stands_still(
    world: World, document: ProjectDocument
) -> None:
    half(world, document)
    world.database.write(lambda tx: tx.execute("UPDATE unfinished SET host = 'another', pid = 2000000000"))
    before = left(world)
    large_projects.sweep(world.database)
    assert left(world) == before != {}
    long_ago = encode_value(datetime.now(UTC) - 2 * large_projects.MAX_STILL)
    world.database.write(lambda tx: tx.execute("UPDATE unfinished SET at = :at", at=long_ago))
    large_projects.sweep(world.database)
    assert left(world) == {}


@pytest.mark.usefixtures("small_slices")
@pytest.mark.parametrize("at", [2, 5, 9])
def test_a_disk_that_is_full_in_the_middle_refuses_it_and_leaves_nothing_to_see(
    world: World, document: ProjectDocument, at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, write, writes = content(world.database), world.database.write, 0

    def full(work: Any, *args: Any, **options: Any) -> Any:
        nonlocal writes
        writes += 1
        if writes >= at:
            raise DatabaseFull("No room is left.")
        return write(work, *args, **options)

    monkeypatch.setattr(world.database, "write", full)
    world.refuses(ImportProject(document=document), DatabaseFull)
    monkeypatch.undo()
    assert world.rows("SELECT 1 FROM project WHERE name = 'Brought'") == []
    large_projects.sweep(world.database)
    world.database.write(lambda tx: tx.execute("UPDATE unfinished SET pid = 0"))
    large_projects.sweep(world.database)
    assert content(world.database) == before


KILLED = """
import os, signal, sys
from pathlib import Path
from core.actions import load_catalog
from core.engine import large_projects
from core.engine.engine import Engine
from core.actions.projects.imports import ImportProject
from core.storage.progress import Progress
from core.net.database_url import database_place
from core.storage.opening import open_database
from core.import_export.files import read_document
from core.engine.unit_of_work import Actor
large_projects.AT_ONCE, large_projects.STEP, large_projects.SLICE_SECONDS = 0, 2, 0.0
steps = 0
def tell(done, total):
    global steps
    steps += 1
    if steps == int(sys.argv[4]):
        os.kill(os.getpid(), signal.SIGKILL)
document = read_document(Path(sys.argv[2]).read_text()).document
place = sys.argv[1]
engine = Engine(open_database(database_place(place)), load_catalog)
engine.execute(ImportProject(document=document), Actor(sys.argv[3]), Progress(tell))
"""


@pytest.mark.parametrize("steps", [1, 4, 8, 10])
def test_an_import_that_is_killed_leaves_nothing_to_see_and_is_swept(
    world: World, document: ProjectDocument, tmp_path: Path, steps: int
) -> None:
    import json

    from core.codec.encoding import to_json

    before = content(world.database)
    file = tmp_path / "document.json"
    file.write_text(json.dumps(to_json(document)))
    path = place_of(world.database.path)
    run = subprocess.run(
        [sys.executable, "-c", KILLED, path, str(file), world.maya.user_id, str(steps)],
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert run.returncode == -9, run.stderr
    assert world.rows("SELECT 1 FROM project WHERE name = 'Brought'") == []
    large_projects.sweep(world.database)
    assert content(world.database) == before


@pytest.mark.usefixtures("small_slices")
def test_rights_that_are_lost_while_it_comes_end_an_import(
    world: World, document: ProjectDocument, monkeypatch: pytest.MonkeyPatch
) -> None:
    bring = large_projects.import_in_slices

    def demoted(*args: Any) -> Any:
        arrival = bring(*args)
        world.database.write(
            lambda tx: tx.execute("UPDATE app_user SET active = 0 WHERE id = :id", id=world.maya.user_id)
        )
        return arrival

    monkeypatch.setattr("core.engine.engine.import_in_slices", demoted)
    world.refuses(ImportProject(document=document), PodiumError)
    assert world.rows("SELECT 1 FROM project WHERE name = 'Brought'") == []
    large_projects.sweep(world.database)
    assert left(world) == {}
