"""The people of the benchmark of many screens: what they miss is missed by the server, and not by them."""

from __future__ import annotations

import asyncio
import io
from contextlib import suppress

import pytest

from core.actions.cards.tasks import CreateTask
from core.actions.workflow.canvas import GetCanvas
from core.backends.connection import TRIES
from core.server.requests.bounds import limits
from tests.api.conftest import lines, server  # noqa: F401
from tests.benchmarks.listeners import Listener
from tests.support.api.server import ServerOfTests, token_for
from tests.support.waiting import until
from tests.support.workspace import World


async def test_a_listener_sees_later_changes_after_the_server_was_too_busy_for_one_question(
    world: World,
    server: ServerOfTests,  # noqa: F811
    lines: io.StringIO,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    listener = Listener(server.address, world.project.id, token_for(world, world.maya))
    following = asyncio.create_task(listener.follow())
    try:
        await until(listener.ready.is_set)
        with monkeypatch.context() as busy:
            busy.setattr(limits, "WORK_SECONDS", 0)
            world.do(CreateTask(phase_id=world.discover.id, title="While it is busy"))
            await until(lambda: lines.getvalue().count('"message": null, "status": 504') >= TRIES)
        world.do(CreateTask(phase_id=world.discover.id, title="Later"))
        seq = world.ask(GetCanvas(project_id=world.project.id)).head.seq
        await until(lambda: following.done() or any(shown == seq for shown, _ in listener.seen))
        assert not following.done()
        assert await listener.is_right()
    finally:
        following.cancel()
        with suppress(asyncio.CancelledError):
            await following
        await listener.close()
