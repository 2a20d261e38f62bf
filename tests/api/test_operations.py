"""Keeping a server running: what it writes down, whether it is well, how it stops, and backups meanwhile."""

from __future__ import annotations

import asyncio
import io
import json
import re
import shutil
import signal
import sqlite3
import threading
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from core import VERSION
from core.actions.cards.tasks import CreateTask
from core.actions.workflow.canvas import GetCanvas
from core.engine.messages import Query
from core.errors import DatabaseAway, DatabaseBusy, DatabaseFull, ServerUnavailable, StorageError
from core.server.endpoints import health
from core.storage.sqlite.backup_folder import list_daily_backups
from tests.support.api.program import ServerProgram
from tests.support.api.server import ServerOfTests, link_account, token_for
from tests.support.postgres_cluster import ON_POSTGRES, about_the_file, place_of
from tests.support.waiting import PATIENCE, wait_until
from tests.support.web.gateway import GatewayProgram, Visitor, alive
from tests.support.workspace import World


@pytest.fixture
def program(world: World) -> Iterator[ServerProgram]:
    """``podium serve`` itself, which knows this account as Maya."""
    link_account(world, world.maya)
    with ServerProgram(world.database.path, warm=True) as program:
        yield program


def test_each_request_is_one_line_without_secrets_and_texts_of_people(world: World, program: ServerProgram) -> None:
    phase = world.discover.id
    made = program.client.post(f"/v1/phases/{phase}/tasks", json={"title": "A very private title"})
    program.client.get("/v1/search", params={"text": "private"}, headers={"Authorization": "Bearer not-to-be-read"})
    assert made.status_code == 201
    program.stop()
    requests = [line for line in program.log() if line["event"] == "request"]
    assert [
        (line["message"], line["status"], line["user"], line["login"], line["project"], line["reason"])
        for line in requests
    ] == [
        ("CreateTask", 201, world.maya.user_id, "maya", world.project.id, None),
        (None, 401, None, None, None, "UNAUTHENTICATED"),
    ]
    assert requests[1]["correlation_id"]
    assert [line["event"] for line in program.log()][:2] == ["settings", "serving"]
    assert not any(word in program.written() for word in ("private", "not-to-be-read", "Spring launch"))


def test_an_unexpected_error_is_a_500_and_a_trace_in_the_log_alone(
    server: ServerOfTests, lines: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = "the words of a user"

    def fail(*_: object) -> None:
        raise RuntimeError(words)

    monkeypatch.setattr(GetCanvas, "run", fail)
    answer = server.client().get(f"/v1/projects/{server.world.project.id}/canvas")
    assert answer.status_code == 500
    (error,) = answer.json()["errors"]
    assert set(error) == {"errorCode", "errorMessage", "correlationId", "link"}
    assert "Traceback" not in answer.text
    assert words not in answer.text
    written = [json.loads(line) for line in lines.getvalue().splitlines()]
    (failure,) = [line for line in written if line["event"] == "unexpected failure"]
    assert failure["correlation_id"] == error["correlationId"]
    assert failure["error"] == "RuntimeError"
    assert any("in fail" in frame for frame in failure["trace"])
    assert words not in lines.getvalue()


@pytest.mark.parametrize("path", ["/v1/me", "/v1/projects/x/canvas", "/v1/launches/code", "/v1/changes"])
def test_where_the_database_is_is_told_to_the_log_alone(
    server: ServerOfTests, lines: io.StringIO, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    def away(*_: object) -> None:
        raise DatabaseFull("No room is left on the disk of /srv/podium.db.")

    for step in ("read", "write", "data_version"):
        monkeypatch.setattr(server.world.database, step, away)
    answer = server.stranger().get(path)
    (error,) = answer.json()["errors"]
    assert (answer.status_code, error["errorCode"]) == (503, "DATABASE_FULL")
    assert error["errorMessage"].startswith("Nothing was changed. Try again")
    assert "/srv" not in answer.text
    written = [json.loads(line) for line in lines.getvalue().splitlines()]
    (failure,) = [line for line in written if line["event"] == "storage failed"]
    assert failure["correlation_id"] == error["correlationId"]
    assert "/srv/podium.db" in failure["said"]


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (DatabaseAway("no connection to db1"), "this comes back by itself. Nothing was changed."),
        (ServerUnavailable("of db1"), "Whether your change was saved is not known"),
        (DatabaseBusy("of db1"), "Nothing was changed. Try again in a moment."),
    ],
)
def test_people_are_told_what_a_fault_of_the_database_means_for_them(
    server: ServerOfTests, monkeypatch: pytest.MonkeyPatch, error: StorageError, sentence: str
) -> None:
    def away(*_: object, **__: object) -> None:
        raise error

    client = server.client()
    monkeypatch.setattr(server.world.database, "write", away)
    answer = client.post(f"/v1/phases/{server.world.discover.id}/tasks", json={"title": "Plan"})
    (told,) = answer.json()["errors"]
    assert (answer.status_code, told["errorCode"]) == (503, error.code)
    assert sentence in told["errorMessage"]
    assert not re.search(r"restart it|Ask for less|db1", told["errorMessage"])


def test_health_needs_nothing_and_readiness_needs_the_database(
    server: ServerOfTests, monkeypatch: pytest.MonkeyPatch
) -> None:
    stranger = server.stranger()
    assert stranger.get("/health").json()["status"] == "ok"
    assert stranger.get("/ready").json()["status"] == ("warning" if ON_POSTGRES else "ok")  # as fsync is off

    def away(_: object) -> None:
        raise StorageError("The database /srv/podium.db does not answer.")

    monkeypatch.setattr(server.world.database, "read", away)
    gate_blockers = stranger.get("/ready")
    assert (gate_blockers.status_code, gate_blockers.json()["errors"][0]["errorCode"]) == (503, "UNAVAILABLE")
    assert "/srv" not in gate_blockers.text
    assert stranger.get("/health").status_code == 200


def test_readiness_answers_soon_when_the_database_hangs_and_keeps_one_thread(
    server: ServerOfTests, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert health.READY_SECONDS < 3
    monkeypatch.setattr(health, "READY_SECONDS", 0.2)
    stranger, goes_on, asked = server.stranger(), threading.Event(), []

    def hang() -> None:
        asked.append(1)
        assert goes_on.wait(30)

    monkeypatch.setattr(server.world.database, "check_writable", hang)
    try:
        for _ in range(3):
            answer = stranger.get("/ready")
            assert (answer.status_code, len(asked)) == (503, 1)
            assert "did not answer within 0.2 seconds" in answer.text
            assert "podium_streams 0.0" in stranger.get("/metrics").text, "the other numbers are there"
            assert len(asked) == 1
    finally:
        goes_on.set()
    wait_until(lambda: stranger.get("/ready").status_code == 200)


def test_a_server_that_is_told_to_stop_finishes_what_it_began_and_ends_its_streams(
    world: World, program: ServerProgram
) -> None:
    heard = threading.Event()
    ended: list[float] = []

    def listen() -> None:
        with program.client.stream("GET", "/v1/changes") as stream:
            for _ in stream.iter_lines():
                heard.set()
        ended.append(time.monotonic())

    listener = threading.Thread(target=listen)
    listener.start()
    assert heard.wait(30)
    began = time.monotonic()
    assert program.stop(signal.SIGTERM) == 0
    listener.join(30)
    assert ended[0] - began < 20, "a stream held the server up"
    said = program.log()[-3:]
    assert [line["event"] for line in said] == ["stopping", "request", "stopped"]
    assert said[1]["user"] == world.maya.user_id


@about_the_file
def test_a_backup_is_made_while_others_work_and_is_whole(world: World, program: ServerProgram, tmp_path: Path) -> None:
    phase = world.discover.id
    done = threading.Event()
    acknowledged = 0

    def work() -> None:
        nonlocal acknowledged
        while not done.is_set():
            made = program.client.post(f"/v1/phases/{phase}/tasks", json={"title": f"Task {acknowledged + 1}"})
            assert made.status_code == 201
            acknowledged += 1

    worker = threading.Thread(target=work)
    worker.start()
    try:
        while acknowledged < 20:
            assert worker.is_alive(), "A command failed."
            time.sleep(0.01)
        before = acknowledged
        program.podium("backup", str(tmp_path / "copy.db"), "--db", str(world.database.path))
        after = acknowledged
    finally:
        done.set()
        worker.join()
    with sqlite3.connect(tmp_path / "copy.db") as copy:
        titles = [row[0] for row in copy.execute("SELECT title FROM item WHERE title LIKE 'Task %' ORDER BY id")]
        assert copy.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    copy.close()
    assert titles == [f"Task {number}" for number in range(1, len(titles) + 1)]
    assert before <= len(titles) <= after + 1
    assert list((world.database.path.parent / "backups").iterdir()), "the backup of the day is the server's own work"


@about_the_file
def test_readiness_says_when_the_last_good_backup_is_old_or_the_last_one_failed(
    world: World, program: ServerProgram
) -> None:
    def told() -> dict[str, Any]:
        answer = program.client.get("/ready")
        assert answer.status_code == 200, "the server works all the same"
        return dict(answer.json())

    path = world.database.path
    wait_until(lambda: list_daily_backups(path))
    (newest,) = list_daily_backups(path)
    assert told() == {
        "status": "ok",
        "version": VERSION,
        "backup": {"newest": newest.at.isoformat().replace("+00:00", "Z"), "problem": None},
    }
    assert re.search(r"ok +Backups +the newest of", program.podium("doctor").stdout)
    old = newest.at - timedelta(days=9)
    newest.path.rename(newest.path.with_name(f"podium-{old:%Y%m%dT%H%M%S}.db"))
    said = told()
    assert (said["status"], said["backup"]["newest"]) == ("warning", old.isoformat().replace("+00:00", "Z"))
    assert "older than 48 hours" in said["backup"]["problem"]
    assert str(path.parent) not in str(said)
    assert re.search(r"BAD +Backups .* older than 48 hours", program.podium("doctor", status=5).stdout), "as a client"
    told_at_the_file = program.podium("doctor", "--db", str(path), status=5).stdout
    assert re.search(r"BAD +Backups .* is 9 days old", told_at_the_file)
    shutil.rmtree(path.parent / "backups")
    (path.parent / "backups").write_text("no folder")
    assert told()["backup"]["problem"] is not None
    assert "a file, not a folder" in program.podium("doctor", "--db", str(path), status=5).stdout


@about_the_file
def test_nothing_is_restored_under_a_server_that_runs(world: World, program: ServerProgram, tmp_path: Path) -> None:
    copy, place = str(tmp_path / "copy.db"), ("--db", str(world.database.path))
    program.podium("backup", copy, *place)
    world.database.close()
    told = program.podium("restore", copy, *place, status=5)
    assert "is in use. Stop its server" in told.stderr
    program.podium("task", "add", "Spring launch", "Discover", "Not lost")
    program.stop()
    assert "Not lost" in program.podium("task", "list", "Spring launch", *place, "--as", "maya").stdout
    program.podium("restore", copy, *place)
    assert "Not lost" not in program.podium("task", "list", "Spring launch", *place, "--as", "maya").stdout


def test_doctor_tells_a_client_whether_the_server_is_there_and_who_one_is_to_it(program: ServerProgram) -> None:
    told = program.podium("doctor", "--json")
    found = {finding["what"]: finding for finding in json.loads(told.stdout)["data"]}
    assert found["Server"]["verdict"] == "GOOD"
    assert found["You"]["found"] == "Maya Okafor, signed in with this machine's account"
    assert found["Changes of others"]["verdict"] == "GOOD"
    assert "with a server behind it" in found["Socket"]["found"]
    assert "SQLite" not in found
    program.stop(signal.SIGKILL)
    told = program.podium("doctor", "--json", status=5)
    found = {finding["what"]: finding for finding in json.loads(told.stdout)["data"]}
    assert found["Server"]["verdict"] == "BAD"
    assert "cannot be reached" in found["Server"]["found"]


def test_doctor_tells_an_administrator_whose_account_is_another_one_now(world: World, program: ServerProgram) -> None:
    options = ("--db", place_of(world.database.path), "--socket", str(program.socket))
    before = program.podium("doctor", *options, status=5 if ON_POSTGRES else 0)  # as fsync is off
    assert "linked on this machine" in before.stdout
    world.database.write(lambda tx: tx.execute("UPDATE linked_account SET os_user = 'nobody-of-that-name'"))
    told = program.podium("doctor", *options, status=5).stdout
    assert "nobody-of-that-name: gone from this machine" in told
    found = {each["what"]: each for each in json.loads(program.podium("doctor", "--json", status=5).stdout)["data"]}
    assert (found["Server"]["verdict"], found["You"]["verdict"]) == ("GOOD", "BAD")
    assert "Changes of others" not in found  # nothing holds them back: they are not for strangers


def test_a_command_over_the_server_is_a_query_and_a_command_like_any_other(program: ServerProgram) -> None:
    assert issubclass(GetCanvas, Query)
    program.podium("task", "add", "Spring launch", "Discover", "From the command line")
    assert "From the command line" in program.podium("task", "list", "Spring launch").stdout
    assert CreateTask.__name__ in program.written()


def test_a_hangup_ends_the_server_in_order(program: ServerProgram) -> None:
    assert program.stop(signal.SIGHUP) == 0
    assert [line["event"] for line in program.log() if line["event"].startswith("stop")] == ["stopping", "stopped"]


def test_a_hangup_ends_the_gateway_in_order_with_its_tabs(world: World, program: ServerProgram, tmp_path: Path) -> None:
    async def sign_in_and_hang_up(gateway: GatewayProgram) -> tuple[int, set[int]]:
        async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as http:
            visitor = Visitor(gateway.url, http)
            await visitor.sign_in(token_for(world, world.maya, days=36_500))
            async with visitor.terminal() as tab:
                await tab.receive(timeout=PATIENCE)
                podiums = gateway.podiums()
                stopped = asyncio.create_task(asyncio.to_thread(gateway.stop, signal.SIGHUP))
                await visitor.ended(tab)
                return await stopped, podiums

    with GatewayProgram(program.address, tmp_path) as gateway:
        status, podiums = asyncio.run(sign_in_and_hang_up(gateway))
        assert status == 0
        assert podiums, gateway.written()
        wait_until(lambda: not any(map(alive, podiums)))
        assert len(gateway.log("web stopped")) == 1
