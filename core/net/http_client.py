"""Asking other programs over HTTP. The one module that imports httpx, and only when the first question is asked.

What httpx does not do by itself is done here: one total deadline, no end of a body beyond a limit, nothing unpacked,
no proxy, password or redirect that somebody else chose (`.netrc`, ``HTTP_PROXY``), and errors that say what happened.
"""

from __future__ import annotations

import asyncio
import ssl
import sys
import threading
from collections.abc import AsyncIterator, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from core.net.tls import forward_secret

if TYPE_CHECKING:
    import httpx

MAX_BYTES = 256 * 1024
"""Of a body; a longer one is not read."""

CONNECTIONS = 8
"""Open at one time, to one service."""

IDLE = 30.0
"""Seconds for which an unused connection is kept."""

LOST = ("disconnected", "peer closed")
"""How httpx words that the other side went away, which it otherwise counts as a breach of the protocol."""


class HttpError(Exception):
    """No reply that can be read; the text completes the sentence "The service …"."""


class Unreachable(HttpError):
    """Nobody answered, or the connection was lost. Another try may do."""


class NotConnected(Unreachable):
    """There was no connection, so nothing was sent."""


class ErrorStatus(Unreachable):
    """A status that stands for no answer."""

    def __init__(self, status: int, body: bytes = b"") -> None:
        super().__init__(f"answered with the status {status}")
        self.status = status
        self.body = body
        """What was said with it, as far as that could be read."""


class TimedOut(HttpError):
    """The deadline passed."""


class InvalidResponse(HttpError):
    """What came is not HTTP, not secure, too much, or packed."""


class AccessDenied(InvalidResponse):
    """There is no way to this server as things are: nothing was sent, and another try is of no use."""


class Reply(NamedTuple):
    """A response that was read to its end."""

    status: int
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes


class HttpClient:
    """Talks to one service, by https where ``secure``. Belongs to the event loop that it is first used on."""

    def __init__(self, *, secure: bool, most_bytes: int | None = MAX_BYTES) -> None:
        self._secure = secure
        self._most_bytes = most_bytes
        self._client: httpx.AsyncClient | None = None
        self._preparing = threading.Lock()

    def prepare(self) -> None:
        """Load what the first question needs. It takes a while, so it is no part of any deadline."""
        with self._preparing:
            if self._client is None:
                self._client = _new_client(self._secure)

    async def fetch(self, method: str, url: str, headers: Mapping[str, str], content: bytes, seconds: float) -> Reply:
        """Ask, and read the whole reply, whatever its status, within this time. Raises HttpError."""
        self.prepare()
        import httpx

        try:
            async with asyncio.timeout(seconds):
                return await self._exchange(method, url, dict(headers), content, seconds)
        except (TimeoutError, httpx.TimeoutException) as error:
            raise TimedOut("did not answer in time") from error
        except httpx.HTTPError as error:
            raise _named(error) from error

    async def _exchange(self, method: str, url: str, headers: dict[str, str], content: bytes, seconds: float) -> Reply:
        assert self._client is not None
        request = self._client.stream(method, url, headers=headers, content=content, timeout=seconds)
        async with request as response:
            if response.headers.get("content-encoding", "identity").lower() != "identity":
                raise InvalidResponse("packed its answer, which was not asked for")
            body = bytearray()
            async for piece in response.aiter_raw(16 * 1024):
                body += piece
                if self._most_bytes is not None and len(body) > self._most_bytes:
                    raise InvalidResponse(
                        f"answered at more length than the {self._most_bytes // 1024} KiB that are read"
                    )
            return Reply(response.status_code, response.headers, bytes(body))

    async def lines(self, url: str, headers: Mapping[str, str]) -> AsyncIterator[str]:
        """The lines of a body that does not end, as they come. Raises HttpError; Declined for any status but 200."""
        self.prepare()
        import httpx

        assert self._client is not None
        try:
            async with self._client.stream("GET", url, headers=dict(headers), timeout=None) as response:
                if response.status_code != httpx.codes.OK:
                    raise ErrorStatus(response.status_code, await response.aread())
                async for line in response.aiter_lines():
                    yield line
        except httpx.HTTPError as error:
            raise _named(error) from error

    async def close(self) -> None:
        """Let go of connections."""
        if self._client is not None:
            await self._client.aclose()


def _new_client(secure: bool) -> httpx.AsyncClient:
    # httpx does without its own command line where that cannot be loaded; it is half of the time that loading takes.
    # Without sniffio the event loop is taken to be asyncio's. It is looked for on the disk several times a request.
    for name in ("httpx._main", "sniffio"):
        sys.modules.setdefault(name, None)  # type: ignore[arg-type]
    import httpx

    # The certificates of this machine take longer to load than all the rest; without them nobody is trusted.
    context = forward_secret(ssl.create_default_context() if secure else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT))
    limits = httpx.Limits(max_connections=CONNECTIONS, max_keepalive_connections=CONNECTIONS, keepalive_expiry=IDLE)
    return httpx.AsyncClient(
        transport=httpx.AsyncHTTPTransport(verify=context, trust_env=False, limits=limits),
        trust_env=False,
        follow_redirects=False,
        headers={"Accept-Encoding": "identity", "User-Agent": "podium"},
    )


def _named(error: Any) -> HttpError:
    """An error of httpx as one of ours."""
    import httpx

    for cause in _causes(error):
        if isinstance(cause, ssl.SSLCertVerificationError):
            said = f"has a certificate that is not accepted ({cause.verify_message})"
            return AccessDenied(f"{said}; SSL_CERT_FILE names the one of an authority of your own")
        if isinstance(cause, ssl.SSLError):
            return InvalidResponse("cannot be spoken to securely")
        if isinstance(cause, PermissionError):
            return AccessDenied("may not be reached from this account")
    if isinstance(error, httpx.ConnectError):
        return NotConnected("cannot be reached")
    if isinstance(error, httpx.NetworkError):
        return Unreachable("broke off the connection")
    if any(word in str(error) for word in LOST):
        return Unreachable("broke off the connection")
    return InvalidResponse("answered with something that is not HTTP")


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """The error and what led to it."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
