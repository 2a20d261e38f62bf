"""One permission query to the authorization service, page by page.

A page is requested up to four times while the service cannot be reached or answers 429, 502, 503 or 504, after a random
pause (exponential backoff with full jitter) and the service's own Retry-After, all within one deadline.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from functools import partial
from urllib.parse import urlsplit

from core.authorization.faults import QueryFailed, from_answer, from_http, from_status
from core.authorization.query_schema import GrantEntry, GrantPage, read_page, request_body
from core.codec.strict_json import InvalidJson
from core.domain.grants import PermissionQuery
from core.domain.permissions import IN_PLACE, Permission
from core.net.bearer_tokens import BearerToken
from core.net.http_client import HttpClient, HttpError, Reply, TimedOut
from core.record import replace

MAX_PAGES = 50
"""The most pages of one answer. A query is for one account, so even a second page is unusual."""

PATHS = {"remote": "/api/v20/users/permissions/query", "staging": "/api/v20/users/query"}
"""The path of the query, by the name of the source."""


class RemoteQuery:
    """Sends permission queries to one service."""

    def __init__(
        self, client: HttpClient, name: str, url: str, deadline: float, unnamed: frozenset[Permission]
    ) -> None:
        """``unnamed`` are the codes in whose place others are asked for (``IN_PLACE``)."""
        self.client = client
        self.deadline = deadline
        self.unnamed = unnamed
        self.address = url + PATHS[name]
        self.host = urlsplit(url).netloc

    async def send(
        self, query: PermissionQuery, token: BearerToken, correlation_id: str, ends_at: float
    ) -> frozenset[str]:
        """Return those codes of the query that the user holds on its account, as the service says.

        Raises QueryFailed, at the latest at ``ends_at`` on the clock of the loop.
        """
        entries: list[GrantEntry] = []
        total: int | None = None
        asked = self._translate(query)
        while total is None or len(entries) < total:
            body = request_body(asked, len(entries))
            headers = _headers(token, correlation_id)
            reply = await with_retries(partial(self._post, body, headers), ends_at)
            try:
                page = read_page(reply.body, len(entries))
                _check_page(page, entries, total)
            except InvalidJson as error:
                raise from_answer(error, self.host) from error
            total = page.total_count
            entries += page.data
        account = query.account_id.lower()  # a UUID, of which some services write the letters in capitals
        listed = [entry.permissions for entry in entries if entry.account_id.lower() == account]
        held = frozenset().union(*listed) - self.unnamed  # a code that was not asked about is not granted by itself
        held |= {code for code in self.unnamed if IN_PLACE[code] in held & asked.codes}
        return held & query.codes  # so that nothing else is stored

    def _translate(self, query: PermissionQuery) -> PermissionQuery:
        """The query as the service knows its codes."""
        if query.codes.isdisjoint(self.unnamed):
            return query
        in_place = {IN_PLACE[code] for code in self.unnamed if code in query.codes}
        return replace(query, codes=query.codes - self.unnamed | in_place)

    async def _post(self, body: bytes, headers: dict[str, str], left: float) -> Reply:
        try:
            reply = await self.client.fetch("POST", self.address, headers, body, left)
        except HttpError as error:
            raise from_http(error, self.host, self.deadline) from error
        if reply.status != 200:
            raise from_status(reply, self.host)
        if not is_json(reply.headers.get("content-type", "")):
            raise from_answer("it is not JSON", self.host)
        return reply


def _check_page(page: GrantPage, before: list[GrantEntry], total: int | None) -> None:
    """Raise InvalidJson for a page that contradicts the pages before it."""
    if total is not None and page.total_count != total:
        raise InvalidJson(f"its total_count was {total} and is {page.total_count} on the next page")
    if page.total_count > MAX_PAGES * page.limit:
        raise InvalidJson(f"it has {page.total_count} entries, for one account")
    if len({*before, *page.data}) < len(before) + len(page.data):
        raise InvalidJson("an entry stands in it twice")


def _headers(token: BearerToken, correlation_id: str) -> dict[str, str]:
    return {
        "Content-Type": "application/json",
        "Accept": "application/json",
        "Authorization": f"Bearer {token.secret}",
        "X-Correlation-Id": correlation_id,
    }


def is_json(content_type: str) -> bool:
    """True for JSON in UTF-8, or without a charset."""
    kind, *parameters = (part.strip().lower() for part in content_type.split(";"))
    charsets = [each.partition("=")[2].strip('"') for each in parameters if each.startswith("charset")]
    return kind == "application/json" and all(charset in ("utf-8", "utf8", "us-ascii") for charset in charsets)


MAX_TRIES = 4
"""The most tries for one page, so that a service that is down is not queried until the deadline."""

FIRST_BACKOFF = 0.1
"""Seconds at most before the second try, doubled before each further one."""


async def with_retries(send: Callable[[float], Awaitable[Reply]], ends_at: float) -> Reply:
    """Return the reply of ``send``, after up to ``MAX_TRIES``; ``send`` takes the seconds that are left.

    Raises the QueryFailed of the last try, or of the one before if the deadline cut the last one short. ``ends_at`` is
    on the clock of the loop.
    """
    clock = asyncio.get_running_loop().time
    before: QueryFailed | None = None
    for attempt in range(1, MAX_TRIES + 1):
        try:
            return await send(ends_at - clock())
        except QueryFailed as failed:
            if before and isinstance(failed.__cause__, TimedOut):
                raise before from failed
            jitter = random.uniform(0, FIRST_BACKOFF * 2 ** (attempt - 1))  # noqa: S311 (no secret)
            wait = failed.wait + jitter
            if not failed.again or attempt == MAX_TRIES or clock() + wait >= ends_at:
                raise
            before = failed
        await asyncio.sleep(wait)
    raise AssertionError("the last try returns or raises")
