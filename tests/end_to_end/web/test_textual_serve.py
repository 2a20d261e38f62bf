"""``textual serve podium``: the other way into a browser, for one trusted person on their own machine."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.end_to_end.web.conftest import Place, Visit
from tests.support.system_programs import free_port, listens
from tests.support.waiting import until
from tests.support.web.gateway import alive, children

pytestmark = pytest.mark.asyncio(loop_scope="session")

SERVE = """
import sys
from textual_serve.server import Server
Server(sys.argv[1], host="127.0.0.1", port=int(sys.argv[2])).serve()
"""
"""What the command does, which is in a package for developers."""


@pytest.fixture
def served(place: Place) -> Iterator[tuple[str, int]]:
    """textual-serve's own server, over the database of the workspace: its URL, and its process."""
    port = free_port()
    podium = f"{sys.executable} -m tui --db {place.folder / 'podium.db'} --as maya"
    environ = os.environ | {"HOME": str(place.folder)}
    with subprocess.Popen(
        [sys.executable, "-c", SERVE, podium, str(port)], env=environ, stdout=subprocess.DEVNULL
    ) as it:
        assert listens(port, it)
        yield f"http://127.0.0.1:{port}", it.pid
        it.send_signal(signal.SIGKILL)


@pytest.mark.slow
async def test_podium_works_under_textual_s_own_server_and_does_not_outlive_it(
    place: Place, visit: Visit, served: tuple[str, int]
) -> None:
    url, pid = served
    card = place.world.task("Seen by one person")
    tab = await visit()
    await tab.page.route(lambda address: not address.startswith(url), lambda route: route.abort())  # its font
    await tab.page.goto(url)
    await tab.shows("Maya Okafor · workspace admin · browser")
    await tab.page.locator("#terminal").click(position={"x": 400, "y": 400})
    await tab.press("Enter")
    await tab.press("/")
    await tab.page.keyboard.type("seen by")
    await tab.press("Enter")
    await tab.shows("No matches")
    await tab.press("Shift+L")
    await until(lambda: place.world.status(card) == "IN_PROGRESS")
    started = set(children(pid))
    assert started
    os.kill(pid, signal.SIGKILL)
    await until(lambda: not any(map(alive, started)))
