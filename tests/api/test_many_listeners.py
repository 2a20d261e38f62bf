"""What one change costs a server to which many people listen, counted in work, and what each of them is told."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import pytest

from core.actions.canvas import ShowCanvas
from core.actions.tasks import CreateTask
from core.server.messages import Desk
from core.storage.sqlite import SqliteDatabase
from tests.api.server import ServerOfTests
from tests.world import World


@pytest.fixture
def snapshots(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The transactions that read, each of which begins with a look at the schema."""
    found: list[str] = []
    look = SqliteDatabase._refuse_upgraded

    def counted(database: SqliteDatabase) -> None:
        found.append("read")
        look(database)

    monkeypatch.setattr(SqliteDatabase, "_refuse_upgraded", counted)
    return found


def test_a_question_looks_at_its_sender_once_and_reads_its_answer_from_one_snapshot(
    world: World, server: ServerOfTests, snapshots: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    senders: list[Any] = []
    look = Desk.sender
    monkeypatch.setattr(Desk, "sender", lambda desk, request: (senders.append(request), look(desk, request))[1])
    since = world.ask(ShowCanvas(project_id=world.project.id)).head.seq
    title = world.do(CreateTask(phase_id=world.discover.id, title="New")).title
    client, path = server.client(world.bob), f"/v1/projects/{world.project.id}/canvas/changes"
    client.get(path, params={"since": since})  # from now on the token is known
    senders.clear()
    snapshots.clear()
    answer = client.get(path, params={"since": since}).json()
    assert [card["title"] for card in answer["changed"]] == [title]
    assert (len(senders), len(snapshots)) == (1, 2)


def test_each_listener_sees_a_change_with_their_own_rights_and_whoever_is_taken_out_sees_nothing(
    world: World, server: ServerOfTests
) -> None:
    path = f"/v1/projects/{world.project.id}/canvas/changes"
    since = world.ask(ShowCanvas(project_id=world.project.id)).head.seq
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
        assert server.client(world.gus).get(path, params={"since": since}).status_code == 403
        assert server.stranger().get(path, params={"since": since}).status_code == 401
