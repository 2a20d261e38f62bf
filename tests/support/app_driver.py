"""Podium with a real database and no terminal: press keys, then look at the rows and at the screen."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from textual import events
from textual.keys import _character_to_key
from textual.pilot import Pilot

from core.actions.workspace.profile import GetCurrentUser
from core.backends.local import LocalBackend
from core.engine.unit_of_work import Actor
from tests.support.wait_until_idle import at_rest
from tests.support.workspace import World
from tui.app import PodiumApp
from tui.screens.framework.screen import PodiumScreen

PATIENCE_TURNS = 1000
"""Looks at the screen, 25 ms apart, until what does not come is missed: a busy machine takes long."""


@asynccontextmanager
async def on_stage(
    world: World,
    first: Callable[[], PodiumScreen],
    as_: Actor | None = None,
    size: tuple[int, int] = (120, 40),
) -> AsyncIterator[Pilot[int]]:
    """Podium opened on a screen, as Maya or somebody else."""
    actor = as_ or world.maya
    backend = LocalBackend(world.engine, actor)
    app = PodiumApp(backend, world.ask(GetCurrentUser(), actor), first)
    async with app.run_test(size=size, notifications=True) as pilot:
        await settled(pilot)
        yield pilot
    await backend.close()


async def settled(pilot: Pilot[int]) -> None:
    """Wait until workers and messages have come to rest, and what they changed is drawn."""
    await pilot.pause()
    await at_rest()


async def press(pilot: Pilot[int], *keys: str) -> None:
    """Press keys one after another, each when the one before has had its effect."""
    for key in keys:
        await pilot.press(key)
        await settled(pilot)


async def write(pilot: Pilot[int], text: str) -> None:
    """Type a text where the cursor is, in one burst; where each letter has an effect, ``press`` waits for it."""
    for letter in text:
        key = letter if letter.isalnum() else _character_to_key(letter)
        pilot.app.post_message(events.Key(key, letter))
    await settled(pilot)


def seen(pilot: Pilot[int]) -> str:
    """The text on the screen, dialogs and toasts included."""
    strips = pilot.app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in strip) for strip in strips)


async def hides(pilot: Pilot[int], words: str) -> bool:
    """Wait until a text has left the screen. Return False if it stays for some seconds."""
    return await _becomes(lambda: words not in seen(pilot), pilot)


async def shows(pilot: Pilot[int], words: str) -> bool:
    """Wait until a text is on the screen. Return False if it does not appear within some seconds."""
    return await _becomes(lambda: words in seen(pilot), pilot)


async def _becomes(true: Callable[[], bool], pilot: Pilot[int]) -> bool:
    for _ in range(PATIENCE_TURNS):
        if true():
            return True
        await pilot.pause(0.025)
    return False
