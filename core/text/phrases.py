"""Lists, numbers and constants as they are written in sentences."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

ULID_FORM = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}")


def noun_of(record: type[object]) -> str:
    """Return what people call a record: "application role" for ``ApplicationRole``."""
    return re.sub(r"(?<!^)(?=[A-Z])", " ", record.__name__).lower()


def no_such(noun: str, key: object) -> str:
    """Say that a record does not exist. A key is quoted only if a user may have typed it, so not a ULID."""
    if ULID_FORM.fullmatch(str(key)):
        return f"There is no such {noun} here. It may have been deleted, or you cannot see it."
    return f"There is no {noun} “{key}” here."


def names(words: Sequence[str], last: str = "and") -> str:
    """Join words to a list: "a, b and c"; ``last`` is the word before the last one."""
    return f" {last} ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)


def full_name(first: str | None, last: str | None) -> str:
    """Join the names of a user, either of which can be missing; both are, if the user's row no longer exists."""
    return f"{first or ''} {last or ''}".strip()


UNKNOWN = "an unknown person"
"""The name of a user whose row is missing, which only a damaged database causes."""


def person_name(first: str | None, last: str | None) -> str:
    """Join the names of a user as ``full_name`` does, or say that the person is unknown."""
    return full_name(first, last) or UNKNOWN


WAY_IN, BEGINNING = " (who was signed in ", ", at the beginning of the chain "


def credit_author(name: str, how: str) -> str:
    """Name the author of a change, and how another user can have acted: “Ann Berg, with a token made by Adam Ito”."""
    return f"{name}, {how}" if how else name


def add_means(name: str, means: str) -> str:
    """Add to the maker of an access how they were signed in themselves, if another user could act as them.

    “Adam Ito (who was signed in with a token made by Maya Okafor)”. Of a longer chain it names the maker, the maker's
    own way in, and the beginning, so that the phrase never grows; the history has the steps between.
    """
    near, way, before = means.partition(WAY_IN)
    if way:
        near += BEGINNING + before.rpartition(BEGINNING)[2].removesuffix(")")
    return f"{name}{WAY_IN}{near})" if means else name


def some(words: Sequence[str], most: int, more: str = "more", last: str = "and") -> str:
    """Join the first ``most`` words and the number of the others: "a, b and 3 more"; ``last`` as in ``names``."""
    left = len(words) - most
    return names([*words[:most], *([f"{left} {more}"] if left > 0 else [])], last)


def shorten(text: str, most: int) -> str:
    """Cut a text to ``most`` characters, the last of which then is “…”."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def agree(number: int, sentence: str) -> str:
    """Fill a number into a sentence, whose words follow it.

    >>> agree(1, "{} time{s} of day {is_} left out."), agree(2, "{} activit{ies} {is_} made.")
    ('1 time of day is left out.', '2 activities are made.')
    """
    one = number == 1
    verbs = {"is_": "is" if one else "are", "was": "was" if one else "were", "has": "has" if one else "have"}
    return sentence.format(number, s="s"[one:], ies="y" if one else "ies", its="its" if one else "their", **verbs)


def shell_command(*words: str) -> str:
    """Quote a command for a shell; the quotation marks separate it from the full stop of its sentence."""
    return f"“{shlex.join(words)}”"


def in_words(constant: str) -> str:
    """Write a constant as words: "workspace admin" for ``WORKSPACE_ADMIN``."""
    return constant.replace("_", " ").lower()


def a(noun: str) -> str:
    """Write a noun with its article: "a viewer", "an owner"."""
    return f"{'an' if noun[:1] in 'aeiou' else 'a'} {noun}"


def count(number: int | float, what: str) -> str:
    """Write a number with its noun: "1 project", "3 projects"."""
    return f"{number} {what}{'' if number == 1 else 's'}"
