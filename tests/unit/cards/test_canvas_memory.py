"""Values that the cards of a large Canvas share, so that it takes little memory."""

from __future__ import annotations

from datetime import date

from core.actions.workflow.canvas import GetCanvas
from tests.support.workspace import World


def test_cards_share_their_dates_phases_and_people(world: World) -> None:
    for number in range(3):
        world.task(f"Task {number}", due=date(2026, 12, 1), assignee_id=world.maya.user_id)
    cards = world.ask(GetCanvas(project_id=world.project.id)).cards
    assert [card.title for card in cards] == ["Task 0", "Task 1", "Task 2"]
    first, *others = cards
    for card in others:
        assert card.due is first.due
        assert card.phase_id is first.phase_id
        assert card.assignee_ids is first.assignee_ids
