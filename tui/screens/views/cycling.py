"""The keys that step through the views of a project, alike on the Canvas and on every other view."""

from __future__ import annotations

from functools import partial

from tui.screens.framework.screen import PodiumScreen
from tui.screens.views.registry import step_view


class ViewSteps(PodiumScreen):
    """A screen that is one view of a project."""

    def do_next_view(self) -> None:
        self._step_view(+1)

    def do_previous_view(self) -> None:
        self._step_view(-1)

    def _step_view(self, step: int) -> None:
        """As work of the app, for it may close this screen."""
        self.podium.begin(partial(step_view, self, step))
