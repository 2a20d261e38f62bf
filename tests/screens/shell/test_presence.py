"""Other users here: on the title line, on cards, on pages, between people behind one server."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Set
from typing import Any

import pytest
from textual.pilot import Pilot

from core.actions.projects.members import RemoveMember
from core.actions.projects.presence import ReportPresence
from core.actions.workspace.profile import SetPreference
from core.actions.workspace.users import EditUser
from core.domain.model import Id, Status
from tests.support.api.server import ServerOfTests
from tests.support.app_driver import canvas, comes, hides, on_stage, press, screen_of, seen, settled, shows
from tests.support.behind_server import at
from tests.support.workspace import World
from tui.screens.canvas.screen import CanvasScreen
from tui.screens.cards.card import CardScreen
from tui.screens.framework.screen import PodiumScreen
from tui.screens.phases.phase import PhaseScreen
from tui.screens.projects.projects import ProjectsScreen
from tui.screens.views.calendar import CalendarScreen
from tui.screens.views.project_view import ProjectView
from tui.screens.views.status_board import StatusBoardScreen
from tui.screens.views.table import TableScreen
from tui.screens.views.timeline import TimelineScreen


@pytest.fixture
def server(world: World) -> Iterator[ServerOfTests]:
    with ServerOfTests(world) as server:
        yield server


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cursor that has rested for a moment is reported."""
    monkeypatch.setattr("tui.services.presence.REST_SECONDS", 0.05)


async def test_each_sees_the_other_and_the_card_that_they_are_on(world: World, server: ServerOfTests) -> None:
    first, second = world.task("Write the brief"), world.task("Call the venue")
    project = world.project.id
    async with at(server, world, lambda: CanvasScreen(project, first.id), world.maya) as maya:
        assert "Call the venue" in seen(maya)
        assert "here" not in seen(maya)
        async with at(server, world, lambda: CanvasScreen(project, second.id), world.bob) as bob:
            assert await shows(maya, "Bob Lind here")
            assert await shows(bob, "Maya Okafor here")
            assert await shows(maya, "●BL")
            assert "Call the venue" in title_above(maya, "●BL")
            await press(bob, "k")
            assert await shows(maya, "Bob Lind is on this card too")
            assert "Write the brief" in title_above(maya, "●BL")
        assert await hides(maya, "Bob Lind")
        assert "●" not in seen(maya)


async def test_a_user_who_goes_to_another_place_is_no_longer_here(world: World, server: ServerOfTests) -> None:
    project = world.project.id
    async with (
        at(server, world, lambda: CanvasScreen(project), world.maya) as maya,
        at(server, world, ProjectsScreen, world.bob) as bob,
    ):
        assert "Spring launch" in seen(maya)
        assert "Bob" not in seen(maya)
        await press(bob, "enter")
        assert await shows(maya, "Bob Lind here")
        await press(bob, "q")
        assert await hides(maya, "Bob Lind here")


async def test_users_of_one_project_are_not_shown_on_another_before_that_one_is_reported(
    world: World, server: ServerOfTests, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, other = world.project.id, world.new_project("Autumn launch").id
    world.task("Rake the leaves", world.phase("Rake", other))
    async with (
        at(server, world, lambda: CanvasScreen(project), world.bob) as bob,
        at(server, world, lambda: CanvasScreen(project), world.maya) as maya,  # the last one, which screens open in
    ):
        presence = maya.app.presence
        assert await shows(maya, "Bob Lind here")
        assert await shows(bob, "Maya Okafor here")
        assert await comes(maya, lambda: presence._timer is None)
        monkeypatch.setattr("tui.services.presence.REST_SECONDS", 3600.0)
        await maya.app.push_screen(CanvasScreen(other))
        assert await shows(maya, "Rake the leaves")
        assert [each.name for each in presence.people] == ["Bob Lind"]
        assert "Bob Lind" not in seen(maya)


async def test_a_cursor_that_comes_to_rest_where_it_was_is_not_reported_again(world: World) -> None:
    first, second = world.task("Write the brief"), world.task("Call the venue")
    async with on_stage(world, canvas(world, first.id)) as pilot:
        app: Any = pilot.app
        assert await comes(pilot, lambda: app.presence._said.card_id == first.id)
        reported: list[Id | None] = []
        aside = app.aside

        async def noted(command: Any) -> Any:
            if isinstance(command, ReportPresence):
                reported.append(command.card_id)
            return await aside(command)

        app.aside = noted
        app.presence.note_move()  # as after a step away and back
        assert await comes(pilot, lambda: app.presence._timer is None)
        await press(pilot, "j")
        assert await comes(pilot, lambda: second.id in reported)
        assert reported == [second.id]


async def test_a_page_says_who_has_it_open_too(world: World, server: ServerOfTests) -> None:
    card, project = world.task(), world.project.id
    async with (
        at(server, world, lambda: CardScreen(project, card.id), world.maya) as maya,
        at(server, world, lambda: CardScreen(project, card.id), world.bob) as bob,
        at(server, world, lambda: PhaseScreen(project, world.discover.id), world.vera) as vera,
    ):
        assert await shows(maya, "● Bob Lind is on this card too")
        assert await shows(bob, "● Maya Okafor is on this card too")
        assert await shows(vera, "Bob Lind and Maya Okafor here")
        assert "too" not in seen(vera)


async def test_a_removed_member_vanishes_and_sees_nothing_more(world: World, server: ServerOfTests) -> None:
    world.task("Secret plan")
    project = world.project.id
    async with (
        at(server, world, lambda: CanvasScreen(project), world.maya) as maya,
        at(server, world, lambda: CanvasScreen(project), world.bob) as bob,
    ):
        assert await shows(maya, "Bob Lind here")
        assert await shows(bob, "Maya Okafor here")
        version = world.row("member", project_id=project, user_id=world.bob.user_id)["version"]
        world.do(RemoveMember(project_id=project, user_id=world.bob.user_id, seen_version=version))
        assert await hides(bob, "Secret plan")
        assert await hides(bob, "Maya Okafor here")
        assert await hides(maya, "Bob Lind here")


async def test_a_hostile_name_is_only_a_name(world: World, server: ServerOfTests) -> None:
    """Past the core, which refuses control characters: markup is no markup, and a row that was written directly is
    shown without what it must not do."""
    world.do(EditUser(user_id=world.bob.user_id, first_name="[red]B[/", last_name="[@click=app.quit]x[/]"))
    row = "UPDATE app_user SET first_name = :name WHERE id = :id"
    world.database.write(lambda tx: tx.execute(row, name="[red]B[/\x1b]0;owned\x07\u202e", id=world.bob.user_id))
    card, project = world.task(), world.project.id
    async with (
        at(server, world, lambda: CanvasScreen(project, card.id), world.maya) as maya,
        at(server, world, lambda: CardScreen(project, card.id), world.bob),
        at(server, world, lambda: CardScreen(project, card.id), world.vera) as vera,
    ):
        assert await shows(maya, "[red]B[/")
        assert await shows(vera, "[red]B[/")
        for pilot in (maya, vera):
            assert not {"\x1b", "\x07", "\u202e"} & set(seen(pilot))


@pytest.mark.parametrize("view", [TableScreen, StatusBoardScreen, TimelineScreen, CalendarScreen])
async def test_every_view_says_what_another_one_did_and_lights_it(
    world: World, server: ServerOfTests, view: type[ProjectView]
) -> None:
    today = world.engine.clock().date()
    card, other = world.task("Write the brief", due=today), world.task("Call the venue", due=today)
    async with at(server, world, lambda: view(world.project.id, other.id), world.maya) as maya:
        lit: list[object] = []
        screen = maya.app.screen
        assert isinstance(screen, ProjectView)
        show = screen.highlight._show

        def noted(ids: Set[Id]) -> None:
            lit.append(ids)
            show(ids)

        screen.highlight._show = noted
        before = screen.presenter.card
        world.start(card.id, as_=world.bob)
        assert await shows(maya, "Bob Lind started “Write the brief”")
        assert await comes(maya, lambda: lit == [{card.id}])
        assert screen.presenter.card == before
        assert await comes(maya, lambda: lit[-1] == frozenset()), "it fades"


def title_above(pilot: Pilot[int], initials: str) -> str:
    """The line with these initials and the one above it, which has the title of a card of several lines."""
    lines = seen(pilot).splitlines()
    at = next(number for number, line in enumerate(lines) if initials in line)
    return "\n".join(lines[at - 1 : at + 1])


@pytest.mark.parametrize("signs", ["", "ascii"])
@pytest.mark.parametrize("view", [CanvasScreen, TableScreen, StatusBoardScreen, TimelineScreen, CalendarScreen])
async def test_every_view_shows_who_is_on_a_card_in_the_same_way(
    world: World, view: Callable[[Id, Id], PodiumScreen], signs: str
) -> None:
    today, project = world.engine.clock().date(), world.project.id
    card, other = world.task("Write the brief", due=today), world.task("Call the venue", due=today)
    for person in (world.bob, world.vera):
        world.ask(ReportPresence(project_id=project, card_id=card.id, terminal="another"), person)
    world.do(SetPreference(name="signs", value=signs))
    initials = "+BL +1" if signs else "●BL +1"
    async with on_stage(world, lambda: view(project, other.id), size=(80, 24)) as pilot:
        assert await shows(pilot, initials)
        lines = [line for line in seen(pilot).splitlines() if initials in line]
        assert len(lines) == 1, lines
        assert "Write" in title_above(pilot, initials)
        if view is TimelineScreen:  # a phase that is folded stands for its cards
            await press(pilot, "tab")
            assert [line for line in seen(pilot).splitlines() if initials in line and "Discover" in line]
        world.ask(ReportPresence(project_id=project, terminal="another", leaving=True), world.vera)
        pilot.app.presence.ask_soon()
        assert await hides(pilot, initials)
        assert await shows(pilot, initials.removesuffix(" +1"))


async def test_a_burst_is_told_in_few_steps_and_the_cursor_stays(
    world: World, server: ServerOfTests, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.screens.views.cursor_line.SAID_SECONDS", 60)  # a burst may take long
    cards = [world.task(f"Card {number:02}") for number in range(20)]
    mine = cards[7]
    async with at(server, world, canvas(world, mine.id), world.maya) as maya:
        screen = screen_of(maya, CanvasScreen)
        reloads, reload, burst_is_over = 0, screen.reload, asyncio.Event()

        async def counted() -> None:
            nonlocal reloads
            reloads += 1
            await burst_is_over.wait()
            await reload()

        screen.reload = counted  # type: ignore[method-assign]

        def burst() -> None:
            for turn in range(10):
                for card in cards:
                    world.move(card.id, [Status.IN_PROGRESS, Status.TO_DO][turn % 2], world.bob)

        await asyncio.to_thread(burst)
        burst_is_over.set()
        assert await comes(maya, lambda: screen.head.seq == world.rows("SELECT max(seq) AS n FROM change")[0]["n"])
        assert reloads <= 10
        assert screen.board.cursor.card is not None
        assert screen.board.cursor.card.id == mine.id
        assert await shows(maya, "Bob Lind made 200 changes")
        assert await comes(maya, lambda: not screen.board._highlighted)


async def test_a_screen_that_is_just_being_opened_is_not_asked_for_its_cursor(world: World) -> None:
    task = world.task()
    async with on_stage(world, canvas(world)) as pilot:
        presence = pilot.app.presence
        opening = pilot.app.push_screen(TableScreen(world.project.id, task.id))
        presence._report_new_place()
        presence.ask_soon()
        await opening
        await settled(pilot)
        assert presence._here.card_id == task.id
