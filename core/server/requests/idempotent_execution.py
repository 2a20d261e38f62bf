"""Idempotency: a command that is sent twice with one Idempotency-Key is carried out once, with the same response."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from starlette.requests import Request

from core.engine.engine import Engine
from core.engine.idempotency import IdempotencyKey, replayed, stored_response
from core.engine.messages import Command
from core.engine.unit_of_work import Actor, UnitOfWork
from core.errors import InvalidInput, NotFound, PodiumError
from core.server.requests.responses import NOTHING

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

    if (command.large or command.leaves_rows) and (response := _stored(engine, command, actor, key)):
        return response
    try:
        return execute(store)
    except PodiumError:
        if response := _stored(engine, command, actor, key):
            return response
        raise


def _stored(engine: Engine, command: Command[Any], actor: Actor, key: IdempotencyKey) -> str | None:
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
    return replayed(response)
