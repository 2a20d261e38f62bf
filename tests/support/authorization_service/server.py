"""The server: uvicorn's protocol on a loop of its own in a thread, so that a test can talk to it and change it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, MutableMapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from uvicorn import Config as ServerConfig
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from core.authorization.remote_source import RemotePermissions
from core.domain.permissions import ADDED_CODES
from core.net.bearer_tokens import BearerToken
from core.storage.database import Database
from tests.support.authorization_service import faults
from tests.support.authorization_service.holdings import Holdings
from tests.support.waiting import PATIENCE

T = TypeVar("T")

PATHS = ("/api/v20/users/permissions/query", "/api/v20/users/query")
"""Of production and of staging."""

_ALWAYS = "/always/"
TOKEN = "a-token-of-the-tests"
"""What ``Service.environment`` gives to clients; any other is taken too, unless ``Service.token`` is set."""


@dataclass(frozen=True)
class Received:
    """A question as it came in."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    at: float
    """When, on the monotonic clock."""

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def filters(self) -> dict[str, Any]:
        return dict(self.json["filters"])


class _Protocol(H11Protocol):
    """uvicorn's, which lets the application at its connection: to send what no server should."""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self.app_state = {**self.app_state, "transport": transport}


class Service:
    """The stand-in. Use it as a context, or through the fixture ``service``."""

    def __init__(self, port: int = 0, certificate: Path | None = None) -> None:
        self.holdings = Holdings()
        self.requests: list[Received] = []
        """Every question, in the order in which they came."""
        self.delay = 0.0
        """Seconds before each answer."""
        self.token: str | None = None
        """The only bearer token that is let in, when set."""
        self.refused_codes: frozenset[str] = frozenset()
        """Codes that the service does not know: a question with one of them is a bad request."""
        self.together = 0
        """The most questions that were being answered at one time."""
        self._open = 0
        self._answering = asyncio.Event()
        self._answering.set()
        self._sources: list[RemotePermissions] = []
        self._fault: str | None = None
        self._times: int | None = None
        self._reserved = _bound(port)  # keeps the port while nobody listens on it
        self._deaf = _bound(0)
        self.port: int = self._reserved.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}" if certificate is None else f"https://localhost:{self.port}"
        self._tls = _tls(certificate) if certificate else None
        self.grant = self.holdings.grant
        self.revoke = self.holdings.revoke
        self._state = ServerState()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="stand-in service", daemon=True)
        self._listener: asyncio.Server | None = None
        self._config = ServerConfig(
            self._app, interface="asgi3", lifespan="off", log_config=None, access_log=False, proxy_headers=False
        )
        self._config.load()

    def __enter__(self) -> Service:
        self._thread.start()
        self._run(self._listen)
        return self

    def __exit__(self, *_: object) -> None:
        for source in self._sources:
            source.close()
        self._run(self._refuse)
        self._run(self._end_tasks)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        self._reserved.close()
        self._deaf.close()

    @property
    def asked(self) -> int:
        """The number of questions without an answer at this moment."""
        return self._open

    def url_of(self, fault: str) -> str:
        """An address at which the service always misbehaves in this way, so that many ways can be tried at once."""
        if fault == faults.REFUSED:
            return f"http://127.0.0.1:{self._deaf.getsockname()[1]}"
        return f"{self.url}{_ALWAYS}{faults.ALL.index(fault)}"

    @property
    def environment(self) -> dict[str, str]:
        """The variables that point ``podium`` here."""
        return {"PODIUM_AUTH_URL": self.url, "PODIUM_AUTH_TOKEN": TOKEN}

    def source(self, name: str = "remote", url: str = "", **settings: Any) -> RemotePermissions:
        """The remote source, pointed here; ``settings`` are its ``deadline``, ``max_age``, ``codes`` and ``clock``.

        Unless they are given, no answer misses its deadline, and it knows that the service knows every code. It is
        closed with the service at the latest.
        """
        own: dict[str, Any] = {"deadline": PATIENCE, "codes": ADDED_CODES} | settings
        source = RemotePermissions(name, url or self.url, lambda: BearerToken(TOKEN, "the tests"), **own)
        self._sources.append(source)
        return source

    def copy(self, database: Database) -> None:
        """Say from now on what the local source says of this database at this moment."""
        self.holdings.copy(database)

    def misbehave(self, fault: str, times: int | None = None) -> None:
        """Answer every question (or the next so many) in one of the ways that ``faults`` names."""
        if fault not in faults.ALL:
            raise ValueError(f"There is no fault {fault!r}: {sorted(faults.ALL)}")
        self._fault, self._times = fault, times
        if fault == faults.REFUSED:
            self._run(self._refuse)

    def behave(self) -> None:
        """Answer as documented again."""
        self._fault, self._times = None, None
        self._run(self._listen)

    @contextlib.contextmanager
    def misbehaving(self, fault: str) -> Iterator[None]:
        """For a while."""
        self.misbehave(fault)
        try:
            yield
        finally:
            self.behave()

    def hold(self) -> None:
        """Answer nobody until told to go on: what people see meanwhile can be looked at on a machine of any speed."""
        self._loop.call_soon_threadsafe(self._answering.clear)

    def go_on(self) -> None:
        """Answer all who wait, and at once from now on."""
        self._loop.call_soon_threadsafe(self._answering.set)

    async def _app(self, scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        request = await _received(scope, receive)
        self.requests.append(request)
        self._open += 1
        self.together = max(self.together, self._open)
        try:
            await self._answer(request, scope["state"]["transport"], receive, send)
        finally:
            self._open -= 1

    async def _answer(self, request: Received, transport: asyncio.Transport, receive: Any, send: Any) -> None:
        await asyncio.sleep(self.delay)
        await self._answering.wait()
        fault = _always(request.path) or self._next_fault()
        if fault in faults.TIMED:
            await faults.TIMED[fault](faults.Wire(transport))
        elif fault in faults.ANSWERS:
            transport.write(faults.ANSWERS[fault])
            transport.close()
        else:
            change = {**faults.CHANGES, **faults.EMPTY}.get(fault or "", lambda page, _: page)
            await _send(send, *self._documented(request, change))
            return
        while (await receive())["type"] != "http.disconnect":
            """uvicorn would add an answer of its own while the connection is open."""

    def _next_fault(self) -> str | None:
        if self._times is not None:
            if self._times == 0:
                self._fault = None
            else:
                self._times -= 1
        return self._fault

    def _documented(self, request: Received, change: Callable[[Any, Any], Any]) -> tuple[int, Any]:
        """Status and body."""
        if not request.path.endswith(PATHS):
            return 404, {"errors": [{"status_code": 404, "detail": "Not found"}]}
        if request.method != "POST":
            return 405, {"errors": [{"status_code": 405, "detail": "Method not allowed"}]}
        if request.headers.get("content-type") != "application/json":
            return 415, {"errors": [{"status_code": 415, "detail": "Content-Type must be application/json"}]}
        if self.token and request.headers.get("authorization") != f"Bearer {self.token}":
            return 401, {"errors": [{"status_code": 401, "detail": "Invalid authentication token"}]}
        try:
            filters = request.filters
            if unknown := sorted(self.refused_codes.intersection(filters["permission_codes"])):
                return 400, {"errors": [{"status_code": 400, "detail": f"{unknown[0]} is not known"}]}
            return 200, change(self.holdings.answer(filters), filters)
        except (ValueError, KeyError, TypeError) as error:
            return 400, {"errors": [{"status_code": 400, "detail": f"Not a permission query: {error!r}"}]}

    def _run(self, work: Callable[[], Any]) -> None:
        asyncio.run_coroutine_threadsafe(work(), self._loop).result()

    async def _listen(self) -> None:
        if self._listener is None:
            listening = _bound(self.port)
            self._listener = await self._loop.create_server(
                lambda: _Protocol(self._config, self._state, {}, _loop=self._loop),
                sock=listening,
                backlog=2048,
                ssl=self._tls,
            )

    async def _refuse(self) -> None:
        if self._listener is not None:
            self._listener.close()
            self._listener = None
        for connection in list(self._state.connections):
            connection.transport.abort()
        await asyncio.sleep(0)

    async def _end_tasks(self) -> None:
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _always(path: str) -> str | None:
    """The fault that an address stands for."""
    if not path.startswith(_ALWAYS):
        return None
    return faults.ALL[int(path.split("/")[2])]


def _tls(certificate: Path) -> ssl.SSLContext:
    """For a file that holds a certificate for localhost and its key."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context


def _bound(port: int) -> socket.socket:
    """A socket on this port of the loopback that others of ours may share."""
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # else asyncio leaves Nagle on
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    bound.bind(("127.0.0.1", port))
    return bound


async def _received(scope: MutableMapping[str, Any], receive: Any) -> Received:
    body = b""
    while True:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body"):
            break
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
    return Received(scope["method"], scope["path"], headers, body, time.monotonic())


async def _send(send: Any, status: int, body: Any) -> None:
    content = json.dumps(body).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(content)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": content})
