"""The keys of labels and priority: one dialog for the selected cards, and the labels of the project."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.domain.model import Id, ItemKind
from tui.screens.cards.controller import CardController
from tui.screens.framework.controller import Action
from tui.screens.framework.dialogs import asking
from tui.services.cards import Target

if TYPE_CHECKING:
    from tui.dialogs.labels import LabelledCard

NO_LABELS = "An application has no labels and no priority. Give them to its activity or to a task."


class CardLabels(CardController):
    """Set the labels and the priority of the selected cards, and manage the labels of their project."""

    def actions(self) -> Sequence[Action]:
        return (
            self.change("labels", self.do_labels, NO_LABELS),
            Action("manage_labels", self.do_manage_labels),
        )

    @asking
    async def do_labels(self) -> None:
        from core.actions.cards.labels import ListLabels
        from tui.dialogs.labels import LabelDialog
        from tui.services.card_commands import mark

        cards = [card for card in self.changes.some() if card.kind is not ItemKind.APPLICATION]
        if not cards:
            return
        project_ids = {self.project_of(card) for card in cards}
        if len(project_ids) > 1:
            self.podium.toast("Label cards of one project at a time: each project has labels of its own.")
            return
        (project_id,) = project_ids
        found = await self.podium.query(ListLabels(project_id=project_id))
        labelled = await self.load_labelled(project_id, cards)
        of_what = f"“{cards[0].title}”" if len(cards) == 1 else f"{len(cards)} cards"
        title = f"Labels and priority of {of_what}"
        chosen = await self.podium.ask(LabelDialog(title, [each.label for each in found], labelled))
        if chosen is not None:
            await self.changes.each(
                lambda card, seen: mark(card, chosen.add, chosen.remove, chosen.priority, seen=seen), cards
            )

    def project_of(self, _card: Target) -> Id:
        """The project of a card."""
        return self.selection.project_id

    async def load_labelled(self, project_id: Id, cards: Sequence[Target]) -> list[LabelledCard]:
        """The labels and priorities of these cards, which several cards of a view have already."""
        from core.actions.cards.details import GetCard
        from core.actions.workflow.canvas import GetCanvas
        from core.domain.canvas import Card
        from tui.dialogs.labels import LabelledCard

        if len(cards) == 1:
            detail = await self.podium.query(GetCard(item_id=cards[0].id))
            return [LabelledCard([each.id for each in detail.labels], detail.item.priority)]
        known = [card for card in cards if isinstance(card, Card)]
        if not known:
            ids = {card.id for card in cards}
            canvas = await self.podium.query(GetCanvas(project_id=project_id))
            known = [card for card in canvas.cards if card.id in ids]
        return [LabelledCard(card.labels, card.priority) for card in known]

    @asking
    async def do_manage_labels(self) -> None:
        from tui.screens.cards.manage_labels import manage_labels

        await manage_labels(self.screen, self.selection.project_id)
