"""The fit of typed words to a line, as people who find by typing expect it: beginnings of words come first."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.record import Record
from core.text.folding import fold, fold_with_places, is_in_run, span_in, split_runs

FIRST, BEGINS, INSIDE, INITIALS = 1.0, 0.9, 0.5, 0.3
"""The scores of a typed word: it begins the line or another word of it, is inside one, or begins several in a row."""

LEAST_INSIDE = 3
"""The letters of a typed word that is also looked for inside of words; a run of letters without blanks needs fewer."""

CLOSENESS = 0.2
"""The most that a line gets for having little else."""

_WORD = re.compile(r"\w+")


class WordMatch(Record, kw_only=False):
    """The score of a line, above 0 and up to 1.2, and the places of the typed letters in it."""

    score: float
    spans: tuple[tuple[int, int], ...]


def match_words(typed: str, line: str) -> WordMatch | None:
    """Return how well typed words fit a line; None if one of them is not in it.

    Case and accents do not matter. Where all is found before a colon, only that part is what the line is about.

    >>> match_words("due", "Set the due date").spans
    ((8, 11),)
    >>> match_words("sdd", "Set the due date").spans
    ((0, 1), (8, 9), (12, 13))
    >>> match_words("undo", "Undo: my last changes").score > match_words("undo", "Undo my last change").score
    True
    >>> match_words("burn", "Merge a template into the project, and run it") is None
    True
    """
    folded, places = fold_with_places(line)
    words = [*_find_words(folded)]
    wanted = [part for word in fold(typed).split() for part in split_runs(word)]
    matches = [_match_word(each, words) for each in wanted]
    found = [each for each in matches if each is not None]
    if not found or len(found) < len(wanted):
        return None
    spans = tuple(sorted({span_in(places, *span) for each in found for span in each.spans}))
    name = line.partition(":")[0]  # what comes after it explains the name
    length = len(name) if spans[-1][1] <= len(name) else len(line)
    closeness = CLOSENESS * min(1.0, sum(map(len, wanted)) / length)
    return WordMatch(sum(each.score for each in found) / len(found) + closeness, spans)


def _find_words(line: str) -> Iterator[tuple[int, str]]:
    """The words of a folded line with their places; a run of letters without blanks is one."""
    at = 0
    for part in split_runs(line):
        if is_in_run(part):
            yield at, part
        else:
            yield from ((at + found.start(), found[0]) for found in _WORD.finditer(part))
        at += len(part)


def _match_word(typed: str, words: list[tuple[int, str]]) -> WordMatch | None:
    for number, (start, word) in enumerate(words):
        if word.startswith(typed):
            return WordMatch(BEGINS if number else FIRST, ((start, start + len(typed)),))
    for start, word in words if len(typed) >= LEAST_INSIDE or is_in_run(typed) else ():
        if (at := word.find(typed)) > 0:
            return WordMatch(INSIDE, ((start + at, start + at + len(typed)),))
    spans = _find_beginnings(typed, words)
    return WordMatch(INITIALS, spans) if spans else None


def _find_beginnings(typed: str, words: list[tuple[int, str]]) -> tuple[tuple[int, int], ...]:
    """The beginnings of words that make up a typed one, in their order; empty if there are none."""
    for number, (start, word) in enumerate(words):
        most = next((at for at, pair in enumerate(zip(typed, word, strict=False)) if len(set(pair)) > 1), None)
        for size in range(min(len(typed), len(word)) if most is None else most, 0, -1):
            if size == len(typed):
                return ((start, start + size),)
            if rest := _find_beginnings(typed[size:], words[number + 1 :]):
                return ((start, start + size), *rest)
    return ()
