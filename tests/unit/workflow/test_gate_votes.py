"""Gates with a policy: who can vote, which votes count, when the decision falls, and what ends votes."""

from __future__ import annotations

from typing import Any

import pytest

from core.actions.cards.tasks import CreateTask
from core.actions.history.history import Redo, Undo
from core.actions.projects.members import RemoveMember, SetProjectRole
from core.actions.projects.projects import RestoreProject
from core.actions.workflow.canvas import GetCanvas
from core.actions.workflow.deliverables import AddDeliverable, Deliver
from core.actions.workflow.gate_policy import RemoveGatePolicy, SetGatePolicy
from core.actions.workflow.gate_record import GetSeal
from core.actions.workflow.gates import DecideGate
from core.actions.workflow.phases import EditPhase, RemovePhase
from core.actions.workspace.meta_roles import SetMetaRoles
from core.domain.gate_policy import Deciding, Vote
from core.domain.gates import Decision
from core.domain.model import Gate, GateState, PhaseState, ProjectRole
from core.domain.readiness import TO_STOP, Deciders
from core.errors import CannotUndo, Forbidden, InvalidInput, LapsesApproval, PodiumError, RuleViolation, VersionConflict
from core.record import replace
from tests.support.panel import check, entries, inbox, set_policy, vote, with_panel
from tests.support.workspace import World


@pytest.fixture
def panel(world: World) -> World:
    return with_panel(world)


def test_the_decision_falls_with_the_vote_that_reaches_the_number(panel: World) -> None:
    assert vote(panel, panel.bob).decision is Decision.VOTE_GO
    assert check(panel).votes == "1 of 2 votes go"
    assert "ready for your vote" in check(panel).reason
    assert "waits for the vote of" in check(panel, panel.bob).reason
    decided = vote(panel, panel.gus)
    assert (decided.decision, decided.detail) == (
        Decision.PASS,
        "2 of 2 votes go (Bob Lind, Gus Roy); Maya Okafor –",
    )
    assert check(panel).phase_state is PhaseState.COMPLETE
    words = str(panel.ask(GetSeal(record_id=decided.id)).body)
    assert '"policy":"2 of Maya' in words
    assert words.count('"vote":"go"') == 2
    with pytest.raises(RuleViolation, match="already approved"):
        vote(panel, panel.maya)


def test_an_approval_of_a_gate_with_a_policy_is_a_vote_and_a_no_counts_against_nothing(panel: World) -> None:
    approve = DecideGate(phase_id=panel.discover.id, decision=Decision.PASS)
    assert vote(panel, panel.bob, Vote.NO).decision is Decision.VOTE_NO
    assert panel.do(approve).decision is Decision.VOTE_GO
    assert check(panel).votes == "1 of 2 votes go, 1 no"
    assert panel.do(approve, as_=panel.gus).decision is Decision.PASS


def test_who_is_not_on_the_panel_is_refused_whatever_the_role(panel: World) -> None:
    set_policy(panel, people=(panel.bob.user_id,), needed=1)
    with pytest.raises(RuleViolation, match="not on the panel"):
        vote(panel, panel.maya)
    with pytest.raises(Forbidden):
        vote(panel, panel.vera)
    with pytest.raises(Forbidden):
        vote(panel, panel.gus)
    assert vote(panel, panel.bob).decision is Decision.PASS


def test_a_contributor_of_one_panel_decides_at_no_other_gate(panel: World) -> None:
    vote(panel, panel.bob)
    vote(panel, panel.gus)
    panel.complete(panel.task(phase=panel.build).id)
    for decision in (Decision.PASS, Decision.HOLD, Decision.SEND_BACK):
        with pytest.raises(RuleViolation, match="its owners decide"):
            panel.do(DecideGate(phase_id=panel.build.id, decision=decision, reason="x"), as_=panel.bob)


def test_four_eyes_refuse_the_last_to_complete_until_the_next_round(panel: World) -> None:
    set_policy(panel, needed=1, four_eyes=True)
    with pytest.raises(RuleViolation, match="completed a card of it in this round"):
        vote(panel, panel.maya)
    assert [each.can_decide for each in check(panel).panel.members] == [False, True, True]
    panel.clock.forward(minutes=1)
    panel.do(
        DecideGate(phase_id=panel.discover.id, decision=Decision.SEND_BACK, reason="x", relock=True), as_=panel.bob
    )
    assert vote(panel, panel.maya).decision is Decision.PASS


def test_all_of_the_panel_is_counted_on_those_who_are_there_and_never_met_by_nobody(panel: World) -> None:
    set_policy(panel, needed=None)
    vote(panel, panel.maya)
    vote(panel, panel.bob)
    panel.do(RemoveMember(project_id=panel.project.id, user_id=panel.gus.user_id))
    found = check(panel)
    assert (found.needed, found.votes) == (2, "2 of 2 votes go")
    assert [each.why_not for each in found.panel.members] == ["", "", "left the project"]
    assert vote(panel, panel.bob).decision is Decision.PASS  # whose vote is given again, on the smaller panel


def test_a_number_above_the_panel_is_refused_when_set_and_said_when_it_comes_about(panel: World) -> None:
    with pytest.raises(InvalidInput, match="has 3 on its panel, and this takes 4"):
        set_policy(panel, needed=4)
    with pytest.raises(InvalidInput, match="1 vote or more"):
        set_policy(panel, needed=0)
    with pytest.raises(RuleViolation, match="Remove the policy, or make"):
        panel.do(EditPhase(phase_id=panel.discover.id, gate=Gate.AUTOMATIC, reason="Simpler"))
    panel.do(RemoveMember(project_id=panel.project.id, user_id=panel.gus.user_id))
    panel.do(SetProjectRole(project_id=panel.project.id, user_id=panel.bob.user_id, role=ProjectRole.VIEWER))
    found = check(panel)
    assert "cannot be decided: 1 of 1 decider can decide, and it takes 2" in found.reason
    assert "name another decider, set another policy, or override" in found.reason


def test_votes_end_when_the_bound_part_changes_and_count_again_after_its_undo(panel: World) -> None:
    vote(panel, panel.bob)
    panel.do(EditPhase(phase_id=panel.discover.id, objectives="Something else"))
    found = check(panel)
    assert (found.votes, [each.by_id for each in found.panel.earlier]) == ("0 of 2 votes go", [panel.bob.user_id])
    assert entries(panel)[-1] is Decision.VOTES_ENDED
    panel.do(Undo(project_id=panel.project.id))
    assert check(panel).votes == "1 of 2 votes go"
    for cast, objectives in ((Vote.NO, "Another one"), (Vote.GO, "A third one")):
        vote(panel, panel.bob, cast)
        panel.do(EditPhase(phase_id=panel.discover.id, objectives=objectives))
    assert [each for each in check(panel).panel.lines if "earlier" in each] == ["Bob Lind: go, on an earlier state"]


@pytest.mark.parametrize("close", ["complete", "archive"])
def test_votes_end_when_the_last_open_card_is_closed(panel: World, close: str) -> None:
    card = panel.task()
    vote(panel, panel.bob, Vote.STOP)
    vote(panel, panel.gus, Vote.NO)
    panel.start(card.id)
    assert check(panel).votes == "0 of 2 votes go, 1 no, 1 to stop"
    panel.complete(card.id) if close == "complete" else panel.archive(card.id)
    assert check(panel).votes == "0 of 2 votes go"
    assert len(check(panel).panel.earlier) == 2
    panel.do(Undo(project_id=panel.project.id))
    assert check(panel).votes == "0 of 2 votes go, 1 no, 1 to stop"


def test_a_vote_that_comes_back_counts_only_for_what_it_was_given_on(panel: World) -> None:
    """By redo, by the undo of what ended its round, and with the meta role of its person."""
    edit = EditPhase(phase_id=panel.discover.id, objectives="Something else")
    vote(panel, panel.bob)
    panel.do(Undo(project_id=panel.project.id), as_=panel.bob)
    panel.do(edit)
    panel.do(Redo(project_id=panel.project.id), as_=panel.bob)
    assert check(panel).votes == "0 of 2 votes go"
    assert [each.by_id for each in check(panel).panel.earlier] == [panel.bob.user_id]
    vote(panel, panel.gus)
    back = DecideGate(phase_id=panel.discover.id, decision=Decision.SEND_BACK, reason="Once more", relock=True)
    panel.do(back, as_=panel.bob)
    panel.do(replace(edit, objectives="Something else again"))
    panel.do(Undo(project_id=panel.project.id), as_=panel.bob)
    assert check(panel).votes == "0 of 2 votes go"
    role = panel.meta_role("Approver")
    given = SetMetaRoles(project_id=panel.project.id, user_id=panel.bob.user_id, meta_role_ids=(role,))
    panel.do(given)
    set_policy(panel, deciders=Deciding.META_ROLE, meta_role_id=role, people=(), needed=1)
    panel.do(replace(given, user_id=panel.gus.user_id))
    vote(panel, panel.bob, Vote.NO)
    panel.do(replace(given, meta_role_ids=()))
    panel.do(edit)
    panel.do(given)
    assert "no" not in check(panel).votes


def test_only_a_review_has_a_policy(panel: World) -> None:
    automatic = EditPhase(phase_id=panel.discover.id, gate=Gate.AUTOMATIC, reason="Simpler")
    panel.refuses(automatic, RuleViolation, "has a policy, which only a review takes. Remove the policy")
    panel.do(RemoveGatePolicy(phase_id=panel.discover.id, reason="Simpler"))
    panel.do(automatic, as_=panel.maya)
    removal = panel.last_change()["seq"] - 1
    panel.refuses(Undo(project_id=panel.project.id, seq=removal), CannotUndo, "which only a review takes")


def test_another_policy_ends_votes_and_asks_on_an_approved_phase(panel: World) -> None:
    vote(panel, panel.bob)
    set_policy(panel, needed=1)
    assert check(panel).votes == "0 of 1 vote go"
    vote(panel, panel.bob)
    with pytest.raises(LapsesApproval, match="the policy of the gate changed"):
        set_policy(panel, needed=2)
    panel.do(RemoveGatePolicy(phase_id=panel.discover.id, reason="Simpler", allow_lapse="Simpler"))
    assert panel.row("phase", id=panel.discover.id)["gate_state"] == GateState.NONE
    assert panel.rows("SELECT 1 FROM gate_policy") == []


def test_the_deciding_vote_and_the_decision_are_one_change_and_earlier_votes_stay(panel: World) -> None:
    vote(panel, panel.bob)
    vote(panel, panel.gus)
    with pytest.raises(CannotUndo, match="The decision rests on it"):
        panel.do(Undo(project_id=panel.project.id), as_=panel.bob)
    panel.do(Undo(project_id=panel.project.id), as_=panel.gus)
    assert check(panel).votes == "1 of 2 votes go"
    panel.do(Undo(project_id=panel.project.id), as_=panel.bob)
    assert check(panel).votes == "0 of 2 votes go"
    panel.do(Redo(project_id=panel.project.id), as_=panel.bob)
    assert check(panel).votes == "1 of 2 votes go"


def test_go_takes_that_nothing_else_is_missing_and_no_never_does(panel: World) -> None:
    panel.task()
    with pytest.raises(RuleViolation, match="one card is still open"):
        vote(panel, panel.bob)
    assert vote(panel, panel.bob, Vote.NO).decision is Decision.VOTE_NO
    with pytest.raises(InvalidInput, match="takes a reason"):
        vote(panel, panel.gus, Vote.NO, reason="")


def test_while_a_phase_is_on_hold_nobody_approves_and_nothing_completes(panel: World) -> None:
    hold = DecideGate(phase_id=panel.discover.id, decision=Decision.HOLD, reason="Legal")
    panel.do(hold, as_=panel.bob)
    assert "held by Bob" in check(panel).reason
    with pytest.raises(RuleViolation, match="it is held by Bob"):
        vote(panel, panel.maya)
    with pytest.raises(InvalidInput, match="takes a reason"):
        panel.do(DecideGate(phase_id=panel.discover.id, decision=Decision.LIFT))
    panel.do(DecideGate(phase_id=panel.discover.id, decision=Decision.LIFT, reason="Legal is in"), as_=panel.gus)
    assert vote(panel, panel.maya).decision is Decision.VOTE_GO


def test_an_approved_phase_is_not_on_hold_again_by_an_undo(panel: World) -> None:
    hold = DecideGate(phase_id=panel.discover.id, decision=Decision.HOLD, reason="Legal")
    panel.do(hold)
    panel.do(replace(hold, decision=Decision.LIFT), as_=panel.bob)
    panel.do(hold)
    panel.do(Undo(project_id=panel.project.id))
    vote(panel, panel.gus)
    vote(panel, panel.maya)
    since = "was approved by Maya Okafor since"
    panel.refuses(Undo(project_id=panel.project.id), CannotUndo, since, panel.bob)
    panel.do(Undo(project_id=panel.project.id))
    vote(panel, panel.maya)
    assert check(panel).phase_state is PhaseState.COMPLETE


def test_a_phase_is_removed_with_its_policy_and_comes_back_with_it(panel: World) -> None:
    panel.do(EditPhase(phase_id=panel.launch.id, gate=Gate.REVIEW))
    panel.do(SetGatePolicy(phase_id=panel.launch.id, needed=1))
    panel.do(RemovePhase(phase_id=panel.launch.id))
    assert panel.rows("SELECT phase_id FROM gate_policy") == [{"phase_id": panel.discover.id}]
    panel.do(Undo(project_id=panel.project.id))
    assert panel.row("gate_policy", phase_id=panel.launch.id)["needed"] == 1


def test_stop_is_voted_and_carried_out_by_an_owner_and_restoring_takes_a_reason(panel: World) -> None:
    vote(panel, panel.bob, Vote.STOP)
    assert vote(panel, panel.gus, Vote.STOP).decision is Decision.VOTE_STOP  # neither may archive the project
    assert check(panel).reason == f"“Discover”: {TO_STOP}."
    assert (check(panel).who_can, check(panel).can_approve) == (("Maya Okafor",), False)
    assert [(each.sentence, each.who_can) for each in check(panel).blockers] == [
        (f"Discover: {TO_STOP}", ("Maya Okafor",))
    ]
    assert TO_STOP in panel.ask(GetCanvas(project_id=panel.project.id)).head.columns[0].missing.words(Deciders())
    assert inbox(panel, panel.maya) == [TO_STOP, f"Gus Roy gave the last vote that it takes: {TO_STOP}"]
    assert inbox(panel, panel.gus) == []
    panel.do(CreateTask(phase_id=panel.discover.id, title="More"))
    vote(panel, panel.bob, Vote.STOP)
    vote(panel, panel.gus, Vote.STOP)
    assert TO_STOP in panel.ask(GetCanvas(project_id=panel.project.id)).head.columns[0].missing.words(Deciders())
    assert check(panel).reason.endswith(f"one card is still open in it. {TO_STOP[:1].upper()}{TO_STOP[1:]}.")
    stop = DecideGate(phase_id=panel.discover.id, decision=Decision.STOP, reason="No budget")
    assert panel.do(stop).decision is Decision.STOP
    assert panel.row("project", id=panel.project.id)["archived"] == 1
    with pytest.raises(InvalidInput, match="Say why it goes on"):
        panel.do(RestoreProject(project_id=panel.project.id))
    panel.do(RestoreProject(project_id=panel.project.id, reason="Budget is back"))
    assert entries(panel)[-1] is Decision.REOPENING


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"people": ()}, "people"),
        ({"people": ("nobody",)}, "people"),
        ({"deciders": Deciding.META_ROLE}, "meta_role_id"),
        ({"deciders": Deciding.OWNERS}, "people"),
        ({"secretary_id": "nobody"}, "secretary_id"),
        ({"needed": -1}, "needed"),
    ],
)
def test_a_policy_that_is_not_possible_is_refused_by_its_field(
    panel: World, fields: dict[str, Any], field: str
) -> None:
    with pytest.raises(PodiumError) as refused:
        set_policy(panel, **fields)
    assert getattr(refused.value, "field", None) == field


def test_the_second_of_two_who_set_a_policy_at_once_is_refused(panel: World) -> None:
    version = panel.row("phase", id=panel.discover.id)["version"]
    set_policy(panel, needed=1, seen_version=version)
    with pytest.raises(VersionConflict):
        set_policy(panel, needed=3, seen_version=version)
    with pytest.raises(VersionConflict):
        panel.do(RemoveGatePolicy(phase_id=panel.discover.id, reason="Simpler", seen_version=version))
    panel.do(Undo(project_id=panel.project.id))
    assert panel.row("gate_policy")["needed"] == 2


def test_a_deciding_vote_is_not_redone_where_the_others_were_taken_back(panel: World) -> None:
    vote(panel, panel.bob)
    vote(panel, panel.gus)
    for actor in (panel.gus, panel.bob):
        panel.do(Undo(project_id=panel.project.id), as_=actor)
    with pytest.raises(CannotUndo, match="would have 1 of 2 votes go"):
        panel.do(Redo(project_id=panel.project.id), as_=panel.gus)
    assert check(panel).phase_state is PhaseState.OPEN
    panel.do(Redo(project_id=panel.project.id), as_=panel.bob)
    panel.do(Redo(project_id=panel.project.id), as_=panel.gus)
    assert check(panel).phase_state is PhaseState.COMPLETE


def test_who_decides_at_one_gate_only_ends_no_approval_of_another(panel: World) -> None:
    panel.do(EditPhase(phase_id=panel.build.id, gate=Gate.REVIEW))
    set_policy(panel, people=(panel.bob.user_id,), needed=1)
    vote(panel, panel.bob)
    panel.complete(panel.task(phase=panel.build).id)
    panel.do(DecideGate(phase_id=panel.build.id, decision=Decision.PASS))
    add = CreateTask(phase_id=panel.build.id, title="More", allow_lapse="Forgotten")
    with pytest.raises(LapsesApproval) as refused:
        panel.do(add, as_=panel.bob)
    assert not refused.value.can_allow
    panel.do(CreateTask(phase_id=panel.discover.id, title="More", allow_lapse="Forgotten"), as_=panel.bob)
    assert panel.row("phase", id=panel.discover.id)["gate_state"] == GateState.NONE


def test_neither_redo_nor_undo_lets_a_person_decide_who_cannot_any_more(panel: World) -> None:
    project_id, gate = panel.project.id, panel.build.id
    panel.do(SetProjectRole(project_id=project_id, user_id=panel.bob.user_id, role=ProjectRole.OWNER))
    vote(panel, panel.maya)
    vote(panel, panel.gus)
    for undone in (True, False):
        panel.do(DecideGate(phase_id=gate, decision=Decision.HOLD, reason="Wait"), as_=panel.bob)
        if undone:
            panel.do(Undo(project_id=project_id), as_=panel.bob)
        panel.do(SetProjectRole(project_id=project_id, user_id=panel.bob.user_id, role=ProjectRole.CONTRIBUTOR))
        with pytest.raises(CannotUndo, match="its owners decide"):
            panel.do((Redo if undone else Undo)(project_id=project_id), as_=panel.bob)
        assert panel.row("phase", id=gate)["on_hold"] == (not undone)
        panel.do(SetProjectRole(project_id=project_id, user_id=panel.bob.user_id, role=ProjectRole.OWNER))


def test_four_eyes_see_the_work_that_ends_an_approval(panel: World) -> None:
    report = panel.do(AddDeliverable(phase_id=panel.discover.id, name="Report"))
    set_policy(panel, needed=1, four_eyes=True)
    vote(panel, panel.bob)
    panel.do(Deliver(deliverable_id=report.id, link="https://a.example/2", allow_lapse="Newer"), as_=panel.bob)
    with pytest.raises(RuleViolation, match="delivered a deliverable of it in this round"):
        vote(panel, panel.bob)
    assert vote(panel, panel.gus).decision is Decision.PASS


def test_a_redone_vote_never_reaches_the_number_in_silence(panel: World) -> None:
    vote(panel, panel.bob)
    panel.do(Undo(project_id=panel.project.id), as_=panel.bob)
    vote(panel, panel.gus)
    with pytest.raises(CannotUndo, match="Vote again instead"):
        panel.do(Redo(project_id=panel.project.id), as_=panel.bob)
    assert vote(panel, panel.bob).decision is Decision.PASS


def test_votes_are_in_the_order_of_the_changes_whatever_a_clock_says(panel: World) -> None:
    vote(panel, panel.bob)
    panel.clock.forward(seconds=-5)
    set_policy(panel, needed=2)
    assert check(panel).votes == "0 of 2 votes go"
