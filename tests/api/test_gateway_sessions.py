"""The token of a gateway: it opens sessions for people, and is refused for everything else."""

from __future__ import annotations

import httpx
import pytest

from core.actions.catalog import MESSAGES
from core.actions.history.history import ListWorkspaceHistory
from core.actions.products.launch import LaunchApplication, LaunchProduct
from core.actions.products.products import AddProduct
from core.actions.products.tokens import CreateProductToken
from core.actions.workspace.credentials import CreateToken, CreateUserToken, LinkOsAccount, ListTokens, RenewToken
from core.actions.workspace.gateway_tokens import CreateGatewayToken, ListGatewayTokens, RevokeGatewayToken
from core.actions.workspace.users import DeactivateUser
from core.domain.products.products import LaunchKind
from core.engine.messages import Command
from core.sign_in.gateway_sessions import LABEL, NOBODY, ONLY_SESSIONS, SESSION
from tests.api.test_denials import OTHERS
from tests.support.api.server import ServerOfTests
from tests.support.workspace import Clock, World


def opened(server: ServerOfTests, login: str) -> tuple[str, str]:
    """The id and the secret of a session that was opened by a gateway."""
    answer = server.as_gateway().post("/v1/sessions", json={"login": login})
    assert answer.status_code == 201
    assert answer.headers["cache-control"] == "no-store"
    return answer.json()["id"], answer.json()["secret"]


def who(server: ServerOfTests, secret: str) -> str:
    """The first name of a session's user; "" if the session is refused."""
    answer = server.stranger().get("/v1/me", headers={"Authorization": f"Bearer {secret}"})
    return str(answer.json()["user"]["firstName"]) if answer.status_code == 200 else ""


def test_a_session_is_its_person_s_and_the_history_and_the_list_say_by_which_gateway(
    world: World, server: ServerOfTests
) -> None:
    notifications = world.rows("SELECT * FROM notification")
    session_id, secret = opened(server, "vera")
    assert who(server, secret) == "Vera"
    line = world.ask(ListWorkspaceHistory())[0]
    by_gateway = "Vera Sato, through the gateway “Web”, made by Maya Okafor"
    assert (line.actor, line.summary) == (by_gateway, "signed in in a browser")
    token = world.ask(ListTokens(), world.vera)[0]
    assert (token.id, token.label, token.made_by) == (session_id, LABEL, by_gateway)
    assert world.rows("SELECT * FROM notification") == notifications, "nobody needs to be told that they signed in"
    assert secret not in repr(world.rows("SELECT * FROM change_record"))


def test_a_session_ends_soon_unless_it_is_kept_open(world: World, clock: Clock, server: ServerOfTests) -> None:
    gateway = server.as_gateway()
    ids, secrets = zip(*(opened_by(gateway, login) for login in ("vera", "bob")), strict=True)
    clock.forward(seconds=SESSION.total_seconds() * 0.7)
    kept = gateway.post("/v1/sessions/keep", json={"ids": [ids[0], "unknown"]})
    assert kept.json() == {"data": [ids[0]]}
    seq = world.rows("SELECT max(seq) AS seq FROM change")
    clock.forward(seconds=SESSION.total_seconds() * 0.7)
    assert [who(server, secret) for secret in secrets] == ["Vera", ""]
    assert gateway.post("/v1/sessions/keep", json={"ids": [ids[1]]}).json() == {"data": []}
    assert world.rows("SELECT max(seq) AS seq FROM change") == seq, "to keep one open is no history"
    clock.forward(days=3)
    opened_by(server.as_gateway(), "gus")
    assert len(world.rows("SELECT id FROM token WHERE gateway_id IS NOT NULL")) == 1, "those of long ago are removed"


def opened_by(gateway: httpx.Client, login: str) -> tuple[str, str]:
    answer = gateway.post("/v1/sessions", json={"login": login}).json()
    return answer["id"], answer["secret"]


def test_another_gateway_keeps_no_session_open_that_is_not_its_own(world: World, server: ServerOfTests) -> None:
    session_id, _ = opened(server, "vera")
    assert server.as_gateway().post("/v1/sessions/keep", json={"ids": [session_id]}).json() == {"data": []}


def test_a_session_makes_no_access_that_would_outlive_it(world: World, server: ServerOfTests) -> None:
    product = world.do(AddProduct(name="Viewer", kind=LaunchKind.WEB, url="https://viewer.example"))
    kinds = {message for message in MESSAGES if issubclass(message, Command) and message.gives_access}
    secrets = {message for message in MESSAGES if issubclass(message, Command) and message.returns_secret}
    assert kinds == secrets - {LaunchApplication, LaunchProduct} | {LinkOsAccount}, "a launch has a code for a minute"
    sent = {
        CreateToken: ("/v1/tokens", {"label": "Mine"}),
        CreateUserToken: (f"/v1/users/{world.vera.user_id}/tokens", {"label": "Hers"}),
        RenewToken: (f"/v1/tokens/{world.do(CreateToken(label='Old')).token.id}/renew", {}),
        CreateGatewayToken: ("/v1/gateway-tokens", {"label": "Another"}),
        CreateProductToken: (f"/v1/products/{product.id}/tokens", {"label": "Its"}),
        LinkOsAccount: ("/v1/linked-accounts", {"osUser": "daemon", "userId": world.vera.user_id}),
    }
    assert sent.keys() == kinds
    _, secret = opened(server, "maya")
    before = world.rows(
        "SELECT (SELECT count(*) FROM token), (SELECT count(*) FROM linked_account), max(seq) FROM change"
    )
    for path, body in sent.values():
        answer = server.stranger().post(path, json=body, headers={"Authorization": f"Bearer {secret}"})
        assert answer.status_code == 403, (path, answer.text)
        assert "signed in through a gateway" in answer.text
    after = world.rows(
        "SELECT (SELECT count(*) FROM token), (SELECT count(*) FROM linked_account), max(seq) FROM change"
    )
    assert after == before
    for path, body in sent.values():
        assert server.client(world.maya).post(path, json=body).status_code in (200, 201), path


def test_when_the_token_of_the_gateway_is_revoked_its_sessions_end(world: World, server: ServerOfTests) -> None:
    _, secret = opened(server, "vera")
    [line] = world.ask(ListGatewayTokens())
    assert (line.label, line.made_by, line.state) == ("Web", "Maya Okafor", "VALID")
    assert world.do(RevokeGatewayToken(gateway_token_id=line.id)).state == "REVOKED"
    assert who(server, secret) == ""


def test_a_gateway_may_do_nothing_else(world: World, server: ServerOfTests) -> None:
    gateway = server.as_gateway()
    for method, path in sorted(OTHERS - {("POST", "/v1/sessions"), ("POST", "/v1/sessions/keep")}):
        answer = gateway.request(method, path, json={"filters": {}} if method == "POST" else None)
        assert answer.status_code == 403
        assert ONLY_SESSIONS in answer.text


@pytest.mark.parametrize("login", ["nobody", "vera", "", "VERA", "ver\u212a"])
def test_no_session_is_opened_for_an_inactive_or_unknown_user(world: World, server: ServerOfTests, login: str) -> None:
    world.do(DeactivateUser(user_id=world.vera.user_id))
    answer = server.as_gateway().post("/v1/sessions", json={"login": login})
    assert answer.status_code == 403
    assert answer.json()["errors"][0]["errorMessage"] == NOBODY
    assert not world.rows("SELECT 1 FROM token WHERE gateway_id IS NOT NULL")


@pytest.mark.parametrize("body", [{}, {"login": 7}, {"login": ["vera"]}, []])
def test_a_request_without_a_login_is_refused(server: ServerOfTests, body: object) -> None:
    assert server.as_gateway().post("/v1/sessions", json=body).status_code == 400


def test_people_open_no_sessions_not_even_an_admin(world: World, server: ServerOfTests) -> None:
    for path, body in (("/v1/sessions", {"login": "vera"}), ("/v1/sessions/keep", {"ids": []})):
        assert server.client(world.maya).post(path, json=body).status_code == 403
