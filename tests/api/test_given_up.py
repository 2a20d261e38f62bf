"""Commands that nobody waits for any more, or that take too long: given up, whole, and others go on."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import httpx
import pytest

from core.actions.cards.tasks import CreateTask
from core.actions.projects import members
from core.domain.model import Item
from core.engine import engine
from core.engine.unit_of_work import UnitOfWork
from core.server import run as serving
from core.server.requests.running_commands import RunningCommands
from core.storage.progress import Progress
from tests.api.test_imports_over_a_server import IMPORT, announced, project_of
from tests.support.api.program import ServerProgram
from tests.support.api.raw import Answer, answer, connection, request
from tests.support.api.server import ServerOfTests, link_account, token_for
from tests.support.waiting import PATIENCE, wait_until
from tests.support.workspace import World
from tests.unit.storage.test_deadlines import ENDLESS

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
"""A callback of the garbage collector can lose the exception that ends late work. It comes again."""

MANY = 20_000
"""Cards of an import that takes seconds."""


@pytest.fixture(params=["in a statement", "in Python"])
def dear(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """While tasks with the title "dear" take for ever after they were made; set once one has begun."""
    begun, do = threading.Event(), CreateTask.run

    def run(self: CreateTask, work: UnitOfWork) -> Item:
        made = do(self, work)
        if self.title == "dear":
            begun.set()
            if request.param == "in Python":
                any(number < 0 for number in iter(int, 1))
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
    world.database.write_seconds = 0.2
    path = f"/v1/phases/{world.discover.id}/tasks"
    refused = server.client(world.bob).post(path, json={"title": "dear"}, headers={"Idempotency-Key": "one"})
    assert refused.status_code == 504
    assert refused.json()["errors"][0]["errorCode"] == "TOOK_TOO_LONG"
    assert "Nothing was changed" in refused.json()["errors"][0]["errorMessage"]
    assert world.rows("SELECT 1 FROM item") == world.rows("SELECT 1 FROM receipt") == []


def test_a_question_whose_connection_is_gone_keeps_no_thread(
    world: World, server: ServerOfTests, monkeypatch: pytest.MonkeyPatch
) -> None:
    from core.actions.cards.tasks import ListTasks

    begun, ended = threading.Semaphore(0), threading.Semaphore(0)

    def endless(_: ListTasks, view: Any) -> tuple[Item, ...]:
        begun.release()
        try:
            return tuple(view.rows(ENDLESS))
        finally:
            ended.release()

    monkeypatch.setattr(ListTasks, "run", endless)
    path, token = f"/v1/projects/{world.project.id}/tasks", token_for(world, world.bob)
    with connection(server) as first, connection(server) as second:
        for client in (first, second):
            client.sendall(request(path, token))
            assert begun.acquire(timeout=30)
    for _ in range(2):
        assert ended.acquire(timeout=30)


@pytest.mark.parametrize("waiting", [0, 3])
def test_a_server_that_stops_gives_up_what_is_under_way(
    world: World, dear: threading.Event, waiting: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that waited for it can still be done, as the last; then its answer is 201, or lost, and never a refusal."""
    monkeypatch.setattr(serving, "GRACE", 0.3)
    path = f"/v1/phases/{world.discover.id}/tasks"
    statuses: dict[str, int] = {}

    def send(client: httpx.Client, title: str) -> None:
        try:
            statuses[title] = client.post(path, json={"title": title}).status_code
        except httpx.TransportError:
            statuses[title] = 0

    world.database.write_seconds = 600.0
    with ServerOfTests(world) as server:
        sent = [(server.client(world.bob), "dear"), *((server.client(), f"later {n}") for n in range(waiting))]
        threads = [threading.Thread(target=send, args=each, daemon=True) for each in sent]
        for number, thread in enumerate(threads, 1):
            thread.start()
            wait_until(lambda number=number: server.connections == number)
            assert dear.wait(30)
        server.serving.stop()
        for thread in threads:
            thread.join(30)
    assert len(statuses) == 1 + waiting
    done = {row["title"] for row in world.rows("SELECT title FROM item")}
    assert "dear" not in done
    assert {title for title, status in statuses.items() if status == 201} <= done
    assert not done & {title for title, status in statuses.items() if status not in (0, 201)}


def event_of(monkeypatch: pytest.MonkeyPatch, kind: type[Any], name: str) -> threading.Event:
    """An event that is set after the first call of a method."""
    done, method = threading.Event(), getattr(kind, name)

    def noted(*args: Any) -> None:
        method(*args)
        done.set()

    monkeypatch.setattr(kind, name, noted)
    return done


def says_to_try_again(refused: Answer) -> None:
    assert (refused.status, refused.headers.get("retry-after")) == (503, "1")
    assert refused.json["errors"][0]["errorCode"] == "UNAVAILABLE"


def imported(world: World) -> int:
    """The number of imported cards in the database, hidden ones included."""
    return int(world.rows("SELECT COUNT(*) AS n FROM item WHERE title LIKE 'Task %'")[0]["n"])


def test_a_server_that_stops_tells_an_import_in_slices_to_stop_and_answers_503(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "GRACE", 60)  # it would be through by then
    body = json.dumps({"document": json.loads(project_of(1_000_000, MANY))}).encode()
    with ServerOfTests(world) as server, connection(server) as client:
        client.sendall(request(IMPORT, token_for(world, world.maya), method="POST", body=body))
        wait_until(lambda: imported(world) > 0)
        server.serving.stop()
        says_to_try_again(answer(client))
    assert world.rows("SELECT 1 FROM project WHERE name = 'Large'") == []
    assert imported(world) < MANY


def test_what_does_not_stop_in_time_is_answered_503_before_the_server_ends(
    world: World, monkeypatch: pytest.MonkeyPatch, lines: io.StringIO
) -> None:
    """An import that is at a long step, and a file of which the rest does not come."""
    monkeypatch.setattr(serving, "GRACE", 0.5)
    begun, go_on, step = threading.Event(), threading.Event(), Progress.step

    def held(progress: Progress, done: int, total: int) -> None:
        if total:
            begun.set()
            assert go_on.wait(PATIENCE)
        step(progress, done, total)

    monkeypatch.setattr(Progress, "step", held)
    body = json.dumps({"document": json.loads(project_of(100, 1))}).encode()
    maya, bob = token_for(world, world.maya), token_for(world, world.bob)
    world.internal(world.bob)
    with ServerOfTests(world) as server, connection(server) as first, connection(server) as second:
        second.sendall(announced(IMPORT, 1_000, bob, "Idempotency-Key: half") + b'{"document"')
        wait_until(lambda: server.client(world.bob).get("/v1/under-way/half").status_code == 200)
        first.sendall(request(IMPORT, maya, method="POST", body=body))
        assert begun.wait(PATIENCE)
        server.serving.stop()
        try:
            says_to_try_again(answer(first))
            says_to_try_again(answer(second))
        finally:
            go_on.set()
    written = [json.loads(line) for line in lines.getvalue().splitlines()]
    assert [line["status"] for line in written if line.get("message") == "ImportProject"] == [503, 503]
    assert written[-1]["event"] == "stopped"
    assert world.rows("SELECT 1 FROM project WHERE name = 'Large'") == []


def test_an_import_from_the_command_line_is_done_once_by_the_server_that_comes_after_the_one_that_stopped(
    world: World, tmp_path: Path
) -> None:
    link_account(world, world.maya)
    file = tmp_path / "large.json"
    file.write_text(project_of(8_000_000, MANY))
    with ServerProgram(world.database.path, warm=True) as program:
        command = [sys.executable, "-m", "tui", "--server", program.address, "project", "import", str(file)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as client:
            wait_until(lambda: imported(world) >= 1_000)
            assert program.stop() == 0
            stopped = program.log()
            program.start()
            told, complaint = client.communicate(timeout=4 * PATIENCE)
        assert client.returncode == 0, complaint
        assert told.startswith("Imported “Large”")
    assert [line["status"] for line in stopped if line.get("message") == "ImportProject"] == [503]
    assert stopped[-1]["event"] == "stopped"
    assert len(world.rows("SELECT 1 FROM project WHERE name = 'Large'")) == 1
    project = "SELECT COUNT(*) AS n FROM item JOIN project ON project.id = project_id WHERE project.name = 'Large'"
    assert world.rows(project)[0]["n"] == MANY


@pytest.fixture
def removal(world: World, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address by which Bob is removed, who loses his ten cards three at a time."""
    for number in range(10):
        world.task(f"Task {number}", assignee_id=world.bob.user_id)
    monkeypatch.setattr(members, "AT_ONCE", 3)
    return f"/v1/projects/{world.project.id}/members/{world.bob.user_id}"


def of_bob(world: World) -> tuple[int, int]:
    """The numbers of Bob's memberships and cards."""
    which = {"p": world.project.id, "bob": world.bob.user_id}
    memberships = world.rows("SELECT 1 FROM member WHERE project_id = :p AND user_id = :bob", **which)
    return len(memberships), len(world.rows("SELECT 1 FROM item WHERE project_id = :p AND assignee_id = :bob", **which))


def test_removing_a_member_that_has_begun_goes_on_to_its_end_though_its_client_leaves(
    world: World, server: ServerOfTests, removal: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, left = threading.Event(), event_of(monkeypatch, Progress, "give_up")

    def between_parts(_: float) -> None:
        begun.set()
        assert left.wait(PATIENCE)

    monkeypatch.setattr(engine, "sleep", between_parts)
    with connection(server) as client:
        client.sendall(request(removal, token_for(world, world.maya), method="DELETE"))
        assert begun.wait(PATIENCE)
        assert of_bob(world) == (1, 7)
    wait_until(lambda: of_bob(world) == (0, 0))


def test_removing_a_member_stops_with_the_server_and_the_same_request_ends_it_later(
    world: World, removal: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, told = threading.Event(), event_of(monkeypatch, RunningCommands, "stop")

    def between_parts(_: float) -> None:
        begun.set()
        assert told.wait(PATIENCE)

    monkeypatch.setattr(engine, "sleep", between_parts)
    sent = request(removal, token_for(world, world.maya), "Idempotency-Key: out", method="DELETE")
    with ServerOfTests(world) as server, connection(server) as client:
        client.sendall(sent)
        assert begun.wait(PATIENCE)
        server.serving.stop()
        says_to_try_again(answer(client))
    assert of_bob(world) == (1, 7)
    with ServerOfTests(world) as server, connection(server) as client:
        client.sendall(sent)
        assert answer(client).status == 204
    assert of_bob(world) == (0, 0)
