"""The keys that move the cursor of a list or a board."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from tui.screens.framework.controller import Action, Controller, OwnerScreen

if TYPE_CHECKING:
    from tui.board.board import Board


class CursorList(Protocol):
    """A list with a cursor."""

    def step(self, step: int) -> None: ...
    def top(self) -> None: ...
    def bottom(self) -> None: ...
    def page(self, step: int) -> None: ...


class ListCursorActions(Controller):
    """Move the cursor of a list; ``listing`` gives the one that the keys are about."""

    def __init__(self, screen: OwnerScreen, listing: Callable[[], CursorList]) -> None:
        super().__init__(screen)
        self._listing = listing

    def actions(self) -> Sequence[Action]:
        return (
            Action("down", lambda: self._listing().step(1)),
            Action("up", lambda: self._listing().step(-1)),
            Action("top", lambda: self._listing().top()),
            Action("bottom", lambda: self._listing().bottom()),
            Action("page_down", lambda: self._listing().page(1)),
            Action("page_up", lambda: self._listing().page(-1)),
        )


class BoardCursorActions(Controller):
    """Move the cursor of a board, on a screen that has one."""

    def __init__(self, screen: OwnerScreen, board: Callable[[], Board]) -> None:
        super().__init__(screen)
        self._board = board

    def actions(self) -> Sequence[Action]:
        return (
            Action("down", lambda: self._board().move_cursor(0, 1)),
            Action("up", lambda: self._board().move_cursor(0, -1)),
            Action("left", lambda: self._board().move_cursor(-1, 0)),
            Action("right", lambda: self._board().move_cursor(1, 0)),
            Action("top", lambda: self._board().go_top()),
            Action("bottom", lambda: self._board().go_bottom()),
            Action("page_down", lambda: self._board().page(1)),
            Action("page_up", lambda: self._board().page(-1)),
        )
