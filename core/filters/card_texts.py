"""The text of each card in which words of a filter are searched."""

from __future__ import annotations

from core.domain.canvas import CanvasMember, Card
from core.domain.model import Id


class CardTexts:
    """Caches the text of each card: its title, what it holds, and the names of its assignees.

    The cache outlives a filter, because every letter that a user types makes a new one.
    """

    def __init__(self, members: tuple[CanvasMember, ...]) -> None:
        self.members = members
        self._names = {member.user_id: member.name for member in members}
        self._kept: dict[Id, tuple[Card, str]] = {}

    def of(self, card: Card) -> str:
        """Return the text of a card, casefolded."""
        known = self._kept.get(card.id)
        if known is not None and known[0] is card:
            return known[1]
        names = (self._names[each] for each in card.assignee_ids if each in self._names)
        text = "\n".join([card.title, card.holds, *names]).casefold()
        self._kept[card.id] = (card, text)
        return text
