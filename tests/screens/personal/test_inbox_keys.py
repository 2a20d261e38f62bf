"""Requests dealt with in the inbox: a gate is approved, a card completed, a comment answered."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from textual.pilot import Pilot

from core.actions.cards.comments import AddComment
from core.actions.workflow.deliverables import AddDeliverable
from core.actions.workflow.phases import EditPhase
from core.actions.workspace.credentials import CreateUserToken
from core.actions.workspace.users import AddUser
from core.domain.model import Gate, GateState, PlatformRole
from core.engine.unit_of_work import Actor
from tests.screens.framework.test_preview import previews
from tests.support.app_driver import Text, hides, on_stage, press, seen, shows
from tests.support.workspace import Clock, World
from tui.screens.personal.inbox import InboxScreen
from tui.screens.phases.phase import PhaseScreen


@pytest.fixture(autouse=True)
def today(clock: Clock) -> None:
    clock.now = datetime.now(UTC)


def ready(world: World) -> None:
    """Discover waits for Maya's approval."""
    world.do(EditPhase(phase_id=world.discover.id, gate=Gate.REVIEW))
    world.complete(world.task().id)


def unread(world: World) -> int:
    return len(world.rows("SELECT * FROM notification WHERE read_at IS NULL"))


async def asked(pilot: Pilot[int], *words: str) -> None:
    assert await previews(pilot, "What it asks", *words)


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (40, 12)])
async def test_a_gate_is_approved_in_the_inbox(world: World, size: tuple[int, int]) -> None:
    ready(world)
    async with on_stage(world, InboxScreen, size=size) as pilot:
        if size == (120, 40):
            await asked(pilot, "Ready for approval.", "Press > to approve it here", "1 Discover")
        await press(pilot, "greater_than_sign")
        assert await shows(pilot, "Approve “Discover”")
        await press(pilot, "ctrl+s")
        assert world.row("phase", id=world.discover.id)["gate_state"] == GateState.PASSED
        assert isinstance(pilot.app.screen, InboxScreen)
        assert await shows(pilot, "Your inbox is empty")


async def test_a_gate_that_lacks_evidence_is_explained_and_not_offered_for_approval(world: World) -> None:
    ready(world)
    world.do(AddDeliverable(phase_id=world.discover.id, name="Contract"))
    world.do(EditPhase(phase_id=world.discover.id, evidence_required=True, reason="Legal asks for it"))
    async with on_stage(world, InboxScreen) as pilot:
        await asked(pilot, "1 point missing: “Contract” is not done", "Press w to see what is missing")
        assert "Waits for my decision" not in seen(pilot)
        assert "> approve" not in seen(pilot)
        await press(pilot, "greater_than_sign")
        assert await shows(pilot, "Not ready for approval")
        await press(pilot, "escape", "w")
        assert await shows(pilot, "Why is this phase not complete?")
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, PhaseScreen)


async def test_in_the_lowest_pane_a_line_still_says_what_it_asks(world: World) -> None:
    ready(world)
    for name in ("One", "Two", "Three", "Four"):
        world.do(AddDeliverable(phase_id=world.discover.id, name=name))
    async with on_stage(world, InboxScreen, size=(78, 30)) as pilot:
        await asked(pilot, "Ready for approval.", "Press > to approve it here")


async def test_y_copies_the_key_of_the_card_and_says_on_a_gate_that_there_is_none(world: World) -> None:
    task = world.task("Late", due=date.today() - timedelta(days=2), assignee_id=world.bob.user_id)
    async with on_stage(world, InboxScreen, world.bob) as pilot:
        await press(pilot, "y")
        assert f"Copied the key of “Late”: SPR-{task.number}" in seen(pilot)
    world.do(EditPhase(phase_id=world.discover.id, gate=Gate.REVIEW))
    world.complete(task.id)
    async with on_stage(world, InboxScreen, world.maya) as pilot:
        await press(pilot, "y")
        assert "This line is not about a task or an activity." in seen(pilot)


async def test_a_card_that_is_late_is_completed_in_the_inbox(world: World) -> None:
    world.task("Other")
    task = world.task("Late", due=date.today() - timedelta(days=2), assignee_id=world.bob.user_id)
    async with on_stage(world, InboxScreen, world.bob) as pilot:
        await asked(pilot, "2d late", "Press c to complete it here", "○ Late", "To Do")
        await press(pilot, "c")
        assert world.status(task) == "COMPLETED"
        assert await hides(pilot, "2d late")
        assert unread(world) == 0  # that it was assigned is read with it


async def test_a_comment_is_answered_in_the_inbox_and_read(world: World) -> None:
    task = world.task("Write")
    world.do(AddComment(item_id=task.id, text="@bob [b]when?[/b]"))
    async with on_stage(world, InboxScreen, world.bob, (78, 60)) as pilot:
        await asked(pilot, "Maya Okafor mentioned you: @bob [b]when?[/b]", "Press C to answer here", "Last comment")
        await press(pilot, "C")
        assert await shows(pilot, "Comment on “Write”")
        await press(pilot, Text("On Friday."), "ctrl+s")
        said = world.rows("SELECT text, author_id FROM comment ORDER BY at, id")[-1]
        assert said == {"text": "On Friday.", "author_id": world.bob.user_id}
        assert await shows(pilot, "Your inbox is empty")
        assert unread(world) == 0


async def test_a_comment_that_is_given_up_leaves_the_line_unread(world: World) -> None:
    task = world.task("Write")
    world.do(AddComment(item_id=task.id, text="@bob?"))
    async with on_stage(world, InboxScreen, world.bob) as pilot:
        await press(pilot, "C", "escape")
        assert unread(world) == 1
        assert "● Write" in seen(pilot)


async def test_a_key_says_why_it_has_nothing_to_do_with_the_line(world: World) -> None:
    ready(world)
    world.task("Late", world.build, due=date.today(), assignee_id=world.maya.user_id)
    async with on_stage(world, InboxScreen) as pilot:
        await press(pilot, "c")
        assert "This line is not about a task or an activity." in seen(pilot)
        await press(pilot, "j", "greater_than_sign")
        assert "This line does not wait for an approval." in seen(pilot)


async def test_a_viewer_is_told_that_completing_is_not_theirs(world: World) -> None:
    task = world.task("Late", due=date.today(), assignee_id=world.vera.user_id)
    async with on_stage(world, InboxScreen, world.vera) as pilot:
        await press(pilot, "c")
        assert "can move cards" in seen(pilot)
        assert world.status(task) == "TO_DO"


async def test_access_that_another_person_made_leads_to_where_it_is_revoked(world: World) -> None:
    roles = (PlatformRole.WORKSPACE_ADMIN,)
    world.do(AddUser(first_name="Ann", last_name="Berg", email="ann@example.com", platform_roles=roles))
    ann = Actor(world.row("app_user", login="ann")["id"])
    world.do(CreateUserToken(label="CI", user_id=world.maya.user_id), ann)
    async with on_stage(world, InboxScreen, size=(78, 40)) as pilot:
        await asked(pilot, "Ann Berg created it for you: anyone with it can act as you.", "Press enter")
