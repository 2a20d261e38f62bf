"""The keys of the board of the Canvas: marks, going to a phase by number, and density."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import TYPE_CHECKING

from core.domain.model import Id
from tui.screens.framework.controller import Action, Controller
from tui.screens.framework.marking import MarkActions
from tui.screens.views.view_actions import apply_density

if TYPE_CHECKING:
    from tui.screens.canvas.screen import CanvasScreen


class BoardActions(Controller):
    """Go to a phase, and choose the density."""

    screen: CanvasScreen

    def actions(self) -> Sequence[Action]:
        return (
            Action("go_to_phase", self.do_go_to_phase),
            Action("density", self.do_density),
        )

    def do_go_to_phase(self, number: str) -> None:
        self.screen.board.go_to_column(int(number))

    async def do_density(self) -> None:
        """Kept for the user, as if it was set in Settings."""
        board, preset = self.screen.board, self.screen.preset
        if chosen := preset.viewing.density:
            self.podium.toast(f"With “{preset.name}” cards are {chosen.lower()}. Press P to choose another preset.")
            return
        await self.podium.keep("density", "" if board.compact else "compact")
        apply_density(board, preset, self.podium)


class BoardMarks(MarkActions):
    """The marks that the board keeps. A range stays within one phase."""

    screen: CanvasScreen

    @property
    def ids(self) -> Set[Id]:
        return self.screen.board.marked

    def clear(self) -> None:
        self.screen.board.clear_marks()

    def leave(self, ids: Set[Id]) -> None:
        self.screen.board.clear_marks(ids)

    def do_mark(self) -> None:
        self.screen.board.toggle_mark()
        self.screen.board.move_cursor(0, 1)

    def do_mark_range(self) -> None:
        self.screen.board.mark_range()

    def do_mark_all(self) -> None:
        self.screen.board.mark_all()
