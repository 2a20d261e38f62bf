"""The keys that move the cursor, where a list or a board does all the work."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tui.board.board import Board
    from tui.widgets.cursor_lines import CursorListView


class ListCursorKeys:
    """For a screen with a list that the keys are about."""

    @property
    def listing(self) -> CursorListView[Any]:
        """The list that the keys are about."""
        raise NotImplementedError

    def do_down(self) -> None:
        self.listing.step(1)

    def do_up(self) -> None:
        self.listing.step(-1)

    def do_top(self) -> None:
        self.listing.top()

    def do_bottom(self) -> None:
        self.listing.bottom()

    def do_page_down(self) -> None:
        self.listing.page(1)

    def do_page_up(self) -> None:
        self.listing.page(-1)


class BoardCursorKeys:
    """For a screen with a board."""

    @property
    def board(self) -> Board:
        """The board that the keys are about."""
        raise NotImplementedError

    def do_down(self) -> None:
        self.board.move_cursor(0, 1)

    def do_up(self) -> None:
        self.board.move_cursor(0, -1)

    def do_left(self) -> None:
        self.board.move_cursor(-1, 0)

    def do_right(self) -> None:
        self.board.move_cursor(1, 0)

    def do_top(self) -> None:
        self.board.go_top()

    def do_bottom(self) -> None:
        self.board.go_bottom()

    def do_page_down(self) -> None:
        self.board.page(1)

    def do_page_up(self) -> None:
        self.board.page(-1)
