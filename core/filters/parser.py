"""The terms of a filter, each with its position in the text; ``fields.py`` gives them their meaning.

words               in the title, the name of the application or an assignee's name; all words must be found
"two words"         the two next to each other; spaces, commas and colons in quotes have no special meaning
field:value         a condition on a field; commas between values mean "or"
#label @name !high  shorthands for label:, assignee: and priority:, as in titles
-term, !term        negation: the cards that do not match the term
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.domain.model import Priority
from core.errors import InvalidFilter
from core.record import Record
from core.text.folding import fold
from core.text.phrases import names
from core.text.sanitize import quote_value

NOT = "-!"
QUOTE = '"'
SHORTHANDS = {"#": "label", "@": "assignee"}
"""The fields by the signs that stand for them before a letter; “#12” is a word unless a label has that name."""

PRIORITY_SIGN = "!"
"""Stands for ``priority:`` before the name of a priority; before anything else it is a negation."""

PRIORITY_WORDS = frozenset(priority.lower() for priority in Priority)
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

    def make_error(self, message: str) -> InvalidFilter:
        """Return an error that points to this value."""
        return InvalidFilter(message, at=self.at, length=self.length)

    def not_among(self, field: str, words: Sequence[str]) -> InvalidFilter:
        """Return the error that names the words which a field takes."""
        return self.make_error(f"{field}: takes {names(words, 'or')}, not {self.quoted}.")

    def part(self, start: int, end: int | None = None) -> Value:
        """Return a part of the value. Its position is exact, unless quotes make the positions differ."""
        text = self.text[start:end]
        if len(self.text) != self.length or not text:
            return Value(text, self.at, self.length)
        return Value(text, self.at + start, len(text))

    @property
    def word(self) -> str:
        """The text in the form in which values are compared."""
        return fold(self.text).strip()

    @property
    def quoted(self) -> str:
        """The text in the form in which messages quote it."""
        shown = quote_value(" ".join(self.text.split()))
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


def negates(text: str, start: int, end: int) -> bool:
    """Return True if a term begins with the sign of a negation."""
    return text[start:end][:1] in tuple(NOT) and not _is_priority(text, start, end)


def field_at(text: str, start: int, end: int) -> Value | None:
    """Return the field that a term begins with after its negation, up to its values; None for words.

    Only letters can be before a colon, so that times are words.
    """
    first, second = text[start:end][:1], text[start + 1 : end][:1]
    if first in SHORTHANDS and (not second or second.isalpha() or second == QUOTE):
        return Value(SHORTHANDS[first], start, 1)
    if _is_priority(text, start, end):
        return Value("priority", start, 1)
    colon = text.find(":", start, end)
    return Value(text[start:colon], start, colon + 1 - start) if text[start : max(colon, start)].isalpha() else None


def _is_priority(text: str, start: int, end: int) -> bool:
    term = text[start:end]
    return term[:1] == PRIORITY_SIGN and term[1:].partition(",")[0].casefold() in PRIORITY_WORDS


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
    negated = negates(text, start, end)
    begin = start + negated
    if begin == end:
        raise InvalidFilter(f"Nothing follows “{text[start]}”. Write what it excludes.", at=start)
    field = field_at(text, begin, end)
    if field is None:
        word = _value(text, begin, end)
        if not word.text:
            raise word.make_error("There is nothing between these quotes.")
        return Term(negated, None, (word,))
    found = tuple(values(text, field.at + field.length, end))
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
        return value.make_error(message)
    if value.at == field.at + field.length:
        return field.make_error(message) if value.at == end else InvalidFilter(message, at=value.at)
    return InvalidFilter(message, at=value.at - 1)
