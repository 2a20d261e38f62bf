"""Markdown on pages and in previews: drawn as it reads, never as markup."""

from __future__ import annotations

from core.actions.cards.comments import AddComment
from core.actions.workflow.phases import EditPhase
from core.actions.workspace.profile import SetPreference
from tests.support.app_driver import canvas, on_stage, seen, shows
from tests.support.workspace import World
from tui.screens.cards.card import CardScreen
from tui.screens.phases.phase import PhaseScreen

PLAN = "# Plan\nCall **Ada** [/test] in `Lagos`\n- [ ] book\n- [x] pay\n> see [the brief](https://example.com/brief)"


async def test_a_card_draws_its_description_and_its_comments(world: World) -> None:
    task = world.task("Interviews", description=PLAN)
    world.do(AddComment(item_id=task.id, text="*Two* agreed, @bob:\n1. Ada\n2. Bob"), as_=world.bob)
    async with on_stage(world, lambda: CardScreen(world.project.id, task.id)) as pilot:
        shown = seen(pilot)
        for words in ("Plan", "Call Ada [/test] in `Lagos`", "□ book", "■ pay", "▌ see the brief (example.com)"):
            assert words in shown
        assert "Two agreed, @bob:" in shown
        assert "2. Bob" in shown
        assert "**" not in shown


async def test_a_phase_draws_its_objectives_and_outcomes(world: World) -> None:
    phase = world.discover
    world.do(EditPhase(phase_id=phase.id, objectives="- **find** out", outcomes="Nothing *yet*"))
    async with on_stage(world, lambda: PhaseScreen(world.project.id, phase.id)) as pilot:
        assert "• find out" in seen(pilot)
        assert "Nothing yet" in seen(pilot)


async def test_the_signs_are_ascii_where_the_person_has_chosen_them(world: World) -> None:
    task = world.task("Interviews", description=PLAN)
    world.do(SetPreference(name="signs", value="ascii"))
    async with on_stage(world, lambda: CardScreen(world.project.id, task.id)) as pilot:
        for words in ("[ ] book", "[x] pay", "> see the brief (example.com)"):
            assert words in seen(pilot)


async def test_a_preview_draws_the_description(world: World) -> None:
    world.task("Interviews", description=PLAN)
    async with on_stage(world, canvas(world), size=(180, 50)) as pilot:
        assert await shows(pilot, "□ book")
        assert "Call Ada [/test] in `Lagos`" in seen(pilot)
