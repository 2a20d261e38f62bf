"""Samples of the messages about people and how they come in: users, tokens, linked accounts. Part of ``samples``."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any, TypeVar

from core.actions.products import tokens
from core.actions.projects import projects
from core.actions.workspace import credentials, gateway_tokens, users
from core.domain.credentials import GatewayToken, token_hash
from core.domain.model import Id, PlatformRole
from core.engine.messages import Command, Message, Query
from core.engine.unit_of_work import Actor, new_id
from tests.support.workspace import World

OS_USER = "daemon"
"""An account that every machine has, that no person works as, and that is not root."""


def inactive(world: World) -> Id:
    return world.do(users.DeactivateUser(user_id=world.gus.user_id)).id


def token(world: World) -> Id:
    return world.do(credentials.CreateToken(label="Reports")).token.id


def token_of_bob(world: World) -> Id:
    return world.do(credentials.CreateUserToken(user_id=world.bob.user_id, label="Reports")).token.id


def token_of_product(world: World) -> Id:
    return world.do(tokens.CreateProductToken(product_id=world.product().id, label="Live")).token.id


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
    return world.do(credentials.LinkOsAccount(os_user=OS_USER, user_id=world.bob.user_id)).os_user


M = TypeVar("M", bound=Message[Any])


def after(prepare: Callable[[World], object], message: M) -> Callable[[World], M]:
    """A message that is about what was made before."""

    def sample(world: World) -> M:
        prepare(world)
        return message

    return sample


def ownerless(world: World) -> Id:
    """A project of Nina's, who is deactivated."""
    nina = world.do(
        users.AddUser(first_name="Nina", last_name="B", email="n@x.org", platform_roles=(PlatformRole.INTERNAL,))
    )
    project = world.do(projects.CreateProject(name="Orphan"), as_=Actor(nina.id))
    world.do(users.DeactivateUser(user_id=nina.id))
    return project.id


QUERIES: dict[type[Message[Any]], Callable[[World], Query[Any]]] = {
    users.GetUser: lambda world: users.GetUser(user_id=world.bob.user_id),
    credentials.ListTokens: after(token, credentials.ListTokens()),
    credentials.ListLinkedAccounts: after(linked, credentials.ListLinkedAccounts()),
    tokens.ListProductTokens: after(token_of_product, tokens.ListProductTokens()),
    gateway_tokens.ListGatewayTokens: after(token_of_gateway, gateway_tokens.ListGatewayTokens()),
}

WORKSPACE_COMMANDS: dict[type[Message[Any]], Callable[[World], Command[Any]]] = {
    users.AddUser: lambda world: users.AddUser(first_name="Ada", last_name="Moe", email="ada@example.com"),
    users.EditUser: lambda world: users.EditUser(user_id=world.gus.user_id, city="Oslo"),
    users.SetPlatformRoles: lambda world: users.SetPlatformRoles(
        user_id=world.gus.user_id, platform_roles=(PlatformRole.INTERNAL,)
    ),
    users.DeactivateUser: lambda world: users.DeactivateUser(user_id=world.gus.user_id),
    users.ReactivateUser: lambda world: users.ReactivateUser(user_id=inactive(world)),
    credentials.CreateToken: lambda world: credentials.CreateToken(label="Reports", days=30),
    credentials.CreateUserToken: lambda world: credentials.CreateUserToken(
        user_id=world.bob.user_id, label="Reports", days=30
    ),
    credentials.RevokeToken: lambda world: credentials.RevokeToken(token_id=token(world)),
    credentials.RenewToken: lambda world: credentials.RenewToken(token_id=token(world), keep_days=3),
    credentials.RevokeUserToken: lambda world: credentials.RevokeUserToken(
        user_id=world.bob.user_id, token_id=token_of_bob(world)
    ),
    tokens.CreateProductToken: lambda world: tokens.CreateProductToken(
        product_id=world.product().id, label="Live", days=30
    ),
    tokens.RevokeProductToken: lambda world: tokens.RevokeProductToken(product_token_id=token_of_product(world)),
    gateway_tokens.CreateGatewayToken: lambda world: gateway_tokens.CreateGatewayToken(label="Web", days=30),
    gateway_tokens.RevokeGatewayToken: lambda world: gateway_tokens.RevokeGatewayToken(
        gateway_token_id=token_of_gateway(world)
    ),
    credentials.LinkOsAccount: lambda world: credentials.LinkOsAccount(os_user=OS_USER, user_id=world.gus.user_id),
    credentials.UnlinkOsAccount: lambda world: credentials.UnlinkOsAccount(os_user=linked(world)),
}
