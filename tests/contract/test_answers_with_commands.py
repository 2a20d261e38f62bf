"""A command answers the screen's query too: in its transaction, with the answer that the query alone would get."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from core.actions.cards.cards import MoveCard
from core.actions.cards.tasks import CreateTask
from core.actions.projects.members import SetProjectRole
from core.actions.workflow.canvas import GetCanvas
from core.backends.connection import ServerConnection
from core.domain.model import ProjectRole, Status
from core.engine.messages import Answered
from core.errors import Forbidden, RuleViolation
from core.net.http_client import Reply
from core.server.requests import responses
from core.wire.routes import ALSO, Request
from tests.support.backends import KINDS, REMOTE, backend_of, changes_since_now
from tests.support.postgres_cluster import ON_POSTGRES
from tests.support.workspace import World


@pytest.mark.parametrize("kind", KINDS)
async def test_the_answer_is_the_one_that_the_query_gets_after_the_commit(world: World, kind: str) -> None:
    task, query = world.task(), changes_since_now(world)
    async with backend_of(world, kind) as backend:
        moved, answered = await backend.execute_and_ask(MoveCard(card_id=task.id, status=Status.IN_PROGRESS), query)
        assert answered is not None
        assert (answered.query, answered.answer) == (query, await backend.query(query))
    assert [(card.id, card.status) for card in answered.answer.changed] == [(task.id, Status.IN_PROGRESS)]
    assert moved.status is Status.IN_PROGRESS
    assert world.row("item", id=task.id)["status"] == "IN_PROGRESS"


@pytest.mark.parametrize("kind", KINDS)
async def test_what_others_changed_meanwhile_is_in_the_answer(world: World, kind: str) -> None:
    task, query = world.task(), changes_since_now(world)
    other = world.do(CreateTask(phase_id=world.discover.id, title="Bob's"), as_=world.bob)
    async with backend_of(world, kind) as backend:
        _, answered = await backend.execute_and_ask(MoveCard(card_id=task.id, status=Status.IN_PROGRESS), query)
    assert answered is not None
    assert {card.id for card in answered.answer.changed} == {task.id, other.id}
    assert answered.answer.by_others == {other.id}
    assert answered.answer.others.names == ("Bob Lind",)


@pytest.mark.parametrize("kind", KINDS)
async def test_a_query_about_another_project_has_to_be_sent_by_itself(world: World, kind: str) -> None:
    task, other = world.task(), world.new_project("Other")
    async with backend_of(world, kind) as backend:
        moved, answered = await backend.execute_and_ask(
            MoveCard(card_id=task.id, status=Status.IN_PROGRESS), changes_since_now(world, other.id)
        )
    assert moved.status is Status.IN_PROGRESS
    assert answered is None or ON_POSTGRES  # there it is asked after the commit, with its own permission


@pytest.mark.parametrize("kind", KINDS)
async def test_a_query_that_can_read_much_has_to_be_sent_by_itself(world: World, kind: str) -> None:
    task, query = world.task(), GetCanvas(project_id=world.project.id)
    async with backend_of(world, kind) as backend:
        _, answered = await backend.execute_and_ask(MoveCard(card_id=task.id, status=Status.IN_PROGRESS), query)
    assert answered is None


@pytest.mark.parametrize("kind", KINDS)
async def test_after_a_change_of_permissions_no_answer_comes_with_the_old_ones(world: World, kind: str) -> None:
    bob, query = world.bob.user_id, changes_since_now(world)
    viewer = SetProjectRole(project_id=world.project.id, user_id=bob, role=ProjectRole.VIEWER)
    async with backend_of(world, kind) as backend:
        _, answered = await backend.execute_and_ask(viewer, query)
        assert answered is None or (ON_POSTGRES and answered.answer == await backend.query(query))


@pytest.mark.parametrize("kind", KINDS)
async def test_a_refused_command_answers_nothing_and_changes_nothing(world: World, kind: str) -> None:
    task, query = world.task(phase=world.build), changes_since_now(world)
    move = MoveCard(card_id=task.id, status=Status.IN_PROGRESS)
    async with backend_of(world, kind) as backend:
        with pytest.raises(RuleViolation, match="locked"):
            await backend.execute_and_ask(move, query)
    async with backend_of(world, kind, world.vera) as backend:
        with pytest.raises(Forbidden):
            await backend.execute_and_ask(move, query)
    assert world.row("item", id=task.id)["status"] == "TO_DO"
    assert world.ask(query) is None


# -- in one transaction --------------------------------------------------------------------------------------


@pytest.mark.sqlite
def test_a_move_and_its_answer_are_one_transaction(world: World) -> None:
    task, query = world.task(), changes_since_now(world)
    sent: list[str] = []

    def in_one_thread() -> Answered | None:
        world.database.connection.set_trace_callback(sent.append)
        move = MoveCard(card_id=task.id, status=Status.IN_PROGRESS)
        return world.engine.execute_and_ask(move, query, world.maya)[1]

    assert in_one_thread() is not None
    assert [each for each in sent if each.startswith(("BEGIN", "COMMIT", "ROLLBACK"))] == ["BEGIN IMMEDIATE", "COMMIT"]
    asked_for_rights = [each for each in sent if "platform_roles" in each]
    assert len(asked_for_rights) == 1
    assert len(sent) <= 26


# -- other servers -------------------------------------------------------------------------------------------


async def test_a_server_of_the_version_before_answers_the_command_alone(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    order = ServerConnection.order

    async def without(
        self: ServerConnection, request: Request, key: str, deadline: float, headers: Mapping[str, str]
    ) -> Reply:
        assert ALSO in headers
        return await order(self, request, key, deadline, {})

    monkeypatch.setattr(ServerConnection, "order", without)
    task, query = world.task(), changes_since_now(world)
    async with backend_of(world, REMOTE) as backend:
        moved, answered = await backend.execute_and_ask(MoveCard(card_id=task.id, status=Status.IN_PROGRESS), query)
        changes = await backend.query(query)
    assert (moved.status, answered) == (Status.IN_PROGRESS, None)
    assert changes is not None
    assert [card.status for card in changes.changed] == [Status.IN_PROGRESS]


@pytest.mark.parametrize("also", ["null", "[]", '{"head": 1}', '{"data": 7}'])
async def test_an_answer_that_is_not_understood_is_asked_for_again(
    world: World, monkeypatch: pytest.MonkeyPatch, also: str
) -> None:
    monkeypatch.setattr(responses, "double_response", _with(also))
    task, query = world.task(), changes_since_now(world)
    async with backend_of(world, REMOTE) as backend:
        moved, answered = await backend.execute_and_ask(MoveCard(card_id=task.id, status=Status.IN_PROGRESS), query)
    assert (moved.status, answered) == (Status.IN_PROGRESS, None)


def _with(also: str) -> object:
    double = responses.double_response
    json.loads(also)
    return lambda kind, text, _, request: double(kind, text, also.encode(), request)
