"""One question to the authorization service: its pages, and the tries that each may take (spec, section 7)."""

from __future__ import annotations

import asyncio
import random
from urllib.parse import urlsplit

from core.authorization.faults import QueryFailed, from_answer, from_http, from_status
from core.authorization.query_schema import LIMIT, Entry, Page, query, read_page
from core.codec.strict_json import InvalidJson
from core.domain.grants import PermissionQuery
from core.net.bearer_tokens import Token
from core.net.http_client import HttpClient, HttpError, Reply, TimedOut

MAX_PAGES = 50
"""Of one answer. It is about one account, so that even a second page is unusual."""

MAX_TRIES = 4
"""Of one page. A service that is down should not be asked for as long as the deadline lasts (decided here)."""

FIRST_WAIT = 0.1
"""Seconds at most before the second try; twice as many before each further one."""

PATHS = {"remote": "/api/v20/users/permissions/query", "staging": "/api/v20/users/query"}
"""Where the query is (source document, section 4.1), by the name of the source."""


class RemoteQuery:
    """Puts questions to one service."""

    def __init__(self, client: HttpClient, name: str, url: str, deadline: float) -> None:
        self.client = client
        self.deadline = deadline
        self.address = url + PATHS[name]
        self.host = urlsplit(url).netloc

    async def ask(self, question: PermissionQuery, token: Token, correlation_id: str, ends: float) -> frozenset[str]:
        """The codes, of those asked for, that the service says are held on this very account.

        Raises QueryFailed, at the latest when the clock of the loop says ``ends``.
        """
        entries: list[Entry] = []
        total: int | None = None
        while total is None or len(entries) < total:
            body = query(question, len(entries))
            reply = await self._reply(body, _headers(token, correlation_id), ends)
            try:
                page = read_page(reply.body, len(entries))
                _check(page, entries, total)
            except InvalidJson as error:
                raise from_answer(error, self.host) from error
            total = page.total
            entries += page.entries
        held = [entry.permissions for entry in entries if entry.account_id == question.account_id]
        return frozenset().union(*held) & question.codes  # so that nothing else is kept

    async def _reply(self, body: bytes, headers: dict[str, str], ends: float) -> Reply:
        """The reply of status 200, after as many tries as there may be.

        Raises the Trouble of the last try; of the one before when the last was cut short, since that says more.
        """
        clock = asyncio.get_running_loop().time
        before: QueryFailed | None = None
        for attempt in range(1, MAX_TRIES + 1):
            try:
                return await self._try(body, headers, ends - clock())
            except QueryFailed as trouble:
                if before and isinstance(trouble.__cause__, TimedOut):
                    raise before from trouble
                jitter = random.uniform(0, FIRST_WAIT * 2 ** (attempt - 1))  # noqa: S311 (no secret)
                wait = trouble.wait + jitter
                if not trouble.again or attempt == MAX_TRIES or clock() + wait >= ends:
                    raise
                before = trouble
            await asyncio.sleep(wait)
        raise AssertionError("the last try returns or raises")

    async def _try(self, body: bytes, headers: dict[str, str], left: float) -> Reply:
        try:
            reply = await self.client.fetch("POST", self.address, headers, body, left)
        except HttpError as error:
            raise from_http(error, self.host, self.deadline) from error
        if reply.status != 200:
            raise from_status(reply, self.host)
        if not _is_json(reply.headers.get("content-type", "")):
            raise from_answer("it is not JSON", self.host)
        return reply


def _check(page: Page, before: list[Entry], total: int | None) -> None:
    """Refuse pages that do not make one answer together. Raises InvalidJson."""
    if total is not None and page.total != total:
        raise InvalidJson(f"its total_count was {total} and is {page.total} on the next page")
    if page.total > MAX_PAGES * LIMIT:
        raise InvalidJson(f"it has {page.total} entries, for one account")
    if len({*before, *page.entries}) < len(before) + len(page.entries):
        raise InvalidJson("an entry stands in it twice")


def _headers(token: Token, correlation_id: str) -> dict[str, str]:
    return {
        "Content-Type": "application/json",
        "Accept": "application/json",
        "Authorization": f"Bearer {token.value}",
        "X-Correlation-Id": correlation_id,
    }


def _is_json(content_type: str) -> bool:
    """Whether it is JSON, and in UTF-8 where it says."""
    kind, *parameters = (part.strip().lower() for part in content_type.split(";"))
    charsets = [each.partition("=")[2].strip('"') for each in parameters if each.startswith("charset")]
    return kind == "application/json" and all(charset in ("utf-8", "utf8", "us-ascii") for charset in charsets)
