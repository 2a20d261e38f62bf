"""Questions before an approval ends: the reason of those who can agree, and the request of anyone else."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from textual.pilot import Pilot
from textual.widgets import Button

from core.actions.workflow.gates import DecideGate
from core.actions.workflow.phases import EditPhase, RemovePhase
from core.domain.gates import Decision
from core.domain.model import Gate, Item
from tests.support.app_driver import Text, canvas, on_stage, press, seen, shows, told
from tests.support.inbox import inbox
from tests.support.workspace import Clock, World
from tui.dialogs.consent import AskDialog, ReasonDialog
from tui.dialogs.dialog import PlainText
from tui.dialogs.form import FormDialog
from tui.screens.canvas.screen import CanvasScreen
from tui.screens.personal.inbox import InboxScreen


@pytest.fixture
def done(world: World, clock: Clock) -> Item:
    """The only card of Discover, which is approved, and the only phase: nothing can lock."""
    clock.now = datetime.now(UTC)
    for phase in (world.build, world.launch):
        world.do(RemovePhase(phase_id=phase.id))
    task = world.task("Call the venue")
    approve(world, task)
    return task


def approve(world: World, *tasks: Item) -> None:
    world.do(EditPhase(phase_id=world.discover.id, gate=Gate.REVIEW, reason="It is due."))
    world.complete(*(task.id for task in tasks))
    world.do(DecideGate(phase_id=world.discover.id, decision=Decision.PASS))


def state(world: World) -> str:
    return str(world.row("phase", id=world.discover.id)["gate_state"])


def reasons(world: World) -> list[str]:
    return [row["reason"] for row in world.rows("SELECT reason FROM gate_record WHERE decision = 'LAPSE'")]


def words(pilot: Pilot[int]) -> str:
    """The texts and the buttons of a dialog."""
    shown = [*pilot.app.screen.query(PlainText), *pilot.app.screen.query(Button)]
    return " ".join(str(each.render()).strip() for each in shown if each.display)


async def test_the_reason_is_asked_for_and_undo_and_redo_ask_the_same_way(world: World, done: Item) -> None:
    async with on_stage(world, canvas(world), size=(80, 24)) as pilot:
        await press(pilot, "c")
        assert isinstance(pilot.app.screen, ReasonDialog)
        for part in ("“Call the venue” was reopened.", "Maya Okafor can agree to it."):
            assert part in words(pilot)
        await press(pilot, "enter")
        assert "Say why" in seen(pilot)
        assert state(world) == "PASSED"
        await press(pilot, Text("Another hall"), "enter")
        assert (state(world), reasons(world)) == ("NONE", ["Another hall"])
        await press(pilot, "u")
        assert (state(world), world.status(done)) == ("PASSED", "COMPLETED")
        await press(pilot, "U")
        assert isinstance(pilot.app.screen, ReasonDialog), "a redo ends it again"
        await press(pilot, "escape")
        assert state(world) == "PASSED"
        await press(pilot, "U", Text("Another hall"), "enter")
        assert (state(world), world.status(done)) == ("NONE", "IN_PROGRESS")


async def test_several_cards_take_one_reason_and_one_undo(world: World, done: Item) -> None:
    more = [world.task(title, allow_lapse="More to do.") for title in ("Print", "Post")]
    approve(world, *more)
    async with on_stage(world, canvas(world), size=(80, 24)) as pilot:
        await press(pilot, "V", "c")
        assert isinstance(pilot.app.screen, ReasonDialog), words(pilot)
        await press(pilot, Text("All again"), "enter")
        assert [world.status(each) for each in (done, *more)] == ["IN_PROGRESS"] * 3
        assert reasons(world)[-1] == "All again"
        await press(pilot, "u")
        assert [world.status(each) for each in (done, *more)] == ["COMPLETED"] * 3
        assert state(world) == "PASSED"


async def test_the_form_for_a_card_warns_first_and_keeps_what_was_typed(world: World, done: Item) -> None:
    async with on_stage(world, canvas(world), size=(80, 24)) as pilot:
        await press(pilot, "n")
        assert "“Discover” is approved. A new card ends the approval, which takes a reason." in words(pilot)
        await press(pilot, Text("Print the menu"), "ctrl+s")
        assert isinstance(pilot.app.screen, ReasonDialog)
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, FormDialog)
        assert "Print the menu" in seen(pilot)
        await press(pilot, "ctrl+s", Text("A menu too"), "enter")
        assert isinstance(pilot.app.screen, CanvasScreen)
        assert reasons(world) == ["A menu too"]


async def test_a_contributor_asks_once_and_the_owner_agrees_in_the_inbox(world: World, done: Item) -> None:
    async with on_stage(world, canvas(world), as_=world.bob, size=(80, 24)) as pilot:
        for answer in ("Asked Maya Okafor, who will find it in the inbox.", "You have asked today."):
            await press(pilot, "c")
            assert isinstance(pilot.app.screen, AskDialog)
            assert "Maya Okafor can agree to it. Ask Maya Okafor Cancel" in words(pilot)
            await press(pilot, "C")
            assert answer in told(pilot)
    assert state(world) == "PASSED"
    (line,) = inbox(world, world.maya)
    assert line.target_id == done.id
    async with on_stage(world, InboxScreen, size=(80, 24)) as pilot:
        assert "Call the venue" in seen(pilot)
        assert "Bob Lind asks you" in seen(pilot)
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, ReasonDialog), words(pilot)
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, CanvasScreen)
        assert len(inbox(world, world.maya)) == 1, "it still waits"
        await press(pilot, "escape", "enter", Text("Bob is right"), "enter")
        assert await shows(pilot, "Done, and the approval has ended.")
        assert (world.status(done), state(world), reasons(world)) == ("IN_PROGRESS", "NONE", ["Bob is right"])
        assert inbox(world, world.maya) == []


async def test_what_ends_no_approval_any_more_is_not_done_by_agreeing(world: World, done: Item) -> None:
    async with on_stage(world, canvas(world), as_=world.bob) as pilot:
        await press(pilot, "c", "C")
    world.do(DecideGate(phase_id=world.discover.id, decision=Decision.SEND_BACK, reason="Thin."))
    async with on_stage(world, InboxScreen) as pilot:
        await press(pilot, "enter")
        for _ in range(3):
            if "It ends no approval any more" in told(pilot):
                break
            await press(pilot, "escape", "j", "enter")
        assert "It ends no approval any more" in told(pilot)
    assert world.status(done) == "COMPLETED"
