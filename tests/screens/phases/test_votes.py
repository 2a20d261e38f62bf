"""Votes, holds and meetings at a gate on the screen: what a key does is in the database and on the screen."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from core.actions.projects.members import InviteMember
from core.actions.workflow.deliverables import AddDeliverable
from core.actions.workflow.gate_policy import SetGatePolicy
from core.actions.workflow.gate_votes import CastVote
from core.actions.workflow.phases import EditPhase
from core.actions.workspace.profile import SetPreference
from core.domain.gate_policy import Deciding, Vote
from core.domain.model import Gate, GateState, ProjectRole
from tests.support.app_driver import PodiumPilot, Text, canvas, hides, on_stage, press, seen, shows
from tests.support.workspace import World
from tui.screens.personal.inbox import InboxScreen
from tui.screens.phases.phase import PhaseScreen
from tui.screens.projects.projects import ProjectsScreen


@pytest.fixture
def panel(world: World) -> World:
    """Discover is a finished review; Maya, Bob and Gus are on its panel, two of them decide, and Maya is secretary."""
    world.clock.now = world.clock.now.replace(year=date.today().year)
    world.do(EditPhase(phase_id=world.discover.id, gate=Gate.REVIEW))
    world.complete(world.task().id)
    world.do(InviteMember(project_id=world.project.id, user_id=world.gus.user_id, role=ProjectRole.CONTRIBUTOR))
    set_policy(world)
    return world


def set_policy(world: World, **fields: Any) -> None:
    people = (world.maya.user_id, world.bob.user_id, world.gus.user_id)
    chosen: dict[str, Any] = {
        "deciders": Deciding.PEOPLE,
        "people": people,
        "needed": 2,
        "reason": "A committee",
    } | fields
    world.do(SetGatePolicy(phase_id=world.discover.id, **chosen))


def phase(world: World) -> Callable[[], PhaseScreen]:
    return lambda: PhaseScreen(world.project.id, world.discover.id)


async def find(pilot: PodiumPilot, words: str) -> None:
    """Do what the palette finds."""
    await press(pilot, "colon", Text(words))
    assert await hides(pilot, "Previous phase")
    await press(pilot, "enter")


def state(world: World) -> str:
    return str(world.row("phase", id=world.discover.id)["gate_state"])


async def test_two_people_vote_until_the_decision_falls(panel: World) -> None:
    async with on_stage(panel, phase(panel), as_=panel.bob) as pilot:
        assert await shows(pilot, "> vote")
        await press(pilot, "greater_than_sign")
        shown = seen(pilot)
        for words in ("2 of Maya Okafor, Bob Lind and Gus Roy", "Maya Okafor: –", "Opens next: Build.", "go if"):
            assert words in shown
        await press(pilot, "ctrl+s")
        assert await shows(pilot, "You voted go on “Discover”: 1 of 2 votes go. u to undo.")
        assert await shows(pilot, "Bob Lind: go")
        assert "> vote" not in seen(pilot)
    assert state(panel) == GateState.NONE
    async with on_stage(panel, canvas(panel)) as pilot:
        assert await shows(pilot, "ready for your vote")
        await press(pilot, "greater_than_sign", "ctrl+s")
        assert await shows(pilot, "“Discover” approved. “Build” is open")
    assert state(panel) == GateState.PASSED


async def test_go_if_asks_for_the_condition_its_person_and_its_day_in_a_small_window_without_unicode(
    panel: World,
) -> None:
    panel.do(SetPreference(name="signs", value="ascii"), as_=panel.bob)
    async with on_stage(panel, phase(panel), as_=panel.bob, size=(40, 12)) as pilot:
        await press(pilot, "greater_than_sign", "pagedown", "right", "tab", "tab", Text("Ask legal"))
        assert await shows(pilot, "Done by")
        assert "(optional)" not in seen(pilot)
        await press(pilot, "ctrl+s")
        assert await shows(pilot, "Who meets the condition?")
        await press(pilot, "space", Text("gus"), "enter", "tab", Text("+1w"), "ctrl+s")
        assert await shows(pilot, 'You voted go if on "Discover"')
        await press(pilot, "greater_than_sign")
        assert await shows(pilot, "Gus Roy: -")
        await press(pilot, "pageup")
        assert await shows(pilot, 'Condition "Ask legal" of')
    row = panel.row("gate_condition", phase_id=panel.discover.id)
    assert (row["text"], row["person_id"]) == ("Ask legal", panel.gus.user_id)
    assert row["due"] == (date.today() + timedelta(days=7)).isoformat()


async def test_a_no_is_possible_while_points_are_missing_and_needs_a_reason(panel: World) -> None:
    panel.task("Interview Ada")
    async with on_stage(panel, phase(panel), as_=panel.bob) as pilot:
        await press(pilot, "greater_than_sign")
        assert await shows(pilot, "“Interview Ada” is still open")
        assert "go if" not in seen(pilot)
        await press(pilot, "ctrl+s")
        assert await shows(pilot, "A vote “no” takes a reason. Say why.")
        await press(pilot, Text("Too dear"), "ctrl+s")
        assert await shows(pilot, "Bob Lind: no: Too dear")
    assert panel.row("gate_record", decision="VOTE_NO")["reason"] == "Too dear"


async def test_a_no_is_possible_in_the_inbox_while_a_deliverable_is_missing(panel: World) -> None:
    panel.do(AddDeliverable(phase_id=panel.discover.id, name="Contract"))
    panel.do(EditPhase(phase_id=panel.discover.id, evidence_required=True, reason="Legal asks for it"))
    async with on_stage(panel, InboxScreen) as pilot:
        assert await shows(pilot, "At my gates, not ready for my decision")
        await press(pilot, "greater_than_sign")
        assert await shows(pilot, "Vote on “Discover”")
        assert "go if" not in seen(pilot)


async def test_an_owner_who_is_not_on_the_panel_carries_out_a_stop_and_casts_no_vote(panel: World) -> None:
    set_policy(panel, people=(panel.bob.user_id, panel.gus.user_id))
    for actor in (panel.bob, panel.gus):
        panel.do(CastVote(phase_id=panel.discover.id, vote=Vote.STOP, reason="No budget"), as_=actor)
    async with on_stage(panel, InboxScreen) as pilot:
        assert await shows(pilot, "the votes are to stop the project")
        assert await shows(pilot, "Gus Roy gave the last vote that it takes")
        await press(pilot, "greater_than_sign")
        assert await shows(pilot, "Stop the project at “Discover”")
    async with on_stage(panel, phase(panel)) as pilot:
        await press(pilot, "greater_than_sign")
        assert await shows(pilot, "Stop the project at “Discover”")
        assert "Your vote" not in seen(pilot)
        await press(pilot, Text("No budget"), "enter")
        assert await shows(pilot, "Stopped at “Discover”: the project is archived.")


async def test_a_hold_says_who_holds_it_and_why_and_the_same_action_lifts_it(panel: World) -> None:
    async with on_stage(panel, phase(panel)) as pilot:
        await find(pilot, "hold")
        await press(pilot, Text("Legal is on leave"), "ctrl+s")
        assert await shows(pilot, "It is held by Maya Okafor since")
        assert await shows(pilot, "Legal is on leave")
        assert panel.row("phase", id=panel.discover.id)["on_hold"] == 1
        await find(pilot, "lift")
        await press(pilot, "ctrl+s")
        assert await shows(pilot, "takes a reason")
        await press(pilot, Text("Legal is back"), "ctrl+s")
        assert await shows(pilot, "hold lifted by Maya Okafor")
    assert panel.row("phase", id=panel.discover.id)["on_hold"] == 0


async def test_a_stop_is_a_choice_of_an_owner_archives_the_project_and_restoring_that_takes_a_reason(
    world: World,
) -> None:
    world.do(EditPhase(phase_id=world.discover.id, gate=Gate.REVIEW))
    world.complete(world.task().id)
    async with on_stage(world, phase(world)) as pilot:
        await press(pilot, "greater_than_sign", Text("The client left"), "tab", "right", "enter")
        assert await shows(pilot, "Stopped at “Discover”: the project is archived.")
    assert world.row("project", id=world.project.id)["archived"] == 1
    async with on_stage(world, ProjectsScreen) as pilot:
        await press(pilot, "A", "r")
        assert await shows(pilot, "“Spring launch” was stopped at the gate of “Discover”.")
        await press(pilot, Text("They came back"), "enter")
        assert await shows(pilot, "Restored “Spring launch”. u to undo.")
    assert world.row("gate_record", decision="REOPENING")["reason"] == "They came back"


async def test_the_secretary_records_a_meeting_and_a_person_contradicts_it_in_the_inbox(panel: World) -> None:
    panel.clock.now = datetime.now(UTC)
    set_policy(panel, secretary_id=panel.maya.user_id)
    async with on_stage(panel, phase(panel), size=(40, 12)) as pilot:
        await press(pilot, "greater_than_sign", "left", "ctrl+s")
        assert await shows(pilot, "Meeting on “Discover”")
        await press(pilot, Text("1 jan"), "tab", "right", "tab", "right", "tab", "left", "ctrl+s")
        assert await shows(pilot, "Why did Gus Roy say stop?")
        await press(pilot, "shift+tab", "left", "ctrl+s")
        assert await shows(pilot, "Why did Gus Roy say no?")
        await press(pilot, Text("Too dear"), "ctrl+s")
        assert state(panel) == GateState.PASSED
        assert panel.row("gate_record", decision="PASS")["meeting"] == f"{date.today().year}-01-01"
    async with on_stage(panel, InboxScreen, as_=panel.bob) as pilot:
        assert await shows(pilot, "< contradict")
        await press(pilot, "less_than_sign", Text("I said no"), "enter")
        assert await shows(pilot, "The approval of “Discover” has ended. u to undo.")
    assert state(panel) == GateState.NONE
    assert panel.row("gate_record", decision="LAPSE")["reason"] == "I said no"


async def test_the_form_of_the_policy_names_the_field_of_a_wrong_number(panel: World) -> None:
    async with on_stage(panel, phase(panel)) as pilot:
        await find(pilot, "who decides")
        await press(pilot, "tab", "tab", Text("4"), "ctrl+s")
        assert await shows(pilot, "has 3 on its panel, and this takes 4.")
        await press(pilot, "backspace", Text("few"), "ctrl+s")
        assert await shows(pilot, "“few” is no number: give one such as 2, or all.")
        await press(pilot, "ctrl+u", Text("all"), "tab", "right", *["tab"] * 3, Text("Another committee"), "enter")
        assert await shows(pilot, "review – votes of all of Maya Okafor")
    row = panel.row("gate_policy", phase_id=panel.discover.id)
    assert (row["needed"], row["four_eyes"]) == (None, 1)


async def test_criteria_are_added_met_edited_and_removed_by_the_keys_of_deliverables(panel: World) -> None:
    async with on_stage(panel, phase(panel)) as pilot:
        await press(pilot, "n", Text("Budget agreed"), "tab", "right", "tab", "enter", Text("maya"), "enter")
        await press(pilot, "tab", "enter")
        assert await shows(pilot, "so say why")
        await press(pilot, Text("The client asks"), "enter")
        assert await shows(pilot, "❯ □ Budget agreed")
        assert await shows(pilot, "Deliverables and criteria ─")
        assert await shows(pilot, "“Budget agreed” is not met: Maya Okafor has to say so.")
        await press(pilot, "greater_than_sign")
        assert await shows(pilot, "“Budget agreed” is not met")
        await press(pilot, "escape", "c")
        assert await shows(pilot, "■ Budget agreed")
        await press(pilot, "n", Text("Legal is done"), "tab", "right", "right", "tab", Text("type:task"), "tab", "tab")
        await press(pilot, Text("The board asks"), "enter")
        assert await shows(pilot, "❯ ■ Legal is done")
        await press(pilot, "enter", "tab", Text(" priority:nope"), "enter")
        assert await shows(pilot, "priority")
        await press(pilot, "escape", "escape", "d", Text("A mistake"), "enter")
        assert await hides(pilot, "■ Legal is done")
    [row] = panel.rows("SELECT * FROM gate_criterion")
    assert (row["text"], row["met_by"]) == ("Budget agreed", panel.maya.user_id)


async def test_a_condition_is_a_row_of_the_next_phase_and_a_decider_waives_it(panel: World) -> None:
    go_if: dict[str, Any] = {"condition": "Ask legal", "person_id": panel.gus.user_id, "due": date.today()}
    for actor in (panel.bob, panel.maya):
        panel.do(CastVote(phase_id=panel.discover.id, vote=Vote.GO_IF, **go_if), as_=actor)
    panel.do(EditPhase(phase_id=panel.build.id, gate=Gate.REVIEW))
    async with on_stage(panel, lambda: PhaseScreen(panel.project.id, panel.build.id), as_=panel.bob) as pilot:
        assert await shows(pilot, "condition, Gus Roy")
        await press(pilot, "d", Text("Legal has said yes"), "enter")
        assert await shows(pilot, "“Ask legal” is waived. u to undo.")
    assert panel.row("gate_record", decision="WAIVER")["reason"] == "Legal has said yes"
