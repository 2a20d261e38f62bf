"""Full text search in SQLite, over the documents and the index of ``core.storage.search.tables``."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

STAGES = (("title", True), ("title", False), ("title body", False))
"""The searches, one after the other until enough is found: the columns, and True for whole words.

A whole word is found at once however common it is; for beginnings of words the index has to merge all that match.
"""

MAX_SCOPES = 500
"""The most scopes in a search expression: one with 10,000 scopes takes half a second. With more, the newest documents
are read and filtered by scope."""

_FIND = (
    "SELECT search_doc.id, search_doc.scope, kind, ref_id, search_doc.title, search_doc.body"
    " FROM search_text JOIN search_doc ON search_doc.id = search_text.rowid WHERE search_text MATCH :match"
)
_IN_SCOPES = " AND search_doc.scope IN (SELECT value FROM json_each(:scopes))"
_NEWEST = " ORDER BY search_text.rowid DESC LIMIT :most"


def find(
    query: Callable[..., Sequence[Mapping[str, Any]]], words: Sequence[str], scopes: Collection[str], most: int
) -> list[Mapping[str, Any]]:
    """The documents in ``scopes`` with all the words, or with words that begin so; see ``Tx.search``."""
    many = len(scopes) > MAX_SCOPES
    sql = f"{_FIND}{_IN_SCOPES if many else ''}{_NEWEST}"
    params: dict[str, object] = {"most": most, "scopes": json.dumps(list(scopes))} if many else {"most": most}
    found: dict[int, Mapping[str, Any]] = {}
    for columns, whole in STAGES:
        if words and scopes and len(found) < most:
            expression = _words(words, columns, whole) + ("" if many else _within(scopes))
            for row in query(sql, match=expression, **params):
                found.setdefault(row["id"], row)
    return list(found.values())[:most]


def _words(words: Sequence[str], columns: str, whole: bool) -> str:
    """The words as an FTS5 expression. A single letter matches as a whole word only, because nearly every text has a
    word that begins with it."""
    wanted = (f'"{word}"' if whole or len(word) == 1 else f'"{word}"*' for word in words)
    return f"{{{columns}}} : ({' AND '.join(wanted)})"


def _within(scopes: Collection[str]) -> str:
    return " AND scope : (" + " OR ".join(f'"{scope}"' for scope in scopes) + ")"
