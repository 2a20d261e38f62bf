"""Execute: the engine carries out a message, and its result becomes JSON text.

A command that is sent twice with one Idempotency-Key is carried out once, with the same response.
"""

from __future__ import annotations

import hashlib
import threading
from collections import deque
from collections.abc import Callable
from typing import Any

from starlette.requests import Request

from core.codec.encoding import bytes_of, text_of
from core.engine.engine import Engine
from core.engine.idempotency import IdempotencyKey, replay_response, stored_response
from core.engine.messages import Answered, Command, Query
from core.engine.unit_of_work import Actor, UnitOfWork
from core.errors import InvalidInput, NotFound, PodiumError
from core.server.requests.responses import NOTHING
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


MAX_KEY = 200
"""The most characters of an Idempotency-Key."""

Store = Callable[[UnitOfWork, str], None]
"""Stores the response of a command in the transaction of the command."""


def idempotency_key(request: Request, body: bytes | bytearray) -> IdempotencyKey | None:
    """The key of a request with a hash of the request; None without a key. Raises InvalidInput for a bad key."""
    sent_keys = request.headers.getlist("idempotency-key")
    if not sent_keys:
        return None
    key = sent_keys[0]
    if len(sent_keys) > 1 or not 0 < len(key) <= MAX_KEY or not (key.isascii() and key.isprintable()):
        raise InvalidInput("Idempotency-Key", f"There is one Idempotency-Key, of 1 to {MAX_KEY} characters of ASCII.")
    sent = hashlib.sha256(f"{request.method} {request.url.path}?{request.url.query}\n".encode())
    sent.update(body)
    return IdempotencyKey(key, sent.hexdigest())


def execute_once(
    engine: Engine,
    command: Command[Any],
    actor: Actor,
    key: IdempotencyKey,
    execute: Callable[[Store], str],
) -> str:
    """Return the response of ``execute``, which has to call its ``Store``, or the stored response of a command.

    A small command is not looked up before: a second one is rolled back, since its response cannot be stored twice, or
    refused for the change that the first one made. Raises PodiumError, as ``execute`` does.
    """

    def store(work: UnitOfWork, text: str) -> None:
        engine.responses.store(work, key, "" if command.returns_secret else text)

    if (command.large or command.leaves_rows) and (response := _find_response(engine, command, actor, key)):
        return response
    try:
        return execute(store)
    except PodiumError:
        if response := _find_response(engine, command, actor, key):
            return response
        raise


def _find_response(engine: Engine, command: Command[Any], actor: Actor, key: IdempotencyKey) -> str | None:
    """The stored response, for a sender who may still send the command; None if there is none.

    On a deleted record there are no permissions any more; then only an empty response is returned. Raises PodiumError.
    """
    response = engine.read(actor, lambda view: stored_response(view, key))
    if response is None:
        return None
    try:
        engine.authorize(command, actor)
    except NotFound:
        if response != NOTHING:
            raise
    return replay_response(response)
