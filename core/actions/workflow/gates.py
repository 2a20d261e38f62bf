"""Gates: the check whether a phase can be approved, and the decisions there, which are stored for good."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.actions.workflow.gate_decisions import GateToDecide
from core.actions.workflow.phases import PhaseCommand, PhaseQuery
from core.domain.gate_policy import Vote
from core.domain.gates import DECISIONS, Decision, GateRecord
from core.domain.max_lengths import REASON
from core.domain.model import Comment, Id, Phase, PhaseState
from core.domain.permissions import Permission
from core.domain.phase_states import Workflow
from core.domain.readiness import GateNote, ReadinessState
from core.engine.unit_of_work import Snapshot, UnitOfWork
from core.errors import Blocker, InvalidInput
from core.record import Record, made_from
from core.rules.gate_conditions import ConditionState, find_conditions
from core.rules.gate_criteria import CriterionResult
from core.rules.gate_panel import Panel, check_can_decide, credit_entry, describe_votes
from core.rules.gate_readiness import Gates, Readiness
from core.rules.phases import read_workflow
from core.text.phrases import UNKNOWN, credit_author, names
from core.text.sanitize import many_lines

REASON_NEEDED = frozenset({Decision.SEND_BACK, Decision.OVERRIDE, Decision.LIFT, Decision.STOP})


class GateCheck(Record):
    """The answer to what is missing at the gate of a phase: the same on every front end."""

    phase: Phase
    phase_state: PhaseState
    state: ReadinessState
    can_approve: bool
    """True if an approval of the sender would be taken now."""
    reason: str
    """One sentence: the answer, or the rule that refuses an approval."""
    blockers: tuple[Blocker, ...]
    """The points that are missing, the first 20."""
    missing: int
    """The number of all points."""
    hold: str
    """The hold, if that was the last decision: who, since when, and why."""
    notes: tuple[GateNote, ...]
    """Cards that left the phase since the last decision; they block nothing."""
    who_can: tuple[str, ...]
    """The people who can decide; of a gate with a policy, those whose vote is not in."""
    panel: Panel
    """The people who decide, with their votes."""
    criteria: tuple[CriterionResult, ...]
    """The criteria, each met or not."""
    conditions: tuple[ConditionState, ...]
    """The conditions that votes at this gate set, or that it waits for, with what became of them."""
    needed: int
    """The number of votes that a decision takes."""
    votes: str
    """The votes in words: "1 of 2 votes go"; empty without a policy."""

    @classmethod
    def of(
        cls, workflow: Workflow, phase: Phase, found: Readiness, conditions: Sequence[ConditionState] = ()
    ) -> GateCheck:
        """Return the answer for a phase from what is missing at its gate."""
        return made_from(
            cls,
            found,
            phase=phase,
            phase_state=workflow.state(phase.id),
            blockers=found.points,
            who_can=found.deciders.names,
            needed=found.panel.needed,
            votes=found.panel.tally,
            conditions=tuple(conditions),
        )

    @classmethod
    def read(cls, view: Snapshot, workflow: Workflow, phase: Phase) -> GateCheck:
        """Read the answer for a phase of the project in view."""
        [found] = Gates(view, workflow, view.scope).whole([phase])
        at = "(gate_condition.phase_id = :phase_id OR next_phase_id = :phase_id)"
        return cls.of(workflow, phase, found, find_conditions(view, view.scope, at, phase_id=phase.id))


class CheckGate(PhaseQuery[GateCheck]):
    """Check whether the gate of a phase can be approved, and name all that is missing."""

    route = "GET /v1/phases/{phase_id}/gate"

    def run(self, view: Snapshot) -> GateCheck:
        workflow = read_workflow(view, view.scope)
        return GateCheck.read(view, workflow, workflow.phase(self.phase_id))


class DecideGate(PhaseCommand[GateRecord]):
    """Decide at a gate: approve (PASS), hold, lift a hold, send back, stop the project, or override.

    At a gate with a policy, to approve or to stop is a vote; the answer is the entry of the vote, or of the decision
    that it brought. To override needs WORKFLOW_MANAGE instead, and to stop PROJECT_UPDATE too.
    """

    route = "POST /v1/phases/{phase_id}/gate"
    permission = Permission.GATE_DECIDE
    either = frozenset({Permission.GATE_DECIDE, Permission.WORKFLOW_MANAGE})
    creates = True
    decision: Decision
    reason: str = ""
    relock: bool = False
    seen_ground: str = ""
    """The hash of what the sender has read (``ApprovalPreview.ground``): refused if another deliverable, card or
    objective would be sealed than that."""

    def needs(self, view: Snapshot) -> Permission:
        """Return the permission of the decision: an override changes the workflow, the others decide at its gates."""
        return Permission.WORKFLOW_MANAGE if self.decision is Decision.OVERRIDE else self.permission

    def run(self, work: UnitOfWork) -> GateRecord:
        phase = self.load_unchanged(work)
        reason = many_lines(self.reason, "reason", most=REASON)
        if self.decision not in DECISIONS:
            raise InvalidInput("decision", f"Decide one of {names([each.value for each in DECISIONS])}.")
        if self.decision in REASON_NEEDED and not reason:
            raise InvalidInput("reason", f"To {self.decision.lower().replace('_', ' ')} takes a reason. Say why.")
        gate = GateToDecide.at(work, phase, relock=self.relock, seen_ground=self.seen_ground)
        if self.decision is Decision.STOP and gate.panel.decides(Vote.STOP):
            return gate.decide(Decision.STOP, reason, detail=describe_votes(gate.panel, (Vote.STOP,), None))
        if gate.panel.policy and self.decision in _VOTED:
            return gate.vote(_VOTED[self.decision], reason)
        if self.decision is not Decision.OVERRIDE:
            check_can_decide(work, gate.panel)
        return gate.decide(self.decision, reason)


_VOTED = {Decision.PASS: Vote.GO, Decision.STOP: Vote.STOP}
"""The decisions that a gate with a policy takes by votes."""


def said_by(record: Comment | GateRecord, user_id: Id, people: Mapping[Id, str]) -> str:
    """Return the author of a comment or gate record in words, as ``credit_entry`` does; if imported, who did so."""
    name = people.get(user_id, UNKNOWN)
    if isinstance(record, GateRecord):
        return credit_entry(record, name)
    if record.imported_by:
        name = credit_author(record.original_name, f"imported by {name}")
    return credit_author(name, record.through)
