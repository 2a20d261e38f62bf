"""Opening links, only of http and https; without a browser for the user, the link is copied."""

from __future__ import annotations

import asyncio
from functools import partial

from core.text.sanitize import link
from tui.launch.browser import can_open_browser, open_in_browser
from tui.podium import Podium
from tui.terminal.workers import start_worker


def open_link(app: Podium, url: str) -> None:
    """Open the link of a card, or copy and show it if the user would not see the browser.

    Raises InvalidInput for other kinds of links, which only another program can have stored.
    """
    start_worker(app, partial(_open_link, app, link(url)))


async def _open_link(app: Podium, url: str) -> None:
    app.toast(f"Opened {url}" if await open_or_copy(app, url) else f"Copied the link: {url}")


async def open_or_copy(app: Podium, url: str) -> bool:
    """Open a checked URL, or copy it. Return True if it was opened."""
    if app.via == "browser":
        app.open_url(url)
        return True
    if can_open_browser(app.via) and await asyncio.to_thread(open_in_browser, url):
        return True
    app.copy_to_clipboard(url)
    return False
