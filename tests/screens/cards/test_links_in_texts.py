"""Links in texts: ``o`` opens the only one, and asks where there are several. Over SSH it is copied."""

from __future__ import annotations

from core.actions.cards.comments import AddComment
from core.actions.workflow.phases import EditPhase
from tests.support.app_driver import on_stage, press, seen
from tests.support.workspace import World
from tui.screens.cards.card import CardScreen
from tui.screens.phases.phase import PhaseScreen

ONE, TWO = "https://example.com/brief", "https://example.com/plan"


async def test_o_opens_the_only_link_of_a_description(world: World) -> None:
    task = world.task("Brief", description=f"Read [the brief]({ONE}), not [this](javascript:alert(1)).")
    async with on_stage(world, lambda: CardScreen(world.project.id, task.id)) as pilot:
        pilot.app.via = "ssh"
        await press(pilot, "o")
        assert f"Copied the link: {ONE}" in seen(pilot)
        assert pilot.app.clipboard == ONE


async def test_the_line_of_keys_offers_to_open_a_link_that_only_a_comment_has(world: World) -> None:
    task = world.task("Brief")
    world.do(AddComment(item_id=task.id, text=f"Read {ONE}"))
    async with on_stage(world, lambda: CardScreen(world.project.id, task.id), size=(160, 40)) as pilot:
        assert "o open" in seen(pilot)


async def test_o_asks_which_of_the_links_of_a_card_its_text_and_its_comments(world: World) -> None:
    activity = world.activity("Interviews", link="https://example.com/card", description=f"Read {ONE}.")
    world.do(AddComment(item_id=activity.id, text=f"and <{TWO}>, {ONE}"), as_=world.bob)
    async with on_stage(world, lambda: CardScreen(world.project.id, activity.id)) as pilot:
        pilot.app.via = "ssh"
        await press(pilot, "o")
        for words in ("l  Open https://example.com/card", f"1  Open {ONE}", f"2  Open {TWO}"):
            assert words in seen(pilot)
        assert f"3  Open {ONE}" not in seen(pilot)
        await press(pilot, "2")
        assert pilot.app.clipboard == TWO


async def test_a_viewer_opens_a_link_of_a_phase(world: World) -> None:
    phase = world.discover
    world.do(EditPhase(phase_id=phase.id, objectives=f"See {ONE}", outcomes=f"[Plan]({TWO})"))
    async with on_stage(world, lambda: PhaseScreen(world.project.id, phase.id), as_=world.vera) as pilot:
        pilot.app.via = "ssh"
        await press(pilot, "o", "1")
        assert pilot.app.clipboard == ONE
