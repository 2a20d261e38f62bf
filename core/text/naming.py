"""Records by the names that people type: an id, a name, or the beginning of a name; and names like a mistyped one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from core.errors import InvalidInput, NotFound
from core.text.folding import fold
from core.text.sanitize import sanitize

T = TypeVar("T")

Names = Callable[[T], tuple[str, ...]]
"""Returns the id of a candidate first, then its names."""

LISTED = 8
"""An ambiguous name lists no more candidates than this."""

NEAR, ALIKE = 3, 0.6
"""The most names that are suggested, and their least ``SequenceMatcher.ratio`` to the mistyped one."""

COMPARED, LONGEST, SHORT = 2_000, 100, 3
"""The most candidates that are compared, the longest name, and the shortest word that is taken for a beginning."""


def find_meant(wanted: str, candidates: Iterable[T], names: Names[T]) -> list[T]:
    """Return the candidates that ``wanted`` names. The first of these ways that finds any is the only one used.

    An id; an exact name; an id or a name in any case, then without accents; the beginning of a name in the same ways.
    """
    every = [(each, names(each)) for each in candidates]
    word = wanted.strip()
    folded, plain = word.casefold(), fold(word)
    ways: tuple[Callable[[tuple[str, ...]], bool], ...] = (
        lambda called: called[0] == word,
        lambda called: word in called[1:],
        lambda called: any(name.casefold() == folded for name in called),
        lambda called: any(fold(name) == plain for name in called),
        lambda called: bool(folded) and any(name.casefold().startswith(folded) for name in called[1:]),
        lambda called: bool(plain) and any(fold(name).startswith(plain) for name in called[1:]),
    )
    for fits in ways:
        if found := [each for each, called in every if fits(called)]:
            return found
    return []


def the_one(
    noun: str, wanted: str, candidates: Iterable[T], names: Names[T], key_of: Callable[[T], str] | None = None
) -> T:
    """Return the candidate that ``wanted`` names. ``key_of`` gives what people call it by, where that is not its id.

    Raises NotFound, which suggests similar names; InvalidInput, which lists the candidates, when several can be meant.
    """
    every = list(candidates)
    found = find_meant(wanted, every, names)
    if len(found) == 1:
        return found[0]
    if found:
        call = key_of or (lambda each: names(each)[0])
        shown = "; ".join(f"{names(each)[1]} ({call(each)})" for each in found[:LISTED])
        more = f" and {len(found) - LISTED} more" if len(found) > LISTED else ""
        way = "key" if key_of else "id"
        raise InvalidInput(noun, f"“{sanitize(wanted)}” may be several: {shown}{more}. Name one by its {way}.")
    hint = did_you_mean(wanted, [name for each in every[:COMPARED] for name in names(each)[1:2]])
    raise NotFound(f"There is no {noun} “{sanitize(wanted)}” here{'.' + hint if hint else ', or you cannot see it.'}")


def did_you_mean(wanted: str, known: Iterable[str]) -> str:
    """Return the question after a mistyped name, with a space before it; "" if no known name is like it."""
    *others, last = [f"“{name}”" for name in near_names(wanted, known)] or [""]
    near = f"{', '.join(others)} or {last}" if others else last
    return f" Did you mean {near}?" if near else ""


def near_names(wanted: str, known: Iterable[str]) -> list[str]:
    """Return up to three of the known names that are most like a mistyped one, or that begin most like it.

    >>> near_names("Dicovery", ["Discovery", "Delivery", "Launch"])
    ['Discovery', 'Delivery']
    """
    from difflib import SequenceMatcher

    word = wanted.strip().casefold()[:LONGEST]
    matcher = SequenceMatcher(b=word)
    scored = []
    for name in dict.fromkeys(known):
        folded = name.casefold()[:LONGEST]
        likeness = 0.0
        for part in {folded, folded[: len(word)] if len(word) > SHORT else folded}:
            matcher.set_seq1(part)
            if matcher.real_quick_ratio() >= ALIKE and matcher.quick_ratio() >= ALIKE:
                likeness = max(likeness, matcher.ratio())
        scored.append((likeness, name))
    best = sorted(scored, key=lambda pair: -pair[0])[:NEAR]
    return [name for likeness, name in best if likeness >= ALIKE]


def argument_for(chosen: T, candidates: Iterable[T], names: Names[T]) -> str:
    """Return the argument for ``chosen`` in a command that Podium prints, not yet quoted for a shell.

    It is the first name that does not look like an option, can be printed between “ and ”, and by which ``find_meant``
    finds only ``chosen``; else the id.
    """
    every = list(candidates)
    called = names(chosen)
    for name in called[1:]:
        is_plain = name and name[0] != "-" and name == sanitize(name).strip() and not set(name) & set("“”\n")
        if is_plain and [names(each)[0] for each in find_meant(name, every, names)] == [called[0]]:
            return name
    return called[0]
