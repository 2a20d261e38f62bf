"""The keys that decide at the gate of a phase, alike on the Canvas and on the Phase screen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from core.domain.canvas import Card
from core.domain.gates import Decision
from core.domain.model import GateState, Id, PhaseState
from core.domain.readiness import ReadinessState
from core.record import Record
from core.text.phrases import names
from tui.keys.table import Key
from tui.screens.framework.blocked import refusal_of
from tui.screens.framework.completed_phase import announce_completed
from tui.screens.framework.controller import Action, Controller, OwnerScreen, PhaseRef
from tui.screens.framework.dialogs import asking, show_form
from tui.wording.times import when_now

if TYPE_CHECKING:
    from core.actions.workflow.gate_record import ApprovalPreview


class DecisionWords(Record, kw_only=False):
    """The words of the form of a decision, and of the message after it; ``{}`` is the name of the phase."""

    title: str
    submit: str
    done: str
    note: str = ""


DECISIONS = {
    Decision.PASS: DecisionWords("Approve “{}”", "Approve", "“{}” approved."),
    Decision.HOLD: DecisionWords(
        "Hold “{}”", "Hold", "“{}” is on hold.", "This is only recorded; the phase stays open."
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

MOST_LISTED = 5
"""The most deliverables, and the most cards that left, that the form of an approval names."""

SHORT_REASONS = frozenset({Decision.PASS, Decision.OVERRIDE})
"""The decisions whose reason is a line, so that enter decides."""


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
        phase, card = self.selection.phase, self.selection.card
        if phase and phase.state is not PhaseState.LOCKED:
            if isinstance(card, Card) and card.waits_for:
                return ""
            return f"“{phase.name}” is not locked, so there is nothing to override."
        return self._no_phase(key)

    @asking
    async def do_approve_gate(self) -> None:
        """Ask to approve the phase, or explain what blocks it."""
        from core.actions.workflow.gate_record import PreviewApproval

        phase = self.selection.phase
        if phase is None:
            return
        preview = await self.podium.query(PreviewApproval(phase_id=phase.id))
        check = preview.check
        if check.state is ReadinessState.NOT_READY:
            self.podium.explain(refusal_of(check, phase.id, check.phase_state), "Not ready for approval")
            return
        if check.phase.gate_state is GateState.PASSED:
            self.podium.toast(f"“{phase.name}” is already approved. < sends it back.", severity="warning")
            return
        note = "\n".join(_about_to_be_sealed(preview, self.podium.me.user.name))
        await ask_decision(self.screen, Decision.PASS, phase, note, preview.ground)

    @asking
    async def do_send_back(self) -> None:
        await self._ask(Decision.SEND_BACK)

    @asking
    async def do_hold(self) -> None:
        await self._ask(Decision.HOLD)

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


def _about_to_be_sealed(preview: ApprovalPreview, me: str) -> Iterator[str]:
    """The ground of an approval: what is sealed, what left the phase, what opens next, and who else can decide."""
    from core.actions.workflow.gate_record import in_sections

    check = preview.check
    yield check.reason
    for section in in_sections(preview, when_now)[-2:]:
        listed = section.lines if section.heading.startswith("Deliverables") else ()
        more = [f"and {len(listed) - MOST_LISTED} more"] if len(listed) > MOST_LISTED else []
        yield ": ".join(filter(None, (section.heading, "; ".join([*listed[:MOST_LISTED], *more]))))
    notes = [each.sentence for each in check.notes]
    yield from notes[:MOST_LISTED]
    if len(notes) > MOST_LISTED:
        yield f"{len(notes) - MOST_LISTED} more cards left it; its page names them."
    yield f"Opens next: {names(preview.opens) or 'nothing'}."
    if others := [each for each in check.who_can if each != me]:
        yield f"{names(others, 'or')} can decide too."


async def ask_decision(
    screen: OwnerScreen, decision: Decision, phase: PhaseRef, note: str = "", seen_ground: str = ""
) -> None:
    """Ask for the reason of a decision at the gate of a phase, decide, and say so."""
    from core.actions.workflow.gates import REASON_NEEDED, DecideGate
    from tui.dialogs.fields.form_fields import MultilineField, TextField

    async def save(values: dict[str, Any]) -> object:
        command = DecideGate(phase_id=phase.id, decision=decision, reason=values["reason"], seen_ground=seen_ground)
        return await screen.podium.send_or_ask(command)

    words = DECISIONS[decision]
    field = TextField if decision in SHORT_REASONS else MultilineField
    fields = [field("reason", "Reason (needed)" if decision in REASON_NEEDED else "Reason (optional)")]
    note = note or words.note
    title = words.title.format(phase.name)
    if not await show_form(screen, title, fields, save, submit=words.submit, note=note, about=phase.id):
        return
    if decision is Decision.PASS and await announce_completed(screen, [phase.id], approved=True):
        return
    screen.podium.toast(f"{words.done.format(phase.name)} u to undo.")


async def ask_override(screen: OwnerScreen, card_id: Id, title: str) -> None:
    """Ask for the reason, and let a card start although it waits for open cards."""
    from core.actions.dependencies.links import OverrideBlockers
    from tui.dialogs.fields.form_fields import TextField

    async def save(values: dict[str, Any]) -> object:
        return await screen.podium.send_or_ask(OverrideBlockers(waiting_id=card_id, reason=values["reason"]))

    note = "The card can then start before the cards that it waits for. The reason stays visible."
    fields = [TextField("reason", "Reason (needed)")]
    if await show_form(screen, f"Override what “{title}” waits for", fields, save, submit="Override", note=note):
        await screen.refresh_from_core()
        screen.podium.toast(f"“{title}” can start. u to undo.")
