"""Tokens of gateways: who may make and end them, and what is kept of them."""

from __future__ import annotations

import hashlib

from core.actions.history.history import ListWorkspaceHistory, Undo
from core.actions.workspace.gateway_tokens import CreateGatewayToken, ListGatewayTokens, RevokeGatewayToken
from core.actions.workspace.users import SetPlatformRoles
from core.domain.model import WORKSPACE, PlatformRole
from core.errors import Forbidden, InvalidInput, NothingToUndo
from tests.support.workspace import Clock, World


def test_only_the_hash_is_kept_and_the_history_says_who_made_it(world: World) -> None:
    made = world.do(CreateGatewayToken(label="Web", days=2))
    row = world.row("gateway_token")
    assert row["hash"] == hashlib.sha256(made.secret.encode()).hexdigest()
    assert made.secret not in repr(made)
    for table in ("gateway_token", "change", "change_record"):
        assert made.secret not in repr(world.rows(f"SELECT * FROM {table}"))
    line = world.ask(ListWorkspaceHistory())[0]
    assert (line.actor, line.summary) == ("Maya Okafor", "made the token “Web” of a gateway, for 2 days")


def test_they_end_by_time_or_by_hand_and_not_by_undo(world: World, clock: Clock) -> None:
    world.do(CreateGatewayToken(label="Web", days=1))
    other = world.do(CreateGatewayToken(label="Second", days=30)).token
    assert world.do(RevokeGatewayToken(gateway_token_id=other.id)).state == "REVOKED"
    world.refuses(Undo(project_id=WORKSPACE), NothingToUndo, as_=world.vera)
    clock.forward(days=2)
    assert [(each.label, each.state) for each in world.ask(ListGatewayTokens())] == [
        ("Second", "REVOKED"), ("Web", "EXPIRED")
    ]  # fmt: skip


def test_where_there_is_a_platform_admin_no_other_user_makes_one(world: World) -> None:
    world.do(SetPlatformRoles(user_id=world.gus.user_id, platform_roles=(PlatformRole.PLATFORM_ADMIN,)))
    refused = world.refuses(CreateGatewayToken(label="Web"), Forbidden)
    assert len(refused.who_can) == 1
    assert world.do(CreateGatewayToken(label="Web"), world.gus).token.label == "Web"
    world.refuses(CreateGatewayToken(label="Web", days=366), InvalidInput, "1 to 365 days", as_=world.gus)
