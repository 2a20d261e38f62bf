"""The custom fields of a project, and their values on its tasks and activities.

A value is kept as text: a number such as ``2.5``, the name of a choice, a date as ISO text, a text or a link. A person
is kept by id. A card without a value has no row.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from enum import StrEnum

from core.domain.model import Id
from core.errors import InvalidInput
from core.record import Record
from core.text.sanitize import quote_value

MAX_FIELDS = 12
"""The most custom fields of a project."""

MAX_CHOICES = 30
MAX_NAME, MAX_CHOICE, MAX_KEY, MAX_TEXT = 40, 40, 20, 500
"""The most characters of the name of a field, of a choice, of a key and of a text as a value."""

Number = int | float
"""A sum of numbers in answers: an int where it is whole, else with up to three decimals, such as 2.5."""

MAX_NUMBER = 1_000_000
"""The largest number, and the smallest below zero. Numbers have at most three decimals."""

MAX_SUM = 1_000_000_000_000
"""The largest limit of a sum."""

RESERVED = frozenset(
    "assignee due status phase type has is blocks label priority key number title".split()  # noqa: SIM905
)
"""The words that the filter language and its neighbours use; no field has one as its key.

A word that is reserved later may be the key of a field already, in workspaces and in files: they must go on reading it.
"""

_ANY_NUMBER = r"[+-]?[0-9]+([.,][0-9]+)?"
_AMBIGUOUS = r"[+-]?[0-9]{1,3}(,[0-9]{3})+"
_NUMBER = r"[+-]?[0-9]{{1,{}}}([.,][0-9]{{1,3}})?"


class FieldKind(StrEnum):
    """The kind of the values of a field."""

    NUMBER = "NUMBER"
    CHOICE = "CHOICE"
    DATE = "DATE"
    PERSON = "PERSON"
    TEXT = "TEXT"
    LINK = "LINK"


class CustomField(Record, table="field", key=("project_id", "id")):
    """A custom field of a project. ``key`` names it in filters and on the command line; renaming keeps it.

    A CHOICE has ``choices``. The numbers of a field that ``sums`` are added up, for phases and in charts.
    """

    project_id: Id
    id: Id
    rank: str
    name: str
    key: str
    kind: FieldKind
    choices: tuple[str, ...] = ()
    sums: bool = False
    removed: bool = False
    """A removed field keeps its values, hidden, so that undo brings all of them back."""
    version: int = 1


class ItemField(Record, table="item_field", key=("project_id", "item_id", "field_id")):
    """The value of a field on one task or activity; for a person ``user_id``, a member, and no ``value``."""

    project_id: Id
    item_id: Id
    field_id: Id
    value: str = ""
    user_id: Id | None = None
    version: int = 1

    @property
    def held(self) -> str:
        """The value as cards have it: the text, or the id of the person."""
        return self.user_id or self.value


class FieldValue(Record, kw_only=False, forbid_unknown_fields=True):
    """The value of the field with this key. A person is a user id in answers."""

    key: str
    value: str


class FieldSum(Record, kw_only=False):
    """The sum of a field over cards, in total and over those that are done, as numbers in text such as ``2.5``."""

    key: str
    done: str
    total: str


def key_for(name: str, taken: Collection[str]) -> str:
    """Return the key of a field with this name: its letters in lower case, and more letters until it is free.

    >>> key_for("Story points", {"storypoints"})
    'storypointsb'
    """
    stem = "".join(filter(str.isalpha, name.casefold()))[:MAX_KEY] or "field"
    if stem in RESERVED:
        stem += "field"
    unavailable = {*taken, *RESERVED}
    return next(key for key in _with_letters(stem) if key not in unavailable)


def _with_letters(stem: str) -> Iterable[str]:
    yield stem
    for letters in range(1, MAX_FIELDS):
        for letter in "bcdefghijklmnopqrstuvwxyz":
            ending = letter * letters
            yield stem[: MAX_KEY - len(ending)] + ending


def checked_key(text: str) -> str:
    """Return a key that someone wrote. Raises InvalidInput unless it is 1 to 20 letters, and no reserved word."""
    key = text.strip().casefold()
    if not key.isalpha() or len(key) > MAX_KEY or key in RESERVED:
        raise InvalidInput(
            "key", f"“{quote_value(text)[:MAX_NAME]}” cannot be the key of a field. Use up to {MAX_KEY} letters, such"
            " as estimate; the words of filters, such as due, are taken."
        )  # fmt: skip
    return key


def number_text(text: str, most: int = MAX_NUMBER) -> str:
    """Return a number as it is kept: with a point, without zeros at its ends. Raises InvalidInput.

    A comma before three digits is refused, since it separates thousands for some people and decimals for others.
    """
    typed = text.strip()
    if re.fullmatch(_AMBIGUOUS, typed):
        plain = typed.replace(",", "")
        raise InvalidInput("value", f"“{typed}” can mean two numbers. Write {plain} or {typed.replace(',', '.')}.")
    if not re.fullmatch(_NUMBER.format(len(str(most))), typed):
        why = "has too many digits" if re.fullmatch(_ANY_NUMBER, typed) else "is not a number"
        said = f"“{quote_value(text)[:MAX_NAME]}” {why}. Write one such as 3 or 2.5, with at most three decimals."
        raise InvalidInput("value", said)
    thousandths = in_thousandths(typed.replace(",", "."))
    if abs(thousandths) > most * 1000:
        raise InvalidInput("value", f"The number is out of range. It can be from -{most:,} to {most:,}.")
    return from_thousandths(thousandths)


def in_thousandths(number: str) -> int:
    """Return a number with up to three decimals as a whole number of thousandths.

    >>> in_thousandths("-2.5")
    -2500
    """
    whole, _, decimals = number.partition(".")
    size = int(whole.lstrip("+-")) * 1000 + int(decimals.ljust(3, "0")[:3] or "0")
    return -size if whole.startswith("-") else size


def from_thousandths(thousandths: int) -> str:
    """Return the number of so many thousandths as text.

    >>> from_thousandths(-2500)
    '-2.5'
    """
    whole, rest = divmod(abs(thousandths), 1000)
    text = f"{whole}.{rest:03}".rstrip("0").rstrip(".") if rest else str(whole)
    return f"-{text}" if thousandths < 0 else text


def number_of(thousandths: int) -> Number:
    """Return the number of so many thousandths, as answers have it.

    >>> number_of(2000), number_of(2500)
    (2, 2.5)
    """
    whole, rest = divmod(thousandths, 1000)
    return thousandths / 1000 if rest else whole


def add_numbers(*numbers: Number) -> Number:
    """Return the sum of numbers with up to three decimals, exactly."""
    return number_of(round(sum(numbers) * 1000))
