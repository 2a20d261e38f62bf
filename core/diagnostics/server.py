"""The checks of a server by its client: it answers, it knows the user, and its stream of changes is not delayed."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator

from core import VERSION
from core.backends.connection import too_many_streams_message
from core.diagnostics.local import diagnose_client
from core.diagnostics.sign_in_paths import socket_of
from core.domain.finding import Finding, Verdict
from core.net.http_client import AccessDenied, ErrorStatus, HttpClient, HttpError, Reply
from core.net.server_address import ServerAddress
from core.net.unix_http_client import SocketClient, client_of
from core.wire.error_bodies import error_from

Client = SocketClient | HttpClient

SECONDS = 5.0
"""The timeout of each request."""

PROMPT = 2.0
"""Seconds within which the stream of changes must send its first line; a later one was buffered on the way."""

CORRELATION = "x-correlation-id"
"""The header that every answer of the API has."""


async def diagnose_server(server: ServerAddress, token: str | None) -> tuple[Finding, ...]:
    """Return the findings about this client, and about a server and its workspace. Never raises."""
    client = client_of(server)
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    try:
        return (*diagnose_client(), *[finding async for finding in _checks(client, server, headers)])
    finally:
        await client.close()


async def _checks(client: Client, server: ServerAddress, headers: dict[str, str]) -> AsyncIterator[Finding]:
    for finding in socket_of(server.socket) if server.socket else ():
        yield finding
    try:
        await client.fetch(
            "GET", server.url + "/health", {}, b"", SECONDS
        )  # imports and connects, so it is not measured
        began = time.monotonic()
        health = await client.fetch("GET", server.url + "/health", {}, b"", SECONDS)
        seconds = time.monotonic() - began
        answer = await client.fetch("GET", server.url + "/v1/me", headers, b"", SECONDS)
        yield _health(server, health, seconds, is_podium=CORRELATION in answer.headers)
        if backups := _backups(await client.fetch("GET", server.url + "/ready", {}, b"", SECONDS)):
            yield backups
        me = _me(answer, bool(headers))
        yield me
        if me.verdict is Verdict.GOOD:  # without sign-in the stream is refused anyway
            yield await _stream(client, server, headers)
    except AccessDenied as error:
        yield Finding("Server", f"{server} {error}.", Verdict.BAD)
    except HttpError as error:
        yield Finding("Server", f"{server} {error}. Is it running, and is the address right?", Verdict.BAD)


def _health(server: ServerAddress, reply: Reply, seconds: float, *, is_podium: bool) -> Finding:
    try:
        version = json.loads(reply.body)["version"]
    except (ValueError, KeyError, TypeError):
        if is_podium:  # a gateway may forward only the API
            return Finding("Server", f"{server}, behind a gateway, answered in {seconds * 1000:.1f} ms")
        return Finding("Server", f"{server} is not a Podium server", Verdict.BAD)
    said = f"{server}, Podium {version}, answered in {seconds * 1000:.1f} ms"
    if version != VERSION:
        return Finding(
            "Server", f"{said}; this one is {VERSION}: features that only one of them has may be refused", Verdict.NOTE
        )
    return Finding("Server", said)


def _backups(reply: Reply) -> Finding | None:
    """Return what ``/ready`` says of the backups; None if it says nothing, as behind a gateway."""
    try:
        said = json.loads(reply.body)["backup"]
        newest, problem = said["newest"], said["problem"]
    except (ValueError, KeyError, TypeError):
        return None
    if problem:
        return Finding("Backups", str(problem), Verdict.BAD)
    return Finding("Backups", f"the newest of {newest}" if newest else "none yet")


def _me(reply: Reply, by_token: bool) -> Finding:
    how = "with a token" if by_token else "with this machine's account"
    try:
        body = json.loads(reply.body)
        if reply.status == 200:
            return Finding("You", f"{body['user']['firstName']} {body['user']['lastName']}, signed in {how}")
        sentence = str(error_from(reply.status, body) or reply.status)
    except (ValueError, KeyError, TypeError):
        sentence = f"answered with {reply.status}"
    return Finding("You", sentence, Verdict.BAD)


async def _stream(client: Client, server: ServerAddress, headers: dict[str, str]) -> Finding:
    began = time.monotonic()
    try:
        async with asyncio.timeout(PROMPT):
            async for _ in client.lines(server.url + "/v1/changes", headers):
                return Finding("Changes of others", f"received after {(time.monotonic() - began) * 1000:.0f} ms")
    except ErrorStatus as declined:
        if said := too_many_streams_message(declined):
            return Finding("Changes of others", said, Verdict.NOTE)
    except (TimeoutError, HttpError):
        pass
    return Finding("Changes of others", "not received: a proxy may be buffering the stream of changes", Verdict.BAD)
