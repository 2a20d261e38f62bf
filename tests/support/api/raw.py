"""A client that speaks bytes: it sends what no HTTP library would, or stops in the middle."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from tests.support.api.server import ServerOfTests

IN_THE_TABLE = {200, 201, 202, 204, 400, 401, 403, 404, 405, 415, 500, 502, 503, 504}
"""The statuses that a backend may set (source document, section 7.1)."""


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    """Names in lower case."""
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def said(self) -> str:
        """The sentence of an error, of either form, which is checked."""
        (error,) = self.json["errors"]
        if set(error) == {"status_code", "detail"}:
            assert error["status_code"] == self.status
            return str(error["detail"])
        assert set(error) == {"errorCode", "errorMessage", "correlationId", "link"}
        return str(error["errorMessage"])


@contextmanager
def connection(server: ServerOfTests, *, over_tcp: bool = False, buffer: int = 0) -> Iterator[socket.socket]:
    """An open connection; ``buffer`` is how many bytes the client's side takes in while nobody reads."""
    family = socket.AF_INET if over_tcp else socket.AF_UNIX
    with socket.socket(family, socket.SOCK_STREAM) as made:
        if buffer:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        made.settimeout(10)
        parts = urlsplit(server.url)
        made.connect((parts.hostname, parts.port) if over_tcp else str(server.path))
        yield made


def request(target: str, token: str = "", *headers: str, method: str = "GET", body: bytes = b"") -> bytes:
    """A request as bytes, with the length of its body where it has one. Whatever is sent is said to be JSON."""
    lines = [f"{method} {target} HTTP/1.1", "Host: podium", *headers]
    if method != "GET":
        lines.append("Content-Type: application/json")
    if token:
        lines.append(f"Authorization: Bearer {token}")
    if body:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join([*lines, "", ""]).encode() + body


def ended(client: socket.socket) -> bool:
    """True if the server has closed the connection without sending more."""
    try:
        return client.recv(1) == b""
    except ConnectionResetError:
        return True


def answer(client: socket.socket, *, bodiless: bool = False) -> Answer:
    """The next answer on a connection; those that say 100 are passed over. ``bodiless``: of a request by HEAD."""
    head = client.recv(_length_of_head(client)).decode("latin-1")
    first, *lines = head.strip().split("\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
    status = int(first.split(" ")[1])
    if status == 100:
        return answer(client, bodiless=bodiless)
    length, body = 0 if bodiless else int(headers.get("content-length", 0)), b""
    while len(body) < length:
        body += client.recv(length - len(body))
    return Answer(status, headers, body)


def _length_of_head(client: socket.socket) -> int:
    until = time.monotonic() + 30
    while time.monotonic() < until:
        seen = client.recv(65536, socket.MSG_PEEK)
        if not seen:
            raise EOFError
        if b"\r\n\r\n" in seen:
            return seen.index(b"\r\n\r\n") + 4
        time.sleep(0.001)
    raise TimeoutError(seen)


def exchange(server: ServerOfTests, sent: bytes, *, over_tcp: bool = False) -> Answer:
    """Send these bytes on a connection of their own."""
    with connection(server, over_tcp=over_tcp) as client:
        client.sendall(sent)
        return answer(client)
