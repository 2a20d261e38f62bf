"""Receipts: a command that is sent twice under one key is carried out once, and answered twice alike.

A receipt is written in the transaction of its command, so there is never one without the other. It is kept for a day,
which is longer than any program goes on trying (decided here). Refused commands leave none: they changed nothing.
"""

from __future__ import annotations

from datetime import timedelta
from typing import NamedTuple

from core.engine.unit_of_work import Snapshot, UnitOfWork
from core.errors import InvalidInput, RuleRefused
from core.storage.row_mapper import stored

KEPT = timedelta(days=1)


class IdempotencyKey(NamedTuple):
    """What makes two requests the same one."""

    key: str
    """Chosen by the sender, new for each command."""
    request: str
    """A hash of what was sent, so that a key that is used for something else is noticed."""


def answer_of(view: Snapshot, ticket: IdempotencyKey) -> str | None:
    """The answer that this request got before, as JSON text, "" when it was not kept; for ``told`` once it is sure that
    the sender still may send it. Raises InvalidInput when the key was another request's.
    """
    rows = view.rows(
        "SELECT request, answer FROM receipt WHERE user_id = :user_id AND key = :key",
        user_id=view.actor.user_id,
        key=ticket.key,
    )
    if not rows:
        return None
    if rows[0]["request"] != ticket.request:
        raise InvalidInput("Idempotency-Key", "This Idempotency-Key was used for another request. Choose a new one.")
    return str(rows[0]["answer"])


def told(answer: str) -> str:
    """The answer, to be given again. Raises RuleRefused when it was not kept."""
    if not answer:
        raise RuleRefused("This was carried out before, and its answer holds a secret that is told only once.")
    return answer


def keep(work: UnitOfWork, ticket: IdempotencyKey, answer: str) -> None:
    """Write the receipt, and forget those that nobody will ask for any more. An answer that may not be kept is ""."""
    work.beside += len(answer.encode())
    work.tx.execute("DELETE FROM receipt WHERE at < :before", before=stored(work.now - KEPT))
    work.tx.execute(
        "INSERT INTO receipt (user_id, key, request, answer, at) VALUES (:user_id, :key, :request, :answer, :at)",
        user_id=work.actor.user_id,
        key=ticket.key,
        request=ticket.request,
        answer=answer,
        at=stored(work.now),
    )
