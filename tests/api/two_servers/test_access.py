"""Access that ends at one server of two ends at the other: tokens, memberships, linked accounts."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from core.actions.projects.members import InviteMember, RemoveMember
from core.actions.projects.presence import ReportPresence
from core.actions.workspace.credentials import CreateToken
from core.domain.model import ProjectRole
from core.net import this_host
from tests.api.two_servers.conftest import ROUNDS, MakeServers, Stream, each_notice, printed, waited
from tests.support.api.server import link_account
from tests.support.authorization_service.server import Service
from tests.support.waiting import PATIENCE, wait_until


@each_notice
def test_a_token_that_one_server_revokes_is_refused_by_the_other_on_requests_and_on_open_streams(
    servers: MakeServers, without: frozenset[str]
) -> None:
    two = servers(without)
    requests, streams = [], []
    here, there = two.first.client(two.world.bob), two.second.client(two.world.bob)
    for _ in range(ROUNDS):
        made = two.world.do(CreateToken(label="Reports"), two.world.bob)
        there.headers["Authorization"] = f"Bearer {made.secret}"
        assert there.get("/v1/me").status_code == 200
        stream = Stream(two.second, made.secret)
        assert here.post(f"/v1/tokens/{made.token.id}/revoke", json={}).status_code == 200
        began = time.monotonic()
        requests.append(waited(lambda: there.get("/v1/me").status_code == 401))
        assert stream.ended.wait(PATIENCE)
        streams.append(time.monotonic() - began)
    printed("A revoked token is refused by the other server", without, requests)
    printed("The stream of a revoked token ends at the other server", without, streams)


@each_notice
def test_a_member_whom_one_server_removes_is_refused_by_the_other_although_it_keeps_the_grants_of_a_service(
    servers: MakeServers, without: frozenset[str], service: Service
) -> None:
    two = servers(without)
    world, bob = two.world, two.world.bob.user_id
    service.copy(world.database)
    for server in two:
        server.world.engine.permissions = service.source(max_age=600)
    path, account = f"/v1/projects/{world.project.id}/phases", world.project.auth_id
    there, seconds = two.second.client(world.bob), []
    held = service.holdings.held[bob, account]
    for _ in range(ROUNDS):
        wait_until(lambda: there.get(path).status_code == 200)
        asked = len(service.requests)
        assert there.get(path).status_code == 200
        assert len(service.requests) == asked, "the grant is kept"
        service.holdings.revoke(bob, account)
        world.do(RemoveMember(project_id=world.project.id, user_id=bob))
        seconds.append(waited(lambda: there.get(path).status_code == 404))
        service.holdings.held[bob, account] = held
        world.do(InviteMember(project_id=world.project.id, user_id=bob, role=ProjectRole.CONTRIBUTOR))
    printed("A removed member is refused by the other server", without, seconds)


@each_notice
def test_people_look_again_who_is_here_when_another_server_changes_a_role(
    servers: MakeServers, without: frozenset[str]
) -> None:
    two = servers(without)
    there = two.second.world
    there.ask(ReportPresence(project_id=there.project.id), there.vera)
    token = two.second.client(there.vera).headers["Authorization"].removeprefix("Bearer ")
    vera = Stream(two.second, token)
    wait_until(lambda: "event: change" in vera.heard)
    two.world.task()
    wait_until(lambda: vera.heard.count("event: change") > 1)
    assert "event: presence" not in vera.heard
    two.world.do(RemoveMember(project_id=there.project.id, user_id=there.bob.user_id))
    wait_until(lambda: "event: presence" in vera.heard)


def test_an_account_of_one_machine_is_no_account_of_another(
    servers: MakeServers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    two = servers()
    link_account(two.world, two.world.bob)
    assert two.first.as_account().get("/v1/me").json()["user"]["login"] == "bob"
    other = tmp_path / "machine-id"
    other.write_text("another machine")
    monkeypatch.setattr(this_host, "MACHINE_ID", other)
    refused = two.second.as_account().get("/v1/me")
    assert refused.status_code == 401
    assert "An account signs in only on the machine where it was linked" in refused.text
    link_account(two.second.world, two.world.vera)
    assert two.second.as_account().get("/v1/me").json()["user"]["login"] == "vera"
