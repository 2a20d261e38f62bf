"""Opening links: http and https only, and only where there is a browser to see them in."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from core.text.sanitize import link
from tui.launch.browser import has_desktop, open_in_browser

if TYPE_CHECKING:
    from tui.services.host import Host


def can_open_browser(via: str) -> bool:
    """Whether a browser that is opened here is one that the person sees: over SSH it would be the host's."""
    return via == "browser" or (via == "local" and has_desktop())


def open_link(app: Host, url: str) -> None:
    """Open what a card links to, or copy and show it where nobody would see the browser.

    Raises InvalidInput for a link of any other kind, which only another program can have stored.
    """
    app.run_worker(_open_link(app, link(url)))


async def _open_link(app: Host, url: str) -> None:
    app.tell(f"Opened {url}" if await open_or_copy(app, url) else f"Copied the link: {url}")


async def open_or_copy(app: Host, url: str) -> bool:
    """Open a URL that has been checked; whether it was opened, and else it is on the clipboard."""
    if app.via == "browser":
        app.open_url(url)
        return True
    if can_open_browser(app.via) and await asyncio.to_thread(open_in_browser, url):
        return True
    app.copy_to_clipboard(url)
    return False
