"""Search in PostgreSQL finds what search in SQLite finds, in the same order."""

from __future__ import annotations

from operator import methodcaller
from pathlib import Path
from typing import Any

import pytest

from core.domain.model import WORKSPACE
from core.storage.database import Database, Tx
from core.storage.postgres.database import PostgresDatabase
from core.text.excerpts import words_of
from tests.support.prepared import new_world
from tests.support.workspace import World

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


def found(database: Database, world: World, text: str, most: int = 50) -> list[tuple[Any, ...]]:
    def read(tx: Tx) -> list[tuple[Any, ...]]:
        rows = tx.search(words_of(text), [world.project.id, WORKSPACE], most)
        return [(row["kind"], row["title"], row["body"]) for row in rows]

    return database.read(read)


def filled(world: World) -> World:
    for title, description in TEXTS:
        world.task(title[:200], description=description)
    return world


@pytest.fixture
def in_file(tmp_path: Path) -> World:
    return filled(new_world(tmp_path / "file.db"))


def test_the_same_is_found_in_the_same_order(studio: World, in_file: World) -> None:
    filled(studio)
    for text in QUERIES:
        there, here = found(in_file.database, in_file, text), found(studio.database, studio, text)
        assert here == there, text
    assert found(studio.database, studio, "한글")
    assert found(studio.database, studio, "ガイド")


def test_few_are_the_first_of_many(studio: World) -> None:
    filled(studio)
    every = found(studio.database, studio, "m")
    assert found(studio.database, studio, "me", 2) == found(studio.database, studio, "me")[:2]
    assert found(studio.database, studio, "m", 1) == every[:1]


def test_nothing_of_other_scopes_is_found(studio: World) -> None:
    filled(studio)
    assert studio.database.read(lambda tx: tx.search(["media"], ["elsewhere"], 5)) == []
    assert studio.database.read(lambda tx: tx.search(["media"], [], 5)) == []
    assert studio.database.read(lambda tx: tx.search([], [studio.project.id], 5)) == []


def test_search_reads_the_index(studio: World) -> None:
    filled(studio)
    plans: list[str] = []

    def read(tx: Any) -> None:
        run = tx._run

        def explained(cursor: Any, sql: str, params: Any, **more: Any) -> None:
            run(cursor, f"EXPLAIN {sql}", params, **more)
            plans.append(str(cursor.fetchall()))
            run(cursor, sql, params, **more)

        tx._run = explained
        tx.search(["media", "p"], [studio.project.id], 5)

    studio.database.read(read)
    assert plans
    for plan in plans:
        assert "Bitmap Index Scan on search_doc_" in plan


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
