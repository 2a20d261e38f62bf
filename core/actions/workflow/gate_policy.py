"""The policy of a gate: who decides there, how many of them, four eyes, by when, and the secretary."""

from __future__ import annotations

from datetime import date

from core.actions.workflow.phases import PhaseCommand
from core.domain.gate_policy import MAX_PANEL, Deciding, GatePolicy, check_needed
from core.domain.gates import Decision
from core.domain.model import Gate, Id, Member, Phase, ProjectRole, User
from core.domain.products.products import MetaRole
from core.engine.unit_of_work import UnitOfWork
from core.errors import InvalidInput, RuleViolation
from core.record import made_from
from core.rules import items
from core.rules.approvals import confirm_reopening, record_gate_change
from core.rules.gate_panel import read_panel, store_policy
from core.text.dates import in_full


class PolicyCommand(PhaseCommand[Phase]):
    """The base of commands that change the policy: each is an entry of the gate's record, and ends votes."""

    relock: bool = False
    allow_lapse: str = ""
    reason: str = ""

    def replace_policy(self, work: UnitOfWork, phase: Phase, policy: GatePolicy | None) -> Phase:
        """Store another policy, or none. Raises RuleViolation if its number is above the panel."""
        was = read_panel(work, phase).who
        with confirm_reopening(work, work.scope, self):
            store_policy(work, phase, policy)
            panel = read_panel(work, phase)
            if policy and panel.needed > panel.size:
                raise InvalidInput(
                    "needed", f"“{phase.name}” has {panel.size} on its panel, and this takes {panel.needed}."
                )
            if policy and not panel.size:
                raise InvalidInput("deciders", f"No one in this project would be on the panel: {panel.who}.")
            detail, reason = f"from “{was}” to “{panel.who}”", self.reason or self.allow_lapse
            work.insert(record_gate_change(work, phase, Decision.POLICY_CHANGE, detail, reason))
            # so that one of two simultaneous changes is refused, also where an approval ended meanwhile
            phase = work.touch(work.get(Phase, project_id=phase.project_id, id=phase.id))
        work.say(f"set the policy of the gate of “{phase.name}”: {panel.who}")
        return phase


class SetGatePolicy(PolicyCommand):
    """Set who decides at the gate of a phase: the owners, the holders of a meta role, or named people.

    ``needed`` is the number of votes, null for all of the panel. ``four_eyes`` refuses those who did the work of the
    round. Changing it ends the votes that are in, and takes a ``reason`` once the phase has a decision or a completed
    card.
    """

    route = "PUT /v1/phases/{phase_id}/gate-policy"
    deciders: Deciding = Deciding.OWNERS
    meta_role_id: Id | None = None
    people: tuple[Id, ...] = ()
    needed: int | None = None
    four_eyes: bool = False
    decide_by: date | None = None
    secretary_id: Id | None = None

    def run(self, work: UnitOfWork) -> Phase:
        phase = self.load_unchanged(work)
        if phase.gate is not Gate.REVIEW:
            raise RuleViolation(f"The gate of “{phase.name}” is automatic. Make it a review first.")
        check_needed(self.needed)
        if (self.meta_role_id is not None) is not (self.deciders is Deciding.META_ROLE):
            raise InvalidInput("meta_role_id", "Name a meta role where its holders decide, and nowhere else.")
        if bool(self.people) is not (self.deciders is Deciding.PEOPLE):
            raise InvalidInput("people", "Name people where named people decide, and nowhere else.")
        if self.meta_role_id is not None:
            work.get(MetaRole, id=self.meta_role_id)
        if len(self.people) > MAX_PANEL:
            raise InvalidInput("people", f"A panel has at most {MAX_PANEL} people.")
        for user_id in self.people:
            check_can_be_on_panel(work, "people", user_id)
        if self.secretary_id is not None:
            check_can_be_on_panel(work, "secretary_id", self.secretary_id)
        before = work.find(GatePolicy, project_id=phase.project_id, phase_id=phase.id)
        if self.decide_by and self.decide_by < work.today and not (before and before.decide_by == self.decide_by):
            raise InvalidInput(
                "decide_by", f"The day to decide by is past: {in_full(self.decide_by)}. Choose today or a later day."
            )
        policy = made_from(
            GatePolicy,
            self,
            project_id=phase.project_id,
            people=tuple(dict.fromkeys(self.people)),
            decide_by=items.due_date(self.decide_by),
        )
        return self.replace_policy(work, phase, policy)


class RemoveGatePolicy(PolicyCommand):
    """Remove the policy of a gate: one owner decides there again."""

    route = "DELETE /v1/phases/{phase_id}/gate-policy"

    def run(self, work: UnitOfWork) -> Phase:
        phase = self.load_unchanged(work)
        if work.find(GatePolicy, project_id=phase.project_id, phase_id=phase.id) is None:
            raise RuleViolation(f"The gate of “{phase.name}” has no policy.")
        return self.replace_policy(work, phase, None)


def check_can_be_on_panel(work: UnitOfWork, field: str, user_id: Id) -> None:
    """Raise InvalidInput unless a person is an active owner or contributor: viewers decide nothing."""
    member = work.find(Member, project_id=work.scope, user_id=user_id)
    user = work.find(User, id=user_id)
    if user is None or member is None:
        raise InvalidInput(field, f"{user.name if user else user_id} is no member of this project. Invite them first.")
    if not user.active:
        raise InvalidInput(field, f"{user.name} is not active any more.")
    if member.role is ProjectRole.VIEWER:
        raise InvalidInput(field, f"{user.name} is a viewer, who decides nothing. Make them a contributor first.")
