"""Search words and their positions in a text, read in the same way as the full-text index reads both.

A word is a run of letters and digits; case and accents make no difference. It matches the beginning of words. Letters
of scripts without blanks between words are words of their own, which match anywhere in a run of them.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from core.record import Record
from core.text.folding import fold, fold_with_places, is_in_run, span_in, split_runs


class Mark(Record, kw_only=False):
    """The position of a match in a text, in characters."""

    start: int
    end: int


MAX_WORDS = 12
MAX_CHARACTERS = 400
"""Characters of the search text that are read; the rest is ignored, since it would only cost time."""

BEFORE = 16
"""Characters of an excerpt before the first match: few, because a screen may cut off its end."""

_WORD = re.compile(r"[^\W_\u19b0-\u19c9\u1cf2\u1cf3]+")  # these were marks in older Unicode
_MARKS = re.compile(r"[\u0300-\u036f]")
_SPACE = re.compile(r"\s+")


class Excerpt(Record, kw_only=False):
    """One line of a text, and the positions of the matches in it."""

    text: str
    marks: tuple[Mark, ...]


def words_of(text: str) -> tuple[str, ...]:
    """Return the words to search for, each once. They keep case and accents; the index ignores these itself."""
    composed = unicodedata.normalize("NFC", text[:MAX_CHARACTERS])
    words: dict[str, str] = {}
    for part in split_runs(_MARKS.sub("", composed)):
        for word in [part] if is_in_run(part) else _WORD.findall(part):
            words.setdefault(fold(word), word)
    return tuple(words.values())[:MAX_WORDS]


def match_spans(text: str, words: tuple[str, ...]) -> tuple[Mark, ...]:
    """Return the positions at which words of a text begin with one of ``words``."""
    if not words:
        return ()
    folded, places = fold_with_places(text)
    spans = (found.span() for found in _pattern(words).finditer(folded))
    return tuple(Mark(*span_in(places, *span)) for span in spans if _is_beginning(folded, span[0]))


def _is_beginning(text: str, at: int) -> bool:
    """Return True where a word of a text begins, or in a run of letters that has words anywhere."""
    return at == 0 or not text[at - 1].isalnum() or is_in_run(text[at]) or is_in_run(text[at - 1])


def excerpt(text: str, words: tuple[str, ...], most: int = 120) -> Excerpt:
    """Return at most ``most`` characters around the first match, as one line; empty without a match."""
    line = _SPACE.sub(" ", text).strip()
    marks = match_spans(line, words)
    if not marks:
        return Excerpt("", ())
    first = marks[0].start
    start = 0 if first <= BEFORE else line.find(" ", max(0, first - BEFORE), first) + 1 or first
    before, after = "…" if start else "", "…" if len(line) > start + most else ""
    moved = len(before) - start
    shown = tuple(
        Mark(each.start + moved, each.end + moved) for each in marks if start <= each.start and each.end <= start + most
    )
    return Excerpt(f"{before}{line[start : start + most]}{after}", shown)


@cache
def _pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    longest_first = sorted(map(fold, words), key=len, reverse=True)
    return re.compile("|".join(longest_first))
