"""Comments, decisions and notifications in parts: each answer is bounded, and says how many others there are."""

from __future__ import annotations

import pytest

from core.actions.cards import comments
from core.actions.cards.comments import FIRST_PART, AddComment, ListComments
from core.actions.cards.details import GetCard, GetPhase
from core.actions.history.history import Undo
from core.actions.personal import inbox
from core.actions.personal.inbox import ListInbox
from core.actions.workflow.gate_record import SEALS_AT_ONCE, ListGateDecisions
from core.actions.workflow.gates import DecideGate
from core.domain.gates import Decision
from core.errors import NotFound
from tests.support.workspace import World


def texts(page: comments.CommentPage) -> list[str]:
    return [each.text for each in page.comments]


def test_a_card_has_the_newest_comments_and_the_others_are_listed_in_parts(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = world.task()
    other = world.task("Another card")
    for number in range(FIRST_PART + 5):
        world.do(AddComment(item_id=task.id, text=str(number)))
    world.do(AddComment(item_id=other.id, text="elsewhere"))
    card = world.ask(GetCard(item_id=task.id))
    assert [each.text for each in card.comments] == [str(number) for number in range(5, 25)]
    assert card.older_comments == 5
    monkeypatch.setattr(comments, "PART", 3)
    page = world.ask(ListComments(item_id=task.id, before=card.comments[0].id))
    assert (texts(page), page.older) == (["2", "3", "4"], 2)
    page = world.ask(ListComments(item_id=task.id, before=page.comments[0].id))
    assert (texts(page), page.older) == (["0", "1"], 0)
    assert texts(world.ask(ListComments(item_id=task.id))) == ["22", "23", "24"]
    assert world.ask(ListComments(item_id=task.id, before=page.comments[0].id)).comments == ()


def test_a_part_before_a_comment_that_is_gone_is_refused(world: World) -> None:
    task = world.task()
    gone = world.do(AddComment(item_id=task.id, text="Never mind"))
    world.do(Undo(project_id=world.project.id))
    world.refuses(ListComments(item_id=task.id, before=gone.id), NotFound)


def test_a_phase_has_the_newest_decisions_and_counts_the_others(world: World) -> None:
    phase = world.discover
    for number in range(SEALS_AT_ONCE + 2):
        world.do(DecideGate(phase_id=phase.id, decision=Decision.SEND_BACK, reason=f"Reason {number}"))
    detail = world.ask(GetPhase(phase_id=phase.id))
    assert (len(detail.decisions), detail.older_decisions) == (SEALS_AT_ONCE, 2)
    assert detail.decisions[0].record.reason == "Reason 21"
    assert len(world.ask(ListGateDecisions(project_id=world.project.id, phase_id=phase.id))) == SEALS_AT_ONCE + 2


def test_the_inbox_counts_the_notifications_that_it_does_not_list(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inbox, "MAX_NOTIFICATIONS", 3)
    task = world.task()
    for number in range(5):
        world.do(AddComment(item_id=task.id, text=f"@bob {number}"))
    found = world.ask(ListInbox(), as_=world.bob)
    assert (len(found.lines), found.older) == (3, 2)
