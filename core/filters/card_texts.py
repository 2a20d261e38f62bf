"""What a word of a filter is looked for in."""

from __future__ import annotations

from core.domain.canvas import CanvasMember, Card
from core.domain.model import Id


class CardTexts:
    """The title, what the card holds and the names of its people, as they are compared; kept while a card is the same.

    It is kept from filter to filter, since there is another one with every letter that is typed.
    """

    def __init__(self, members: tuple[CanvasMember, ...]) -> None:
        self.members = members
        self._names = {member.user_id: member.name for member in members}
        self._kept: dict[Id, tuple[Card, str]] = {}

    def of(self, card: Card) -> str:
        """The text of a card, casefolded."""
        known = self._kept.get(card.id)
        if known is not None and known[0] is card:
            return known[1]
        names = (self._names[each] for each in card.assignee_ids if each in self._names)
        text = "\n".join([card.title, card.holds, *names]).casefold()
        self._kept[card.id] = (card, text)
        return text
