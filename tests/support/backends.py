"""Both backends on one workspace: in this process, and behind a real server on a Unix socket."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from core.actions import load_catalog
from core.actions.workflow.canvas import GetCanvas
from core.actions.workflow.canvas_changes import GetCanvasChanges
from core.backends.local import Backend, LocalBackend
from core.backends.remote import RemoteBackend
from core.domain.model import Id
from core.engine.engine import Engine
from core.engine.unit_of_work import Actor
from core.net.server_address import server_address
from core.storage.backups import backup
from core.storage.sqlite.database import SqliteDatabase
from tests.support.api.server import ServerOfTests, token_for
from tests.support.postgres_cluster import ON_POSTGRES, open_at, rows_of
from tests.support.workspace import World, open_database_of_test

LOCAL, REMOTE = KINDS = ("local", "remote")


def behind(server: ServerOfTests, actor: Actor | None = None, token: str = "") -> RemoteBackend:
    """A backend of a user, by default Maya, on a server."""
    token = token or token_for(server.world, actor or server.world.maya)
    return RemoteBackend(server_address(server.address), token)


def in_process(world: World, actor: Actor | None = None) -> LocalBackend:
    """A backend of a user, by default Maya, with its own connection to the database."""
    engine = Engine(open_database_of_test(world.database.path), load_catalog, clock=world.engine.clock)
    return LocalBackend(engine, actor or world.maya)


def on_a_copy(world: World, name: str) -> LocalBackend:
    """Maya's backend on a copy of the workspace as it is."""
    path = world.database.path
    if ON_POSTGRES:
        copy = open_at(path.with_name(name), rows_of(path))
    else:
        copy = SqliteDatabase(backup(world.database, path.with_name(name)))
    return LocalBackend(Engine(copy, load_catalog, clock=world.engine.clock), world.maya)


@asynccontextmanager
async def backend_of(world: World, kind: str, actor: Actor | None = None) -> AsyncIterator[Backend]:
    """A backend of one of the two kinds."""
    if kind == LOCAL:
        backend: Backend = in_process(world, actor)
        try:
            yield backend
        finally:
            await backend.close()
        return
    with ServerOfTests(world) as server:
        backend = behind(server, actor)
        try:
            yield backend
        finally:
            await backend.close()


def changes_since_now(world: World, project_id: Id | None = None) -> GetCanvasChanges:
    """The query of a Canvas that is up to date."""
    return GetCanvasChanges.of(world.ask(GetCanvas(project_id=project_id or world.project.id)).head)
