"""The queue of keys, in an app whose screens handle a key for as long as a test wants."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from textual import events
from textual.app import ComposeResult
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Input

from tests.support.app_driver import post_keys
from tests.support.waiting import until
from tui.terminal.key_queue import KeyHandled
from tui.terminal.terminal_app import TerminalApp


class SlowScreen(Screen[None]):
    """Takes each key, and has handled it when ``may_end`` is set. ``n`` and enter in the field open ``dialog``."""

    def __init__(self, dialog: SlowScreen | None = None, *, has_field: bool = False) -> None:
        super().__init__()
        self.keys: list[str] = []
        self.may_end = asyncio.Event()
        self.dialog = dialog
        self.has_field = has_field

    def compose(self) -> ComposeResult:
        if self.has_field:
            yield Input()

    async def on_key(self, event: events.Key) -> None:
        if event.key == "enter":  # it comes here after the field
            return
        self.keys.append(event.key)
        await self.may_end.wait()
        if event.key == "n" and self.dialog:
            self.app.push_screen(self.dialog)

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        self.keys.append(f"submitted {event.value}")
        await self.may_end.wait()
        if self.dialog:
            self.app.push_screen(self.dialog)


class CountingApp(TerminalApp[None]):
    followed = 0
    """The number of messages that the queue has sent after keys."""

    def on_key_handled(self, _: KeyHandled) -> None:  # Textual calls the handler of the base too
        self.followed += 1


def followed_in(pilot: Pilot[None]) -> int:
    assert isinstance(pilot.app, CountingApp)
    return pilot.app.followed


@asynccontextmanager
async def opened(screen: SlowScreen) -> AsyncIterator[Pilot[None]]:
    """An app with this screen. At the end all keys are handled, so that it can close."""
    app = CountingApp()
    async with app.run_test() as pilot:
        await app.push_screen(screen)
        try:
            yield pilot
        finally:
            for each in (screen, screen.dialog):
                if each is not None:
                    each.may_end.set()


async def turns_of_the_loop() -> None:
    """As many as a key needs to reach a widget, several times over."""
    for _ in range(50):
        await asyncio.sleep(0)


async def test_the_screen_takes_the_key_where_nothing_has_the_focus_and_the_next_key_waits_for_it() -> None:
    dialog = SlowScreen()
    screen = SlowScreen(dialog)
    async with opened(screen) as pilot:
        assert pilot.app.focused is None
        post_keys(pilot, "n", "b")
        await until(lambda: screen.keys)
        await turns_of_the_loop()
        assert (screen.keys, dialog.keys) == (["n"], [])
        screen.may_end.set()
        await until(lambda: dialog.keys)
        assert (screen.keys, dialog.keys) == (["n"], ["b"])


async def test_what_a_field_posts_because_of_a_key_is_handled_before_the_next_key() -> None:
    dialog = SlowScreen()
    screen = SlowScreen(dialog, has_field=True)
    async with opened(screen) as pilot:
        post_keys(pilot, "enter", "b")
        await until(lambda: screen.keys)
        await turns_of_the_loop()
        assert screen.query_one(Input).value == ""
        screen.may_end.set()
        await until(lambda: dialog.keys)
        assert screen.keys == ["submitted "]
        assert dialog.keys == ["b"]
        assert screen.query_one(Input).value == ""


async def test_keys_for_a_screen_on_top_do_not_wait_for_a_key_that_the_screen_below_still_handles() -> None:
    screen, above = SlowScreen(), SlowScreen()
    above.may_end.set()
    async with opened(screen) as pilot:
        post_keys(pilot, "a")
        await until(lambda: screen.keys)
        await pilot.app.push_screen(above)
        post_keys(pilot, "c")
        await until(lambda: above.keys)
        assert (screen.keys, above.keys) == (["a"], ["c"])
        assert not screen.may_end.is_set()


async def test_nothing_is_sent_after_a_key_that_no_other_key_waits_for() -> None:
    screen = SlowScreen()
    screen.may_end.set()
    async with opened(screen) as pilot:
        for number, key in enumerate("abc", 1):
            post_keys(pilot, key)
            await until(lambda number=number: len(screen.keys) == number)
            await turns_of_the_loop()
        assert followed_in(pilot) == 0
        screen.may_end.clear()
        post_keys(pilot, "d", "e")
        await until(lambda: screen.keys[-1] == "d")
        await turns_of_the_loop()
        screen.may_end.set()
        await until(lambda: screen.keys == [*"abcde"])
        assert followed_in(pilot) > 0


def test_after_the_last_screen_has_closed_a_key_goes_nowhere_unless_it_quits() -> None:
    app = CountingApp()
    assert app.screen_stack == []
    assert not app.type_ahead.may_pass(events.Key("a", "a"))
    assert app.type_ahead.may_pass(events.Key("ctrl+q", None))
