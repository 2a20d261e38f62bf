"""Search in PostgreSQL finds what search in SQLite finds, in the same order."""

from __future__ import annotations

import re
from collections.abc import Callable
from operator import methodcaller
from pathlib import Path
from typing import Any

import pytest

from core.domain.model import WORKSPACE
from core.engine.unit_of_work import Actor
from core.storage import full_text
from core.storage.database import Database, Tx
from core.storage.postgres import search
from core.storage.postgres.database import PostgresDatabase
from core.text.excerpts import words_of
from tests.support.prepared import new_world
from tests.support.typed_words import APART, TYPED
from tests.support.workspace import World

Execute = Callable[[str], list[tuple[Any, ...]]]

TEXTS = (
    ("Write the media plan", "for Nordic markets"),
    ("Media plans of the year", "planning is half of it"),
    ("Écrire le résumé", "Für Zürich, straße 9"),
    ("한글 보고서", "서울에서 쓴 글"),
    ("ガイドを作る", "が、カ、ガの違い"),
    ("Ελληνικά ΟΔΟΣ", "και άλλα"),
    ("Майский йод", "ёлка И й"),
    ("½ inch of m² and Ⅷ", "①②③ x³"),
    ("İstanbul ıssız", "ĐỖ Việt Nam"),
    ("foo-bar http://example.com/1e5?q=a_b", "C++ & C#, 3.14, v2.0"),
    ("นำทาง हिन्दी עברית العربية", "漢字かな交じり文"),
    ("x" * 1500, "y" * 15_000),
    ("a b c", "single letters"),
    ("cafe\u0301 naïve", "Ångström Å"),
    ("🚀 launch", "of the 🚀rocket"),
)

QUERIES = (
    "media plan", "plan media", "MEDIA", "med pla", "plan", "planning", "p", "a", "a b", "of the", "resume", "RÉSUMÉ",
    "zur", "straße", "strasse",
    "한글", "보고", "글", "서울", "ガイド", "カイト", "ガ", "が", "ελλ", "οδος", "ΟΔΟΣ", "αλλα", "άλλα",
    "йод", "иод", "ёлка", "елка", "½", "m²", "ⅷ", "Ⅷ", "①②③", "x³", "istanbul", "İstanbul", "issiz", "ıssız", "do viet",
    "đỗ", "foo", "bar foo", "1e5", "a_b", "example com",
    "c", "3 14", "14", "v2", "नमस", "हिन", "นำ", "עבר", "العر", "漢字", "かな",
    "xxx", "x" * 390, "y" * 390, "cafe", "café", "naive", "angstrom", "rocket", "launch", "nothing such", "zzz",
)  # fmt: skip


def found(database: Database, world: World, text: str, most: int = 50, as_: Actor | None = None) -> list[Any]:
    """The documents in the project and the workspace, or in the projects of a user and the workspace."""
    scopes, member = ([WORKSPACE], as_.user_id) if as_ else ([world.project.id, WORKSPACE], "")

    def read(tx: Tx) -> list[tuple[Any, ...]]:
        rows = tx.search(words_of(text), scopes, most, member)
        return [(row["kind"], row["title"], row["body"]) for row in rows]

    return database.read(read)


def filled(world: World) -> World:
    for title, description in TEXTS:
        world.task(title[:200], description=description)
    return world


@pytest.fixture
def in_file(tmp_path: Path) -> World:
    return filled(new_world(tmp_path / "file.db"))


def look_at(patch: pytest.MonkeyPatch, newest: int, wider: int, most_scopes: int = search.MAX_SCOPES) -> None:
    """Set the numbers by which a search chooses its way, where one document counts as some."""
    patch.setattr(search, "NEWEST", newest)
    patch.setattr(search, "WIDER", wider)
    patch.setattr(search, "SOME", 1)
    for engine in (search, full_text):
        patch.setattr(engine, "MAX_SCOPES", most_scopes)


@pytest.mark.parametrize(("newest", "most_scopes"), [(1000, 64), (0, 64), (0, 0)])
def test_the_same_is_found_in_the_same_order(
    studio: World, in_file: World, monkeypatch: pytest.MonkeyPatch, newest: int, most_scopes: int
) -> None:
    """With each way to look: among the newest documents, by the index with few scopes, and by that with many."""
    look_at(monkeypatch, newest, newest, most_scopes)
    filled(studio)
    for text in QUERIES:
        there, here = found(in_file.database, in_file, text), found(studio.database, studio, text)
        assert here == there, text
        assert found(in_file.database, in_file, text, as_=in_file.bob) == there, text
        assert found(studio.database, studio, text, as_=studio.bob) == there, text
    for world in (in_file, studio):
        assert found(world.database, world, "rocket", as_=world.gus) == []
    assert found(studio.database, studio, "한글")
    assert found(studio.database, studio, "ガイド")


def test_words_inside_runs_and_folded_letters_are_found_as_in_sqlite(studio: World, in_file: World) -> None:
    for world in (filled(studio), in_file):
        for title in TYPED:
            world.task(title)
    for title, words in TYPED.items():
        for typed in words:
            here = found(studio.database, studio, typed)
            assert ("ITEM", title, "") in here, typed
            assert here == found(in_file.database, in_file, typed), typed
    assert {typed: found(studio.database, studio, typed) for typed in APART} == {typed: [] for typed in APART}


@pytest.mark.parametrize(("newest", "wider"), [(1000, 2000), (7, 1000), (7, 8), (0, 0)])
def test_few_are_the_first_of_many(studio: World, monkeypatch: pytest.MonkeyPatch, newest: int, wider: int) -> None:
    look_at(monkeypatch, newest, wider)
    filled(studio)
    every = found(studio.database, studio, "m")
    assert found(studio.database, studio, "me", 2) == found(studio.database, studio, "me")[:2]
    assert found(studio.database, studio, "m", 1) == every[:1]


def test_nothing_of_other_scopes_is_found(studio: World) -> None:
    filled(studio)
    assert studio.database.read(lambda tx: tx.search(["media"], ["elsewhere"], 5)) == []
    assert studio.database.read(lambda tx: tx.search(["media"], [], 5)) == []
    assert studio.database.read(lambda tx: tx.search([], [studio.project.id], 5)) == []


def test_search_reads_the_index_with_the_scope_inside_it(studio: World) -> None:
    filled(studio)
    plans: list[str] = []

    def read(tx: Any) -> None:
        run = tx._run

        def explained(cursor: Any, sql: str, params: Any, **more: Any) -> None:
            if sql.startswith("WITH"):
                run(cursor, f"EXPLAIN {sql}", params, **more)
                plans.append("\n".join(next(iter(row.values())) for row in cursor.fetchall()))
            run(cursor, sql, params, **more)

        tx._run = explained
        tx.search(["media", "p"], [studio.project.id], 5)
        tx.search(["media", "p"], [WORKSPACE], 5, studio.bob.user_id)

    studio.database.read(read)
    assert len(plans) == 6
    for number, plan in enumerate(plans):
        column, index = ("all", "texts") if number % 3 == 2 else ("title", "titles")
        in_index = f"Index Cond: (({column}_words || array_to_tsvector(ARRAY[('@'::text || scope)])) @@ "
        [line] = [line for line in plan.splitlines() if in_index in line]
        assert "::tsquery && $" in line, plan
        assert f"Bitmap Index Scan on search_doc_{index}" in plan
        assert "Index Scan Backward using search_doc_pkey" in plan  # of the newest
        assert len(re.findall(r" on search_doc\b", plan)) == 3


@pytest.mark.parametrize(
    ("word", "never_read"),
    [("common", ["wider", "index"]), ("hundredth", ["index"]), ("rare", ["wider"]), ("absent", ["wider"])],
)
def test_the_more_common_a_word_is_the_fewer_documents_are_looked_at(
    studio: World, in_database: Execute, word: str, never_read: list[str]
) -> None:
    in_database(
        "INSERT INTO search_doc (scope, kind, ref_id, title, body)"
        f" SELECT '{studio.project.id}', 'ITEM', 'r' || n, 'Common' || CASE WHEN n % 100 = 0 THEN ' hundredth' ELSE ''"
        " END || CASE WHEN n = 7 THEN ' rare' ELSE '' END, '' FROM generate_series(1, 9000) AS n"
    )
    plans: list[str] = []

    def look(tx: Any) -> None:
        run = tx._run

        def explained(cursor: Any, sql: str, params: Any, **more: Any) -> None:
            run(cursor, f"EXPLAIN (ANALYZE, TIMING OFF) {sql}", params, **more)
            plans.append("\n".join(next(iter(row.values())) for row in cursor.fetchall()))
            run(cursor, sql, params, **more)

        tx._run = explained
        assert len(tx.search([word], [studio.project.id], 50)) == {"rare": 1, "absent": 0}.get(word, 50)

    studio.database.read(look)
    plan = plans[0]
    newest, wider = re.findall(r"Index Scan Backward using search_doc_pkey .*", plan)
    index = next(line for line in plan.splitlines() if "Bitmap Index Scan on search_doc_titles" in line)
    read = {"newest": newest, "wider": wider, "index": index}
    assert [name for name, line in read.items() if "never executed" in line] == never_read


def test_without_icu_words_are_found_by_the_locale_of_the_database(empty_url: str) -> None:
    database = PostgresDatabase(empty_url, create=True, without=frozenset({"icu"}))
    sql = "INSERT INTO search_doc (scope, kind, ref_id, title, body) VALUES ('p', 'ITEM', :id, :title, :body)"
    database.write(lambda tx: [tx.execute(sql, id=title, title=title, body=body) for title, body in TEXTS[:6]])
    for text, title in (
        ("RÉSUMÉ", "Écrire le résumé"),
        ("한글", "한글 보고서"),
        ("ガイ", "ガイドを作る"),
        ("zur", "Écrire le résumé"),
    ):
        assert [row["title"] for row in database.read(methodcaller("search", [text], ["p"], 9))] == [title]
    database.close()
