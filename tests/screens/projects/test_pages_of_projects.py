"""More projects than the screen has lines: the first ones are there at once, the others come behind them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import pytest

from core.actions.projects.lists import ListProjects, ProjectOverview
from core.actions.projects.projects import ArchiveProject, EditProject, SetFavourite
from core.actions.workflow.phases import EditPhase
from core.domain.model import Gate, Id
from core.errors import StorageError
from core.record import replace
from tests.support.app_driver import (
    PodiumPilot,
    Text,
    hides,
    on_stage,
    post_keys,
    press,
    screen_of,
    seen,
    settled,
    shows,
    told,
)
from tests.support.sized_worlds import add_projects
from tests.support.waiting import until
from tests.support.workspace import World
from tui.screens.canvas.screen import CanvasScreen
from tui.screens.phases.phase import PhaseScreen
from tui.screens.projects.pages import ProjectPages
from tui.screens.projects.projects import ProjectsScreen

COUNT, SIZE = 70, (120, 24)
NAMES = [f"Number {number:02}" for number in range(COUNT)]


@pytest.fixture
def projects(world: World, monkeypatch: pytest.MonkeyPatch) -> list[Id]:
    """The projects of Gus, of which a page has ten."""
    monkeypatch.setattr("tui.screens.projects.pages.PAGE", 10)
    return add_projects(world, NAMES, [world.gus.user_id, world.maya.user_id], cards=1)


class Pages:
    """The pages behind the first one, whose answers wait for a gate."""

    def __init__(self) -> None:
        self.first: list[int | None] = []
        self.asked: list[int] = []
        """The numbers of projects, of those in view and of the pages."""
        self.gate = asyncio.Event()
        self.fault: StorageError | None = None


@contextmanager
def pages_of(pilot: PodiumPilot) -> Iterator[Pages]:
    pages, backend = Pages(), pilot.app.backend
    send = backend.query

    async def query(query: Any) -> Any:
        if isinstance(query, ListProjects) and (query.project_ids or query.after):
            pages.asked.append(len(query.project_ids) or query.most or 0)
            await pages.gate.wait()
            if pages.fault is not None:
                raise pages.fault
        elif isinstance(query, ListProjects):
            pages.first.append(query.most)
        return await send(query)

    with patch.object(backend, "query", query):
        try:
            yield pages
        finally:
            pages.gate.set()


def listed(pilot: PodiumPilot) -> list[str]:
    """The names of all lines, in order."""
    screen = screen_of(pilot, ProjectsScreen)
    return [screen.records.by_id[line.id].project.name for line in screen.listing.lines]


async def test_all_projects_come_and_a_reload_reads_those_in_view_first(world: World, projects: list[Id]) -> None:
    async with on_stage(world, ProjectsScreen, world.gus, size=SIZE) as pilot:
        await settled(pilot)
        assert listed(pilot) == NAMES
        assert "reading more" not in seen(pilot)
        await press(pilot, "G")
        with pages_of(pilot) as pages:
            world.do(EditProject(project_id=projects[-1], name="Number 70"), as_=world.gus)
            post_keys(pilot, "R")
            assert await shows(pilot, "Number 69")
            await until(lambda: pages.asked)
            assert pages.first == [SIZE[1]]
            assert len(pages.asked) == 1
            assert pages.asked[0] <= SIZE[1]
            pages.gate.set()
            assert await shows(pilot, "Number 70")
            await settled(pilot)
            assert listed(pilot) == [*NAMES[:-1], "Number 70"]
            assert "reading more" not in seen(pilot)


async def test_a_terminal_with_more_lines_than_a_page_reads_those_in_view_in_parts(
    world: World, projects: list[Id], monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("core.actions.projects.lists", "tui.screens.projects.pages"):
        monkeypatch.setattr(f"{module}.MAX_PAGE", 15)
    async with on_stage(world, ProjectsScreen, world.gus, size=SIZE) as pilot:
        await press(pilot, "G")
        world.do(EditProject(project_id=projects[-1], name="Number 70"), as_=world.gus)
        await press(pilot, "R")
        assert told(pilot) == "Refreshed."
        await settled(pilot)
        assert listed(pilot) == [*NAMES[:-1], "Number 70"]


@pytest.fixture
def held_back(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Keep the pages behind the first one back until the result is called."""
    gate = asyncio.Event()
    read_on = ProjectPages.read_on

    async def wait_and_read(pages: ProjectPages) -> None:
        await gate.wait()
        await read_on(pages)

    monkeypatch.setattr(ProjectPages, "read_on", wait_and_read)
    return gate.set


async def stand(pilot: PodiumPilot) -> None:
    """Wait for the first page while the others are held back."""
    await until(lambda: "Number 05" in seen(pilot))


async def test_the_first_page_is_there_before_the_others_and_g_waits_for_the_last(
    world: World, projects: list[Id], held_back: Callable[[], None]
) -> None:
    async with on_stage(world, ProjectsScreen, world.gus, size=SIZE) as pilot:
        await stand(pilot)
        assert listed(pilot) == NAMES[: SIZE[1]]
        assert "reading more …" in seen(pilot)
        post_keys(pilot, "G")
        held_back()
        await until(lambda: pilot.line.id == projects[-1])
        assert await shows(pilot, "Number 69")
        assert await hides(pilot, "reading more")


async def test_a_name_typed_as_filter_opens_a_project_that_was_still_to_be_read(
    world: World, projects: list[Id], held_back: Callable[[], None]
) -> None:
    async with on_stage(world, ProjectsScreen, world.gus, size=SIZE) as pilot:
        await stand(pilot)
        post_keys(pilot, "slash", "6", "8", "enter", "enter")
        held_back()
        await until(lambda: isinstance(pilot.app.screen, CanvasScreen))
        assert pilot.screen.project_id == projects[68]


async def test_what_others_change_while_pages_are_read_is_right_in_the_end(
    world: World, projects: list[Id], held_back: Callable[[], None]
) -> None:
    async with on_stage(world, ProjectsScreen, world.gus, size=SIZE) as pilot:
        await stand(pilot)
        world.do(EditProject(project_id=projects[0], name="Zulu"), as_=world.gus)
        world.do(EditProject(project_id=projects[69], name="Aardvark"), as_=world.gus)
        world.do(ArchiveProject(project_id=projects[40]), as_=world.gus)
        world.do(SetFavourite(project_id=projects[50], favourite=True), as_=world.gus)
        post_keys(pilot, "R")
        held_back()
        expected = [
            "Number 50",
            "Aardvark",
            *(name for at, name in enumerate(NAMES) if at not in (0, 40, 50, 69)),
            "Zulu",
        ]
        await until(lambda: listed(pilot) == expected)
        await settled(pilot)
        assert listed(pilot) == expected
        assert pilot.line.id == projects[0]


async def test_keys_on_a_project_of_a_later_page_show_what_they_did(world: World, projects: list[Id]) -> None:
    async with on_stage(world, ProjectsScreen, world.gus, size=SIZE) as pilot:
        await settled(pilot)
        await press(pilot, "G", "asterisk")
        assert world.rows("SELECT project_id FROM favourite") == [{"project_id": projects[-1]}]
        assert listed(pilot) == [NAMES[-1], *NAMES[:-1]]
        assert pilot.line.id == projects[-1]
        assert "★ Number 69" in seen(pilot)
        await press(pilot, "asterisk")
        assert listed(pilot) == NAMES
        await press(pilot, "G", "d")
        assert listed(pilot) == NAMES[:-1]
        await press(pilot, "A")
        assert listed(pilot) == NAMES
        await press(pilot, "A")
        assert listed(pilot) == NAMES[:-1]


async def test_a_new_project_of_a_later_page_has_the_cursor(world: World, projects: list[Id]) -> None:
    async with on_stage(world, ProjectsScreen, size=SIZE) as pilot:
        await settled(pilot)
        await press(pilot, "n", "enter", Text("Zulu"), "ctrl+s")
        assert isinstance(pilot.app.screen, CanvasScreen)
        await press(pilot, "q")
        assert pilot.line.id == world.row("project", name="Zulu")["id"]
        assert "Zulu" in seen(pilot)


async def test_pages_that_cannot_be_read_are_said_and_r_reads_them(
    world: World, projects: list[Id], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(pages: ProjectPages) -> None:
        raise StorageError("The disk does not answer.")

    with monkeypatch.context() as patch:
        patch.setattr(ProjectPages, "read_on", fail)
        async with on_stage(world, ProjectsScreen, world.gus, size=SIZE) as pilot:
            await settled(pilot)
            assert listed(pilot) == NAMES[: SIZE[1]]
            assert "Not all projects could be read" in told(pilot)
            assert "not all of them read" in seen(pilot)
            patch.undo()
            await press(pilot, "R")
            assert listed(pilot)[-1] == NAMES[-1]
            assert "not all of them read" not in seen(pilot)


async def test_an_answer_from_before_a_reload_does_not_replace_newer_lines(world: World, projects: list[Id]) -> None:
    """The list is begun again while an answer is on its way, which was read before the change."""
    answers: list[asyncio.Future[None]] = []

    async def query(query: ListProjects) -> ProjectOverview:
        answer = world.ask(query, as_=world.gus)
        if query.after:
            answers.append(asyncio.get_running_loop().create_future())
            await answers[-1]
        return answer

    pages = ProjectPages(query)
    await pages.begin(False, 10, ())
    slow = asyncio.create_task(pages.read_on())
    await asyncio.sleep(0)
    world.do(SetFavourite(project_id=projects[12], favourite=True), as_=world.gus)
    world.do(ArchiveProject(project_id=projects[13]), as_=world.gus)
    await pages.begin(False, 10, ())
    answers[0].set_result(None)
    await slow
    assert pages.lines[projects[12]].favourite
    assert pages.lines[projects[14]] == replace(pages.lines[projects[14]], favourite=False)
    assert not pages.is_whole
    while not pages.is_whole:
        reading = asyncio.create_task(pages.read_on())
        await asyncio.sleep(0)
        answers[-1].set_result(None)
        await reading
    assert pages.is_complete
    assert projects[13] not in pages.lines
    assert len(pages.lines) == COUNT - 1


async def test_the_other_pages_are_read_again_only_after_a_change_and_with_r(world: World, projects: list[Id]) -> None:
    async with on_stage(world, ProjectsScreen, world.gus, size=SIZE) as pilot:
        screen = screen_of(pilot, ProjectsScreen)
        await until(lambda: pilot.app.following.heard)  # the event at the start
        await settled(pilot)
        await until(lambda: screen.pages.is_whole and not screen.read_on._is_at_work)
        with pages_of(pilot) as pages:
            pages.gate.set()
            await press(pilot, "g", "escape")
            assert (len(pages.first), pages.asked) == (1, [])
            world.do(EditProject(project_id=projects[-1], name="Number 99"), world.gus)
            await until(lambda: screen.pages.lines[projects[-1]].project.name == "Number 99")
            assert sum(pages.asked) >= COUNT - SIZE[1]
            await until(lambda: not screen.read_on._is_at_work)
            pages.asked.clear()
            await press(pilot, "R")
            assert sum(pages.asked) >= COUNT - SIZE[1]
            await press(pilot, "G")
            assert "Number 99" in seen(pilot)


async def test_a_gate_that_waits_for_me_is_next_for_me(world: World) -> None:
    world.do(EditPhase(phase_id=world.discover.id, gate=Gate.REVIEW))
    world.complete(world.task().id)
    async with on_stage(world, ProjectsScreen) as pilot:
        assert "Nothing is due for you" not in seen(pilot)
        assert "1 Discover: ready for approval" in seen(pilot)
        await press(pilot, "tab", "enter")
        assert isinstance(pilot.app.screen, PhaseScreen)
