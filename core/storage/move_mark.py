"""The mark in a database whose workspace is, or is not yet, in another one. No program opens a marked database.

``podium copy`` marks the new database before it marks the old one, and then removes the mark of the new one. So there
is at no moment more than one database of the workspace that can be opened.
"""

from __future__ import annotations

from datetime import datetime

from core.record import Record


class MoveMark(Record, kw_only=False):
    """A mark."""

    move: str
    """The id of the copy, the same in both databases."""
    sentence: str
    """The reason why the database is not opened. It names databases without passwords."""


def mark_moved(move: str, source: str, target: str, at: datetime) -> MoveMark:
    """The mark of the old database; ``source`` and ``target`` are the two in words, ``at`` the current time."""
    return MoveMark(
        move,
        f"The workspace has been in {target} since {at:%Y-%m-%d at %H:%M} UTC, and nothing is changed in {source} any "
        "more. Open it there; “podium copy” takes it back from there, to a new file or an empty database.",
    )


def mark_unfinished(move: str, source: str, target: str) -> MoveMark:
    """The mark of the new database until the old one is marked."""
    return MoveMark(
        move,
        f"A copy from {source} to {target} was interrupted. Repeat the same “podium copy”, or empty {target}.",
    )
