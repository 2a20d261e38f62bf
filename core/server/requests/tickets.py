"""The Idempotency-Key of a request, and what tells it from others."""

from __future__ import annotations

import hashlib

from starlette.requests import Request

from core.engine.idempotency import IdempotencyKey
from core.errors import InvalidInput

MAX_KEY = 200
"""Characters of an Idempotency-Key."""


def ticket_of(request: Request, body: bytes | bytearray) -> IdempotencyKey | None:
    """What makes this request the same as another one; None without a key. Raises InvalidInput for what is no key."""
    sent_keys = request.headers.getlist("idempotency-key")
    if not sent_keys:
        return None
    key = sent_keys[0]
    if len(sent_keys) > 1 or not 0 < len(key) <= MAX_KEY or not (key.isascii() and key.isprintable()):
        raise InvalidInput("Idempotency-Key", f"There is one Idempotency-Key, of 1 to {MAX_KEY} characters of ASCII.")
    sent = hashlib.sha256(f"{request.method} {request.url.path}?{request.url.query}\n".encode())
    sent.update(body)
    return IdempotencyKey(key, sent.hexdigest())
