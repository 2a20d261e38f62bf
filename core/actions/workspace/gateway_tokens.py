"""Gateway tokens: with one, a gateway opens sessions for the users whom a proxy names.

No command here can be undone, as with the tokens of users.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from core.actions.workspace.credentials import DAYS, MAX_DAYS, MAX_LABEL_LENGTH, TokenState, state_of
from core.actions.workspace.users import check_not_platform_admin
from core.domain.credentials import GatewayToken, new_secret, token_hash
from core.domain.model import Id, PlatformRole, User
from core.domain.permissions import Permission
from core.engine.messages import Command, Query
from core.engine.unit_of_work import Snapshot, UnitOfWork, new_id
from core.errors import InvalidInput
from core.record import Record
from core.text.phrases import count
from core.text.sanitize import one_line


class GatewayTokenLine(Record):
    """A gateway token without its hash."""

    id: Id
    label: str
    made_by: str
    """The name of the user who created it."""
    state: TokenState
    created_at: datetime
    expires_at: datetime
    revoked_at: datetime | None


class NewGatewayToken(Record):
    """A new gateway token with its secret, which is shown only once and never stored."""

    token: GatewayTokenLine
    secret: str


class ListGatewayTokens(Query[tuple[GatewayTokenLine, ...]]):
    """List the gateway tokens, the newest first."""

    route = "GET /v1/gateway-tokens"
    permission = Permission.USER_MANAGE

    def run(self, view: Snapshot) -> tuple[GatewayTokenLine, ...]:
        return tuple(_line(view, each) for each in view.all(GatewayToken, "1 = 1 ORDER BY id DESC"))


class CreateGatewayToken(Command[NewGatewayToken]):
    """Create a token with which a gateway opens sessions. Its secret is shown once.

    It opens them for every user, platform admins included, so only a platform admin can create one if there is any.
    """

    route = "POST /v1/gateway-tokens"
    permission = Permission.USER_MANAGE
    creates = True
    gives_access = True
    undoable = False
    tells_secret = True
    label: str
    days: int = DAYS

    def run(self, work: UnitOfWork) -> NewGatewayToken:
        check_not_platform_admin(work, PlatformRole.PLATFORM_ADMIN)
        if not 1 <= self.days <= MAX_DAYS:
            raise InvalidInput("days", f"A token is valid for 1 to {MAX_DAYS} days.")
        secret = new_secret()
        token = GatewayToken(
            id=new_id(),
            label=one_line(self.label, "label", most=MAX_LABEL_LENGTH),
            hash=token_hash(secret),
            made_by=work.actor.user_id,
            created_at=work.now,
            expires_at=(work.now + timedelta(days=self.days)).replace(microsecond=0),
        )
        work.say(f"made the token “{token.label}” of a gateway, for {count(self.days, 'day')}")
        return NewGatewayToken(token=_line(work, work.insert(token)), secret=secret)


class RevokeGatewayToken(Command[GatewayTokenLine]):
    """Revoke a gateway token, and end the sessions that were opened with it."""

    route = "POST /v1/gateway-tokens/{gateway_token_id}/revoke"
    permission = Permission.USER_MANAGE
    ends_access = True
    undoable = False
    gateway_token_id: Id

    def run(self, work: UnitOfWork) -> GatewayTokenLine:
        token = work.get(GatewayToken, id=self.gateway_token_id)
        if token.revoked_at is None:
            work.say(f"revoked the token “{token.label}” of a gateway")
            token = work.update(token, revoked_at=work.now)
        return _line(work, token)


def _line(view: Snapshot, token: GatewayToken) -> GatewayTokenLine:
    maker = view.find(User, id=token.made_by)
    return GatewayTokenLine(
        id=token.id,
        label=token.label,
        made_by=maker.name if maker else "",
        state=state_of(token, view.now),
        created_at=token.created_at,
        expires_at=token.expires_at,
        revoked_at=token.revoked_at,
    )
