"""Letters as people type them: without case, accents and other marks of Latin letters.

One function folds for the filter, the finder, the lists, the names on the command line and completion, so that what one
of them finds the others find too. The indexes of search fold by the same tables, in the words of their engines.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

LETTERS = {
    letter: plain
    for letters, plain in {
        "ẞß": "ss", "Łł": "l", "Øø": "o", "Đđ": "d", "Ħħ": "h", "ı": "i", "Ææ": "ae", "Œœ": "oe", "Þþ": "th", "Ðð": "d"
    }.items()
    for letter in letters
}  # fmt: skip
"""Latin letters with a stroke or a partner, which Unicode does not take apart, and what people type for them. The
indexes of search are made with these and with ``RUN``, so another letter needs a migration."""

_TYPED = str.maketrans(LETTERS)
_MARKS = re.compile("(?<=[a-z])[\u0300-\u036f]+")
"""Marks over Latin letters. Those of other scripts (й, ガ) are parts of their letters."""

RUN = (
    "\u4e00-\u9fff\uac00-\ud7a3\u3041-\u3096\u30a1-\u30fa\u30fc-\u30ff\u0e01-\u0e3a\u0e40-\u0e4e\u1100-\u11ff"
    "\u3005-\u3006\u3099-\u309a\u309d-\u309f\u3105-\u312f\u3131-\u318e\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf"
    "\ua960-\ua97c\ud7b0-\ud7fb\uf900-\ufaff\uff66-\uff9f\uffa0-\uffdc\U00020000-\U0003ffff"
)
"""The letters of Chinese, Japanese, Korean and Thai with their marks, as ranges between the brackets of a pattern of
Python, of GLOB and of PostgreSQL alike. A run of them can have a word anywhere, as it needs no blanks."""

AROUND_RUN = "\u0e01-\u0e4e\u1100-\u11ff\u3005-\uffdc\U00020000-\U0003ffff"
"""Fewer ranges that hold all of them, and signs."""

_IN_RUN = f"[{RUN}]"  # compiled where it is needed, which takes milliseconds
_LETTER = "(?s).[\u0300-\u036f]*"


def fold(text: str) -> str:
    """Return a text in the form in which typed words are compared with it.

    >>> fold("Zieliński, Straße, İstanbul")
    'zielinski, strasse, istanbul'
    """
    return text.lower() if text.isascii() else _fold(text)


def fold_with_places(text: str) -> tuple[str, list[int]]:
    """Return a folded text, and for each of its characters, and for its end, the place in the text that it came from.

    >>> fold_with_places("Maß")
    ('mass', [0, 1, 2, 2, 3])
    """
    if text.isascii():
        return text.lower(), [*range(len(text) + 1)]
    parts = [(found.start(), fold(found[0])) for found in re.finditer(_LETTER, text)]
    return "".join(part for _, part in parts), [*(at for at, part in parts for _ in part), len(text)]


def span_in(places: list[int], start: int, end: int) -> tuple[int, int]:
    """Return the span of whole letters of a text for one of its folded form; see ``fold_with_places``.

    >>> span_in([0, 1, 2, 2, 3], 0, 3)
    (0, 3)
    """
    return places[start], next((at for at in places[end:] if at > places[end - 1]), places[-1])


def is_in_run(word: str) -> bool:
    """Return True if a word begins with a letter of a script that has no blanks between words."""
    return word[:1] >= AROUND_RUN[0] and re.match(_IN_RUN, word) is not None


def split_runs(text: str) -> list[str]:
    """Return the parts of a text: runs of letters that have no blanks between words, and what is between these.

    >>> split_runs("印刷CMYK校样")
    ['印刷', 'CMYK', '校样']
    """
    return [text] if text.isascii() else [part for part in re.split(f"({_IN_RUN}+)", text) if part]


def begins_word(typed: str, text: str) -> bool:
    """Return True if a word of a text begins with what was typed, both folded; a run of letters has words anywhere.

    >>> begins_word("plan", "media plan"), begins_word("lan", "media plan"), begins_word("小", "王小明")
    (True, False, True)
    """
    return f" {typed}" in f" {text}" or (is_in_run(typed) and typed in text)


@lru_cache(4_096)
def _fold(text: str) -> str:
    apart = unicodedata.normalize("NFD", text.translate(_TYPED).casefold())
    return unicodedata.normalize("NFC", _MARKS.sub("", apart))
