"""Conditions of gates: listed with their states, and waived by a person who can decide."""

from __future__ import annotations

from core.domain.gate_policy import GateCondition
from core.domain.gates import Decision
from core.domain.max_lengths import REASON
from core.domain.model import Id, Status
from core.domain.permissions import Permission
from core.engine.messages import Command, ProjectQuery
from core.engine.unit_of_work import Snapshot, UnitOfWork
from core.errors import InvalidInput, RuleViolation
from core.rules.approvals import end_votes, new_record
from core.rules.gate_conditions import ConditionState, find_conditions, panel_of
from core.rules.gate_panel import check_can_decide
from core.rules.items import archive
from core.rules.phases import read_workflow
from core.text.sanitize import many_lines


class ListConditions(ProjectQuery[tuple[ConditionState, ...]]):
    """List the conditions of the gates of a project, the oldest first, each with its state in words."""

    route = "GET /v1/projects/{project_id}/conditions"
    permission = Permission.PROJECT_VIEW

    def run(self, view: Snapshot) -> tuple[ConditionState, ...]:
        return tuple(find_conditions(view, self.project_id))


class WaiveCondition(Command[GateCondition]):
    """Waive a condition that is not met, with a reason: the next gate does not wait for it any more.

    It is an entry in the record of that gate. Its card is archived, if it is still open.
    """

    route = "POST /v1/conditions/{condition_id}/waiver"
    permission = Permission.GATE_DECIDE
    condition_id: Id
    reason: str

    def scope(self, view: Snapshot) -> Id:
        return view.get(GateCondition, id=self.condition_id).project_id

    def run(self, work: UnitOfWork) -> GateCondition:
        reason = many_lines(self.reason, "reason", most=REASON)
        if not reason:
            raise InvalidInput("reason", "To waive a condition takes a reason. Say why.")
        [found] = find_conditions(work, work.scope, "gate_condition.id = :id", id=self.condition_id)
        condition = found.condition
        if not found.is_waiting or condition.next_phase_id is None:
            raise RuleViolation(f"“{condition.text}” is {found.state}, so no gate waits for it.")
        check_can_decide(work, panel_of(work, condition))
        workflow = read_workflow(work, work.scope)
        phase = workflow.phase(condition.next_phase_id)
        work.insert(new_record(work, workflow, phase, Decision.WAIVER, reason=reason, detail=found.phrase))
        waived = work.update(condition, waived_by=work.actor.user_id, waived_at=work.now, waiver=reason)
        is_open = found.card is not None and found.card.status is not Status.ARCHIVED
        if found.card and is_open:
            first = len(work.changes)
            archive(work, found.card)
            end_votes(work, work.changes[first:])
        work.say(f"waived {found.phrase}{', and archived its card' if is_open else ''}: {reason}")
        return waived
