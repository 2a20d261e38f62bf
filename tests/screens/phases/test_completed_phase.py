"""The moment of a gate: what is complete, what is open now, and enter goes there."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

import pytest

from core.actions.workflow.deliverables import AddDeliverable
from core.actions.workflow.phases import EditPhase
from core.domain.model import Gate, Item, Status
from tests.support.api.server import ServerOfTests
from tests.support.app_driver import Text, canvas, on_stage, press, screen_of, seen, settled, shows, told
from tests.support.behind_server import at
from tests.support.workspace import World
from tui.screens.canvas.screen import CanvasScreen
from tui.screens.cards.card import CardScreen
from tui.screens.personal.my_work import MyWorkScreen
from tui.screens.phases.phase import PhaseScreen
from tui.screens.views.table import TableScreen

OPENED = "“Discover” is complete. “Build” is open: 2 tasks, first due 15 Mar. Enter to go there."


@pytest.fixture
def last(world: World) -> Item:
    """The only card of the first phase; the second one has two tasks."""
    world.task("Draw the plan", world.build)
    world.task("Order the wood", world.build, due=date(2026, 3, 15))
    return world.task("Call the venue")


@pytest.fixture
def server(world: World) -> Iterator[ServerOfTests]:
    with ServerOfTests(world) as server:
        yield server


async def test_completing_the_last_card_says_which_phase_is_open_and_enter_goes_there(world: World, last: Item) -> None:
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "c")
        assert world.status(last) == Status.COMPLETED
        assert told(pilot) == OPENED
        screen = screen_of(pilot, CanvasScreen)
        assert world.build.id in screen.board._highlighted, "its column lights up"
        await press(pilot, "enter")
        assert screen.board.cursor.card is not None
        assert screen.board.cursor.card.title == "Draw the plan"
        assert (pilot.app.screen, told(pilot)) == (screen, "")


async def test_after_another_key_enter_opens_the_card_as_ever(world: World, last: Item) -> None:
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "c", "k", "enter")
        assert isinstance(pilot.app.screen, CardScreen)
        assert "Call the venue" in seen(pilot)


async def test_approving_the_gate_says_so_too(world: World, last: Item) -> None:
    world.do(EditPhase(phase_id=world.discover.id, gate=Gate.REVIEW))
    world.complete(last.id)
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "1", "greater_than_sign", Text("Signed"), "ctrl+s")
        assert told(pilot) == OPENED.replace("is complete", "approved")
        assert world.row("phase", id=world.discover.id)["gate_state"] == "PASSED"


async def test_a_card_that_is_not_the_last_one_says_nothing(world: World, last: Item) -> None:
    world.task("Book the hall")
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "c")
        assert world.status(last) == Status.COMPLETED
        assert told(pilot) == ""


async def test_the_last_card_before_a_review_says_that_the_phase_is_ready_and_which_key_approves(
    world: World, last: Item
) -> None:
    world.do(EditPhase(phase_id=world.discover.id, gate=Gate.REVIEW))
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "c")
        assert world.status(last) == Status.COMPLETED
        assert told(pilot) == "“Discover” is ready for approval. > to approve it."
        assert world.row("phase", id=world.discover.id)["gate_state"] == "NONE"
        await press(pilot, "greater_than_sign", "ctrl+s")
        assert told(pilot) == OPENED.replace("is complete", "approved")
        assert world.row("phase", id=world.discover.id)["gate_state"] == "PASSED"


async def test_who_cannot_approve_reads_that_an_owner_can(world: World, last: Item) -> None:
    world.do(EditPhase(phase_id=world.discover.id, gate=Gate.REVIEW))
    async with on_stage(world, canvas(world), as_=world.bob) as pilot:
        await press(pilot, "c")
        assert world.status(last) == Status.COMPLETED
        assert told(pilot) == "“Discover” is ready for approval by Maya Okafor."


async def test_on_my_work_enter_goes_to_the_phase_that_is_ready(world: World, last: Item) -> None:
    world.do(EditPhase(phase_id=world.discover.id, gate=Gate.REVIEW))
    world.database.write(
        lambda tx: tx.execute("UPDATE item SET assignee_id = :me WHERE id = :id", me=world.maya.user_id, id=last.id)
    )
    async with on_stage(world, MyWorkScreen) as pilot:
        await press(pilot, "c")
        assert told(pilot) == "“Discover” is ready for approval. Enter to go there."
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, PhaseScreen)
        assert "Discover" in seen(pilot)


async def test_a_review_that_waits_for_evidence_says_which(world: World, last: Item) -> None:
    world.do(EditPhase(phase_id=world.discover.id, gate=Gate.REVIEW, evidence_required=True))
    world.do(AddDeliverable(phase_id=world.discover.id, name="Plan"))
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "c")
        assert world.status(last) == Status.COMPLETED
        missing = "“Discover” has 1 point missing: “Plan” is not done and has no evidence."
        assert told(pilot) == f"{missing} > to see all of it."


async def test_the_other_views_and_pages_say_it_too(world: World, last: Item) -> None:
    world.database.write(
        lambda tx: tx.execute("UPDATE item SET assignee_id = :me WHERE id = :id", me=world.maya.user_id, id=last.id)
    )
    for first in (
        lambda: TableScreen(world.project.id, last.id),
        lambda: CardScreen(world.project.id, last.id),
        MyWorkScreen,
    ):
        async with on_stage(world, first) as pilot:
            await press(pilot, "c")
            assert world.status(last) == Status.COMPLETED
            assert told(pilot) == OPENED
            await press(pilot, "enter")
            assert await shows(pilot, "Draw the plan")
        world.move(last.id, Status.TO_DO, relock=True)


async def test_archiving_the_last_open_card_and_several_at_once_say_it_too(world: World, last: Item) -> None:
    done = world.task("Book the hall")
    world.complete(done.id)
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "d")
        assert world.status(last) == Status.ARCHIVED
        assert told(pilot) == OPENED
        await press(pilot, "u", "2", "v", "escape", "V", "c")
        assert [row["status"] for row in world.rows("SELECT status FROM item")].count("COMPLETED") == 4
        assert told(pilot) == "“Discover” is complete. “Launch” is open: no cards yet. Enter to go there."


async def test_when_all_is_done_enter_saves_the_project_as_a_template(world: World) -> None:
    for phase in (world.build, world.launch):
        task = world.task(f"Of {phase.name}", phase, relock=True)
        world.complete(world.task("First").id) if phase is world.build else None
        if phase is world.build:
            world.complete(task.id)
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "3", "j", "c")
        assert told(pilot) == ("“Launch” is complete. All 3 cards are done. Enter to save the project as a template.")
        await press(pilot, "enter")
        assert await shows(pilot, "❯ A new template")


async def test_behind_a_server_it_is_the_same(world: World, server: ServerOfTests, last: Item) -> None:
    async with at(server, world, canvas(world), world.maya) as pilot:
        await press(pilot, "c")
        assert await shows(pilot, OPENED.partition(", first due")[0])  # its date is that of the client
        assert world.status(last) == Status.COMPLETED
        await press(pilot, "enter")
        await settled(pilot)
        assert pilot.card.title == "Draw the plan"


async def test_on_the_page_of_the_phase_enter_goes_to_the_canvas(world: World, last: Item) -> None:
    world.do(EditPhase(phase_id=world.discover.id, gate=Gate.REVIEW))
    world.complete(last.id)
    async with on_stage(world, lambda: PhaseScreen(world.project.id, world.discover.id)) as pilot:
        await press(pilot, "greater_than_sign", "ctrl+s")
        assert told(pilot) == OPENED.replace("is complete", "approved")
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, CanvasScreen)
        assert pilot.card.title == "Draw the plan"
