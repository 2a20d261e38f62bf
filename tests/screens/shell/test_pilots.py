"""The pilots of tests: a key is over when its handler is, and a style sheet is parsed once for all of them."""

from __future__ import annotations

import asyncio
import threading
from typing import Any, ClassVar

import pytest
from textual.app import App
from textual.binding import BindingType
from textual.css.stylesheet import Stylesheet

from tests.support import parsed_once
from tests.support.app_driver import settled


class Asking(App[None]):
    """An application with a key whose handler waits for an answer from another thread, as from a server."""

    BINDINGS: ClassVar[list[BindingType]] = [("a", "ask", "Ask")]
    CSS = "Screen { background: $primary; }"

    answered = False

    async def action_ask(self) -> None:
        loop, answer = asyncio.get_running_loop(), asyncio.Event()
        threading.Timer(0.2, lambda: loop.call_soon_threadsafe(answer.set)).start()
        await answer.wait()
        self.answered = True


async def test_a_key_is_over_only_when_its_handler_is() -> None:
    app = Asking()
    async with app.run_test() as pilot:
        await pilot.press("a")
        assert app.answered


async def test_what_waits_for_nothing_is_at_rest_at_once() -> None:
    async with Asking().run_test() as pilot:
        await settled(pilot)
        assert pilot.app.is_running


async def test_a_style_sheet_is_parsed_once_for_the_same_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []
    parse = parsed_once._parse

    def counted(self: Stylesheet, css: str, *source: Any, **options: Any) -> object:
        parsed.append(css)
        return parse(self, css, *source, **options)

    monkeypatch.setattr(parsed_once, "_parse", counted)
    monkeypatch.setattr(parsed_once, "_parsed", {})
    monkeypatch.setattr(parsed_once, "_of_last", ({}, {}))

    async def background(theme: str) -> str:
        app = Asking()
        app.theme = theme
        async with app.run_test():
            return app.screen.styles.background.hex

    dark = await background("textual-dark")
    assert Asking.CSS in parsed
    parsed.clear()
    assert await background("textual-dark") == dark
    assert parsed == []
    assert await background("dracula") != dark
    assert Asking.CSS in parsed
