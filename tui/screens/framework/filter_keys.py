"""The keys that filter a list or a view and clear its filter, which esc does too."""

from __future__ import annotations

from collections.abc import Sequence

from tui.keys.table import Key
from tui.screens.framework.controller import Action, Controller
from tui.widgets.filter_line import FilterLine


class FilterKeys(Controller):
    """Type a filter into the filter line, on a screen that has one."""

    def actions(self) -> Sequence[Action]:
        return (
            Action("filter", self.do_filter),
            Action("clear_filter", self.step_back, self._not_filtered, offer=self._if_filtered),
        )

    def _typed(self) -> list[FilterLine]:
        return [line for line in self.screen.query(FilterLine) if line.text]

    def _not_filtered(self, _key: Key) -> str:
        return "" if self._typed() else "There is no filter here. Press / to type one."

    def _if_filtered(self) -> str:
        return "clear filter" if self._typed() else ""

    def do_filter(self) -> None:
        self.screen.query_one(FilterLine).open()

    def step_back(self) -> bool:
        typed = self._typed()
        for line in typed:
            line.clear()
        return bool(typed)
