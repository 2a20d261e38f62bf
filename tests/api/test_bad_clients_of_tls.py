"""Clients of TLS that never finish saying hello, or goodbye."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from core.net.http_client import HttpClient, HttpError
from core.server.requests.bounds import limits
from core.server.run import Listener
from core.server.transport.listeners import tcp_socket
from core.server.transport.tls import Tls
from tests.support.api.gateway import make_certificate
from tests.support.api.raw import ended, exchange, request
from tests.support.api.server import ServerOfTests, token_for
from tests.support.waiting import wait_until
from tests.support.workspace import World


@pytest.fixture
def tls(tmp_path: Path) -> Tls:
    return make_certificate(tmp_path)


def test_half_open_tls_is_closed_and_others_are_served(world: World, tls: Tls, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "HEAD_SECONDS", 0.7)
    monkeypatch.setattr(limits, "LINGER_SECONDS", 0.3)
    listener = tcp_socket("127.0.0.1", 0)
    address = listener.getsockname()
    context = ssl.create_default_context(cafile=str(tls.certificate))
    with ServerOfTests(world, others=[Listener(listener, tls)]) as server, contextlib.ExitStack() as stack:

        def connected() -> socket.socket:
            return stack.enter_context(socket.create_connection(address, timeout=30))

        def greeted() -> ssl.SSLSocket:
            return stack.enter_context(context.wrap_socket(connected(), server_hostname="127.0.0.1"))

        silent, quiet, deaf, client = [connected() for _ in range(20)], greeted(), greeted(), greeted()
        deaf.sendall(b"hello\r\n\r\n")
        client.sendall(request("/v1/me", token_for(world, world.maya)))
        assert client.recv(65536).startswith(b"HTTP/1.1 200")
        assert all(ended(each) for each in [*silent, quiet])
        connections = server.serving._servers[-1].server_state.connections
        wait_until(lambda: len(connections) == 1)  # that of the good one


SUITES = {"ECDHE-ECDSA-AES256-GCM-SHA384": True, "ECDHE-ECDSA-CHACHA20-POLY1305": True, "ECDHE-ECDSA-AES128-SHA": False,
          "ECDHE-ECDSA-AES128-SHA256": False, "AES128-GCM-SHA256": False, "AES256-SHA": False}  # fmt: skip
"""Of TLS 1.2, and whether they are spoken: those that authenticate what they hide, with a key of their own."""


def only(suite: str, context: ssl.SSLContext) -> ssl.SSLContext:
    """A context that speaks nothing else."""
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers(f"{suite}:@SECLEVEL=0")
    return context


@pytest.mark.parametrize(("suite", "is_spoken"), SUITES.items())
def test_only_suites_with_forward_secrecy_are_spoken(world: World, tls: Tls, suite: str, is_spoken: bool) -> None:
    listener = tcp_socket("127.0.0.1", 0)
    context = only(suite, ssl.create_default_context(cafile=str(tls.certificate)))
    with (
        ServerOfTests(world, others=[Listener(listener, tls)]),
        socket.create_connection(listener.getsockname()) as made,
        contextlib.nullcontext() if is_spoken else pytest.raises((ssl.SSLError, ConnectionError)),
        context.wrap_socket(made, server_hostname="127.0.0.1") as greeted,
    ):
        assert (greeted.cipher() or ("",))[0] == suite
        greeted.sendall(request("/v1/me", token_for(world, world.maya)))
        assert greeted.recv(65536).startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize(("suite", "is_spoken"), SUITES.items())
def test_a_client_speaks_no_other_suites_either(
    tls: Tls, suite: str, is_spoken: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The client refuses them even if a server offers nothing else."""
    monkeypatch.setenv("SSL_CERT_FILE", str(tls.certificate))
    context = only(suite, ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER))
    context.load_cert_chain(tls.certificate, tls.key)
    with socket.create_server(("127.0.0.1", 0)) as listener, ThreadPoolExecutor(1) as pool:

        def serve() -> None:
            made, _ = listener.accept()
            with contextlib.suppress(OSError), made, context.wrap_socket(made, server_side=True) as greeted:
                greeted.recv(65536)
                greeted.sendall(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")

        served = pool.submit(serve)
        asked = HttpClient(secure=True).fetch("GET", f"https://127.0.0.1:{listener.getsockname()[1]}/", {}, b"", 20)
        if is_spoken:
            assert asyncio.run(asked).status == 204
        else:
            with pytest.raises(HttpError):
                asyncio.run(asked)
        served.result(20)


def test_all_that_is_answered_by_tls_says_to_come_back_so_and_nothing_else_does(world: World, tls: Tls) -> None:
    listener = tcp_socket("127.0.0.1", 0)
    context = ssl.create_default_context(cafile=str(tls.certificate))
    with ServerOfTests(world, others=[Listener(listener, tls)], port=True) as server:
        for sent in (request("/health"), request("/v1/me"), request("/nothing"), b"hello\r\n\r\n"):
            with (
                socket.create_connection(listener.getsockname()) as made,
                context.wrap_socket(made, server_hostname="127.0.0.1") as greeted,
            ):
                greeted.sendall(sent)
                assert b"strict-transport-security: max-age=31536000\r\n" in greeted.recv(65536).lower()
            assert "strict-transport-security" not in exchange(server, sent, over_tcp=True).headers
