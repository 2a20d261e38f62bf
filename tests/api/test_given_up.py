"""Commands that nobody waits for any more, or that take too long: given up, whole, and others go on."""

from __future__ import annotations

import threading

import httpx
import pytest

from core.actions.tasks import CreateTask
from core.model import Item
from core.work import Work
from tests.api.raw import answer, connection, request
from tests.api.server import ServerOfTests, token_for
from tests.unit.test_deadlines import ENDLESS
from tests.world import World


@pytest.fixture
def dear(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """While tasks with the title "dear" take for ever after they were made; set once one has begun."""
    begun, do = threading.Event(), CreateTask.run

    def run(self: CreateTask, work: Work) -> Item:
        made = do(self, work)
        if self.title == "dear":
            begun.set()
            work.rows(ENDLESS)
        return made

    monkeypatch.setattr(CreateTask, "run", run)
    return begun


def _body(title: str) -> bytes:
    return b'{"title": "%s"}' % title.encode()


def test_a_command_whose_connection_is_gone_is_given_up_and_may_be_sent_again(
    world: World, server: ServerOfTests, dear: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, token = f"/v1/phases/{world.discover.id}/tasks", token_for(world, world.bob)
    with connection(server) as client:
        client.sendall(request(path, token, "Idempotency-Key: one", method="POST", body=_body("dear")))
        assert dear.wait(30)
    assert server.client().post(path, json={"title": "next"}).status_code == 201  # as soon as the writer is free
    monkeypatch.undo()
    with connection(server) as client:
        client.sendall(request(path, token, "Idempotency-Key: one", method="POST", body=_body("dear")))
        assert answer(client).status == 201
    assert [row["title"] for row in world.rows("SELECT title FROM item ORDER BY title")] == ["dear", "next"]


def test_a_command_that_takes_too_long_is_answered_504_with_its_code(
    world: World, server: ServerOfTests, dear: threading.Event
) -> None:
    world.database.write_seconds = 0.2  # type: ignore[attr-defined]
    path = f"/v1/phases/{world.discover.id}/tasks"
    refused = server.client(world.bob).post(path, json={"title": "dear"}, headers={"Idempotency-Key": "one"})
    assert refused.status_code == 504
    assert refused.json()["errors"][0]["errorCode"] == "TOOK_TOO_LONG"
    assert "Nothing was changed" in refused.json()["errors"][0]["errorMessage"]
    assert world.rows("SELECT 1 FROM item") == world.rows("SELECT 1 FROM receipt") == []


def test_a_question_whose_connection_is_gone_keeps_no_thread(
    world: World, server: ServerOfTests, monkeypatch: pytest.MonkeyPatch
) -> None:
    from core.actions.tasks import ListTasks

    begun, ended = threading.Semaphore(0), threading.Semaphore(0)

    def endless(_: ListTasks, view: object) -> tuple[Item, ...]:
        begun.release()
        try:
            return tuple(view.rows(ENDLESS))  # type: ignore[attr-defined]
        finally:
            ended.release()

    monkeypatch.setattr(ListTasks, "run", endless)
    path, token = f"/v1/projects/{world.project.id}/tasks", token_for(world, world.bob)
    with connection(server) as first, connection(server) as second:
        for client in (first, second):
            client.sendall(request(path, token))
            assert begun.acquire(timeout=30)
    for _ in range(2):
        assert ended.acquire(timeout=15)


@pytest.mark.parametrize("waiting", [0, 3])
def test_a_server_that_stops_gives_up_what_is_under_way(world: World, dear: threading.Event, waiting: int) -> None:
    path = f"/v1/phases/{world.discover.id}/tasks"
    statuses: list[int] = []

    def send(client: httpx.Client, title: str) -> None:
        try:
            statuses.append(client.post(path, json={"title": title}).status_code)
        except httpx.TransportError:
            statuses.append(0)

    world.database.write_seconds = 600.0  # type: ignore[attr-defined]
    with ServerOfTests(world) as server:
        sent = [(server.client(world.bob), "dear"), *((server.client(), f"later {n}") for n in range(waiting))]
        threads = [threading.Thread(target=send, args=each, daemon=True) for each in sent]
        for thread in threads:
            thread.start()
            assert dear.wait(30)
        server.serving.stop()
        for thread in threads:
            thread.join(30)
    assert len(statuses) == 1 + waiting
    assert 201 not in statuses
    assert world.rows("SELECT 1 FROM item") == []
