"""``podium copy``: the copy has all that the original has, and there is never more than one place to work in."""

from __future__ import annotations

import itertools
import shutil
import sqlite3
import tracemalloc
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from threading import Thread

import psycopg
import pytest

from core.actions import load_catalog
from core.actions.personal.search import Search
from core.engine.engine import Engine
from core.errors import (
    DatabaseBusy,
    DatabaseMissing,
    DatabaseMoved,
    InvalidInput,
    StorageError,
    VersionConflict,
)
from core.net.database_url import DatabasePlace
from core.sign_in.local import sign_on
from core.storage.database import Database
from core.storage.opening import open_database
from core.storage.postgres import copy_store
from core.storage.schema.migrations import FIRST_VERSION
from core.storage.sqlite.write_queue import only_server
from tests.support.copied_workspaces import KINDS, WAYS, content_of, copy, refused, text_of
from tests.support.database_forms import ROWS, make_database


def work_in(database: Database) -> list[tuple[str, str]]:
    """Add a card to a project as Robin. Returns the titles that a search finds, with those of their projects."""
    engine = Engine(database, load_catalog)
    robin = sign_on(engine, "robin")
    return [(hit.kind, hit.title) for hit in engine.query(Search(text="brief"), robin).found]


@pytest.mark.parametrize(("source", "target"), WAYS)
def test_a_copy_has_every_row_and_finds_the_same(
    filled: Callable[[str], DatabasePlace], new: Callable[[str], DatabasePlace], source: str, target: str
) -> None:
    old, to = filled(source), new(target)
    before = content_of(old)
    with closing(open_database(old)) as database:
        found = work_in(database)
    assert found
    copied = copy(old, to)
    assert copied.tables == before == content_of(to)
    assert copied.tables["item"].rows > 100
    with closing(open_database(to)) as database:
        assert work_in(database) == found
        newest = database.read(lambda tx: tx.tuples("SELECT max(id) FROM search_doc"))
        database.write(lambda tx: tx.execute("UPDATE project SET name = 'Brief of today'"))
        insert = (
            "INSERT INTO search_doc (scope, kind, ref_id, title, body) VALUES ('x', 'ITEM', 'x', '', '') RETURNING id"
        )
        assert database.write(lambda tx: tx.tuples(insert)) == [(newest[0][0] + 1,)]
        assert ("PROJECT", "Brief of today") in work_in(database)
        with pytest.raises(VersionConflict):
            database.write(lambda tx: tx.execute("DELETE FROM app_user"))
        with pytest.raises(VersionConflict):
            database.write(lambda tx: tx.execute("DELETE FROM project"))


@pytest.mark.parametrize("kind", KINDS)
def test_the_old_place_says_where_the_workspace_is_and_the_way_back_is_a_copy(
    filled: Callable[[str], DatabasePlace], new: Callable[[str], DatabasePlace], kind: str
) -> None:
    old, to, back = filled("file"), new(kind), new("file")
    copied = copy(old, to)
    sentence = refused(old)
    assert f"has been in {copied.target} since 2026-11-23 at 12:00 UTC" in sentence
    with pytest.raises(DatabaseMoved, match="The workspace has been in"):
        copy(old, new("file"))
    assert copy(to, back).tables == copied.tables == content_of(back)
    assert refused(old) == sentence
    assert f"has been in {back} since" in refused(to)


@pytest.mark.parametrize("kind", KINDS)
def test_a_program_that_had_it_open_cannot_write_after_the_copy(
    filled: Callable[[str], DatabasePlace],
    new: Callable[[str], DatabasePlace],
    kind: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(copy_store, "check_alone", lambda *_: None)
    old = filled(kind)
    with closing(open_database(old)) as database, closing(open_database(old)) as unused:
        database.write(lambda tx: tx.execute("UPDATE feed SET seq = seq"))
        copied = copy(old, new("file"))
        for each in (database, unused):
            with pytest.raises(DatabaseMoved, match="The workspace has been in"):
                each.write(lambda tx: tx.execute("DELETE FROM comment"))
    assert content_of(old) == copied.tables


@pytest.mark.parametrize("kind", KINDS)
def test_a_change_during_the_copy_is_in_it_or_refused(
    filled: Callable[[str], DatabasePlace],
    new: Callable[[str], DatabasePlace],
    kind: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(copy_store, "check_alone", lambda *_: None)
    old, made, failed = filled(kind), list[str](), list[Exception]()
    database = open_database(old)

    def add() -> None:
        insert = "INSERT INTO preference (user_id, name, value, version) VALUES ('x', :name, '', 1)"
        try:
            for number in itertools.count():
                database.write(lambda tx: tx.execute(insert, name=str(number)))  # noqa: B023
                made.append(str(number))
        except StorageError as error:
            failed.append(error)

    thread = Thread(target=add)
    thread.start()
    to = new("database")
    copy(old, to)
    thread.join()
    database.close()
    assert isinstance(failed[0], DatabaseMoved | DatabaseBusy)  # it waits for a lock for 10 seconds
    with closing(open_database(to)) as copied:
        found = copied.read(lambda tx: tx.tuples("SELECT name FROM preference WHERE user_id = 'x'"))
    assert sorted(name for (name,) in found) == sorted(made)


@pytest.mark.parametrize("kind", KINDS)
def test_a_place_with_a_workspace_is_refused_and_nothing_is_changed(
    filled: Callable[[str], DatabasePlace], new: Callable[[str], DatabasePlace], demo: Path, tmp_path: Path, kind: str
) -> None:
    target = filled(kind)
    before = content_of(target)
    source = Path(shutil.copy(demo, tmp_path / "source.db"))
    with pytest.raises(InvalidInput, match="Name a new file, or an empty database"):
        copy(source, target)
    open_database(source).close()
    assert content_of(target) == before


def test_a_place_without_a_workspace_is_refused(new: Callable[[str], DatabasePlace], tmp_path: Path) -> None:
    with pytest.raises(DatabaseMissing):
        copy(new("file"), new("file"))
    with pytest.raises(DatabaseMissing, match="podium init"):
        copy(new("database"), new("file"))
    open_database(tmp_path / "empty.db", create=True).close()
    with pytest.raises(InvalidInput, match="There is no workspace in"):
        copy(tmp_path / "empty.db", tmp_path / "copy.db")
    assert not list(tmp_path.glob("copy.db*"))


def test_a_copy_waits_for_no_server_but_says_what_to_stop(
    filled: Callable[[str], DatabasePlace], new: Callable[[str], DatabasePlace], demo: Path, tmp_path: Path
) -> None:
    url = filled("database")
    file = Path(shutil.copy(demo, tmp_path / "work.db"))
    with only_server(file), pytest.raises(DatabaseBusy, match="podium serve"):
        copy(file, new("database"))
    with closing(open_database(url)) as database:
        database.write(lambda tx: tx.execute("UPDATE feed SET seq = seq"))
        with pytest.raises(DatabaseBusy, match="Stop its servers"):
            copy(url, new("file"))


@pytest.mark.parametrize("kind", KINDS)
def test_a_project_that_is_being_imported_is_waited_for(
    filled: Callable[[str], DatabasePlace], new: Callable[[str], DatabasePlace], kind: str
) -> None:
    old = filled(kind)
    with closing(open_database(old)) as database:
        columns = "project_id, pid, at"
        insert = f"INSERT INTO unfinished ({columns}) VALUES ('x', 1, '2026-11-23T12:00:00+00:00')"
        database.write(lambda tx: tx.execute(insert))
    with pytest.raises(DatabaseBusy, match="being imported or deleted"):
        copy(old, new("file"))


def test_a_file_of_an_older_podium_arrives_in_the_form_of_today(
    new: Callable[[str], DatabasePlace], tmp_path: Path
) -> None:
    make_database(tmp_path / "old.db", FIRST_VERSION)
    to = new("database")
    copied = copy(tmp_path / "old.db", to)
    assert copied.tables["item"].rows == len(ROWS["item"]) > 0
    open_database(to).close()


@pytest.mark.parametrize(("source", "target"), [("file", "database"), ("database", "file")])
def test_a_large_table_is_never_in_memory_as_a_whole(
    filled: Callable[[str], DatabasePlace], new: Callable[[str], DatabasePlace], source: str, target: str
) -> None:
    path = filled("file")
    assert isinstance(path, Path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 8000) INSERT INTO receipt"
            " (user_id, key, request, answer, at) SELECT 'x', i, '', hex(zeroblob(1000)), '2026' FROM n"
        )
    old: DatabasePlace = path
    if source == "database":
        old = new("database")
        copy(path, old)
    to = new(target)
    tracemalloc.start()
    try:
        copy(old, to)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 8 * 1000 * 1000, f"{peak} of 16 MB in this table"


def test_the_mark_has_no_password(filled: Callable[[str], DatabasePlace], new: Callable[[str], DatabasePlace]) -> None:
    old, to = filled("file"), new("database")
    assert "s3cret" in text_of(to)
    copy(old, to)
    assert isinstance(old, Path)
    for each in old.parent.glob(f"{old.name}*"):
        assert b"s3cret" not in each.read_bytes()
    copy(to, new("database"))
    with psycopg.connect(text_of(to)) as connection:
        assert "s3cret" not in str(connection.execute("SELECT * FROM podium_schema").fetchall())
