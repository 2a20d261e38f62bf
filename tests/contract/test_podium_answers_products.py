"""Podium's own server answers the permission query of the source document: its own remote source believes it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from core.actions.products.products import ListProducts, RemoveProduct
from core.actions.products.tokens import RevokeProductToken
from core.authorization.local_source import LocalPermissions
from core.authorization.remote_query import PATHS
from core.authorization.remote_source import RemotePermissions
from core.domain.grants import CacheControl, PermissionQuery
from core.domain.permissions import ADDED_CODES, ALL_CODES
from core.domain.products.products import Product
from core.net.bearer_tokens import BearerToken
from core.record import replace
from tests.support.api.server import ServerOfTests, token_for, token_of
from tests.support.message_examples import messages
from tests.support.workspace import World

EVERYBODY = ("maya", "bob", "vera", "gus")
by_path = pytest.mark.parametrize("path", PATHS.values())


@pytest.fixture
def server(world: World) -> Iterator[ServerOfTests]:
    with ServerOfTests(world, port=True) as server:
        yield server


def accounts(world: World) -> tuple[str, str]:
    """Of the project and of the workspace."""
    return world.row("project", id=world.project.id)["auth_id"], world.row("workspace")["auth_id"]


@pytest.mark.parametrize("name", PATHS)
def test_the_remote_source_says_of_everybody_what_the_local_one_does(
    world: World, server: ServerOfTests, name: str
) -> None:
    code = messages.product_code(world)
    local, token = LocalPermissions(world.database), token_for(world, world.maya)
    bearer = BearerToken(token, "the tests")
    with closing(RemotePermissions(name, server.url, lambda: bearer, codes=ADDED_CODES)) as remote:
        for person in EVERYBODY:
            user_id = getattr(world, person).user_id
            for account in accounts(world):
                for codes in (ALL_CODES, frozenset({code})):
                    question = PermissionQuery(user_id, account, codes)
                    grant = remote.grant(question, CacheControl.NO_CACHE)
                    assert grant.authority.fault is None
                    assert grant.held == local.grant(question, CacheControl.NO_CACHE).held


def test_a_token_that_is_not_valid_gives_no_rights_and_says_why(world: World, server: ServerOfTests) -> None:
    with closing(RemotePermissions("remote", server.url, lambda: BearerToken("wrong", "the tests"))) as remote:
        grant = remote.grant(PermissionQuery(world.maya.user_id, accounts(world)[0], ALL_CODES), CacheControl.NO_CACHE)
    assert (grant.held, grant.authority.fault is None) == (frozenset(), False)


@by_path
def test_an_answer_is_exactly_the_documented_one(world: World, server: ServerOfTests, path: str) -> None:
    account = accounts(world)[0]
    codes = ["TASK_MOVE", "PROJECT_DELETE"]
    filters = {
        "limit": 10, "offset": 0, "account_id": account, "user_id": world.bob.user_id, "permission_codes": codes
    }  # fmt: skip
    answer = server.client(world.vera).post(path, json={"filters": filters})
    assert answer.status_code == 200
    assert answer.json() == {
        "total_count": 1, "data": [{"account_id": account, "permissions": ["TASK_MOVE"]}], "limit": 10, "offset": 0
    }  # fmt: skip


REFUSED: dict[str, tuple[int, Any]] = {
    "no filters": (400, {}),
    "further keys": (400, {"filters": {"permission_codes": ["TASK_MOVE"]}, "more": 1}),
    "an unknown filter": (400, {"filters": {"permission_codes": ["TASK_MOVE"], "permissionCodes": []}}),
    "no codes": (400, {"filters": {"permission_codes": []}}),
    "a limit that is too large": (400, {"filters": {"permission_codes": ["TASK_MOVE"], "limit": 101}}),
    "a truth value as limit": (400, {"filters": {"permission_codes": ["TASK_MOVE"], "limit": True}}),
    "a list": (400, []),
    "an account that is none": (404, {"filters": {"permission_codes": ["TASK_MOVE"], "account_id": "x"}}),
}


@by_path
@pytest.mark.parametrize("what", REFUSED)
def test_a_refusal_has_form_b(server: ServerOfTests, path: str, what: str) -> None:
    status, body = REFUSED[what]
    answer = server.client().post(path, json=body)
    assert answer.status_code == status
    (error,) = answer.json()["errors"]
    assert answer.json().keys() == {"errors"}
    assert (error["status_code"], error.keys()) == (status, {"status_code", "detail"})


@by_path
def test_also_what_never_gets_there_is_refused_in_form_b(world: World, server: ServerOfTests, path: str) -> None:
    body = {"filters": {"permission_codes": ["USER_MANAGE"], "user_id": world.bob.user_id}}
    maya = server.client()
    answers = {
        400: maya.post(f"{path}?limit=1", json=body),
        401: server.stranger().post(path, json=body),
        403: server.client(world.vera).post(path, json=body),
        404: maya.post(path + "/more", json=body),
        405: maya.get(path),
        415: maya.post(path, content=b"{}"),
    }
    for status, answer in answers.items():
        assert answer.status_code == status
        assert [error["status_code"] for error in answer.json()["errors"]] == [status]
    assert answers[405].headers["Allow"] == "POST"


# -- with a token of the product -----------------------------------------------------------------------------------


def used(world: World) -> tuple[Product, str]:
    """A product that has an application on the project, and the code of it that Maya, Lead there, holds."""
    code = messages.product_code(world)
    (product,) = (line.product for line in world.ask(ListProducts()))
    return product, code


@by_path
def test_a_product_asks_about_the_user_and_the_project_that_it_was_launched_with(
    world: World, server: ServerOfTests, path: str
) -> None:
    product, code = used(world)
    application = world.row("application", product_id=product.id)
    launched = server.client().post(f"/v1/applications/{application['id']}/launch").json()
    told = server.stranger().get(f"/v1/launches/{launched['code']}").json()
    asking = server.as_product(product)
    account = told["additional"]["projectAuthId"]
    filters = {"account_id": account, "user_id": told["userId"], "permission_codes": [code], "limit": 5, "offset": 0}
    answer = asking.post(path, json={"filters": filters})
    assert (answer.status_code, answer.json()) == (
        200, {"total_count": 1, "data": [{"account_id": account, "permissions": [code]}], "limit": 5, "offset": 0}
    )  # fmt: skip
    for user_id in (world.gus.user_id, "01UNKNOWN"):
        answer = asking.post(path, json={"filters": filters | {"user_id": user_id}})
        assert (answer.status_code, answer.json()["data"]) == (200, [])


@by_path
def test_a_product_is_refused_whatever_else_it_asks_and_learns_no_name(
    world: World, server: ServerOfTests, path: str
) -> None:
    product, code = used(world)
    other = world.row("project", id=world.new_project("Secret merger").id)["auth_id"]
    account, workspace = accounts(world)
    asking = server.as_product(product)
    allowed = {"account_id": account, "user_id": world.bob.user_id, "permission_codes": [code]}
    assert asking.post(path, json={"filters": allowed}).status_code == 200
    refusals = [
        asking.post(path, json={"filters": allowed | changed})
        for changed in (
            {"account_id": other},
            {"account_id": workspace},
            {"account_id": "unknown"},
            {"account_id": None},
            {"permission_codes": ["TASK_MOVE"]},
            {"permission_codes": [code, "PROJECT_VIEW"]},
            {"account_id": other, "user_id": "unknown"},
        )
    ]
    for answer in refusals:
        assert answer.status_code == 403
        assert answer.json() == refusals[0].json()
        assert answer.json()["errors"][0].keys() == {"status_code", "detail"}
    unnamed = asking.post(path, json={"filters": {key: allowed[key] for key in ("account_id", "permission_codes")}})
    assert unnamed.status_code == 400


def test_the_token_of_a_product_ends_when_it_is_revoked_or_the_product_removed(
    world: World, server: ServerOfTests
) -> None:
    product, code = used(world)
    filters = {"account_id": accounts(world)[0], "user_id": world.bob.user_id, "permission_codes": [code]}
    path = PATHS["remote"]
    asking = server.as_product(product)
    assert asking.post(path, json={"filters": filters}).status_code == 200
    world.do(RevokeProductToken(product_token_id=world.row("product_token")["id"]))
    assert asking.post(path, json={"filters": filters}).status_code == 401
    unused = world.product("Unused")
    asking = server.as_product(unused)
    assert asking.post(path, json={"filters": filters}).status_code == 403
    world.do(RemoveProduct(product_id=unused.id))
    assert asking.post(path, json={"filters": filters}).status_code == 401


def test_what_a_product_asks_is_answered_by_the_source_in_use(world: World, server: ServerOfTests) -> None:
    product, code = used(world)
    secret = token_of(world, product)
    with closing(RemotePermissions("remote", server.url, lambda: BearerToken(secret, "the tests"))) as remote:
        account = accounts(world)[0]
        question = PermissionQuery(world.maya.user_id, account, frozenset({code}))
        assert remote.grant(question, CacheControl.NO_CACHE).held == {code}
        more = remote.grant(replace(question, codes=frozenset({code, "TASK_MOVE"})), CacheControl.NO_CACHE)
        assert (more.held, more.authority.fault is None) == (frozenset(), False)
