"""A Canvas is given again while nothing has changed, and never to somebody who may not have it any more.

The clock of the world stands still, so the second in which an answer holds does not pass by itself.
"""

from __future__ import annotations

from collections.abc import Hashable
from datetime import datetime, timedelta
from typing import Any

import pytest

from core.actions.personal.presets import ChoosePreset
from core.actions.projects.members import RemoveMember
from core.actions.workflow.canvas import ShowCanvas
from core.actions.workspace.credentials import CreateToken
from core.authorization.local_source import LocalPermissions
from core.domain.view_settings import PREDEFINED
from core.server.requests import authentication
from core.server.requests.response_cache import MAX_COUNT, MAX_LENGTH, Said, keep
from tests.support.api.server import ServerOfTests, enrol
from tests.support.workspace import World


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


def test_a_token_ends_with_a_second_so_an_answer_of_that_second_is_not_given_too_late(
    world: World, server: ServerOfTests
) -> None:
    world.application.clock.forward(milliseconds=700)  # type: ignore[attr-defined]
    token = world.do(CreateToken(label="One", days=1))
    client, path = server.as_account(), f"/v1/projects/{world.project.id}/canvas"
    client.headers["Authorization"] = f"Bearer {token.secret}"
    ends = (token.token.expires_at - world.application.clock()).total_seconds()
    statuses = []
    for seconds in (ends - 0.001, 0.001):
        world.application.clock.forward(seconds=seconds)  # type: ignore[attr-defined]
        statuses.append([client.get(path).status_code for _ in range(2)])
    assert statuses == [[200, 200], [401, 401]]


def test_a_day_begins_for_answers_too(world: World, server: ServerOfTests) -> None:
    now: datetime = world.application.clock().astimezone()
    midnight = datetime.combine(now.date() + timedelta(days=1), datetime.min.time()).astimezone()
    client, path = server.client(), f"/v1/projects/{world.project.id}/canvas"
    days = []
    for seconds in ((midnight - now).total_seconds() - 0.001, 0.001):
        world.application.clock.forward(seconds=seconds)  # type: ignore[attr-defined]
        days.append([client.get(path).json()["head"]["today"] for _ in range(2)])
    assert days == [[now.date().isoformat()] * 2, [midnight.date().isoformat()] * 2]


def test_an_account_that_is_another_one_now_is_out_with_the_next_second(
    world: World, server: ServerOfTests, monkeypatch: pytest.MonkeyPatch
) -> None:
    enrol(world, world.bob)
    client, path = server.as_account(), f"/v1/projects/{world.project.id}/canvas"
    assert [client.get(path).status_code for _ in range(2)] == [200, 200]
    monkeypatch.setattr(authentication, "uid_matches", lambda *_: False)
    world.application.clock.forward(seconds=1)  # type: ignore[attr-defined]
    assert client.get(path).status_code == 401


def test_an_answer_is_not_given_again_once_another_preset_is_chosen(world: World, server: ServerOfTests) -> None:
    client, path = server.client(), f"/v1/projects/{world.project.id}/canvas"
    found = []
    for preset in PREDEFINED[:2]:
        world.do(ChoosePreset(project_id=world.project.id, preset_id=preset.id))
        found.append({client.get(path).json()["preset"]["id"] for _ in range(2)})
    assert found == [{preset.id} for preset in PREDEFINED[:2]]


def test_nothing_is_given_again_where_a_service_decides(
    world: World, server: ServerOfTests, looks: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Service:
        """One that says what the database says, and could say something else each time."""

        def __init__(self) -> None:
            self.grant = LocalPermissions(world.database).grant
            self.forget = self.close = lambda: None

    monkeypatch.setattr(world.application, "permissions", Service())
    client, path = server.client(), f"/v1/projects/{world.project.id}/canvas"
    assert [client.get(path).status_code for _ in range(3)] == [200] * 3
    assert len(looks) == 3


def test_different_questions_have_different_answers(world: World, server: ServerOfTests, looks: list[str]) -> None:
    client, path = server.client(), f"/v1/projects/{world.project.id}/canvas"
    assert [client.get(each).status_code for each in (path, f"{path}?a=b", path)] == [200, 400, 200]
    assert client.get("/v1/projects/unknown/canvas").status_code == 404
    assert len(looks) == 2  # the second because nothing is looked at for a question that is none


def test_a_request_with_a_body_is_refused_whatever_was_said_before(world: World, server: ServerOfTests) -> None:
    client, path = server.client(), f"/v1/projects/{world.project.id}/canvas"
    sent = [{}, {"json": {}}, {}]
    assert [client.request("GET", path, **each).status_code for each in sent] == [200, 400, 200]


def test_what_is_refused_is_asked_anew(world: World, server: ServerOfTests, looks: list[str]) -> None:
    client, path = server.client(world.gus), f"/v1/projects/{world.project.id}/canvas"
    assert [client.get(path).status_code for _ in range(3)] == [403] * 3
    assert len(looks) == 3


def test_what_is_kept_has_its_bounds() -> None:
    said: dict[Hashable, Said] = {}
    for number in range(2 * MAX_COUNT):
        keep(said, number, Said("somebody", b"x" * (MAX_LENGTH if number else MAX_LENGTH + 1)))
    assert list(said) == list(range(1, MAX_COUNT + 1))
