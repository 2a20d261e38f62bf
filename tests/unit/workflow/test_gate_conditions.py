"""Conditions of gates: their cards, who meets them, what is left of one that is archived, and how one is waived."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from itertools import product
from typing import Any

import pytest

from core.actions.cards.bulk import BulkUpdate
from core.actions.cards.cards import DeleteCard, MoveCard, ReorderCard, RestoreCard
from core.actions.cards.comments import AddComment
from core.actions.cards.details import GetCard
from core.actions.cards.tasks import CreateTask, EditTask
from core.actions.history.history import ListHistory, Redo, Undo
from core.actions.products.tokens import CreateProductToken
from core.actions.projects.members import InviteMember, RemoveMember
from core.actions.workflow.gate_conditions import ListConditions, WaiveCondition
from core.actions.workflow.gate_record import ListGateDecisions
from core.actions.workflow.gate_votes import CastVote
from core.actions.workflow.gates import CheckGate, DecideGate
from core.actions.workflow.phases import AddPhase, EditPhase, ListPhases, RemovePhase, ReorderPhase
from core.domain.gate_policy import GateCondition, Vote
from core.domain.gates import Decision, GateRecord
from core.domain.model import Gate, GateState, Id, Item, ItemKind, PhaseState, ProjectRole, Status
from core.engine.unit_of_work import Actor, new_id
from core.errors import CannotUndo, Forbidden, InvalidInput, RuleViolation
from core.rules.gate_facts import IS_LOST
from core.server.requests.authentication import ProductSender, authenticate
from tests.support.conditions import TEXT, set_panel, vote_go_if, with_condition
from tests.support.workspace import World

NAMED = f"the condition “{TEXT}” of the gate of “Discover”"


def card_of(condition: GateCondition) -> Id:
    assert condition.item_id is not None
    return condition.item_id


def state(world: World) -> str:
    [found] = world.ask(ListConditions(project_id=world.project.id), world.vera)
    return found.state


def points(world: World) -> list[tuple[str, str, tuple[str, ...]]]:
    """Each point of the gate of Build that is a condition: where it leads, its sentence, and who can help."""
    found = world.ask(CheckGate(phase_id=world.build.id)).blockers
    return [(each.id, each.sentence, each.who_can) for each in found if each.sentence.startswith("the condition")]


def gate_state(world: World) -> str:
    return str(world.row("phase", id=world.build.id)["gate_state"])


def states(world: World) -> list[PhaseState]:
    return [each.state for each in world.ask(ListPhases(project_id=world.project.id))]


def seq_of(world: World) -> int:
    return int(world.last_change()["seq"])


def contributor(world: World) -> Actor:
    """Gus, who neither decides nor is the person of a condition."""
    world.do(InviteMember(project_id=world.project.id, user_id=world.gus.user_id, role=ProjectRole.CONTRIBUTOR))
    return world.gus


def vote_go(world: World) -> GateRecord:
    return world.do(CastVote(phase_id=world.discover.id, vote=Vote.GO))


def test_the_decision_makes_the_condition_into_a_card_of_the_next_phase(world: World) -> None:
    set_panel(world, world.maya, world.bob)
    vote_go_if(world, world.bob)
    assert (state(world), world.rows("SELECT id FROM item")) == ("proposed", [])
    decided = vote_go(world)
    [found] = world.ask(ListConditions(project_id=world.project.id))
    card = world.ask(GetCard(item_id=card_of(found.condition)), world.vera)
    assert (card.item.title, card.item.assignee_id, card.item.due) == (TEXT, world.bob.user_id, date(2026, 3, 20))
    assert (card.phase.id, found.condition.decision_id) == (world.build.id, decided.id)
    assert card.item.description == "A condition of the gate of “Discover”, set by Bob Lind on Mon 2 Mar 2026."
    assert card.condition == found
    assert (found.gate, found.set_by, found.person, found.state) == ("Discover", "Bob Lind", "Bob Lind", "open")
    assert world.ask(GetCard(item_id=world.task(phase=world.launch).id)).condition is None
    assert world.row("notification", user_id=world.bob.user_id, target_id=card.item.id)["kind"] == "ASSIGNED"
    assert "LAPSE" not in {row["decision"] for row in world.rows("SELECT decision FROM gate_record")}
    assert states(world)[:2] == [PhaseState.COMPLETE, PhaseState.OPEN]
    assert not points(world)  # it is an open card there


def test_a_vote_that_does_not_count_when_the_decision_falls_makes_no_card(world: World) -> None:
    set_panel(world, world.maya, world.bob)
    vote_go_if(world, world.bob)
    vote_go_if(world, world.bob, condition="Second thoughts")
    world.complete(world.task().id)
    assert {each.state for each in world.ask(ListConditions(project_id=world.project.id))} == {
        "dropped: its vote does not count any more"
    }
    world.do(CastVote(phase_id=world.discover.id, vote=Vote.GO), world.bob)
    vote_go(world)
    assert len(world.rows("SELECT id FROM item")) == 1


def test_the_card_goes_to_the_first_later_phase_that_is_not_complete(world: World) -> None:
    set_panel(world, world.maya, contributor(world))
    vote_go_if(world, world.gus)
    for phase in (world.build, world.launch):
        world.do(DecideGate(phase_id=phase.id, decision=Decision.OVERRIDE, reason="Early"))
        world.do(DecideGate(phase_id=phase.id, decision=Decision.PASS))
    with pytest.raises(RuleViolation, match=r"No phase after “Discover” is left for the conditions.*add a phase"):
        vote_go(world)
    world.do(DecideGate(phase_id=world.launch.id, decision=Decision.SEND_BACK, reason="Late"))
    world.do(RemoveMember(project_id=world.project.id, user_id=world.bob.user_id))  # whom the condition names
    vote_go(world)
    assert (world.row("item")["phase_id"], world.row("item")["assignee_id"]) == (world.launch.id, None)


BAD: dict[str, tuple[str, dict[str, Any]]] = {
    "Enter a condition": ("condition", {"condition": " "}),
    "at most 200": ("condition", {"condition": "x" * 201}),
    "active member of this project": ("person_id", {"person_id": "nowhere"}),
    "Who meets the condition": ("person_id", {"person_id": None}),
    "1 Mar 2026 is in the past": ("due", {"due": date(2026, 3, 1)}),
    "Until when": ("due", {"due": None}),
    "2000 to 2199": ("due", {"due": date(2200, 1, 1)}),
}


def test_a_bad_condition_is_refused_by_its_field_and_at_the_last_gate(world: World) -> None:
    set_panel(world)
    for words, (field, fields) in BAD.items():
        with pytest.raises(InvalidInput, match=words) as refused:
            vote_go_if(world, **fields)
        assert refused.value.field == field
    with pytest.raises(InvalidInput, match="active member of this project"):
        vote_go_if(world, person_id=world.gus.user_id)
    for phase in (world.build, world.launch):
        world.do(RemovePhase(phase_id=phase.id))
    with pytest.raises(RuleViolation, match=r"No phase after “Discover” .*Vote no with the reason, or add a phase"):
        vote_go_if(world)


def test_its_person_and_deciders_complete_it_and_others_do_not_also_by_bulk_and_undo(world: World) -> None:
    card, gus = card_of(with_condition(world)), contributor(world)
    only = r"condition of the gate of “Discover”: only Bob Lind and the people who can decide at that gate"
    move = MoveCard(card_id=card, status=Status.COMPLETED)
    assert world.refuses(move, RuleViolation, only, gus).who_can == ("Bob Lind", "Maya Okafor")
    bulk = world.do(BulkUpdate(project_id=world.project.id, commands=(move,)), gus)
    assert [each.code for each in bulk.refused] == ["RULE_VIOLATION"]
    world.start(card, as_=gus)  # others can work on it
    world.complete(card, as_=world.bob)
    assert state(world) == "met by Bob Lind on Mon 2 Mar 2026"
    world.move(card, Status.TO_DO, gus, relock=True)
    world.refuses(Undo(project_id=world.project.id), CannotUndo, only, gus)
    world.complete(card)
    assert state(world) == "met by Maya Okafor on Mon 2 Mar 2026"


def test_no_product_completes_one_since_its_token_sends_only_queries_of_permissions(world: World) -> None:
    made = world.do(CreateProductToken(product_id=world.product().id, label="Proofs"))
    assert isinstance(authenticate(world.engine, [f"Bearer {made.secret}"], None), ProductSender)


def test_archived_moved_or_deleted_it_stays_a_point_of_the_next_gate(world: World) -> None:
    card, both = card_of(with_condition(world)), ("Bob Lind", "Maya Okafor")
    world.archive(card)
    assert state(world) == "archived, not met"
    assert points(world) == [(card, f"{NAMED} was archived, not met: restore and complete it, or waive it", both)]
    world.refuses(
        DecideGate(phase_id=world.build.id, decision=Decision.PASS), RuleViolation, "not complete: the condition"
    )
    world.do(RestoreCard(card_id=card))
    assert not points(world)
    world.do(ReorderCard(card_id=card, phase_id=world.launch.id))
    assert state(world) == "moved to another phase, not met"
    assert points(world) == [(card, f"{NAMED} was moved to another phase, not met: move it back, or waive it", both)]
    world.do(DecideGate(phase_id=world.launch.id, decision=Decision.OVERRIDE, reason="Early"))  # not locked any more
    assert points(world) == [(card, f"{NAMED} was moved to another phase, not met: complete it, or waive it", both)]
    world.archive(card)
    world.do(DeleteCard(card_id=card))
    assert state(world) == "deleted, not met"
    assert points(world) == [(world.build.id, f"{NAMED} was deleted, not met: waive it", ("Maya Okafor",))]


@pytest.mark.parametrize("how", ["archive", "delete", "move"])
def test_an_automatic_gate_does_not_complete_in_silence(world: World, how: str) -> None:
    card, other = card_of(with_condition(world)), world.task(phase=world.build)
    if how == "move":
        world.do(ReorderCard(card_id=card, phase_id=world.launch.id))
    else:
        getattr(world, how)(card)
    assert gate_state(world) == GateState.UNDECIDED
    world.complete(other.id)
    assert states(world)[1] is PhaseState.OPEN
    if how == "move":
        world.do(Undo(project_id=world.project.id, relock=True))  # the completion
        world.do(Undo(project_id=world.project.id, relock=True))
        assert (gate_state(world), state(world)) == (GateState.NONE, "open")


def test_a_gate_that_becomes_automatic_waits_while_a_condition_is_lost(world: World) -> None:
    world.do(EditPhase(phase_id=world.build.id, gate=Gate.REVIEW))
    card, other = card_of(with_condition(world)), world.task(phase=world.build)
    world.archive(card)
    assert gate_state(world) == GateState.NONE
    world.do(EditPhase(phase_id=world.build.id, gate=Gate.AUTOMATIC))
    world.complete(other.id)
    assert states(world)[1] is PhaseState.OPEN


def test_one_that_was_met_stays_met_when_its_card_is_deleted(world: World) -> None:
    card = card_of(with_condition(world))
    world.task(phase=world.build)
    world.complete(card, as_=world.bob)
    world.delete(card, relock=True)
    assert state(world) == "met by Bob Lind on Mon 2 Mar 2026"
    assert (points(world), gate_state(world)) == ([], GateState.NONE)


def test_a_phase_at_whose_gate_one_waits_is_not_removed(world: World) -> None:
    condition = with_condition(world)
    world.delete(card_of(condition))
    remove = RemovePhase(phase_id=world.build.id, relock=True)
    world.refuses(remove, RuleViolation, f"“Build” cannot be removed: its gate waits for {NAMED}. Waive that first")
    world.do(WaiveCondition(condition_id=condition.id, reason="Not sold there"))
    world.do(remove)
    assert state(world) == "waived by Maya Okafor on Mon 2 Mar 2026: Not sold there"


def test_a_decider_waives_it_with_a_reason_and_the_next_gate_has_it_on_record(world: World) -> None:
    condition = with_condition(world)
    waive = WaiveCondition(condition_id=condition.id, reason="Not sold there")
    world.refuses(waive, Forbidden, as_=world.bob)
    world.refuses(WaiveCondition(condition_id=condition.id, reason=" "), InvalidInput, "takes a reason")
    world.archive(card_of(condition))
    world.do(waive)
    assert (points(world), state(world)) == ([], "waived by Maya Okafor on Mon 2 Mar 2026: Not sold there")
    [entry] = world.ask(ListGateDecisions(project_id=world.project.id, phase_id=world.build.id))
    assert (entry.words, entry.record.detail, entry.record.reason) == ("condition waived", NAMED, "Not sold there")
    world.refuses(
        waive, RuleViolation, f"“{TEXT}” is waived by Maya Okafor on Mon 2 Mar 2026: Not sold there, so no gate"
    )
    waived = world.ask(ListHistory(project_id=world.project.id))[0]
    assert waived.summary == f"waived {NAMED}: Not sold there"
    values = [value.sentence for value in waived.values]
    assert f"condition “{TEXT}”, waiver: from none to “Not sold there”" in values
    approval = DecideGate(phase_id=world.build.id, decision=Decision.PASS)
    world.do(approval)
    undo = Undo(project_id=world.project.id, seq=waived.seq)
    world.refuses(undo, CannotUndo, "The decision rests on it")
    world.do(Undo(project_id=world.project.id))
    world.do(undo)
    assert state(world) == "archived, not met"
    world.refuses(approval, RuleViolation, "not complete: the condition")


@pytest.mark.parametrize("how", ["open", "started", "moved"])
def test_waiving_an_open_one_archives_its_card_and_frees_the_gate(world: World, how: str) -> None:
    condition = with_condition(world)
    card = card_of(condition)
    if how == "started":
        world.start(card, as_=world.bob)
    if how == "moved":
        world.do(ReorderCard(card_id=card, phase_id=world.launch.id))
    world.complete(world.task(phase=world.build).id)
    was = world.row("item", id=card)
    world.do(WaiveCondition(condition_id=condition.id, reason="Not sold there"))
    assert world.last_change()["summary"] == f"waived {NAMED}, and archived its card: Not sold there"
    waived = "waived by Maya Okafor on Mon 2 Mar 2026: Not sold there"
    assert (world.row("item", id=card)["status"], state(world)) == (Status.ARCHIVED, waived)
    assert not points(world)
    assert states(world)[1] is (PhaseState.OPEN if how == "moved" else PhaseState.COMPLETE)
    world.do(Undo(project_id=world.project.id, relock=True))
    assert world.row("item", id=card) == was | {"version": was["version"] + 2}
    assert "waived" not in state(world)
    world.do(Redo(project_id=world.project.id, relock=True))
    world.do(RestoreCard(card_id=card, relock=True))
    if how != "moved":
        world.complete(card, as_=world.bob)
    assert state(world) == waived


def test_what_is_proposed_or_met_is_not_waived_and_only_the_panel_waives(world: World) -> None:
    set_panel(world, world.bob, contributor(world))
    waive = WaiveCondition(condition_id=vote_go_if(world, world.bob).id, reason="No need")
    world.refuses(waive, RuleViolation, "is proposed, so no gate waits for it", world.bob)
    world.do(CastVote(phase_id=world.discover.id, vote=Vote.GO), world.gus)
    world.refuses(waive, RuleViolation, "You are not on the panel of this gate")
    world.complete(world.row("item")["id"], as_=world.bob)
    world.refuses(waive, RuleViolation, "is met by Bob Lind on Mon 2 Mar 2026, so", world.bob)
    assert gate_state(world) == GateState.NONE


def test_the_next_gate_waives_what_none_of_the_panel_can_waive_any_more(world: World) -> None:
    set_panel(world, world.bob, contributor(world))
    waive = WaiveCondition(condition_id=vote_go_if(world, world.bob).id, reason="No need")
    world.do(CastVote(phase_id=world.discover.id, vote=Vote.GO), world.gus)
    for each in (world.bob, world.gus):
        world.refuses(waive, RuleViolation, "You are not on the panel of this gate")
        world.do(RemoveMember(project_id=world.project.id, user_id=each.user_id))
    world.do(waive)


def test_a_condition_ends_with_its_decision_and_its_card_is_an_ordinary_one(world: World) -> None:
    set_panel(world, world.maya, world.bob)
    vote_go(world)
    card = card_of(vote_go_if(world, world.bob))
    world.do(EditTask(task_id=card, title="Name cleared"))
    world.do(Undo(project_id=world.project.id, seq=seq_of(world) - 1, relock=True), world.bob)
    assert state(world) == "dropped: its decision was withdrawn"
    world.do(CastVote(phase_id=world.discover.id, vote=Vote.GO), world.bob)
    assert state(world) == "dropped: its decision was withdrawn"
    gus = contributor(world)
    world.archive(card)
    assert not points(world)
    world.do(RestoreCard(card_id=card, relock=True))
    world.complete(card, as_=gus)


def lapse(world: World) -> None:
    """End the approval of Discover by a change of what was approved."""
    world.complete(world.do(CreateTask(phase_id=world.discover.id, title="More", allow_lapse="Forgotten")).id)


def test_after_a_lapse_it_binds_until_the_gate_is_approved_without_it(world: World) -> None:
    condition = with_condition(world)
    world.archive(card_of(condition))
    lapse(world)
    assert state(world) == "archived, not met"
    vote_go(world)
    assert (state(world), points(world)) == ("dropped: the gate was decided again", [])
    with pytest.raises(RuleViolation, match="is dropped: the gate was decided again, so no gate waits for it"):
        world.do(WaiveCondition(condition_id=condition.id, reason="No need"))
    again = Undo(project_id=world.project.id, relock=True)
    world.do(again)
    assert (state(world), gate_state(world)) == ("archived, not met", GateState.UNDECIDED)
    vote_go(world)
    world.do(DecideGate(phase_id=world.build.id, decision=Decision.PASS))
    undo = Undo(project_id=world.project.id, seq=seq_of(world) - 1, relock=True)
    since = r"The gate that would wait for the condition .* again was approved since\. Decide again instead"
    world.refuses(undo, CannotUndo, since)


def test_the_undo_of_a_later_approval_is_refused_where_the_phase_that_would_wait_is_gone(world: World) -> None:
    world.archive(card_of(with_condition(world)))
    lapse(world)
    vote_go(world)
    world.delete(world.row("item", phase_id=world.build.id)["id"])
    world.do(RemovePhase(phase_id=world.build.id, relock=True))
    undo = Undo(project_id=world.project.id, seq=seq_of(world) - 2, relock=True)
    world.refuses(undo, CannotUndo, "again was removed since")


def test_a_vote_that_comes_back_makes_the_card_again_that_left_meanwhile(world: World) -> None:
    set_panel(world, world.maya, world.bob)
    condition = vote_go_if(world, world.bob)
    vote_go(world)
    card = world.row("gate_condition", id=condition.id)["item_id"]
    world.start(card, as_=world.bob)
    world.do(Undo(project_id=world.project.id, relock=True))
    world.archive(card)
    vote_go(world)
    assert (state(world), world.row("gate_condition", id=condition.id)["item_id"] == card) == ("open", False)


def test_the_undo_of_the_decision_takes_the_card_back_and_redo_makes_it_again(world: World) -> None:
    card = card_of(with_condition(world))
    world.do(Undo(project_id=world.project.id))
    assert (world.ask(ListConditions(project_id=world.project.id)), world.rows("SELECT id FROM item")) == ((), [])
    assert not world.rows("SELECT id FROM notification WHERE target_id = :id", id=card)
    world.do(Redo(project_id=world.project.id))
    assert (state(world), world.rows("SELECT id FROM item")) == ("open", [{"id": card}])
    world.do(Undo(project_id=world.project.id))
    assert not world.rows("SELECT id FROM item")


def test_the_condition_of_an_earlier_vote_is_proposed_again_after_the_undo(world: World) -> None:
    set_panel(world, world.maya, world.bob)
    vote_go_if(world, world.bob)
    vote_go(world)
    world.do(Undo(project_id=world.project.id))
    assert (state(world), world.rows("SELECT id FROM item")) == ("proposed", [])


STARTED: dict[str, Callable[[World, Id], object]] = {
    "started": lambda world, card: world.start(card, as_=world.bob),
    "completed": lambda world, card: world.complete(card, as_=world.bob),
    "commented": lambda world, card: world.do(AddComment(item_id=card, text="Asked them."), world.bob),
    "put back": lambda world, card: (world.start(card, as_=world.bob), world.move(card, Status.TO_DO, world.bob)),
}


@pytest.mark.parametrize("how", STARTED)
def test_a_card_that_was_started_stays_with_its_condition_and_the_undo_says_so(world: World, how: str) -> None:
    set_panel(world, world.maya, world.bob)
    vote_go_if(world, world.bob)
    vote_go(world)
    before = world.row("gate_condition")
    STARTED[how](world, before["item_id"])
    undone = world.do(Undo(project_id=world.project.id, relock=True))
    said = f"approved phase “Discover”; “{TEXT}” stays, because it was started or changed since"
    assert undone.summary == world.last_change()["summary"] == said
    assert world.row("gate_condition") == before
    assert world.row("phase", id=world.discover.id)["gate_state"] == GateState.NONE
    again = vote_go(world)  # its card is not made twice
    assert world.row("gate_condition")["decision_id"] == again.id
    assert world.rows("SELECT id FROM item") == [{"id": before["item_id"]}]


def test_the_history_says_what_the_decision_made(world: World) -> None:
    with_condition(world)
    values = [value.sentence for value in world.ask(ListHistory(project_id=world.project.id))[0].values]
    assert f"new condition “{TEXT}”" in values
    assert f"condition “{TEXT}”, person: from none to “Bob Lind”" in values
    assert f"condition “{TEXT}”, next phase: from none to “Build”" in values
    assert any(each.startswith(f"condition “{TEXT}”, card: from none to") for each in values)


CARDS: tuple[tuple[Status, Status | None] | None, ...] = (
    None,
    *((status, None) for status in (Status.TO_DO, Status.IN_PROGRESS, Status.COMPLETED)),
    *((Status.ARCHIVED, status) for status in (None, Status.TO_DO, Status.IN_PROGRESS, Status.COMPLETED)),
)
"""The states of a card, and where it was archived from; None for a card that was deleted."""


def decisions_at(world: World) -> tuple[Id, ...]:
    """Approvals of Discover: one that was withdrawn, one that another followed, and that."""
    set_panel(world)
    withdrawn = vote_go(world)
    world.do(Undo(project_id=world.project.id))
    followed = vote_go(world)
    lapse(world)
    return withdrawn.id, followed.id, vote_go(world).id


def test_lists_and_the_whole_answer_say_the_same_of_a_condition_in_each_state_of_its_card(world: World) -> None:
    decided, made = decisions_at(world), list[Item | GateCondition]()
    times = (None, world.clock.now)
    for number, (card, moved, met, waived) in enumerate(product(CARDS, (False, True), times, times), 1):
        item, place = new_id(), world.launch.id if moved else world.build.id
        if card:
            of_card: dict[str, Any] = {"status": card[0], "archived_from": card[1], "number": number, "phase_id": place}
            rest: dict[str, Any] = {"kind": ItemKind.TASK, "rank": item, "title": TEXT}
            made.append(Item(project_id=world.project.id, id=item, **of_card, **rest))
        of_gate: dict[str, Any] = {"phase_id": world.discover.id, "next_phase_id": world.build.id, "vote_id": ""}
        person: dict[str, Any] = {"text": TEXT, "person_id": world.bob.user_id, "due": date(2026, 3, 20)}
        made += [
            GateCondition(
                project_id=world.project.id,
                id=new_id(),
                item_id=each,
                met_at=met,
                waived_at=waived,
                decision_id=decision,
                **of_gate,
                **person,
            )
            for each, decision in ((item, None), (None, None), *((item, each) for each in decided))
        ]
    world.insert(*made)
    lost = {row["id"] for row in world.rows(f"SELECT id FROM gate_condition WHERE {IS_LOST}")}
    states = world.ask(ListConditions(project_id=world.project.id))
    assert lost == {each.condition.id for each in states if each.is_waiting and each.lost}
    assert 0 < len(lost) < len(states) == 2 * 2 * 2 * 5 * len(CARDS)
    dropped = {each.condition.id for each in states if each.condition.decision_id in decided[:2]}
    assert dropped == {each.condition.id for each in states if each.dropped}


def test_no_other_gate_comes_before_the_one_that_waits_for_a_condition(world: World) -> None:
    with_condition(world)
    for command in (
        ReorderPhase(phase_id=world.build.id, relock=True),
        ReorderPhase(phase_id=world.launch.id, before_id=world.build.id, relock=True),
        AddPhase(project_id=world.project.id, name="Between", before_id=world.build.id, relock=True),
    ):
        with pytest.raises(RuleViolation, match="so it comes next"):
            world.do(command)
    world.do(AddPhase(project_id=world.project.id, name="After", before_id=world.launch.id, relock=True))
