"""The header ``Podium-Also``: a command answers a query too, in the same response."""

from __future__ import annotations

import pytest

from core.wire.routes import ALSO, request_of
from tests.support.api.server import ServerOfTests
from tests.support.backends import changes_since_now
from tests.support.workspace import World


def test_the_header_names_a_get_and_both_answers_come_in_one_object(world: World, server: ServerOfTests) -> None:
    task, query = world.task(), changes_since_now(world)
    headers = {ALSO: request_of(query).target}
    reply = server.client().post(f"/v1/items/{task.id}/move", json={"status": "IN_PROGRESS"}, headers=headers)
    assert (reply.status_code, reply.headers[ALSO]) == (200, "true")
    alone = server.client().get(request_of(query).target)
    assert reply.json()["also"] == alone.json()
    assert reply.json()["result"]["status"] == "IN_PROGRESS"


def test_a_command_that_creates_says_so_with_both_answers_too(world: World, server: ServerOfTests) -> None:
    query = changes_since_now(world)
    created = server.client().post(
        f"/v1/phases/{world.discover.id}/tasks", json={"title": "Write"}, headers={ALSO: request_of(query).target}
    )
    assert (created.status_code, created.headers[ALSO]) == (201, "true")
    assert [card["title"] for card in created.json()["also"]["changed"]] == ["Write"]


def test_a_command_that_is_repeated_under_its_key_answers_its_result_alone(world: World, server: ServerOfTests) -> None:
    task, query = world.task(), changes_since_now(world)
    headers = {ALSO: request_of(query).target, "Idempotency-Key": "move-1"}
    sent = [
        server.client().post(f"/v1/items/{task.id}/move", json={"status": "IN_PROGRESS"}, headers=headers)
        for _ in range(2)
    ]
    assert [ALSO in reply.headers for reply in sent] == [True, False]
    assert sent[1].json() == sent[0].json()["result"]
    assert len(world.rows("SELECT seq FROM change WHERE message = 'MoveCard'")) == 1


@pytest.mark.parametrize(
    "target",
    ["", "/", "canvas", "/v1/projects", "/v1/nothing?since=1", "/v1/projects/x/canvas/changes/more?since=1", "?" * 500],
)
def test_another_target_is_ignored(world: World, server: ServerOfTests, target: str) -> None:
    task = world.task()
    reply = server.client().post(f"/v1/items/{task.id}/move", json={"status": "IN_PROGRESS"}, headers={ALSO: target})
    assert (reply.status_code, ALSO in reply.headers) == (200, False)
    assert reply.json()["status"] == "IN_PROGRESS"


@pytest.mark.parametrize(
    "given", ["", "since=", "since=x", "since=1&since=2", "since=1&other=2", "since=1&project_id=x"]
)
def test_a_wrong_field_of_the_query_is_refused_before_anything_changes(
    world: World, server: ServerOfTests, given: str
) -> None:
    task, target = world.task(), f"/v1/projects/{world.project.id}/canvas/changes?{given}"
    reply = server.client().post(f"/v1/items/{task.id}/move", json={"status": "IN_PROGRESS"}, headers={ALSO: target})
    assert reply.status_code == 400
    assert world.row("item", id=task.id)["status"] == "TO_DO"


@pytest.mark.parametrize("project", ["%00", "%ff", "a%2Fb", "01ARZ3NDEKTSV4RRFFQ69G5FAV"])
def test_a_project_that_is_not_there_is_not_answered(world: World, server: ServerOfTests, project: str) -> None:
    task, target = world.task(), f"/v1/projects/{project}/canvas/changes?since=0"
    reply = server.client().post(f"/v1/items/{task.id}/move", json={"status": "IN_PROGRESS"}, headers={ALSO: target})
    moved = reply.status_code == 200
    assert ALSO not in reply.headers
    assert world.row("item", id=task.id)["status"] == ("IN_PROGRESS" if moved else "TO_DO")
