"""Gateway tokens: with one, a gateway opens sessions for the users whom a proxy names.

No command here can be undone, as with the tokens of users.
"""

from __future__ import annotations

from datetime import datetime

from core.actions.workspace.credentials import DAYS, TokenCommand, TokenState, insert_token, revoke_token, state_of
from core.actions.workspace.users import check_not_platform_admin
from core.domain.credentials import GatewayToken
from core.domain.model import Id, PlatformRole, User
from core.domain.permissions import Permission
from core.engine.messages import Command, Query
from core.engine.unit_of_work import Snapshot, UnitOfWork
from core.record import Record, made_from
from core.text.phrases import add_means, count


class GatewayTokenSummary(Record):
    """A gateway token without its hash."""

    id: Id
    label: str
    made_by: str
    """The name of the user who created it, and how they were signed in if another user could act as them."""
    maker_id: Id
    state: TokenState
    created_at: datetime
    expires_at: datetime
    revoked_at: datetime | None


class NewGatewayToken(Record):
    """A new gateway token with its secret, which is shown only once and never stored."""

    token: GatewayTokenSummary
    secret: str


class ListGatewayTokens(Query[tuple[GatewayTokenSummary, ...]]):
    """List the gateway tokens, the newest first."""

    route = "GET /v1/gateway-tokens"
    permission = Permission.USER_MANAGE

    def run(self, view: Snapshot) -> tuple[GatewayTokenSummary, ...]:
        return tuple(_line(view, each) for each in view.all(GatewayToken, "1 = 1 ORDER BY id DESC"))


class CreateGatewayToken(TokenCommand[NewGatewayToken]):
    """Create a token with which a gateway opens sessions. Its secret is shown once.

    It opens them for every user, platform admins included, so only a platform admin can create one if there is any.
    """

    route = "POST /v1/gateway-tokens"
    permission = Permission.USER_MANAGE
    label: str
    days: int = DAYS

    def run(self, work: UnitOfWork) -> NewGatewayToken:
        check_not_platform_admin(work, PlatformRole.PLATFORM_ADMIN)
        me = work.actor.user_id
        token, secret = insert_token(work, GatewayToken, self.label, self.days, made_by=me, through=work.actor.through)
        work.say(f"made the token “{token.label}” of a gateway, for {count(self.days, 'day')}")
        return NewGatewayToken(token=_line(work, token), secret=secret)


class RevokeGatewayToken(Command[GatewayTokenSummary]):
    """Revoke a gateway token, and end the sessions that were opened with it."""

    route = "POST /v1/gateway-tokens/{gateway_token_id}/revoke"
    permission = Permission.USER_MANAGE
    ends_access = True
    undoable = False
    gateway_token_id: Id

    def run(self, work: UnitOfWork) -> GatewayTokenSummary:
        return _line(work, revoke_token(work, work.get(GatewayToken, id=self.gateway_token_id), "a gateway"))


def _line(view: Snapshot, token: GatewayToken) -> GatewayTokenSummary:
    maker = view.find(User, id=token.made_by)
    made_by = add_means(maker.name, token.through) if maker else ""
    known = {"made_by": made_by, "maker_id": token.made_by, "state": state_of(token, view.now)}
    return made_from(GatewayTokenSummary, token, **known)
