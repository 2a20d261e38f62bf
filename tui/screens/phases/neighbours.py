"""From one phase to the previous or the next one, on its screen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.actions.workflow.phases import ListPhases
from tui.screens.framework.controller import Action, Controller
from tui.services.destinations import ToPhase

if TYPE_CHECKING:
    from tui.screens.phases.phase import PhaseScreen


class PhaseNeighbours(Controller):
    """Go to the neighbouring phase, which takes the place of this screen."""

    screen: PhaseScreen

    def actions(self) -> Sequence[Action]:
        return (
            Action("previous_phase", lambda: self._go(-1)),
            Action("next_phase", lambda: self._go(+1)),
        )

    async def _go(self, step: int) -> None:
        phase = self.selection.phase
        phases = [each.phase.id for each in await self.podium.query(ListPhases(project_id=self.screen.project_id))]
        at = phases.index(phase.id) + step if phase and phase.id in phases else -1
        if 0 <= at < len(phases):
            await self.podium.visit(ToPhase(self.screen.project_id, phases[at]))
        else:
            self.podium.toast("This is the first phase." if step < 0 else "This is the last phase.")
