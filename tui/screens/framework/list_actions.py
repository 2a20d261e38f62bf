"""The keys that move the cursor of a list or a board, and those that filter it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from tui.keys.table import Key
from tui.screens.framework.controller import Action, Controller, OwnerScreen

if TYPE_CHECKING:
    from tui.board.cursor import Cursor
    from tui.widgets.filter_line import FilterLine


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


class BoardCursorActions(ListCursorActions):
    """Move the cursor of a board, which can go to other columns too."""

    def __init__(self, screen: OwnerScreen, cursor: Callable[[], Cursor]) -> None:
        super().__init__(screen, cursor)
        self._cursor = cursor

    def actions(self) -> Sequence[Action]:
        left = Action("left", lambda: self._cursor().move(-1, 0))
        return (*super().actions(), left, Action("right", lambda: self._cursor().move(1, 0)))


class FilterActions(Controller):
    """Type a filter into the filter line. The screen gets that line when it is first needed."""

    def __init__(self, screen: OwnerScreen) -> None:
        super().__init__(screen)
        self._line: FilterLine | None = None

    def actions(self) -> Sequence[Action]:
        return (
            Action("filter", self.do_filter),
            Action("clear_filter", self.step_back, self._not_filtered, offer=self._if_filtered),
        )

    @property
    def line(self) -> FilterLine:
        """The line that it is typed into."""
        if self._line is None:
            self._line = self.make_line()
            self.screen.mount(self._line)
        return self._line

    def make_line(self) -> FilterLine:
        from tui.widgets.filter_line import FilterLine

        return FilterLine()

    @property
    def text(self) -> str:
        """The text that is typed."""
        return self._line.text if self._line else ""

    def clear(self) -> None:
        """Empty the filter and hide the line."""
        if self._line is not None:
            self._line.clear()

    def _not_filtered(self, _key: Key) -> str:
        return "" if self.text else "There is no filter here. Press / to type one."

    def _if_filtered(self) -> str:
        return "clear filter" if self.text else ""

    def do_filter(self) -> None:
        self.line.open()

    def step_back(self) -> bool:
        is_filtered = bool(self.text)
        self.clear()
        return is_filtered
