"""Each key sends a message with exactly the permission that the table of keys names."""

from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot
from textual.screen import Screen

from core.actions.workspace.profile import GetCurrentUser
from core.backends.local import LocalBackend
from core.engine.engine import Engine
from core.engine.messages import Command, Query
from core.engine.unit_of_work import Actor
from core.errors import RuleViolation
from core.storage.progress import NO_PROGRESS, Progress
from tests.support.app_driver import settled
from tests.support.expected_rights import Role
from tests.support.screen_cases import ASKS_WHEN_PRESSED, House
from tui.app import PodiumApp
from tui.dialogs.confirm import ConfirmDialog
from tui.dialogs.fields.inputs import DayControl, LineControl, LinesControl
from tui.dialogs.labels import LabelDialog
from tui.dialogs.menus.key_menu import KeyMenu
from tui.dialogs.menus.picker import PickDialog
from tui.keys.table import SCREENS, Key
from tui.screens.framework.screen import PodiumScreen
from tui.screens.personal.settings import SettingsScreen

MAY_ALL = Role("owner", "platform admin")
WORD = "delete"
"""What is typed wherever a line is empty; where a word has to be typed to go on, it is this one."""

MAX_DIALOGS = 4

NEEDS_MORE = {
    "canvas.filters": "a filter to keep",
    "view.filters": "as canvas.filters",
    "canvas.fold_activity": "an activity with tasks",
    "canvas.fold_phase": "nothing: the fold is saved afterwards, in the background",
    "canvas.preview": "a terminal with room for a preview",
    "view.preview": "as canvas.preview",
    "my_work.previous_status": "a card that was begun",
    "card.tick": "a check box in the description",
    "card.edit_comment": "a comment of one's own",
    "card.delete_comment": "a comment of one's own",
    "phase.tick": "a check box in objectives or outcomes",
    **dict.fromkeys(
        (f"{place}.fields" for place in ("canvas", "view", "card", "my_work")), "a project with custom fields"
    ),
    **dict.fromkeys(
        (f"timeline.{verb}" for verb in ("later", "earlier", "week_later", "week_earlier")),
        "a phase with a date; what would move is shown first, and enter sends it",
    ),
    "canvas.approve_gate": "a phase of which all is done; it asks for a DecideGate as hold does",
    "phase.approve_gate": "as canvas.approve_gate",
    "phase.policy": "a review gate; the house has automatic ones",
    "inbox.contradict": "the line of a meeting",
    "access.link_account": "a person to choose: the list of them stands within a form",
    "access.new_product_token": "a product to choose: the list of them stands within a form",
    "access.remove": "a token or an account in focus; the house has none",
    "hierarchy.move_to": "a market or brand in focus",
    "card.add_application": "an activity that holds none",
    "product.edit_role": "the cursor on a role",
    "product.remove_role": "the cursor on a role",
    "projects.restore": "an archived project",
    "projects.delete": "an archived project",
    "canvas.import_here": "a file",
    "projects.claim": "a project without an owner",
}
"""The keys that send nothing in these rooms, and what they wait for."""


class Listening(LocalBackend):
    """Hears what a screen would have carried out, and carries out nothing, so that all keys find the same."""

    heard: str = ""

    def __init__(self, engine: Engine, actor: Actor) -> None:
        super().__init__(engine, actor)
        self.codes: dict[str, set[str]] = {}
        """The permissions that messages took, by the names of the messages; they can follow from the kind of a card."""

    async def execute(self, command: Command[Any], progress: Progress = NO_PROGRESS) -> Any:
        self.heard = type(command).__name__
        needed = self.engine.read(self.actor, command.needs)
        self.codes.setdefault(self.heard, {"", *command.either}).add(needed)
        raise RuleViolation("It was heard, and not done.")

    async def execute_and_ask(self, command: Command[Any], query: Query[Any]) -> Any:
        return await self.execute(command)


@pytest.mark.slow
async def test_a_key_sends_a_message_of_the_permission_that_it_names(house: House) -> None:
    actor = house.cast.active[MAY_ALL]
    backend = Listening(house.world.engine, actor)
    app = PodiumApp(backend, house.world.ask(GetCurrentUser(), actor), SettingsScreen)
    heard: dict[tuple[str, str], str] = {}
    async with app.run_test(size=(80, 24), notifications=False) as pilot:
        for room in house.rooms:
            await app.push_screen(room.screen())
            await settled(pilot)
            for key in SCREENS[room.table].keys:
                tried = (key.id, room.code(key))
                sends = room.code(key) or key.id in ASKS_WHEN_PRESSED
                if sends and not heard.get(tried) and key.verb not in room.does_nothing.split():
                    heard[tried] = await sent_by(pilot, backend, key)
            await app.pop_screen()
    await backend.close()
    assert {tried: name for tried, name in heard.items() if name and tried[1] not in backend.codes[name]} == {}
    sending = {key_id for (key_id, _), name in heard.items() if name}
    silent = {key_id for key_id, _ in heard} - sending
    assert " ".join(sorted(silent ^ NEEDS_MORE.keys())) == ""


async def sent_by(pilot: Pilot[int], backend: Listening, key: Key) -> str:
    """The name of the message that a key ends in, when whatever it asks is answered; "" when it sends none."""
    backend.heard = ""
    screen: Screen[Any] = pilot.app.screen
    assert isinstance(screen, PodiumScreen)
    await screen.keys.run(key)
    for _ in range(MAX_DIALOGS):
        dialog = await next_dialog(pilot, backend, screen)
        if dialog is None:
            break
        await answer(pilot, dialog)
        screen = dialog
    while not isinstance(pilot.app.screen, PodiumScreen):
        pilot.app.screen.dismiss(None)
        await pilot.pause()
    return backend.heard


async def next_dialog(pilot: Pilot[int], backend: Listening, shown: Screen[Any]) -> Screen[Any] | None:
    """The dialog that opens after what is shown; None when something was heard before, or nothing more comes."""
    await settled(pilot)
    top = pilot.app.screen
    return None if backend.heard or top is shown or isinstance(top, PodiumScreen) else top


async def answer(pilot: Pilot[int], dialog: Any) -> None:
    """Take what a dialog offers: the first entry, the second of a list, a word on each empty line."""
    if isinstance(dialog, KeyMenu):
        await pilot.press(next(entry.key for entry in dialog._entries if not entry.reason))
    elif isinstance(dialog, LabelDialog):
        await pilot.press(*WORD, "enter")
    elif isinstance(dialog, PickDialog):
        await pilot.press("down", *(["space"] if dialog._multiple else []), "enter")
    else:
        for line in dialog.query(LineControl):
            if not line.value and not isinstance(line, DayControl):
                line.value = WORD
        for text in dialog.query(LinesControl):
            text.text = "Because."
        plain = isinstance(dialog, ConfirmDialog) and not dialog._typed
        await pilot.press("y" if plain else "enter" if isinstance(dialog, ConfirmDialog) else "ctrl+s")
