"""Requests that a stranger can send and that are refused, many of each kind, to see what a server keeps of them."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor

CONNECTIONS = 8
"""That send at one time."""

EACH = 50
"""Requests on one connection; then another one is opened."""

REDIRECTED = 300

Connect = Callable[[], socket.socket]


def _request(first: str, *headers: str, body: bytes = b"") -> bytes:
    length = [f"Content-Length: {len(body)}"] if body else []
    return "\r\n".join([f"{first} HTTP/1.1", "Host: podium", *headers, *length, "", ""]).encode() + body


JSON = "Content-Type: application/json"
WRONG = "Authorization: Bearer no-token-of-ours-{}"

OF_SERVER: Mapping[str, bytes] = {
    "a wrong token": _request("GET /v1/me", WRONG),
    "no token": _request("GET /v1/projects"),
    "a token with spaces": _request("GET /v1/me", "Authorization: Bearer  {}"),
    "a wrong token with a body": _request("POST /v1/projects", WRONG, JSON, body=b'{"name": "P"}'),
    "a wrong token for the stream": _request("GET /v1/changes", WRONG),
    "404": _request("GET /v1/nothing/{}", WRONG),
    "405": _request("DELETE /v1/me", WRONG),
    "a body that is not JSON": _request("POST /v1/projects", WRONG, JSON, body=b"{{{"),
    "a permission query": _request("POST /api/v20/users/permissions/query", WRONG, JSON, body=b"[1"),
    "an unknown launch code": _request("GET /v1/launches/code-{}"),
    "an unknown error page": _request("GET /v1/errors/CODE_{}"),
    "a file of a stranger": _request("POST /v1/projects/import", WRONG, JSON, body=b"{}"),
}
"""By their kind; ``{}`` is another number each time."""

OF_GATEWAY: Mapping[str, bytes] = {
    "no session": _request("GET /"),
    "a wrong cookie": _request("GET /", "Cookie: podium=no-session-{}"),
    "404": _request("GET /nothing/{}"),
    "405": _request("DELETE /sign-in"),
    "no terminal without a session": _request("GET /ws?width=80&height=24"),
    "a wrong sign-in": _request(
        "POST /sign-in",
        "Origin: {origin}",
        "Content-Type: application/x-www-form-urlencoded",
        body=b"token=wrong",
    ),
    "a sign-in of another page": _request(
        "POST /sign-in", "Origin: https://elsewhere.example", "Content-Type: text/plain", body=b"x"
    ),
}

BROKEN: Mapping[str, bytes] = {
    "garbage": b"\x16\x03\x01 hello {}\r\n\r\n",
    "half a head": b"GET /v1/me HTTP/1.1\r\nHost: pod",
    "half a body": b"POST /v1/projects HTTP/1.1\r\nHost: podium\r\nContent-Length: 90\r\n\r\n{",
    "nothing": b"",
}
"""What is sent on a connection of its own, which the client then closes."""


def refuse(connect: Connect, sent: bytes, times: int) -> None:
    """Send a request so many times over a few connections; each must be refused, or led to the sign-in."""

    def some(first: int) -> None:
        for start in range(first, first + times // CONNECTIONS, EACH):
            with connect() as client, client.makefile("rb") as answers:
                for number in range(start, start + EACH):
                    client.sendall(sent.replace(b"{}", b"%06d" % number, 1))
                    first_line = answers.readline()
                    assert int(first_line.split()[1]) >= REDIRECTED, first_line
                    headers = dict(line.lower().split(b": ", 1) for line in iter(answers.readline, b"\r\n"))
                    answers.read(int(headers.get(b"content-length", 0)))
                    if headers.get(b"connection", b"").strip() == b"close":
                        break

    with ThreadPoolExecutor(CONNECTIONS) as pool:
        list(pool.map(some, range(0, times, times // CONNECTIONS)))


def break_off(connect: Connect, sent: bytes, times: int) -> None:
    """Open so many connections, send this on each, and close it."""

    def some(first: int) -> None:
        for number in range(first, first + times // CONNECTIONS):
            with connect() as client, contextlib.suppress(OSError):
                client.sendall(sent.replace(b"{}", b"%06d" % number))
                client.shutdown(socket.SHUT_WR)
                client.recv(4096)

    with ThreadPoolExecutor(CONNECTIONS) as pool:
        list(pool.map(some, range(0, times, times // CONNECTIONS)))
