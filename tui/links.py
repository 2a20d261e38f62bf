"""Opening what a card links to: http and https only, and only where there is a browser to see it in."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from core.text import link

if TYPE_CHECKING:
    from tui.app import PodiumApp


def open_link(app: PodiumApp, url: str) -> None:
    """Open the link, or copy and show it where a browser would open on another machine, or inside this terminal.

    Raises InvalidInput for a link of any other kind, which only another program can have stored.
    """
    url = link(url)
    if app.via == "browser" or (app.via == "local" and _has_desktop()):
        app.open_url(url)
        app.tell(f"Opened {url}")
    else:
        app.copy_to_clipboard(url)
        app.tell(f"Copied the link: {url}")


def _has_desktop() -> bool:
    """Without one Python's ``webbrowser`` starts a text browser on top of our screen."""
    return sys.platform != "linux" or "DISPLAY" in os.environ or "WAYLAND_DISPLAY" in os.environ
