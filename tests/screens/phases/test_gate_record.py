"""The gate record on screens: its entries, seals that are shown whole, and what changed since a decision."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from textual.pilot import Pilot

from core.actions.cards.tasks import CreateTask
from core.actions.history.history import Undo
from core.actions.projects.members import SetProjectRole
from core.actions.workflow.deliverables import AddDeliverable, Deliver
from core.actions.workflow.gates import DecideGate
from core.actions.workflow.phases import EditPhase, RemovePhase
from core.domain.gates import Decision
from core.domain.model import Gate, ProjectRole
from tests.support.app_driver import Text, on_stage, press, seen, write
from tests.support.workspace import World
from tests.unit.workflow.test_gate_record import approved
from tui.dialogs.dialog import PlainText
from tui.dialogs.form import FormDialog
from tui.screens.phases.gate_record import GateRecordScreen
from tui.screens.phases.phase import PhaseScreen


def record(world: World) -> Callable[[], GateRecordScreen]:
    return lambda: GateRecordScreen(world.project.id)


def words_of(pilot: Pilot[int]) -> str:
    """The text on the screen; where a dialog is open, of the dialog alone."""
    lines = seen(pilot).splitlines()
    inside = [line.split("│")[1] for line in lines if line.count("│") == 2]
    return " ".join(" ".join(inside or lines).split())


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (40, 12)])
async def test_the_record_says_in_words_what_became_of_an_approval(
    world: World, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    approved(world)
    world.do(CreateTask(phase_id=world.discover.id, title="One more", allow_lapse="A gap"))
    world.do(Undo(project_id=world.project.id))
    world.do(DecideGate(phase_id=world.launch.id, decision=Decision.HOLD))
    world.do(RemovePhase(phase_id=world.launch.id))
    async with on_stage(world, record(world), size=size) as pilot:
        shown = words_of(pilot)
        for entry in ("held", "withdrawn", "approval ended, withdrawn", "approved, in force", "gate changed"):
            assert entry in shown
        await press(pilot, "W")
        assert "nothing to compare it with" in words_of(pilot)
        await press(pilot, "p")
        assert "there is no page" in words_of(pilot)
        await press(pilot, "G", "k", "enter")
        assert "anyone who can write it can act as anyone" in words_of(pilot)
        assert "The seal matches its hash" in words_of(pilot)
        await press(pilot, "escape", "W")
        assert "Nothing has changed." in words_of(pilot)


async def test_a_seal_is_read_whole_and_a_changed_one_says_so(world: World) -> None:
    approved(world)
    async with on_stage(world, record(world)) as pilot:
        await press(pilot, "enter")
        for words in (
            "by Maya Okafor (owner; meta role Lead)",
            "“Report”: done, delivered by Bob Lind",
            "“Interview Ada”: completed by Maya",
        ):
            assert words in words_of(pilot)
    world.database.write(lambda tx: tx.execute("UPDATE gate_seal SET body = '[]'"))
    async with on_stage(world, record(world), size=(40, 12)) as pilot:
        await press(pilot, "enter")
        assert "does not match its hash" in words_of(pilot)


async def test_the_page_of_a_phase_has_its_record_and_its_seal(world: World) -> None:
    approved(world)
    seal = world.row("gate_record", decision="PASS")["sha256"]
    world.do(EditPhase(phase_id=world.discover.id, name="Discovery"))
    async with on_stage(world, lambda: PhaseScreen(world.project.id, world.discover.id)) as pilot:
        assert f"sealed {seal[:4]}…{seal[-2:]} · 2 deliverables" in words_of(pilot)
        await press(pilot, "W")
        assert "Name of the phase: Discover → Discovery" in words_of(pilot)
        await press(pilot, "escape", "colon", Text("audit"))
        assert "Gate record of the phase" in words_of(pilot)
        await press(pilot, "escape", "g", "G")
        assert "Gate record · Spring launch" in words_of(pilot)


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (40, 12)])
async def test_the_form_of_an_approval_shows_what_is_about_to_be_sealed(world: World, size: tuple[int, int]) -> None:
    world.do(SetProjectRole(project_id=world.project.id, user_id=world.bob.user_id, role=ProjectRole.OWNER))
    world.do(EditPhase(phase_id=world.discover.id, gate=Gate.REVIEW))
    world.complete(world.task("Interview Ada").id)
    world.archive(world.task("Interview Eve").id)
    report = world.do(AddDeliverable(phase_id=world.discover.id, name="Report"))
    world.do(Deliver(deliverable_id=report.id, link="https://example.com"))
    async with on_stage(world, lambda: PhaseScreen(world.project.id, world.discover.id), size=size) as pilot:
        await press(pilot, "greater_than_sign")
        (form,) = [screen for screen in pilot.app.screen_stack if isinstance(screen, FormDialog)]
        note = str(form.query_one(".note", PlainText).render())
        for words in (
            "you can approve it now",
            "Deliverables (1): “Report”: done, delivered by Maya Okafor",
            "link https://example.com",
            "Cards (2)",
            "“Interview Eve” (SPR-2) was archived before it was completed by Maya Okafor",
            "Opens next: Build.",
            "Bob Lind can decide too.",
        ):
            assert words in note
        assert "Reason (optional)" in words_of(pilot)
        await write(pilot, "All tested")
        assert "All tested" in words_of(pilot)
        await press(pilot, "ctrl+s")
        assert world.row("gate_record", decision="PASS")["reason"] == "All tested"
        await press(pilot, "less_than_sign")
        assert "Reason (needed)" in words_of(pilot)
