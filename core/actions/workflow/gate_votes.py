"""Votes at a gate with a policy, and the decisions of meetings."""

from __future__ import annotations

from datetime import date, timedelta

from core.actions.workflow.gate_decisions import ConditionAsked, GateToDecide
from core.actions.workflow.phases import PhaseCommand
from core.domain.gate_policy import VOTE_WORDS, Vote
from core.domain.gates import Decision, GateRecord
from core.domain.max_lengths import CARD_TITLE, REASON
from core.domain.model import Id, Phase, Project
from core.domain.notifications import Notification, NotificationKind
from core.domain.permissions import Permission
from core.engine.messages import Command
from core.engine.project_guard import names_of
from core.engine.unit_of_work import Snapshot, UnitOfWork
from core.errors import InvalidInput, RuleViolation
from core.record import Record
from core.rules.approvals import approval_in_force, end_approval, new_entry, stop_in_force
from core.rules.gate_panel import Panel, read_panel
from core.rules.notifications import notify
from core.text.dates import in_full
from core.text.sanitize import many_lines, one_line

OLDEST_MEETING = timedelta(days=366)
CONTRADICTED_WITHIN = timedelta(days=14)
"""The time in which a person can contradict what was recorded of them."""


class CastVote(PhaseCommand[GateRecord]):
    """Vote at a gate with a policy: go, go if (with a condition, a person and a day), no or stop (with a reason).

    A vote can be changed by another one until the decision falls. The answer is the entry of the vote, or of the
    decision that it brought.
    """

    route = "POST /v1/phases/{phase_id}/votes"
    permission = Permission.GATE_DECIDE
    creates = True
    vote: Vote
    reason: str = ""
    condition: str = ""
    person_id: Id | None = None
    due: date | None = None
    relock: bool = False
    seen_ground: str = ""
    """As in ``DecideGate``."""

    def run(self, work: UnitOfWork) -> GateRecord:
        gate = GateToDecide.at(work, self.load_unchanged(work), relock=self.relock, seen_ground=self.seen_ground)
        if gate.panel.policy is None:
            raise RuleViolation(f"The gate of “{gate.phase.name}” has no policy: approve it, or say first who decides.")
        reason = many_lines(self.reason, "reason", most=REASON)
        return gate.vote(self.vote, reason, asked_condition(self))


class MeetingVote(Record):
    """A vote that a person of the panel gave in a meeting."""

    user_id: Id
    vote: Vote
    reason: str = ""
    condition: str = ""
    person_id: Id | None = None
    due: date | None = None


def asked_condition(given: CastVote | MeetingVote) -> ConditionAsked | None:
    """Return the checked condition of a vote; None for a vote that takes none. Raises InvalidInput."""
    if given.vote is not Vote.GO_IF:
        if given.condition or given.person_id or given.due:
            raise InvalidInput("condition", f"A vote “{VOTE_WORDS[given.vote]}” takes no condition.")
        return None
    if given.person_id is None:
        raise InvalidInput("person_id", "Who meets the condition? Name a member of the project.")
    if given.due is None:
        raise InvalidInput("due", "Until when? Give the condition a day.")
    return ConditionAsked(one_line(given.condition, "condition", most=CARD_TITLE), given.person_id, given.due)


class RecordMeeting(PhaseCommand[GateRecord]):
    """Record the decision of a meeting: only the secretary whom the policy names can, and it has to fulfil the policy.

    Whom ``votes`` does not name was absent. Each active person of the panel gets a line in the inbox, with which they
    can contradict within 14 days; that ends the approval.
    """

    route = "POST /v1/phases/{phase_id}/meetings"
    permission = Permission.GATE_DECIDE
    creates = True
    day: date
    votes: tuple[MeetingVote, ...]
    reason: str = ""
    relock: bool = False

    def run(self, work: UnitOfWork) -> GateRecord:
        gate = GateToDecide.at(work, self.load_unchanged(work), relock=self.relock)
        me = work.actor.user_id
        if gate.panel.policy is None or gate.panel.policy.secretary_id != me:
            who = gate.panel.secretary or "and its policy names none"
            raise RuleViolation(f"Only the secretary of this gate can record a meeting: {who}.")
        if self.day < work.today - OLDEST_MEETING:
            raise InvalidInput("day", f"{in_full(self.day)} is more than a year ago. Check the day of the meeting.")
        if self.day > work.today:
            raise InvalidInput("day", f"{in_full(self.day)} is not here yet. A meeting is recorded after it.")
        if len({each.user_id for each in self.votes}) < len(self.votes):
            raise InvalidInput("votes", "Name each person once.")
        by = f"recorded by {names_of(work, [me]).get(me, me)}, not voted"
        fields = {"meeting": self.day, "recorded_by": me}
        if any(each.vote for each in gate.panel.members):
            what = f"the meeting of {in_full(self.day)} was recorded"
            work.insert(new_entry(work, gate.phase.id, gate.phase.name, Decision.VOTES_ENDED, detail=what))
        for each in self.votes:
            self._check_on_panel(gate.panel, each)
            reason = many_lines(each.reason, "reason", most=REASON)
            gate.record_vote(each.vote, reason, asked_condition(each), each.user_id, means=by, **fields)
        reason = many_lines(self.reason, "reason", most=REASON)
        decided = gate.let_fall(Vote.GO, reason, **fields) or gate.let_fall(Vote.STOP, reason, **fields)
        if decided is None:
            raise RuleViolation(
                f"This does not decide: it takes {gate.panel.needed} of the panel to vote go, or to stop."
            )
        voted = [each.user_id for each in self.votes]
        absent = [each.user_id for each in gate.panel.members if each.is_present and each.user_id not in voted]
        notify(work, NotificationKind.MEETING, gate.phase.id, voted, words=decided.id)
        notify(work, NotificationKind.ABSENT, gate.phase.id, absent, words=decided.id)
        return decided

    def _check_on_panel(self, panel: Panel, vote: MeetingVote) -> None:
        member = panel.member(vote.user_id)
        if member is None:
            raise InvalidInput("votes", f"{vote.user_id} is not on the panel of this gate.")
        if member.why_not:
            raise InvalidInput("votes", f"{member.name} cannot decide at this gate: {member.why_not}.")


class ContradictMeeting(Command[GateRecord]):
    """Contradict what a secretary recorded of you in a meeting, within 14 days: the approval ends, or the stop.

    Also who was recorded as absent can, by the notification of that. The secretary and the rest of the panel get one.
    """

    route = "POST /v1/gate-records/{record_id}/contradiction"
    permission = Permission.PROJECT_VIEW
    creates = True
    in_archive = True
    record_id: Id
    reason: str

    def scope(self, view: Snapshot) -> Id:
        return view.get(GateRecord, id=self.record_id).project_id

    def run(self, work: UnitOfWork) -> GateRecord:
        record = work.get(GateRecord, project_id=work.scope, id=self.record_id)
        phase = work.get(Phase, project_id=work.scope, id=record.phase_id)
        reason = many_lines(self.reason, "reason", most=REASON)
        if not reason:
            raise InvalidInput("reason", "Say what is not true of what was recorded.")
        self._check_named(work, record)
        self._check_in_time(work, record)
        project = work.get(Project, id=work.scope)
        is_stop = record == stop_in_force(work, project)
        if not is_stop and record != approval_in_force(work, phase):
            raise RuleViolation("This decision is not in force any more.")
        work.say(f"contradicted the meeting that decided about “{phase.name}”: {reason}")
        panel = [each.user_id for each in read_panel(work, phase).members]
        people = [*([record.recorded_by] if record.recorded_by else []), *panel]
        notify(work, NotificationKind.CONTRADICTION, phase.id, people, words=reason)
        me = work.actor.user_id
        what = f"{names_of(work, [me]).get(me, me)} contradicted the record of the meeting"
        if not is_stop:
            return end_approval(work, phase, record, what, reason)
        work.update(project, archived=False)
        fields = {"reason": reason, "detail": what, "of_id": record.id}
        return work.insert(new_entry(work, phase.id, phase.name, Decision.REOPENING, **fields))

    def _check_named(self, work: UnitOfWork, record: GateRecord) -> None:
        """Raise RuleViolation unless the meeting has a vote of the sender, or they were told that they were absent."""
        me = work.actor.user_id
        voted = work.all(
            GateRecord,
            "project_id = :project_id AND phase_id = :phase_id AND by_id = :me AND recorded_by = :by AND seq = :seq"
            " AND decision LIKE 'VOTE%' AND withdrawn = 0 AND imported_by IS NULL",
            project_id=work.scope,
            phase_id=record.phase_id,
            me=me,
            by=record.recorded_by or "",
            seq=record.seq,
        )
        absent = {"user_id": me, "kind": NotificationKind.ABSENT, "words": record.id}
        if not voted and not work.find(Notification, project_id=work.scope, **absent):
            raise RuleViolation("It names no vote of yours, so there is nothing for you to contradict.")

    def _check_in_time(self, work: UnitOfWork, record: GateRecord) -> None:
        """Raise RuleViolation once the time to contradict is over. A redo, which brings the record back, begins it."""
        again = "project_id = :project_id AND of_id = :id AND decision = 'RESTORATION'"
        since = max(each.at for each in (record, *work.all(GateRecord, again, project_id=work.scope, id=record.id)))
        until = since + CONTRADICTED_WITHIN
        if work.now > until:
            raise RuleViolation(f"It could be contradicted until {in_full(until.date())}.")
