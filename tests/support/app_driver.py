"""Podium with a real database and no terminal: press keys, then look at the rows and at the screen."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from textual import events
from textual._context import visible_screen_stack
from textual.keys import _character_to_key
from textual.pilot import Pilot
from textual.screen import Screen

from core.actions.workspace.profile import GetCurrentUser
from core.backends.local import LocalBackend
from core.domain.canvas import Card
from core.domain.model import Id
from core.engine.unit_of_work import Actor
from tests.support.wait_until_idle import at_rest
from tests.support.waiting import PATIENCE
from tests.support.workspace import World
from tui.app import PodiumApp
from tui.board.board import Board
from tui.screens.canvas.screen import CanvasScreen
from tui.screens.framework.list_screen import ListScreen
from tui.screens.framework.screen import PodiumScreen
from tui.screens.views.project_view import ProjectView
from tui.terminal.collector import collector_off
from tui.widgets.columns import Line
from tui.widgets.list_view import ListView
from tui.widgets.message_line import MessageLine

S = TypeVar("S", bound=Screen[Any])

LOOK_AGAIN = 0.025
"""Seconds between two looks at the screen."""


class PodiumPilot(Pilot[int]):
    """A pilot of Podium: what is on the screen, each with its type; a failure names the screen that is open."""

    @property
    def app(self) -> PodiumApp:
        assert isinstance(self._app, PodiumApp)
        return self._app

    @property
    def screen(self) -> PodiumScreen:
        """The screen, over which no dialog is open."""
        screen = self.app.screen
        assert isinstance(screen, PodiumScreen), screen
        return screen

    async def refresh(self) -> None:
        """Read what the screen shows again, as after a change of another user."""
        await self.screen.refresh_from_core()
        await settled(self)

    @property
    def view(self) -> ProjectView:
        """The view of a project."""
        assert isinstance(self.screen, ProjectView), self.screen
        return self.screen

    @property
    def board(self) -> Board:
        """The board of the Canvas."""
        return screen_of(self, CanvasScreen).board

    @property
    def card(self) -> Card:
        """The card of the cursor, on the Canvas or in another view of a project."""
        card = self.view.presenter.card
        assert card is not None, "The cursor is on no card."
        return card

    @property
    def title(self) -> str:
        """The title of that card; "" where the cursor is on none."""
        card = self.view.presenter.card
        return card.title if card else ""

    @property
    def titles(self) -> list[str]:
        """The titles of the cards in the view, in their order."""
        return [card.title for card in self.view.presenter.list_shown()]

    @property
    def listing(self) -> ListView:
        """The list of a screen with a list."""
        assert isinstance(self.screen, ListScreen), self.screen
        return self.screen.listing

    @property
    def line(self) -> Line:
        """The line of the cursor in it."""
        assert self.listing.line is not None, "The list is empty."
        return self.listing.line

    @property
    def record(self) -> Any:
        """The record of that line."""
        assert isinstance(self.screen, ListScreen), self.screen
        return self.screen.records.current


def screen_of(pilot: Pilot[Any], kind: type[S]) -> S:
    """The open screen or dialog, which is of this kind."""
    screen = pilot.app.screen
    assert isinstance(screen, kind), screen
    return screen


def canvas(world: World, focus: Id | None = None) -> Callable[[], CanvasScreen]:
    """Makes the Canvas of the project of a world, with the cursor on a card, for ``on_stage``."""
    return lambda: CanvasScreen(world.project.id, focus)


@asynccontextmanager
async def on_stage(
    world: World,
    first: Callable[[], PodiumScreen],
    as_: Actor | None = None,
    size: tuple[int, int] = (120, 40),
) -> AsyncIterator[PodiumPilot]:
    """Podium opened on a screen, as Maya by default."""
    actor = as_ or world.maya
    backend = LocalBackend(world.engine, actor)
    app = PodiumApp(backend, world.ask(GetCurrentUser(), actor), first)
    with collector_off():  # as the start of the program, and until the same moment
        async with app.run_test(size=size):
            await at_rest()
            yield PodiumPilot(app)
    await backend.close()


async def settled(pilot: Pilot[Any]) -> None:
    """Wait until workers and messages have come to rest, and what they changed is drawn."""
    await pilot.pause()
    await at_rest()


class Text(str):
    """A text among the keys for ``press``, which is typed in one burst."""


async def press(pilot: Pilot[Any], *keys: str) -> None:
    """Press keys one after another, each when the one before has had its effect."""
    for key in keys:
        if isinstance(key, Text):
            await write(pilot, key)
        else:
            await pilot.press(key)
            await settled(pilot)


def post_keys(pilot: Pilot[Any], *keys: str) -> None:
    """Send keys all at once, as a terminal hands them over when the line was slow, and do not wait for their effect."""
    for key in keys:
        pilot.app.post_message(events.Key(key, key if len(key) == 1 else None))


async def write(pilot: Pilot[Any], text: str) -> None:
    """Type a text where the cursor is, in one burst; where each letter has an effect, ``press`` waits for it."""
    for letter in text:
        key = letter if letter.isalnum() else _character_to_key(letter)
        pilot.app.post_message(events.Key(key, letter))
    await settled(pilot)


def seen(pilot: Pilot[Any]) -> str:
    """The text on the screen, dialogs and the message included, with the screen behind a menu as Textual paints it."""
    visible_screen_stack.set(pilot.app._background_screens)  # a menu that is not painted yet looks for it here
    strips = pilot.app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in strip) for strip in strips)


def line_of(pilot: Pilot[Any], words: str) -> str:
    """The first line on the screen with these words."""
    return next(line for line in seen(pilot).splitlines() if words in line)


def told(pilot: Pilot[Any]) -> str:
    """The message to the user, without its sign and its line breaks; empty when there is none."""
    screen = PodiumPilot(pilot.app).app.visible_screen
    assert screen is not None
    lines = [str(line.render()) for line in screen.query(MessageLine) if line.display]
    return " ".join(lines).replace("\n", " ").partition(" ")[2]


async def comes(pilot: Pilot[Any], condition: Callable[..., object]) -> bool:
    """Wait for a condition. Return False if it does not become true within PATIENCE."""
    give_up = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > give_up:
            return False
        await pilot.pause(LOOK_AGAIN)
    return True


async def shows(pilot: Pilot[Any], words: str) -> bool:
    """Wait until a text is on the screen. Return False if it does not appear within PATIENCE."""
    return await comes(pilot, lambda: words in seen(pilot))


async def hides(pilot: Pilot[Any], words: str) -> bool:
    """Wait until a text has left the screen. Return False if it stays for PATIENCE."""
    return await comes(pilot, lambda: words not in seen(pilot))
