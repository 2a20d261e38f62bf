"""The keys that step through the views of a project, alike on every view."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from tui.screens.framework.controller import Action, Controller
from tui.screens.views.registry import step_view

if TYPE_CHECKING:
    pass


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
