"""Secrets that are valid once, and commands that are carried out once, at two servers that are asked at one time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier

import httpx

from tests.api.two_servers.conftest import MakeServers

TIMES = 15


def at_once(asks: Sequence[Callable[[], httpx.Response]]) -> list[httpx.Response]:
    """The answers to requests that are sent at one time."""
    barrier = Barrier(len(asks))

    def ask(send: Callable[[], httpx.Response]) -> httpx.Response:
        barrier.wait()
        return send()

    with ThreadPoolExecutor(len(asks)) as threads:
        return list(threads.map(ask, asks))


def test_a_command_with_one_key_is_carried_out_once_though_both_servers_get_it_at_one_time(
    servers: MakeServers,
) -> None:
    two = servers()
    clients = [server.client() for server in two]
    path = f"/v1/phases/{two.world.discover.id}/tasks"
    for number in range(TIMES):
        key, body = {"Idempotency-Key": f"key-{number}"}, {"title": f"Task {number}"}
        answers = at_once([partial(each.post, path, json=body, headers=key) for each in clients])
        assert [each.status_code for each in answers] == [201, 201], [each.text for each in answers]
        assert answers[0].json() == answers[1].json()
    made = two.world.rows("SELECT title FROM item WHERE phase_id = :id", id=two.world.discover.id)
    assert len(made) == TIMES


def test_a_launch_code_is_exchanged_once_though_both_servers_get_it_at_one_time(servers: MakeServers) -> None:
    two = servers()
    launch = f"/v1/applications/{two.world.add_application().id}/launch"
    maya, strangers = two.first.client(), [server.stranger() for server in two]
    for _ in range(TIMES):
        path = f"/v1/launches/{maya.post(launch).json()['code']}"
        answers = at_once([partial(each.get, path) for each in strangers])
        assert sorted(each.status_code for each in answers) in ([200, 400], [200, 404]), answers[0].text


def test_a_session_of_a_gateway_is_one_at_both_servers_and_ends_at_both(servers: MakeServers) -> None:
    two = servers()
    gateway = two.first.as_gateway()
    session = gateway.post("/v1/sessions", json={"login": "vera"}).json()
    there = two.second.stranger()
    there.headers["Authorization"] = f"Bearer {session['secret']}"
    assert there.get("/v1/me").json()["user"]["login"] == "vera"
    (token,) = two.first.client().get("/v1/gateway-tokens").json()["data"]
    assert two.first.client().post(f"/v1/gateway-tokens/{token['id']}/revoke").status_code == 200
    assert there.get("/v1/me").status_code == 401
