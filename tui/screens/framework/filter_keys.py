"""The key that filters a list or a view, and esc, which clears the filter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tui.screens.framework.controller import Action, Controller
from tui.widgets.filter_line import FilterLine

if TYPE_CHECKING:
    pass


class FilterKeys(Controller):
    """Type a filter into the filter line, on a screen that has one."""

    def actions(self) -> Sequence[Action]:
        return (Action("filter", self.do_filter),)

    def do_filter(self) -> None:
        self.screen.query_one(FilterLine).open()

    def step_back(self) -> bool:
        typed = [line for line in self.screen.query(FilterLine) if line.text]
        for line in typed:
            line.clear()
        return bool(typed)
