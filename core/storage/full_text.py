"""Full text search in SQLite: a document for each text that people write, an FTS5 index over them, and ``find``.

Triggers keep both in step with the tables, so texts from undo, imports and direct writes are found too; an update that
leaves the text alone, such as moving a card, costs nothing. The index includes the scope of each document, so a search
in fifty projects reads only their documents, not every document with the word.

Chinese, Japanese, Korean and Thai are written without blanks between words, so their letters are indexed as pairs of
neighbours, and a typed word of them is found where all its pairs are.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from core.record import Record
from core.text.folding import AROUND_RUN, LETTERS, RUN, is_in_run


class SearchSource(Record, kw_only=False):
    """A table with text, and the documents that its rows become."""

    table: str
    kind: str
    """The ``kind`` of its documents."""
    columns: tuple[str, ...]
    """The columns with the text; an update of other columns changes no document."""
    title: str
    """An expression of the row; ``@`` stands for NEW or OLD."""
    body: str = "''"
    scope: str = "@.project_id"


IN_WORKSPACE = "'workspace'"

SOURCES = (
    SearchSource("project", "PROJECT", ("name", "description"), "@.name", "@.description", "@.id"),
    SearchSource(
        "phase",
        "PHASE",
        ("name", "objectives", "outcomes"),
        "@.name",
        "trim(@.objectives || char(10) || @.outcomes, char(10))",
    ),
    SearchSource("deliverable", "DELIVERABLE", ("name", "evidence"), "@.name", "@.evidence"),
    SearchSource("item", "ITEM", ("title", "description"), "@.title", "@.description"),
    SearchSource("comment", "COMMENT", ("text",), "''", "@.text"),
    SearchSource("application", "APPLICATION", ("name",), "@.name"),
    SearchSource("product", "PRODUCT", ("name", "description"), "@.name", "@.description", IN_WORKSPACE),
    SearchSource(
        "template",
        "TEMPLATE",
        ("name", "description", "tags"),
        "@.name",
        "trim(@.description || char(10) || (SELECT coalesce(group_concat(value, ', '), '') FROM json_each(@.tags)),"
        " char(10))",
        IN_WORKSPACE,
    ),
    SearchSource(
        "app_user",
        "PERSON",
        ("first_name", "last_name", "login"),
        "@.first_name || ' ' || @.last_name",
        "@.login",
        IN_WORKSPACE,
    ),
)

DOCUMENTS = (
    "CREATE TABLE search_doc ("
    " id INTEGER PRIMARY KEY, scope TEXT NOT NULL, kind TEXT NOT NULL, ref_id TEXT NOT NULL, title TEXT NOT NULL,"
    " body TEXT NOT NULL) STRICT",
    "CREATE UNIQUE INDEX search_doc_ref ON search_doc(ref_id, kind)",
    "CREATE VIRTUAL TABLE search_text USING fts5("
    " scope, title, body, content = 'search_doc', content_rowid = 'id', detail = column,"
    " tokenize = 'unicode61 remove_diacritics 2')",
    "CREATE TRIGGER search_doc_inserted AFTER INSERT ON search_doc BEGIN"
    " INSERT INTO search_text (rowid, scope, title, body) VALUES (NEW.id, NEW.scope, NEW.title, NEW.body); END",
    "CREATE TRIGGER search_doc_deleted AFTER DELETE ON search_doc BEGIN"
    " INSERT INTO search_text (search_text, rowid, scope, title, body)"
    " VALUES ('delete', OLD.id, OLD.scope, OLD.title, OLD.body); END",
    "CREATE TRIGGER search_doc_updated AFTER UPDATE ON search_doc BEGIN"
    " INSERT INTO search_text (search_text, rowid, scope, title, body)"
    " VALUES ('delete', OLD.id, OLD.scope, OLD.title, OLD.body);"
    " INSERT INTO search_text (rowid, scope, title, body) VALUES (NEW.id, NEW.scope, NEW.title, NEW.body); END",
)


MARKS_IN_RUNS = "".join(map(chr, (0xE31, *range(0xE34, 0xE3B), *range(0xE47, 0xE4F), 0x3099, 0x309A)))
"""The marks among ``RUN``, which the tokenizer takes for no letters."""

PIECE = 100
"""Letters of a text that are cut off at a time, since SQLite counts them from the beginning of a text."""


def _spaced_text(column: str) -> str:
    """The expression of a text in which blanks stand around each pair of neighbours in a run, and around its end."""
    return (
        f"CASE WHEN {column} GLOB '*[{AROUND_RUN}]*' THEN"
        f" (WITH RECURSIVE letter(at, rest) AS (SELECT 1, substr({column}, 1, {PIECE} + 1) UNION ALL"
        f" SELECT at + 1, CASE WHEN at % {PIECE} THEN substr(rest, 2) ELSE substr({column}, at + 1, {PIECE} + 1) END"
        " FROM letter WHERE length(rest) > 1)"
        f" SELECT group_concat(CASE WHEN rest GLOB '[{RUN}][{RUN}]*' THEN ' ' || substr(rest, 1, 2) || ' '"
        f" WHEN rest GLOB '[{RUN}]*' THEN ' ' || substr(rest, 1, 1) || ' ' ELSE substr(rest, 1, 1) END, '')"
        f" FROM letter) ELSE {column} END AS spaced_{column}"
    )


def _folded_text(column: str) -> str:
    """The expression of a text as the tokenizer finds its words; one of ASCII, at next to no cost, as it is."""
    text = f"spaced_{column}"
    for letter, plain in LETTERS.items():
        text = f"replace({text}, '{letter}', '{plain}')"
    return f"CASE WHEN length(CAST({column} AS BLOB)) = length({column}) THEN {column} ELSE {text} END AS {column}"


def folding_schema() -> Iterator[str]:
    """The statements that replace the index by one of folded words, and fill it.

    They are a migration, so they are never changed: another index has others.
    """
    columns = "scope, title, body"
    add = f"INSERT INTO search_text (rowid, {columns}) SELECT id, {columns} FROM search_words WHERE id"
    remove = (
        f"INSERT INTO search_text (search_text, rowid, {columns}) SELECT 'delete', id, {columns} FROM search_words"
        " WHERE id = OLD.id"
    )
    for event in ("inserted", "deleted", "updated"):
        yield f"DROP TRIGGER search_doc_{event}"
    yield "DROP TABLE search_text"
    yield (
        f"CREATE VIEW search_words AS SELECT id, scope, {_folded_text('title')}, {_folded_text('body')}"
        f" FROM (SELECT *, {_spaced_text('title')}, {_spaced_text('body')} FROM search_doc)"
    )
    yield (
        f"CREATE VIRTUAL TABLE search_text USING fts5({columns}, content = 'search_words', content_rowid = 'id',"
        f" detail = column, tokenize = \"unicode61 remove_diacritics 2 tokenchars '{MARKS_IN_RUNS}'\")"
    )
    yield f"CREATE TRIGGER search_doc_inserted AFTER INSERT ON search_doc BEGIN {add} = NEW.id; END"
    yield f"CREATE TRIGGER search_doc_deleted BEFORE DELETE ON search_doc BEGIN {remove}; END"
    yield f"CREATE TRIGGER search_doc_changed BEFORE UPDATE ON search_doc BEGIN {remove}; END"
    yield f"CREATE TRIGGER search_doc_updated AFTER UPDATE ON search_doc BEGIN {add} = NEW.id; END"
    yield "INSERT INTO search_text (search_text) VALUES ('rebuild')"


def search_schema() -> Iterator[str]:
    """The statements that create the documents, the index, and the triggers that fill them."""
    yield from DOCUMENTS
    for source in SOURCES:
        yield from _triggers(source)


def _triggers(source: SearchSource) -> Iterator[str]:
    table, kind, title, body, scope = source.table, source.kind, source.title, source.body, source.scope
    old = f"kind = '{kind}' AND ref_id = OLD.id"
    yield (
        f"CREATE TRIGGER search_{table}_inserted AFTER INSERT ON {table} BEGIN"
        " INSERT INTO search_doc (scope, kind, ref_id, title, body)"
        f" VALUES ({_new(scope)}, '{kind}', NEW.id, {_new(title)}, {_new(body)}); END"
    )
    yield f"CREATE TRIGGER search_{table}_deleted AFTER DELETE ON {table} BEGIN DELETE FROM search_doc WHERE {old}; END"
    differs = " OR ".join(f"NEW.{column} <> OLD.{column}" for column in source.columns)
    yield (
        f"CREATE TRIGGER search_{table}_updated AFTER UPDATE OF {', '.join(source.columns)} ON {table}"
        f" WHEN {differs} BEGIN UPDATE search_doc SET title = {_new(title)}, body = {_new(body)} WHERE {old}; END"
    )


def _new(expression: str) -> str:
    return expression.replace("@", "NEW")


STAGES = (("title", True), ("title", False), ("title body", False))
"""The searches, one after the other until enough is found: the columns, and True for whole words.

A whole word is found at once however common it is; for beginnings of words the index has to merge all that match.
"""

MAX_SCOPES = 500
"""The most scopes in a search expression: one with 10,000 scopes takes half a second. With more, the newest documents
are read and filtered by scope."""

SCOPES = "SELECT value FROM json_each(:scopes) UNION ALL SELECT project_id FROM member WHERE user_id = :member"

ARE_FEW = (
    f"(SELECT count(*) FROM (SELECT value FROM ({SCOPES}) AS scopes LIMIT :most_scopes + 1) AS found) <= :most_scopes"
)
"""The condition that the scopes are not more than ``MAX_SCOPES``."""

_FIND = (
    "SELECT search_doc.id, search_doc.scope, kind, ref_id, search_doc.title, search_doc.body"
    " FROM search_text JOIN search_doc ON search_doc.id = search_text.rowid"
    f" WHERE search_text MATCH :match || CASE WHEN {ARE_FEW}"
    " THEN ' AND scope : (\"' ||"
    f""" (SELECT coalesce(group_concat(value, '" OR "'), 'nowhere') FROM ({SCOPES})) || '")' ELSE '' END"""
    f" AND search_doc.scope IN ({SCOPES}) ORDER BY search_text.rowid DESC LIMIT :most"
)


def find(
    query: Callable[..., Sequence[Mapping[str, Any]]],
    words: Sequence[str],
    scopes: Collection[str],
    most: int,
    member: str,
) -> list[Mapping[str, Any]]:
    """The documents in ``scopes`` with all the words, or with words that begin so; see ``Tx.search``."""
    params = {"scopes": json.dumps(list(scopes)), "member": member, "most_scopes": MAX_SCOPES, "most": most}
    found: dict[int, Mapping[str, Any]] = {}
    for columns, whole in STAGES:
        if words and (scopes or member) and len(found) < most:
            for row in query(_FIND, match=_expression_of(words, columns, whole), **params):
                found.setdefault(row["id"], row)
    return list(found.values())[:most]


def _expression_of(words: Sequence[str], columns: str, whole: bool) -> str:
    """The words as an FTS5 expression. A single letter matches as a whole word only, because nearly every text has a
    word that begins with it; in a run of letters without blanks it matches anywhere."""
    wanted = (term for word in words for term in _terms_of(word, whole))
    return f"{{{columns}}} : ({' AND '.join(wanted)})"


def _terms_of(word: str, whole: bool) -> Iterator[str]:
    if is_in_run(word):
        yield from (f'"{word[at : at + 2]}"' for at in range(len(word) - 1)) if word[1:] else (f'"{word}"*',)
    else:
        word = word.translate({ord(letter): plain for letter, plain in LETTERS.items()})
        yield f'"{word}"' if whole or len(word) == 1 else f'"{word}"*'
