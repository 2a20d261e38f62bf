"""The context that the words of a filter refer to."""

from __future__ import annotations

from datetime import date

from core.domain.canvas import CanvasMember, PhaseColumn
from core.domain.fields import OwnField
from core.domain.labels import Label
from core.domain.model import Id
from core.record import Record


class FilterContext(Record, kw_only=False):
    """The context of a filter: the current user and day, and the phases, members and labels of the project."""

    me: Id
    today: date
    columns: tuple[PhaseColumn, ...]
    members: tuple[CanvasMember, ...]
    labels: tuple[Label, ...] = ()
    fields: tuple[OwnField, ...] = ()
    """The own fields of the project."""
