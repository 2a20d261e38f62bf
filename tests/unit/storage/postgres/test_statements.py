"""Statements and values in PostgreSQL's form."""

from __future__ import annotations

from core.storage.postgres.database import PostgresDatabase
from core.storage.postgres.statements import number_parameters


def test_each_name_becomes_a_number_and_keeps_it() -> None:
    sql = "SELECT * FROM item WHERE id = :id AND (rank > :rank OR id <> :id)"
    assert number_parameters(sql) == ("SELECT * FROM item WHERE id = $1 AND (rank > $2 OR id <> $1)", ("id", "rank"))


def test_quotes_comments_and_casts_stay_as_they_are() -> None:
    sql = "SELECT ':a', 'it''s :b', \":c\", x::text, y -- :d\n FROM t WHERE k = :k"
    assert number_parameters(sql) == ("SELECT ':a', 'it''s :b', \":c\", x::text, y -- :d\n FROM t WHERE k = $1", ("k",))


def test_values_come_back_as_from_sqlite(postgres: PostgresDatabase) -> None:
    def read(sql: str, **params: object) -> object:
        return postgres.read(lambda tx: tx.tuples(sql, **params))[0][0]

    assert read("SELECT CAST(:n AS BIGINT)", n=2**40) == 2**40
    assert read("SELECT CAST(:text AS TEXT)", text="100 % ガ") == "100 % ガ"
    assert read("SELECT CAST(:nothing AS TEXT)", nothing=None) is None
    total = read("SELECT sum(seq) FROM feed")
    assert (total, type(total)) == (0, int)
    truth = read("SELECT EXISTS (SELECT 1 FROM feed)")
    assert (truth, type(truth)) == (1, int)
    assert read("SELECT count(*) FROM feed WHERE seq = :no", no=False) == 1


def test_a_text_with_nul_equals_nothing(postgres: PostgresDatabase) -> None:
    found = postgres.read(lambda tx: tx.query("SELECT * FROM feed WHERE id = :id", id="workspace\0"))
    assert found == []


def test_text_is_compared_byte_by_byte(postgres: PostgresDatabase) -> None:
    postgres.write(
        lambda tx: [tx.execute("INSERT INTO feed (id, seq) VALUES (:id, 0)", id=each) for each in ("a", "B", "ä", "Z")]
    )
    ordered = postgres.read(lambda tx: tx.tuples("SELECT id FROM feed WHERE id <> 'workspace' ORDER BY id"))
    assert [row[0] for row in ordered] == ["B", "Z", "a", "ä"]
