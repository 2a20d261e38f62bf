"""Letters as people type them: without case, accents and other marks of Latin letters.

One function folds for the filter, the finder, the lists, the names on the command line and completion, so that what one
of them finds the others find too. The full-text search has an index, whose words are folded alike.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_LETTERS = str.maketrans({"ł": "l", "ø": "o", "đ": "d", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th", "ð": "d"})
"""Latin letters with a stroke or a partner, which Unicode does not take apart."""

_MARKS = re.compile("(?<=[a-z])[\u0300-\u036f]+")
"""Marks over Latin letters. Those of other scripts (й, ガ) are parts of their letters."""


def fold(text: str) -> str:
    """Return a text in the form in which typed words are compared with it.

    >>> fold("Zieliński, Straße, İstanbul")
    'zielinski, strasse, istanbul'
    """
    return text.lower() if text.isascii() else _fold(text)


@lru_cache(4_096)
def _fold(text: str) -> str:
    apart = unicodedata.normalize("NFD", text.casefold().translate(_LETTERS))
    return unicodedata.normalize("NFC", _MARKS.sub("", apart))
