"""A conflict as its dialog shows it, and the answers to it."""

from __future__ import annotations

from enum import Enum, auto
from typing import NamedTuple

from core.errors import PodiumError


class ConflictChoice(Enum):
    """What becomes of a change that came too late."""

    THEIRS = auto()
    MINE = auto()
    AGAIN = auto()
    """Back to the form, with all that was typed."""


class ConflictResolved(PodiumError):
    """The person was asked what becomes of their change, and it was not sent; nothing more is to be told."""

    def __init__(self, settlement: ConflictChoice) -> None:
        super().__init__("Nothing was changed.")
        self.settlement = settlement


class Versions(NamedTuple):
    """A field of which there are two versions, in words."""

    name: str
    label: str
    mine: str
    """Empty when the person did not touch it."""
    theirs: str
    theirs_is_new: bool
