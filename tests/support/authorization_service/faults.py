"""Every way in which the service can misbehave, by name (findings on permission clients; source document, section 7).

ANSWERS are bytes, sent as they are; CHANGES spoil a well-formed page; the rest, which take their time or need the
connection, are coroutines. ``AWAY`` are the names after which the service counts as away rather than as wrong.
"""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Awaitable, Callable
from typing import Any

from tests.support.authorization_service.holdings import other

JSON = "Content-Type: application/json"
CORRELATION = "4711-service"
"""The correlation id in the error bodies of form A."""

Page = dict[str, Any]


def http(status: int, body: str | bytes | dict[str, Any] = b"", *headers: str) -> bytes:
    """A response with its length; JSON unless a header says otherwise."""
    content = json.dumps(body) if isinstance(body, dict) else body
    content = content.encode() if isinstance(content, str) else content
    if not any(header.lower().startswith("content-type") for header in headers):
        headers = (*headers, JSON)
    lines = (f"HTTP/1.1 {status} X", *headers, f"Content-Length: {len(content)}", "Connection: close", "", "")
    return "\r\n".join(lines).encode() + content


def form_a(status: int, code: str, message: str, *headers: str) -> bytes:
    """An error in form A."""
    error = {
        "errorCode": code,
        "errorMessage": message,
        "correlationId": CORRELATION,
        "link": f"https://errors.example.com/{code}",
    }
    return http(status, {"errors": [error]}, *headers)


def form_b(status: int, detail: str) -> bytes:
    """An error in form B."""
    return http(status, {"errors": [{"status_code": status, "detail": detail}]})


_LATER = "Wed, 21 Oct 2099 07:28:00 GMT"

NOBODY: Page = {"total_count": 0, "data": [], "limit": 100, "offset": 0}
"""A page without entries, which is a good answer when nothing else is wrong with it."""

ANSWERS: dict[str, bytes] = {
    "201": http(201, NOBODY),
    "204": b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n",
    "301": http(301, "", "Location: /elsewhere"),
    "302": http(302, "", "Location: http://127.0.0.1:1/"),
    "307": http(307, "", "Location: /api/v20/users/query"),
    "400": form_b(400, "user_id is not known"),
    "401": form_a(401, "TOKEN_EXPIRED", "The token has expired."),
    "403": form_a(403, "NOT_YOURS", "This client may not ask about this account."),
    "404": form_a(404, "NO_SUCH_PAGE", "There is nothing here."),
    "405": http(405, "", "Allow: GET"),
    "415": form_b(415, "Content-Type is incorrect"),
    "418": http(418, "short and stout", "Content-Type: text/plain"),
    "429": form_a(429, "QUOTA", "Too many requests.", "Retry-After: 60"),
    "429 at once": form_a(429, "QUOTA", "Too many requests.", "Retry-After: 0"),
    "429 soon": form_a(429, "QUOTA", "Too many requests.", "Retry-After: 1"),
    "429 until a date": form_a(429, "QUOTA", "Too many requests.", f"Retry-After: {_LATER}"),
    "429 with nonsense": form_a(429, "QUOTA", "Too many requests.", "Retry-After: soon, -1"),
    "500": form_a(500, "BROKEN", "An unexpected failure."),
    "500 with a trace": http(500, "Traceback (most recent call last):\n  File ...", "Content-Type: text/plain"),
    "500 with escapes": form_a(500, "BROKEN", "\x1b]0;owned\x07\x1b[2J[red]bold[/red] " + "very " * 400),
    "502": http(502, "<html><h1>Bad gateway</h1></html>", "Content-Type: text/html"),
    "503": form_a(503, "DOWN", "Back in a minute."),
    "504": form_b(504, "No answer in time"),
    "html": http(200, "<!doctype html><p>Sign in", "Content-Type: text/html"),
    "called html": http(200, NOBODY, "Content-Type: text/html"),
    "called problem": http(200, NOBODY, "Content-Type: application/problem+json"),
    "no content type": http(200, NOBODY, "Content-Type:"),
    "empty": http(200, ""),
    "truncated json": http(200, '{"total_count": 1, "data": [{"account_id"'),
    "truncated body": b"HTTP/1.1 200 OK\r\n" + JSON.encode() + b"\r\nContent-Length: 900\r\n\r\n{",
    "two lengths": b"HTTP/1.1 200 OK\r\n" + JSON.encode() + b"\r\nContent-Length: 2\r\nContent-Length: 9\r\n\r\n{}",
    "header bomb": b"HTTP/1.1 200 OK\r\n" + b"".join(b"X-%d: %s\r\n" % (n, b"y" * 900) for n in range(4000)) + b"\r\n",
    "not http": b"220 mail.example.com ESMTP\r\n",
    "closed at once": b"",
    "gzip bomb": http(200, gzip.compress(b" " * 50_000_000), "Content-Encoding: gzip"),
    "huge": http(200, b" " * 3_000_000),
    "not utf-8": http(200, b'{"total_count": 0, "data": [], "limit": 100, "offset": 0, "x": "\xff"}'),
    "utf-16": http(200, '{"total_count": 0}'.encode("utf-16")),
    "other charset": http(200, NOBODY, "Content-Type: application/json; charset=utf-16"),
    "duplicate keys": http(200, '{"total_count": 0, "total_count": 0, "data": [], "limit": 100, "offset": 0}'),
    "nan": http(200, '{"total_count": 0, "data": [], "limit": 100, "offset": 0, "x": NaN}'),
    "infinite number": http(200, '{"total_count": 1e999, "data": [], "limit": 100, "offset": 0}'),
    "endless number": http(200, '{"total_count": %s, "data": [], "limit": 100, "offset": 0}' % ("9" * 9000)),
    "deep nesting": http(200, "[" * 100_000),
    "deep data": http(200, '{"total_count":0,"data":[],"limit":100,"offset":0,"x":' + "[" * 500 + "]" * 500 + "}"),
    "null": http(200, "null"),
    "true": http(200, "true"),
    "a list": http(200, "[]"),
}


def _with(**values: Any) -> Callable[[Page, Page], Page]:
    return lambda page, _: {**page, **values}


def _without(key: str) -> Callable[[Page, Page], Page]:
    return lambda page, _: {name: value for name, value in page.items() if name != key}


def _entry(**values: Any) -> Callable[[Page, Page], Page]:
    """The whole answer is one entry that would grant everything, were it not for these values."""

    def change(page: Page, filters: Page) -> Page:
        granting = {"account_id": filters["account_id"], "permissions": filters["permission_codes"]}
        entry = {name: value for name, value in {**granting, **values}.items() if value is not ...}
        return {**page, "total_count": 1, "data": [entry]}

    return change


def _entry_beside(**values: Any) -> Callable[[Page, Page], Page]:
    """An answer that would grant everything, with these values beside it."""
    return lambda page, filters: {**_entry()(page, filters), **values}


def _entries(count: int, total: int) -> Callable[[Page, Page], Page]:
    """Pages of so many entries, always new ones, the very first for the account asked about; of so many in total."""

    def change(page: Page, filters: Page) -> Page:
        start = filters["offset"]
        accounts = [filters["account_id"] if place == 0 else other(place) for place in range(start, start + count)]
        data = [{"account_id": account, "permissions": filters["permission_codes"]} for account in accounts]
        return {**page, "total_count": total, "data": data}

    return change


def _repeating(page: Page, filters: Page) -> Page:
    first = {**filters, "offset": 0}
    return {**_entries(100, 300)(page, first), "offset": filters["offset"]}


def _drifting(step: int) -> Callable[[Page, Page], Page]:
    """A total that is another one on each page."""
    return lambda page, filters: _entries(100, 1000 + step * filters["offset"])(page, filters)


CHANGES: dict[str, Callable[[Page, Page], Any]] = {
    "no total": _without("total_count"),
    "no data": _without("data"),
    "no limit": _without("limit"),
    "no offset": _without("offset"),
    "total as text": _with(total_count="0"),
    "total as a truth": _with(total_count=False, data=[]),
    "total as a fraction": _with(total_count=0.0, data=[]),
    "negative total": _with(total_count=-1, data=[]),
    "null data": _with(data=None),
    "data as an object": _with(data={}),
    "data of text": _with(total_count=1, data=["PROJECT_VIEW"]),
    "a limit of none": lambda page, filters: {**page, "limit": 0},
    "a limit above the one asked for": lambda page, filters: {**_entry()(page, filters), "limit": 101},
    "more entries than the limit": lambda page, filters: {**_entries(3, 3)(page, filters), "limit": 2},
    "pages without end": lambda page, filters: {**_entries(1, 51)(page, filters), "limit": 1},
    "limit as a truth": lambda page, filters: {**_entry()(page, filters), "limit": True},
    "another offset": lambda page, filters: {**_entry()(page, filters), "offset": 7},
    "offset as a truth": lambda page, filters: {**_entry()(page, filters), "offset": False},
    "no account": _entry(account_id=...),
    "account as a number": _entry(account_id=7),
    "account that is no uuid": _entry(account_id="everything"),
    "no permissions": _entry(permissions=...),
    "permissions as text": _entry(permissions="PROJECT_VIEW"),
    "permissions as an object": _entry(permissions={"PROJECT_VIEW": True}),
    "permissions of truths": _entry(permissions=[True]),
    "permissions of null": _entry(permissions=[None]),
    "errors beside data": _entry_beside(errors=[{"errorCode": "PARTIAL", "errorMessage": "Not all was asked."}]),
    "errors in form B beside data": _entry_beside(errors=[{"status_code": 403, "detail": "Not yours."}]),
    "no errors, said so": _entry_beside(errors=[]),
    "null errors": _entry_beside(errors=None),
    "error beside data": _entry_beside(error="denied"),
    "error code beside data": _entry_beside(errorCode="DENIED"),
    "status code beside data": _entry_beside(status_code=403),
    "errors in an entry": _entry(errors=[{"status_code": 403, "detail": "Not yours."}]),
    "short page": _entries(1, 5),
    "empty page": _entries(0, 1),
    "long page": _entries(3, 1),
    "too long a page": _entries(150, 150),
    "endless pages": _entries(100, 1_000_000_000),
    "repeating page": _repeating,
    "growing total": _drifting(1),
    "shrinking total": _drifting(-1),
}
"""What becomes of a page: (page, filters) to whatever is sent as JSON."""

EMPTY: dict[str, Callable[[Page, Page], Any]] = {
    "wrong account": _entry(account_id=other(0)),
    "codes not asked for": _entry(permissions=["SUPERUSER", "project_view", "PROJECT_VIEW "]),
    "nothing": _with(total_count=0, data=[]),
}
"""Well-formed answers that grant nothing: a refusal, not a fault."""


class Wire:
    """The connection a question came on, for faults that need it."""

    def __init__(self, transport: asyncio.Transport) -> None:
        self.transport = transport

    async def hang(self) -> None:
        """Say nothing for as long as the client stays."""
        while not self.transport.is_closing():
            await asyncio.sleep(0.02)

    async def drip(self, start: bytes, piece: bytes) -> None:
        """A little now and then, for ever."""
        self.transport.write(start)
        while not self.transport.is_closing():
            self.transport.write(piece)
            await asyncio.sleep(0.02)

    async def drip_body(self) -> None:
        await self.drip(b"HTTP/1.1 200 OK\r\n" + JSON.encode() + b"\r\nContent-Length: 100000\r\n\r\n{", b" ")

    async def drip_chunks(self) -> None:
        await self.drip(
            b"HTTP/1.1 200 OK\r\n" + JSON.encode() + b"\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"
        )

    async def drip_headers(self) -> None:
        await self.drip(b"HTTP/1.1 200 OK\r\nX-Slow: ", b"a")

    async def flood(self) -> None:
        """A body without an end, as fast as it is read."""
        self.transport.write(b"HTTP/1.1 200 OK\r\n" + JSON.encode() + b"\r\nTransfer-Encoding: chunked\r\n\r\n")
        while not self.transport.is_closing():
            if self.transport.get_write_buffer_size() < 200_000:
                self.transport.write(b"10000\r\n" + b" " * 65_536 + b"\r\n")
            await asyncio.sleep(0)

    async def reset(self) -> None:
        """Break the connection off."""
        self.transport.abort()


TIMED: dict[str, Callable[[Wire], Awaitable[None]]] = {
    "hang": Wire.hang,
    "drip in the body": Wire.drip_body,
    "drip in chunks": Wire.drip_chunks,
    "drip in the headers": Wire.drip_headers,
    "flood": Wire.flood,
    "reset": Wire.reset,
}

REFUSED = "refused"
"""Nobody listens."""

FAULTS: tuple[str, ...] = (REFUSED, *ANSWERS, *CHANGES, *TIMED)
"""All that must be a fault, never an answer."""

ALL: tuple[str, ...] = (*FAULTS, *EMPTY)

AWAY = frozenset({REFUSED, "closed at once", "truncated body", "not http"}) | {
    name for name in (*ANSWERS, *TIMED) if name.startswith(("429", "5", "hang", "drip", "reset"))
}
"""After these the service counts as away: it could not be reached, did not answer in time, or failed."""
