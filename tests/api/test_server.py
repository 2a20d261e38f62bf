"""The server is the same on each of its listeners, and knows who sends what."""

from __future__ import annotations

import pytest

from tests.support.api.server import ServerOfTests, link_account
from tests.support.workspace import World


@pytest.mark.parametrize("over_tcp", [False, True], ids=["a Unix socket", "a port"])
def test_a_token_says_who_sends_it(world: World, server: ServerOfTests, over_tcp: bool) -> None:
    for actor, name in ((world.maya, "Maya"), (world.bob, "Bob"), (world.vera, "Vera")):
        answer = server.client(actor, over_tcp=over_tcp).get("/v1/me")
        assert (answer.status_code, answer.json()["user"]["firstName"]) == (200, name)


def test_an_unknown_token_is_not_let_in(server: ServerOfTests) -> None:
    assert server.stranger().get("/v1/me").status_code == 401


def test_an_account_that_is_not_linked_is_refused(world: World, server: ServerOfTests) -> None:
    link_account(world, world.bob, uid=1)
    assert server.as_account().get("/v1/me").status_code == 401
