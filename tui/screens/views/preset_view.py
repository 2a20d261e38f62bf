"""A screen that shows a project as a viewing preset says, and can be asked to look with another one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.domain.canvas import Card
from core.domain.model import Id, ItemKind
from core.domain.view_settings import PREDEFINED, Density, ViewPreset
from tui.screens.framework.dialogs import asking
from tui.screens.framework.screen import PodiumScreen
from tui.services.destinations import ToApplication, ToCard, ToPhase

if TYPE_CHECKING:
    from tui.board.board import Board


class PresetViewMixin(PodiumScreen):
    """A view of a project, the Canvas among them."""

    @property
    def preset(self) -> ViewPreset:
        """What it looks with."""
        raise NotImplementedError

    @property
    def filter_text(self) -> str:
        """What is typed to filter by, besides the preset's own."""
        raise NotImplementedError

    @property
    def shows_archive(self) -> bool:
        """Whether archived cards are shown now, by the preset or by key."""
        raise NotImplementedError

    @property
    def preset_words(self) -> list[str]:
        """What the title line says of it: nothing of the ordinary one."""
        return [] if self.preset == PREDEFINED[0] else [self.preset.name]

    def dress(self, board: Board) -> None:
        """Draw cards as the preset or, where it leaves that open, the person has them; and signs as the person has."""
        chosen = self.preset.viewing.density
        own = self.podium.me.preferences.get("density") == "compact"
        compact = chosen is Density.COMPACT if chosen else own
        if (compact, self.podium.ascii) != (board.compact, board.ascii):
            board.compact, board.ascii = compact, self.podium.ascii

    @property
    def card(self) -> Card | None:
        """The card of the cursor."""
        raise NotImplementedError

    @property
    def phase_id(self) -> Id | None:
        """The phase of the cursor."""
        raise NotImplementedError

    def go_to(self, card_id: Id) -> None:
        """Put the cursor on a card, if it can be seen."""
        raise NotImplementedError

    def look_with(self, preset: ViewPreset) -> None:
        """Draw everything as a preset says; which view that takes is left to who chooses."""
        raise NotImplementedError

    def do_presets(self) -> None:
        """Another preset is one's own: whoever looks as a Viewer looks as oneself first."""
        if self.as_viewer:
            self.podium.viewer_sight.end()
            return
        from tui.screens.views.preset_menu import choose_preset

        choose_preset(self)

    # -- going on --------------------------------------------------------------------------------------------

    async def open_card(self, card: Card) -> None:
        """Open the page of a card."""
        if card.kind is ItemKind.APPLICATION:
            await self.podium.open(ToApplication(self.project_id, card.id))
        else:
            await self.podium.open(ToCard(self.project_id, card.id))

    async def do_phase(self) -> None:
        if self.phase_id:
            await self.podium.open(ToPhase(self.project_id, self.phase_id))

    @asking
    async def do_why(self) -> None:
        """What blocks the card or the phase of the cursor, as a jump list."""
        from tui.screens.cards.blockers import explain_block

        await explain_block(self, self.card, self.phase_id)
