"""A real server for tests: uvicorn in a thread on a Unix socket, and on a loopback port where asked, over a ``World``.

Use it as a context, or through the fixture ``server``. ``server.client(world.bob)`` is an HTTP client that has a token
of Bob's; ``server.as_account()`` is one without, whom the kernel vouches for.
"""

from __future__ import annotations

import asyncio
import os
import pwd
import secrets
import shutil
import tempfile
import threading
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import uvicorn.server

from core.actions.products.tokens import CreateProductToken
from core.actions.workspace.gateway_tokens import CreateGatewayToken
from core.domain.credentials import LinkedAccount, Token, token_hash
from core.domain.products.products import Product
from core.engine.unit_of_work import Actor, new_id
from core.net.this_host import host_id
from core.server.run import Listener, ServerProcess
from core.server.transport.listeners import tcp_socket, unix_socket
from tests.support.workspace import World

STARTS_WITHIN = 40.0
"""Seconds."""

ENDS_WITHIN = 30.0
"""Seconds: a test that would wait for ever fails instead."""


def token_for(world: World, actor: Actor, *, days: float = 1, secret: str = "") -> str:
    """A new token of a person's, as it is sent."""
    secret = secret or secrets.token_urlsafe(32)
    now = world.engine.clock()
    world.insert(
        Token(
            id=new_id(),
            user_id=actor.user_id,
            label="tests",
            hash=token_hash(secret),
            created_at=now,
            expires_at=now + timedelta(days=days),
        )
    )
    return secret


def link_account(world: World, actor: Actor, uid: int | None = None) -> None:
    """Let an account of this machine in as a person, by default the one that runs the tests."""
    number = os.getuid() if uid is None else uid
    linked_account = LinkedAccount(
        host=host_id(), os_user=pwd.getpwuid(number).pw_name, uid=number, user_id=actor.user_id, at=world.engine.clock()
    )
    world.insert(linked_account)


def token_of(world: World, product: Product, *, days: int = 1) -> str:
    """A new token of a product, as it is sent."""
    return world.do(CreateProductToken(product_id=product.id, label="tests", days=days)).secret


class _ShorterTicks:
    """``asyncio`` as ``uvicorn.server`` uses it, ten times faster: the end of a server is 0.2 s of its ticks else."""

    running = 0
    """How many servers there are now."""

    def __getattr__(self, name: str) -> Any:
        return getattr(asyncio, name)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds / 10)

    def begin(self) -> None:
        """Hold from now on, until as many servers have ended as began."""
        self.running += 1
        uvicorn.server.asyncio = self  # type: ignore[assignment,attr-defined]

    def end(self) -> None:
        """One server has ended."""
        self.running -= 1
        if not self.running:
            uvicorn.server.asyncio = asyncio  # type: ignore[attr-defined]


_ticks = _ShorterTicks()


class ServerOfTests:
    """The server, and who talks to it."""

    def __init__(
        self,
        world: World,
        *,
        port: bool = False,
        socket_mode: int = 0o600,
        others: Sequence[Listener] = (),
        public_url: str = "",
    ) -> None:
        self.world = world
        self._folder = Path(tempfile.mkdtemp(prefix="p", dir="/tmp"))  # the path of a socket must be short
        self.path = self._folder / "s"
        listeners = [Listener(unix_socket(self.path, socket_mode))]
        self.url = ""
        """Of the loopback port, where there is one."""
        if port:
            listeners.append(Listener(tcp_socket("127.0.0.1", 0)))
            self.url = f"http://127.0.0.1:{listeners[1].socket.getsockname()[1]}"
        self.serving = ServerProcess(world.engine, [*listeners, *others], public_url)
        self._thread = threading.Thread(target=lambda: asyncio.run(self.serving.run()), name="server", daemon=True)
        self._clients: list[httpx.Client] = []

    @property
    def address(self) -> str:
        """The address for ``--server``."""
        return f"unix:{self.path}"

    def __enter__(self) -> ServerOfTests:
        _ticks.begin()
        self._thread.start()
        assert self.serving.ready.wait(STARTS_WITHIN), "The server does not start."
        return self

    def __exit__(self, *_: object) -> None:
        for client in self._clients:
            client.close()
        self.serving.stop()
        self._thread.join(ENDS_WITHIN)
        shutil.rmtree(self._folder)
        _ticks.end()
        assert not self._thread.is_alive(), "The server does not end."

    @property
    def connections(self) -> int:
        """The number of connections that the server has taken and not closed."""
        return sum(len(each.server_state.connections) for each in self.serving._servers)

    def client(self, actor: Actor | None = None, *, over_tcp: bool = False) -> httpx.Client:
        """A client that sends a new token of this person, by default Maya."""
        token = token_for(self.world, actor or self.world.maya)
        return self._kept(over_tcp, {"Authorization": f"Bearer {token}"})

    def as_product(self, product: Product) -> httpx.Client:
        """A product that sends a new token of its own."""
        return self._kept(False, {"Authorization": f"Bearer {token_of(self.world, product)}"})

    def as_gateway(self) -> httpx.Client:
        """A gateway that sends a new token of its own."""
        secret = self.world.do(CreateGatewayToken(label="Web")).secret
        return self._kept(False, {"Authorization": f"Bearer {secret}"})

    def as_account(self) -> httpx.Client:
        """A client without a token: the account that runs the tests, which ``link_account`` links."""
        return self._kept(False, {})

    def stranger(self, *, over_tcp: bool = False) -> httpx.Client:
        """A client with a token that was never given out."""
        return self._kept(over_tcp, {"Authorization": "Bearer no-token-of-ours"})

    def _kept(self, over_tcp: bool, headers: dict[str, str]) -> httpx.Client:
        over = None if over_tcp else str(self.path)
        transport = httpx.HTTPTransport(uds=over, verify=False)  # nothing is encrypted: reading certificates takes long
        client = httpx.Client(
            transport=transport,
            base_url=self.url or "http://podium",
            headers=headers,
            timeout=30,
        )
        self._clients.append(client)
        return client
