"""The keys that edit the texts of a phase in the editor or the whole window, and tick their check boxes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from core.actions.cards.details import PhaseDetail
from core.actions.workflow.phases import EditPhase
from tui.dialogs.fields.form_fields import MultilineField
from tui.screens.framework.controller import Action, Controller, with_found
from tui.screens.framework.dialogs import asking
from tui.screens.framework.long_texts import LongTexts, edit_long_text, tick_boxes

if TYPE_CHECKING:
    from tui.screens.phases.phase import PhaseScreen


class PhaseTexts(Controller):
    """Edit objectives and outcomes, and tick the check boxes in them."""

    screen: PhaseScreen

    def actions(self) -> Sequence[Action]:
        return (
            Action("edit_text", with_found(lambda: self.screen.detail, self.do_edit_text)),
            Action("tick", with_found(lambda: self.screen.detail, self.do_tick)),
        )

    @asking
    async def do_edit_text(self, detail: PhaseDetail) -> None:
        await edit_long_text(self.screen, texts_of(detail))

    @asking
    async def do_tick(self, detail: PhaseDetail) -> None:
        await tick_boxes(self.screen, texts_of(detail))


def texts_of(detail: PhaseDetail) -> LongTexts:
    """Objectives and outcomes of a phase, to change them."""
    phase = detail.phase
    fields = (
        MultilineField("objectives", "Objectives", phase.objectives),
        MultilineField("outcomes", "Outcomes", phase.outcomes),
    )
    return LongTexts(phase, phase.name, fields, partial(EditPhase, phase_id=phase.id, seen_version=phase.version))
