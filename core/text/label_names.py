"""Names of labels: ``#print`` in a title means the label “Print”, and no project has both “print” and “Print”."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Iterator
from functools import lru_cache
from string import ascii_uppercase

from core.errors import InvalidInput
from core.text.sanitize import initials, one_line, quote_value

LABEL_NAME = 30
"""The most characters of a name."""

SIGN = 2
"""The most letters and digits of a sign, and the cells that it takes."""

_WORDS_OF_FILTERS = frozenset({"none", "any"})
_HASHES = r"^[\s#]+"
_APART = r"[\s_-]+"
_NOT_IN_NAMES = r"[\"“”,;]"


def label_name(text: str) -> str:
    """Return a checked name, without a “#” before it. Raises InvalidInput."""
    name = without_hash(one_line(text, "name", most=LABEL_NAME))
    if not fold_name(name):
        raise InvalidInput("name", "Enter a name for the label.")
    if re.search(_NOT_IN_NAMES, name):
        raise InvalidInput("name", "The name of a label has no quotes, commas and semicolons.")
    if fold_name(name) in _WORDS_OF_FILTERS:
        raise InvalidInput("name", f"“{name}” is a word of filters. Choose another name for the label.")
    return name


@lru_cache
def imported_name(text: str) -> str:
    """Return the nearest name to that of a label in a file of another program; "" if there is none."""
    name = without_hash(" ".join(re.sub(_NOT_IN_NAMES, " ", text).split()))
    if fold_name(name) in _WORDS_OF_FILTERS:
        return f"{name} label"
    return name if len(name) <= LABEL_NAME and fold_name(name) else ""


def without_hash(text: str) -> str:
    """Return the name in “#print”: the text without any “#” before it."""
    return re.sub(_HASHES, "", text).strip()


@lru_cache
def fold_name(name: str) -> str:
    """Return the form in which names are compared: “Needs review” is “needs-review”."""
    return re.sub(_APART, " ", unicodedata.normalize("NFKC", name).casefold()).strip()


def label_sign(text: str) -> str:
    """Return a checked sign: one or two letters or digits. Raises InvalidInput."""
    sign = one_line(text, "sign", most=SIGN)
    if not sign.isalnum() or initials(sign).casefold() != sign.casefold():
        raise InvalidInput("sign", f"“{quote_value(sign)}” is not a sign. Choose one or two letters or digits.")
    return sign


def free_sign(name: str, taken: Container[str]) -> str:
    """Return a sign for a name that no other label has, from its letters; where none is free, the first of them.

    A name without letters and digits, such as an emoji, gets any letter.
    """
    choices = list(_signs(name)) or list(ascii_uppercase)
    return next((each for each in choices if each not in taken), choices[0])


def _signs(name: str) -> Iterator[str]:
    letters = [letter for letter in unicodedata.normalize("NFKC", name) if letter.isalnum()]
    found = [initials(letter) for letter in letters]
    singles = [each for each in found if each != "?"]
    yield from singles[:1]
    yield from (pair for other in singles[1:] if len(pair := singles[0] + other.lower()) == SIGN and pair.isascii())
    yield from singles[1:]
