"""Somebody greedy and somebody modest on one server: the greedy one waits for themselves, the modest one for nobody."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from core.actions.canvas import ShowCanvas
from core.server import limits
from core.server.messages import READERS
from core.work import View
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
        for client, token in zip(greedy, tokens, strict=False):
            client.sendall(request("/v1/me", token))
            assert answer(client).status == 200
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
        assert refused.said.startswith("You follow the changes")
        third.sendall(request("/v1/changes", token_for(world, world.bob)))
        assert heard(third).startswith(b"HTTP/1.1 200"), "that is no matter of Bob's"
        first.close()

        def again() -> bool:
            with connection(server) as fourth:
                return opened(fourth)

        wait_until(again, "The place of a stream that was closed stays taken.")
