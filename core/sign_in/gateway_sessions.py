"""Sessions: a gateway opens them with its token for the users whom a proxy names, and keeps them open.

A session is a token of the user. It ends after 15 minutes unless the gateway asks to keep it, so a killed gateway
leaves no open sessions; and it ends with the gateway's own token. The history names the gateway of each session.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from core.domain.credentials import GatewayToken, Token, new_secret, through_gateway, token_hash
from core.domain.model import WORKSPACE, Id, User
from core.engine.engine import Engine
from core.engine.quotas import check_session_quota
from core.engine.unit_of_work import Actor, UnitOfWork, new_id
from core.errors import Forbidden
from core.record import Record
from core.storage.database import Tx

ONLY_SESSIONS = "The token of a gateway opens sessions, and is refused for everything else."
NOBODY = "No active person in this workspace has this login. Ask a workspace admin to add you."

SESSION = timedelta(minutes=15)
"""The time after which a session ends, unless the gateway keeps it open."""

LABEL = "Podium in the browser"

NO_PERSON = Actor("", "server")
"""The actor before the user of the session is known."""

MAX_KEPT = 1_000
"""The most sessions that one request keeps open."""


class OpenedSession(Record):
    """A session that was just opened. Its ``secret`` is a token of the user."""

    id: Id
    user_id: Id
    expires_at: datetime
    secret: str


def open_session(engine: Engine, gateway_id: Id, login: str) -> OpenedSession:
    """Open a session for the user with this login.

    Raises Forbidden where no active user has it, and QuotaReached for too many sessions.
    """

    def write(tx: Tx) -> OpenedSession:
        now = engine.clock()
        tx.execute("DELETE FROM token WHERE gateway_id IS NOT NULL AND expires_at < :past", past=_day_before(now))
        anonymous = UnitOfWork(tx, NO_PERSON, now, WORKSPACE)
        user = anonymous.find(User, login=login)
        if user is None or not user.active:
            raise Forbidden(NOBODY)
        anonymous.quotas = engine.quotas
        check_session_quota(anonymous, user.id)
        gateway, secret = anonymous.get(GatewayToken, id=gateway_id), new_secret()
        through = through_gateway(gateway, user, anonymous.find(User, id=gateway.made_by))
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

    return engine.database.write(write)


def keep_sessions(engine: Engine, gateway_id: Id, ids: Sequence[Id]) -> tuple[Id, ...]:
    """Keep open sessions of a gateway open for another 15 minutes, and return their ids. No history records it."""

    def write(tx: Tx) -> tuple[Id, ...]:
        now = engine.clock()
        work, kept = UnitOfWork(tx, NO_PERSON, now, WORKSPACE), []
        for session_id in ids:
            token = work.find(Token, id=session_id, gateway_id=gateway_id)
            if token is not None and token.is_valid(now):
                work.update(token, expires_at=_until(now))
                kept.append(token.id)
        work.flush()
        return tuple(kept)

    return engine.database.write(write)


def _until(now: datetime) -> datetime:
    return (now + SESSION).replace(microsecond=0)  # whole seconds, as in a stored answer


def _day_before(now: datetime) -> str:
    from core.storage.row_mapper import encode_value

    return str(encode_value(now - timedelta(days=1)))
