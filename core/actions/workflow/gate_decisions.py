"""Decisions and votes at one gate: what each checks, changes and records.

The messages that lead here are in ``gates.py`` and ``gate_votes.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from core.domain.gate_policy import VOTE_WORDS, GateCondition, Vote
from core.domain.gates import DECISION_WORDS, Decision, GateRecord
from core.domain.model import GateState, Id, Phase, PhaseState, Project
from core.domain.notifications import NotificationKind
from core.domain.permissions import Permission
from core.domain.phase_states import Workflow
from core.domain.readiness import TO_STOP_SENTENCE
from core.engine.project_guard import names_of, owners_by_id
from core.engine.unit_of_work import UnitOfWork, new_id
from core.errors import InvalidInput, RuleViolation
from core.record import Record, made_from, replace
from core.rules.approvals import Relocking, confirm_reopening, new_record
from core.rules.gate_conditions import check_condition, make_condition_cards
from core.rules.gate_criteria import remember_matches
from core.rules.gate_panel import Panel, check_can_decide, describe_votes, read_panel
from core.rules.gate_readiness import Gates
from core.rules.gate_seals import hash_of_ground, seal_decision
from core.rules.notifications import notify
from core.rules.phases import read_workflow
from core.text.dates import in_full
from core.text.phrases import UNKNOWN

ALREADY_APPROVED = "“{}” is already approved. To reopen it, send it back."
_SAID = {
    Decision.OVERRIDE: "overrode the lock of",
    Decision.LIFT: "lifted the hold of",
    Decision.STOP: "stopped the project at",
}


class ConditionAsked(Record, kw_only=False):
    """The condition of a vote “go if”: what has to be done, by whom, and until when."""

    text: str
    person_id: Id
    due: date

    def describe(self, work: UnitOfWork) -> str:
        """Return it in words, for the record of the gate: "if “Name cleared”, by Bob Lind until Fri 20 Mar 2026"."""
        person = names_of(work, [self.person_id]).get(self.person_id, UNKNOWN)
        return f"if “{self.text}”, by {person} until {in_full(self.due)}"


class GateToDecide(Record, kw_only=False):
    """The gate of a phase at the moment of a decision or a vote."""

    work: UnitOfWork
    workflow: Workflow
    phase: Phase
    panel: Panel
    ground: str
    """The hash of what is decided on."""
    relock: bool

    @classmethod
    def at(cls, work: UnitOfWork, phase: Phase, *, relock: bool, seen_ground: str = "") -> GateToDecide:
        """Read the gate. Raises RuleViolation if what would be sealed is not what the sender has seen."""
        ground = hash_of_ground(work, phase)
        if seen_ground and seen_ground != ground:
            raise RuleViolation(f"“{phase.name}” has changed since you looked at it. Close this and look at it again.")
        return cls(work, read_workflow(work, work.scope), phase, read_panel(work, phase), ground, relock)

    # -- decisions ---------------------------------------------------------------------------------------------------

    def decide(self, decision: Decision, reason: str, counting: Sequence[GateRecord] = (), **fields: Any) -> GateRecord:
        """Carry out a decision of the sender, and record it with its seal. Raises RuleViolation.

        ``counting`` are the votes that made it an approval: their conditions become cards.
        """
        with confirm_reopening(self.work, self.work.scope, Relocking(self.relock)):
            decided = self._apply(decision)
        made = new_record(self.work, self.workflow, self.phase, decision, reason=reason, **fields)
        record = self.work.insert(seal_decision(self.work, made, decided))
        if decision is Decision.PASS:
            remember_matches(self.work, decided)
        if counting:
            with confirm_reopening(self.work, self.work.scope, Relocking(self.relock)):  # ends votes at the next gate
                make_condition_cards(self.work, self.workflow, self.phase, record, counting)
        what = _SAID.get(decision, DECISION_WORDS[decision])
        self.work.say(f"{what} phase “{self.phase.name}”" + (f": {reason}" if reason else ""))
        return record

    def _apply(self, decision: Decision) -> Phase:
        phase, state = self.phase, self.workflow.state(self.phase.id)
        match decision:
            case Decision.OVERRIDE:
                if state is not PhaseState.LOCKED:
                    raise RuleViolation(f"“{phase.name}” is not locked, so there is nothing to override.")
                return self.work.update(phase, overridden=True)
            case Decision.PASS:
                self.check_nothing_missing()
                return self.work.update(phase, gate_state=GateState.PASSED)
            case Decision.HOLD:
                if phase.gate_state is GateState.PASSED:
                    raise RuleViolation(ALREADY_APPROVED.format(phase.name))
                if phase.on_hold:
                    raise RuleViolation(f"“{phase.name}” is on hold already. Lift that first.")
                return self.work.update(phase, on_hold=True)
            case Decision.LIFT:
                if not phase.on_hold:
                    raise RuleViolation(f"“{phase.name}” is not on hold, so there is nothing to lift.")
                return self.work.update(phase, on_hold=False)
            case Decision.SEND_BACK:
                if state is PhaseState.LOCKED:
                    raise RuleViolation(f"“{phase.name}” is locked, so there is nothing to send back.")
                return self.work.update(phase, gate_state=GateState.SENT_BACK)
            case Decision.STOP:
                self.work.require(Permission.PROJECT_UPDATE)
                self.work.update(self.work.get(Project, id=self.work.scope), archived=True)
        return phase

    def check_nothing_missing(self) -> None:
        """Raise RuleViolation if more than decision and votes is missing, or the phase is approved already."""
        if refused := Gates(self.work, self.workflow, self.work.scope).refusal(self.phase):
            raise refused
        if self.phase.gate_state is GateState.PASSED:
            raise RuleViolation(ALREADY_APPROVED.format(self.phase.name))

    # -- votes -------------------------------------------------------------------------------------------------------

    def vote(self, vote: Vote, reason: str, condition: ConditionAsked | None = None) -> GateRecord:
        """Record a vote of the sender, and the decision if it is the deciding one. Returns the last of the two."""
        check_can_decide(self.work, self.panel)
        entry = self.record_vote(vote, reason, condition, self.work.actor.user_id)
        self.work.say(
            f"voted {VOTE_WORDS[vote]} at the gate of “{self.phase.name}”" + (f": {reason}" if reason else "")
        )
        return self.let_fall(vote) or entry

    def record_vote(
        self, vote: Vote, reason: str, condition: ConditionAsked | None, user_id: Id, *, means: str = "", **fields: Any
    ) -> GateRecord:
        """Insert the entry of a vote, with its condition. A go takes that nothing but votes is missing.

        ``means`` says how it came, where the person did not vote themselves.

        Raises RuleViolation, and InvalidInput without the reason that the vote takes.
        """
        if vote in (Vote.GO, Vote.GO_IF):
            self.check_nothing_missing()
            if self.panel.decides(Vote.STOP):
                raise RuleViolation(TO_STOP_SENTENCE)
        elif self.phase.gate_state is GateState.PASSED:
            raise RuleViolation(ALREADY_APPROVED.format(self.phase.name))
        elif not reason:
            raise InvalidInput("reason", f"A vote “{VOTE_WORDS[vote]}” takes a reason. Say why.")
        if condition:
            check_condition(self.work, self.workflow, self.phase, condition.person_id, condition.due)
        detail = condition.describe(self.work) if condition else ""
        fields |= {"reason": reason, "detail": detail, "ground": self.ground}
        made = new_record(self.work, self.workflow, self.phase, vote.entry, **fields)
        entry = self.work.insert(replace(made, by_id=user_id, through=means or made.through))
        if condition:
            place = {"project_id": self.work.scope, "phase_id": self.phase.id, "vote_id": entry.id}
            self.work.insert(made_from(GateCondition, condition, id=new_id(), **place))
        return entry

    def let_fall(self, vote: Vote, reason: str = "", **fields: Any) -> GateRecord | None:
        """Carry out the decision if the votes like this one are as many as it takes; None if it does not fall yet.

        A stop is carried out by a sender with PROJECT_UPDATE: its last voter, or later an owner, who is notified.
        """
        panel = read_panel(self.work, self.phase)  # with the votes that were recorded meanwhile
        deciding = (Vote.STOP,) if vote is Vote.STOP else (Vote.GO, Vote.GO_IF)
        detail = describe_votes(panel, deciding, fields.get("meeting"))
        if vote is Vote.NO or not panel.decides(*deciding):
            return None
        if vote is not Vote.STOP:
            counting = [each.vote for each in panel.members if each.vote and each.counts]
            return self.decide(Decision.PASS, reason, counting, detail=detail, **fields)
        if Permission.PROJECT_UPDATE in self.work.held:
            reasons = [each.vote.reason for each in panel.members if each.vote and each.counts is Vote.STOP]
            return self.decide(Decision.STOP, reason or "; ".join(dict.fromkeys(reasons)), detail=detail, **fields)
        if not self.panel.decides(Vote.STOP):
            notify(self.work, NotificationKind.STOP, self.phase.id, owners_by_id(self.work, self.work.scope))
        return None
