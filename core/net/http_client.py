"""HTTP to other programs. The only module that imports httpx, and only for the first request.

It adds to httpx a total timeout and a size limit for bodies, refuses compressed bodies, ignores settings of the
environment (``.netrc``, ``HTTP_PROXY``) and redirects, and raises errors that say what happened.
"""

from __future__ import annotations

import asyncio
import ssl
import sys
import threading
from collections.abc import AsyncIterator, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from core.net.tls import forward_secret
from core.record import Record

if TYPE_CHECKING:
    import httpx

MAX_BYTES = 256 * 1024
"""Bytes of a body; a longer one is refused."""

CONNECTIONS = 8
"""Open connections to one service."""

IDLE = 30.0
"""Seconds for which an unused connection is kept open."""

LOST = ("disconnected", "peer closed")
"""Parts of httpx messages for a closed connection, which httpx otherwise reports as a protocol error."""


class HttpError(Exception):
    """There is no usable response; the message completes the sentence "The service …"."""


class Unreachable(HttpError):
    """The service did not answer, or the connection was lost. Another attempt may succeed."""


class NotConnected(Unreachable):
    """No connection was made, so nothing was sent."""


class ErrorStatus(Unreachable):
    """The response has an error status."""

    def __init__(self, status: int, body: bytes = b"") -> None:
        super().__init__(f"answered with the status {status}")
        self.status = status
        self.body = body
        """The body of the response, as far as it could be read."""


class TimedOut(HttpError):
    """The timeout has passed."""


class InvalidResponse(HttpError):
    """The response is not HTTP, not secure, too long, or compressed."""


class AccessDenied(InvalidResponse):
    """Permissions or certificates prevent a connection: nothing was sent, and another attempt would fail too."""


class Reply(Record, kw_only=False):
    """A response that was read completely."""

    status: int
    headers: Mapping[str, str]
    """The names are in lower case."""
    body: bytes


class HttpClient:
    """A client for one service, over TLS if ``secure``. Belongs to the event loop in which it is first used."""

    def __init__(self, *, secure: bool, most_bytes: int | None = MAX_BYTES) -> None:
        self._secure = secure
        self._most_bytes = most_bytes
        self._client: httpx.AsyncClient | None = None
        self._preparing = threading.Lock()

    def prepare(self) -> None:
        """Import httpx and load the certificates. This takes a while, so it does not count towards any timeout."""
        with self._preparing:
            if self._client is None:
                self._client = _new_client(self._secure)

    async def fetch(self, method: str, url: str, headers: Mapping[str, str], content: bytes, seconds: float) -> Reply:
        """Send a request and read the whole response, of any status, within ``seconds``. Raises HttpError."""
        self.prepare()
        import httpx

        try:
            async with asyncio.timeout(seconds):
                return await self._exchange(method, url, dict(headers), content, seconds)
        except (TimeoutError, httpx.TimeoutException) as error:
            raise TimedOut("did not answer in time") from error
        except httpx.HTTPError as error:
            raise _as_http_error(error) from error

    async def _exchange(self, method: str, url: str, headers: dict[str, str], content: bytes, seconds: float) -> Reply:
        assert self._client is not None
        request = self._client.stream(method, url, headers=headers, content=content, timeout=seconds)
        async with request as response:
            if response.headers.get("content-encoding", "identity").lower() != "identity":
                raise InvalidResponse("compressed its answer, which was not requested")
            body = bytearray()
            async for piece in response.aiter_raw(16 * 1024):
                body += piece
                if self._most_bytes is not None and len(body) > self._most_bytes:
                    raise InvalidResponse(f"sent an answer of more than {self._most_bytes // 1024} KiB")
            return Reply(response.status_code, response.headers, bytes(body))

    async def lines(self, url: str, headers: Mapping[str, str]) -> AsyncIterator[str]:
        """Yield the lines of an endless body as they arrive. Raises HttpError, ErrorStatus for any status but 200."""
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
            raise _as_http_error(error) from error

    async def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.aclose()


def _new_client(secure: bool) -> httpx.AsyncClient:
    # httpx works without its command line (httpx._main), which takes half of the import time, and without sniffio, for
    # which it would search the disk several times per request; it assumes asyncio then.
    for name in ("httpx._main", "sniffio"):
        sys.modules.setdefault(name, None)  # type: ignore[arg-type]
    import httpx

    # The machine's certificates take longer to load than the rest; a context without them trusts no server.
    context = forward_secret(ssl.create_default_context() if secure else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT))
    limits = httpx.Limits(max_connections=CONNECTIONS, max_keepalive_connections=CONNECTIONS, keepalive_expiry=IDLE)
    return httpx.AsyncClient(
        transport=httpx.AsyncHTTPTransport(verify=context, trust_env=False, limits=limits),
        trust_env=False,
        follow_redirects=False,
        headers={"Accept-Encoding": "identity", "User-Agent": "podium"},
    )


def _as_http_error(error: Any) -> HttpError:
    """Return an error of httpx as an HttpError."""
    import httpx

    for cause in _causes(error):
        if isinstance(cause, ssl.SSLCertVerificationError):
            said = f"has a certificate that is not accepted ({cause.verify_message})"
            return AccessDenied(f"{said}; SSL_CERT_FILE names the one of an authority of your own")
        if isinstance(cause, ssl.SSLError):
            return InvalidResponse("does not support a secure connection")
        if isinstance(cause, PermissionError):
            return AccessDenied("cannot be reached from this account")
    if isinstance(error, httpx.ConnectError):
        return NotConnected("cannot be reached")
    if isinstance(error, httpx.NetworkError):
        return Unreachable("closed the connection")
    if any(word in str(error) for word in LOST):
        return Unreachable("closed the connection")
    return InvalidResponse("answered with something that is not HTTP")


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield the error and its causes."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
