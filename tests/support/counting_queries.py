"""The queries that a screen sends, in their order, with a way to keep their answers back."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from textual.pilot import Pilot

from core.engine.messages import Query


class SentQueries:
    """The queries of some kinds that are sent beside others; all other ones are passed on unseen."""

    def __init__(self, kinds: tuple[type[Query[Any]], ...]) -> None:
        self._kinds = kinds
        self.names: list[str] = []
        self.at_once = 0
        """The most that were unanswered at one time."""
        self.gate = asyncio.Event()
        """Answers wait for it."""
        self.gate.set()
        self.failure: Exception | None = None
        """Raised in place of an answer."""
        self._open = 0

    async def pass_on(self, send: Any, query: Query[Any]) -> Any:
        if not isinstance(query, self._kinds):
            return await send(query)
        self.names.append(type(query).__name__)
        self._open += 1
        self.at_once = max(self.at_once, self._open)
        try:
            await self.gate.wait()
            if self.failure is not None:
                raise self.failure
            return await send(query)
        finally:
            self._open -= 1


@contextmanager
def sent_aside(pilot: Pilot[int], *kinds: type[Query[Any]]) -> Iterator[SentQueries]:
    """Record the queries of these kinds that the application of a pilot sends by ``aside``."""
    sent, backend = SentQueries(kinds), pilot.app.backend  # type: ignore[attr-defined]
    before = backend.aside
    backend.aside = lambda query: sent.pass_on(before, query)
    try:
        yield sent
    finally:
        backend.aside = before
