"""Podium behind a real server: several people at once in one test, each with a screen of their own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from textual.pilot import Pilot

from core.actions.workspace.profile import GetCurrentUser
from core.backends.local import ChangeEvent
from core.backends.remote import RemoteBackend
from core.engine.unit_of_work import Actor
from core.net.server_address import server_address
from tests.support.api.server import ServerOfTests, token_for
from tests.support.app_driver import seen, settled
from tests.support.workspace import World
from tui.app import PodiumApp
from tui.screens.framework.screen import PodiumScreen

SOON = 20.0
"""Seconds within which what another one does must be on the screen; it takes a tenth of that on a quiet machine."""


@asynccontextmanager
async def at(
    server: ServerOfTests,
    world: World,
    first: Callable[[], PodiumScreen],
    as_: Actor,
    size: tuple[int, int] = (120, 40),
) -> AsyncIterator[Pilot[int]]:
    """Podium opened on a screen by somebody, as a client of the server.

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
        yield pilot
    await backend.close()


async def comes(pilot: Pilot[int], condition: Callable[[], bool]) -> bool:
    """Wait for a condition. Return False if it does not become true soon."""
    for _ in range(round(SOON / 0.025)):
        if condition():
            return True
        await pilot.pause(0.025)
    return False


async def reads(pilot: Pilot[int], words: str) -> bool:
    """Wait for a text on the screen. Return False if it does not appear soon."""
    return await comes(pilot, lambda: words in seen(pilot))


async def loses(pilot: Pilot[int], words: str) -> bool:
    """Wait until a text has left the screen. Return False if it stays."""
    return await comes(pilot, lambda: words not in seen(pilot))
