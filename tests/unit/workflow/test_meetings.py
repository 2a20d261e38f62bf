"""Meetings: what a secretary records of them, and who can contradict it."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest

from core.actions.history.history import Redo, Undo
from core.actions.personal.inbox import ListInbox
from core.actions.workflow.gate_conditions import ListConditions
from core.actions.workflow.gate_record import ListGateDecisions
from core.actions.workflow.gate_votes import ContradictMeeting, MeetingVote, RecordMeeting
from core.actions.workflow.gates import DecideGate
from core.actions.workflow.phases import EditPhase
from core.domain.gate_policy import Vote
from core.domain.gates import Decision, GateRecord
from core.domain.model import Gate, GateState
from core.errors import InvalidInput, RuleViolation
from tests.support.panel import entries, inbox, set_policy, vote, with_panel
from tests.support.workspace import World


@pytest.fixture
def panel(world: World) -> World:
    return with_panel(world)


def meeting(panel: World, vote: Vote, day: date | None = None) -> GateRecord:
    """A meeting recorded by Maya, in which Bob and Gus voted so."""
    set_policy(panel, needed=2, secretary_id=panel.maya.user_id)
    votes = tuple(MeetingVote(user_id=each.user_id, vote=vote, reason="Talked over") for each in (panel.bob, panel.gus))
    return panel.do(RecordMeeting(phase_id=panel.discover.id, day=day or panel.clock.now.date(), votes=votes))


def test_only_the_secretary_records_a_meeting_and_a_named_person_can_contradict(panel: World) -> None:
    votes = (MeetingVote(user_id=panel.bob.user_id, vote=Vote.GO), MeetingVote(user_id=panel.gus.user_id, vote=Vote.GO))
    meeting = RecordMeeting(phase_id=panel.discover.id, day=panel.clock.now.date(), votes=votes)
    with pytest.raises(RuleViolation, match="Only the secretary"):
        panel.do(meeting)
    set_policy(panel, needed=2, secretary_id=panel.maya.user_id)
    with pytest.raises(InvalidInput, match="not here yet"):
        panel.do(RecordMeeting(phase_id=panel.discover.id, day=panel.clock.now.date() + timedelta(1), votes=votes))
    vote(panel, panel.bob)  # who is absent from the next
    with pytest.raises(RuleViolation, match="does not decide"):
        panel.do(RecordMeeting(phase_id=panel.discover.id, day=panel.clock.now.date(), votes=votes[1:]))
    record = panel.do(meeting)
    assert (record.decision, record.meeting) == (Decision.PASS, panel.clock.now.date())
    said = [each.by for each in panel.ask(ListGateDecisions(project_id=panel.project.id))]
    assert any(each.endswith("recorded by Maya Okafor, not voted") for each in said)
    with pytest.raises(RuleViolation, match="names no vote of yours"):
        panel.do(ContradictMeeting(record_id=record.id, reason="I was not there"))
    asked = "Maya Okafor recorded your vote in a meeting: contradict it within 14 days if it is not true"
    assert inbox(panel, panel.bob) == [asked]
    was = entries(panel)
    panel.do(Undo(project_id=panel.project.id))
    assert entries(panel)[len(was) :] == [Decision.WITHDRAWAL]  # one for the decision with its votes
    panel.do(Redo(project_id=panel.project.id))
    assert entries(panel)[len(was) :] == [Decision.WITHDRAWAL, Decision.RESTORATION]
    panel.do(ContradictMeeting(record_id=record.id, reason="I was not there."), as_=panel.bob)
    assert entries(panel)[-1] is Decision.LAPSE
    ended = "Bob Lind contradicted the record of a meeting, and its decision ended: I was not there"
    assert [ended in inbox(panel, each) for each in (panel.maya, panel.gus, panel.bob)] == [True, True, False]
    assert panel.row("phase", id=panel.discover.id)["gate_state"] == GateState.NONE


def test_who_was_recorded_as_absent_can_contradict_within_14_days_too(panel: World) -> None:
    set_policy(panel, needed=1, secretary_id=panel.maya.user_id)
    votes = (MeetingVote(user_id=panel.bob.user_id, vote=Vote.GO),)
    record = panel.do(RecordMeeting(phase_id=panel.discover.id, day=panel.clock.now.date(), votes=votes))
    said = "Maya Okafor recorded you as absent in a meeting: contradict it within 14 days if it is not true"
    [line] = [each for each in panel.ask(ListInbox(), panel.gus).lines if each.target_kind == "PHASE"]
    assert (line.words, line.record_id) == (said, record.id)
    contradict = ContradictMeeting(record_id=record.id, reason="I was there, against it")
    panel.refuses(contradict, RuleViolation, "names no vote of yours", panel.vera)
    panel.clock.forward(days=15)
    panel.refuses(contradict, RuleViolation, "could be contradicted until", panel.gus)
    panel.clock.forward(days=-2)
    assert panel.do(contradict, panel.gus).decision is Decision.LAPSE


def test_a_condition_of_a_contradicted_meeting_binds_no_more(panel: World) -> None:
    set_policy(panel, needed=1, secretary_id=panel.maya.user_id)
    asked: dict[str, Any] = {"condition": "Name cleared", "person_id": panel.bob.user_id, "due": date(2026, 3, 20)}
    votes = (MeetingVote(user_id=panel.bob.user_id, vote=Vote.GO_IF, **asked),)
    record = panel.do(RecordMeeting(phase_id=panel.discover.id, day=panel.clock.now.date(), votes=votes))
    panel.do(ContradictMeeting(record_id=record.id, reason="I said no"), panel.bob)
    [found] = panel.ask(ListConditions(project_id=panel.project.id))
    assert found.state == "dropped: its decision was contradicted"
    vote(panel, panel.gus)
    [found] = panel.ask(ListConditions(project_id=panel.project.id))
    assert found.state == "dropped: the gate was decided again"


def test_a_meeting_counts_no_vote_from_beside_it_and_has_a_likely_day(panel: World) -> None:
    with pytest.raises(InvalidInput, match="more than a year ago"):
        meeting(panel, Vote.GO, date(1900, 1, 1))
    vote(panel, panel.maya, Vote.NO)
    assert "Maya Okafor absent" in meeting(panel, Vote.GO).detail


def test_what_a_redo_brings_back_can_be_contradicted_for_another_fortnight(panel: World) -> None:
    record = meeting(panel, Vote.GO)
    panel.do(Undo(project_id=panel.project.id))
    panel.clock.forward(days=20)
    panel.do(Redo(project_id=panel.project.id))
    panel.do(ContradictMeeting(record_id=record.id, reason="I was away"), as_=panel.bob)
    assert panel.row("phase", id=panel.discover.id)["gate_state"] == GateState.NONE


def test_the_stop_of_a_meeting_is_contradicted_too_and_the_project_goes_on(panel: World) -> None:
    record = meeting(panel, Vote.STOP)
    assert panel.row("project", id=panel.project.id)["archived"] == 1
    entry = panel.do(ContradictMeeting(record_id=record.id, reason="I was away"), as_=panel.bob)
    assert (entry.decision, panel.row("project", id=panel.project.id)["archived"]) == (Decision.REOPENING, 0)


def test_the_approval_of_a_meeting_is_contradicted_in_a_stopped_project_which_stays_stopped(panel: World) -> None:
    record = meeting(panel, Vote.GO)
    panel.do(EditPhase(phase_id=panel.build.id, gate=Gate.REVIEW))
    panel.do(DecideGate(phase_id=panel.build.id, decision=Decision.STOP, reason="No budget"))
    entry = panel.do(ContradictMeeting(record_id=record.id, reason="I was away"), as_=panel.bob)
    assert (entry.decision, entry.of_id, entry.phase_name) == (Decision.LAPSE, record.id, "Discover")
    assert panel.row("phase", id=panel.discover.id)["gate_state"] == GateState.NONE
    assert panel.row("project", id=panel.project.id)["archived"] == 1
    assert entries(panel)[-2:] == [Decision.STOP, Decision.LAPSE]
