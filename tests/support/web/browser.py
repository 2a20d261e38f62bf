"""A tab of the real Chromium, and what its terminal shows."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

from playwright.async_api import Page

from tests.support.terminal.screen import Screen
from tests.support.terminal.session import PATIENCE, NotShown


class BrowserTab:
    """A page whose terminal can be read: what comes over its WebSocket is fed to a second terminal."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.screen = Screen(80, 24)
        self.requests: list[str] = []
        self.problems: list[str] = []
        page.on("websocket", self._watch)
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("pageerror", lambda error: self.problems.append(str(error)))

    def _watch(self, socket: Any) -> None:
        self.requests.append(socket.url)
        socket.on("framesent", self._sent)
        socket.on("framereceived", self._received)

    def _sent(self, payload: str | bytes) -> None:
        kind, *about = json.loads(payload)
        if kind == "resize" and (about[0]["width"], about[0]["height"]) != (self.screen.cols, self.screen.rows):
            self.screen = Screen(about[0]["width"], about[0]["height"])

    def _received(self, payload: str | bytes) -> None:
        if isinstance(payload, bytes):
            self.screen.feed(payload)

    async def sign_in(self, url: str, token: str) -> None:
        """Come to the gateway and type a token, as people do."""
        await self.page.goto(url)
        await self.page.get_by_label("Your token").fill(token)
        await self.page.keyboard.press("Enter")

    async def press(self, *keys: str) -> None:
        """Press keys, whatever has the focus."""
        for key in keys:
            await self.page.keyboard.press(key)

    async def shows(self, text: str) -> None:
        """Wait until a text is on the terminal's screen."""
        give_up = time.monotonic() + PATIENCE
        while text not in self.screen.text:
            if time.monotonic() > give_up:
                page = await self.page.locator("body").inner_text()
                raise NotShown(f"{text!r} is not shown:\n{self.screen.text}\nThe page says: {page}")
            await asyncio.sleep(0.02)

    async def ended(self) -> str:
        """Wait until the page says that the session ended; why, in its words."""
        await self.page.get_by_role("dialog", name="Session ended").wait_for()
        return await self.page.locator("#ended-why").inner_text()
