"""Opening a URL in the person's browser. The file is also the little program that does it.

Out of our process, without our terminal and without our settings: a browser writes messages to its terminal, a text
browser would draw on top of our screen, and either may go on for hours.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import webbrowser

SECONDS = 4
"""After which a browser that still runs counts as opened."""


def has_desktop() -> bool:
    """Whether a browser would have somewhere to show itself."""
    return sys.platform != "linux" or "DISPLAY" in os.environ or "WAYLAND_DISPLAY" in os.environ


def open_in_browser(url: str) -> bool:
    """Open the URL, whose scheme has been checked; whether a browser took it. Blocks, for some seconds at most."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith("PODIUM_")}
    try:
        opener = subprocess.run(  # noqa: S603 (an argument vector, and an address that was checked)
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
