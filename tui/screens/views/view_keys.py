"""The keys of every view of a project: open, add a card, show the archive, choose a preset, go to another view."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from core.domain.model import ItemKind
from core.domain.view_settings import PREDEFINED, Density, ViewPreset
from tui.screens.framework.controller import Action, Controller
from tui.screens.framework.dialogs import asking
from tui.screens.views.registry import step_view
from tui.services.destinations import ToApplication, ToCard, ToPhase

if TYPE_CHECKING:
    from tui.board.board import Board
    from tui.screens.views.project_view import ProjectView
    from tui.services.host import Host


class ViewKeys(Controller):
    """The actions of a view as a whole."""

    screen: ProjectView

    def actions(self) -> Sequence[Action]:
        return (
            Action("open", self.do_open),
            Action("phase", self.do_phase),
            Action("new_card", self.do_new_card),
            Action("toggle_archived", self.do_toggle_archived),
            Action("presets", self.do_presets),
            Action("health", self.do_health),
        )

    async def do_open(self) -> None:
        """Open the page of the card; without a card under the cursor, of the phase."""
        selection = self.selection
        if selection.card is None and selection.phase is None:
            self.podium.toast("There is no card here.")
        elif selection.card is None:
            await self.do_phase()
        else:
            to = ToApplication if selection.card.kind is ItemKind.APPLICATION else ToCard
            await self.podium.open(to(selection.project_id, selection.card.id))

    async def do_phase(self) -> None:
        selection = self.selection
        if selection.phase is not None:
            await self.podium.open(ToPhase(selection.project_id, selection.phase.id))

    @asking
    async def do_new_card(self) -> None:
        """Add a card to the phase of the cursor, or to the first one where the cursor is on none."""
        from tui.screens.cards.new_card import NO_PHASES, activity_around, ask_new_card

        screen, presenter = self.screen, self.screen.presenter
        phase = presenter.column or next(iter(screen.head.columns), None)
        if phase is None:
            self.podium.toast(NO_PHASES)
            return
        activity = activity_around(presenter.card, presenter.find)
        item = await ask_new_card(screen, phase, activity, screen.head.members)
        if item is not None:
            presenter.go_to(item.id)

    def do_toggle_archived(self) -> None:
        self.screen.show_archived = not self.screen.show_archived
        self.screen.presenter.redraw()
        self.podium.toast("Showing archived cards." if self.screen.show_archived else "Archived cards hidden.")

    @asking
    async def do_health(self) -> None:
        from tui.screens.projects.project_health import explain_health

        await explain_health(self.podium, self.selection.project_id)

    def do_presets(self) -> None:
        """Offer the presets; while the user looks as a Viewer that ends first, since a preset is their own."""
        if self.screen.access.as_viewer:
            self.podium.view_as.end()
            return
        from tui.screens.views.preset_menu import choose_preset

        choose_preset(self.screen)


class ViewSteps(Controller):
    """Go to the next or the previous view of the project."""

    def actions(self) -> Sequence[Action]:
        return (
            Action("next_view", lambda: self._step(+1)),
            Action("previous_view", lambda: self._step(-1)),
        )

    def _step(self, step: int) -> None:
        """As work of the app, for it may close this screen."""
        self.podium.begin(partial(step_view, self.screen, step))


def preset_words(preset: ViewPreset) -> list[str]:
    """The name of the preset for the title line; none for the ordinary one."""
    return [] if preset == PREDEFINED[0] else [preset.name]


def apply_density(board: Board, preset: ViewPreset, podium: Host) -> None:
    """Give a board the density of the preset, or the user's own where the preset leaves it open, and their symbols."""
    chosen = preset.viewing.density
    own = podium.me.preferences.get("density") == "compact"
    compact = chosen is Density.COMPACT if chosen else own
    if (compact, podium.ascii) != (board.compact, board.ascii):
        board.compact, board.ascii = compact, podium.ascii
