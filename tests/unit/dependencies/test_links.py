"""A card that waits for another one: it can neither start nor be completed before, by any command."""

from __future__ import annotations

from datetime import date
from itertools import pairwise
from typing import Any

import pytest

from core.actions.cards.bulk import BulkUpdate
from core.actions.cards.cards import MoveCard, RestoreCard, SetCardDueDate
from core.actions.cards.details import GetCard
from core.actions.cards.tasks import CreateTask
from core.actions.dependencies.links import LinkCards, OverrideBlockers, UnlinkCards
from core.actions.dependencies.lists import ListDependencies
from core.actions.history.history import Redo, Undo
from core.actions.projects.members import InviteMember
from core.actions.projects.projects import ArchiveProject, DeleteProject
from core.actions.workflow.canvas import GetCanvas
from core.actions.workflow.canvas_changes import GetCanvasChanges
from core.domain.model import Id, Item, ProjectRole, Status
from core.engine.messages import Command
from core.errors import (
    CannotUndo,
    CardBlocked,
    Forbidden,
    InvalidInput,
    NotFound,
    PodiumError,
    RuleViolation,
    WouldBlockCards,
)
from tests.support.workspace import World

TO_DO, STARTED, COMPLETED = Status.TO_DO, Status.IN_PROGRESS, Status.COMPLETED


def link(world: World, waiting: Item, blocker: Item, **fields: Any) -> None:
    world.do(LinkCards(waiting_id=waiting.id, blocker_id=blocker.id, **fields))


def elsewhere(world: World, title: str = "Logo") -> Item:
    """A card of another project, which only Maya can see."""
    return world.task(title, phase=world.phase("Design", world.new_project("Autumn").id))


@pytest.mark.parametrize("status", [STARTED, COMPLETED])
def test_a_blocked_card_can_neither_start_nor_be_completed(world: World, status: Status) -> None:
    printing, proof = world.task("Print"), world.task("Proof")
    link(world, printing, proof)
    with pytest.raises(CardBlocked, match=r"“Print” cannot (start|be completed): it waits for “Proof”\.") as refused:
        world.move(printing.id, status)
    assert [(each.id, each.where) for each in refused.value.blockers] == [(proof.id, "Discover")]
    assert refused.value.who_can == ("Maya Okafor",)
    assert world.status(printing) == TO_DO
    world.move(proof.id, COMPLETED)
    assert world.move(printing.id, status).status is status


def test_a_bulk_change_and_a_whole_activity_are_refused_with_the_same_words(world: World) -> None:
    activity, proof = world.activity("Press"), world.task("Proof")
    task = world.task("Cut", activity_id=activity.id)
    link(world, activity, proof)
    for command, verb, title in (
        (MoveCard(card_id=activity.id, status=STARTED), "start", "Press"),
        (MoveCard(card_id=task.id, status=STARTED), "start", "Cut"),
        (MoveCard(card_id=task.id, status=COMPLETED), "be completed", "Cut"),
    ):
        result = world.do(BulkUpdate(project_id=world.project.id, commands=(command,)))
        assert [each.reason for each in result.refused] == [f"“{title}” cannot {verb}: it waits for “Proof”."]
        world.refuses(command, CardBlocked, "it waits for “Proof”")
    assert [world.status(each) for each in (activity, task)] == [TO_DO, TO_DO]


def test_an_archived_blocker_counts_as_done_and_its_return_asks_first(world: World) -> None:
    printing, proof = world.task("Print"), world.task("Proof")
    link(world, printing, proof)
    world.archive(proof.id)
    world.move(printing.id, STARTED)
    with pytest.raises(WouldBlockCards, match=r"“Print” waits for this and would be blocked again, 1 in progress\."):
        world.do(RestoreCard(card_id=proof.id))
    world.do(RestoreCard(card_id=proof.id, relock=True))
    assert world.status(printing) == STARTED
    with pytest.raises(CardBlocked):
        world.move(printing.id, COMPLETED)
    [card] = [each for each in canvas(world) if each.id == printing.id]
    assert (card.waits_for, card.blocks) == (1, 0)


def canvas(world: World) -> Any:
    return world.ask(GetCanvas(project_id=world.project.id)).cards


def test_reopening_a_blocker_and_undoing_its_completion_ask_first(world: World) -> None:
    printing, proof = world.task("Print"), world.task("Proof")
    link(world, printing, proof)
    world.move(proof.id, COMPLETED)
    asked = world.refuses(Undo(project_id=world.project.id), WouldBlockCards, "“Print” waits for this")
    assert [each.id for each in asked.blockers] == [printing.id]
    with pytest.raises(WouldBlockCards):
        world.move(proof.id, TO_DO)
    assert world.status(proof) == COMPLETED
    world.do(Undo(project_id=world.project.id, relock=True))
    assert world.status(proof) == TO_DO


def test_an_owner_overrides_with_a_reason_that_stays(world: World) -> None:
    printing, proof = world.task("Print"), world.task("Proof")
    link(world, printing, proof)
    with pytest.raises(Forbidden, match=r"Only owners can .* override what phases and cards wait for; you are"):
        world.do(OverrideBlockers(waiting_id=printing.id, reason="Now"), as_=world.bob)
    world.refuses(OverrideBlockers(waiting_id=printing.id, reason=" "), InvalidInput, "An override needs a reason")
    world.do(OverrideBlockers(waiting_id=printing.id, reason="The client insists"))
    assert world.last_change()["summary"] == ("let “Print” start although it waits for 1 card: The client insists")
    assert {each.title: (each.waits_for, each.overridden, each.blocks) for each in canvas(world)} == {
        "Print": (0, 1, 0),
        "Proof": (0, 0, 0),
    }
    world.move(printing.id, STARTED)
    world.move(printing.id, COMPLETED)
    [linked] = world.ask(GetCard(item_id=printing.id)).linked.waits_for
    assert (linked.override_reason, linked.overridden_by, linked.open) == ("The client insists", "Maya Okafor", True)
    world.refuses(OverrideBlockers(waiting_id=printing.id, reason="Again"), RuleViolation, "nothing to override")
    other = world.task("Ink")
    world.move(printing.id, TO_DO)
    link(world, printing, other)
    with pytest.raises(CardBlocked, match="it waits for “Ink”"):
        world.move(printing.id, STARTED)


def test_a_started_card_stays_started_when_it_is_linked_and_is_marked(world: World) -> None:
    printing, proof = world.task("Print"), world.task("Proof")
    world.move(printing.id, STARTED)
    link(world, printing, proof)
    assert world.status(printing) == STARTED
    assert {each.title: (each.waits_for, each.blocks) for each in canvas(world)} == {"Print": (1, 0), "Proof": (0, 1)}
    detail = world.ask(GetCard(item_id=printing.id))
    assert detail.blocked is not None
    assert detail.blocked.card_id == printing.id
    assert detail.blocked.reason == "“Print” cannot be completed: it waits for “Proof”."


def test_cards_of_projects_that_one_cannot_see_are_counted_without_their_titles(world: World) -> None:
    printing, logo = world.task("Print"), elsewhere(world)
    link(world, printing, logo)
    with pytest.raises(CardBlocked, match=r"it waits for 1 card that you cannot see\.$") as refused:
        world.start(printing.id, as_=world.bob)
    assert refused.value.blockers == ()
    with pytest.raises(CardBlocked, match=r"it waits for “Logo”\.$") as seen:
        world.move(printing.id, STARTED)
    assert [(each.where, each.project_id) for each in seen.value.blockers] == [("Autumn · Design", logo.project_id)]
    linked = world.ask(GetCard(item_id=printing.id), world.bob).linked
    assert (linked.waits_for, linked.waits_for_unseen) == ((), 1)
    [line] = world.ask(ListDependencies(project_id=world.project.id), world.bob)
    assert (line.waiting, line.blocker, line.open) == ("SPR-1", None, True)
    world.refuses(LinkCards(waiting_id=world.task("Fold").id, blocker_id=logo.id), NotFound, as_=world.bob)


def test_reopening_a_blocker_of_a_project_that_one_cannot_see_counts_its_cards(world: World) -> None:
    proof, printing, _ = world.task("Proof"), elsewhere(world, "Print"), world.task("Open")
    link(world, printing, proof)
    world.move(proof.id, COMPLETED)
    with pytest.raises(WouldBlockCards, match="1 card that you cannot see waits for this"):
        world.move(proof.id, TO_DO, world.bob)
    with pytest.raises(WouldBlockCards, match="“Print” waits for this"):
        world.move(proof.id, TO_DO)


def test_the_changes_of_a_canvas_have_the_cards_at_both_ends_and_the_tasks_of_an_activity(world: World) -> None:
    activity, proof = world.activity("Press"), world.task("Proof")
    task = world.task("Cut", activity_id=activity.id)
    acts: tuple[tuple[Command[Any], int, int], ...] = (
        (LinkCards(waiting_id=activity.id, blocker_id=proof.id), 1, 1),
        (MoveCard(card_id=proof.id, status=COMPLETED), 0, 0),
        (MoveCard(card_id=proof.id, status=TO_DO, relock=True), 1, 1),
        (UnlinkCards(waiting_id=activity.id, blocker_id=proof.id), 0, 0),
    )
    for act, waits, blocks in acts:
        before = world.ask(GetCanvas(project_id=world.project.id))
        world.do(act)
        changes = world.ask(GetCanvasChanges(project_id=world.project.id, since=before.head.seq))
        assert changes
        merged = {each.id: each for each in (*before.cards, *changes.changed)}
        assert merged == {each.id: each for each in canvas(world)}
        assert [merged[each.id].waits_for for each in (activity, task)] == [waits, waits]
        assert merged[proof.id].blocks == blocks


def test_links_are_undone_and_redone_and_stay_while_their_blocker_is_completed(world: World) -> None:
    printing, proof = world.task("Print"), world.task("Proof")
    link(world, printing, proof, lag_days=3)
    world.complete(proof.id, as_=world.bob)
    world.do(Undo(project_id=world.project.id))
    assert world.rows("SELECT * FROM dependency") == []
    world.do(Redo(project_id=world.project.id))
    assert world.row("dependency")["lag_days"] == 3
    world.do(UnlinkCards(waiting_id=printing.id, blocker_id=proof.id))
    world.do(Undo(project_id=world.project.id))
    assert world.row("dependency")["blocker_id"] == proof.id


def test_an_undo_starts_no_blocked_card(world: World) -> None:
    printing, proof = world.task("Print"), world.task("Proof")
    world.move(printing.id, STARTED)
    world.move(printing.id, TO_DO)
    world.do(LinkCards(waiting_id=printing.id, blocker_id=proof.id), as_=world.bob)
    world.refuses(Undo(project_id=world.project.id), CannotUndo, "“Print” cannot start: it waits for “Proof”")
    assert world.status(printing) == TO_DO


def test_a_card_that_another_one_waits_for_stays_when_its_creation_is_undone(world: World) -> None:
    printing = world.task("Print")
    proof = world.do(CreateTask(phase_id=world.discover.id, title="Proof"))
    world.do(LinkCards(waiting_id=printing.id, blocker_id=proof.id), as_=world.bob)
    with pytest.raises(CannotUndo, match="something else depends on it"):
        world.do(Undo(project_id=world.project.id, seq=world.last_change()["seq"] - 1))


def test_a_deleted_blocker_and_a_deleted_or_archived_project_block_nothing(world: World) -> None:
    printing, proof, logo = world.task("Print"), world.task("Proof"), elsewhere(world)
    link(world, printing, proof)
    link(world, printing, logo)
    world.delete(proof.id)
    assert [row["blocker_id"] for row in world.rows("SELECT blocker_id FROM dependency")] == [logo.id]
    with pytest.raises(CardBlocked):
        world.move(printing.id, STARTED)
    world.do(ArchiveProject(project_id=logo.project_id))
    world.move(printing.id, STARTED)
    world.do(DeleteProject(project_id=logo.project_id))
    assert world.rows("SELECT * FROM dependency") == []
    world.move(printing.id, COMPLETED)


def test_links_are_refused_in_a_sentence(world: World) -> None:
    printing, later = world.task("Print"), world.task("Sell", phase=world.build)
    refused: tuple[tuple[Command[Any], type[PodiumError], str], ...] = (
        (LinkCards(waiting_id=printing.id, blocker_id=printing.id), RuleViolation, "“Print” cannot wait for itself"),
        (
            LinkCards(waiting_id=printing.id, blocker_id=later.id),
            RuleViolation,
            "“Print” cannot wait for “Sell”, which is in the later phase “Build”",
        ),
        (LinkCards(waiting_id=later.id, blocker_id=printing.id, lag_days=-1), InvalidInput, "The lag is 0 to 365 days"),
        (UnlinkCards(waiting_id=later.id, blocker_id=printing.id), RuleViolation, "“Sell” does not wait for that card"),
        (LinkCards(waiting_id=later.id, blocker_id="AUT-99"), NotFound, "There is no card “AUT-99” here"),
    )
    for message, error, words in refused:
        world.refuses(message, error, words)
    assert world.rows("SELECT * FROM dependency") == []
    link(world, later, printing, lag_days=2)
    link(world, later, printing, lag_days=4)
    assert world.row("dependency")["lag_days"] == 4


def test_a_card_waits_for_cards_by_their_keys(world: World) -> None:
    printing, proof = world.task("Print"), world.task("Proof")
    world.do(LinkCards(waiting_id="SPR-1", blocker_id="spr-2"))
    assert world.row("dependency")["waiting_id"] == printing.id
    assert world.row("dependency")["blocker_id"] == proof.id


def test_viewers_cannot_link(world: World) -> None:
    printing, proof = world.task("Print"), world.task("Proof")
    world.refuses(LinkCards(waiting_id=printing.id, blocker_id=proof.id), Forbidden, as_=world.vera)
    other = elsewhere(world)
    world.do(InviteMember(project_id=other.project_id, user_id=world.bob.user_id, role=ProjectRole.VIEWER))
    world.do(LinkCards(waiting_id=printing.id, blocker_id=other.id), as_=world.bob)
    world.refuses(LinkCards(waiting_id=other.id, blocker_id=proof.id), Forbidden, as_=world.bob)
    assert _ids(world) == [other.id]


def _ids(world: World) -> list[Id]:
    return [row["blocker_id"] for row in world.rows("SELECT blocker_id FROM dependency")]


def test_due_dates_follow_a_slip_as_far_as_they_have_to(world: World) -> None:
    days = {"Proof": 3, "Print": 6, "Fold": 20, "Go": 9}
    proof, printing, fold, loose = (world.task(title, due=date(2026, 3, day)) for title, day in days.items())
    link(world, printing, proof, lag_days=2)
    link(world, fold, printing)
    link(world, loose, printing, lag_days=1)
    world.do(SetCardDueDate(card_id=proof.id, due=date(2026, 3, 10)))
    assert _dues(world) == {"Proof": 10, "Print": 6, "Fold": 20, "Go": 9}
    world.do(SetCardDueDate(card_id=proof.id, due=date(2026, 3, 11), follow=True))
    assert _dues(world) == {"Proof": 11, "Print": 13, "Fold": 20, "Go": 14}
    assert world.last_change()["summary"] == "set “Proof” due 2026-03-11, and moved 2 cards that wait for it"
    world.do(Undo(project_id=world.project.id))
    assert _dues(world) == {"Proof": 10, "Print": 6, "Fold": 20, "Go": 9}


def test_the_open_tasks_of_an_activity_that_waits_follow_too_and_so_does_what_waits_for_them(world: World) -> None:
    proof, act = world.task("Proof", due=date(2026, 3, 3)), world.activity("Press", due=date(2026, 3, 20))
    plates = world.task("Plates", activity_id=act.id, due=date(2026, 3, 4))
    done = world.task("Paper", activity_id=act.id, due=date(2026, 3, 2))
    world.move(done.id, COMPLETED)
    world.task("Late", activity_id=act.id, due=date(2026, 3, 28))
    fold = world.task("Fold", due=date(2026, 3, 5))
    link(world, act, proof)
    link(world, act, plates)
    link(world, fold, plates, lag_days=1)
    world.do(SetCardDueDate(card_id=proof.id, due=date(2026, 3, 10), follow=True))
    assert _dues(world) == {"Proof": 10, "Press": 20, "Plates": 10, "Paper": 2, "Late": 28, "Fold": 11}
    assert world.last_change()["summary"] == "set “Proof” due 2026-03-10, and moved 2 cards that wait for it"
    world.do(SetCardDueDate(card_id=proof.id, due=date(2026, 3, 22), follow=True))
    assert _dues(world) == {"Proof": 22, "Press": 22, "Plates": 22, "Paper": 2, "Late": 28, "Fold": 23}


def _dues(world: World) -> dict[str, int]:
    return {row["title"]: int(row["due"][-2:]) for row in world.rows("SELECT title, due FROM item")}


def test_the_history_does_not_name_the_cards_of_another_project(world: World) -> None:
    printing, logo = world.task("Print"), elsewhere(world, "Secret logo")
    link(world, printing, logo, lag_days=2)
    assert world.last_change()["summary"] == "made “Print” wait for a card of another project with a lag of 2 days"
    world.do(UnlinkCards(waiting_id=printing.id, blocker_id=logo.id))
    assert world.last_change()["summary"] == "made “Print” no longer wait for a card of another project"
    told = world.ask(GetCard(item_id=printing.id), world.vera)
    assert "Secret" not in repr(told)


def test_no_card_waits_for_an_archived_one(world: World) -> None:
    printing, proof = world.task("Print"), world.task("Proof")
    world.archive(proof.id)
    with pytest.raises(RuleViolation, match="“Proof” is archived, so no card waits for it"):
        link(world, printing, proof)
    assert world.rows("SELECT * FROM dependency") == []


def test_a_card_that_is_deleted_leaves_the_dependencies_of_other_projects_alone(world: World) -> None:
    world.task("Stays open")
    proof, logo = world.task("Proof"), elsewhere(world)
    link(world, logo, proof)
    world.delete(proof.id)
    assert [row["waiting_id"] for row in world.rows("SELECT * FROM dependency")] == [logo.id]
    assert world.move(logo.id, STARTED).status is STARTED


def test_an_undo_brings_back_no_dependency_on_a_card_that_is_gone(world: World) -> None:
    world.task("Stays open")
    printing, proof = world.task("Print"), world.task("Proof")
    link(world, printing, proof)
    world.do(UnlinkCards(waiting_id=printing.id, blocker_id=proof.id))
    unlinked = world.last_change()["seq"]
    world.delete(proof.id)
    with pytest.raises((CannotUndo, RuleViolation), match="“Print” would wait for a card that was deleted"):
        world.do(Undo(project_id=world.project.id, seq=unlinked))
    assert world.rows("SELECT * FROM dependency") == []


def test_due_dates_follow_through_many_paths_in_one_pass(world: World) -> None:
    cards = [world.task(f"{number}", due=date(2026, 3, 9)) for number in range(16)]
    for before, card in pairwise(cards):
        link(world, card, before, lag_days=1)
    for before, card in zip(cards, cards[2:], strict=False):
        link(world, card, before, lag_days=5)
    seq = world.last_change()["seq"]
    world.do(SetCardDueDate(card_id=cards[0].id, due=date(2026, 3, 20), follow=True))
    dues = [world.row("item", id=card.id)["due"] for card in cards]
    assert dues[:4] == ["2026-03-20", "2026-03-21", "2026-03-25", "2026-03-26"]
    records = world.rows("SELECT * FROM change_record WHERE seq > :seq AND entity = 'item'", seq=seq)
    assert len(records) <= 2 * len(cards)


def test_a_card_that_is_blocked_comes_back_from_the_archive_as_to_do(world: World) -> None:
    printing, proof = world.task("Print"), world.task("Proof")
    world.move(printing.id, STARTED)
    world.archive(printing.id)
    link(world, printing, proof)
    assert world.do(RestoreCard(card_id=printing.id)).status is TO_DO
    assert world.status(printing) == TO_DO
