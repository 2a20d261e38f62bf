"""The custom fields of a project, and their values on its tasks and activities.

A value is kept as text: a number such as ``2.5``, the name of a choice, a date as ISO text, a text or a link. A person
is kept by id. A card without a value has no row.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from enum import StrEnum

from core.domain.model import Id
from core.errors import InvalidInput
from core.record import Record
from core.text.amounts import DecimalSign, read_amount
from core.text.sanitize import quote_value

MAX_FIELDS = 12
"""The most custom fields of a project."""

MAX_CHOICES = 30
MAX_NAME, MAX_CHOICE, MAX_KEY, MAX_TEXT = 40, 40, 20, 500
"""The most characters of the name of a field, of a choice, of a key and of a text as a value."""

Number = int | float
"""A sum of numbers in answers: an int where it is whole, else with up to three decimals, such as 2.5."""

RESERVED = frozenset(
    "assignee due status phase type has is blocks label priority key number title".split()  # noqa: SIM905
)
"""The words that the filter language and its neighbours use; no field has one as its key.

A word that is reserved later may be the key of a field already, in workspaces and in files: they must go on reading it.
"""


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


def read_number(typed: str) -> str:
    """Return a number that someone typed as it is kept: with a point, without zeros at its ends.

    >>> read_number("12 500,50")
    '12500.5'

    Raises InvalidInput, also for a number with two meanings, such as 12.500.
    """
    return from_thousandths(read_amount(typed))


def read_kept_number(text: str) -> str:
    """Return a number of a file of Podium or of a filter as it is kept. Its decimals are behind a point: 12.125.

    Raises InvalidInput.
    """
    if text.isascii() and text.isdecimal() and text[0] != "0" and len(text) <= 12:
        return text
    return from_thousandths(read_amount(text, None if "," in text else DecimalSign.POINT))


def is_plain_number(text: str) -> bool:
    """Return True for a number that is kept as it stands.

    >>> is_plain_number("12.5"), is_plain_number("1.10"), is_plain_number("007")
    (True, False, False)
    """
    try:
        return read_kept_number(text) == text
    except InvalidInput:
        return False


def in_thousandths(number: str) -> int:
    """Return a number with up to three decimals as a whole number of thousandths.

    >>> in_thousandths("-2.5")
    -2500
    """
    whole, _, decimals = number.partition(".")
    size = int(whole.lstrip("+-")) * 1000 + int(decimals.ljust(3, "0")[:3] or "0")
    return -size if whole.startswith("-") else size


def from_thousandths(thousandths: float) -> str:
    """Return the number of so many thousandths as text; a sum beyond 64 bits is a float in SQLite.

    >>> from_thousandths(-2500)
    '-2.5'
    """
    whole, rest = divmod(abs(int(thousandths)), 1000)
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
