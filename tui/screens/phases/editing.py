"""The keys of the page of a phase that change the phase itself, or lead to the one beside it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from core.actions.cards.details import PhaseDetail
from core.actions.workflow.phases import AssignPhase, EditPhase, ListPhases, RemovePhase, SetPhaseDueDate
from core.domain.readiness import ReadinessState
from tui.dialogs.fields.form_fields import DateField, MultilineField
from tui.dialogs.menus.picker import Option, PickDialog
from tui.screens.framework.blocked import refusal_of
from tui.screens.framework.controller import Action, Controller, why_if_locked
from tui.screens.framework.dialogs import asking, member_options, show_form
from tui.screens.framework.long_texts import LongTexts, edit_long_text, tick_boxes
from tui.screens.framework.page_screen import PageScreen
from tui.screens.phases.form import ask_phase
from tui.services.destinations import ToPhase


class PhaseEditing(Controller):
    """Edit, date, assign and remove the phase, explain what blocks it, and go to its neighbours."""

    screen: PageScreen[PhaseDetail]

    def actions(self) -> Sequence[Action]:
        with_detail = self.screen.with_detail
        return (
            Action("edit", with_detail(self.do_edit)),
            Action("due", with_detail(self.do_due)),
            Action("assign", with_detail(self.do_assign)),
            Action("remove", with_detail(self.do_remove)),
            Action("edit_text", with_detail(self.do_edit_text)),
            Action("tick", with_detail(self.do_tick)),
            Action("previous_phase", lambda: self._go(-1)),
            Action("next_phase", lambda: self._go(+1)),
            Action("why", with_detail(self.do_why), offer=lambda: why_if_locked(self.selection)),
        )

    @asking
    async def do_why(self, detail: PhaseDetail) -> None:
        gate = detail.gate
        if gate.state is ReadinessState.NOT_READY:
            self.podium.explain(refusal_of(gate, detail.phase.id, detail.state), "Why is this phase not complete?")
        else:
            self.podium.toast(gate.reason)

    @asking
    async def do_edit(self, detail: PhaseDetail) -> None:
        is_under_way = bool(detail.decisions) or detail.tally.done > 0
        await ask_phase(self.screen, detail.phase, is_under_way=is_under_way)

    @asking
    async def do_due(self, detail: PhaseDetail) -> None:
        phase = detail.phase

        async def save(values: dict[str, Any]) -> object:
            return await self.podium.send(SetPhaseDueDate(phase_id=phase.id, seen_version=phase.version, **values))

        title, fields = f"Due date of “{phase.name}”", [DateField("due", "Due", phase.due)]
        await show_form(self.screen, title, fields, save, record=phase)

    @asking
    async def do_assign(self, detail: PhaseDetail) -> None:
        phase = detail.phase
        options = [Option(*member) for member in member_options(self.selection.team)]
        chosen = [user.id for user in detail.members]
        picked = await self.podium.ask(
            PickDialog(f"Assign members to “{phase.name}”", options, multiple=True, chosen=chosen)
        )
        if picked is not None:
            await self.podium.perform(AssignPhase(phase_id=phase.id, seen_version=phase.version, member_ids=picked))

    async def do_remove(self, detail: PhaseDetail) -> None:
        """Remove the phase without a question, because undo restores it."""
        phase = detail.phase
        self.screen.farewell = f"Removed the phase “{phase.name}”. u to undo."
        await self.podium.perform(RemovePhase(phase_id=phase.id, seen_version=phase.version))
        self.screen.farewell = ""

    @asking
    async def do_edit_text(self, detail: PhaseDetail) -> None:
        await edit_long_text(self.screen, texts_of(detail))

    @asking
    async def do_tick(self, detail: PhaseDetail) -> None:
        await tick_boxes(self.screen, texts_of(detail))

    async def _go(self, step: int) -> None:
        """Open the neighbouring phase, which takes the place of this screen."""
        phase = self.selection.phase
        phases = [each.phase.id for each in await self.podium.query(ListPhases(project_id=self.screen.project_id))]
        at = phases.index(phase.id) + step if phase and phase.id in phases else -1
        if 0 <= at < len(phases):
            await self.podium.visit(ToPhase(self.screen.project_id, phases[at]))
        else:
            self.podium.toast("This is the first phase." if step < 0 else "This is the last phase.")


def texts_of(detail: PhaseDetail) -> LongTexts:
    """Objectives and outcomes of a phase, to change them."""
    phase = detail.phase
    fields = (
        MultilineField("objectives", "Objectives", phase.objectives),
        MultilineField("outcomes", "Outcomes", phase.outcomes),
    )
    return LongTexts(phase, phase.name, fields, partial(EditPhase, phase_id=phase.id, seen_version=phase.version))
