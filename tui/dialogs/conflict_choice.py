"""A version conflict as its dialog shows it, and the possible answers."""

from __future__ import annotations

from enum import Enum, auto

from core.errors import PodiumError
from core.record import Record


class ConflictChoice(Enum):
    """The version to keep: theirs, mine, or back to the form."""

    THEIRS = auto()
    MINE = auto()
    AGAIN = auto()
    """Back to the form, with all input."""


class ConflictResolved(PodiumError):
    """Raised when the user has seen the conflict and the command was not sent. Needs no error message."""

    def __init__(self, settlement: ConflictChoice) -> None:
        super().__init__("Nothing was changed.")
        self.settlement = settlement


class Versions(Record, kw_only=False):
    """Both versions of a field, in words."""

    name: str
    label: str
    mine: str
    """Empty if the user did not change it."""
    theirs: str
    theirs_is_new: bool
