"""Samples of the messages about people and how they come in: users, tokens, linked accounts. Part of ``samples``."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any, TypeVar

from core.actions.products.tokens import CreateProductToken, ListProductTokens, RevokeProductToken
from core.actions.projects.projects import CreateProject
from core.actions.workspace.credentials import (
    CreateToken,
    CreateUserToken,
    LinkOsAccount,
    ListLinkedAccounts,
    ListTokens,
    RevokeToken,
    RevokeUserToken,
    UnlinkOsAccount,
)
from core.actions.workspace.gateway_tokens import CreateGatewayToken, ListGatewayTokens, RevokeGatewayToken
from core.actions.workspace.renewal import RenewToken
from core.actions.workspace.users import AddUser, DeactivateUser, EditUser, GetUser, ReactivateUser, SetPlatformRoles
from core.domain.credentials import GatewayToken, token_hash
from core.domain.model import Id, PlatformRole
from core.engine.messages import Command, Message, Query
from core.engine.unit_of_work import Actor, new_id
from tests.support.workspace import World

OS_USER = "daemon"
"""An account that every machine has, that no person works as, and that is not root."""


def inactive(world: World) -> Id:
    return world.do(DeactivateUser(user_id=world.gus.user_id)).id


def token(world: World) -> Id:
    return world.do(CreateToken(label="Reports")).token.id


def token_of_bob(world: World) -> Id:
    return world.do(CreateUserToken(user_id=world.bob.user_id, label="Reports")).token.id


def token_of_product(world: World) -> Id:
    return world.do(CreateProductToken(product_id=world.product().id, label="Live")).token.id


def token_of_gateway(world: World) -> Id:
    """One that is there, whichever role can make one."""
    now = world.engine.clock()
    token = GatewayToken(
        id=new_id(),
        label="Web",
        hash=token_hash("secret"),
        made_by=world.maya.user_id,
        created_at=now,
        expires_at=now + timedelta(days=1),
    )
    world.insert(token)
    return token.id


def linked(world: World) -> str:
    """An account that is Bob's."""
    return world.do(LinkOsAccount(os_user=OS_USER, user_id=world.bob.user_id)).os_user


M = TypeVar("M", bound=Message[Any])


def after(prepare: Callable[[World], object], message: M) -> Callable[[World], M]:
    """A message that is about what was made before."""

    def sample(world: World) -> M:
        prepare(world)
        return message

    return sample


def ownerless(world: World) -> Id:
    """A project of Nina's, who is deactivated."""
    nina = world.do(AddUser(first_name="Nina", last_name="B", email="n@x.org", platform_roles=(PlatformRole.INTERNAL,)))
    project = world.do(CreateProject(name="Orphan"), as_=Actor(nina.id))
    world.do(DeactivateUser(user_id=nina.id))
    return project.id


QUERIES: dict[type[Message[Any]], Callable[[World], Query[Any]]] = {
    GetUser: lambda world: GetUser(user_id=world.bob.user_id),
    ListTokens: after(token, ListTokens()),
    ListLinkedAccounts: after(linked, ListLinkedAccounts()),
    ListProductTokens: after(token_of_product, ListProductTokens()),
    ListGatewayTokens: after(token_of_gateway, ListGatewayTokens()),
}

WORKSPACE_COMMANDS: dict[type[Message[Any]], Callable[[World], Command[Any]]] = {
    AddUser: lambda world: AddUser(first_name="Ada", last_name="Moe", email="ada@example.com"),
    EditUser: lambda world: EditUser(user_id=world.gus.user_id, city="Oslo"),
    SetPlatformRoles: lambda world: SetPlatformRoles(
        user_id=world.gus.user_id, platform_roles=(PlatformRole.INTERNAL,)
    ),
    DeactivateUser: lambda world: DeactivateUser(user_id=world.gus.user_id),
    ReactivateUser: lambda world: ReactivateUser(user_id=inactive(world)),
    CreateToken: lambda world: CreateToken(label="Reports", days=30),
    CreateUserToken: lambda world: CreateUserToken(user_id=world.bob.user_id, label="Reports", days=30),
    RevokeToken: lambda world: RevokeToken(token_id=token(world)),
    RenewToken: lambda world: RenewToken(token_id=token(world), keep_days=3),
    RevokeUserToken: lambda world: RevokeUserToken(user_id=world.bob.user_id, token_id=token_of_bob(world)),
    CreateProductToken: lambda world: CreateProductToken(product_id=world.product().id, label="Live", days=30),
    RevokeProductToken: lambda world: RevokeProductToken(product_token_id=token_of_product(world)),
    CreateGatewayToken: lambda world: CreateGatewayToken(label="Web", days=30),
    RevokeGatewayToken: lambda world: RevokeGatewayToken(gateway_token_id=token_of_gateway(world)),
    LinkOsAccount: lambda world: LinkOsAccount(os_user=OS_USER, user_id=world.gus.user_id),
    UnlinkOsAccount: lambda world: UnlinkOsAccount(os_user=linked(world)),
}
