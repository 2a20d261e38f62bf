"""Clients of TLS that never finish saying hello, or goodbye."""

from __future__ import annotations

import contextlib
import socket
import ssl
import subprocess
from pathlib import Path

import pytest

from core.server import limits
from core.server.listening import tcp_socket
from core.server.serving import Listener
from core.server.tls import Tls
from tests.api.gateway import CERTIFICATE
from tests.api.raw import ended, request, within
from tests.api.server import ServerOfTests, token_for
from tests.programs import needs
from tests.world import World


@pytest.fixture
def tls(tmp_path: Path) -> Tls:
    tls = Tls(tmp_path / "certificate.pem", tmp_path / "key.pem")
    made = [needs("openssl"), *CERTIFICATE.split(), "-out", str(tls.certificate), "-keyout", str(tls.key)]
    subprocess.run(made, check=True, capture_output=True)
    return tls


def test_half_open_tls_is_closed_and_others_are_served(world: World, tls: Tls, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "HEAD_SECONDS", 0.7)
    monkeypatch.setattr(limits, "LINGER_SECONDS", 0.3)
    listener = tcp_socket("127.0.0.1", 0)
    address = listener.getsockname()
    context = ssl.create_default_context(cafile=str(tls.certificate))
    with ServerOfTests(world, others=[Listener(listener, tls)]) as server, contextlib.ExitStack() as stack:

        def connected() -> socket.socket:
            return stack.enter_context(socket.create_connection(address, timeout=10))

        def greeted() -> ssl.SSLSocket:
            return stack.enter_context(context.wrap_socket(connected(), server_hostname="127.0.0.1"))

        silent, quiet, deaf, client = [connected() for _ in range(20)], greeted(), greeted(), greeted()
        deaf.sendall(b"hello\r\n\r\n")
        client.sendall(request("/v1/me", token_for(world, world.maya)))
        assert client.recv(65536).startswith(b"HTTP/1.1 200")
        assert all(ended(each) for each in [*silent, quiet])
        connections = server.serving._servers[-1].server_state.connections
        assert within(5, lambda: len(connections) == 1)  # that of the good one
