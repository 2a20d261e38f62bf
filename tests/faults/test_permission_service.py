"""The authorization service in every kind of trouble: nothing is granted, nothing is written, and it passes."""

from __future__ import annotations

import gc
import time
import tracemalloc
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from core.actions import load_catalog
from core.actions.cards.cards import DeleteCard, MoveCard
from core.actions.permissions.permissions import QueryPermissions
from core.actions.projects.members import InviteMember
from core.actions.workflow.canvas import GetCanvas
from core.domain.grants import CacheControl, PermissionQuery, PermissionSource
from core.domain.model import Status
from core.engine.engine import Engine
from core.engine.messages import Message
from core.engine.unit_of_work import Actor
from core.errors import AuthorizationUnavailable, Forbidden, PodiumError
from tests.support.authorization_service.faults import AWAY, EMPTY, FAULTS
from tests.support.authorization_service.server import Service
from tests.support.message_examples import messages
from tests.support.prepared import new_world
from tests.support.workspace import Clock, World, content
from tests.support.workspace import send as send_to

DEADLINE = 0.3
"""Seconds that a question may take here, where the fault lasts as long."""
LASTING = tuple(fault for fault in FAULTS if fault.startswith(("429", "5", "hang", "drip")))
PATIENT = 20.0
"""Seconds for the others: what ends by itself must not end by the deadline on a busy machine."""
SPARE = 15.0
"""Seconds beyond the deadline within which all who wait must go on; without one, some of them would last for ever."""


def deadline_for(fault: str) -> float:
    return DEADLINE if fault in LASTING else PATIENT


class Place(NamedTuple):
    """A workspace that the stand-in decides for."""

    world: World
    service: Service
    source: PermissionSource
    hasty: PermissionSource


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    world = new_world(tmp_path_factory.mktemp("faults") / "podium.db")
    with Service() as service:
        service.copy(world.database)
        source, hasty = service.source(deadline=PATIENT, max_age=0), service.source(deadline=DEADLINE, max_age=0)
        world.engine.permissions = source
        world.ask(GetCanvas(project_id=world.project.id))  # loads what the first question needs
        source.invalidate()
        yield Place(world, service, source, hasty)
        world.engine.close()


def refused(send: Callable[[], object]) -> tuple[PodiumError | None, float]:
    """The error that a message ends with, and the seconds it took; any other exception is one of the test."""
    began = time.monotonic()
    try:
        send()
    except PodiumError as error:
        return error, time.monotonic() - began
    return None, time.monotonic() - began


def recovered(world: World) -> bool:
    """True if the Canvas can be read again, within several tries: a busy machine can miss the short deadline."""
    for _ in range(50):
        error, _ = refused(lambda: world.ask(GetCanvas(project_id=world.project.id)))
        if error is None:
            return True
    return False


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_grants_nothing_is_over_in_time_and_leaves_no_trace(fault: str, place: Place) -> None:
    world, service, source = place.world, place.service, place.hasty if fault in LASTING else place.source
    world.engine.permissions = source
    before = content(world.database)
    service.misbehave(fault)
    try:
        error, seconds = refused(lambda: world.do(InviteMember(project_id=world.project.id, user_id=world.gus.user_id)))
        assert isinstance(error, AuthorizationUnavailable)
        assert seconds < deadline_for(fault) + SPARE
        assert error.correlation_id
        assert all(sign not in str(error) for sign in ("Traceback", "\n", "\x1b", "httpx", "Error("))
        question = PermissionQuery(world.maya.user_id, world.row("workspace")["auth_id"], frozenset({"WORKSPACE_VIEW"}))
        grant = source.grant(question, CacheControl.MAX_STALE)
        assert grant.held == frozenset()
        assert grant.authority.fault is not None
        assert grant.authority.fault.away == (fault in AWAY)
        assert content(world.database) == before
    finally:
        service.behave()
    assert recovered(world), "it recovers by itself"
    world.engine.permissions = place.source
    source.invalidate()  # so that the next fault finds nothing to look by


@pytest.mark.parametrize("answer", EMPTY)
def test_a_good_answer_that_holds_nothing_is_a_refusal_and_no_fault(answer: str, place: Place) -> None:
    with place.service.misbehaving(answer):
        error, _ = refused(lambda: place.world.ask(GetCanvas(project_id=place.world.project.id)))
    assert isinstance(error, Forbidden)
    assert "permission service does not let you see this project (PROJECT_VIEW)" in str(error)


class Matrix(NamedTuple):
    """Sources that always meet the same fault, one for each."""

    sources: dict[str, PermissionSource]
    pool: ThreadPoolExecutor


@pytest.fixture(scope="module")
def matrix() -> Iterator[Matrix]:
    with Service() as service, ThreadPoolExecutor(20) as pool:
        sources = {name: service.source(url=service.url_of(name), deadline=deadline_for(name)) for name in FAULTS}
        anything = PermissionQuery("", "", frozenset())
        for _ in pool.map(lambda source: source.grant(anything, CacheControl.NO_CACHE), sources.values()):
            pass  # each loads and connects
        yield Matrix(dict(sources), pool)
        for source in sources.values():
            source.close()


def meet_every_fault(kind: type[Message[Any]], matrix: Matrix, path: Path) -> None:
    world = new_world(path)
    message = messages.ALL[kind](world)
    before = content(world.database)

    def send(fault: str) -> tuple[PodiumError | None, float]:
        under = Engine(world.database, load_catalog, matrix.sources[fault], Clock())
        return refused(lambda: send_to(under, message, world.maya))

    for fault, (error, seconds) in zip(FAULTS, matrix.pool.map(send, FAULTS), strict=True):
        assert isinstance(error, AuthorizationUnavailable), f"{fault}: {error!r}"
        assert error.correlation_id, fault
        assert seconds < deadline_for(fault) + SPARE, fault
    assert content(world.database) == before
    world.engine.close()


REPRESENTATIVES = (GetCanvas, MoveCard, DeleteCard, InviteMember, QueryPermissions)
"""Looking, changing, deleting, changing members, and asking about rights."""


@pytest.mark.parametrize("kind", REPRESENTATIVES, ids=lambda kind: kind.__name__)
def test_no_message_gets_through_in_any_trouble(kind: type[Message[Any]], matrix: Matrix, tmp_path: Path) -> None:
    meet_every_fault(kind, matrix, tmp_path / "podium.db")


@pytest.mark.slow
@pytest.mark.parametrize("kind", messages.ALL, ids=lambda kind: kind.__name__)
def test_not_one_of_all_messages_gets_through(kind: type[Message[Any]], matrix: Matrix, tmp_path: Path) -> None:
    meet_every_fault(kind, matrix, tmp_path / "podium.db")


@pytest.mark.parametrize("fault", ["gzip bomb", "huge", "flood", "header bomb", "deep nesting", "endless pages"])
def test_an_answer_that_is_too_much_takes_no_memory(fault: str, place: Place) -> None:
    question = PermissionQuery(place.world.maya.user_id, place.world.row("workspace")["auth_id"], frozenset({"A"}))
    with place.service.misbehaving(fault):
        place.source.grant(question, CacheControl.NO_CACHE)
        gc.collect()
        tracemalloc.start()
        for _ in range(10):
            assert place.source.grant(question, CacheControl.NO_CACHE).held == frozenset()
        gc.collect()
        left, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert left < 1_000_000
    assert most < 8_000_000, "the service's own copies of what it sends included"


def test_people_who_look_go_on_looking_while_it_is_away_and_cannot_change_anything(place: Place) -> None:
    world, service, source, _ = place
    task = world.task()
    source.invalidate()
    canvas = GetCanvas(project_id=world.project.id)
    world.ask(canvas, world.bob)
    with service.misbehaving("refused"):
        assert world.ask(canvas, world.bob).head
        error, _ = refused(lambda: world.move(task.id, Status.IN_PROGRESS, world.bob))
        assert isinstance(error, AuthorizationUnavailable)
        error, _ = refused(lambda: world.ask(canvas, Actor("a new user")))
        assert isinstance(error, AuthorizationUnavailable)
    assert world.status(task) == "TO_DO"
    service.copy(world.database)
    world.move(task.id, Status.IN_PROGRESS, world.bob)
    assert world.status(task) == "IN_PROGRESS"
