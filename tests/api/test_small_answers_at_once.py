"""Small answers over TCP and TLS are sent at once, in one write, and so are the requests of Podium's own client."""

from __future__ import annotations

import asyncio
import socket
from asyncio import selector_events
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from core.net.http_client import HttpClient
from core.server.run import Listener
from core.server.transport.listeners import tcp_socket
from core.server.transport.tls import Tls
from tests.support.api.gateway import make_certificate
from tests.support.api.server import ServerOfTests, token_for
from tests.support.workspace import World

TIMES = 5

REQUESTS: Mapping[str, tuple[str, str, bytes]] = {
    "health": ("GET", "/health", b""),
    "a query": ("GET", "/v1/me", b""),
    "without a body": ("HEAD", "/v1/me", b""),
    "a command": ("PUT", "/v1/me/preferences/theme", b'{"value": "nord"}'),
    "a refusal": ("GET", "/v1/nothing", b""),
}


def is_undelayed(end: socket.socket) -> bool:
    return end.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) != 0


@pytest.mark.parametrize("secure", [False, True], ids=["TCP", "TLS"])
def test_each_answer_on_a_kept_connection_is_one_write_and_neither_end_waits_for_more(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, secure: bool
) -> None:
    tls: Tls = make_certificate(tmp_path)
    listener = tcp_socket("127.0.0.1", 0)
    url = f"http{'s' * secure}://127.0.0.1:{listener.getsockname()[1]}"
    writes: list[int] = []
    monkeypatch.setattr(selector_events._SelectorSocketTransport, "write", counted(writes, listener.getsockname()))  # type: ignore[attr-defined]
    headers = {"Authorization": f"Bearer {token_for(world, world.maya)}", "Content-Type": "application/json"}
    monkeypatch.setenv("SSL_CERT_FILE", str(tls.certificate))

    async def ask(server: ServerOfTests) -> dict[str, int]:
        client, found = HttpClient(secure=secure), {}
        try:
            await client.fetch("GET", url + "/health", {}, b"", 10)
            for name, (method, path, content) in REQUESTS.items():
                writes.clear()
                for _ in range(TIMES):
                    await client.fetch(method, url + path, headers, content, 10)
                found[name] = len(writes)
            (connection,) = client._client._transport._pool.connections  # type: ignore[union-attr]
            assert is_undelayed(connection._connection._network_stream.get_extra_info("socket"))
            (served,) = server.serving._servers[-1].server_state.connections
            assert is_undelayed(served.transport.get_extra_info("socket"))
        finally:
            await client.close()
        return found

    with ServerOfTests(world, others=[Listener(listener, tls if secure else None)]) as server:
        assert asyncio.run(ask(server)) == dict.fromkeys(REQUESTS, TIMES)


def counted(writes: list[int], address: tuple[str, int]) -> Any:
    """The method that writes to a socket, which notes what the server sends from this address."""
    write = selector_events._SelectorSocketTransport.write  # type: ignore[attr-defined]

    def noted(transport: asyncio.Transport, data: bytes) -> None:
        if data and transport.get_extra_info("sockname") == address:
            writes.append(len(data))
        write(transport, data)

    return noted
