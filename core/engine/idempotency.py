"""Stored responses: a command that is sent twice with one idempotency key runs once and gets the same response.

The response is stored in the transaction of its command, so that neither exists without the other. It is kept for a
day, longer than any program retries. A refused command stores no response, because it changed nothing.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from core.engine.unit_of_work import Snapshot, UnitOfWork
from core.errors import InvalidInput, RuleViolation
from core.record import Record
from core.storage.row_mapper import encode_value

KEPT = timedelta(days=1)
DELETED_EVERY = timedelta(hours=1)


class IdempotencyKey(Record, kw_only=False):
    """The key of a request, by which a retry of it is recognised."""

    key: str
    """Chosen by the sender, a new one for each command."""
    request: str
    """A hash of the request, by which a key that is used for another request is noticed."""


def stored_response(view: Snapshot, key: IdempotencyKey) -> str | None:
    """Return the response to an earlier try of this request as JSON text; None for the first try.

    It is "" where the response holds a secret and was not stored. Pass it to ``replay_response`` once it is known that
    the sender is still permitted. Raises InvalidInput for a key that was used for another request.
    """
    rows = view.rows(
        "SELECT request, answer FROM receipt WHERE user_id = :user_id AND key = :key",
        user_id=view.actor.user_id,
        key=key.key,
    )
    if not rows:
        return None
    if rows[0]["request"] != key.request:
        raise InvalidInput("Idempotency-Key", "This Idempotency-Key was used for another request. Choose a new one.")
    return str(rows[0]["answer"])


def replay_response(response: str) -> str:
    """Return the stored response for sending it again. Raises RuleViolation where it was not stored."""
    if not response:
        raise RuleViolation("This was carried out before. Its answer contains a secret, which is shown only once.")
    return response


class ResponseStore:
    """Stores the responses of commands, and deletes those older than a day once an hour.

    A command that looks for old responses while others store new ones conflicts with them on PostgreSQL, so not every
    command does it.
    """

    def __init__(self) -> None:
        self._deleted_at: datetime | None = None

    def store(self, work: UnitOfWork, key: IdempotencyKey, response: str) -> None:
        """Store the response of a command in its transaction; "" where it holds a secret."""
        work.beside += len(response.encode())
        if self._deleted_at is None or work.now - self._deleted_at >= DELETED_EVERY:
            self._deleted_at = work.now
            work.tx.execute("DELETE FROM receipt WHERE at < :before", before=encode_value(work.now - KEPT))
        work.tx.execute(
            "INSERT INTO receipt (user_id, key, request, answer, at) VALUES (:user_id, :key, :request, :answer, :at)",
            user_id=work.actor.user_id,
            key=key.key,
            request=key.request,
            answer=response,
            at=encode_value(work.now),
        )
