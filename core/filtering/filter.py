"""A filter, and what its words refer to."""

from __future__ import annotations

from datetime import date
from typing import NamedTuple

from core.canvas import CanvasMember, Card, PhaseColumn
from core.model import Id


class Around(NamedTuple):
    """What the words of a filter refer to: who "me" is, which day is today, the phases and the members."""

    me: Id
    today: date
    columns: tuple[PhaseColumn, ...]
    members: tuple[CanvasMember, ...]


class Filter:
    """A filter that was understood."""

    def __init__(self, text: str, around: Around) -> None:
        """Raises InvalidInput, with the place in the text, for one that cannot be understood."""
        self.words = tuple(text.casefold().split())
        self._names = {member.user_id: member.name.casefold() for member in around.members}

    def matches(self, card: Card) -> bool:
        """Whether a card is left by the filter."""
        names = "\n".join(self._names.get(each, "") for each in card.assignee_ids)
        text = f"{card.title}\n{card.holds}\n{names}".casefold()
        return all(word in text for word in self.words)
