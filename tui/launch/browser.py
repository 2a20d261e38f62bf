"""Opening a URL in the user's browser. This file is also the small program that does it.

It runs as a separate process without our terminal and settings, because a browser writes messages to its terminal, a
text browser would draw over our screen, and both can run for hours.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import webbrowser

SECONDS = 4
"""Seconds after which a browser that still runs counts as opened."""


def has_desktop() -> bool:
    """True if this machine has a desktop for a browser."""
    return sys.platform != "linux" or "DISPLAY" in os.environ or "WAYLAND_DISPLAY" in os.environ


def can_open_browser(via: str) -> bool:
    """True if a browser that is opened here is visible to the user; over SSH it would open on the host."""
    return via == "browser" or (via == "local" and has_desktop())


def open_in_browser(url: str) -> bool:
    """Open a URL, whose scheme the caller has checked. Return False without a browser. Blocks for at most SECONDS."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith("PODIUM_")}
    try:
        opener = subprocess.run(  # noqa: S603 (an argument vector without a shell, and a checked URL)
            [sys.executable, "-I", __file__, url],
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            check=False,
        )
    except OSError:
        return False
    return opener.returncode == 0


def _open(url: str) -> bool:
    taken: list[bool] = []
    opening = threading.Thread(target=lambda: taken.append(webbrowser.open(url)), daemon=True)
    opening.start()
    opening.join(SECONDS)
    return opening.is_alive() or taken == [True]


if __name__ == "__main__":
    os._exit(0 if _open(sys.argv[1]) else 1)
