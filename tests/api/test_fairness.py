"""Somebody greedy and somebody modest on one server: the greedy one waits for themselves, the modest one for nobody."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.requests import Request

from core.actions.canvas import ShowCanvas
from core.actions.me import SetPreference
from core.server import limits
from core.server.messages import READERS, Desk
from core.work import View, Work
from tests.api.raw import answer, connection, request
from tests.api.server import ServerOfTests, token_for
from tests.waiting import PATIENCE, wait_until
from tests.world import World

MANY = 30
"""Connections of the greedy one: more than there are threads."""


class Held:
    """Questions of one person that are not answered until they go on."""

    def __init__(self, user_id: str) -> None:
        self.user_id = user_id
        self.begun: list[int] = []
        self.go_on = threading.Event()

    def run(self, query: ShowCanvas, view: View) -> Any:
        if view.actor.user_id == self.user_id:
            self.begun.append(1)
            self.go_on.wait(PATIENCE)
        return _run(query, view)


_run = ShowCanvas.run


@pytest.fixture
def held(world: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[Held]:
    """Maya's looks at the Canvas take as long as a test likes."""
    held = Held(world.maya.user_id)
    monkeypatch.setattr(ShowCanvas, "run", lambda query, view: held.run(query, view))
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
        wait_until(lambda: len(held.begun) == limits.READS_OF_ONE)
        for number in range(READERS):
            assert modest.get(path).status_code == 200
            assert modest.put("/v1/me/preferences/theme", json={"value": f"{number}"}).status_code == 204
        assert len(held.begun) == limits.READS_OF_ONE, "the others of Maya's have not even begun"
        held.go_on.set()
        assert [answer(client).status for client in greedy] == [200] * MANY
    assert len(held.begun) == MANY


def test_a_question_that_nobody_waits_for_any_more_still_has_its_turn_until_it_ends(
    world: World, server: ServerOfTests, held: Held, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = request(f"/v1/projects/{world.project.id}/canvas", token_for(world, world.maya))
    with connection(server) as first, connection(server) as second, monkeypatch.context() as hasty:
        hasty.setattr(limits, "WORK_SECONDS", 0.2)
        while len(held.begun) < limits.READS_OF_ONE:
            first.sendall(asked)
            assert answer(first).status == 504
        hasty.setattr(limits, "WORK_SECONDS", PATIENCE)
        second.sendall(asked)
        for _ in range(READERS):
            assert server.client(world.bob).get("/v1/projects").status_code == 200
        assert len(held.begun) == limits.READS_OF_ONE
        held.go_on.set()
        assert answer(second).status == 200


def test_between_the_commands_of_one_person_come_those_of_others(
    world: World, server: ServerOfTests, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokens = {actor.user_id: token_for(world, actor) for actor in (world.maya, world.bob)}
    arrived: list[Any] = []
    carried_out: list[str] = []
    go_on = threading.Event()
    write, run = Desk.write, SetPreference.run

    async def arriving(desk: Desk, sent: Request, *work: Any, **options: Any) -> Any:
        arrived.append(sent)
        return await write(desk, sent, *work, **options)

    def held(command: SetPreference, work: Work) -> None:
        carried_out.append(work.actor.user_id)
        go_on.wait(PATIENCE)
        run(command, work)

    monkeypatch.setattr(Desk, "write", arriving)
    monkeypatch.setattr(SetPreference, "run", held)
    with contextlib.ExitStack() as stack:
        senders = [world.maya.user_id] * 5 + [world.bob.user_id]
        clients = [stack.enter_context(connection(server)) for _ in senders]
        for number, (client, sender) in enumerate(zip(clients, senders, strict=True), 1):
            client.sendall(request("/v1/me", tokens[sender]))
            assert answer(client).status == 200
            body = b'{"value": "dark"}'
            client.sendall(request("/v1/me/preferences/theme", tokens[sender], method="PUT", body=body))
            wait_until(lambda number=number: len(arrived) == number)  # type: ignore[misc]
        go_on.set()
        assert [answer(client).status for client in clients] == [204] * len(clients)
    assert carried_out == [world.maya.user_id, world.bob.user_id, *[world.maya.user_id] * 4]


def heard(client: socket.socket) -> bytes:
    """What comes of a stream first."""
    seen = b""
    while b"event: change" not in seen and (more := client.recv(4096)):
        seen += more
    return seen


def test_one_person_has_so_many_streams_and_no_more(
    world: World, server: ServerOfTests, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "STREAMS_OF_ONE", 2)
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
        assert "2 terminals or tabs of yours follow the changes" in refused.said
        assert refused.json["errors"][0]["errorCode"] == "TOO_MANY_STREAMS"
        third.sendall(request("/v1/changes", token_for(world, world.bob)))
        assert heard(third).startswith(b"HTTP/1.1 200"), "that is no matter of Bob's"
        first.close()

        def again() -> bool:
            with connection(server) as fourth:
                return opened(fourth)

        wait_until(again, "The place of a stream that was closed stays taken.")
