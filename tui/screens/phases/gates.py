"""The keys that decide at the gate of a phase, alike on the Canvas and on the Phase screen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.domain.model import Decision, GateState, PhaseState
from core.errors import RuleViolation
from tui.keys.bindings import Key
from tui.screens.framework.controller import Action, Controller
from tui.screens.framework.dialogs import asking, show_form

DECIDED = {
    Decision.PASS: "Approved “{}”. u undoes it.",
    Decision.HOLD: "Put “{}” on hold. u undoes it.",
    Decision.SEND_BACK: "Sent “{}” back. u undoes it.",
    Decision.OVERRIDE: "Overrode the lock of “{}”. u undoes it.",
}
"""The toast after a decision at a gate; ``{}`` is the name of the phase."""


class PhaseGates(Controller):
    """Decide at the gate of the selected phase."""

    def actions(self) -> Sequence[Action]:
        return (
            Action("approve_gate", self.do_approve_gate, self._no_phase, offer=self._if_ready),
            Action("send_back", self.do_send_back, self._not_to_send_back),
            Action("hold", self.do_hold, self._no_phase),
            Action("override", self.do_override, self._not_locked, offer=self._if_locked),
        )

    def _no_phase(self, _key: Key) -> str:
        selection = self.selection
        return "" if selection.phase else selection.nothing

    def _if_ready(self) -> str:
        phase = self.selection.phase
        return "approve" if phase and phase.is_ready else ""

    def _if_locked(self) -> str:
        phase = self.selection.phase
        return "override" if phase and phase.state is PhaseState.LOCKED else ""

    def _not_to_send_back(self, key: Key) -> str:
        phase = self.selection.phase
        if phase and phase.state is PhaseState.LOCKED:
            return f"“{phase.name}” is locked, so there is nothing to send back."
        return self._no_phase(key)

    def _not_locked(self, key: Key) -> str:
        phase = self.selection.phase
        if phase and phase.state is not PhaseState.LOCKED:
            return f"“{phase.name}” is not locked, so there is nothing to override."
        return self._no_phase(key)

    @asking
    async def do_approve_gate(self) -> None:
        """Ask to approve the phase, or explain what blocks it."""
        from core.actions.workflow.gates import CheckGate

        phase = self.selection.phase
        if phase is None:
            return
        check = await self.podium.query(CheckGate(phase_id=phase.id))
        if not check.can_approve:
            self.podium.show_error(RuleViolation(check.reason, blockers=check.blockers, who_can=check.who_can))
            return
        if check.phase.gate_state is GateState.PASSED:
            self.podium.toast(f"“{phase.name}” is already approved. < sends it back.", severity="warning")
            return
        await self._decide(Decision.PASS, f"Approve “{phase.name}”", check.reason)

    @asking
    async def do_send_back(self) -> None:
        note = "The phase must be approved again. A reason is required."
        await self._ask_decision(Decision.SEND_BACK, "Send back “{}”", note)

    @asking
    async def do_hold(self) -> None:
        await self._ask_decision(Decision.HOLD, "Hold “{}”", "This is only recorded; the phase stays open.")

    @asking
    async def do_override(self) -> None:
        note = "Opens this phase before the earlier ones are complete. A reason is required and stays visible."
        await self._ask_decision(Decision.OVERRIDE, "Override the lock of “{}”", note)

    async def _ask_decision(self, decision: Decision, title: str, note: str) -> None:
        phase = self.selection.phase
        if phase is not None:
            await self._decide(decision, title.format(phase.name), note)

    async def _decide(self, decision: Decision, title: str, note: str) -> None:
        from core.actions.workflow.gates import DecideGate
        from tui.dialogs.fields.form_fields import MultilineField

        phase = self.selection.phase
        if phase is None:
            return

        async def save(values: dict[str, Any]) -> object:
            command = DecideGate(phase_id=phase.id, decision=decision, reason=values["reason"])
            return await self.podium.send_or_ask(command)

        submit = {
            Decision.PASS: "Approve",
            Decision.HOLD: "Hold",
            Decision.SEND_BACK: "Send back",
            Decision.OVERRIDE: "Override",
        }[decision]
        if await show_form(self.screen, title, [MultilineField("reason", "Reason")], save, submit=submit, note=note):
            self.podium.toast(DECIDED[decision].format(phase.name))
