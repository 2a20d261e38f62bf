"""The context that the words of a filter refer to, and the values of it that completion offers."""

from __future__ import annotations

from datetime import date

from core.domain.canvas import CanvasHeader, CanvasMember, PhaseColumn
from core.domain.fields import CustomField
from core.domain.labels import Label
from core.domain.model import Id, PhaseState
from core.filters.parser import QUOTE
from core.record import Record


class NamedPhase(Record, kw_only=False):
    """A phase as a filter that is stored can name it."""

    id: Id
    number: int
    name: str
    state: PhaseState = PhaseState.OPEN


class FilterContext(Record, kw_only=False):
    """The context of a filter: the current user and day, and the phases, members and labels of the project."""

    me: Id
    today: date
    columns: tuple[PhaseColumn | NamedPhase, ...]
    members: tuple[CanvasMember, ...]
    labels: tuple[Label, ...] = ()
    fields: tuple[CustomField, ...] = ()
    """The custom fields of the project."""
    key: str = ""
    """The first part of the keys of its cards."""

    @classmethod
    def of(cls, head: CanvasHeader, me: Id) -> FilterContext:
        """Return what the filters of this user can name in a project."""
        return cls(me, head.today, head.columns, head.members, head.labels, head.fields, head.key)


class Suggestion(Record, kw_only=False):
    """A value to offer, and its meaning. ``names`` are further texts by which it is found."""

    word: str
    meaning: str
    names: str = ""


def quote_if_needed(text: str) -> str:
    """Return a text with quotes if it needs them."""
    return text if text.isalnum() else f"{QUOTE}{text}{QUOTE}"
