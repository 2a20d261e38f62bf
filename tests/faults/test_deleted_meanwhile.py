"""A project is deleted for good while the authorization service answers about it: a refusal in a sentence."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection
from typing import Any

import pytest

from core.actions import load_catalog
from core.actions.catalog import COMMANDS, QUERIES
from core.actions.projects.last_visit import ListChangesSinceLastVisit, SetLastSeen
from core.actions.projects.project_health import ExplainHealth
from core.actions.projects.projects import ArchiveProject, DeleteProject
from core.actions.workflow.burn_up import GetBurnUp
from core.actions.workflow.canvas_changes import GetCanvasChanges
from core.authorization.local_source import LocalPermissions
from core.domain.grants import CacheControl, Grant, PermissionQuery
from core.engine.engine import Engine
from core.engine.messages import Message
from core.errors import NotFound, PodiumError
from tests.support.message_examples import messages
from tests.support.sweeps import every_message
from tests.support.workspace import World, send

SAMPLES = messages.COMMANDS | messages.QUERIES
READS_FEED = (GetCanvasChanges, ExplainHealth, GetBurnUp, SetLastSeen, ListChangesSinceLastVisit)


class Deciding:
    """Grants what the tables do, after something has happened."""

    def __init__(self, world: World, meanwhile: Callable[[], object]) -> None:
        self._tables = LocalPermissions(world.database)
        self._to_happen = [meanwhile]

    def grant(self, query: PermissionQuery, cache_control: CacheControl) -> Grant:
        return self.grants((query,), cache_control)[query]

    def grants(self, queries: Collection[PermissionQuery], cache_control: CacheControl) -> dict[PermissionQuery, Grant]:
        found = {each: self._tables.grant(each, cache_control) for each in queries}
        while self._to_happen:
            self._to_happen.pop()()
        return found

    def ask_ahead(self, queries: Collection[PermissionQuery]) -> None: ...

    def invalidate(self) -> None: ...

    def close(self) -> None: ...


def send_while_projects_go(world: World, message: Message[Any]) -> None:
    """Send a message as Maya; every project is deleted between the decision about her and the message itself."""

    def delete_projects() -> None:
        for row in world.rows("SELECT id, archived FROM project"):
            if not row["archived"]:
                world.do(ArchiveProject(project_id=row["id"]))
            world.do(DeleteProject(project_id=row["id"]))

    engine = Engine(world.database, load_catalog, Deciding(world, delete_projects), world.engine.clock)
    send(engine, message, world.maya)


@pytest.mark.parametrize("kind", READS_FEED, ids=lambda kind: kind.__name__)
def test_a_message_says_that_its_project_was_deleted_meanwhile(world: World, kind: type[Message[Any]]) -> None:
    with pytest.raises(NotFound, match="There is no such project here"):
        send_while_projects_go(world, SAMPLES[kind](world))


@every_message((*COMMANDS, *QUERIES))
def test_no_message_breaks_on_a_project_that_was_deleted_meanwhile(world: World, kind: type[Message[Any]]) -> None:
    message = SAMPLES[kind](world)
    with contextlib.suppress(PodiumError):
        send_while_projects_go(world, message)
