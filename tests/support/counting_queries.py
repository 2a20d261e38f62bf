"""The queries that a screen sends, in their order, with a way to keep their answers back."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any
from unittest.mock import patch

from core.engine.messages import Query
from tests.support.app_driver import PodiumPilot


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
def sent_aside(pilot: PodiumPilot, *kinds: type[Query[Any]]) -> Iterator[SentQueries]:
    """Record the queries of these kinds that the application of a pilot sends by ``aside``."""
    sent, backend = SentQueries(kinds), pilot.app.backend
    with patch.object(backend, "aside", partial(sent.pass_on, backend.aside)):
        yield sent
