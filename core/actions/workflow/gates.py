"""Gates: the check whether a phase can be approved, and the four decisions of an owner, which are stored for good."""

from __future__ import annotations

from collections.abc import Mapping

from core.actions.workflow.phases import PhaseCommand
from core.domain.gates import DECISION_WORDS, DECISIONS, Decision, GateRecord
from core.domain.max_lengths import REASON
from core.domain.model import Comment, GateState, Id, Phase, PhaseState
from core.domain.permissions import Permission
from core.domain.readiness import GateNote, ReadinessState
from core.domain.workflow import Workflow
from core.engine.messages import Query
from core.engine.unit_of_work import Snapshot, UnitOfWork
from core.errors import Blocker, InvalidInput, RuleViolation
from core.record import Record, made_from
from core.rules.approvals import Relocking, confirm_reopening, new_record
from core.rules.gate_readiness import Gates, Readiness
from core.rules.gate_seals import hash_of_ground, seal_decision
from core.rules.phases import read_workflow
from core.text.phrases import UNKNOWN, credit_author, names
from core.text.sanitize import many_lines

REASON_NEEDED = frozenset({Decision.SEND_BACK, Decision.OVERRIDE})


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
    """The people who can decide."""

    @classmethod
    def of(cls, workflow: Workflow, phase: Phase, found: Readiness) -> GateCheck:
        """Return the answer for a phase from what is missing at its gate."""
        return made_from(
            cls,
            found,
            phase=phase,
            phase_state=workflow.state(phase.id),
            blockers=found.points,
            who_can=found.deciders.names,
        )

    @classmethod
    def read(cls, view: Snapshot, workflow: Workflow, phase: Phase) -> GateCheck:
        """Read the answer for a phase of the project in view."""
        [found] = Gates(view, workflow, view.scope).whole([phase])
        return cls.of(workflow, phase, found)


class CheckGate(Query[GateCheck]):
    """Check whether the gate of a phase can be approved, and name all that is missing."""

    route = "GET /v1/phases/{phase_id}/gate"
    permission = Permission.PROJECT_VIEW
    phase_id: Id

    def scope(self, view: Snapshot) -> Id:
        return view.get(Phase, id=self.phase_id).project_id

    def run(self, view: Snapshot) -> GateCheck:
        workflow = read_workflow(view, view.scope)
        return GateCheck.read(view, workflow, workflow.phase(self.phase_id))


class DecideGate(PhaseCommand[GateRecord]):
    """Decide at a gate: approve (PASS), hold, send back or override.

    To override needs WORKFLOW_MANAGE instead.
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
        workflow = read_workflow(work, work.scope)
        reason = many_lines(self.reason, "reason", most=REASON)
        if self.decision not in DECISIONS:
            raise InvalidInput("decision", f"Decide one of {names([each.value for each in DECISIONS])}.")
        if self.decision in REASON_NEEDED and not reason:
            raise InvalidInput("reason", f"To {self.decision.lower().replace('_', ' ')} takes a reason. Say why.")
        if self.seen_ground and self.seen_ground != hash_of_ground(work, phase):
            raise RuleViolation(f"“{phase.name}” has changed since you looked at it. Close this and look at it again.")
        with confirm_reopening(work, work.scope, Relocking(self.relock)):
            decided = self._apply(work, workflow, phase)
        record = seal_decision(work, new_record(work, workflow, phase, self.decision, reason=reason), decided)
        what = "overrode the lock of" if self.decision is Decision.OVERRIDE else DECISION_WORDS[self.decision]
        work.say(f"{what} phase “{phase.name}”" + (f": {reason}" if reason else ""))
        return work.insert(record)

    def _apply(self, work: UnitOfWork, workflow: Workflow, phase: Phase) -> Phase:
        state = workflow.state(phase.id)
        match self.decision:
            case Decision.OVERRIDE:
                if state is not PhaseState.LOCKED:
                    raise RuleViolation(f"“{phase.name}” is not locked, so there is nothing to override.")
                return work.update(phase, overridden=True)
            case Decision.PASS:
                if refused := Gates(work, workflow, work.scope).refusal(phase):
                    raise refused
                if phase.gate_state is GateState.PASSED:
                    raise RuleViolation(f"“{phase.name}” is already approved. To reopen it, send it back.")
                return work.update(phase, gate_state=GateState.PASSED)
            case Decision.HOLD:
                if phase.gate_state is GateState.PASSED:
                    raise RuleViolation(f"“{phase.name}” is already approved. To reopen it, send it back.")
            case Decision.SEND_BACK:
                if state is PhaseState.LOCKED:
                    raise RuleViolation(f"“{phase.name}” is locked, so there is nothing to send back.")
                return work.update(phase, gate_state=GateState.SENT_BACK)
        return phase


def said_by(record: Comment | GateRecord, user_id: Id, people: Mapping[Id, str]) -> str:
    """Return the author of a comment or gate record in words; if imported, with the user who imported it."""
    name = people.get(user_id, UNKNOWN)
    if record.imported_by:
        name = credit_author(record.original_name, f"imported by {name}")
    return credit_author(name, record.through)
