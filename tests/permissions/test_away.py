"""On every screen, with every key, while nobody can be reached: nothing breaks, and all is as it was afterwards."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from textual.pilot import Pilot

from core.actions.workspace.profile import GetCurrentUser
from core.backends.local import LocalBackend
from core.errors import ServerUnavailable
from tests.support.app_driver import settled
from tests.support.expected_rights import Role
from tests.support.screen_cases import House, Room
from tests.support.workspace import content
from tui.app import PodiumApp
from tui.keys.table import Key
from tui.screens.framework.screen import PodiumScreen
from tui.screens.personal.settings import SettingsScreen

MAY_ALL = Role("owner", "platform admin")
LEAVES = {"close", "back", "last_place", "next_place", "palette", "mouse", "suspend", "my_work", "search", "go"}
"""What leads away from the screen, or takes a real terminal."""


class Away(LocalBackend):
    """The data, as long as they can be reached."""

    away = False

    def _reach(self) -> None:
        if self.away:
            raise ServerUnavailable("The server cannot be reached. Nothing was changed. Try again in a moment.")

    async def execute(self, *arguments: Any) -> Any:
        self._reach()
        return await super().execute(*arguments)

    async def execute_and_ask(self, command: Any, query: Any) -> Any:
        self._reach()
        return await super().execute_and_ask(command, query)

    async def query(self, query: Any) -> Any:
        self._reach()
        return await super().query(query)

    async def aside(self, query: Any) -> Any:
        self._reach()
        return await super().aside(query)


@pytest.mark.slow
@pytest.mark.parametrize("known", [True, False], ids=["it was read before", "it was never read"])
async def test_no_key_breaks_a_screen_while_the_service_cannot_be_reached(house: House, known: bool) -> None:
    actor = house.cast.active[MAY_ALL]
    backend = Away(house.world.engine, actor)
    before = content(house.world.database)
    app = PodiumApp(backend, house.world.ask(GetCurrentUser(), actor), SettingsScreen)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        for room in {room.table: room for room in house.rooms}.values():
            screen = await enter(pilot, room, backend, known)
            for key in keys_on(screen):
                if screen not in app.screen_stack:
                    screen = await enter(pilot, room, backend, known)
                await screen.keys.run(key)
                await pilot.pause()
                await go_back_to(pilot, screen)
            backend.away = False
            assert not screen.is_attached or await screen.refresh_from_core()
    await backend.close()
    after = content(house.world.database)
    added = [row["name"] for row in after["preference"] if row not in before["preference"]]
    assert [name.partition(":")[0] for name in added] == ["folds"] * known, "a fold is saved once the service is back"
    after["preference"] = [row for row in after["preference"] if row["name"] not in added]
    assert after == before


def keys_on(screen: Any) -> Iterable[Key]:
    """The keys that work on a screen."""
    return [key for key in screen.keys.live() if key.verb not in LEAVES]


async def enter(pilot: Pilot[int], room: Room, backend: Away, known: bool) -> Any:
    """Open a screen, and have nobody be reached from then on, or from before."""
    backend.away = not known
    await pilot.app.push_screen(room.screen())
    await settled(pilot)
    backend.away = True
    return pilot.app.screen


async def go_back_to(pilot: Pilot[int], screen: Any) -> None:
    """Close what a key opened on top of a screen; some keys leave it for good."""
    while screen in pilot.app.screen_stack and pilot.app.screen is not screen:
        top = pilot.app.screen
        if isinstance(top, PodiumScreen):
            await pilot.app.pop_screen()
        else:
            top.dismiss(None)
        await pilot.pause()
