"""Role × key, on real screens: what the table refuses is dimmed, says why and does nothing; so does the palette."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.app_driver import PodiumPilot, comes, on_stage, settled, told
from tests.support.expected_rights import UNSEEN, Role, is_of_a_role, is_of_project, is_refusal
from tests.support.screen_cases import ASKS_WHEN_PRESSED, SENDS_NOTHING, House, Room
from tests.support.workspace import content
from tui.keys.table import KEYS, SCREENS, Key
from tui.screens.framework.screen import PodiumScreen
from tui.screens.personal.inbox import EMPTY
from tui.screens.personal.my_work import NO_LINE
from tui.screens.personal.settings import SettingsScreen
from tui.screens.shell.navigation import commands
from tui.widgets.bars import HasOwnKeys, KeyBar

WHO = (
    Role("owner", "workspace admin"),
    Role("contributor", "internal"),
    Role("viewer", "guest"),
    Role("", "platform admin"),
)
"""Each role of a project and of the platform; that they do not mix is for ``test_core`` to say."""

PRESSING = WHO[1:3]
"""The users who press keys in vain, the one with more permissions first."""


def screen_of(pilot: PodiumPilot) -> PodiumScreen:
    screen = pilot.app.screen
    assert isinstance(screen, PodiumScreen), f"a dialog is open: {screen}"
    return screen


GONE = "This project was deleted for good, or you are not a member of it any more."


def own_keys(screen: PodiumScreen, room: Room) -> list[Key]:
    """The keys of the screen, none left out, under the names that they have here."""
    keys = [key for key in screen.keys.live() if key.screen == room.table]
    left_out = room.done_by_others.split() if screen.access.unseen is None else ()
    expected = [key.id for key in SCREENS[room.table].keys if key.verb not in left_out]
    assert [key.id for key in keys] == expected
    return keys


def wrong(room: Room, key: Key, role: Role, reason: str) -> str:
    """The fault in the reason of a disabled key; "" if it is the one of the table."""
    code = room.code(key)
    if code and is_of_project(code) and not role.on_project:
        as_expected = reason in (GONE, NO_LINE, EMPTY) or bool(UNSEEN.fullmatch(reason))
    elif key.verb in room.does_nothing.split():
        as_expected = bool(reason) and (not is_of_a_role(reason) or not role.may(code))
    elif not code:
        as_expected = not is_of_a_role(reason)
    elif role.may(code):
        as_expected = reason in ("", GONE) or bool(UNSEEN.fullmatch(reason))
    else:
        as_expected = is_refusal(reason, role.on_project if is_of_project(code) else role.on_platform, code)
    return "" if as_expected else f"{room.name}: {key.id} takes {code or 'nothing'} and says “{reason}”"


@pytest.mark.parametrize("role", [pytest.param(WHO[0], marks=pytest.mark.sweep), *WHO[1:]], ids=str)
async def test_a_key_is_dimmed_says_why_and_does_nothing_exactly_where_the_table_says_so(
    house: House, role: Role
) -> None:
    found: list[str] = []
    pressed: set[tuple[str, str]] = set()
    async with on_stage(house.world, SettingsScreen, house.cast.active[role], (230, 50)) as pilot:
        before = content(house.world.database)
        for room in house.rooms:
            await pilot.app.push_screen(room.screen())
            await settled(pilot)
            found += looked_at(pilot, room, role)
            found += await pressed_in(pilot, room, role, pressed)
            await pilot.app.pop_screen()
        assert content(house.world.database) == before
    assert "\n".join(filter(None, found)) == ""
    assert bool(pressed) == (role in PRESSING)


def looked_at(pilot: PodiumPilot, room: Room, role: Role) -> Iterator[str]:
    """The faults of the keys of a room: of their reasons, and of their entries in palette and key line."""
    screen = screen_of(pilot)
    offered = {each.title: each.help for each in commands(pilot.app, screen)}
    for key in own_keys(screen, room):
        reason = screen.keys.why_not(key)
        yield wrong(room, key, role, reason)
        if offered[key.words] != (reason or (key.shown if key.keys else "")):
            yield f"{room.name}: the palette says “{offered[key.words]}” of {key.id}"
        if key.label and key.keys and not shows_own_keys(screen) and is_in_line(screen, key) == bool(reason):
            yield f"{room.name}: {key.id} is in the line of keys or not, against “{reason}”"


async def pressed_in(pilot: PodiumPilot, room: Room, role: Role, pressed: set[tuple[str, str]]) -> list[str]:
    """The faults after disabled keys are pressed, each key once."""
    screen, found = screen_of(pilot), []
    for key in own_keys(screen, room):
        tried = (key.id, room.code(key))
        if who_presses(tried[1]) == role and tried not in pressed:
            pressed.add(tried)
            said = await said_to(pilot, key, screen.keys.why_not(key))
            if said or pilot.app.screen is not screen:
                found.append(f"{room.name}: {key.id} said “{said}” on {pilot.app.screen}")
    return found


def who_presses(code: str) -> Role | None:
    """Of those who may not, the one who stands next to the border."""
    return next((role for role in PRESSING if code and not role.may(code)), None)


def shows_own_keys(screen: PodiumScreen) -> bool:
    """True if the key line shows the keys of the focused widget, such as those of the ways to begin."""
    return isinstance(screen.focused, HasOwnKeys)


def is_in_line(screen: PodiumScreen, key: Key) -> bool:
    """True if a key is in the line of keys."""
    line = screen.query_one(KeyBar).render()
    words = key.label if "/" in key.label.partition(" ")[0] else f"{key.shown} {key.label}"
    return f"  {words}" in line.plain


async def said_to(pilot: PodiumPilot, key: Key, reason: str) -> str:
    """The message after a key is pressed, or run from the palette if it has none; "" if it is the reason."""
    pilot.app.messages.clear()
    if key.keys:
        await pilot.press(key.keys.partition(",")[0])
    else:
        offered = {each.title: each.callback for each in commands(pilot.app, pilot.app.screen)}
        offered[key.words]()
    return "" if await comes(pilot, lambda: reason in told(pilot)) else told(pilot)


def test_every_key_names_its_permission_or_why_it_names_none() -> None:
    unnamed = {key.id for key in KEYS if key.needs is None and key.verb not in SENDS_NOTHING.split()}
    assert unnamed ^ ASKS_WHEN_PRESSED.keys() == set(), (
        "name the permission of the key in tui/keys/table.py, or the verb in SENDS_NOTHING or ASKS_WHEN_PRESSED"
    )
    assert {key.id for key in KEYS if key.verb in SENDS_NOTHING.split() and key.needs} == set()


def test_every_key_with_a_permission_is_tried_in_a_room(house: House) -> None:
    assert {key.screen for key in KEYS if key.needs} == {room.table for room in house.rooms}
