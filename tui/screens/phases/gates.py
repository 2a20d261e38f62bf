"""The keys that decide at the gate of a phase, alike on the Canvas and on the Phase screen."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from core.domain.canvas import Card
from core.domain.gates import Decision
from core.domain.model import Id, PhaseState
from core.record import Record, replace
from tui.keys.table import Key
from tui.screens.framework.controller import Action, Controller, OwnerScreen, PhaseRef
from tui.screens.framework.dialogs import ask_reason, asking, show_form


class DecisionWords(Record, kw_only=False):
    """The words of the form of a decision, and of the message after it; ``{}`` is the name of the phase."""

    title: str
    submit: str
    done: str
    note: str = ""


DECISIONS = {
    Decision.HOLD: DecisionWords(
        "Hold “{}”",
        "Hold",
        "“{}” is on hold.",
        "Until a person who can decide lifts it, it cannot be approved, nor complete by itself.",
    ),
    Decision.LIFT: DecisionWords(
        "Lift the hold of “{}”", "Lift", "The hold of “{}” is lifted.", "Its gate can be decided again."
    ),
    Decision.SEND_BACK: DecisionWords(
        "Send back “{}”",
        "Send back",
        "“{}” sent back.",
        "The phase must be approved again.",
    ),
    Decision.OVERRIDE: DecisionWords(
        "Override the lock of “{}”",
        "Override",
        "Lock of “{}” overridden.",
        "Opens this phase before the earlier ones are complete. The reason stays visible.",
    ),
}


class PhaseGates(Controller):
    """Decide at the gate of the selected phase."""

    def __init__(self, screen: OwnerScreen) -> None:
        super().__init__(screen)
        screen.keys.renamed.append(self._rename)

    def actions(self) -> Sequence[Action]:
        return (
            Action("approve_gate", self.do_approve_gate, self._no_phase, offer=self._if_ready),
            Action("send_back", self.do_send_back, self._not_to_send_back),
            Action("hold", self.do_hold, self._no_phase, offer=self._if_on_hold),
            Action("override", self.do_override, self._not_locked, offer=self._if_locked),
        )

    def _rename(self, keys: Sequence[Key]) -> Sequence[Key]:
        """The key of a hold lifts one."""
        if not self._if_on_hold():
            return keys
        return [replace(each, words="Gate: lift the hold") if each.verb == "hold" else each for each in keys]

    def _no_phase(self, _key: Key) -> str:
        selection = self.selection
        return "" if selection.phase else selection.nothing

    def _if_ready(self) -> str:
        phase = self.selection.phase
        if phase is None or not phase.is_ready:
            return ""
        return "vote" if phase.takes_votes else "approve"

    def _if_on_hold(self) -> str:
        phase = self.selection.phase
        return "lift" if phase and phase.on_hold else ""

    def _if_locked(self) -> str:
        phase = self.selection.phase
        return "override" if phase and phase.state is PhaseState.LOCKED else ""

    def _not_to_send_back(self, key: Key) -> str:
        phase = self.selection.phase
        if phase and phase.state is PhaseState.LOCKED:
            return f"“{phase.name}” is locked, so there is nothing to send back."
        return self._no_phase(key)

    def _not_locked(self, key: Key) -> str:
        phase, card = self.selection.phase, self.selection.card
        if phase and phase.state is not PhaseState.LOCKED:
            if isinstance(card, Card) and card.waits_for:
                return ""
            return f"“{phase.name}” is not locked, so there is nothing to override."
        return self._no_phase(key)

    @asking
    async def do_approve_gate(self) -> None:
        """Ask for the decision or the vote, or explain what blocks the phase."""
        from tui.screens.phases.votes import ask_at_gate

        if (phase := self.selection.phase) is not None:
            await ask_at_gate(self.screen, phase)

    @asking
    async def do_send_back(self) -> None:
        await self._ask(Decision.SEND_BACK)

    @asking
    async def do_hold(self) -> None:
        phase = self.selection.phase
        await self._ask(Decision.LIFT if phase and phase.on_hold else Decision.HOLD)

    @asking
    async def do_override(self) -> None:
        """Override the lock of the phase; of an open phase, what the card waits for."""
        phase, card = self.selection.phase, self.selection.card
        if phase and phase.state is not PhaseState.LOCKED and isinstance(card, Card) and card.waits_for:
            await ask_override(self.screen, card.id, card.title)
        else:
            await self._ask(Decision.OVERRIDE)

    async def _ask(self, decision: Decision) -> None:
        phase = self.selection.phase
        if phase is not None:
            await ask_decision(self.screen, decision, phase)


async def ask_decision(screen: OwnerScreen, decision: Decision, phase: PhaseRef) -> None:
    """Ask for the reason of a decision other than an approval at the gate of a phase, decide, and say so."""
    from core.actions.workflow.gates import REASON_NEEDED, DecideGate
    from tui.dialogs.fields.form_fields import MultilineField, TextField

    async def save(values: dict[str, Any]) -> object:
        return await screen.podium.send_or_ask(DecideGate(phase_id=phase.id, decision=decision, **values))

    words = DECISIONS[decision]
    field = TextField if decision is Decision.OVERRIDE else MultilineField
    fields = [field("reason", "Reason (needed)" if decision in REASON_NEEDED else "Reason (optional)")]
    title = words.title.format(phase.name)
    if await show_form(screen, title, fields, save, submit=words.submit, note=words.note, about=phase.id):
        screen.podium.toast(f"{words.done.format(phase.name)} u to undo.")


async def ask_override(screen: OwnerScreen, card_id: Id, title: str) -> None:
    """Ask for the reason, and let a card start although it waits for open cards."""
    from core.actions.dependencies.links import OverrideBlockers

    note = "The card can then start before the cards that it waits for. The reason stays visible."
    heading, make = f"Override what “{title}” waits for", partial(OverrideBlockers, waiting_id=card_id)
    if await ask_reason(screen, heading, make, submit="Override", note=note):
        screen.podium.toast(f"“{title}” can start. u to undo.")
