"""Podium behind a real server: several people at once in one test, each with a screen of their own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from core.actions.workspace.profile import GetCurrentUser
from core.backends.local import ChangeEvent
from core.backends.remote import RemoteBackend
from core.engine.unit_of_work import Actor
from core.net.server_address import server_address
from tests.support.api.server import ServerOfTests, token_for
from tests.support.app_driver import PodiumPilot, comes, settled
from tests.support.workspace import World
from tui.app import PodiumApp
from tui.screens.framework.screen import PodiumScreen


@asynccontextmanager
async def at(
    server: ServerOfTests,
    world: World,
    first: Callable[[], PodiumScreen],
    as_: Actor,
    size: tuple[int, int] = (120, 40),
) -> AsyncIterator[PodiumPilot]:
    """Podium opened on a screen by a user, as a client of the server.

    The stream of changes begins with news, upon which the screen reads again: a test begins only after that reading, or
    it could end in the middle of it.
    """
    backend = RemoteBackend(server_address(server.address), token_for(world, as_))
    app = PodiumApp(backend, world.ask(GetCurrentUser(), as_), first, via="ssh")
    taken: list[ChangeEvent] = []
    take = app.following._take

    async def count(event: ChangeEvent) -> None:
        await take(event)
        taken.append(event)

    app.following._take = count  # type: ignore[method-assign]
    async with app.run_test(size=size, notifications=True) as pilot:
        assert await comes(pilot, lambda: bool(taken)), "the stream of changes brings no news"
        await settled(pilot)
        yield PodiumPilot(app)
    await backend.close()
