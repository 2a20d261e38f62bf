"""ASCII mode: nowhere is a sign of Podium's own drawn that a terminal with nothing but ASCII does not have."""

from __future__ import annotations

import unicodedata

from textual.pilot import Pilot

from core.actions.workspace.profile import SetPreference
from tests.docs.test_conventions import SOURCES
from tests.permissions.test_away import MAY_ALL, go_back_to
from tests.support.app_driver import on_stage, press, seen, settled
from tests.support.screen_cases import House
from tui.screens.shell.navigation import PLACES, screen_of
from tui.terminal.ascii_filter import SIGNS

NEVER_DRAWN = {"＝", "＋", "－", "＠", "\u2800", "\ud800", "\U0010ffff", *"€£¥₽₹✅✓✔☐☑✗«»¡¿§°¹³"}
"""What is only looked for, in files too, or sorted by."""

OPENED = {
    "canvas": ("n", "D", "full_stop", "P", "slash", "w", "g", "question_mark", "colon"),
    "projects": ("n",),
    "template": ("full_stop",),
}
"""The keys that open a dialog, a menu or help, each kind of which is looked at once."""


async def test_no_room_draws_another_sign_than_ascii(house: House) -> None:
    actor, world = house.cast.active[MAY_ALL], house.world
    screens = [*(room.screen() for room in house.rooms), *(screen_of(place.to(world.project.id)) for place in PLACES)]
    wrong: dict[str, str] = {}
    world.do(SetPreference(name="signs", value="ascii"), actor)
    async with on_stage(world, house.rooms[0].screen, actor) as pilot:
        for screen in {type(screen): screen for screen in screens}.values():
            name = screen.name_in_table
            await pilot.app.push_screen(screen)
            await settled(pilot)
            wrong |= _others(pilot, name)
            for key in OPENED.get(name, ()):
                await press(pilot, key)
                wrong |= _others(pilot, f"{name}: {key}")
                await go_back_to(pilot, screen)
            await pilot.app.pop_screen()
    world.do(SetPreference(name="signs", value=""), actor)
    assert not wrong


def _others(pilot: Pilot[int], name: str) -> dict[str, str]:
    """The characters on the screen that are not ASCII, by the name of the place."""
    others = "".join(sorted({sign for sign in seen(pilot) if not sign.isascii()}))
    return {name: others} if others else {}


def test_every_sign_that_is_written_in_the_code_has_a_plain_one() -> None:
    """Letters have none: names stay names."""
    written = set().union(*(path.read_text(encoding="utf-8") for path in SOURCES))
    signs = {sign for sign in written if not sign.isascii() and not unicodedata.category(sign).startswith("L")}
    assert signs - set("".join(SIGNS.values())) - NEVER_DRAWN == set()
