"""The permission source on the screens: its state, the reasons of disabled keys, and hidden data."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import date
from typing import Any

import pytest
from textual.pilot import Pilot

from core.actions.workspace.profile import GetCurrentUser
from core.backends.local import LocalBackend
from core.domain.model import Status
from tests.support import wait_until_idle, waiting
from tests.support.app_driver import PodiumPilot, Text, canvas, on_stage, press, seen, settled, told
from tests.support.authorization_service.server import Service
from tests.support.sweeps import sweep
from tests.support.workspace import World
from tui.app import PodiumApp
from tui.screens.framework.screen import PodiumScreen
from tui.screens.people.members import MembersScreen
from tui.screens.projects.projects import ProjectsScreen
from tui.screens.shell.doctor import DoctorScreen
from tui.services import permission_refresh

PATIENT = 60.0
"""Seconds of a deadline that no test reaches."""

SOON = 40.0
"""Seconds in which the screen has noticed what became of the service: one turn, one deadline, one repaint take 3."""


@asynccontextmanager
async def decided_by(
    service: Service,
    world: World,
    first: Callable[[], PodiumScreen],
    size: tuple[int, int] = (120, 40),
    deadline: float = PATIENT,
) -> AsyncIterator[PodiumPilot]:
    """Podium opened as ``run_app`` opens it, with the service as the one who decides, and asked more often: the tests
    in ``tests/end_to_end`` wait as long as people do."""
    world.engine.permissions = service.source(deadline=deadline, max_age=1.0)
    me = world.engine.query(GetCurrentUser(), world.maya, at_once=True)
    backend = LocalBackend(world.engine, world.maya)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(wait_until_idle, "KEPT_BACK", 0.1)
        patch.setattr(permission_refresh, "RIGHTS_SECONDS", 1)
        patch.setattr(permission_refresh, "UNCERTAIN_SECONDS", 0.5)
        async with PodiumApp(backend, me, first).run_test(size=size, notifications=True) as pilot:
            yield PodiumPilot(pilot.app)
    await backend.close()


async def until(pilot: Pilot[Any], *shown: str, without: str = "") -> None:
    """Wait until all of this is on the screen, and something else is not."""
    end = time.monotonic() + SOON
    while not all(words in seen(pilot) for words in shown) or (without and without in seen(pilot)):
        assert time.monotonic() < end, f"Waited for {shown} without “{without}”:\n{seen(pilot)}"
        await pilot.pause(0.05)


def members(world: World) -> Callable[[], MembersScreen]:
    return lambda: MembersScreen(world.project.id)


async def test_nothing_is_shown_and_keys_say_so_until_the_answer_is_there(world: World, service: Service) -> None:
    task = world.task()
    service.copy(world.database)
    service.hold()
    async with decided_by(service, world, canvas(world)) as pilot:
        await until(pilot, "is asking the permission service", "permissions: asking…", without="Write the brief")
        assert "Discover" not in seen(pilot)
        await press(pilot, "L")
        assert world.status(task) == Status.TO_DO
        service.go_on()
        await until(pilot, "permissions remote", "Write the brief")
        await press(pilot, "L")
        await until(pilot, "In Progress 1")
        assert world.status(task) == Status.IN_PROGRESS


async def test_with_the_local_source_the_screen_says_nothing_of_it_and_no_service_is_asked(world: World) -> None:
    async with on_stage(world, canvas(world)) as pilot:
        assert "Maya Okafor · owner  ✓ saved" in seen(pilot)
        assert "local" not in seen(pilot)
        assert not [worker for worker in pilot.app.workers if worker.group == "rights"]
    async with on_stage(world, canvas(world), size=(40, 12)) as pilot:
        assert "permissions" not in seen(pilot)
        assert "✓ saved" in seen(pilot)


@pytest.mark.parametrize("width", sweep([40, 60, 80, 120, 200], lambda width: width in (40, 120)))
async def test_away_the_screen_says_since_when_at_every_width_and_recovers_by_itself(
    world: World, service: Service, width: int
) -> None:
    task = world.task()
    service.copy(world.database)
    async with decided_by(service, world, canvas(world), (width, 24)) as pilot:
        await until(pilot, "Write the brief", without="asking…")
        with service.misbehaving("refused"):
            await until(pilot, "read only since ", "Write the brief")
            await press(pilot, "L")
            await waiting.until(lambda: "Podium asks again automatically." in told(pilot))
            assert told(pilot).count("again") == 1
            assert world.status(task) == Status.TO_DO
            await press(pilot, "w")
            await waiting.until(lambda: "Correlation id" in told(pilot))
        await until(pilot, without="read only")
        pilot.app.messages.clear()
        await press(pilot, "L")
        await waiting.until(lambda: world.status(task) == Status.IN_PROGRESS)


async def test_a_service_that_hangs_does_not_hang_the_screen_and_is_asked_one_question_at_a_time(
    world: World, service: Service
) -> None:
    world.task("Write the brief")
    world.task("Call the venue")
    service.copy(world.database)
    async with decided_by(service, world, canvas(world)) as pilot:
        await until(pilot, "permissions remote")
        service.hold()
        before = len(service.requests)
        while len(service.requests) == before:
            await pilot.pause(0.05)
        for key, title in (("j", "Call the venue"), ("k", "Write the brief")) * 5:
            await press(pilot, key)
            assert pilot.card.title == title
        assert 1 <= service.asked <= service.together <= 2  # about the project, and about the workspace
        service.go_on()
        await until(pilot, "permissions remote")


async def test_a_service_that_stays_silent_leaves_the_screen_to_look_at(world: World, service: Service) -> None:
    world.task("Write the brief")
    service.copy(world.database)
    async with decided_by(service, world, canvas(world), deadline=1.0) as pilot:
        await until(pilot, "permissions remote")
        with service.misbehaving("hang"):
            await until(pilot, "read only since ", "Write the brief")
        await until(pilot, "permissions remote")


@pytest.mark.parametrize("first", [canvas, members])
async def test_a_refused_view_hides_the_data_and_says_why_and_comes_back(
    world: World, service: Service, first: Callable[[World], Callable[[], PodiumScreen]]
) -> None:
    world.task("Write the brief", assignee_id=world.bob.user_id)
    service.copy(world.database)
    async with decided_by(service, world, first(world)) as pilot:
        await until(pilot, "Spring launch", "permissions remote")
        service.revoke(world.maya.user_id, world.project.auth_id)
        await until(pilot, "The permission service does not let you", without="Spring launch")
        assert "Write the brief" not in seen(pilot)
        assert "Vera Sato" not in seen(pilot)
        service.copy(world.database)
        await until(pilot, "Spring launch", without="does not let you")


async def test_the_projects_hide_too_and_a_dialog_above_them_closes(world: World, service: Service) -> None:
    service.copy(world.database)
    account = world.row("workspace")["auth_id"]
    async with decided_by(service, world, ProjectsScreen) as pilot:
        await until(pilot, "Spring launch", "permissions remote")
        await press(pilot, "e")
        await until(pilot, "Edit project")
        service.revoke(world.maya.user_id, account)
        await until(pilot, "The permission service does not let you use this workspace", without="Edit project")
        assert "Spring launch" not in seen(pilot)
        service.copy(world.database)
        await until(pilot, "Spring launch", without="does not let you")
        assert pilot.line.id == world.project.id


async def test_of_a_refused_project_the_list_shows_the_name_and_the_reason(world: World, service: Service) -> None:
    world.task("Write the brief", assignee_id=world.maya.user_id, due=date(2026, 3, 9))
    service.copy(world.database)
    service.revoke(world.maya.user_id, world.project.auth_id)
    service.hold()
    async with decided_by(service, world, ProjectsScreen) as pilot:
        await until(pilot, "is asking the permission service", "permissions: asking…", without="Spring launch")
        service.go_on()
        await until(pilot, "Spring launch", "not shown to you", "does not let you see this project")
        assert "Write the brief" not in seen(pilot)
        assert "Discover" not in seen(pilot)


async def test_a_key_that_was_granted_since_the_service_was_asked_last_works_at_the_first_press(
    world: World, service: Service
) -> None:
    task = world.task()
    service.copy(world.database)
    service.revoke(world.maya.user_id, world.project.auth_id, "TASK_MOVE")
    clock = [0.0]
    world.engine.permissions = service.source(max_age=5, deadline=PATIENT, clock=lambda: clock[0])
    me = world.engine.query(GetCurrentUser(), world.maya, at_once=True)
    backend = LocalBackend(world.engine, world.maya)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(permission_refresh, "RIGHTS_SECONDS", 3_600)  # the screen does not ask by itself any more
        async with PodiumApp(backend, me, canvas(world)).run_test(size=(120, 40), notifications=True) as pilot:
            await until(pilot, "permissions remote", "Write")
            await press(pilot, "L")
            await waiting.until(lambda: "does not let you move cards" in told(pilot))
            service.copy(world.database)
            clock[0] += 6  # longer than an answer is kept
            await press(pilot, "L")
            await waiting.until(lambda: world.status(task) == Status.IN_PROGRESS)
            assert len(world.rows("SELECT 1 FROM change WHERE message = 'MoveCard'")) == 1
    await backend.close()


async def test_a_right_that_the_service_takes_dims_its_key_without_a_word_of_roles(
    world: World, service: Service
) -> None:
    task = world.task()
    service.copy(world.database)
    async with decided_by(service, world, canvas(world)) as pilot:
        await until(pilot, "permissions remote")
        service.revoke(world.maya.user_id, world.project.auth_id, "TASK_MOVE")
        end = time.monotonic() + SOON
        while "TASK_MOVE" in pilot.screen.access.held and time.monotonic() < end:
            await pilot.pause(0.1)
        await press(pilot, "L")
        refusal = "The permission service does not let you move cards to another status (TASK_MOVE)."
        await waiting.until(lambda: refusal in told(pilot))
        assert world.status(task) == Status.TO_DO


async def test_editing_a_project_is_asked_of_the_service_before_the_form_opens(world: World, service: Service) -> None:
    service.copy(world.database)
    service.revoke(world.maya.user_id, world.project.auth_id, "PROJECT_UPDATE")
    async with decided_by(service, world, ProjectsScreen) as pilot:
        await until(pilot, "Spring launch", "permissions remote")
        await press(pilot, "e")
        refusal = "does not let you change the project's details (PROJECT_UPDATE)."
        await waiting.until(lambda: refusal in told(pilot))
        assert "Edit project" not in seen(pilot)
        await press(pilot, "d")
        await settled(pilot)
        assert world.row("project", id=world.project.id)["archived"] == 0


async def test_opening_a_project_that_the_service_refuses_shows_the_sentence(world: World, service: Service) -> None:
    service.copy(world.database)
    service.revoke(world.maya.user_id, world.project.auth_id)
    async with decided_by(service, world, ProjectsScreen) as pilot:
        await until(pilot, "permissions remote")
        await press(pilot, "enter")
        await until(pilot, "The permission service does not let you see this project (PROJECT_VIEW).")
        await press(pilot, "escape")
        await until(pilot, "Spring launch", "Projects · Studio North")


async def test_the_doctor_says_who_decides_in_full_also_when_nothing_else_may_be_seen(
    world: World, service: Service
) -> None:
    service.copy(world.database)
    service.misbehave("503")
    async with decided_by(service, world, DoctorScreen) as pilot:
        await until(pilot, "the permission service. ", "note", "since ")
        line = next(line for line in pilot.listing.lines if line.id == "Who decides")
        assert "correlation id" in line.searched
        service.behave()
        await until(pilot, "it answers")


async def test_can_explains_what_a_member_may_do(world: World) -> None:
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "colon", Text("can"))
        await until(pilot, "can PERSON ACTION", "such as “can ")
        await press(pilot, *["backspace"] * 3, Text("can nobody-of-that-name"))
        await until(pilot, "can PERSON ACTION", "such as “can ")
        await press(pilot, *["backspace"] * 23, Text("can vera move"))
        await until(pilot, "can Vera Sato move cards to another status?", without="Maya Okafor move")
        await press(pilot, "enter")
        await until(pilot, "Vera Sato cannot move cards to another status (TASK_MOVE)", "viewer")
        await press(pilot, "escape", "colon", Text("can bob task_mo"))
        await until(pilot, "can Bob Lind move cards", without="can Vera")
        await press(pilot, "enter")
        await until(pilot, "Bob Lind can move cards to another status (TASK_MOVE)")


async def test_can_needs_a_project(world: World) -> None:
    async with on_stage(world, ProjectsScreen) as pilot:
        await press(pilot, "colon", Text("can vera move"))
        await until(pilot, "Open a project first")
        await press(pilot, "enter")
        await until(pilot, "Open a project first")


async def test_a_key_leaves_the_line_of_keys_when_its_right_goes(world: World, service: Service) -> None:
    world.task()
    service.copy(world.database)
    async with decided_by(service, world, canvas(world)) as pilot:
        await until(pilot, "permissions remote")
        await until(pilot, "H/L move", "c complete")
        service.revoke(world.maya.user_id, world.project.auth_id, "TASK_MOVE")
        await until(pilot, "a assign", without="H/L move")
