"""The cost of one change for a server with many listeners, in counted work, and the event for each listener."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from typing import Any

import pytest

from core.actions.cards.tasks import CreateTask
from core.actions.workflow.canvas import GetCanvas
from core.actions.workflow.canvas_changes import GetCanvasChanges
from core.engine.unit_of_work import Snapshot
from core.server.requests import execution
from core.server.requests.authentication import Authenticator
from core.server.requests.bounds import limits
from core.server.requests.bounds.fair_queue import BatchThread
from core.server.requests.execution import MAX_LENGTH, MAX_TEXTS, MIN_LENGTH, EncodedResults
from core.storage.postgres.database import PostgresDatabase
from core.storage.sqlite.database import SqliteDatabase
from tests.support.api.server import ServerOfTests
from tests.support.postgres_cluster import ON_POSTGRES
from tests.support.waiting import PATIENCE, wait_until
from tests.support.workspace import World


@pytest.fixture
def snapshots(monkeypatch: pytest.MonkeyPatch) -> list[threading.Thread]:
    """The threads of transactions that read."""
    found: list[threading.Thread] = []
    engine, name = (PostgresDatabase, "_read") if ON_POSTGRES else (SqliteDatabase, "_refuse_upgraded")
    begin = getattr(engine, name)

    def counted(*arguments: Any) -> Any:
        found.append(threading.current_thread())
        return begin(*arguments)

    monkeypatch.setattr(engine, name, counted)
    return found


def test_a_question_looks_at_its_sender_once_and_reads_its_answer_from_one_snapshot(
    world: World, server: ServerOfTests, snapshots: list[threading.Thread], monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[threading.Thread] = []
    look = Authenticator.user

    def noted(step: Authenticator, request: Any) -> Any:
        threads.append(threading.current_thread())
        return look(step, request)

    monkeypatch.setattr(Authenticator, "user", noted)
    since = world.ask(GetCanvas(project_id=world.project.id)).head.seq
    title = world.do(CreateTask(phase_id=world.discover.id, title="New")).title
    client, path = server.client(world.bob), f"/v1/projects/{world.project.id}/canvas/changes"
    client.get(path, params={"since": since})  # from now on the token is known
    threads.clear()
    snapshots.clear()
    answer = client.get(path, params={"since": since}).json()
    assert [card["title"] for card in answer["changed"]] == [title]
    (thread,) = threads  # the server notices the commit in other threads, whenever that may be
    assert snapshots.count(thread) == 1


def test_each_listener_sees_a_change_with_their_own_rights_and_a_removed_member_sees_nothing(
    world: World, server: ServerOfTests
) -> None:
    path = f"/v1/projects/{world.project.id}/canvas/changes"
    since = world.ask(GetCanvas(project_id=world.project.id)).head.seq
    title = world.do(CreateTask(phase_id=world.discover.id, title="New")).title
    with ExitStack() as stack:
        clients = {
            role: stack.enter_context(server.client(who))
            for role, who in (("OWNER", world.maya), ("CONTRIBUTOR", world.bob), ("VIEWER", world.vera))
        }
        for _ in range(3):
            for role, client in clients.items():
                answer = client.get(path, params={"since": since}).json()
                assert [card["title"] for card in answer["changed"]] == [title]
                assert answer["head"]["myRole"] == role
                assert ("TASK_MOVE" in answer["head"]["held"]) == (role != "VIEWER")
        assert server.client(world.gus).get(path, params={"since": since}).status_code == 404
        assert server.stranger().get(path, params={"since": since}).status_code == 401


def test_what_became_of_a_canvas_is_found_once_for_all_who_ask_at_one_time(
    world: World, server: ServerOfTests, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[int] = []
    find = GetCanvasChanges._became

    def counted(query: GetCanvasChanges, view: Snapshot, elsewhere: bool, workspace_seq: int) -> Any:
        found.append(query.since)
        return find(query, view, elsewhere, workspace_seq)

    monkeypatch.setattr(GetCanvasChanges, "_became", counted)
    path, since = f"/v1/projects/{world.project.id}/canvas/changes", world.ask(GetCanvas(project_id=world.project.id))
    title = world.do(CreateTask(phase_id=world.discover.id, title="New")).title
    clients = [server.client(who) for who in (world.maya, world.bob, world.vera) * 8]
    with ThreadPoolExecutor(len(clients)) as threads:
        told = list(threads.map(lambda each: each.get(path, params={"since": since.head.seq}).json(), clients))
    assert [[card["title"] for card in each["changed"]] for each in told] == [[title]] * len(clients)
    assert [each["head"]["myRole"] for each in told] == ["OWNER", "CONTRIBUTOR", "VIEWER"] * 8
    assert found == [since.head.seq]


@pytest.mark.parametrize("fails", [False, True])
def test_questions_that_wait_together_are_read_from_one_snapshot_and_one_that_fails_stops_no_other(
    world: World, server: ServerOfTests, snapshots: list[threading.Thread], monkeypatch: pytest.MonkeyPatch, fails: bool
) -> None:
    begun, go_on, asked, submit = threading.Event(), threading.Event(), [], BatchThread.submit
    run = GetCanvasChanges.run

    def run_late(query: GetCanvasChanges, view: Snapshot) -> Any:
        threads.add(threading.current_thread())
        begun.set()
        go_on.wait(PATIENCE)
        if fails and view.actor.user_id == world.vera.user_id:
            raise OSError("cannot be read")
        return run(query, view)

    def count(batches: BatchThread, *work: Any) -> Any:
        asked.append(work)
        return submit(batches, *work)

    threads: set[threading.Thread] = set()
    path, since = f"/v1/projects/{world.project.id}/canvas/changes", world.ask(GetCanvas(project_id=world.project.id))
    clients = [server.client(who) for who in (world.maya, *(world.bob, world.vera) * limits.READS_PER_USER)]
    for client in clients:  # from now on the tokens are known
        client.get("/v1/projects")
    monkeypatch.setattr(GetCanvasChanges, "run", run_late)
    monkeypatch.setattr(BatchThread, "submit", count)
    with ThreadPoolExecutor(len(clients)) as pool:
        first, *others = [partial(each.get, path, params={"since": since.head.seq}) for each in clients]
        answers = [pool.submit(first)]
        wait_until(begun.is_set)
        snapshots.clear()
        answers += [pool.submit(each) for each in others]
        wait_until(lambda: len(asked) == len(clients))
        go_on.set()
        statuses = [answer.result().status_code for answer in answers]
    fault = 500 if ON_POSTGRES else 503  # a file that cannot be read is a fault of the storage
    assert statuses == [200, *(200, fault if fails else 200) * limits.READS_PER_USER]
    (thread,) = threads
    assert fails or snapshots.count(thread) == 1


def test_a_text_is_written_once_for_all_who_get_the_same_result_whatever_is_asked_in_between(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    written: list[object] = []

    def written_out(result: object) -> bytes:
        written.append(result)
        return b"x" * MIN_LENGTH + str(result).encode()

    monkeypatch.setattr(execution, "bytes_of", written_out)
    encoded, results = EncodedResults(), [[number] for number in range(MAX_TEXTS)]
    for _ in range(3):
        assert [encoded.text(result)[MIN_LENGTH:].decode() for result in results] == list(map(str, results))
    assert written == results
    assert encoded.text([0])[MIN_LENGTH:] == b"[0]"
    assert len(written) == len(results) + 1, "an equal result is another one: it may be of other rights"


def test_short_texts_leave_room_for_those_that_take_long_to_write() -> None:
    encoded, long = EncodedResults(), ["x" * MIN_LENGTH]
    first = encoded.text(long)
    for number in range(2 * MAX_TEXTS):
        encoded.text([number])
    assert encoded.text(long) is first


def test_a_text_that_is_too_long_to_hold_is_written_again() -> None:
    encoded, long = EncodedResults(), ["x" * MAX_LENGTH]
    assert encoded.text(long) == encoded.text(long)
    assert encoded.text(long) is not encoded.text(long)
