"""Tokens and linked accounts that were ended: undo and redo leave them as they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from core.actions.history.history import Redo, Undo
from core.actions.workspace.credentials import CreateUserToken, LinkOsAccount, ListTokens, TokenState
from core.actions.workspace.users import DeactivateUser, SetPlatformRoles
from core.domain.model import Id, PlatformRole
from core.engine.messages import Command
from core.errors import CannotUndo
from tests.support.message_examples.people import OS_USER
from tests.support.workspace import World


@pytest.mark.parametrize(
    "ending",
    [
        lambda bob: DeactivateUser(user_id=bob, end_access=True),
        lambda bob: SetPlatformRoles(user_id=bob, platform_roles=(PlatformRole.PLATFORM_ADMIN,)),
    ],
    ids=["offboarded", "made a platform admin"],
)
def test_undo_and_redo_bring_back_no_token_and_no_link_that_has_ended(
    world: World, ending: Callable[[Id], Command[Any]]
) -> None:
    bob = world.bob.user_id
    token = world.do(CreateUserToken(user_id=bob, label="Reports")).token
    world.do(LinkOsAccount(os_user=OS_USER, user_id=bob))
    world.do(SetPlatformRoles(user_id=world.maya.user_id, platform_roles=tuple(PlatformRole)))
    world.do(ending(bob))
    before = world.row("app_user", id=bob)
    ended = world.row("token", id=token.id)
    assert ended["revoked_at"]
    assert world.rows("SELECT * FROM linked_account") == []
    for way, active in ((Undo(), 1), (Redo(), before["active"]), (Undo(), 1)):
        world.do(way)
        assert world.row("app_user", id=bob)["active"] == active
        assert world.row("token", id=token.id) == ended
        assert world.rows("SELECT * FROM linked_account") == []


def test_a_change_that_only_ended_access_is_not_undone(world: World) -> None:
    bob = world.bob.user_id
    world.do(CreateUserToken(user_id=bob, label="Reports"))
    world.do(DeactivateUser(user_id=bob))
    world.do(DeactivateUser(user_id=bob, end_access=True))
    world.refuses(Undo(), CannotUndo, r"ended 1 token for good\) cannot be undone: tokens .* stay ended\.")
    assert [line.state for line in world.ask(ListTokens())] == [TokenState.REVOKED]
