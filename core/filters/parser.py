"""The terms of a filter, each with its place in the text; what they mean is in ``fields.py``.

words               in the title, in what the card holds, or in an assignee's name; all of them must be there
"two words"         the two next to each other; quotes take away the meaning of spaces, commas and colons
field:value         one of the fields; commas between values mean "or"
-term, !term        what the term does not pick
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from core.errors import InvalidFilter
from core.text.sanitize import quoted

NOT = "-!"
QUOTE = '"'
SHOWN = 30
"""As many characters of what was typed stand in a message."""


MAX_CHARACTERS = 2_000
"""Of a filter."""

MAX_TERMS = 50
"""Of a filter: each is looked for in every card."""


class Value(NamedTuple):
    """A word, a phrase or the value of a field, without its quotes; ``at`` and ``length`` are with them."""

    text: str
    at: int
    length: int

    def refused(self, message: str) -> InvalidFilter:
        """The refusal that points here."""
        return InvalidFilter(message, at=self.at, length=self.length)

    def part(self, start: int, end: int | None = None) -> Value:
        """A part of the text; its place is that of the whole where quotes or nothing stand in between."""
        text = self.text[start:end]
        if len(self.text) != self.length or not text:
            return Value(text, self.at, self.length)
        return Value(text, self.at + start, len(text))

    @property
    def word(self) -> str:
        """As it is compared."""
        return self.text.casefold().strip()

    @property
    def quoted(self) -> str:
        """As it stands in a message."""
        shown = quoted(" ".join(self.text.split()))
        return f"“{shown if len(shown) <= SHOWN else shown[: SHOWN - 1] + '…'}”"


class Term(NamedTuple):
    """One condition. Without a field it is a word, and has one value."""

    negated: bool
    field: Value | None
    values: tuple[Value, ...]


def terms(text: str) -> Iterator[Term]:
    """The terms in order. Raises InvalidFilter for what is none; fields and values are not looked at."""
    if len(text) > MAX_CHARACTERS:
        raise InvalidFilter(
            f"A filter has at most {MAX_CHARACTERS:,} characters.",
            at=MAX_CHARACTERS,
            length=len(text) - MAX_CHARACTERS,
        )
    for number, (start, end) in enumerate(spans(text)):
        if number == MAX_TERMS:
            raise InvalidFilter(f"A filter has at most {MAX_TERMS} terms.", at=start, length=len(text) - start)
        if text.count(QUOTE, start, end) % 2:
            at = text.rindex(QUOTE, start, end)
            raise InvalidFilter("The quotes that begin here do not end.", at=at, length=end - at)
        yield _term(text, start, end)


def spans(text: str) -> Iterator[tuple[int, int]]:
    """Where each term begins and ends: at spaces, but for those between quotes."""
    start, between = None, False
    for at, letter in enumerate(text):
        if letter.isspace() and not between:
            if start is not None:
                yield start, at
            start = None
            continue
        if start is None:
            start = at
        between ^= letter == QUOTE
    if start is not None:
        yield start, len(text)


def without_term(text: str, at: int) -> str:
    """The text without the term that this place is in."""
    return next((text[:start] + text[end:] for start, end in spans(text) if start <= at < end), text)


def field_end(text: str, start: int, end: int) -> int | None:
    """Where the colon of a field is: after letters only, so that times are words as any other."""
    colon = text.find(":", start, end)
    return colon if colon > start and text[start:colon].isalpha() else None


def values(text: str, start: int, end: int) -> Iterator[Value]:
    """What stands between commas; a comma between quotes parts nothing."""
    first, between = start, False
    for at in range(start, end):
        between ^= text[at] == QUOTE
        if text[at] == "," and not between:
            yield _value(text, first, at)
            first = at + 1
    yield _value(text, first, end)


def _term(text: str, start: int, end: int) -> Term:
    negated = text[start] in NOT
    begin = start + negated
    if begin == end:
        raise InvalidFilter(f"Nothing follows “{text[start]}”. It leaves out what follows it.", at=start)
    colon = field_end(text, begin, end)
    if colon is None:
        word = _value(text, begin, end)
        if not word.text:
            raise word.refused("There is nothing between these quotes.")
        return Term(negated, None, (word,))
    field = Value(text[begin:colon], begin, colon + 1 - begin)
    found = tuple(values(text, colon + 1, end))
    for value in found:
        if not value.word:
            raise _missing(field, value, end)
    return Term(negated, field, found)


def _value(text: str, start: int, end: int) -> Value:
    return Value(text[start:end].replace(QUOTE, ""), start, end - start)


def _missing(field: Value, value: Value, end: int) -> InvalidFilter:
    """No value where there must be one: pointed at are the quotes around nothing, or the comma or colon before it."""
    message = f"A value of “{field.word}:” is missing here."
    if value.length:
        return value.refused(message)
    if value.at == field.at + field.length:
        return field.refused(message) if value.at == end else InvalidFilter(message, at=value.at)
    return InvalidFilter(message, at=value.at - 1)
