"""Votes and meetings in the record: who decided, what became of each vote, and the seal of a meeting."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date

import pytest

from core.actions.history.history import ListHistory, Undo
from core.actions.projects.members import InviteMember
from core.actions.workflow.canvas import GetCanvas
from core.actions.workflow.gate_conditions import ListConditions
from core.actions.workflow.gate_policy import SetGatePolicy
from core.actions.workflow.gate_record import CompareWithSeal, GetSeal, ListGateDecisions
from core.actions.workflow.gate_votes import CastVote, MeetingVote, RecordMeeting
from core.actions.workflow.gates import CheckGate, DecideGate
from core.actions.workflow.phases import EditPhase
from core.domain.gate_policy import Deciding, Vote
from core.domain.gates import Decision, GateRecord
from core.domain.model import Gate, ProjectRole
from core.engine.unit_of_work import Actor
from core.errors import CannotUndo, LapsesApproval, RuleViolation
from core.rules.gate_seals import FORGED
from core.rules.seal_words import describe_seal
from tests.support.conditions import vote_go_if
from tests.support.workspace import World


@pytest.fixture
def panel(world: World) -> World:
    """Discover is a finished review; Maya, Bob and Gus are on its panel, two of them decide, and Maya is secretary."""
    world.do(EditPhase(phase_id=world.discover.id, gate=Gate.REVIEW))
    world.complete(world.task().id)
    world.do(InviteMember(project_id=world.project.id, user_id=world.gus.user_id, role=ProjectRole.CONTRIBUTOR))
    set_policy(world)
    return world


def set_policy(world: World, *, four_eyes: bool = False) -> None:
    world.do(
        SetGatePolicy(
            phase_id=world.discover.id,
            deciders=Deciding.PEOPLE,
            people=(world.maya.user_id, world.bob.user_id, world.gus.user_id),
            needed=2,
            four_eyes=four_eyes,
            secretary_id=world.maya.user_id,
            reason="A committee",
        )
    )


def vote(world: World, actor: Actor, vote: Vote = Vote.GO) -> GateRecord:
    reason = "Not yet" if vote is Vote.NO else ""
    return world.do(CastVote(phase_id=world.discover.id, vote=vote, reason=reason), as_=actor)


def said(world: World) -> list[str]:
    return [each.sentence for each in world.ask(ListGateDecisions(project_id=world.project.id))]


def test_a_decision_names_all_whose_votes_made_it(panel: World) -> None:
    vote(panel, panel.bob)
    vote(panel, panel.gus)
    approval = panel.ask(ListGateDecisions(project_id=panel.project.id))[-1]
    assert (approval.sentence, approval.role) == ("approved by 2 of 2 votes go (Bob Lind, Gus Roy), in force", "")
    decision, *_ = describe_seal(panel.ask(GetSeal(record_id=approval.record.id)).body, "approved", str)
    assert decision.lines[1] == "by the votes below, the last of them by Gus Roy (contributor)"
    panel.refuses(
        EditPhase(phase_id=panel.discover.id, objectives="Else"),
        LapsesApproval,
        r"This ends the approval of “Discover” of 2 Mar .* by 2 of 2 votes go \(Bob Lind, Gus Roy\): the objectives",
    )
    history = panel.ask(ListHistory(project_id=panel.project.id))
    assert {value.field for each in history[:2] for value in each.values} & {"ground", "recorded by"} == set()


def test_the_record_says_what_became_of_each_vote(panel: World) -> None:
    vote(panel, panel.bob, Vote.NO)
    panel.do(Undo(project_id=panel.project.id), as_=panel.bob)
    assert re.search(r"^withdrawn by Bob Lind: vote “no” of 2 Mar \d\d:\d\d by Bob Lind$", said(panel)[-1])
    vote(panel, panel.bob)
    panel.do(EditPhase(phase_id=panel.discover.id, objectives="Something else"))
    vote(panel, panel.bob)
    set_policy(panel, four_eyes=True)
    set_policy(panel)
    vote(panel, panel.bob, Vote.NO)
    vote(panel, panel.maya)
    vote(panel, panel.bob)
    assert [each for each in said(panel) if each.startswith("voted")] == [
        "voted no by Bob Lind, withdrawn",
        "voted go by Bob Lind, on an earlier state",
        "voted go by Bob Lind, the votes were ended",
        "voted no by Bob Lind, changed later",
        "voted go by Maya Okafor, counted",
        "voted go by Bob Lind, counted",
    ]


def test_the_seal_of_a_meeting_is_that_of_the_meeting(panel: World) -> None:
    vote(panel, panel.maya)  # beside the meeting, at which she was not
    votes = tuple(MeetingVote(user_id=each.user_id, vote=Vote.GO) for each in (panel.bob, panel.gus))
    record = panel.do(RecordMeeting(phase_id=panel.discover.id, day=date(2026, 3, 1), votes=votes))
    meeting = "the meeting of Sun 1 Mar 2026, recorded by Maya Okafor"
    lines = panel.ask(ListGateDecisions(project_id=panel.project.id))
    assert [(each.by, each.role) for each in lines if each.in_force] == [(meeting, "")]
    assert "Gus Roy, in the meeting of Sun 1 Mar 2026, recorded by Maya Okafor, not voted" in [
        each.by for each in lines
    ]
    assert [each.state for each in lines if each.words == "voted go"] == ["the votes were ended", "counted", "counted"]
    assert record.detail == "2 of 2 votes go (Bob Lind, Gus Roy); Maya Okafor absent"
    sections = describe_seal(panel.ask(GetSeal(record_id=record.id)).body, "approved", str)
    lines_of = {each.heading: each.lines for each in sections}
    assert lines_of["Decision"][1] == f"by {meeting}, who did not vote"
    assert lines_of["Votes"][1:] == ("Maya Okafor: absent", "Bob Lind: go", "Gus Roy: go")
    sql = "UPDATE gate_record SET meeting = '2026-03-02' WHERE id = :id"
    panel.database.write(lambda tx: tx.execute(sql, id=record.id))
    assert panel.ask(GetSeal(record_id=record.id)).note == FORGED


def test_a_refusal_speaks_to_the_person_and_names_a_hold_last(panel: World) -> None:
    set_policy(panel, four_eyes=True)
    panel.refuses(
        CastVote(phase_id=panel.discover.id, vote=Vote.GO),
        RuleViolation,
        "You cannot decide at this gate: you completed a card of it in this round",
    )
    panel.task()
    hold = DecideGate(phase_id=panel.discover.id, decision=Decision.HOLD, reason="The client is on leave.")
    panel.do(hold, as_=panel.bob)
    held = "one card is still open in it and it is held by Bob Lind since 2 Mar: The client is on leave"
    panel.refuses(CastVote(phase_id=panel.discover.id, vote=Vote.GO), RuleViolation, f"{held}.", as_=panel.bob)


def test_what_came_later_is_told_by_the_changes_and_not_by_the_clocks_of_the_servers(panel: World) -> None:
    """Each change is made at a server whose clock is two seconds behind that of the one before."""

    def do(step: Callable[..., object], *given: object, **fields: object) -> None:
        panel.clock.forward(seconds=-2)
        step(panel, *given, **fields)

    def decide(world: World, decision: Decision) -> None:
        reason = "The client is on leave"
        world.do(DecideGate(phase_id=world.discover.id, decision=decision, reason=reason, relock=True), world.bob)

    do(vote_go_if, panel.bob)
    assert [each.state for each in panel.ask(ListConditions(project_id=panel.project.id))] == ["proposed"]
    do(set_policy, four_eyes=True)
    assert panel.ask(CheckGate(phase_id=panel.discover.id)).votes == "0 of 2 votes go"
    assert said(panel)[-2] == "voted go if by Bob Lind, the votes were ended"
    dropped = "dropped: its vote does not count any more"
    assert [each.state for each in panel.ask(ListConditions(project_id=panel.project.id))] == [dropped]

    do(decide, Decision.HOLD)
    do(decide, Decision.LIFT)
    assert panel.ask(GetCanvas(project_id=panel.project.id)).head.columns[0].missing.hold == ""

    do(vote, panel.gus)
    since = panel.last_change()["seq"]
    do(vote, panel.bob)
    undo = Undo(project_id=panel.project.id, seq=since)
    panel.refuses(undo, CannotUndo, "The decision rests on it", as_=panel.gus)
    do(decide, Decision.SEND_BACK)
    do(vote, panel.gus)
    do(vote, panel.bob)
    approvals = [each for each in panel.ask(ListGateDecisions(project_id=panel.project.id)) if each.words == "approved"]
    assert [each.in_force for each in approvals] == [False, True]
    seal = panel.ask(CompareWithSeal(phase_id=panel.discover.id))
    assert seal.since
    assert seal.since.record.id == approvals[-1].record.id
    panel.do(EditPhase(phase_id=panel.discover.id, objectives="Else", allow_lapse="Asked for", relock=True))
    assert panel.row("gate_record", decision=Decision.LAPSE)["of_id"] == approvals[-1].record.id
