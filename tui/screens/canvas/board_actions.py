"""The keys of the board of the Canvas: marks, folds, which are stored, going to a phase by number, and density."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence, Set

from core.domain.model import Id
from core.errors import PodiumError
from tui.board.board import Board
from tui.screens.framework.controller import Action, Controller, OwnerScreen
from tui.screens.framework.marking import MarkActions
from tui.screens.views.project_view import ProjectView
from tui.screens.views.view_actions import apply_density
from tui.terminal.workers import start_worker

IS_SEARCHED = "The filter shows what it finds, also in folds. Press F to clear it."


class BoardActions(Controller):
    """Go to a phase, choose the density, and fold a phase to a narrow column, or an activity over its tasks.

    The board folds at once. The choice is saved afterwards, in the background; one that could not be saved is saved
    with the next one.
    """

    screen: ProjectView

    def __init__(self, screen: ProjectView, board: Callable[[], Board]) -> None:
        super().__init__(screen)
        self._find_board = board
        self._unsaved: dict[Id, bool] = {}
        self._is_saving = False

    def actions(self) -> Sequence[Action]:
        return (
            Action("go_to_phase", lambda number: self._board.cursor.go_to_column(int(number))),
            Action("density", self.do_density),
            Action("fold_activity", self.do_fold_activity),
            Action("fold_phase", self.do_fold_phase),
            Action("open", self.do_open, self.screen.view_actions.no_phase),
        )

    @property
    def _board(self) -> Board:
        return self._find_board()

    async def do_density(self) -> None:
        """Kept for the user, as if it was set in Settings."""
        board, preset = self._board, self.screen.preset
        if chosen := preset.viewing.density:
            self.podium.toast(f"With “{preset.name}” cards are {chosen.lower()}. Press P to choose another preset.")
            return
        await self.podium.keep("density", "" if board.viewport.compact else "compact")
        apply_density(board, preset, self.podium)

    async def do_open(self) -> None:
        """Open the card; a folded phase is unfolded first."""
        if self._board.cursor.column_id in self._board.model.folded:
            self.do_fold_phase()
        else:
            await self.screen.view_actions.do_open()

    def do_fold_activity(self) -> None:
        activity = self._board.folds.family
        if activity is None:
            self.podium.toast("There is no activity with tasks here to fold.")
        elif self._board.folds.is_searched:
            self.podium.toast(IS_SEARCHED)
        else:
            self._keep(activity.id, self._board.folds.toggle_family())

    def do_fold_phase(self) -> None:
        column_id = self._board.cursor.column_id
        if column_id is None:
            self.podium.toast("There is no phase here to fold.")
        elif self._board.folds.is_searched:
            self.podium.toast(IS_SEARCHED)
        else:
            self._keep(column_id, self._board.folds.toggle_phase())

    def _keep(self, target_id: Id, folded: bool | None) -> None:
        if folded is not None:
            self._unsaved[target_id] = folded
            start_worker(self.screen, self.save)

    async def save(self) -> None:
        """Save the choices one after the other, the newest of each phase and activity."""
        from core.actions.personal.folds import SetFold

        if self._is_saving:  # that run goes on with what was added
            return
        self._is_saving = True
        with contextlib.suppress(PodiumError):
            while self._unsaved:
                target_id, folded = next(iter(self._unsaved.items()))
                command = SetFold(project_id=self.screen.project_id, target_id=target_id, folded=folded)
                await self.podium.backend.execute(command)
                if self._unsaved.get(target_id) is folded:
                    del self._unsaved[target_id]
        self._is_saving = False


class BoardMarks(MarkActions):
    """The marks that the board keeps. A range stays within one phase."""

    def __init__(self, screen: OwnerScreen, board: Callable[[], Board]) -> None:
        super().__init__(screen)
        self._board = board

    @property
    def ids(self) -> Set[Id]:
        return self._board().marks.ids

    def clear(self) -> None:
        self._board().marks.clear()

    def leave(self, ids: Set[Id]) -> None:
        self._board().marks.clear(ids)

    def do_mark(self) -> None:
        self._board().marks.toggle()
        self._board().cursor.move(0, 1)

    def do_mark_range(self) -> None:
        self._board().marks.mark_range()

    def do_mark_all(self) -> None:
        self._board().marks.mark_all()
