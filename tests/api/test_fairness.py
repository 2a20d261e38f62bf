"""A greedy and a modest user on one server: the greedy one waits for their own requests, the modest one for none."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Iterator
from time import monotonic
from typing import Any

import pytest
from starlette.requests import Request

from core.actions.projects.projects import ArchiveProject
from core.actions.templates.apply import MergeTemplate, SaveTemplate
from core.actions.workflow.canvas import GetCanvas
from core.engine import large_projects
from core.engine.messages import Command
from core.engine.unit_of_work import Actor, Snapshot
from core.server.requests.bounds import fair_queue, limits
from core.server.requests.bounds.fair_queue import READERS, FairQueue
from core.server.requests.execution import Executor
from tests.support.api.raw import answer, connection, request
from tests.support.api.server import ServerOfTests, token_for
from tests.support.waiting import PATIENCE, wait_until
from tests.support.workspace import World

MANY = 30
"""Connections of the greedy one: more than there are threads."""


class Held:
    """Questions of one person that are not answered until they go on."""

    def __init__(self, user_id: str) -> None:
        self.user_id = user_id
        self.begun: list[int] = []
        self.go_on = threading.Event()

    def run(self, query: GetCanvas, view: Snapshot) -> Any:
        if view.actor.user_id == self.user_id:
            self.begun.append(1)
            self.go_on.wait(PATIENCE)
        return _run(query, view)


_run = GetCanvas.run


@pytest.fixture
def held(world: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[Held]:
    """Maya's looks at the Canvas take as long as a test likes."""
    held = Held(world.maya.user_id)
    monkeypatch.setattr(GetCanvas, "run", lambda query, view: held.run(query, view))
    yield held
    held.go_on.set()


def test_one_person_on_many_connections_and_tokens_leaves_threads_for_the_others(
    world: World, server: ServerOfTests, held: Held
) -> None:
    path = f"/v1/projects/{world.project.id}/canvas"
    tokens = [token_for(world, world.maya) for _ in range(3)]
    modest = server.client(world.bob)
    with contextlib.ExitStack() as stack:
        greedy = [stack.enter_context(connection(server)) for _ in range(MANY)]
        for number, client in enumerate(greedy):
            client.sendall(request(path, tokens[number % len(tokens)]))
        wait_until(lambda: len(held.begun) == limits.READS_PER_USER)
        for number in range(READERS):
            assert modest.get(path).status_code == 200
            assert modest.put("/v1/me/preferences/theme", json={"value": f"{number}"}).status_code == 204
        assert len(held.begun) == limits.READS_PER_USER, "the others of Maya's have not even begun"
        held.go_on.set()
        assert [answer(client).status for client in greedy] == [200] * MANY
    assert len(held.begun) == MANY


def test_a_query_whose_client_has_left_keeps_its_turn_until_it_ends(
    world: World, server: ServerOfTests, held: Held, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = request(f"/v1/projects/{world.project.id}/canvas", token_for(world, world.maya))
    with connection(server) as first, connection(server) as second, monkeypatch.context() as hasty:
        hasty.setattr(limits, "WORK_SECONDS", 0.2)
        while len(held.begun) < limits.READS_PER_USER:
            first.sendall(asked)
            assert answer(first).status == 504
        hasty.setattr(limits, "WORK_SECONDS", PATIENCE)
        second.sendall(asked)
        for _ in range(READERS):
            assert server.client(world.bob).get("/v1/projects").status_code == 200
        assert len(held.begun) == limits.READS_PER_USER
        held.go_on.set()
        assert answer(second).status == 200


class Worked:
    """The processor's seconds of each thread as a test has them, and which threads answered whom."""

    def __init__(self) -> None:
        self._seconds = threading.local()
        self.threads: list[tuple[str, str]] = []

    def thread_time(self) -> float:
        return getattr(self._seconds, "now", 0.0)

    def work(self, actor: Actor, seconds: float) -> None:
        self._seconds.now = self.thread_time() + seconds
        self.threads.append((actor.user_id, threading.current_thread().name.rpartition("_")[0]))


QUICK, LONG = "podium-read", "podium-long-read"


@pytest.fixture
def worked(world: World, monkeypatch: pytest.MonkeyPatch) -> Worked:
    """Maya's and Bob's looks at the Canvas take a second of a processor; everybody else's take none."""
    worked = Worked()
    greedy = (world.maya.user_id, world.bob.user_id)

    def run(query: GetCanvas, view: Snapshot) -> Any:
        worked.work(view.actor, 1.0 if view.actor.user_id in greedy else 0.0)
        return _run(query, view)

    monkeypatch.setattr(fair_queue, "thread_time", worked.thread_time)
    monkeypatch.setattr(GetCanvas, "run", run)
    return worked


def test_questions_that_took_long_share_one_thread_and_short_ones_have_the_others(
    world: World, server: ServerOfTests, worked: Worked
) -> None:
    path = f"/v1/projects/{world.project.id}/canvas"
    for actor in (world.maya, world.bob, world.vera):
        client = server.client(actor)
        for _ in range(3):
            assert client.get(path).status_code == 200
    assert worked.threads == [
        *((actor.user_id, thread) for actor in (world.maya, world.bob) for thread in (QUICK, LONG, LONG)),
        *[(world.vera.user_id, QUICK)] * 3,
    ]


def test_two_people_with_long_questions_leave_every_other_thread_to_short_ones(
    world: World, server: ServerOfTests, worked: Worked, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = f"/v1/projects/{world.project.id}/canvas"
    tokens = [token_for(world, actor) for actor in (world.maya, world.bob)]
    begun: list[str] = []
    go_on, took_long = threading.Event(), GetCanvas.run
    with contextlib.ExitStack() as stack:
        clients = [stack.enter_context(connection(server)) for _ in range(2 * limits.READS_PER_USER)]
        for client, token in zip(clients, tokens, strict=False):
            client.sendall(request(path, token))
            assert answer(client).status == 200

        def held(query: GetCanvas, view: Snapshot) -> Any:
            begun.append(view.actor.user_id)
            go_on.wait(PATIENCE)
            return took_long(query, view)

        monkeypatch.setattr(GetCanvas, "run", held)
        stack.callback(go_on.set)
        for number, client in enumerate(clients):
            client.sendall(request(path, tokens[number % 2]))
        wait_until(lambda: len(begun) == 1)
        modest = [server.client(world.vera) for _ in range(READERS)]
        for client_of_vera in modest:
            assert client_of_vera.get("/v1/me").status_code == 200
        assert len(begun) == 1, "one long question is worked on at a time"
        go_on.set()
        assert [answer(client).status for client in clients] == [200] * len(clients)
    assert sorted(begun) == sorted([world.maya.user_id, world.bob.user_id] * limits.READS_PER_USER)


def test_a_question_that_gets_short_again_goes_back_to_the_short_ones(
    world: World, server: ServerOfTests, worked: Worked, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, client = f"/v1/projects/{world.project.id}/canvas", server.client()
    for _ in range(2):
        assert client.get(path).status_code == 200
    monkeypatch.setattr(fair_queue, "LONG_SECONDS", 2.0)
    for _ in range(2):
        assert client.get(path).status_code == 200
    assert [thread for _, thread in worked.threads] == [QUICK, LONG, LONG, QUICK]


def test_only_so_many_long_questions_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fair_queue, "LONG_SECONDS", 0.0)
    monkeypatch.setattr(fair_queue, "MAX_LONG", 3)
    readers = fair_queue.Readers(lambda work: work())
    for number in range(4):
        readers.run_timed(number, int)
    assert [number for number in range(4) if readers.threads_for(number, False) is not readers.short] == [3]
    readers.shutdown()


def test_between_the_commands_of_one_person_come_those_of_others(
    world: World, server: ServerOfTests, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokens = {actor.user_id: token_for(world, actor) for actor in (world.maya, world.bob)}
    arrived: list[Any] = []
    carried_out: list[str] = []
    go_on = threading.Event()
    write, execute = FairQueue.write, Executor.command

    async def arriving(queue: FairQueue, sent: Request, *work: Any, **options: Any) -> Any:
        arrived.append(sent)
        return await write(queue, sent, *work, **options)

    def held(executor: Executor, command: Command[Any], actor: Actor, *rest: Any) -> tuple[str, bytes]:
        carried_out.append(actor.user_id)
        go_on.wait(PATIENCE)
        return execute(executor, command, actor, *rest)

    monkeypatch.setattr(FairQueue, "write", arriving)
    monkeypatch.setattr(Executor, "command", held)  # once for each request; a transaction may run again
    with contextlib.ExitStack() as stack:
        senders = [world.maya.user_id] * 5 + [world.bob.user_id]
        clients = [stack.enter_context(connection(server)) for _ in senders]
        for number, (client, sender) in enumerate(zip(clients, senders, strict=True), 1):
            client.sendall(request("/v1/me", tokens[sender]))
            assert answer(client).status == 200
            body = b'{"value": "dark"}'
            client.sendall(request("/v1/me/preferences/theme", tokens[sender], method="PUT", body=body))
            wait_until(lambda number=number: len(arrived) == number)
        go_on.set()
        assert [answer(client).status for client in clients] == [204] * len(clients)
    assert carried_out == [world.maya.user_id, world.bob.user_id, *[world.maya.user_id] * 4]


def test_who_has_used_the_writer_for_long_waits_behind_all_others_and_is_answered(
    world: World, server: ServerOfTests, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fair_queue, "MOST_SECONDS", 0.02)
    carried_out: list[str] = []
    arrived: list[Request] = []
    go_on = threading.Event()
    write, execute = FairQueue.write, Executor.command

    async def arriving(queue: FairQueue, sent: Request, *work: Any, **options: Any) -> Any:
        arrived.append(sent)
        return await write(queue, sent, *work, **options)

    def dear(executor: Executor, command: Command[Any], actor: Actor, *rest: Any) -> tuple[str, bytes]:
        carried_out.append(actor.user_id)
        begun = time.thread_time()
        while actor.user_id == world.maya.user_id and time.thread_time() < begun + 0.03:
            pass
        if actor.user_id == world.bob.user_id:
            go_on.wait(PATIENCE)
        return execute(executor, command, actor, *rest)

    monkeypatch.setattr(FairQueue, "write", arriving)
    monkeypatch.setattr(Executor, "command", dear)
    senders = [world.maya, world.bob, world.maya, world.gus]
    with contextlib.ExitStack() as stack:
        clients = [stack.enter_context(connection(server)) for _ in senders]
        for number, (client, sender) in enumerate(zip(clients, senders, strict=True), 1):
            token = token_for(world, sender)
            client.sendall(request("/v1/me", token))
            assert answer(client).status == 200
            body = b'{"value": "dark"}'
            client.sendall(request("/v1/me/preferences/theme", token, method="PUT", body=body))
            wait_until(lambda number=number: len(arrived) == number)
            if number == 1:
                assert answer(client).status == 204
        go_on.set()
        assert [answer(client).status for client in clients[1:]] == [204] * 3
    assert carried_out == [each.user_id for each in (world.maya, world.bob, world.gus, world.maya)]


def test_what_was_used_of_the_writer_is_forgotten_after_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    use = fair_queue.WriterUse()
    use.add("maya", 11.0)
    assert use.is_much("maya")
    assert not use.is_much("bob")
    now = monotonic()
    monkeypatch.setattr(fair_queue, "monotonic", lambda: now + 61)
    assert not use.is_much("maya")


def heard(client: socket.socket) -> bytes:
    """The first bytes of a stream, up to its first change."""
    seen = b""
    while b"event: change" not in seen and (more := client.recv(4096)):
        seen += more
    return seen


def test_one_person_has_so_many_streams_and_no_more(
    world: World, server: ServerOfTests, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "STREAMS_PER_USER", 2)
    asked = request("/v1/changes", token_for(world, world.maya))

    def opened(client: socket.socket) -> bool:
        client.sendall(asked)
        return heard(client).startswith(b"HTTP/1.1 200")

    with connection(server) as first, connection(server) as second, connection(server) as third:
        assert opened(first)
        assert opened(second)
        third.sendall(request("/v1/changes", token_for(world, world.maya)))
        refused = answer(third)
        assert (refused.status, refused.headers["retry-after"]) == (503, "60")
        assert "You already follow the changes on this server in 2 terminals or tabs" in refused.said
        assert refused.json["errors"][0]["errorCode"] == "TOO_MANY_STREAMS"
        third.sendall(request("/v1/changes", token_for(world, world.bob)))
        assert heard(third).startswith(b"HTTP/1.1 200"), "that is no matter of Bob's"
        first.close()

        def again() -> bool:
            with connection(server) as fourth:
                return opened(fourth)

        wait_until(again, "The place of a stream that was closed stays taken.")


def test_commands_are_carried_out_while_a_large_one_of_another_person_is_prepared(
    world: World, server: ServerOfTests, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = world.do(SaveTemplate(project_id=world.project.id, name="Ours"))
    world.task("Only in the next version")
    world.do(SaveTemplate(project_id=world.project.id, template_id=saved.id))
    here = world.new_project("Other").id
    preparing, go_on = threading.Event(), threading.Event()
    prepare = MergeTemplate.prepare

    def slow(command: MergeTemplate, look: Any) -> Any:
        found = prepare(command, look)
        preparing.set()
        go_on.wait(PATIENCE)
        return found

    monkeypatch.setattr(MergeTemplate, "prepare", slow)
    path = f"/v1/projects/{here}/templates/{saved.id}"
    with connection(server) as large:
        large.sendall(request(path, token_for(world, world.maya), body=b'{"relock": true}', method="POST"))
        assert preparing.wait(PATIENCE)
        try:
            modest = server.client(world.bob)
            for number in range(3):
                assert modest.put("/v1/me/preferences/theme", json={"value": f"{number}"}).status_code == 204
            assert world.rows("SELECT 1 FROM item WHERE project_id = :p", p=here) == []
        finally:
            go_on.set()
        assert answer(large).status == 200
    assert len(world.rows("SELECT 1 FROM item WHERE project_id = :p", p=here)) == 1


def test_what_is_left_of_a_deleted_project_is_deleted_after_the_answer(
    world: World, server: ServerOfTests, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.task("One")
    world.do(ArchiveProject(project_id=world.project.id))
    with monkeypatch.context() as slowly:
        slowly.setattr(large_projects, "SLICE_SECONDS", -1.0)
        slowly.setattr(large_projects, "SWEPT_AT_ONCE", 1)
        assert server.client(world.maya).delete(f"/v1/projects/{world.project.id}").status_code == 204
        wait_until(lambda: not world.rows("SELECT 1 FROM unfinished"))
    for table in {rows.table for rows in large_projects.HIDDEN}:
        assert world.rows(f"SELECT 1 FROM {table} WHERE project_id = :p", p=world.project.id) == [], table
