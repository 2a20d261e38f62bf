"""Full text search in SQLite, over the documents and the index of ``search_schema``."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

STAGES = (("title", True), ("title", False), ("title body", False))
"""Where the words are looked for, one after the other until enough is found, and whether as whole words.

A whole word is found at once however common it is; for the beginnings of words the index merges all that begin so.
"""

MAX_SCOPES = 500
"""With more scopes than these, the newest documents are gone through instead of what each scope holds:
an expression of 10,000 scopes takes half a second."""

_FIND = (
    "SELECT search_doc.id, search_doc.scope, kind, ref_id, search_doc.title, search_doc.body"
    " FROM search_text JOIN search_doc ON search_doc.id = search_text.rowid WHERE search_text MATCH :match"
)
_IN_SCOPES = " AND search_doc.scope IN (SELECT value FROM json_each(:scopes))"
_NEWEST = " ORDER BY search_text.rowid DESC LIMIT :most"


def find(
    query: Callable[..., Sequence[Mapping[str, Any]]], words: Sequence[str], scopes: Collection[str], most: int
) -> list[Mapping[str, Any]]:
    """The documents of some scopes that hold all the words, or words that begin so; see ``Tx.search``."""
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
    """The words in an FTS5 expression. A single letter is a whole word: nearly every text has one that begins so."""
    wanted = (f'"{word}"' if whole or len(word) == 1 else f'"{word}"*' for word in words)
    return f"{{{columns}}} : ({' AND '.join(wanted)})"


def _within(scopes: Collection[str]) -> str:
    return " AND scope : (" + " OR ".join(f'"{scope}"' for scope in scopes) + ")"
