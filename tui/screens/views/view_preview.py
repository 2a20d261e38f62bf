"""The preview of the views of a project: the card of the cursor, below the Table and beside the boards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.domain.model import ItemKind
from tui.screens.framework.previewer import BESIDE, Previewed, Previewer

if TYPE_CHECKING:
    from tui.screens.views.project_view import ProjectView


class ViewPreview(Previewer):
    """The card of the cursor; without one, the phase."""

    screen: ProjectView

    def find_record(self) -> Previewed | None:
        from tui.screens.previews.cards import application_previewed, card_previewed
        from tui.screens.previews.phases import phase_previewed

        presenter, me = self.screen.presenter, self.me
        card, column = presenter.card, presenter.column
        names = {member.user_id: member.name for member in self.screen.head.members}
        if card is not None and card.kind is ItemKind.APPLICATION:
            return application_previewed(card.id, card.title, me)
        if card is not None:
            return card_previewed(card.id, card.title, me, names)
        return phase_previewed(column.id, column.name, me, names) if column else None


class BoardPreview(ViewPreview):
    """The same beside a board, where a pane below would take the rows of its columns."""

    place = BESIDE
