"""The preview pane: what it shows, when it is read, and where it has room."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from textual.pilot import Pilot

from core.actions.cards.comments import AddComment
from core.actions.cards.details import GetCard
from core.actions.cards.tasks import EditTask
from core.actions.projects.members import RemoveMember
from core.actions.projects.projects import EditProject
from core.actions.workflow.deliverables import AddDeliverable
from core.actions.workflow.phases import EditPhase
from core.actions.workspace.profile import GetCurrentUser
from core.engine.messages import Command
from core.errors import ServerUnavailable
from tests.support.app_driver import Text, canvas, comes, on_stage, post_keys, press, seen, settled, shows
from tests.support.counting_queries import sent_aside
from tests.support.workspace import Clock, World
from tui.screens.canvas.screen import CanvasScreen
from tui.screens.framework import previewer
from tui.screens.framework.previewer import NO_SERVER
from tui.screens.framework.screen import PodiumScreen
from tui.screens.people.members import MembersScreen
from tui.screens.people.people import PeopleScreen
from tui.screens.personal.my_work import MyWorkScreen
from tui.screens.personal.search import SearchScreen
from tui.screens.products.products import ProductsScreen
from tui.screens.projects.history import HistoryScreen, ProjectHistory
from tui.screens.projects.projects import ProjectsScreen
from tui.screens.views.status_board import StatusBoardScreen
from tui.screens.views.table import TableScreen
from tui.widgets.preview import PreviewPane

TODAY = date.today()
ONE_COLUMN = 78
"""Cells in which the parts of a preview stand one below the other, so that no line of a text is beside another one."""


@pytest.fixture(autouse=True)
def today(clock: Clock) -> None:
    clock.now = datetime.now(UTC)


def pane(pilot: Pilot[int]) -> str:
    """The text of the pane; "" where none is shown."""
    return "\n".join(
        "".join(segment.text for segment in widget.render_line(y))
        for widget in pilot.app.screen.query(PreviewPane)
        if widget.display
        for y in range(widget.size.height)
    )


async def previews(pilot: Pilot[int], *words: str) -> bool:
    """Wait until the pane has these words, wrapped or not."""
    return await comes(pilot, lambda: all(each in " ".join(pane(pilot).split()) for each in words))


async def rested(pilot: Pilot[int]) -> None:
    """Wait until nothing is read or about to be read."""
    screen = pilot.app.screen
    assert isinstance(screen, PodiumScreen)
    assert screen.previewer is not None
    assert await comes(pilot, lambda: screen.previewer is not None and screen.previewer.is_at_rest)
    await settled(pilot)


def my_task(world: World, title: str, days: int = 0) -> str:
    return world.task(title, due=TODAY + timedelta(days=days), assignee_id=world.maya.user_id).id


# -- what it shows ---------------------------------------------------------------------------------------------


async def test_a_project_shows_its_phases_what_is_due_its_people_and_its_last_changes(world: World) -> None:
    world.do(EditProject(project_id=world.project.id, description="A launch in spring.\n\nWith a film."))
    done = world.task("Ask", due=TODAY)
    world.task("Write the brief", due=TODAY + timedelta(days=9), assignee_id=world.bob.user_id)
    world.complete(done.id)
    async with on_stage(world, ProjectsScreen, size=(ONE_COLUMN, 80)) as pilot:
        assert await previews(pilot, "Spring launch", "1 Discover", "1/2", "3 Launch", "Write the brief", "Bob")
        assert await previews(pilot, "owners Maya Okafor", "contributors Bob Lind", "completed “Ask”")
        assert await previews(pilot, "A launch in spring.", "With a film.")
        assert "Ask" not in pane(pilot).split("Last changes")[0]


@pytest.mark.parametrize("size", [(80, 30), (120, 40), (200, 60)])
async def test_every_phase_of_a_project_has_its_whole_bar(world: World, size: tuple[int, int]) -> None:
    for phase, done in ((world.discover, 1), (world.build, 0), (world.launch, 0)):
        world.do(EditPhase(phase_id=phase.id, due=TODAY + timedelta(days=400)))
        tasks = [world.task(f"{phase.name} {number}", phase) for number in range(4)]
        for task in tasks[:done]:
            world.complete(task.id)
    async with on_stage(world, ProjectsScreen, size=size) as pilot:
        assert await previews(pilot, "1 Discover ━", "2 Build ─", "3 Launch ─")
        bars = re.findall(r"[123] \w+ +(━*)(─*) (?:1/4|0/4)", pane(pilot))
        assert [bool(done) for done, _ in bars] == [True, False, False]
        (cells,) = {len(done + rest) for done, rest in bars}
        assert cells >= 4


async def test_a_narrow_terminal_shows_all_parts_of_a_project_in_two_columns(world: World) -> None:
    for number in range(4):
        world.task(f"Task {number}", due=TODAY + timedelta(days=number))
    async with on_stage(world, ProjectsScreen, size=(80, 30)) as pilot:
        assert await previews(pilot, "3 Launch", "Due next", "Task 3", "People", "Maya Okafor", "Last changes")


async def test_one_part_is_not_drawn_out_over_a_wide_pane(world: World) -> None:
    async with on_stage(world, PeopleScreen, size=(200, 60)) as pilot:
        assert await previews(pilot, "Projects", "Spring launch")
        row = next(line for line in pane(pilot).split("\n") if "Spring launch" in line)
        assert len(row.rstrip()) <= 70


async def test_a_change_without_a_record_is_told_once(world: World) -> None:
    async with on_stage(world, lambda: HistoryScreen(ProjectHistory(world.project.id))) as pilot:
        await press(pilot, "G")
        assert await previews(pilot, "created the project", "Maya Okafor · ")
        assert " ".join(pane(pilot).split()).count("created the project") == 1


async def test_a_card_shows_its_description_its_tasks_its_last_comment_and_what_blocks_it(world: World) -> None:
    world.task("Open")
    talks = world.activity("Talks", world.build, due=TODAY, member_ids=(world.maya.user_id,))
    world.task("Call Ana", world.build, activity_id=talks.id)
    for text in ("The first.", "Two of them answer only in the evening."):
        world.do(AddComment(item_id=talks.id, text=text), as_=world.bob)
    async with on_stage(world, MyWorkScreen, size=(ONE_COLUMN, 80)) as pilot:
        assert await previews(pilot, "◇ Talks", "To Do · due today · Maya · ⊘ Build", "Tasks 0/1", "○ Call Ana")
        assert await previews(pilot, "Bob Lind", "Two of them answer only in the evening.", "of 2")
        assert await previews(pilot, "“Build” is locked until “Discover” is complete")
        assert "The first." not in pane(pilot)


async def test_hostile_texts_are_shown_literally(world: World) -> None:
    title = "[red]Not red[/] [@click=app.bell]x[/]"
    task = my_task(world, title)
    world.do(EditTask(task_id=task, description="[b]bold[/b] " + "概要" * 200))
    async with on_stage(world, MyWorkScreen) as pilot:
        assert await previews(pilot, title, "[b]bold[/b]", "概要概要")


async def test_a_search_shows_what_is_found_of_any_kind(world: World) -> None:
    world.task("Shoot the coast")
    world.product("Pictures", description="Of every campaign.")
    async with on_stage(world, SearchScreen, size=(ONE_COLUMN, 80)) as pilot:
        for words, expected in (
            ("coast", ("○ Shoot the coast", "◐ Discover")),
            ("pictures", ("⊞ Pictures", "Of every campaign.")),
            ("bob", ("Bob Lind", "Spring launch contributor")),
            ("spring", ("Phases ◐ 1 Discover",)),
            ("build", ("2 Build", "is locked until")),
            ("brand refresh", ("Phases", "1 Audit")),
        ):
            await press(pilot, "ctrl+u", Text(words))
            assert await previews(pilot, *expected)


@pytest.mark.parametrize(
    ("screen", "words"),
    [
        (lambda world: PeopleScreen(), ("bob@example.com", "Spring launch contributor")),
        (lambda world: MembersScreen(world.project.id), ("On this project", "owner 1 open card")),
        (lambda world: ProductsScreen(), ("Of every campaign.", "not used yet")),
        (lambda world: HistoryScreen(ProjectHistory(world.project.id)), ("added the task “Ask”", "Ask", "To Do")),
        (lambda world: TableScreen(world.project.id), ("○ Ask", "Maya", "◐ Discover")),
    ],
    ids=["people", "members", "products", "history", "table"],
)
async def test_other_lists_have_a_preview_too(
    world: World, screen: Callable[[World], PodiumScreen], words: tuple[str, ...]
) -> None:
    world.product(description="Of every campaign.")
    my_task(world, "Ask")
    async with on_stage(world, lambda: screen(world)) as pilot:
        assert await previews(pilot, *words)


@pytest.mark.parametrize("screen", [CanvasScreen, StatusBoardScreen])
async def test_beside_a_board_stands_the_card_of_the_cursor(world: World, screen: type[CanvasScreen]) -> None:
    first, second = my_task(world, "First"), my_task(world, "Second")
    world.do(EditTask(task_id=first, description="What is said of the first."))
    world.do(EditTask(task_id=second, description="What is said of the second."))
    async with on_stage(world, lambda: screen(world.project.id, first), size=(160, 40)) as pilot:
        assert await previews(pilot, "○ First", "What is said of the first.")
        await press(pilot, "j")
        assert await previews(pilot, "○ Second", "What is said of the second.")


async def test_on_the_head_of_a_phase_stands_the_phase(world: World) -> None:
    world.do(EditPhase(phase_id=world.discover.id, objectives="Know who pays."))
    world.do(AddDeliverable(phase_id=world.discover.id, name="Findings"))
    async with on_stage(world, canvas(world), size=(160, 40)) as pilot:
        assert await previews(pilot, "1 Discover", "Know who pays.", "□ Findings", "“Discover” has no cards yet.")


# -- when it is read -------------------------------------------------------------------------------------------


async def test_the_record_is_read_once_the_cursor_has_rested_and_no_other_before(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(30):
        my_task(world, f"Task {number:02}")
    async with on_stage(world, MyWorkScreen) as pilot:
        assert await previews(pilot, "○ Task 00")
        await rested(pilot)
        with sent_aside(pilot, GetCard) as sent:
            monkeypatch.setattr(previewer, "REST", 600.0)  # between two keys, however slow the machine is
            await press(pilot, *["j"] * 20)
            assert "○ Task 00" in pane(pilot)
            assert sent.names == []
            monkeypatch.undo()
            await press(pilot, "j")
            assert await previews(pilot, "○ Task 21")
            await rested(pilot)
            assert sent.names == ["GetCard"]


async def test_no_two_records_are_read_at_a_time_and_the_last_one_is_shown(world: World) -> None:
    for number in range(5):
        my_task(world, f"Task {number}")
    async with on_stage(world, MyWorkScreen) as pilot:
        await rested(pilot)
        with sent_aside(pilot, GetCard) as sent:
            sent.gate.clear()
            await press(pilot, "j")
            assert await comes(pilot, lambda: sent.names == ["GetCard"])
            assert await previews(pilot, "Task 1", "Reading")
            await press(pilot, "j", "j")
            sent.gate.set()
            assert await previews(pilot, "○ Task 3")
            await rested(pilot)
            assert (sent.names, sent.at_once) == (["GetCard", "GetCard"], 1)


async def test_it_waits_for_a_key_that_is_being_answered(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    my_task(world, "One")
    my_task(world, "Two")
    async with on_stage(world, MyWorkScreen) as pilot:
        await rested(pilot)
        screen, backend = pilot.app.screen, pilot.app.backend
        assert isinstance(screen, PodiumScreen)
        assert screen.previewer is not None
        is_sent, goes_on, execute = asyncio.Event(), asyncio.Event(), backend.execute

        async def slowly(command: Command[Any], *more: Any) -> Any:
            is_sent.set()
            await goes_on.wait()
            return await execute(command, *more)

        monkeypatch.setattr(backend, "execute", slowly)
        with sent_aside(pilot, GetCard) as sent:
            post_keys(pilot, "L")
            await is_sent.wait()
            screen.previewer.read_soon()
            assert screen.previewer.is_at_rest
            assert sent.names == []
            goes_on.set()
            assert await previews(pilot, "◐ One", "In Progress")
            assert sent.names


async def test_a_change_of_another_person_is_shown(world: World) -> None:
    task = my_task(world, "Write")
    async with on_stage(world, MyWorkScreen) as pilot:
        assert await previews(pilot, "○ Write")
        world.do(AddComment(item_id=task, text="The price is still open."), as_=world.bob)
        assert await previews(pilot, "The price is still open.")


async def test_without_its_server_it_keeps_what_it_shows_and_says_so_of_other_records(world: World) -> None:
    one, _ = my_task(world, "One"), my_task(world, "Two")
    world.do(EditTask(task_id=one, description="What is said of one."))
    async with on_stage(world, MyWorkScreen) as pilot:
        assert await previews(pilot, "What is said of one.")
        with sent_aside(pilot, GetCard) as sent:
            sent.failure = ServerUnavailable("away")
            await press(pilot, "R")
            await rested(pilot)
            assert "What is said of one." in pane(pilot)
            await press(pilot, "j")
            assert await previews(pilot, "Two", NO_SERVER)
            sent.failure = None
            await press(pilot, "R")
            assert await previews(pilot, "○ Two")


async def test_a_project_that_may_not_be_seen_any_more_leaves_the_pane(world: World) -> None:
    my_task(world, "Secret plans")
    async with on_stage(world, canvas(world), world.bob, size=(160, 40)) as pilot:
        await press(pilot, "j")
        assert await previews(pilot, "Secret plans")
        world.do(RemoveMember(project_id=world.project.id, user_id=world.bob.user_id))
        assert await comes(pilot, lambda: "Secret" not in pane(pilot))


async def test_the_right_to_see_a_record_is_that_of_its_message(world: World) -> None:
    """A history names a card that is gone since."""

    world.task("Other")
    task = world.task("Ask")
    async with on_stage(world, lambda: HistoryScreen(ProjectHistory(world.project.id))) as pilot:
        assert await previews(pilot, "○ Ask")
        await rested(pilot)
        world.delete(task.id)
        await press(pilot, "G", "k")
        await rested(pilot)
        await press(pilot, "home", "j", "j")
        assert await previews(pilot, "This is not here any more.")


# -- where it has room -----------------------------------------------------------------------------------------


async def test_the_key_hides_and_shows_it_and_the_choice_is_kept(world: World) -> None:
    my_task(world, "Write")
    async with on_stage(world, MyWorkScreen) as pilot:
        assert await previews(pilot, "○ Write")
        await press(pilot, "vertical_line")
        assert pane(pilot) == ""
        assert world.ask(GetCurrentUser()).preferences["preview"] == "off"
    async with on_stage(world, ProjectsScreen) as pilot:
        assert pane(pilot) == ""
        await press(pilot, "vertical_line")
        assert await previews(pilot, "1 Discover")
        assert "preview" not in world.ask(GetCurrentUser()).preferences


@pytest.mark.parametrize(
    ("screen", "small", "large", "words"),
    [
        (lambda world: MyWorkScreen(), (120, 29), (120, 30), "The preview needs 30 rows; this terminal has 29."),
        (
            lambda world: CanvasScreen(world.project.id),
            (159, 40),
            (160, 40),
            "The preview needs 160 columns; this terminal has 159.",
        ),
    ],
    ids=["list", "canvas"],
)
async def test_it_comes_and_goes_with_the_size_and_the_key_says_why(
    world: World,
    screen: Callable[[World], PodiumScreen],
    small: tuple[int, int],
    large: tuple[int, int],
    words: str,
) -> None:
    my_task(world, "Write")
    async with on_stage(world, lambda: screen(world), size=small) as pilot:
        assert pane(pilot) == ""
        await press(pilot, "vertical_line")
        assert await shows(pilot, words)
        assert "preview" not in world.ask(GetCurrentUser()).preferences
        await pilot.resize_terminal(*large)
        assert await previews(pilot, "Discover")
        await pilot.resize_terminal(*small)
        assert await comes(pilot, lambda: pane(pilot) == "")
        assert "Write" in seen(pilot)


@pytest.mark.parametrize("size", [(30, 30), (40, 30), (80, 30), (120, 40), (200, 60), (300, 100)])
async def test_every_row_of_the_pane_is_as_wide_as_the_pane(world: World, size: tuple[int, int]) -> None:
    task = my_task(world, "Write the 概要 " * 12)
    world.do(EditTask(task_id=task, description="A long text. " * 200))
    for text in ("One", "Two\n\nThree"):
        world.do(AddComment(item_id=task, text=text))
    async with on_stage(world, MyWorkScreen, size=size) as pilot:
        assert await previews(pilot, "Write the")
        widget = pilot.app.screen.query_one(PreviewPane)
        assert widget.size.height == round(size[1] / 2)
        for y in range(widget.size.height):
            assert widget.render_line(y).cell_length == widget.size.width
