"""Podium's own server answers the permission query of the source document: its own remote source believes it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from core.authorization.asking import PATHS
from core.authorization.local import LocalPermissions
from core.authorization.question import Freshness, Question
from core.authorization.remote import RemotePermissions
from core.bearer import Token
from core.rights import ALL_CODES
from tests import samples
from tests.api.server import ServerOfTests, token_for
from tests.world import World

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
    code = samples.product_code(world)
    local, token = LocalPermissions(world.database), token_for(world, world.maya)
    with closing(RemotePermissions(name, server.url, lambda: Token(token, "the tests"))) as remote:
        for person in EVERYBODY:
            user_id = getattr(world, person).user_id
            for account in accounts(world):
                for codes in (ALL_CODES, frozenset({code})):
                    question = Question(user_id, account, codes)
                    grant = remote.grant(question, Freshness.EXACT)
                    assert grant.authority.fault is None
                    assert grant.held == local.grant(question, Freshness.EXACT).held


def test_a_token_that_is_not_valid_gives_no_rights_and_says_why(world: World, server: ServerOfTests) -> None:
    with closing(RemotePermissions("remote", server.url, lambda: Token("wrong", "the tests"))) as remote:
        grant = remote.grant(Question(world.maya.user_id, accounts(world)[0], ALL_CODES), Freshness.EXACT)
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
