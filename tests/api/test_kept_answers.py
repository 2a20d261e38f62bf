"""A Canvas is given again while nothing has changed, and never to somebody who may not have it any more.

The clock of the world stands still, so the second in which an answer holds does not pass by itself.
"""

from __future__ import annotations

from typing import Any

import pytest

from core.actions.canvas import ShowCanvas
from core.actions.members import RemoveMember
from tests.api.server import ServerOfTests
from tests.world import World


@pytest.fixture
def looks(world: World, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Who looked at a Canvas, as often as the core was asked."""
    found, ask = [], world.application.query

    def query(message: Any, actor: Any, **options: Any) -> Any:
        if isinstance(message, ShowCanvas):
            found.append(actor.user_id)
        return ask(message, actor, **options)

    monkeypatch.setattr(world.application, "query", query)
    return found


def test_the_core_is_asked_again_once_somebody_committed(world: World, server: ServerOfTests, looks: list[str]) -> None:
    client, path = server.client(), f"/v1/projects/{world.project.id}/canvas"
    first = [client.get(path).json() for _ in range(3)]
    assert first[0] == first[1] == first[2]
    assert len(looks) == 1
    task = world.task()
    assert task.id in [card["id"] for card in client.get(path).json()["cards"]]
    assert len(looks) == 2


def test_an_answer_is_given_again_to_nobody_else(world: World, server: ServerOfTests, looks: list[str]) -> None:
    path = f"/v1/projects/{world.project.id}/canvas"
    maya, bob = server.client(), server.client(world.bob)
    roles = [client.get(path).json()["head"]["myRole"] for client in (maya, bob, maya, bob)]
    assert roles == ["OWNER", "CONTRIBUTOR"] * 2
    assert sorted(looks) == sorted([world.maya.user_id, world.bob.user_id])
    assert server.stranger().get(path).status_code == 401


def test_whoever_is_taken_out_is_out_at_once(world: World, server: ServerOfTests) -> None:
    client, path = server.client(world.bob), f"/v1/projects/{world.project.id}/canvas"
    assert [client.get(path).status_code for _ in range(2)] == [200, 200]
    world.do(RemoveMember(project_id=world.project.id, user_id=world.bob.user_id))
    assert client.get(path).status_code == 403


def test_a_token_that_expires_is_refused_at_once(world: World, server: ServerOfTests) -> None:
    client, path = server.client(), f"/v1/projects/{world.project.id}/canvas"
    assert [client.get(path).status_code for _ in range(2)] == [200, 200]
    world.application.clock.forward(days=2)  # type: ignore[attr-defined]
    assert client.get(path).status_code == 401
