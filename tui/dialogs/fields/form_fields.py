"""The fields of a form. ``name`` is the key of the answer, and the field that an ``InvalidInput`` names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date

from core.domain.canvas import CanvasMember
from core.record import Record


class TextField(Record, kw_only=False):
    """A line of text. The answer is a ``str``."""

    name: str
    label: str
    value: str = ""
    placeholder: str = ""
    only: tuple[str, ...] = ()
    """(name, value, …): the field is shown and answered only while the choice or the ``MoreField`` ``name`` has one of
    these values."""
    replaced: bool = False
    """True for a suggested value: it is selected when the field gets the focus, so typing replaces it."""
    meaning: Callable[[str], str] | None = None
    """Gives the line under the field for the input so far."""
    complete: Callable[[str], tuple[str, Sequence[str]]] | None = None
    """Completes the input at tab: the longer text, and what it can be, where that is several things."""
    is_amount: bool = False
    """True for a number, of which the form asks which one is meant if it has two meanings."""


class TitleField(Record, kw_only=False):
    """The title of a new card, which can end with ``@name`` and a date. The answer is a ``TypedTitle``."""

    name: str
    label: str
    placeholder: str
    team: tuple[CanvasMember, ...]
    """Those who can be assigned."""
    me: str
    """The id of the user, whom ``@me`` names."""
    labels: tuple[str, ...]
    """The names of the labels that the card can have; others are new."""


class MultilineField(Record, kw_only=False):
    """A text of several lines. The answer is a ``str``."""

    name: str
    label: str
    value: str = ""
    only: tuple[str, ...] = ()
    """As with ``TextField``."""
    note: str = ""
    """A note under the field, until there is an error."""
    people: tuple[tuple[str, str], ...] = ()
    """Logins and names of people to suggest while the user types ``@login``."""


class DateField(Record, kw_only=False):
    """A date in words (``core.text.dates``). The answer is a ``date`` or None."""

    name: str
    label: str
    value: date | None = None
    lasts: int = 0
    """Days from the date to an end that is shown under the field; 0 for none."""
    needed: bool = False
    """True if the form takes no answer without it."""
    is_past: bool = False
    """True for a day that has to be past, so that "thu" and "26 nov" are the latest such day."""
    only: tuple[str, ...] = ()
    """As with ``TextField``."""


class ChoiceField(Record, kw_only=False):
    """One of a few visible options. The answer is the value of the chosen option."""

    name: str
    label: str
    options: tuple[tuple[str, str], ...]
    """Value and label of each option."""
    value: str
    only: tuple[str, ...] = ()
    """As with ``TextField``."""
    meanings: tuple[str, ...] = ()
    """A line for each option, shown under the field while the option is chosen."""


class MoreField(Record, kw_only=False):
    """A line that opens more fields on the same page. The answer is OPEN or "", for the ``only`` of those fields."""

    name: str
    label: str
    words: str
    """The fields that it opens."""


OPEN = "open"
"""The answer of a ``MoreField`` whose fields are shown."""


class PickerField(Record, kw_only=False):
    """Some of many options, from a list with a filter. The answer is a tuple of values, in the order of the list.

    The tuple holds at most one value unless ``multiple``.
    """

    name: str
    label: str
    options: tuple[tuple[str, ...], ...]
    """Value and label of each option and, optionally, a hint in the list."""
    value: tuple[str, ...] = ()
    multiple: bool = False
    none: str = "none"
    """The text for an empty choice."""
    note: str = ""
    """As with ``MultilineField``."""
    only: tuple[str, ...] = ()
    """As with ``TextField``."""


class PeopleField(PickerField, kw_only=False):
    """Some of many people. The options are ids and names."""

    none: str = "nobody"


Field = TextField | TitleField | MultilineField | DateField | ChoiceField | MoreField | PickerField
