"""A user's membership changes while the answer of the authorization service about them is still kept.

Where it is changed it counts at once: every kept grant is forgotten. Another program that has the same database open
learns of it when its own grant is no longer new, after five seconds at most.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.actions import load_catalog
from core.actions.cards.cards import DeleteCard
from core.actions.cards.tasks import CreateTask
from core.actions.projects.members import InviteMember, RemoveMember, SetProjectRole
from core.domain.model import ProjectRole
from core.engine.engine import Engine
from core.engine.messages import Command
from core.errors import Forbidden, NotFound
from core.record import replace
from tests.support.authorization_service.server import Service
from tests.support.expected_rights import outcome
from tests.support.remote_source import Watch
from tests.support.workspace import World, open_database_of_test


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
def here(world: World, service: Service, watch: Watch) -> Engine:
    """The program in which memberships are changed."""
    service.copy(world.database)
    world.engine.permissions = service.source(clock=watch)
    return world.engine


@pytest.fixture
def elsewhere(world: World, service: Service, watch: Watch) -> Iterator[Engine]:
    """Another program with the same database open."""
    database = open_database_of_test(Path(str(world.database.path)))
    engine = Engine(database, load_catalog, service.source(clock=watch), world.engine.clock)
    yield engine
    engine.close()


def add_task(world: World) -> CreateTask:
    return CreateTask(phase_id=world.discover.id, title="Write the brief")


def change(world: World, service: Service, command: Command[Any]) -> None:
    """Change a membership, as Maya, and have the authorization service follow."""
    world.do(command)
    service.copy(world.database)


def tasks(world: World) -> int:
    return len(world.rows("SELECT 1 FROM item"))


def test_a_member_removed_here_may_nothing_from_that_moment_on(world: World, service: Service, here: Engine) -> None:
    assert outcome(here, add_task(world), world.bob) is None
    change(world, service, RemoveMember(project_id=world.project.id, user_id=world.bob.user_id))
    assert isinstance(outcome(here, add_task(world), world.bob), NotFound)
    assert tasks(world) == 1


def test_a_member_invited_here_may_from_that_moment_on(world: World, service: Service, here: Engine) -> None:
    assert isinstance(outcome(here, add_task(world), world.gus), NotFound)
    invite = InviteMember(project_id=world.project.id, user_id=world.gus.user_id, role=ProjectRole.CONTRIBUTOR)
    change(world, service, invite)
    assert outcome(here, add_task(world), world.gus) is None


def test_whose_role_is_changed_here_has_the_new_one_from_that_moment_on(
    world: World, service: Service, here: Engine
) -> None:
    lower = SetProjectRole(project_id=world.project.id, user_id=world.bob.user_id, role=ProjectRole.VIEWER)
    for command, refused in ((lower, True), (replace(lower, role=ProjectRole.CONTRIBUTOR), False)):
        change(world, service, command)
        assert isinstance(outcome(here, add_task(world), world.bob), Forbidden) is refused


def test_a_person_who_is_removed_by_another_program_loses_what_is_kept_at_once(
    world: World, service: Service, here: Engine, elsewhere: Engine
) -> None:
    assert outcome(elsewhere, add_task(world), world.bob) is None
    change(world, service, RemoveMember(project_id=world.project.id, user_id=world.bob.user_id))
    assert isinstance(outcome(elsewhere, add_task(world), world.bob), NotFound)
    assert tasks(world) == 1


def test_a_kept_grant_deletes_nothing_for_a_member_removed_elsewhere(
    world: World, service: Service, here: Engine, elsewhere: Engine
) -> None:
    task = world.task()
    raised = SetProjectRole(project_id=world.project.id, user_id=world.bob.user_id, role=ProjectRole.OWNER)
    change(world, service, raised)
    assert outcome(elsewhere, add_task(world), world.bob) is None
    change(world, service, RemoveMember(project_id=world.project.id, user_id=world.bob.user_id))
    refused = outcome(elsewhere, DeleteCard(card_id=task.id), world.bob)
    assert isinstance(refused, NotFound), "to delete is asked again, whatever is kept"
    assert tasks(world) == 2


def test_a_member_invited_elsewhere_waits_five_seconds_at_most(
    world: World, service: Service, here: Engine, elsewhere: Engine, watch: Watch
) -> None:
    assert isinstance(outcome(elsewhere, add_task(world), world.gus), NotFound)
    invite = InviteMember(project_id=world.project.id, user_id=world.gus.user_id, role=ProjectRole.CONTRIBUTOR)
    change(world, service, invite)
    watch.now += 5
    assert outcome(elsewhere, add_task(world), world.gus) is None
    assert tasks(world) == 1
