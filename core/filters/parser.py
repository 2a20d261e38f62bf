"""The terms of a filter, each with its position in the text; ``fields.py`` gives them their meaning.

words               in the title, the name of the application or an assignee's name; all words must be found
"two words"         the two next to each other; spaces, commas and colons in quotes have no special meaning
field:value         a condition on a field; commas between values mean "or"
-term, !term        negation: the cards that do not match the term
"""

from __future__ import annotations

from collections.abc import Iterator

from core.errors import InvalidFilter
from core.record import Record
from core.text.sanitize import quoted

NOT = "-!"
QUOTE = '"'
SHOWN = 30
"""Characters of the filter that a message quotes."""


MAX_CHARACTERS = 2_000
"""The maximum length of a filter."""

MAX_TERMS = 50
"""The maximum number of terms, since each is tested on every card."""


class Value(Record, kw_only=False):
    """A word, a phrase or a value of a field, without its quotes; ``at`` and ``length`` include them."""

    text: str
    at: int
    length: int

    def refused(self, message: str) -> InvalidFilter:
        """Return an error that points to this value."""
        return InvalidFilter(message, at=self.at, length=self.length)

    def part(self, start: int, end: int | None = None) -> Value:
        """Return a part of the value. Its position is exact, unless quotes make the positions differ."""
        text = self.text[start:end]
        if len(self.text) != self.length or not text:
            return Value(text, self.at, self.length)
        return Value(text, self.at + start, len(text))

    @property
    def word(self) -> str:
        """The text in the form in which values are compared."""
        return self.text.casefold().strip()

    @property
    def quoted(self) -> str:
        """The text in the form in which messages quote it."""
        shown = quoted(" ".join(self.text.split()))
        return f"“{shown if len(shown) <= SHOWN else shown[: SHOWN - 1] + '…'}”"


class Term(Record, kw_only=False):
    """One condition. Without a field it is a word, and has one value."""

    negated: bool
    field: Value | None
    values: tuple[Value, ...]


def terms(text: str) -> Iterator[Term]:
    """Yield the terms in order. Raises InvalidFilter for bad syntax; field names and values are not checked."""
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
    """Yield the start and the end of each term; spaces outside quotes separate terms."""
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
    """Return the text without the term at position ``at``."""
    return next((text[:start] + text[end:] for start, end in spans(text) if start <= at < end), text)


def field_end(text: str, start: int, end: int) -> int | None:
    """Return the index of the colon of a field. Only letters can be before it, so that times are words."""
    colon = text.find(":", start, end)
    return colon if colon > start and text[start:colon].isalpha() else None


def values(text: str, start: int, end: int) -> Iterator[Value]:
    """Yield the values between commas; a comma in quotes does not separate."""
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
        raise InvalidFilter(f"Nothing follows “{text[start]}”. Write what it excludes.", at=start)
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
    """Return the error for a missing value. It points to the empty quotes, or to the comma or colon before the gap."""
    message = f"A value of “{field.word}:” is missing here."
    if value.length:
        return value.refused(message)
    if value.at == field.at + field.length:
        return field.refused(message) if value.at == end else InvalidFilter(message, at=value.at)
    return InvalidFilter(message, at=value.at - 1)
