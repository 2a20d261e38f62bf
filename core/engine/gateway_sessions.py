"""What a gateway may do with its token: open sessions for the people whom a proxy names, and keep them open.

A session is a token of that person's that ends within minutes unless the gateway asks to keep it, so that a gateway
that was killed leaves none. It also ends with the token of the gateway. The history says by which gateway they came.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from core.domain.credentials import GatewayToken, Token, new_secret, token_hash
from core.domain.model import WORKSPACE, Id, User
from core.engine.engine import Engine
from core.engine.quotas import check_session_quota
from core.engine.unit_of_work import Actor, UnitOfWork, new_id
from core.errors import Forbidden
from core.storage.database import Tx

ONLY_SESSIONS = "The token of a gateway opens sessions, and is refused for everything else."
NOBODY = "Nobody active in this workspace has this login. Ask a workspace admin to add you."

SESSION = timedelta(minutes=15)
"""How long a session stays open that is not kept open."""

LABEL = "Podium in the browser"

NO_PERSON = Actor("", "server")
"""Whose the work is before it is known for whom the session is."""

MAX_KEPT = 1_000
"""Sessions that are kept open by one request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedSession:
    """A session that was just opened, with the secret that is its person's token."""

    id: Id
    user_id: Id
    expires_at: datetime
    secret: str = field(repr=False)


def open_session(application: Engine, gateway_id: Id, login: str) -> OpenedSession:
    """Open a session for the person with this login. Raises Forbidden where nobody active has it, QuotaReached."""

    def write(tx: Tx) -> OpenedSession:
        now = application.clock()
        tx.execute("DELETE FROM token WHERE gateway_id IS NOT NULL AND expires_at < :past", past=_day_before(now))
        nobody = UnitOfWork(tx, NO_PERSON, now, WORKSPACE)
        user = nobody.find(User, login=login)
        if user is None or not user.active:
            raise Forbidden(NOBODY)
        nobody.quotas = application.quotas
        check_session_quota(nobody, user.id)
        gateway, secret = nobody.get(GatewayToken, id=gateway_id), new_secret()
        through = f"through the gateway “{gateway.label}”"
        work = UnitOfWork(tx, Actor(user.id, "server", through), now, WORKSPACE)
        token = work.insert(
            Token(
                id=new_id(),
                user_id=user.id,
                label=LABEL,
                hash=token_hash(secret),
                created_at=now,
                expires_at=_until(now),
                made_by=user.id,
                through=through,
                gateway_id=gateway.id,
            )
        )
        work.say("signed in in a browser")
        work.record("OpenSession")
        return OpenedSession(id=token.id, user_id=user.id, expires_at=token.expires_at, secret=secret)

    return application.database.write(write)


def keep_sessions(application: Engine, gateway_id: Id, ids: Sequence[Id]) -> tuple[Id, ...]:
    """Keep sessions of a gateway open for a while longer; those that are. It stands in no history."""

    def write(tx: Tx) -> tuple[Id, ...]:
        now = application.clock()
        work, kept = UnitOfWork(tx, NO_PERSON, now, WORKSPACE), []
        for session_id in ids:
            token = work.find(Token, id=session_id, gateway_id=gateway_id)
            if token is not None and token.is_valid(now):
                work.update(token, expires_at=_until(now))
                kept.append(token.id)
        return tuple(kept)

    return application.database.write(write)


def _until(now: datetime) -> datetime:
    return (now + SESSION).replace(microsecond=0)  # answers are kept for a second


def _day_before(now: datetime) -> str:
    from core.storage.row_mapper import stored

    return str(stored(now - timedelta(days=1)))
