"""The gateway behind a real nginx, set up as tui/web/README.md says: WebSocket, names of users, limits."""

from __future__ import annotations

import os
import pwd
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import aiohttp
import pytest

from core.server.transport.listeners import unix_socket
from tests.docs.readme import WEB
from tests.end_to_end.web.conftest import Place
from tests.support.api.gateway import AROUND
from tests.support.system_programs import free_port, listens, needs, needs_root
from tests.support.web.gateway import Visitor, gateway_here
from tui.web.proxy_auth import TrustedProxy
from tui.web.sessions import GatewayLimits

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]


@pytest.fixture
def nginx() -> Iterator[tuple[Path, int]]:
    """nginx with the block of tui/web/README.md, before a socket: the path of the socket, and the port."""
    needs_root()  # it runs as www-data, which is what the gateway has to see
    program = needs("nginx")
    folder = Path(tempfile.mkdtemp(prefix="n", dir="/tmp"))
    folder.chmod(0o755)
    port = free_port()
    (block,) = re.findall(r"```nginx\n(.*?)```", WEB.read_text(), re.DOTALL)
    block = block.replace("/run/podium-web/web.sock", f"{folder}/web").replace("$remote_user", "$http_x_test_user")
    upgrade = f"listen 127.0.0.1:{port};\n"
    (folder / "podium.conf").write_text(f"server {{ {upgrade} {block} }}")
    (folder / "nginx.conf").write_text(AROUND.format(folder=folder, user="user www-data;"))
    process = subprocess.Popen([program, "-c", str(folder / "nginx.conf"), "-e", str(folder / "error.log")])
    assert listens(port, process)
    yield folder / "web", port
    process.terminate()
    process.wait(30)
    shutil.rmtree(folder)


async def test_nginx_hands_on_terminals_and_the_name_that_it_found_out(
    place: Place, http: aiohttp.ClientSession, nginx: tuple[Path, int]
) -> None:
    path, port = nginx
    listener = unix_socket(path)
    os.chmod(path, 0o666)
    url = f"http://127.0.0.1:{port}"
    trusted = TrustedProxy(pwd.getpwnam("www-data").pw_uid, place.gateway_token())
    async with gateway_here(place.server.address, GatewayLimits(), url, listener=listener, trusted=trusted):
        visitor = Visitor(url, http)
        assert (await visitor.get("/", **{"X-Forwarded-User": "maya"})).status == 401  # what is made up is dropped
        page = await visitor.get("/", **{"X-Test-User": "vera", "X-Forwarded-User": "maya"})
        assert "Opening Podium for Vera Sato" in await page.text()
        (kept,) = page.cookies.values()
        visitor.cookie = f"{kept.key}={kept.value}"
        async with visitor.terminal(**{"X-Test-User": "vera"}) as socket:
            assert (await socket.receive()).type is aiohttp.WSMsgType.BINARY
