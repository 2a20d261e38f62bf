"""Gates: whether a phase may pass, and the four decisions of an owner, kept for good."""

from __future__ import annotations

from dataclasses import dataclass

from core.actions.phases import PhaseCommand
from core.errors import InvalidInput, Obstacle, RuleRefused
from core.messages import Query
from core.model import Decision, GateRecord, Id, Phase, PhaseState, Verdict
from core.rights import Permission
from core.text import many_lines
from core.work import View, Work, new_id
from core.workflow import Workflow, locked, no_silent_relock, open_items, owners, what_it_lacks

VERBS = {
    Decision.PASS: "passed",
    Decision.HOLD: "held",
    Decision.SEND_BACK: "sent back",
    Decision.OVERRIDE: "opened by override",
}

REASON_NEEDED = frozenset({Decision.SEND_BACK, Decision.OVERRIDE})


@dataclass(frozen=True, slots=True, kw_only=True)
class GateCheck:
    """Whether a phase may pass its gate, and what stands in the way: the same answer on every front end."""

    phase: Phase
    state: PhaseState
    may_pass: bool
    reason: str
    """One sentence: why it may pass, or the rule that refuses."""
    obstacles: tuple[Obstacle, ...]
    who_can: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckGate(Query[GateCheck]):
    """Say whether a phase is open and may pass its gate, and if not, why."""

    route = "GET /v1/phases/{phase_id}/gate"
    permission = Permission.PROJECT_VIEW
    phase_id: Id

    def scope(self, view: View) -> Id:
        return view.get(Phase, id=self.phase_id).project_id

    def run(self, view: View) -> GateCheck:
        workflow = Workflow.of(view, view.scope)
        phase = workflow.phase(self.phase_id)
        state = workflow.state(phase.id)
        may_pass, reason, obstacles = False, f"“{phase.name}” may pass.", open_items(view, [phase])
        if state is PhaseState.LOCKED:
            refused = locked(view, workflow, phase.id, f"“{phase.name}” cannot pass")
            reason, obstacles = str(refused), refused.obstacles
        elif workflow.tally(phase.id).open:
            reason = f"“{phase.name}” cannot pass: {count_of(workflow.tally(phase.id).open)} still open in it."
        else:
            may_pass, obstacles = True, ()
            if state is PhaseState.COMPLETE:
                reason = f"“{phase.name}” is complete."
            else:
                reason = f"“{phase.name}” may pass: it {what_it_lacks(phase)}."
        return GateCheck(
            phase=phase,
            state=state,
            may_pass=may_pass,
            reason=reason,
            obstacles=obstacles,
            who_can=owners(view, view.scope),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class DecideGate(PhaseCommand[GateRecord]):
    """Decide at a gate: pass, hold, send back or override."""

    route = "POST /v1/phases/{phase_id}/gate"
    decision: Decision
    reason: str = ""
    relock: bool = False

    def run(self, work: Work) -> GateRecord:
        phase = self.seen(work)
        workflow = Workflow.of(work, work.scope)
        reason = many_lines(self.reason, "reason", most=2_000)
        if self.decision in REASON_NEEDED and not reason:
            raise InvalidInput("reason", f"To {self.decision.lower().replace('_', ' ')} takes a reason. Say why.")
        with no_silent_relock(work, work.scope, self.relock):
            self._apply(work, workflow, phase)
        tally = workflow.tally(phase.id)
        record = GateRecord(
            project_id=work.scope,
            id=new_id(),
            phase_id=phase.id,
            decision=self.decision,
            by_id=work.actor.user_id,
            at=work.now,
            reason=reason,
            completed=tally.completed,
            total=tally.total,
        )
        work.say(f"{VERBS[self.decision]} phase “{phase.name}”" + (f": {reason}" if reason else ""))
        return work.insert(record)

    def _apply(self, work: Work, workflow: Workflow, phase: Phase) -> None:
        state = workflow.state(phase.id)
        match self.decision:
            case Decision.OVERRIDE:
                if state is not PhaseState.LOCKED:
                    raise RuleRefused(f"“{phase.name}” is not locked, so there is nothing to override.")
                work.update(phase, overridden=True)
            case Decision.PASS:
                self._refuse_unready(work, workflow, phase)
                work.update(phase, verdict=Verdict.PASSED)
            case Decision.HOLD:
                if phase.verdict is Verdict.PASSED:
                    raise RuleRefused(f"“{phase.name}” has passed already. Send it back to reopen it.")
            case Decision.SEND_BACK:
                if state is PhaseState.LOCKED:
                    raise RuleRefused(f"“{phase.name}” is locked, so there is nothing to send back.")
                work.update(phase, verdict=Verdict.SENT_BACK)

    def _refuse_unready(self, work: Work, workflow: Workflow, phase: Phase) -> None:
        if workflow.state(phase.id) is PhaseState.LOCKED:
            raise locked(work, workflow, phase.id, f"“{phase.name}” cannot pass")
        still_open = workflow.tally(phase.id).open
        if still_open:
            raise RuleRefused(
                f"“{phase.name}” cannot pass: {count_of(still_open)} still open in it.",
                obstacles=open_items(work, [phase]),
                who_can=owners(work, work.scope),
            )


def count_of(items: int) -> str:
    """A number of items with its verb."""
    return "one item is" if items == 1 else f"{items} items are"
