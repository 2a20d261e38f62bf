"""Whole projects brought to a server: as large as a file may be, by those who are let in, seen and stopped by them."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from core.server.requests.bounds import limits
from core.server.requests.running_commands import RunningCommands
from core.storage.progress import Progress
from core.storage.row_mapper import encode_value
from tests.support.api.program import ServerProgram
from tests.support.api.raw import answer, connection, exchange, request
from tests.support.api.server import ServerOfTests, link_account, token_for
from tests.support.waiting import PATIENCE, wait_until
from tests.support.workspace import World

IMPORT = "/v1/projects/import"
MIB = 1024 * 1024


def announced(target: str, size: int, token: str = "", *headers: str) -> bytes:
    """The head of a request with a body of this size."""
    return request(target, token, f"Content-Length: {size}", *headers, method="POST")


@pytest.mark.parametrize(
    ("target", "most", "said"),
    [
        (IMPORT, limits.MAX_BULKY, "50,000,000 bytes"),
        (f"{IMPORT}/preview?a=b", limits.MAX_BULKY, "50,000,000 bytes"),
        ("/v1/projects", limits.MAX_BODY, "262,144 bytes"),
    ],
)
def test_only_an_import_may_be_as_long_as_a_file_and_what_is_longer_is_refused_unread(
    world: World, server: ServerOfTests, target: str, most: int, said: str
) -> None:
    token = token_for(world, world.maya)
    refused = exchange(server, announced(target, most + 1, token))
    assert refused.status == 400
    assert said in refused.said
    with connection(server) as client:
        client.sendall(announced(target, most, token))
        client.settimeout(0.2)
        with pytest.raises(TimeoutError):  # the body is waited for
            client.recv(1)


def test_the_address_of_an_import_takes_no_more_than_others_by_another_method(
    world: World, server: ServerOfTests
) -> None:
    refused = exchange(server, request(IMPORT, "", f"Content-Length: {limits.MAX_BODY + 1}", method="PATCH"))
    assert (refused.status, "262,144 bytes" in refused.said) == (400, True)


def test_a_client_that_is_not_let_in_is_refused_after_a_long_file_too(world: World) -> None:
    """Over TCP, where what is answered early may be lost."""
    with ServerOfTests(world, port=True) as server:
        client = server.stranger(over_tcp=True)
        for _ in range(2):
            refused = client.post(IMPORT, content=b" " * (10 * MIB), headers={"Content-Type": "application/json"})
            assert refused.status_code == 401


def test_an_import_is_stopped_while_its_file_still_comes_by_its_sender_alone(
    world: World, server: ServerOfTests
) -> None:
    token, way = token_for(world, world.maya), "/v1/under-way/the-key"
    maya, bob = server.client(world.maya), server.client(world.bob)
    with connection(server) as client:
        client.sendall(announced(IMPORT, MIB, token, "Idempotency-Key: the-key") + b'{"document"')
        wait_until(lambda: maya.get(way).status_code == 200)
        assert bob.delete(way).status_code == 404
        assert maya.delete(way).json() == {"done": 0, "total": 0}
        client.sendall(b" " * (MIB - 11))
        stopped = answer(client)
        assert (stopped.status, stopped.said) == (400, "Stopped. Nothing of it was kept.")
        assert stopped.json["errors"][0]["errorCode"] == "CANCELLED"
    wait_until(lambda: maya.get(way).status_code == 404)
    assert server.stranger().get(way).status_code == 401


@pytest.mark.parametrize(("is_out", "status"), [(False, 201), (True, 401)])
def test_a_file_is_imported_though_one_looks_how_far_it_is_unless_its_sender_is_out_by_then(
    world: World, server: ServerOfTests, is_out: bool, status: int
) -> None:
    body, now = json.dumps({"document": json.loads(project_of(100, 1))}).encode(), encode_value(world.engine.clock())
    with connection(server) as client:
        head = announced(IMPORT, len(body), token_for(world, world.maya), "Idempotency-Key: slow")
        client.sendall(head + body[:10])
        wait_until(lambda: server.client(world.maya).get("/v1/under-way/slow").status_code == 200)
        if is_out:
            world.database.write(lambda tx: tx.execute("UPDATE token SET revoked_at = :now", now=now))
        client.sendall(body[10:])
        assert answer(client).status == status
    assert len(world.rows("SELECT 1 FROM project WHERE name = 'Large'")) == (0 if is_out else 1)


def test_an_import_that_takes_too_long_is_stopped(
    world: World, server: ServerOfTests, monkeypatch: pytest.MonkeyPatch
) -> None:
    step, go_on = Progress.step, threading.Event()

    def held(progress: Progress, done: int, total: int) -> None:
        assert not total or go_on.wait(PATIENCE)
        step(progress, done, total)

    monkeypatch.setattr(Progress, "step", held)
    monkeypatch.setattr(limits, "BULKY_SECONDS", 0.3)
    maya = server.client(world.maya)
    assert maya.post(IMPORT, json={"document": json.loads(project_of(100, 1))}).status_code == 504
    go_on.set()
    assert maya.put("/v1/me/preferences/theme", json={"value": "dark"}).status_code == 204, "that comes after it"
    assert world.rows("SELECT 1 FROM project WHERE name = 'Large'") == []


def test_a_request_that_gives_up_does_not_stop_what_another_one_still_waits_for() -> None:
    under_way = RunningCommands()
    with under_way.track("maya", "the-key") as first:
        with under_way.track("maya", "the-key") as second:
            first.give_up()
            assert not second.cancelled
        first.give_up()
        assert first.cancelled


def test_a_client_that_vanishes_amid_its_file_leaves_nothing_under_way(world: World, server: ServerOfTests) -> None:
    maya = server.client(world.maya)
    with connection(server) as client:
        head = announced(IMPORT, MIB, token_for(world, world.maya), "Idempotency-Key: lost")
        client.sendall(head + b'{"document"')
        wait_until(lambda: maya.get("/v1/under-way/lost").status_code == 200)
    wait_until(lambda: maya.get("/v1/under-way/lost").status_code == 404)


def project_of(size: int, tasks: int) -> str:
    """An export with this many tasks, which have about so many bytes together."""
    words = "What is to be done. " * (size // tasks // 20)
    items = [{"id": str(n), "kind": "TASK", "title": f"Task {n}", "description": words} for n in range(tasks)]
    return json.dumps({"format": "podium-project", "name": "Large", "phases": [{"name": "All", "items": items}]})


@pytest.mark.slow
def test_a_file_of_20_mb_is_imported_while_others_are_served_and_the_memory_stays_bounded(
    world: World, tmp_path: Path
) -> None:
    link_account(world, world.maya)
    file, huge = tmp_path / "large.json", tmp_path / "huge.json"
    file.write_text(project_of(20_000_000, 10_000))
    assert file.stat().st_size > 20_000_000
    huge.write_text(project_of(51_000_000, 10_000))
    with ServerProgram(world.database.path) as program:
        statuses, over = [], threading.Event()

        def others() -> None:
            while not over.wait(0.05):
                statuses.append(program.client.get("/v1/projects").status_code)

        thread = threading.Thread(target=others)
        thread.start()
        try:
            plan = program.podium("project", "import", str(file), "--dry-run")
            done = program.podium("project", "import", str(file))
        finally:
            over.set()
            thread.join()
        assert "10000 tasks" in plan.stdout
        assert done.stdout.startswith("Imported “Large”")
        assert set(statuses) == {200}
        assert program.peak() < 400 * MIB
        refused = program.podium("project", "import", str(huge), status=2).stderr
        assert "A server accepts at most 50,000,000. Import it on the server's machine with --db." in refused
    assert world.rows("SELECT COUNT(*) AS n FROM item WHERE title LIKE 'Task %'")[0]["n"] == 10_000


def test_a_file_goes_into_the_project_of_its_route_once_and_a_second_time_changes_nothing(
    world: World, server: ServerOfTests
) -> None:
    item = {"id": "1", "kind": "TASK", "title": "From a file", "origin": {"program": "table", "id": "7"}}
    plan = {"name": "Plan", "phases": [{"name": "Discover", "items": [item]}]}
    into, client = f"/v1/projects/{world.project.id}/import", server.client()
    seen = client.post(f"{into}/preview", json={"document": plan}).json()
    assert [each["title"] for each in seen["cards"]] == ["From a file"]
    assert client.post(into, json={"document": plan, "seen": "another"}).status_code == 400
    made = client.post(into, json={"document": plan, "seen": seen["digest"]})
    assert (made.status_code, made.json()) == (200, seen)
    assert client.post(into, json={"document": plan}).json()["same"] == 1
    assert world.row("card_origin", project_id=world.project.id)["source_id"] == "7"
    twice = client.post(into, json={"document": plan, "projectId": world.project.id})
    assert (twice.status_code, "has no field" in twice.text) == (400, True)
