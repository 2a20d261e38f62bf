"""The words that people search for, and where they stand in a text: as the full text index reads both.

A word is a run of letters and digits; case and accents make no difference. It is found at the beginning of words.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import NamedTuple


class Mark(NamedTuple):
    """Where a found word stands in a text, in characters from its beginning."""

    start: int
    end: int


MAX_WORDS = 12
MAX_CHARACTERS = 400
"""Of what is searched for, the rest is passed over: nobody types more, and it would only take time."""

BEFORE = 16
"""Characters before the first found word of a text that is shown in part: few, for a screen may cut it off."""

_WORD = re.compile(r"[^\W_\u19b0-\u19c9\u1cf2\u1cf3]+")  # some letters were marks once, and still are to SQLite
_MARKS = re.compile(r"[\u0300-\u036f]")
_SPACE = re.compile(r"\s+")


class Excerpt(NamedTuple):
    """One line of a text, and where the words stand in it."""

    text: str
    marks: tuple[Mark, ...]


def words_of(text: str) -> tuple[str, ...]:
    """The words to look for in what was typed, each once: with case and accents, which the index reads by itself."""
    composed = unicodedata.normalize("NFC", text[:MAX_CHARACTERS])
    words: dict[str, str] = {}
    for word in _WORD.findall(_MARKS.sub("", composed)):
        words.setdefault(_folded(word), word)
    return tuple(words.values())[:MAX_WORDS]


def match_spans(text: str, words: tuple[str, ...]) -> tuple[Mark, ...]:
    """Where words of a text begin like those looked for."""
    return tuple(Mark(*found.span()) for found in _pattern(words).finditer(_folded(text))) if words else ()


def excerpt(text: str, words: tuple[str, ...], most: int = 120) -> Excerpt:
    """A line of at most ``most`` characters from around the first found word; empty when none is in the text."""
    line = _SPACE.sub(" ", text).strip()
    marks = match_spans(line, words)
    if not marks:
        return Excerpt("", ())
    start = 0 if marks[0][0] <= BEFORE else line.find(" ", max(0, marks[0][0] - BEFORE), marks[0][0]) + 1 or marks[0][0]
    before, after = "…" if start else "", "…" if len(line) > start + most else ""
    moved = len(before) - start
    shown = tuple(Mark(begin + moved, end + moved) for begin, end in marks if start <= begin and end <= start + most)
    return Excerpt(f"{before}{line[start : start + most]}{after}", shown)


@cache
def _letter(character: str) -> str:
    """A letter without case and accents; always one character, so that places stay what they are.

    The index drops the accents of Latin letters. What other scripts write upon a letter (й, ガ, 한) is a part of it.
    """
    apart = unicodedata.normalize("NFD", character)
    plain = apart[0] if apart[0].isascii() and all(map(_MARKS.fullmatch, apart[1:])) else character
    folded = plain.lower()
    return folded if len(folded) == 1 else plain


def _folded(text: str) -> str:
    return text.lower() if text.isascii() else "".join(map(_letter, text))


@cache
def _pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    longest_first = sorted(map(_folded, words), key=len, reverse=True)
    return re.compile(rf"(?<![^\W_])(?:{'|'.join(longest_first)})")
