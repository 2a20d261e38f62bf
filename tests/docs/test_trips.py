"""The trips in core/README.md: a real key, request and permission query enter the files listed beside, and no others.

Each is traced when the same was done before: what happens once, such as a first connection, is no part of a trip.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest

from core.actions.cards.cards import MoveCard
from core.backends.local import LocalBackend
from core.domain.model import Status
from core.server.requests.bounds import fair_queue
from tests.support.api.server import ServerOfTests
from tests.support.app_driver import on_stage, press, shows
from tests.support.authorization_service.server import Service
from tests.support.paths import ROOT
from tests.support.tracing import Tracing
from tests.support.waiting import until, wait_until
from tests.support.workspace import World
from tui.screens.canvas.screen import CanvasScreen
from tui.services import presence, unread_badge


def check(title: str, entered: Iterable[str], request: pytest.FixtureRequest) -> None:
    """Fail unless these files are those of the trip, and the stations in core/README.md are among them.

    ``pytest tests/docs/test_trips.py --snapshot-update`` writes the files of a trip that has changed.
    """
    file = ROOT / "tests" / "docs" / "trips" / f"{title.replace(' ', '_')}.txt"
    if request.config.getoption("update_snapshots"):
        file.write_text("\n".join(entered) + "\n")
    listed = set(file.read_text().split())
    _, _, below = (ROOT / "core" / "README.md").read_text().partition(f"\n## The trip of a {title}\n")
    stations = re.findall(r"^\d+\. `((?:core|tui)/[\w/]+\.py)`", below.partition("\n## ")[0], re.MULTILINE)
    assert stations
    assert {
        "not listed": sorted(set(entered) - listed),
        "not entered": sorted(listed - set(entered)),
        "no station": sorted(set(stations) - set(entered)),
    } == {"not listed": [], "not entered": [], "no station": []}


async def test_the_trip_of_a_key_lists_the_files_that_a_real_key_enters(
    world: World, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    # these follow a key after a while, so a slow machine would count those of the keys before this one
    monkeypatch.setattr(unread_badge, "SOON", (600.0, 600.0))
    monkeypatch.setattr(presence, "REST_SECONDS", 600.0)
    task = world.task("Write the brief")
    with Tracing("core", "tui") as tracing:
        async with on_stage(world, lambda: CanvasScreen(world.project.id)) as pilot:
            backend = pilot.app.backend
            assert isinstance(backend, LocalBackend)
            backend._threads._max_workers = 1  # a second thread would open its own connection to the database
            with tracing.recording():  # the last visit and the first count of the inbox come after the first paint
                await until(lambda: "core/actions/projects/last_visit.py" in tracing.entered)
                await until(lambda: "core/actions/personal/inbox.py" in tracing.entered)
            for key in ("L", "H", "L"):
                tracing.entered.clear()
                with tracing.recording():
                    await press(pilot, key)
                    # the listener hears of the commit in its own time, which must not be that of the next key
                    await until(lambda: "tui/services/unread_badge.py" in tracing.entered)
            assert world.status(task) == "IN_PROGRESS"
            assert await shows(pilot, "In Progress 1")
    check("key", tracing.entered, request)
    assert len(tracing.entered) < 95, "as many files from the key to its picture"
    assert list(tracing.entered).index("tui/screens/cards/status.py") < 14, (
        "as many files between the key and its handler"
    )


def test_the_trip_of_a_request_lists_the_files_that_a_real_request_enters(
    world: World, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.setattr(fair_queue, "READERS", 1)  # a second thread would open its own connection to the database
    path = f"/v1/items/{world.task().id}/move"
    with Tracing("core") as tracing, ServerOfTests(world) as server:
        client = server.client(world.bob)

        def move(status: Status) -> None:
            moved = client.post(path, json={"status": status}, headers={"Idempotency-Key": f"to {status}"})
            assert (moved.status_code, moved.json()["status"]) == (200, status)

        def reported() -> None:
            """Wait until the thread of the event stream has read the inbox."""
            wait_until(lambda: "core/actions/personal/inbox.py" in tracing.entered)

        for status in (Status.IN_PROGRESS, Status.TO_DO, Status.COMPLETED):  # after the first, each thread is connected
            tracing.entered.clear()
            with tracing.recording():
                move(status)
                reported()
    check("request", tracing.entered, request)


def test_the_trip_of_a_permission_query_lists_the_files_that_a_real_query_enters(
    world: World, request: pytest.FixtureRequest
) -> None:
    command = MoveCard(card_id=world.task().id, status=Status.COMPLETED)
    with Service() as service, Tracing("core") as tracing:
        service.copy(world.database)
        world.engine.permissions = source = service.source()
        world.engine.authorize(command, world.bob)
        source.invalidate()
        asked = len(service.requests)
        with tracing.recording():
            world.engine.authorize(command, world.bob)
        assert len(service.requests) == asked + 1
        source.close()
    check("permission query", tracing.entered, request)
