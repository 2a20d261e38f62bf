"""The log of a server for its administrators: one line of JSON for each event.

It holds logins, addresses, ids, routes, statuses and times; never tokens, fields of messages or texts of users. So a
stack trace ends with the class of its error, without the message, which may quote a text.
"""

from __future__ import annotations

import json
import logging
import sys
import time
import traceback
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from datetime import UTC, datetime
from ipaddress import ip_address
from json.encoder import encode_basestring_ascii
from typing import Any, Protocol, TextIO

from core.text.urls import is_loopback

log = logging.getLogger("podium.server")

Scope = MutableMapping[str, Any]
App = Callable[[Scope, Any, Callable[[Any], Awaitable[None]]], Awaitable[None]]


_out: TextIO | None = None
"""The stream of the log; standard error by default."""


def log_to(stream: TextIO, level: str) -> None:
    """Write lines of this level and above to ``stream``, including those of libraries."""
    global _out
    _out = stream
    handler = logging.StreamHandler(stream)
    handler.setFormatter(_Lines())
    logging.getLogger().handlers[:] = [handler]
    log.setLevel(level.upper())
    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)  # Podium logs the same events itself


def log_event(event: str, level: int = logging.INFO, error: BaseException | None = None, **about: Any) -> None:
    """Write an event with its details.

    The line is written directly, because a record of ``logging`` would take as long as a short response.
    """
    if log.isEnabledFor(level):
        _write(_line(time.time(), level, event, about, error))


def _write(line: str) -> None:
    out = _out or sys.stderr
    out.write(line + "\n")
    out.flush()


class _Lines(logging.Formatter):
    """Formats the log records of libraries as JSON lines."""

    def format(self, record: logging.LogRecord) -> str:
        error = record.exc_info[1] if record.exc_info else None
        return _line(record.created, record.levelno, record.getMessage(), {}, error)


def _line(at: float, level: int, event: str, about: Mapping[str, Any], error: BaseException | None) -> str:
    """The line of an event: ``at``, ``level``, ``event``, its details, and the stack trace of an error."""
    line = {
        "at": _moment(at),
        "level": _name(level),
        "event": event,
        **about,
    }
    if error is not None:
        line["error"] = type(error).__name__
        line["trace"] = [str(frame).strip() for frame in traceback.format_tb(error.__traceback__)]
    return json.dumps(line)


def _moment(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds")


def _name(level: int) -> str:
    return logging.getLevelName(level).lower()


QUIET = ("/health", "/ready", "/metrics")
"""Paths that monitoring requests every few seconds; they are logged on the level "debug", unless they are refused."""


STREAM = "/v1/changes"
"""The path of the stream of changes, whose request lasts as long as a screen is open."""


class RequestCounter(Protocol):
    """Counts requests beside the log, as the metrics of a server do."""

    def count_request(self, state: Mapping[str, Any], status: int, seconds: float, *, is_stream: bool) -> None:
        """Count a request after its last byte."""


class AccessLogMiddleware:
    """An ASGI middleware that logs and counts each request after its last byte is sent."""

    def __init__(self, app: App, counter: RequestCounter | None = None) -> None:
        self._app = app
        self._counter = counter

    async def __call__(self, scope: Scope, receive: Any, send: Callable[[Any], Awaitable[None]]) -> None:
        if not log.isEnabledFor(logging.INFO) and self._counter is None:
            await self._app(scope, receive, send)
            return
        began, status = time.monotonic(), 0

        async def noting(event: Any) -> None:
            nonlocal status
            if event["type"] == "http.response.start":
                status = event["status"]
            await send(event)

        try:
            await self._app(scope, receive, noting)
        finally:
            seconds = time.monotonic() - began
            if self._counter:
                self._counter.count_request(scope["state"], status, seconds, is_stream=scope["path"] == STREAM)
            level = logging.DEBUG if scope["path"] in QUIET and status not in (401, 403) else logging.INFO
            if log.isEnabledFor(level):
                _log_request(level, scope, status, seconds)


def _log_request(level: int, scope: Scope, status: int, seconds: float) -> None:
    """Write the line of a request. It is formatted by hand, because JSON encoding would slow down short responses."""
    state = scope["state"]
    peer = state["peer"]
    project = state.get("project") or scope.get("path_params", {}).get("project_id")
    _write(
        f'{{"at": "{_moment(time.time())}", "level": "{_name(level)}", "event": "request", '
        f'"method": {_text(scope["method"])}, "message": {_text(state.get("message"))}, '
        f'"status": {status}, "ms": {seconds * 1000:.1f}, '
        f'"user": {_text(state.get("user_id"))}, "login": {_text(state.get("login"))}, "project": {_text(project)}, '
        f'"reason": {_text(state.get("reason"))}, "address": {_text(address_of(scope))}, '
        f'"uid": {peer.uid if peer else "null"}, '
        f'"correlation_id": {_text(state.get("correlation"))}}}'
    )


def address_of(scope: Scope) -> str | None:
    """The address that a request came from, for the log; None for a program on this machine.

    A proxy on this machine says it in the last part of X-Forwarded-For. Other programs here could say so too, which
    only fools the log about them: no rule of Podium's hangs on it.
    """
    client = scope.get("client")
    if scope["state"]["peer"] is None and client and not is_loopback(client[0]):
        return str(client[0])
    sent = [value for name, value in scope["headers"] if name == b"x-forwarded-for"]
    if not sent:
        return None
    named = sent[-1].decode("latin-1").rpartition(",")[2].strip()
    try:
        return str(ip_address(named.partition("%")[0]))
    except ValueError:
        return None


def _text(value: str | None) -> str:
    return "null" if value is None else encode_basestring_ascii(value)
