"""``podium migrate``: an older database gets the form of a new one, and servers of the version before go on."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import closing
from itertools import islice
from operator import methodcaller
from pathlib import Path
from threading import Event, Thread
from typing import Any

import psycopg
import pytest

from core.actions.history.history import Undo
from core.errors import DatabaseBusy, DatabaseDamaged, DatabaseMoved, DatabaseTooNew, DatabaseTooOld, StorageError
from core.net.database_url import DatabaseUrl
from core.storage.opening import open_database
from core.storage.postgres import migrating, schema, search
from core.storage.postgres.connections import PooledConnection
from core.storage.postgres.database import PostgresDatabase
from core.storage.postgres.migrating import migrate_database
from core.storage.schema import migrations
from core.storage.schema.migrations import (
    FIRST_VERSION,
    LAST_UPGRADER,
    SCHEMA_VERSION,
    memberships_have_an_order,
    search_folds_letters,
    search_has_scopes,
)
from core.text.excerpts import words_of
from tests.support.copied_workspaces import copy
from tests.support.database_forms import number_before
from tests.support.paths import ROOT
from tests.support.typed_words import TYPED
from tests.support.waiting import wait_until
from tests.unit.storage.postgres.conftest import studio_in

FORM = {
    "columns": "SELECT table_name, column_name, data_type, is_nullable, column_default, collation_name"
    " FROM information_schema.columns WHERE table_schema = current_schema()",
    "indexes": "SELECT tablename, replace(indexdef, indexname, '') FROM pg_indexes WHERE schemaname = current_schema()",
    "constraints": "SELECT conrelid::regclass::text, pg_get_constraintdef(oid) FROM pg_constraint"
    " WHERE connamespace = current_schema()::regnamespace",
    "triggers": "SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal",
}


def form_of(url: str) -> dict[str, set[Any]]:
    with psycopg.connect(url) as connection:
        return {part: set(connection.execute(sql.encode()).fetchall()) for part, sql in FORM.items()}


WITHOUT_SCOPES = {
    f"search_doc_{name}": f"CREATE INDEX search_doc_{name} ON search_doc USING gin ({name}_words)"
    " WITH (fastupdate = off)"
    for name in ("title", "all")
}
"""The indexes of search before those with scopes."""


def make_older(connection: psycopg.Connection[Any], url: str, version: int) -> None:
    """Make the tables of an older schema with the abilities that the database at ``url`` has."""
    number = version - FIRST_VERSION + 1
    with pytest.MonkeyPatch.context() as patch, closing(PostgresDatabase(url)) as new:
        patch.setattr(migrations, "MIGRATIONS", dict(islice(migrations.MIGRATIONS.items(), number)))
        if version <= number_before(search_has_scopes):
            patch.setattr(search, "INDEXES", WITHOUT_SCOPES)
        for statement in schema.statements(new.capabilities):
            connection.execute(statement.encode())
    connection.execute(f"INSERT INTO podium_schema (version, least_program) VALUES ({version}, {version})".encode())


@pytest.mark.parametrize("version", range(FIRST_VERSION, SCHEMA_VERSION + 1))
def test_an_older_database_gets_the_form_of_a_new_one_and_keeps_its_rows(
    empty_url: str, url: str, version: int
) -> None:
    with psycopg.connect(empty_url, autocommit=True) as connection:
        make_older(connection, url, version)
        connection.execute("INSERT INTO app_user VALUES ('u', 'maya', 'Maya', 'Okafor', 'm@x.org', '', '[]', 1, 1)")
        connection.execute("INSERT INTO linked_account VALUES ('h', 'maya', 1000, 'u', '2026', 1, 'u')")
    if version < SCHEMA_VERSION:
        with pytest.raises(DatabaseTooOld, match="podium migrate"):
            open_database(DatabaseUrl(empty_url))
    assert migrate_database(empty_url) == SCHEMA_VERSION - version
    assert form_of(empty_url) == form_of(url)
    with closing(open_database(DatabaseUrl(empty_url))) as database:
        assert database.read(lambda tx: tx.tuples("SELECT login FROM app_user")) == [("maya",)]
        accounts = database.read(lambda tx: tx.tuples("SELECT os_user, uid, user_id FROM linked_account"))
        assert accounts == [("maya", 1000, "u")]
    assert migrate_database(empty_url) == 0


def test_the_documents_of_an_older_database_are_found_in_the_indexes_with_scopes(empty_url: str, url: str) -> None:
    with psycopg.connect(empty_url, autocommit=True) as connection:
        make_older(connection, url, number_before(search_has_scopes))
        connection.execute(
            "INSERT INTO search_doc (scope, kind, ref_id, title, body)"
            " VALUES ('p', 'ITEM', 'a', 'Media plan', ''), ('q', 'ITEM', 'b', 'Plan', 'of media')"
        )
        assert migrate_database(empty_url) == SCHEMA_VERSION - number_before(search_has_scopes)
        names = connection.execute(
            "SELECT indexname FROM pg_indexes WHERE indexdef LIKE '%USING gin%' ORDER BY 1"
        ).fetchall()
    assert names == [("search_doc_texts",), ("search_doc_titles",)]
    with closing(open_database(DatabaseUrl(empty_url))) as database:
        for scopes, found in ((["p"], ["a"]), (["q"], ["b"]), (["p", "q"], ["a", "b"]), (["r"], [])):
            rows = database.read(methodcaller("search", ["media"], scopes, 9))
            assert [row["ref_id"] for row in rows] == found


WORDS_OF_BEFORE = """CREATE FUNCTION podium_words(source TEXT) RETURNS tsvector LANGUAGE sql IMMUTABLE AS $$
 SELECT array_to_tsvector(ARRAY(SELECT DISTINCT word FROM regexp_split_to_table(lower(source), '[^[:alnum:]]+') AS word
 WHERE word <> '')) $$"""
"""The words of before runs and letters were folded, in short."""


def test_the_documents_of_an_older_database_are_found_by_folded_words(
    empty_url: str, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with psycopg.connect(empty_url, autocommit=True) as connection:
        with monkeypatch.context() as patch:
            patch.setattr(search, "_functions", lambda _: iter((WORDS_OF_BEFORE, search._QUERY)))
            make_older(connection, url, number_before(search_folds_letters))
        for number, title in enumerate(TYPED):
            row = [f"r{number}", title, title]
            sql = "INSERT INTO search_doc (scope, kind, ref_id, title, body) VALUES ('p', 'ITEM', %s, %s, %s)"
            connection.execute(sql, row)
        migrate_database(empty_url)
        options = connection.execute("SELECT reloptions FROM pg_class WHERE relname LIKE 'search_doc_t%'").fetchall()
    assert options == [(["fastupdate=off"],)] * 2
    with closing(open_database(DatabaseUrl(empty_url))) as database:
        for title, words in TYPED.items():
            for typed in words:
                rows = database.read(methodcaller("search", words_of(typed), ["p"], 9))
                assert [row["title"] for row in rows] == [title], typed


def test_the_memberships_of_an_older_database_are_in_the_order_of_the_lists(empty_url: str, url: str) -> None:
    place = "SELECT user_id, project_id, project_archived, project_sort_name FROM member ORDER BY 1, 3, 4, 2"
    with psycopg.connect(empty_url, autocommit=True) as connection:
        make_older(connection, url, number_before(memberships_have_an_order))
        connection.execute("INSERT INTO app_user VALUES ('u', 'maya', 'Maya', 'Okafor', 'm@x.org', '', '[]', 1, 1)")
        for project, name, archived in (("p", "straße", 0), ("q", "STRASSE 2", 0), ("r", "Ähre", 0), ("s", "A", 1)):
            row = f"('{project}', '{name}', 'account {project}', '2026', '', NULL, NULL, NULL, NULL, {archived}, 1, '')"
            connection.execute(f"INSERT INTO project VALUES {row}".encode())
            connection.execute(f"INSERT INTO member VALUES ('{project}', 'u', 'OWNER', 'u', 1)".encode())
        migrate_database(empty_url)
        places = [("p", 0, "strasse"), ("q", 0, "strasse 2"), ("r", 0, "ähre"), ("s", 1, "a")]
        assert connection.execute(place).fetchall() == [("u", *each) for each in places]
        connection.execute("UPDATE project SET sort_name = 'b', archived = 1 WHERE id = 'q'")
        connection.execute("INSERT INTO app_user VALUES ('v', 'v', 'V', 'V', 'v@x.org', '', '[]', 1, 1)")
        connection.execute(
            "INSERT INTO member (project_id, user_id, role, invited_by, version) VALUES ('q', 'v', 'VIEWER', 'u', 1)"
        )
        places = [("p", 0, "strasse"), ("r", 0, "ähre"), ("s", 1, "a"), ("q", 1, "b")]
        assert connection.execute(place).fetchall() == [*(("u", *each) for each in places), ("v", "q", 1, "b")]


def test_a_database_from_before_the_first_schema_is_left_alone(own_url: str) -> None:
    with psycopg.connect(own_url, autocommit=True) as connection:
        connection.execute(f"UPDATE podium_schema SET version = {FIRST_VERSION - 1}".encode())
        connection.execute("ALTER TABLE podium_schema DROP COLUMN least_program, DROP COLUMN move, DROP COLUMN moved")
    before = form_of(own_url)
    for attempt in (lambda: migrate_database(own_url), lambda: open_database(DatabaseUrl(own_url))):
        with pytest.raises(DatabaseTooOld, match=f"has schema {FIRST_VERSION - 1}.* of its commit {LAST_UPGRADER}"):
            attempt()
    assert form_of(own_url) == before


def test_an_empty_database_gets_its_tables(empty_url: str, url: str) -> None:
    assert migrate_database(empty_url) == len(migrations.MIGRATIONS)
    assert form_of(empty_url) == form_of(url)


def test_a_database_of_another_program_or_a_newer_podium_is_left_alone(empty_url: str, url: str) -> None:
    with psycopg.connect(empty_url, autocommit=True) as connection:
        connection.execute("CREATE TABLE invoices (id BIGINT)")
    with pytest.raises(DatabaseDamaged, match="are of another program"):
        migrate_database(empty_url)
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("UPDATE podium_schema SET version = version + 1")
    try:
        with pytest.raises(DatabaseTooNew):
            migrate_database(url)
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("UPDATE podium_schema SET version = version - 1, moved = 'It was moved.'")
        with pytest.raises(DatabaseMoved, match="It was moved"):
            migrate_database(url)
    finally:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(f"UPDATE podium_schema SET version = {SCHEMA_VERSION}, moved = NULL".encode())


NEWER = """
import json, sys
from core.storage.schema import migrations
url, compatible = sys.argv[1], sys.argv[2] == "compatible"

def cards_have_colours(db):
    db.execute("CREATE TABLE colour (id TEXT PRIMARY KEY, project_id TEXT REFERENCES project(id), n INTEGER) STRICT")
    db.execute("ALTER TABLE item ADD COLUMN colour TEXT NOT NULL DEFAULT 'none?'")
    db.execute("ALTER TABLE app_user ADD COLUMN colour INTEGER")
    db.execute("CREATE INDEX item_colour ON item(project_id, colour)")
    db.execute("CREATE TRIGGER item_coloured AFTER INSERT ON item BEGIN SELECT 1; END")
    db.execute("DROP TRIGGER item_coloured")
    db.execute("UPDATE item SET colour = ? WHERE colour = 'none?'", ["red"])

migrations.MIGRATIONS = {**migrations.MIGRATIONS, cards_have_colours: "0"}
migrations.SCHEMA_VERSION += 1
if compatible:
    migrations.COMPATIBLE = frozenset({cards_have_colours})
from core.errors import StorageError
from core.storage.postgres import connections
from core.storage.postgres.migrating import migrate_database
connections.GONE_SECONDS = 0.5
try:
    print(json.dumps(migrate_database(url)))
except StorageError as error:
    print(json.dumps([type(error).__name__, str(error)]))
"""


def migrate_newer(url: str, how: str) -> Any:
    """Run “podium migrate” of a program with one more migration."""
    command = [sys.executable, "-c", NEWER, url, how]
    return json.loads(subprocess.check_output(command, cwd=ROOT, text=True))


@pytest.fixture
def own_url(empty_url: str) -> str:
    open_database(DatabaseUrl(empty_url), create=True).close()
    return empty_url


def test_servers_of_the_version_before_go_on_during_and_after_a_compatible_migration(
    own_url: str, tmp_path: Path
) -> None:
    with closing(PostgresDatabase(own_url)) as database:
        world, done, titles, failed = studio_in(database), Event(), list[str](), list[Exception]()

        def work() -> None:
            while not done.is_set():
                try:
                    titles.append(world.task(f"Task {len(titles)}").title)
                    assert len(database.read(lambda tx: tx.query("SELECT * FROM app_user"))) == 4
                except StorageError as error:
                    failed.append(error)

        thread = Thread(target=work)
        thread.start()
        try:
            assert migrate_newer(own_url, "compatible") == 1
            made = len(titles)
            wait_until(lambda: len(titles) > made + 10 or failed != [], "the server does not go on")
        finally:
            done.set()
            thread.join()
        assert failed == []
        world.do(Undo(project_id=world.project.id))
        titles.pop()
        assert [row["title"] for row in world.rows("SELECT * FROM item ORDER BY id")] == titles
        colours = {row["colour"] for row in world.rows("SELECT * FROM item")}
        assert colours <= {"red", "none?"}
    with closing(PostgresDatabase(own_url)) as started_later:
        assert started_later.read(lambda tx: tx.tuples("SELECT count(*) FROM item")) == [(len(titles),)]
    with pytest.raises(DatabaseTooNew):  # its rows have columns that this program does not know
        copy(DatabaseUrl(own_url), tmp_path / "copy.db")
    with psycopg.connect(own_url) as connection:
        assert connection.execute("SELECT version, least_program FROM podium_schema").fetchone() == (
            SCHEMA_VERSION + 1,
            SCHEMA_VERSION,
        )
        assert connection.execute(
            "SELECT indisvalid FROM pg_index WHERE indexrelid = 'item_colour'::regclass"
        ).fetchone()
        with pytest.raises(psycopg.errors.ForeignKeyViolation):
            connection.execute("INSERT INTO colour VALUES ('x', 'nowhere', 1)")


def test_another_migration_waits_until_all_servers_are_stopped(own_url: str) -> None:
    with closing(PostgresDatabase(f"{own_url}&application_name=other")) as database:
        database.write(lambda tx: tx.execute("UPDATE feed SET seq = seq"))
        kind, sentence = migrate_newer(own_url, "incompatible")
        assert (kind, "Stop its servers" in sentence) == ("DatabaseBusy", True)
        database.write(lambda tx: tx.execute("UPDATE feed SET seq = seq"))
    assert migrate_newer(own_url, "incompatible") == 1
    with pytest.raises(DatabaseTooNew):
        PostgresDatabase(own_url)


def test_a_migration_gives_way_to_a_long_transaction_and_begins_again(
    own_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries, done, run = list[str](), list[int](), migrating._bring_forward

    def counted(connection: Any, place: str, *more: Any) -> int:
        tries.append(place)
        return run(connection, place, *more)

    monkeypatch.setattr(migrating, "_bring_forward", counted)
    monkeypatch.setattr(migrating, "BEGIN", migrating.BEGIN.replace("3s", "100ms"))
    monkeypatch.setattr(migrating, "PAUSE_SECONDS", 0.05)
    with psycopg.connect(own_url) as connection:
        connection.execute("SELECT version FROM podium_schema")
        thread = Thread(target=lambda: done.append(migrate_database(own_url)))
        thread.start()
        wait_until(lambda: len(tries) > 1, "it does not begin again")
        connection.rollback()
        thread.join()
        assert done == [0]
        connection.execute("SELECT version FROM podium_schema")
        with pytest.raises(DatabaseBusy):
            migrate_database(own_url)


def test_a_missing_or_unfinished_index_is_made_by_the_next_migration(own_url: str) -> None:
    before = form_of(own_url)
    with psycopg.connect(own_url, autocommit=True) as connection:
        connection.execute("DROP INDEX item_due")
        connection.execute("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'item_section'::regclass")
    migrate_database(own_url)
    assert form_of(own_url) == before
    with psycopg.connect(own_url) as connection:
        assert connection.execute("SELECT count(*) FROM pg_index WHERE NOT indisvalid").fetchone() == (0,)


def test_an_index_goes_only_when_the_one_in_its_place_is_there(own_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if the migration is interrupted between both: the next one ends it."""

    def dates_have_kinds(db: Any) -> None:
        db.execute("DROP INDEX item_due")
        db.execute("CREATE INDEX item_due_kind ON item(project_id, due, kind)")

    for module in (migrating, migrations):
        monkeypatch.setattr(module, "MIGRATIONS", {**migrations.MIGRATIONS, dates_have_kinds: "0"})
        monkeypatch.setattr(module, "SCHEMA_VERSION", SCHEMA_VERSION + 1)
    execute, seen = PooledConnection.execute, []

    def watch(self: PooledConnection, sql: Any, *args: Any) -> Any:
        if "INDEX CONCURRENTLY" in (text := sql if isinstance(sql, str) else sql.decode()):
            names = "SELECT indexname FROM pg_indexes WHERE indexname LIKE 'item_due%' ORDER BY 1"
            seen.append((text.split()[0], *(name for (name,) in execute(self, names).fetchall())))
            if text.startswith("DROP") and len(seen) < 3:
                raise InterruptedError
        return execute(self, sql, *args)

    monkeypatch.setattr(PooledConnection, "execute", watch)
    with pytest.raises(InterruptedError):
        migrate_database(own_url)
    monkeypatch.setattr("core.storage.postgres.schema.SCHEMA_VERSION", SCHEMA_VERSION + 1)
    assert migrate_database(own_url) == 0
    assert seen == [("CREATE", "item_due"), *[("DROP", "item_due", "item_due_kind")] * 2]
    with psycopg.connect(own_url) as connection:
        assert connection.execute("SELECT to_regclass('item_due')").fetchone() == (None,)
