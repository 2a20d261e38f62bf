"""Presence in the event stream: only for people on the same project, and not too often."""

from __future__ import annotations

import asyncio
from time import monotonic

from core.actions.cards.cards import DeleteCard
from core.actions.cards.tasks import AssignTask
from core.actions.personal.inbox import MarkNotificationsRead
from core.actions.projects.members import RemoveMember
from core.actions.projects.presence import ReportPresence
from core.engine.unit_of_work import Actor
from tests.support.api.listener import Listener
from tests.support.api.raw import connection, request
from tests.support.api.server import ServerOfTests, token_for
from tests.support.waiting import until
from tests.support.workspace import World


def come(world: World, actor: Actor, card: str) -> None:
    """A user says which card they are on."""
    world.ask(ReportPresence(project_id=world.project.id, card_id=card), actor)


async def test_only_those_who_look_at_the_project_hear_of_steps_and_many_are_few_events(
    world: World, server: ServerOfTests
) -> None:
    come(world, world.maya, "a")
    maya, vera = Listener(server.client(world.maya)), Listener(server.client(world.vera))
    began = monotonic()
    for step in range(200):
        come(world, world.bob, str(step))
    await until(maya.steps)
    world.task("Heard of by both")
    await until(lambda: min(maya.changes(), vera.changes()) >= 2)
    assert maya.steps() <= (monotonic() - began) / 0.25 + 1
    assert vera.steps() == 0
    assert not any("Bob" in line or world.bob.user_id in line for line in maya.heard), "events are hints"


async def test_a_user_who_closes_one_of_two_terminals_is_still_here(world: World, server: ServerOfTests) -> None:
    token, asks = token_for(world, world.bob), ReportPresence(project_id=world.project.id)
    with connection(server) as second, connection(server) as first:
        for stream in (first, second):
            stream.sendall(request("/v1/changes", token))
            assert stream.recv(4096)
        come(world, world.bob, "a")
        first.close()
        await asyncio.sleep(0.5)
        assert world.ask(asks)
    await until(lambda: not world.ask(asks))


async def test_only_the_person_whose_inbox_changed_hears_of_it(world: World, server: ServerOfTests) -> None:
    """Each stream begins with a word of it, since nothing is known of what was counted before."""
    bob, vera = Listener(server.client(world.bob)), Listener(server.client(world.vera))
    await until(lambda: min(bob.changes(), vera.changes()) >= 1)
    quiet = world.task("Nobody's")
    await until(lambda: min(bob.changes(), vera.changes()) >= 2)
    before = vera.inboxes()
    told = bob.inboxes()
    task = world.task("Bob's")
    world.do(AssignTask(task_id=task.id, assignee_id=world.bob.user_id))
    await until(lambda: bob.inboxes() > told)
    assert server.client(world.bob).get("/v1/me/inbox/count").json() == {"data": 1}
    told, changes = bob.inboxes(), vera.changes()
    world.do(MarkNotificationsRead(), world.bob)
    await until(lambda: bob.inboxes() > told)
    world.start(quiet.id)
    await until(lambda: vera.changes() > changes)
    assert vera.inboxes() == before
    told = vera.inboxes()
    world.do(RemoveMember(user_id=world.vera.user_id, project_id=world.project.id))
    await until(lambda: vera.inboxes() > told)


async def test_a_deleted_card_takes_its_notification_out_of_the_count_and_its_person_hears_of_it(
    world: World, server: ServerOfTests
) -> None:
    world.task("Kept")
    bob, vera = Listener(server.client(world.bob)), Listener(server.client(world.vera))
    await until(lambda: min(bob.changes(), vera.changes()) >= 1)
    count = "/v1/me/inbox/count"
    task = world.task("Bob's", assignee_id=world.bob.user_id)
    await until(lambda: min(bob.changes(), vera.changes()) >= 2)
    world.archive(task.id)
    await until(lambda: min(bob.changes(), vera.changes()) >= 3)
    assert server.client(world.bob).get(count).json() == {"data": 1}
    told, others = bob.inboxes(), vera.inboxes()
    world.do(DeleteCard(card_id=task.id))
    await until(lambda: bob.inboxes() > told)
    assert server.client(world.bob).get(count).json() == {"data": 0}
    assert vera.inboxes() == others
    assert len(world.rows("SELECT id FROM notification WHERE read_at IS NULL")) == 1, "it would be back with the card"
