"""The keys that edit the description of a card in the editor or the whole window, and tick its check boxes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from core.domain.model import Item, ItemKind
from tui.screens.cards.controller import CardController
from tui.screens.framework.controller import Action
from tui.screens.framework.dialogs import asking

if TYPE_CHECKING:
    from tui.screens.framework.long_texts import LongTexts

NO_DESCRIPTION = "An application has no description. Press e to rename it."
ONE_AT_A_TIME = "Edit one card at a time. Press esc to clear the marks."


class CardDescription(CardController):
    """Edit the description of the selected card, and tick the check boxes in it."""

    def actions(self) -> Sequence[Action]:
        return (
            self.change("edit_text", self.do_edit_text, NO_DESCRIPTION),
            self.change("tick", self.do_tick, NO_DESCRIPTION),
        )

    @asking
    async def do_edit_text(self) -> None:
        from tui.screens.framework.long_texts import edit_long_text

        texts = await self._texts()
        if texts is not None:
            await edit_long_text(self.screen, texts)

    @asking
    async def do_tick(self) -> None:
        from tui.screens.framework.long_texts import tick_boxes

        texts = await self._texts()
        if texts is not None:
            await tick_boxes(self.screen, texts)

    async def _texts(self) -> LongTexts | None:
        """The description of the selected card as it is now; None where there is no one card."""
        from core.actions.cards.details import GetCard

        cards = [card for card in self.changes.some() if card.kind is not ItemKind.APPLICATION]
        if len(cards) > 1:
            self.podium.toast(ONE_AT_A_TIME, severity="warning")
        if len(cards) != 1:
            return None
        return texts_of((await self.podium.query(GetCard(item_id=cards[0].id))).item)


def texts_of(item: Item) -> LongTexts:
    """The description of a card, to change it."""
    from tui.dialogs.fields.form_fields import MultilineField
    from tui.screens.framework.long_texts import LongTexts
    from tui.services.card_commands import edit

    field = MultilineField("description", "Description", item.description)
    return LongTexts(item, item.title, (field,), partial(edit, item))
