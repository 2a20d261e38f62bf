"""Pictures of My work and of the Inbox; ``tests/screens/test_pictures.py`` says how they are taken again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import date
from typing import Any

import pytest

from core.actions.cards.comments import AddComment
from core.actions.cards.tasks import AssignTask
from core.actions.workflow.phases import AssignPhase, EditPhase
from core.actions.workspace.profile import SetPreference
from core.domain.model import Gate
from tests.screens.test_pictures import MakeApp, Snap, app, still
from tests.support.sweeps import sizes
from tests.support.workspace import Clock, World
from tui.screens.framework.screen import PodiumScreen
from tui.screens.personal.inbox import InboxScreen
from tui.screens.personal.my_work import MyWorkScreen

__all__ = ["app"]

SIZES = sizes((120, 40), swept=[(80, 24)])


@pytest.fixture
def scene(world: World, clock: Clock) -> World:
    """Maya on Monday, 2 March 2026, with something under each heading; hostile and wide texts among it.

    What others did is of the year before, which the inbox says in whatever year the test runs.
    """
    me, other = world.maya.user_id, world.new_project("Autumn collection for the Nordics")
    review = world.phase("Review of the season", other.id, gate=Gate.REVIEW)
    world.complete(world.task("Compare", review).id)
    world.phase("Delivery", other.id)
    late = world.task("Sign the contract with the printer", due=date(2026, 2, 27), assignee_id=me)
    world.task("概要を書く、それから翻訳する", due=date(2026, 3, 2), assignee_id=me)
    started = world.task("[red]Not red[/] [@click=app.bell]not a link[/]", due=date(2026, 3, 5), assignee_id=me)
    world.start(started.id)
    world.activity("Interviews with customers in four countries", due=date(2026, 4, 1), member_ids=(me,))
    world.task("Order the samples", world.build, assignee_id=me)
    clock.forward(days=-100)
    world.do(AssignTask(task_id=late.id, assignee_id=None))
    world.do(AssignTask(task_id=late.id, assignee_id=me), as_=world.bob)
    world.do(AddComment(item_id=late.id, text="@maya they need it [b]today[/b], can you?"), as_=world.bob)
    clock.forward(days=100)
    world.do(EditPhase(phase_id=world.launch.id, gate=Gate.REVIEW))
    world.do(AssignPhase(phase_id=world.launch.id, member_ids=(me,)))
    return world


async def counted(pilot: Any) -> None:
    """Wait until the title line has the count of the inbox."""
    async with asyncio.timeout(40):
        while not pilot.app.inbox.unread:
            await pilot.pause(0.03)
    await still(pilot)


@SIZES
@pytest.mark.parametrize("screen", [MyWorkScreen, InboxScreen], ids=["my_work", "inbox"])
def test_what_is_mine(
    scene: World, app: MakeApp, snap_compare: Snap, size: tuple[int, int], screen: Callable[[], PodiumScreen]
) -> None:
    assert snap_compare(app(screen), terminal_size=size, run_before=counted)


def test_my_work_with_marks_in_ascii(scene: World, app: MakeApp, snap_compare: Snap) -> None:
    scene.do(SetPreference(name="signs", value="ascii"))

    async def mark(pilot: Any) -> None:
        await counted(pilot)
        await pilot.press("x", "j", "x")
        await still(pilot)

    assert snap_compare(app(MyWorkScreen), terminal_size=(80, 24), run_before=mark)
