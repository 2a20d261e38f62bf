"""The keys of every view of a project: open, add a card, show the archive, choose a preset, go to another view."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.domain.model import ItemKind, PhaseState
from core.domain.view_settings import PREDEFINED, Density, ViewPreset
from tui.keys.table import Key
from tui.podium import Podium
from tui.screens.framework.controller import Action, Controller
from tui.screens.framework.dialogs import asking
from tui.screens.views.presenter import ViewScreen
from tui.services.destinations import ToApplication, ToCard, ToPhase

if TYPE_CHECKING:
    from tui.board.board import Board


class ViewActions(Controller):
    """The actions of a view as a whole."""

    screen: ViewScreen

    def actions(self) -> Sequence[Action]:
        return (
            Action("open", self.do_open, self.no_phase),
            Action("phase", self.do_phase, self.no_phase),
            Action("new_card", self.do_new_card, self.no_phases),
            Action("new_phase", self.do_new_phase, offer=lambda: "" if self.screen.head.columns else "first phase"),
            Action("toggle_archived", self.do_toggle_archived, offer=self._if_archived_shown),
            Action("presets", self.do_presets),
            Action("health", self.do_health),
        )

    def no_phases(self, _key: Key) -> str:
        return "" if self.screen.head.columns else self.selection.nothing

    def no_phase(self, _key: Key) -> str:
        selection = self.selection
        return "" if selection.card or selection.phase else selection.nothing

    async def do_open(self) -> None:
        """Open the page of the card; without a card under the cursor, of the phase."""
        selection = self.selection
        if selection.card is None:
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
        """Add a card to the phase of the cursor; where the cursor is on none, to the first one that is not complete."""
        from tui.screens.cards.new_card import activity_around, ask_new_card

        screen, presenter = self.screen, self.screen.presenter
        columns = screen.head.columns
        unfinished = (column for column in columns if column.state is not PhaseState.COMPLETE)
        phase = presenter.column or next(unfinished, columns[-1])
        activity = activity_around(presenter.card, presenter.find)
        added = await ask_new_card(
            screen, phase, activity, screen.head.members, screen.head.labels, due=presenter.due_of_new_card
        )
        if added is not None:
            presenter.go_to(added)

    @asking
    async def do_new_phase(self) -> None:
        """Add a phase after that of the cursor, and go to it."""
        from tui.screens.phases.form import ask_new_phase

        columns, column = self.screen.head.columns, self.screen.presenter.column
        following = columns[column.number].id if column and column.number < len(columns) else None
        if await ask_new_phase(self.screen, following):
            self.screen.presenter.go_to_phase(column.number + 1 if column else 1)

    def _if_archived_shown(self) -> str:
        return "hide archived" if self.screen.show_archived else ""

    def do_toggle_archived(self) -> None:
        self.screen.show_archived = not self.screen.show_archived
        self.screen.presenter.redraw()
        self.screen.show_titles()
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
        from tui.screens.views.preset_menu import PresetChooser

        self.podium.begin(PresetChooser(self.screen).run)


def preset_words(preset: ViewPreset) -> list[str]:
    """The name of the preset for the title line; none for the ordinary one."""
    return [] if preset == PREDEFINED[0] else [preset.name]


def apply_density(board: Board, preset: ViewPreset, podium: Podium) -> None:
    """Give a board the density of the preset, or the user's own where the preset leaves it open, and their symbols."""
    chosen = preset.viewing.density
    own = podium.preferences.find("density") == "compact"
    compact = chosen is Density.COMPACT if chosen else own
    if (compact, podium.ascii) != (board.viewport.compact, board.ascii):
        board.viewport.compact, board.ascii = compact, podium.ascii
        board.renew()
