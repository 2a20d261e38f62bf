"""The keys that decide at the gate of a phase, alike on the Canvas and on the Phase screen; the form of a phase."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.domain.model import Decision, Gate, GateState, Id
from core.errors import RuleViolation
from tui.screens.framework.controller import Action, Controller
from tui.screens.framework.dialogs import asking, show_form
from tui.screens.framework.screen import PodiumScreen

EVIDENCE = "EVIDENCE"
GATES = ((Gate.AUTOMATIC.value, "Automatic"), (Gate.REVIEW.value, "Review"), (EVIDENCE, "Review with evidence"))
"""What a form offers as the gate: whether evidence is required is a question only at a review."""


DECIDED = {
    Decision.PASS: "Approved “{}”. u undoes it.",
    Decision.HOLD: "Put “{}” on hold. u undoes it.",
    Decision.SEND_BACK: "Sent “{}” back. u undoes it.",
    Decision.OVERRIDE: "Opened “{}” by override. u undoes it.",
}
"""What is told after a decision at a gate, with the name of the phase."""


def gate_choice(gate: Gate, evidence_required: bool) -> str:
    """The option that a gate is."""
    return EVIDENCE if evidence_required else gate.value


def gate_chosen(choice: str) -> dict[str, Any]:
    """The fields of a message that an option stands for."""
    gate = Gate.REVIEW if choice == EVIDENCE else Gate(choice)
    return {"gate": gate, "evidence_required": choice == EVIDENCE}


class PhaseGates(Controller):
    """Decide at the gate of the selected phase."""

    def actions(self) -> Sequence[Action]:
        return (
            Action("pass_gate", self.do_pass_gate),
            Action("send_back", self.do_send_back),
            Action("hold", self.do_hold),
            Action("override", self.do_override),
        )

    @asking
    async def do_pass_gate(self) -> None:
        """Show whether the phase may pass; ask for the decision, or explain what stands in the way."""
        from core.actions.workflow.gates import CheckGate

        phase = self.selection.phase
        if phase is None:
            return
        check = await self.podium.query(CheckGate(phase_id=phase.id))
        if not check.may_pass:
            self.podium.show_error(RuleViolation(check.reason, blockers=check.blockers, who_can=check.who_can))
            return
        if check.phase.gate_state is GateState.PASSED:
            self.podium.tell(f"“{phase.name}” is already approved. < sends it back.", severity="warning")
            return
        await self._decide(Decision.PASS, f"Pass “{phase.name}”", check.reason)

    @asking
    async def do_send_back(self) -> None:
        await self._ask_decision(Decision.SEND_BACK, "Send back “{}”", "Takes a reason. The phase must pass again.")

    @asking
    async def do_hold(self) -> None:
        await self._ask_decision(Decision.HOLD, "Hold “{}”", "Recorded; nothing else changes.")

    @asking
    async def do_override(self) -> None:
        note = "Takes a reason. Opens this locked phase, and stays visible on it."
        await self._ask_decision(Decision.OVERRIDE, "Override the lock of “{}”", note)

    async def _ask_decision(self, decision: Decision, title: str, note: str) -> None:
        phase = self.selection.phase
        if phase is not None:
            await self._decide(decision, title.format(phase.name), note)

    async def _decide(self, decision: Decision, title: str, note: str) -> None:
        from core.actions.workflow.gates import DecideGate
        from tui.dialogs.fields.form_fields import Lines

        phase = self.selection.phase
        if phase is None:
            return

        async def save(values: dict[str, Any]) -> object:
            command = DecideGate(phase_id=phase.id, decision=decision, reason=values["reason"])
            return await self.podium.send_or_ask(command)

        submit = {
            Decision.PASS: "Pass",
            Decision.HOLD: "Hold",
            Decision.SEND_BACK: "Send back",
            Decision.OVERRIDE: "Override",
        }[decision]
        if await show_form(self.screen, title, [Lines("reason", "Reason")], save, submit=submit, note=note):
            self.podium.tell(DECIDED[decision].format(phase.name))


async def ask_new_phase(screen: PodiumScreen, before_id: Id | None) -> object:
    """Ask for a new phase that comes before another one, or last, and add it."""
    from core.actions.workflow.phases import AddPhase
    from tui.dialogs.fields.form_fields import Choice, DateField, Field, Line, Lines

    async def save(values: dict[str, Any]) -> object:
        values |= gate_chosen(values["gate"])
        return await screen.podium.send_or_ask(AddPhase(project_id=screen.project_id, before_id=before_id, **values))

    fields: list[Field] = [
        Line("name", "Name", "", "Discovery, Design, Launch …"),
        DateField("due", "Due", None),
        Choice("gate", "Gate", GATES, Gate.AUTOMATIC.value),
        Lines("objectives", "Objectives"),
    ]
    note = (
        "Automatic: done when its cards are. Review: an owner passes it as well; with evidence, once every"
        " deliverable is done and has a link or a path."
    )
    return await show_form(screen, "New phase", fields, save, submit="Add", note=note)
