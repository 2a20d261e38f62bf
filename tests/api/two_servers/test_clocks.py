"""Two servers whose clocks are two seconds apart: what expires, what is valid once, and the order of the history."""

from __future__ import annotations

import pytest

from core.actions.history.history import ListHistory, Undo
from core.actions.personal.inbox import CountUnread
from core.actions.workflow.phases import EditPhase
from core.actions.workspace.credentials import CreateToken
from tests.api.two_servers.conftest import MakeServers, TwoServers
from tests.support.api.server import ServerOfTests

SKEW = 2


@pytest.fixture
def two(servers: MakeServers) -> TwoServers:
    """The clock of the second server is ahead."""
    return servers(skew=SKEW)


def forward(two: TwoServers, **time: float) -> None:
    for server in two:
        server.world.clock.forward(**time)


def both_ways(two: TwoServers) -> tuple[tuple[ServerOfTests, ServerOfTests], ...]:
    return (two.first, two.second), (two.second, two.first)


def test_a_token_is_valid_at_both_servers_and_expires_at_each_by_its_clock(two: TwoServers) -> None:
    for here, there in both_ways(two):
        made = here.world.do(CreateToken(label="Reports", days=1), two.world.bob)
        clients = {server: server.client() for server in (here, there)}
        for client in clients.values():
            client.headers["Authorization"] = f"Bearer {made.secret}"
            assert client.get("/v1/me").json()["user"]["login"] == "bob"
        end = (made.token.expires_at - here.world.engine.clock()).total_seconds()
        forward(two, seconds=end - 3 * SKEW)
        assert {client.get("/v1/me").status_code for client in clients.values()} == {200}
        forward(two, seconds=5 * SKEW)
        assert {client.get("/v1/me").status_code for client in clients.values()} == {401}


def test_a_token_is_refused_by_the_server_ahead_first_and_by_none_before_its_time(two: TwoServers) -> None:
    made = two.world.do(CreateToken(label="Reports", days=1), two.world.bob)
    first, second = two.first.client(), two.second.client()
    for client in (first, second):
        client.headers["Authorization"] = f"Bearer {made.secret}"
    forward(two, seconds=(made.token.expires_at - two.world.engine.clock()).total_seconds() - SKEW / 2)
    assert (first.get("/v1/me").status_code, second.get("/v1/me").status_code) == (200, 401)


def test_a_launch_code_of_one_server_is_exchanged_once_at_the_other_within_its_time(two: TwoServers) -> None:
    application = two.world.add_application()
    for here, there in both_ways(two):
        code = here.client().post(f"/v1/applications/{application.id}/launch").json()["code"]
        exchanged = there.stranger().get(f"/v1/launches/{code}")
        assert exchanged.json()["userId"] == two.world.maya.user_id
        assert {server.stranger().get(f"/v1/launches/{code}").status_code for server in two} == {404}
        late = here.client().post(f"/v1/applications/{application.id}/launch").json()["code"]
        forward(two, seconds=60 + SKEW)
        assert {server.stranger().get(f"/v1/launches/{late}").status_code for server in two} == {404}


def test_the_history_has_the_order_of_the_commits_and_undo_takes_back_the_last_one(two: TwoServers) -> None:
    phase = two.world.discover
    for number in range(6):
        server = (two.second, two.first)[number % 2]
        server.world.do(EditPhase(phase_id=phase.id, name=f"Name {number}"))
    for server in two:
        lines = server.world.ask(ListHistory(project_id=two.world.project.id))
        assert [line.seq for line in lines] == sorted((line.seq for line in lines), reverse=True)
        assert [line.summary.split("“")[-1].rstrip("”") for line in lines[:6]] == [
            f"Name {n}" for n in range(5, -1, -1)
        ]
    two.second.world.do(Undo(project_id=two.world.project.id))
    assert two.world.row("phase", id=phase.id)["name"] == "Name 4"
    two.first.world.do(Undo(project_id=two.world.project.id))
    assert two.world.row("phase", id=phase.id)["name"] == "Name 3"


def test_a_command_that_is_sent_to_both_servers_is_carried_out_once(two: TwoServers) -> None:
    path, key = f"/v1/phases/{two.world.discover.id}/tasks", {"Idempotency-Key": "brief-1"}
    for here, there in both_ways(two):
        answers = [each.client().post(path, json={"title": "Once"}, headers=key) for each in (here, there)]
        assert [each.status_code for each in answers] == [201, 201]
        assert answers[0].json() == answers[1].json()
    assert len(two.world.rows("SELECT id FROM item WHERE title = 'Once'")) == 1


def test_a_notification_of_the_server_ahead_is_unread_at_the_other(two: TwoServers) -> None:
    task = two.second.world.task("Ahead")
    answer = two.second.client().post(f"/v1/tasks/{task.id}/assign", json={"assigneeId": two.world.bob.user_id})
    assert answer.status_code == 200, answer.text
    assert {server.world.ask(CountUnread(), two.world.bob) for server in two} == {1}
