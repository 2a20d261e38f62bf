"""The remote source: when it asks, what it keeps and for how long, and what it allows while the service is away."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import pytest

from core.actions.canvas import ShowCanvas
from core.actions.history import Redo, Undo
from core.actions.members import SetProjectRole
from core.authorization.question import Fault, Freshness, Grant, Question
from core.authorization.remote import RemotePermissions
from core.catalog import BY_NAME
from core.errors import InvalidInput
from core.messages import Command
from core.model import ProjectRole
from core.rights import Permission
from tests import samples
from tests.service.server import TOKEN, Service
from tests.world import World

ACCOUNT = str(uuid4())
VIEW, MOVE = Permission.PROJECT_VIEW, Permission.TASK_MOVE
QUESTION = Question("bob", ACCOUNT, frozenset[str](Permission))
AT_ONCE, LOOK, CHANGE, EXACT = Freshness.AT_ONCE, Freshness.VIEW, Freshness.CHANGE, Freshness.EXACT


@dataclass
class Watch:
    """A monotonic clock that a test moves."""

    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
def new(service: Service, watch: Watch) -> Iterator[Callable[..., RemotePermissions]]:
    """Makes sources, which are closed at the end."""
    made: list[RemotePermissions] = []

    def make(**settings: object) -> RemotePermissions:
        made.append(service.source(**{"clock": watch, "deadline": 2.0, **settings}))  # type: ignore[arg-type]
        return made[-1]

    yield make
    for source in made:
        source.close()


@pytest.fixture
def source(service: Service, new: Callable[..., RemotePermissions]) -> RemotePermissions:
    """A source of which Bob holds two codes."""
    service.grant("bob", ACCOUNT, VIEW, MOVE)
    return new()


def fault_of(grant: Grant) -> Fault:
    assert grant.authority.fault is not None
    return grant.authority.fault


def until(holds: Callable[[], bool], seconds: float = 5.0) -> None:
    """Wait for something that happens in another thread."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.005)


def test_a_grant_is_kept_for_five_seconds_and_not_longer(
    source: RemotePermissions, service: Service, watch: Watch
) -> None:
    assert source.grant(QUESTION, CHANGE).held == {VIEW, MOVE}
    watch.now += 4.9
    kept = source.grant(QUESTION, CHANGE)
    assert (kept.held, round(kept.age, 1), len(service.requests)) == ({VIEW, MOVE}, 4.9, 1)
    watch.now += 0.1
    assert source.grant(QUESTION, CHANGE).age == 0
    assert len(service.requests) == 2


def test_a_revocation_is_seen_when_the_grant_is_no_longer_kept(
    source: RemotePermissions, service: Service, watch: Watch
) -> None:
    source.grant(QUESTION, LOOK)
    service.revoke("bob", ACCOUNT, MOVE)
    watch.now += 5
    assert source.grant(QUESTION, LOOK).held == {VIEW}


def test_nothing_is_kept_when_told_so(service: Service, new: Callable[..., RemotePermissions]) -> None:
    source = new(keep=0)
    assert [source.grant(QUESTION, freshness).held for freshness in (LOOK, CHANGE)] == [frozenset(), frozenset()]
    assert len(service.requests) == 2
    assert source.grant(QUESTION, AT_ONCE).authority.pending


def test_what_has_to_be_exact_is_asked_although_a_grant_is_kept(source: RemotePermissions, service: Service) -> None:
    source.grant(QUESTION, LOOK)
    service.revoke("bob", ACCOUNT)
    assert source.grant(QUESTION, EXACT).held == frozenset()
    assert source.grant(QUESTION, LOOK).held == frozenset(), "the exact answer replaces the kept one"
    assert len(service.requests) == 2


def test_a_fault_is_not_kept(source: RemotePermissions, service: Service) -> None:
    service.misbehave("500")
    assert source.grant(QUESTION, CHANGE).held == frozenset()
    service.behave()
    assert source.grant(QUESTION, CHANGE).held == {VIEW, MOVE}


def test_after_forgetting_all_is_asked_anew(source: RemotePermissions, service: Service) -> None:
    source.grant(QUESTION, CHANGE)
    source.forget()
    source.grant(QUESTION, CHANGE)
    assert len(service.requests) == 2


def test_a_change_of_roles_in_podium_forgets_all_grants(
    world: World, service: Service, new: Callable[..., RemotePermissions]
) -> None:
    service.copy(world.database)
    world.application.permissions = new()
    world.ask(ShowCanvas(project_id=world.project.id), as_=world.bob)
    world.do(SetProjectRole(project_id=world.project.id, user_id=world.bob.user_id, role=ProjectRole.VIEWER))
    asked = len(service.requests)
    world.ask(ShowCanvas(project_id=world.project.id), as_=world.bob)
    assert len(service.requests) == asked + 1


ROLE_CHANGES = (
    "AddUser EditUser SetPlatformRoles DeactivateUser ReactivateUser InviteMember InviteGuest SetProjectRole"
    " RemoveMember TakeOverProject CreateProject SetMetaRoles MapProjectRole EditProduct AddApplicationRole"
    " EditApplicationRole RemoveApplicationRole RemoveProduct"
)


@pytest.mark.parametrize("name", ROLE_CHANGES.split())
def test_whatever_changes_roles_forgets_all_grants_and_so_does_taking_it_back(
    name: str, world: World, service: Service, new: Callable[..., RemotePermissions]
) -> None:
    kind: Any = BY_NAME[name]
    message = samples.COMMANDS[kind](world)
    service.copy(world.database)
    world.application.permissions = source = new()
    kept = Question(world.vera.user_id, world.project.auth_id, QUESTION.codes)

    def is_kept() -> bool:
        return not source.grant(kept, AT_ONCE).authority.pending

    steps: list[Command[Any]] = [message]
    if kind.undoable and name != "TakeOverProject":  # which would leave the project without an owner
        scope: dict[str, Any] = {"project_id": world.project.id} if kind in samples.PROJECT_COMMANDS else {}
        steps += [Undo(**scope), Redo(**scope)]
    for step in steps:
        source.grant(kept, LOOK)
        assert is_kept()
        world.do(step)
        assert not is_kept()


def test_nothing_is_kept_of_whoever_has_left(source: RemotePermissions) -> None:
    assert source.grant(QUESTION, CHANGE).held == {VIEW, MOVE}
    source.close()
    assert source.grant(QUESTION, CHANGE).held == frozenset()


def test_an_answer_that_was_on_its_way_while_all_was_forgotten_is_neither_kept_nor_shared(
    source: RemotePermissions, service: Service
) -> None:
    service.delay = 0.2
    with ThreadPoolExecutor() as threads:
        first = threads.submit(source.grant, QUESTION, CHANGE)
        until(lambda: len(service.requests) == 1)
        source.forget()
        second = threads.submit(source.grant, QUESTION, CHANGE)
        assert first.result().held == second.result().held == {VIEW, MOVE}
    assert len(service.requests) == 2


def test_an_answer_to_a_question_from_before_all_was_forgotten_is_not_used_later(
    source: RemotePermissions, service: Service
) -> None:
    service.delay = 0.2
    with ThreadPoolExecutor() as threads:
        first = threads.submit(source.grant, QUESTION, CHANGE)
        until(lambda: len(service.requests) == 1)
        source.forget()
        assert first.result().held == {VIEW, MOVE}
    service.revoke("bob", ACCOUNT, MOVE)
    assert source.grant(QUESTION, CHANGE).held == {VIEW}


def test_what_has_to_be_exact_does_not_join_a_question_that_was_put_before(
    source: RemotePermissions, service: Service
) -> None:
    service.delay = 0.2
    with ThreadPoolExecutor() as threads:
        first = threads.submit(source.grant, QUESTION, CHANGE)
        until(lambda: len(service.requests) == 1)
        exact = [threads.submit(source.grant, QUESTION, EXACT) for _ in range(5)]
        assert {each.result().held for each in (first, *exact)} == {frozenset({VIEW, MOVE})}
    assert len(service.requests) == 2, "those that came in the meantime share the next question"
    assert service.together == 1, "one question in flight for a user and an account"


def test_a_thousand_questions_at_one_time_are_one_call(source: RemotePermissions, service: Service) -> None:
    source.grant(QUESTION._replace(user_id="warm"), CHANGE)
    service.requests.clear()
    service.delay = 1.0
    ready = threading.Barrier(1001)
    held: list[frozenset[str]] = []

    def ask() -> None:
        ready.wait()
        held.append(source.grant(QUESTION, CHANGE).held)

    threads = [threading.Thread(target=ask) for _ in range(1000)]
    for thread in threads:
        thread.start()
    ready.wait()
    for thread in threads:
        thread.join()
    assert (len(held), set(held), len(service.requests)) == (1000, {frozenset({VIEW, MOVE})}, 1)


def test_fewer_of_podiums_own_codes_are_answered_from_the_full_set(source: RemotePermissions, service: Service) -> None:
    for codes in ({VIEW}, {MOVE, Permission.PROJECT_DELETE}, set(Permission)):
        question = QUESTION._replace(codes=frozenset[str](codes))
        assert source.grant(question, CHANGE).held == codes & {VIEW, MOVE}
    assert [request.filters["permission_codes"] for request in service.requests] == [sorted(Permission)]


def test_the_codes_of_a_product_are_a_question_of_their_own(source: RemotePermissions, service: Service) -> None:
    service.grant("bob", ACCOUNT, "REPORT_EDIT")
    question = QUESTION._replace(codes=frozenset({"REPORT_EDIT", "REPORT_VIEW"}))
    assert source.grant(question, CHANGE).held == {"REPORT_EDIT"}
    assert service.requests[0].filters["permission_codes"] == ["REPORT_EDIT", "REPORT_VIEW"]


def test_to_draw_at_once_nothing_is_asked(source: RemotePermissions, service: Service, watch: Watch) -> None:
    pending = source.grant(QUESTION, AT_ONCE)
    assert (pending.held, pending.authority.pending, pending.authority.source) == (frozenset(), True, "remote")
    source.grant(QUESTION, CHANGE)
    known = source.grant(QUESTION, AT_ONCE)
    assert (known.held, known.authority.pending) == ({VIEW, MOVE}, False)
    watch.now += 5
    assert source.grant(QUESTION, AT_ONCE).authority.pending
    assert len(service.requests) == 1


@pytest.mark.parametrize("fault", ["refused", "hang", "429", "500", "503", "reset"])
def test_while_the_service_is_away_a_recent_grant_allows_to_look_and_nothing_else(
    fault: str, service: Service, watch: Watch, new: Callable[..., RemotePermissions]
) -> None:
    service.grant("bob", ACCOUNT, VIEW, MOVE)
    source = new(deadline=0.3)
    source.grant(QUESTION, LOOK)
    watch.now += 299
    with service.misbehaving(fault):
        looking = source.grant(QUESTION, LOOK)
        assert (looking.held, looking.age) == ({VIEW}, 299)
        assert fault_of(looking).away
        assert source.grant(QUESTION, AT_ONCE).held == {VIEW}
        for freshness in (CHANGE, EXACT):
            assert source.grant(QUESTION, freshness).held == frozenset()
        watch.now += 1
        assert source.grant(QUESTION, LOOK).held == frozenset(), "after five minutes not even that"
    assert source.grant(QUESTION, CHANGE).held == {VIEW, MOVE}


@pytest.mark.parametrize("fault", ["400", "401", "403", "404", "html", "duplicate keys", "302", "no total", "huge"])
def test_an_answer_that_is_wrong_does_not_even_allow_to_look(
    fault: str, source: RemotePermissions, service: Service, watch: Watch
) -> None:
    source.grant(QUESTION, LOOK)
    watch.now += 6
    service.misbehave(fault)
    for _ in range(2):
        refused = source.grant(QUESTION, LOOK)
        assert (refused.held, fault_of(refused).away) == (frozenset(), False)


def test_once_it_is_known_to_be_away_looking_waits_for_nobody_and_it_recovers_by_itself(
    source: RemotePermissions, service: Service, watch: Watch
) -> None:
    source.grant(QUESTION, LOOK)
    watch.now += 6
    service.misbehave("500")
    since = fault_of(source.grant(QUESTION, LOOK)).since
    service.misbehave("hang")
    asked = len(service.requests)
    began = time.monotonic()
    looks = [source.grant(QUESTION, LOOK) for _ in range(50)]
    assert time.monotonic() - began < 0.5
    assert {fault_of(look).since for look in looks} == {since}
    until(lambda: len(service.requests) == asked + 1)
    assert len(service.requests) == asked + 1, "one question is put in the background, not fifty"
    service.behave()
    until(lambda: source.grant(QUESTION, LOOK).authority.fault is None)
    assert source.grant(QUESTION, LOOK).held == {VIEW, MOVE}


def test_trouble_begins_with_the_first_fault_and_ends_with_the_first_good_answer(
    source: RemotePermissions, service: Service
) -> None:
    service.misbehave("500")
    first = fault_of(source.grant(QUESTION, CHANGE))
    service.misbehave("404")
    second = fault_of(source.grant(QUESTION, CHANGE))
    assert second.since == first.since
    assert second.reason != first.reason
    service.behave()
    assert source.grant(QUESTION, EXACT).authority.fault is None
    service.misbehave("500")
    assert fault_of(source.grant(QUESTION, EXACT)).since > first.since


@pytest.mark.parametrize("fault", ["429 at once", "502", "503", "504", "reset", "closed at once", "truncated body"])
def test_what_may_pass_is_tried_again(fault: str, source: RemotePermissions, service: Service) -> None:
    service.misbehave(fault, times=2)
    assert source.grant(QUESTION, CHANGE).held == {VIEW, MOVE}
    assert len(service.requests) == 3
    assert len({request.headers["x-correlation-id"] for request in service.requests}) == 1


@pytest.mark.parametrize(
    "fault", ["400", "401", "403", "404", "405", "415", "500", "201", "302", "html", "nan", "huge"]
)
def test_what_does_not_pass_is_not_tried_again(fault: str, source: RemotePermissions, service: Service) -> None:
    service.misbehave(fault, times=1)
    assert source.grant(QUESTION, CHANGE).held == frozenset()
    assert len(service.requests) == 1


def test_tries_are_few(source: RemotePermissions, service: Service) -> None:
    service.misbehave("503")
    source.grant(QUESTION, CHANGE)
    assert len(service.requests) == 4


def test_the_service_may_say_how_long_to_wait(source: RemotePermissions, service: Service) -> None:
    service.misbehave("429 soon", times=1)
    assert source.grant(QUESTION, CHANGE).held == {VIEW, MOVE}
    first, second = service.requests
    assert 1.0 <= second.at - first.at < 2.0


@pytest.mark.parametrize("fault", ["429", "429 until a date"])
def test_nobody_waits_beyond_the_deadline_because_the_service_says_so(
    fault: str, source: RemotePermissions, service: Service
) -> None:
    service.misbehave(fault)
    began = time.monotonic()
    assert fault_of(source.grant(QUESTION, CHANGE)).correlation_id == "4711-service"
    assert time.monotonic() - began < 1.0
    assert len(service.requests) == 1


def test_without_a_token_nobody_is_asked_and_it_is_said_how_to_give_one(service: Service) -> None:
    from core.authorization.token import find_token

    source = RemotePermissions("remote", service.url, lambda: find_token(service.url, None, {}))
    fault = fault_of(source.grant(QUESTION, LOOK))
    assert all(word in fault.reason for word in ("PODIUM_AUTH_TOKEN", "keyring", "auth_token_file"))
    assert (fault.away, fault.correlation_id != "", service.requests) == (False, True, [])
    source.close()


def test_a_token_that_was_replaced_is_taken_with_the_next_question(service: Service) -> None:
    from core.authorization.token import Token

    service.token = "new"
    values = iter(["old", "new"])
    source = RemotePermissions("remote", service.url, lambda: Token(next(values), "a test"), keep=0)
    assert "token" in fault_of(source.grant(QUESTION, LOOK)).reason
    assert source.grant(QUESTION, LOOK).authority.fault is None
    assert source.grant(QUESTION, LOOK).authority.fault is None
    source.close()


def test_a_token_that_cannot_be_used_is_a_fault_and_no_exception(service: Service) -> None:
    def broken() -> object:
        raise InvalidInput("auth_token_file", "Others can reach it.")

    source = RemotePermissions("remote", service.url, broken)  # type: ignore[arg-type]
    assert fault_of(source.grant(QUESTION, EXACT)).reason == "Others can reach it."
    source.close()


@pytest.mark.parametrize("fault", ["hang", "503", "drip in the body"])
def test_closing_lets_go_of_whoever_waits_and_leaves_nothing_behind(fault: str, service: Service) -> None:
    service.misbehave(fault)
    source = service.source(deadline=30)
    threads = threading.active_count()
    with ThreadPoolExecutor() as pool:
        waiting = [pool.submit(source.grant, QUESTION, freshness) for freshness in (LOOK, EXACT)]
        until(lambda: bool(service.requests))
        began = time.monotonic()
        source.close()
        assert all("closed" in fault_of(each.result()).reason for each in waiting)
        assert time.monotonic() - began < 1.0
        assert "closed" in fault_of(source.grant(QUESTION, CHANGE)).reason
    source.close()
    gc.collect()  # what was not ended cleanly would warn now, which is an error here
    assert threading.active_count() <= threads


def test_a_source_that_was_never_asked_starts_nothing() -> None:
    code = (
        "import sys, threading; from pathlib import Path;"
        "from core.config import Config; from core.authorization.sources import source_in_use;"
        "source = source_in_use(Config(db=Path('x'), auth_url='https://auth.example.com'), None);"
        "assert source.name == 'remote';"
        "assert not {'httpx', 'pydantic', 'keyring', 'email'} & set(sys.modules), 'loaded too early';"
        "assert threading.active_count() == 1; source.close()"
    )
    assert subprocess.run([sys.executable, "-W", "error", "-c", code], check=False).returncode == 0


def test_a_warm_grant_costs_no_call_and_next_to_no_time(source: RemotePermissions, service: Service) -> None:
    source.grant(QUESTION, CHANGE)
    began = time.perf_counter()
    for _ in range(1000):
        source.grant(QUESTION, CHANGE)
    assert time.perf_counter() - began < 0.5
    assert len(service.requests) == 1


def test_the_token_is_in_no_repr() -> None:
    from core.authorization.token import Token

    assert repr(Token(TOKEN, "a test")) == "Token(source='a test')"
