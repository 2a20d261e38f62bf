"""The keys of the tour, on every screen: begin it, end it by esc, and remove its sample project."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from core.domain.permissions import Permission
from core.text.phrases import count
from tui.keys.table import Key
from tui.screens.framework.controller import Action, Controller
from tui.screens.framework.dialogs import asking
from tui.services.destinations import ToPage
from tui.widgets.bars import GoalFacts


class TourActions(Controller):
    """The tour itself is a service: ``tui/services/tour.py``."""

    def actions(self) -> Sequence[Action]:
        return (
            Action("tour", self.do_tour, lambda _: self.screen.access.reason(Permission.PROJECT_CREATE)),
            Action("remove_sample", self.do_remove_sample, self._no_sample),
        )

    def _no_sample(self, _: Key) -> str:
        is_sample = self.podium.tour.is_sample(self.screen)
        return "" if is_sample else "This key removes the sample project of the tour. Open it first."

    @asking
    async def do_tour(self) -> None:
        await self.podium.tour.start()

    @asking
    async def do_remove_sample(self) -> None:
        """Delete the sample project for good, after a question that says what goes with it."""
        from core.actions.workflow.canvas import GetCanvas
        from tui.dialogs.confirm import ConfirmDialog

        canvas = await self.podium.query(GetCanvas(project_id=self.screen.project_id))
        parts = f"{count(len(canvas.head.columns), 'phase')}, {count(len(canvas.cards), 'card')} and its history"
        words = f"“{canvas.head.name}” with {parts} will be deleted for good. Your other projects stay."
        if await self.podium.ask(ConfirmDialog("Remove the sample project?", words, "Remove")):
            await self.podium.tour.remove()
            self.podium.begin(partial(self.podium.visit, ToPage.PROJECTS))
            self.podium.toast(f"Removed “{canvas.head.name}”. Press n to create your own project.")

    def goal(self) -> GoalFacts | None:
        """The facts for the line above the keys: a goal of the tour on its sample project; None for no such line."""
        return self.podium.tour.facts(self.screen)

    def key_pressed(self) -> None:
        self.podium.tour.key_pressed()

    def step_back(self) -> bool:
        """On the Canvas of the sample project, esc is about the tour; on its other pages it leads back there."""
        tour = self.podium.tour
        return self.screen.is_level and tour.is_sample(self.screen) and tour.step_back()
