"""``podium web`` as a process of its own, and a visitor who speaks to it without a browser."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import aiohttp

from core.net.server_address import server_address
from core.server.transport.tls import Tls
from tests.support.api.program import of_process, target
from tests.support.system_programs import free_port, listens
from tests.support.waiting import PATIENCE
from tui.web.gateway import Gateway
from tui.web.proxy_auth import TrustedProxy
from tui.web.run import accept_connections
from tui.web.sessions import GatewayLimits


class GatewayProgram:
    """The gateway before a server, on a loopback port of its own."""

    def __init__(self, server: str, folder: Path, *options: str) -> None:
        self.port = free_port()
        self.url = f"http{'s' * ('--tls-cert' in options)}://127.0.0.1:{self.port}"
        self._log = folder / f"gateway-{self.port}.log"
        command = [sys.executable, "-m", "tui", "web", "--server", server, "--port", str(self.port), *options]
        with self._log.open("wb") as output:
            self._process = subprocess.Popen(
                command, stdout=output, stderr=output, env=os.environ | {"HOME": str(folder)} | OF_THE_HOST
            )

    def __enter__(self) -> GatewayProgram:
        assert listens(self.port, self._process), f"The gateway does not start: {self.written()}"
        return self

    def __exit__(self, *_: object) -> None:
        self.stop(signal.SIGKILL)

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Send it a signal and wait for its end; the status it ends with."""
        if self._process.poll() is None:
            self._process.send_signal(number)
        return self._process.wait(PATIENCE)

    def memory(self) -> int:
        """The memory that it has now, in bytes; of its Podiums nothing is counted."""
        return of_process(self._process.pid, "VmRSS")

    def written(self) -> str:
        """All that it wrote."""
        return self._log.read_text()

    def log(self, event: str) -> list[dict[str, Any]]:
        """The lines about this event."""
        return [line for line in map(json.loads, self.written().splitlines()) if line["event"] == event]

    def sockets(self) -> int:
        """The number of its open sockets."""
        return sum("socket:" in target(each) for each in Path(f"/proc/{self._process.pid}/fd").iterdir())

    def podiums(self) -> set[int]:
        """The processes that it started and that live."""
        return set(children(self._process.pid))


def children(pid: int) -> Iterator[int]:
    """The processes that live below one."""
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            below = path.read_text().split()
        except OSError:  # a thread, or the process itself, has just ended
            continue
        for each in map(int, below):
            if alive(each):
                yield each
                yield from children(each)


OF_THE_HOST = {"A_SECRET": "of the host", "EDITOR": "vim", "VISUAL": "vim"}
"""Variables of the account that runs the gateway, which are not for users."""


def alive(pid: int) -> bool:
    """True if a process exists and is not a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@contextlib.asynccontextmanager
async def gateway_here(
    server: str,
    limits: GatewayLimits,
    origin: str = "",
    listener: socket.socket | None = None,
    trusted: TrustedProxy | None = None,
    tls: Tls | None = None,
) -> AsyncIterator[str]:
    """A gateway in this process, with limits that no command line would set; its URL, on a port unless told."""
    listener = listener or socket.create_server(("127.0.0.1", 0))
    url = f"http{'s' * bool(tls)}://127.0.0.1:{listener.getsockname()[1]}" if listener.family == socket.AF_INET else ""
    gateway = Gateway(server_address(server), frozenset({origin or url}), limits, {}, trusted)
    async with accept_connections(gateway, listener, tls):
        yield url


class Visitor:
    """Sends requests as a browser would, or as it would not."""

    def __init__(self, url: str, http: aiohttp.ClientSession, origin: str = "") -> None:
        self.url = url
        self.http = http
        self.origin = origin or url
        self.cookie = ""

    async def get(self, path: str, **headers: str) -> aiohttp.ClientResponse:
        sent = {"Cookie": self.cookie} | headers
        async with self.http.get(self.url + path, headers=sent, allow_redirects=False) as response:
            await response.read()
        return response

    async def post(self, path: str, **fields: str) -> aiohttp.ClientResponse:
        headers = {"Origin": self.origin, "Cookie": self.cookie}
        async with self.http.post(self.url + path, data=fields, headers=headers, allow_redirects=False) as response:
            await response.read()
        return response

    async def sign_in(self, token: str) -> aiohttp.ClientResponse:
        """Send the form; the cookie is kept."""
        response = await self.post("/sign-in", token=token)
        for cookie in response.cookies.values():
            self.cookie = f"{cookie.key}={cookie.value}"
        return response

    @contextlib.asynccontextmanager
    async def terminal(self, **headers: str) -> AsyncIterator[aiohttp.ClientWebSocketResponse]:
        """The WebSocket of a tab."""
        sent = {"Origin": self.origin, "Cookie": self.cookie} | headers
        async with self.http.ws_connect(f"{self.url}/ws?width=100&height=30", headers=sent) as socket:
            yield socket

    @staticmethod
    async def ended(socket: aiohttp.ClientWebSocketResponse, seconds: float = 40) -> tuple[int | None, str]:
        """Read until the gateway closes it: the code, and why in words."""
        deadline = time.monotonic() + seconds
        while True:
            message = await socket.receive(timeout=max(0.1, deadline - time.monotonic()))
            if message.type is aiohttp.WSMsgType.CLOSE:
                return message.data, message.extra or ""
            if message.type in (aiohttp.WSMsgType.CLOSED, aiohttp.WSMsgType.ERROR):
                return socket.close_code, ""
