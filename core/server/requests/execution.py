"""Execute: the engine carries out a message, and its result becomes JSON text."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import Any

from core.codec.encoding import bytes_of, text_of
from core.engine.engine import Engine
from core.engine.idempotency import IdempotencyKey
from core.engine.messages import Answered, Command, Query
from core.engine.unit_of_work import Actor, UnitOfWork
from core.server.requests.idempotent_execution import Store, execute_once
from core.storage.progress import Progress

MAX_TEXTS = 4
"""Texts that each thread keeps."""

MAX_LENGTH = 256 * 1024
"""The most bytes of a text that is kept."""

MIN_LENGTH = 1024
"""The fewest bytes of a text that is kept: encoding a shorter one again takes no longer than finding it."""


class Executor:
    """Carries out decoded messages, in any thread."""

    def __init__(self, engine: Engine, announce: Callable[[], None]) -> None:
        """``announce`` is called after each commit."""
        self._engine = engine
        self._announce = announce
        self._encoded = EncodedResults()

    def query(self, query: Query[Any], actor: Actor, progress: Progress) -> bytes:
        """Answer a query. Raises PodiumError."""
        return self._encoded.text(self._engine.query(query, actor, progress=progress))

    def command(
        self,
        command: Command[Any],
        actor: Actor,
        key: IdempotencyKey | None,
        progress: Progress,
        also: Query[Any] | None = None,
    ) -> tuple[str, bytes]:
        """Carry out a command, once for each idempotency key. Raises PodiumError.

        Returns its result, and the answer of the query ``also`` as of its commit; b"" where there is none, as for a
        stored response.
        """
        answer = b""

        def execute(store: Store | None) -> str:
            nonlocal answer
            text, answer = self._execute(command, actor, progress, store, also)
            return text

        text = execute(None) if key is None else execute_once(self._engine, command, actor, key, execute)
        return text, answer

    def dry_run(self, command: Command[Any], actor: Actor, progress: Progress) -> bytes:
        """Answer what a command would change; no one is notified. Raises PodiumError."""
        return bytes_of(self._engine.dry_run(command, actor, progress))

    def _execute(
        self,
        command: Command[Any],
        actor: Actor,
        progress: Progress,
        store: Store | None,
        also: Query[Any] | None,
    ) -> tuple[str, bytes]:
        """The texts of the result, and of the answer of ``also``, or b""."""
        text = ""

        def finish(work: UnitOfWork, result: Any) -> None:
            nonlocal text
            text = text_of(result)
            if store:
                store(work, text)

        answered: Answered | None = None
        if also is None:
            self._engine.execute(command, actor, progress, finish=finish)
        else:
            _, answered = self._engine.execute_and_ask(command, also, actor, progress, finish=finish)
        self._announce()
        return text, b"" if answered is None else bytes_of(answered.answer)


class EncodedResults(threading.local):
    """Encodes a result once for all clients that get it, as the last step of a single-flight query.

    Results are compared by identity, never by equality, because an equal result may be for other permissions.
    """

    def __init__(self) -> None:
        self._last: deque[tuple[object, bytes]] = deque(maxlen=MAX_TEXTS)

    def text(self, result: object) -> bytes:
        """The JSON text of a result, in UTF-8."""
        for known, text in self._last:
            if known is result:
                return text
        text = bytes_of(result)
        if MIN_LENGTH < len(text) <= MAX_LENGTH:
            self._last.append((result, text))
        return text
