"""The blockers of a card or its phase as a jump list, alike on every view of a project."""

from __future__ import annotations

from collections.abc import Sequence

from core.domain.model import Id, ItemKind
from core.domain.readiness import ReadinessState
from core.domain.statuses import CLOSED
from core.record import replace
from tui.screens.framework.blocked import refusal_of
from tui.screens.framework.controller import Action, Controller, OwnerScreen, why_if_locked
from tui.screens.framework.dialogs import asking
from tui.services.cards import Target

WHY_CARD, WHY_PHASE = "Why is this card blocked?", "Why is this phase not complete?"


async def explain_block(screen: OwnerScreen, card: Target | None, phase_id: Id | None) -> None:
    """Show what blocks the card, else the phase it is in; a word where nothing does."""
    from core.actions.cards.details import GetCard
    from core.actions.workflow.gates import CheckGate

    if card is not None and card.kind is not ItemKind.APPLICATION:
        detail = await screen.podium.query(GetCard(item_id=card.id))
        if detail.blocked is not None:
            screen.podium.tour.after_reason_shown(detail.state)
            screen.podium.explain(
                refusal_of(detail.blocked, detail.phase.id, detail.state, detail.blocked.card_id), WHY_CARD
            )
            return
        phase_id = phase_id or detail.phase.id
    if phase_id is None:
        screen.podium.toast("There is no card and no phase here.")
        return
    check = await screen.podium.query(CheckGate(phase_id=phase_id))
    if check.state is ReadinessState.NOT_READY:
        screen.podium.tour.after_reason_shown(check.phase_state)
        free = card is not None and card.kind is not ItemKind.APPLICATION and card.status not in CLOSED
        reason = f"Nothing blocks “{card.title}”. {check.reason}" if card and free else check.reason
        screen.podium.explain(refusal_of(replace(check, reason=reason), phase_id, check.phase_state), WHY_PHASE)
    else:
        screen.podium.toast(f"Nothing blocks this card. {check.reason}" if card else check.reason)


class BlockerActions(Controller):
    """Explain why the selected card or its phase is blocked."""

    def actions(self) -> Sequence[Action]:
        return (Action("why", self.do_why, offer=lambda: why_if_locked(self.selection)),)

    @asking
    async def do_why(self) -> None:
        selection = self.selection
        await explain_block(self.screen, selection.card, selection.phase.id if selection.phase else None)
