"""A refusal with its ways out, each by its key; the people who can help, of whom the user is "you"."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

import pytest
from textual.pilot import Pilot

from core.actions.projects.members import InviteMember, SetProjectRole
from core.actions.workflow.phases import EditPhase
from core.actions.workspace.users import EditUser
from core.domain.model import Gate, Item, ProjectRole, Status
from tests.support.api.server import ServerOfTests
from tests.support.app_driver import Text, canvas, on_stage, press, screen_of, seen, settled, shows, told
from tests.support.authorization_service.server import Service
from tests.support.behind_server import at
from tests.support.workspace import World
from tui.dialogs.blockers import BlockersDialog
from tui.dialogs.text import TextDialog
from tui.screens.canvas.screen import CanvasScreen
from tui.screens.cards.card import CardScreen


@pytest.fixture
def locked(world: World) -> Item:
    """A task in a locked phase; the phase before it has an open card."""
    world.task("Call the venue")
    return world.task("Draw the plan", world.build)


@pytest.fixture
def server(world: World) -> Iterator[ServerOfTests]:
    with ServerOfTests(world) as server:
        yield server


def words(pilot: Pilot[int]) -> str:
    """The words on the screen, without frames and line breaks."""
    return " ".join(seen(pilot).replace("│", " ").split())


async def refused(pilot: Pilot[int]) -> None:
    """Try to start the card in the locked phase."""
    await press(pilot, "2", "L")
    assert isinstance(pilot.app.screen, BlockersDialog)


async def test_an_owner_is_offered_to_override_the_lock_and_to_go_to_what_blocks(world: World, locked: Item) -> None:
    async with on_stage(world, canvas(world)) as pilot:
        await refused(pilot)
        assert "This can't start yet" in seen(pilot)
        assert "“Draw the plan” cannot start: “Build” is locked until “Discover” is complete." in words(pilot)
        assert "! Override the lock of “Build”" in words(pilot)
        assert "You can unlock it." in words(pilot)
        assert "Maya" not in seen(pilot).partition("This can't")[2], "not by her own name"
        await press(pilot, "enter")
        assert pilot.card.title == "Call the venue"
        await refused(pilot)
        await press(pilot, "exclamation_mark")
        assert "Override the lock of “Build”" in seen(pilot)
        await press(pilot, Text("The client wants it now"), "ctrl+s")
        assert told(pilot) == "Lock of “Build” overridden. u to undo."
        assert world.row("phase", id=world.build.id)["overridden"] == 1
        await press(pilot, "L")
        assert world.status(locked) == Status.IN_PROGRESS


async def test_a_phase_that_only_waits_for_approval_is_approved_from_the_refusal(world: World, locked: Item) -> None:
    world.do(EditPhase(phase_id=world.discover.id, gate=Gate.REVIEW))
    world.complete(*(row["id"] for row in world.rows("SELECT id FROM item WHERE phase_id = :id", id=world.discover.id)))
    async with on_stage(world, canvas(world)) as pilot:
        await refused(pilot)
        assert "> Approve “Discover”" in words(pilot)
        await press(pilot, "greater_than_sign", "ctrl+s")
        assert told(pilot).startswith("“Discover” approved. “Build” is open: 1 task")
        assert world.row("phase", id=world.discover.id)["gate_state"] == "PASSED"
        await press(pilot, "enter", "L")
        assert world.status(locked) == Status.IN_PROGRESS


@pytest.mark.parametrize(
    ("held", "offered", "not_offered"),
    [("GATE_DECIDE", "> Approve “Discover”", "! Override"), ("WORKFLOW_MANAGE", "! Override the lock", "> Approve")],
)
async def test_a_permission_service_can_grant_the_ways_apart(
    world: World, locked: Item, service: Service, held: str, offered: str, not_offered: str
) -> None:
    world.do(EditPhase(phase_id=world.discover.id, gate=Gate.REVIEW))
    world.complete(*(row["id"] for row in world.rows("SELECT id FROM item WHERE phase_id = :id", id=world.discover.id)))
    service.copy(world.database)
    service.grant(world.bob.user_id, world.row("project", id=world.project.id)["auth_id"], held)
    world.engine.permissions = service.source()
    async with on_stage(world, canvas(world), world.bob) as pilot:
        await refused(pilot)
        assert offered in words(pilot)
        assert not_offered not in words(pilot)
        assert "@ Ask" not in words(pilot)


async def test_a_contributor_asks_the_owner_by_a_comment(world: World, locked: Item) -> None:
    async with on_stage(world, canvas(world), world.bob) as pilot:
        await refused(pilot)
        assert "Maya Okafor can unlock it." in words(pilot)
        assert "!" not in words(pilot).partition("This can't")[2].partition("? help")[0]
        assert "@ Ask Maya Okafor by a comment on “Draw the plan”" in words(pilot)
        await press(pilot, "at")
        assert "@maya " in seen(pilot)
        await press(pilot, Text("Can we start?"), "ctrl+s")
        assert told(pilot) == "Asked Maya Okafor. u to undo."
    assert world.row("comment", item_id=locked.id)["text"] == "@maya Can we start?"
    assert world.rows("SELECT user_id FROM notification WHERE kind = 'MENTIONED'")[0]["user_id"] == world.maya.user_id


async def test_you_and_other_owners_are_named(world: World, locked: Item) -> None:
    world.do(SetProjectRole(project_id=world.project.id, user_id=world.bob.user_id, role=ProjectRole.OWNER))
    async with on_stage(world, canvas(world)) as pilot:
        await refused(pilot)
        assert "You and Bob Lind can unlock it." in words(pilot)


async def test_another_owner_of_the_same_name_is_not_you(world: World, locked: Item) -> None:
    world.do(EditUser(user_id=world.bob.user_id, first_name="Maya", last_name="Okafor"))
    async with on_stage(world, canvas(world), world.bob) as pilot:
        await refused(pilot)
        assert "Maya Okafor can unlock it." in words(pilot)
        assert "You can" not in words(pilot)
    world.do(SetProjectRole(project_id=world.project.id, user_id=world.bob.user_id, role=ProjectRole.OWNER))
    async with on_stage(world, canvas(world), world.bob) as pilot:
        await refused(pilot)
        assert "You and Maya Okafor can unlock it." in words(pilot)


async def test_a_comment_asks_every_active_owner_and_none_without_any(world: World, locked: Item) -> None:
    for actor in (world.vera, world.gus):
        if actor is world.gus:
            world.do(InviteMember(project_id=world.project.id, user_id=actor.user_id, role=ProjectRole.VIEWER))
        world.do(SetProjectRole(project_id=world.project.id, user_id=actor.user_id, role=ProjectRole.OWNER))
    async with on_stage(world, canvas(world), world.bob) as pilot:
        await refused(pilot)
        assert "and 1 more by a comment" in words(pilot)
        await press(pilot, "at")
        assert all(f"@{login}" in seen(pilot) for login in ("maya", "vera", "gus"))
        await press(pilot, "escape", "escape")
    world.database.write(lambda tx: tx.execute("UPDATE app_user SET active = 0 WHERE login <> 'bob'"))
    async with on_stage(world, canvas(world), world.bob) as pilot:
        await refused(pilot)
        assert "by a comment" not in words(pilot)


async def test_a_viewer_is_offered_nothing_but_the_way_there(world: World, locked: Item) -> None:
    async with on_stage(world, canvas(world), world.vera) as pilot:
        await press(pilot, "2", "w")
        assert isinstance(pilot.app.screen, BlockersDialog)
        assert "Why is this card blocked?" in seen(pilot)
        assert "Override" not in seen(pilot)
        assert "Ask Maya" not in seen(pilot)
        await press(pilot, "enter")
        assert pilot.card.title == "Call the venue"


async def test_on_the_page_of_the_card_the_ways_are_the_same(world: World, locked: Item) -> None:
    async with on_stage(world, lambda: CardScreen(world.project.id, locked.id)) as pilot:
        await press(pilot, "L", "exclamation_mark", Text("Now"), "ctrl+s")
        assert world.row("phase", id=world.build.id)["overridden"] == 1
        await press(pilot, "L")
        assert world.status(locked) == Status.IN_PROGRESS


async def test_behind_a_server_the_ways_are_the_same(world: World, server: ServerOfTests, locked: Item) -> None:
    async with at(server, world, canvas(world), world.maya) as pilot:
        await press(pilot, "2", "L")
        assert await shows(pilot, "Override the lock of “Build”")
        await press(pilot, "exclamation_mark")
        assert await shows(pilot, "Opens this phase")
        await press(pilot, Text("Now"), "ctrl+s")
        assert await shows(pilot, "Lock of “Build” overridden")
    assert world.row("phase", id=world.build.id)["overridden"] == 1


async def test_several_refusals_are_grouped_by_their_rule_and_stay_marked(world: World) -> None:
    world.task("Call the venue", due=date(2026, 3, 4))
    for title in ("Shoot", "Edit"):
        world.task(title, world.launch)
    blocking = world.activity("Interviews", world.build)
    world.task("Ask Ann", world.build, activity_id=blocking.id)
    world.do(InviteMember(project_id=world.project.id, user_id=world.gus.user_id, role=ProjectRole.CONTRIBUTOR))
    world.do(SetProjectRole(project_id=world.project.id, user_id=world.bob.user_id, role=ProjectRole.OWNER))
    async with on_stage(world, canvas(world)) as pilot:
        screen = screen_of(pilot, CanvasScreen)
        await press(pilot, "1", "space", "3", "space", "space")
        assert screen.board.mark_count == 3
        await press(pilot, "c")
        assert isinstance(pilot.app.screen, TextDialog)
        assert "1 done, 2 not possible" in seen(pilot)
        assert "Locked until “Build” is complete (2)" in words(pilot)
        assert words(pilot).count("Locked until") == 1
        assert "They stay marked." in seen(pilot)
        await press(pilot, "escape")
        assert screen.board.mark_count == 2
        marked = {card.title for card in screen.selection().cards}
        assert marked == {"Shoot", "Edit"}
    assert world.row("item", title="Call the venue")["status"] == Status.COMPLETED


async def test_a_batch_over_phases_completes_each_phase_before_the_next(world: World) -> None:
    tasks = [world.task(phase.name, phase) for phase in (world.launch, world.build, world.discover)]
    async with on_stage(world, canvas(world)) as pilot:
        for column in "321":
            await press(pilot, column, "space")
        await press(pilot, "c")
        assert [world.status(task) for task in tasks] == [Status.COMPLETED] * 3
        assert "All 3 cards are done." in told(pilot)
        assert pilot.board.mark_count == 0
        await press(pilot, "u")
        await settled(pilot)
        assert [world.status(task) for task in tasks] == [Status.TO_DO] * 3
