"""A command that is sent twice at the same time, under one Idempotency-Key, is carried out once and answered twice."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from core.actions.projects.members import RemoveMember
from tests.support.api.raw import Answer, answer, connection, request
from tests.support.api.server import ServerOfTests, token_for
from tests.support.workspace import World

TIMES = 20


def _at_once(servers: list[ServerOfTests], token: str, key: str, body: bytes) -> list[Answer]:
    """The answers to one request that goes out on several connections at the same moment."""
    together = Barrier(len(servers), timeout=30)

    def send(server: ServerOfTests) -> Answer:
        with connection(server) as client:
            sent = request("/v1/projects", token, f"Idempotency-Key: {key}", method="POST", body=body)
            client.sendall(sent[:-1])
            together.wait()
            client.sendall(sent[-1:])
            return answer(client)

    with ThreadPoolExecutor(len(servers)) as pool:
        return list(pool.map(send, servers))


@pytest.mark.parametrize("processes", [1, 2], ids=["at one server", "at two servers of one database"])
def test_the_same_command_on_two_connections_is_carried_out_once(
    world: World, server: ServerOfTests, processes: int
) -> None:
    with ServerOfTests(world) as other:
        token = token_for(world, world.maya)
        for number in range(TIMES):
            body = b'{"name": "Project %d"}' % number
            first, second = _at_once([server, other if processes == 2 else server], token, f"key-{number}", body)
            assert (first.status, second.status) == (201, 201), (first, second)
            assert first.json == second.json
            assert len(world.rows("SELECT id FROM project WHERE name = :name", name=f"Project {number}")) == 1


def test_a_key_that_was_another_requests_is_refused(world: World, server: ServerOfTests) -> None:
    token = token_for(world, world.maya)
    (made,) = _at_once([server], token, "one-key", b'{"name": "First"}')
    (refused,) = _at_once([server], token, "one-key", b'{"name": "Second"}')
    assert (made.status, refused.status) == (201, 400)
    assert "Idempotency-Key" in refused.said
    assert not world.rows("SELECT id FROM project WHERE name = 'Second'")


def test_two_people_may_choose_the_same_key(world: World, server: ServerOfTests) -> None:
    made = [
        client.post(
            f"/v1/phases/{world.discover.id}/tasks", json={"title": "One"}, headers={"Idempotency-Key": "the-same"}
        ).json()
        for client in (server.client(world.maya), server.client(world.bob), server.client(world.maya))
    ]
    assert made[0]["id"] == made[2]["id"] != made[1]["id"]
    assert len(world.rows("SELECT id FROM item WHERE title = 'One'")) == 2


def test_a_key_is_kept_for_a_day(world: World, server: ServerOfTests) -> None:
    path = f"/v1/phases/{world.discover.id}/tasks"

    def made(key: str) -> str:
        answer = server.client().post(path, json={"title": key}, headers={"Idempotency-Key": key})
        return str(answer.json()["id"])

    first = made("first")
    world.clock.forward(hours=23)
    made("second")
    assert made("first") == first
    world.clock.forward(hours=2)
    made("third")
    assert [row["key"] for row in world.rows("SELECT key FROM receipt ORDER BY at")] == ["second", "third"]


@pytest.mark.parametrize("key", ["", "x" * 201, "\x7f", "\u00e9".encode().decode("latin-1"), "a\r\nIdempotency-Key: b"])
def test_a_key_that_cannot_be_kept_is_refused(world: World, server: ServerOfTests, key: str) -> None:
    with connection(server) as client:
        head = request("/v1/projects", token_for(world, world.maya), method="POST", body=b'{"name": "Odd"}')
        named = b"Idempotency-Key: " + key.encode("latin-1") + b"\r\n"
        client.sendall(head.replace(b"Content-Length", named + b"Content-Length"))
        assert answer(client).status == 400
    assert not world.rows("SELECT id FROM project WHERE name = 'Odd'")


def test_an_answer_is_given_again_only_to_a_user_who_still_may_send_the_command(
    world: World, server: ServerOfTests
) -> None:
    client, key = server.client(world.bob), {"Idempotency-Key": "once"}
    path, sent = f"/v1/phases/{world.discover.id}/tasks", {"title": "Mine"}
    first = client.post(path, json=sent, headers=key)
    assert first.status_code == 201
    assert client.post(path, json=sent, headers=key).json() == first.json()
    world.do(RemoveMember(project_id=world.project.id, user_id=world.bob.user_id))
    refused = client.post(path, json=sent, headers=key)
    assert refused.status_code == 404
    assert "Mine" not in refused.text


def test_a_removal_that_is_sent_again_is_answered_alike_though_nothing_is_left(
    world: World, server: ServerOfTests
) -> None:
    client, key = server.client(), {"Idempotency-Key": "gone"}
    answers = [client.delete(f"/v1/phases/{world.launch.id}", headers=key).status_code for _ in range(2)]
    assert answers == [204, 204]
