"""The Phase screen: what a key does is in the database and on the screen."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta

from textual.pilot import Pilot

from core.actions.history.history import Undo
from core.actions.projects.imports import ImportProject
from core.actions.workflow.deliverables import AddDeliverable, Deliver, TakeBack
from core.actions.workflow.gates import DecideGate
from core.actions.workflow.phases import EditPhase
from core.domain.gates import Decision
from core.domain.model import Gate, GateState, Phase
from tests.support.app_driver import Text, canvas, comes, on_stage, press, screen_of, seen, settled, shows
from tests.support.sweeps import sizes
from tests.support.workspace import World
from tests.unit.import_export.test_imported_by import FORGED
from tui.screens.canvas.screen import CanvasScreen
from tui.screens.phases.contents import CardRows
from tui.screens.phases.phase import PhaseScreen

HOSTILE = "[red]A[/] [@click=app.bell]b[/"


def phase(world: World, which: Phase | None = None) -> Callable[[], PhaseScreen]:
    return lambda: PhaseScreen(world.project.id, (which or world.discover).id)


def done_task(world: World) -> None:
    world.complete(world.task().id)


async def test_a_phase_shows_its_state_texts_and_decisions(world: World) -> None:
    world.task()
    world.do(EditPhase(phase_id=world.discover.id, objectives="Know who pays.", outcomes="A price.", gate=Gate.REVIEW))
    world.do(DecideGate(phase_id=world.discover.id, decision=Decision.HOLD, reason="Wait for Ada."))
    async with on_stage(world, phase(world)) as pilot:
        shown = seen(pilot)
        for words in ("1  Discover", "◐ open", "0/1", "review", "Know who pays.", "A price.", "held by Maya Okafor"):
            assert words in shown
        assert "Wait for Ada." in shown
        assert "0 of 1 complete" in shown


async def test_an_imported_decision_says_who_imported_it(world: World) -> None:
    project = world.do(ImportProject(document=FORGED))
    imported = world.row("phase", project_id=project.id, name="Budget")["id"]
    async with on_stage(world, lambda: PhaseScreen(project.id, imported)) as pilot:
        assert "approved by Maya Okafor, imported by" in seen(pilot)


async def test_a_locked_phase_says_why_and_leads_there(world: World) -> None:
    world.task("Interview Ada")
    async with on_stage(world, phase(world, world.build)) as pilot:
        assert "⊘ locked" in seen(pilot)
        assert "is locked until “Discover” is" in " ".join(seen(pilot).split())
        await press(pilot, "w")
        assert "Interview Ada" in seen(pilot)
        await press(pilot, "enter")
        assert "○  Interview Ada" in seen(pilot)


async def test_a_phase_passes_with_an_optional_reason_and_opens_the_next(world: World) -> None:
    world.do(EditPhase(phase_id=world.discover.id, gate=Gate.REVIEW))
    done_task(world)
    async with on_stage(world, phase(world)) as pilot:
        await press(pilot, "greater_than_sign", "ctrl+s")
        assert world.row("phase", id=world.discover.id)["gate_state"] == GateState.PASSED
        assert "approved by Maya Okafor" in seen(pilot)
        assert "✓ complete" in seen(pilot)


async def test_a_phase_that_may_not_pass_shows_what_stands_in_the_way(world: World) -> None:
    world.task("Interview Ada")
    async with on_stage(world, phase(world)) as pilot:
        await press(pilot, "greater_than_sign")
        assert "Interview Ada" in seen(pilot)
        assert world.rows("SELECT * FROM gate_record") == []


async def test_sending_back_needs_a_reason(world: World) -> None:
    world.task()
    async with on_stage(world, phase(world)) as pilot:
        await press(pilot, "less_than_sign", "ctrl+s")
        assert "takes a reason" in seen(pilot)
        await press(pilot, Text("No price yet"), "ctrl+s")
        assert world.row("gate_record", phase_id=world.discover.id)["reason"] == "No price yet"
        assert "sent back by Maya Okafor" in seen(pilot)


async def test_an_override_opens_a_locked_phase_and_stays_visible(world: World) -> None:
    world.task()
    async with on_stage(world, phase(world, world.build)) as pilot:
        await press(pilot, "exclamation_mark", Text("The fair is on Monday"), "ctrl+s")
        assert world.row("phase", id=world.build.id)["overridden"] == 1
        assert "overridden" in seen(pilot)


async def test_a_withdrawn_decision_stays_and_says_so(world: World) -> None:
    world.task()
    world.do(DecideGate(phase_id=world.discover.id, decision=Decision.HOLD, reason="Wait"))
    world.do(Undo(project_id=world.project.id))
    async with on_stage(world, phase(world)) as pilot:
        assert "held by Maya Okafor, withdrawn" in seen(pilot)


async def test_deliverables_are_added_marked_edited_and_removed(world: World) -> None:
    async with on_stage(world, phase(world)) as pilot:
        await press(pilot, "n", Text("Report"), "enter")
        assert "❯ □ Report" in seen(pilot)
        await press(pilot, "space")
        assert world.row("deliverable", name="Report")["done"] == 1
        assert "■ Report" in seen(pilot)
        assert "1/1" in seen(pilot)
        await press(pilot, "enter", Text("https://example.com/report"))
        assert "is kept as: link https://example.com/report" in seen(pilot)
        await press(pilot, "enter")
        assert world.row("deliverable", name="Report")["evidence"] == "https://example.com/report"
        assert "link https://example.com/report · delivered by Maya" in seen(pilot)
        await press(pilot, "d")
        assert world.rows("SELECT * FROM deliverable") == []
        await press(pilot, "u")
        assert "■ Report" in seen(pilot)


async def test_without_deliverables_their_keys_say_what_to_do(world: World) -> None:
    async with on_stage(world, phase(world)) as pilot:
        await press(pilot, "space")
        assert "There is no deliverable here. Press n to add one." in seen(pilot)


async def test_the_cursor_walks_the_deliverables(world: World) -> None:
    for name in ("Notes", "Report", "Price"):
        world.do(AddDeliverable(phase_id=world.discover.id, name=name))
    async with on_stage(world, phase(world)) as pilot:
        assert "❯ □ Notes" in seen(pilot)
        await press(pilot, "j", "j", "k", "space")
        assert world.row("deliverable", name="Report")["done"] == 1


async def test_e_edits_name_due_gate_and_texts_in_one_step(world: World) -> None:
    def edited() -> tuple[object, ...]:
        row = world.row("phase", id=world.discover.id)
        return row["name"], row["due"], row["gate"], row["objectives"], row["outcomes"]

    async with on_stage(world, phase(world)) as pilot:
        await press(pilot, "e", Text("y"), "tab", Text("2030-12-03"), "tab", "right")
        assert "An owner must also approve it." in seen(pilot)
        await press(pilot, "tab", Text("Know"), "tab", Text("A report"), "ctrl+s")
        assert edited() == ("Discovery", "2030-12-03", Gate.REVIEW, "Know", "A report")
        assert "Know" in seen(pilot)
        await press(pilot, "e", "tab", "ctrl+u", "ctrl+s")
        assert edited() == ("Discovery", None, Gate.REVIEW, "Know", "A report")
        await press(pilot, "u", "u")
        assert edited() == ("Discover", None, Gate.AUTOMATIC, "", "")
        await press(pilot, "U")
        assert edited() == ("Discovery", "2030-12-03", Gate.REVIEW, "Know", "A report")


async def test_the_form_of_a_new_phase_asks_the_same_as_that_of_an_old_one(world: World) -> None:
    def fields(pilot: Pilot[int]) -> list[str]:
        return [str(label.render()) for label in pilot.app.screen.query(".label")]

    async with on_stage(world, phase(world)) as pilot:
        await press(pilot, "e")
        old = fields(pilot)
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "N")
        assert fields(pilot) == old == ["Name", "Due", "Gate", "Objectives", "Outcomes"]
        await press(pilot, Text("Review"), "tab", "tab", "tab", "tab", Text("A report"), "ctrl+s")
        assert world.row("phase", name="Review")["outcomes"] == "A report"


async def test_a_due_date_is_set(world: World) -> None:
    async with on_stage(world, phase(world)) as pilot:
        await press(pilot, "D", Text("+1d"), "enter")
        assert world.row("phase", id=world.discover.id)["due"] == (date.today() + timedelta(days=1)).isoformat()
        assert "tomorrow" in seen(pilot)


async def test_members_are_assigned(world: World) -> None:
    async with on_stage(world, phase(world)) as pilot:
        await press(pilot, "a", Text("bob"), "space", "enter")
        assert world.row("assignment", target_id=world.discover.id)["user_id"] == world.bob.user_id
        assert "Bob Lind" in seen(pilot)


async def test_an_empty_phase_is_removed_from_the_menu_and_its_screen_closes(world: World) -> None:
    async with on_stage(world, lambda: CanvasScreen(world.project.id)) as pilot:
        await press(pilot, "p")
        assert isinstance(pilot.app.screen, PhaseScreen)
        await press(pilot, "full_stop", "end", "enter")
        assert len(world.rows("SELECT * FROM phase")) == 2
        assert isinstance(pilot.app.screen, CanvasScreen)
        assert await shows(pilot, "Removed the phase “Discover”. u to undo.")
        await press(pilot, "u")
        assert len(world.rows("SELECT * FROM phase")) == 3


async def test_a_phase_with_cards_is_not_removed(world: World) -> None:
    world.task("Interview Ada")
    async with on_stage(world, phase(world)) as pilot:
        await press(pilot, "full_stop", "end", "enter")
        assert "still holds cards" in seen(pilot)
        assert len(world.rows("SELECT * FROM phase")) == 3


async def test_a_contributor_is_told_that_gates_are_for_owners(world: World) -> None:
    async with on_stage(world, phase(world), as_=world.bob) as pilot:
        await press(pilot, "greater_than_sign")
        assert "owner" in seen(pilot).lower()
        assert world.rows("SELECT * FROM gate_record") == []


@sizes((80, 24), (1, 1), swept=[(40, 12), (110, 30), (200, 60)])
async def test_hostile_texts_stand_as_written_at_every_size(world: World, size: tuple[int, int]) -> None:
    world.do(EditPhase(phase_id=world.discover.id, name=HOSTILE, objectives=HOSTILE))
    hostile = world.do(AddDeliverable(phase_id=world.discover.id, name=HOSTILE))
    world.do(Deliver(deliverable_id=hostile.id, statement=HOSTILE))
    world.do(DecideGate(phase_id=world.discover.id, decision=Decision.HOLD, reason=HOSTILE))
    async with on_stage(world, phase(world), size=size) as pilot:
        await press(pilot, "j", "tab", "j", "pagedown", "k", "shift+tab", "k")
        if size[0] >= 80:
            assert f"1  {HOSTILE}" in seen(pilot)
        strips = pilot.app.screen._compositor.render_strips()
        assert not any(segment.style and segment.style.meta.get("@click") for strip in strips for segment in strip)
        await pilot.resize_terminal(120, 40)
        await settled(pilot)
        assert HOSTILE in seen(pilot)


async def test_a_gate_that_requires_evidence_says_so_names_what_is_missing_and_passes_with_it(world: World) -> None:
    world.do(EditPhase(phase_id=world.discover.id, gate=Gate.REVIEW))
    done_task(world)
    plan, _ = (world.do(AddDeliverable(phase_id=world.discover.id, name=name)) for name in ("Plan", "Report"))
    world.do(Deliver(deliverable_id=plan.id, link="https://example.com/x.pdf"))
    world.do(TakeBack(deliverable_id=plan.id))
    async with on_stage(world, phase(world)) as pilot:
        await press(pilot, "e", "tab", "tab", "right", "tab", Text("Legal asks for it"), "ctrl+s")
        assert world.row("phase", id=world.discover.id)["evidence_required"] == 1
        assert "review – an owner must approve it; evidence required" in seen(pilot)
        assert "no evidence yet" in seen(pilot)
        await press(pilot, "greater_than_sign")
        assert "2 deliverables must be done and" in seen(pilot)
        assert "“Report” is not done and has no evidence" in seen(pilot)
        await press(pilot, "down", "enter", "space", Text("https://example.com/report.pdf"), "ctrl+s", "k", "c")
        assert [(row["evidence"], row["done"]) for row in world.rows("SELECT * FROM deliverable ORDER BY rank")] == [
            ("https://example.com/x.pdf", 1),
            ("https://example.com/report.pdf", 1),
        ]
        await press(pilot, "greater_than_sign", "ctrl+s")
        assert world.row("phase", id=world.discover.id)["gate_state"] == GateState.PASSED


async def test_an_automatic_gate_that_waits_for_an_approval_says_so_until_nothing_is_missing(world: World) -> None:
    world.do(EditPhase(phase_id=world.discover.id, gate=Gate.REVIEW))
    done_task(world)
    world.do(EditPhase(phase_id=world.discover.id, gate=Gate.AUTOMATIC, reason="No committee"))
    async with on_stage(world, phase(world)) as pilot:
        assert "automatic, waits for an approval" in seen(pilot)
        assert "Nothing else is missing." in seen(pilot)
        await press(pilot, "greater_than_sign", "ctrl+s")
        assert "Nothing is missing." in seen(pilot)


async def test_a_new_phase_may_require_evidence_from_the_start(world: World) -> None:
    async with on_stage(world, lambda: CanvasScreen(world.project.id)) as pilot:
        await press(pilot, "N", Text("Sign-off"), "tab", "tab", "right", "right", "ctrl+s")
        row = world.row("phase", name="Sign-off")
        assert (row["gate"], row["evidence_required"]) == ("REVIEW", 1)


async def test_h_and_l_go_to_the_neighbouring_phase_and_hold_is_in_the_menu(world: World) -> None:
    async with on_stage(world, phase(world, world.build)) as pilot:
        await press(pilot, "h")
        assert "1  Discover" in seen(pilot)
        await press(pilot, "h")
        assert await shows(pilot, "This is the first phase.")
        await press(pilot, "l", "right")
        assert "3  Launch" in seen(pilot)
        await press(pilot, "l")
        assert await shows(pilot, "This is the last phase.")
        await press(pilot, "full_stop")
        assert "Gate: hold" in seen(pilot)
        assert world.rows("SELECT * FROM gate_record") == []


async def test_o_on_a_phase_launches_its_application_and_says_so_where_there_is_none(world: World) -> None:
    async with on_stage(world, phase(world)) as pilot:
        await press(pilot, "o")
        assert "No application here. Press + to add one." in seen(pilot)
    world.add_application(world.product("Films"))
    async with on_stage(world, phase(world)) as pilot:
        await press(pilot, "o")
        assert await comes(pilot, lambda: world.last_change()["message"] == "LaunchApplication")


async def test_the_open_cards_are_listed_with_their_dates_and_people_and_open(world: World) -> None:
    world.task("Interview Ada", due=date.today() - timedelta(days=3), assignee_id=world.bob.user_id)
    done = world.task("Call")
    world.activity("Films")
    world.complete(done.id)
    async with on_stage(world, phase(world)) as pilot:
        shown = seen(pilot)
        assert "Open cards" in shown
        line = next(line for line in shown.splitlines() if "○ Interview Ada" in line)
        assert "3d late · Bob Lind" in line
        assert "◇ Films" in shown
        assert "✓ Call" not in shown
        await pilot.click(pilot.app.screen.query_one(CardRows), offset=(4, 1), times=2)
        assert await shows(pilot, "◇  Films")


async def test_an_empty_automatic_phase_does_not_contradict_itself(world: World) -> None:
    async with on_stage(world, phase(world)) as pilot:
        shown = " ".join(seen(pilot).split())
        assert "has no cards yet." in shown
        assert "waits for an owner" not in shown
        assert "automatic – completes when every card is done" in shown
        assert "No cards yet" in shown


async def test_down_and_up_go_to_the_next_and_the_previous_field_of_the_form_of_a_phase(world: World) -> None:
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "N", Text("Plan"), "down", Text("+2w"), "up", "end", Text("ning"), "ctrl+s")
        assert await comes(pilot, lambda: world.rows("SELECT 1 FROM phase WHERE name = 'Planning'"))
        assert world.row("phase", name="Planning")["due"] == (date.today() + timedelta(weeks=2)).isoformat()


async def test_the_refusal_of_an_approval_lists_all_and_leads_to_the_deliverable(world: World) -> None:
    world.do(EditPhase(phase_id=world.discover.id, gate=Gate.REVIEW, evidence_required=True))
    world.task("Call Ben")
    for name in ("Plan", "Report"):
        world.do(AddDeliverable(phase_id=world.discover.id, name=name))
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "greater_than_sign")
        for words in ("Call Ben", "“Plan” is not done and has no evidence", "“Report” is not done"):
            assert await shows(pilot, words)
        await press(pilot, "down", "down", "enter")
        screen = screen_of(pilot, PhaseScreen)
        assert screen.rows.cursor == 1
        assert "3 points missing" in seen(pilot)
