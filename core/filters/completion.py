"""Completions of the filter that a user is typing: fields first, then their values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from core.filters.context import Suggestion
from core.filters.custom_fields import fields_in
from core.filters.due_values import RANGE, sign_of
from core.filters.fields import FIELDS
from core.filters.parser import PRIORITY_SIGN, PRIORITY_WORDS, QUOTE, field_at, negates, spans, values
from core.record import Record
from core.text.dates import in_full, parse_due
from core.text.folding import begins_word, fold

if TYPE_CHECKING:
    from core.filters.context import FilterContext

DAYS = ("today", "tomorrow", "fri", "eow", "eom", "+1w", "+2w", "+1m")
"""The days that are offered as values of ``due``."""


class Completion(Record, kw_only=False):
    """One completion: the word, its meaning, the whole filter with it, and the cursor's new position in that."""

    word: str
    meaning: str
    text: str
    at: int


def complete(text: str, at: int, around: FilterContext) -> tuple[Completion, ...]:
    """Return the completions at position ``at``; none inside a term, and every field at the beginning of one."""
    if text[at : at + 1].strip():
        return ()
    start = next((start for start, end in spans(text[:at]) if end == at), at)
    begin = start + negates(text, start, at)
    named = field_at(text, begin, at)
    if named is None:
        typed = text[begin:at]
        offered = [Suggestion(f"{field.name}:", field.picks) for field in fields_in(around).values()]
        if text[start:begin] == PRIORITY_SIGN:
            offered = [*(each for each in FIELDS["priority"].values(around) if each.word in PRIORITY_WORDS), *offered]
        return _completions(text, at, begin, (each for each in offered if _goes_on(each.word, typed)))
    field = fields_in(around).get(named.word)
    if field is None:
        return ()
    value = list(values(text, named.at + named.length, at))[-1]
    begin, offered_values = value.at, field.values(around)
    if field.name == "due" and (skipped := _before_day(text[begin:at])):
        begin += skipped
        offered_values = _days(around)
    typed = text[begin:at].replace(QUOTE, "")
    return _completions(text, at, begin, (each for each in offered_values if _fits(each, typed)))


def _completions(text: str, at: int, begin: int, offered: Iterable[Suggestion]) -> tuple[Completion, ...]:
    return tuple(
        Completion(each.word, each.meaning, text[:begin] + each.word + text[at:], begin + len(each.word))
        for each in offered
        if each.word != text[begin:at]
    )


def _fits(offered: Suggestion, typed: str) -> bool:
    """Return True if the suggestion, or a word of its ``names``, begins with the typed text."""
    return _goes_on(offered.word, typed) or begins_word(fold(typed), fold(offered.names))


def _goes_on(word: str, typed: str) -> bool:
    return fold(word).startswith(fold(typed))


def _before_day(typed: str) -> int:
    """Return the length of the part before the day in a value of ``due``: a sign, or a range up to ".."."""
    return typed.rindex(RANGE) + len(RANGE) if RANGE in typed else len(sign_of(typed))


def _days(around: FilterContext) -> Iterator[Suggestion]:
    for word in DAYS:
        if day := parse_due(word, around.today):
            yield Suggestion(word, in_full(day))
