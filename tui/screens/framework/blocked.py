"""The refusal that a query has foretold, with its blockers, as the core would raise it."""

from __future__ import annotations

from typing import Protocol

from core.domain.model import Id, PhaseState
from core.errors import Blocker, CardBlocked, PhaseLocked, RuleViolation


class Foretold(Protocol):
    """The fields of ``Blockers`` of a card and of ``GateCheck`` of a phase."""

    @property
    def reason(self) -> str: ...
    @property
    def blockers(self) -> tuple[Blocker, ...]: ...
    @property
    def who_can(self) -> tuple[str, ...]: ...


def refusal_of(found: Foretold, phase_id: Id, state: PhaseState, card_id: Id = "") -> RuleViolation:
    """Return the refusal of a card or a gate in a phase of this state; of ``card_id``, which waits for other cards."""
    if state is PhaseState.LOCKED:
        return PhaseLocked(found.reason, phase_id=phase_id, blockers=found.blockers, who_can=found.who_can)
    if card_id:
        return CardBlocked(found.reason, card_id=card_id, blockers=found.blockers, who_can=found.who_can)
    return RuleViolation(found.reason, blockers=found.blockers, who_can=found.who_can)
