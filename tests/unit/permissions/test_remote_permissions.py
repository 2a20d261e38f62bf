"""The remote source: when it asks, what it keeps and for how long, and what makes it forget."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from core.actions.catalog import BY_NAME
from core.actions.history.history import Redo, Undo
from core.actions.projects.members import SetProjectRole
from core.actions.workflow.canvas import GetCanvas
from core.authorization.remote_source import Outcome, RemotePermissions
from core.domain.grants import PermissionQuery
from core.domain.model import ProjectRole
from core.domain.permissions import Permission
from core.engine.messages import Command
from core.record import replace
from tests.support.authorization_service.server import Service
from tests.support.message_examples import messages
from tests.support.remote_source import (
    ACCOUNT,
    MAX_AGE,
    MAX_STALE,
    MOVE,
    NO_CACHE,
    ONLY_IF_CACHED,
    QUESTION,
    VIEW,
    Watch,
)
from tests.support.waiting import wait_until
from tests.support.workspace import World


def test_a_grant_is_kept_for_five_seconds_and_not_longer(
    source: RemotePermissions, service: Service, watch: Watch
) -> None:
    assert source.grant(QUESTION, MAX_AGE).held == {VIEW, MOVE}
    watch.now += 4.9
    kept = source.grant(QUESTION, MAX_AGE)
    assert (kept.held, round(kept.age, 1), len(service.requests)) == (frozenset({VIEW, MOVE}), 4.9, 1)
    watch.now += 0.1
    assert source.grant(QUESTION, MAX_AGE).age == 0
    assert len(service.requests) == 2


def test_a_revocation_is_seen_when_the_grant_is_no_longer_kept(
    source: RemotePermissions, service: Service, watch: Watch
) -> None:
    source.grant(QUESTION, MAX_STALE)
    service.revoke("bob", ACCOUNT, MOVE)
    watch.now += 5
    assert source.grant(QUESTION, MAX_STALE).held == {VIEW}


def test_nothing_is_kept_when_told_so(service: Service, new: Callable[..., RemotePermissions]) -> None:
    source = new(max_age=0)
    assert [source.grant(QUESTION, cache_control).held for cache_control in (MAX_STALE, MAX_AGE)] == [
        frozenset(),
        frozenset(),
    ]
    assert len(service.requests) == 2
    assert source.grant(QUESTION, ONLY_IF_CACHED).authority.pending


def test_what_has_to_be_exact_is_asked_although_a_grant_is_kept(source: RemotePermissions, service: Service) -> None:
    source.grant(QUESTION, MAX_STALE)
    service.revoke("bob", ACCOUNT)
    assert source.grant(QUESTION, NO_CACHE).held == frozenset()
    assert source.grant(QUESTION, MAX_STALE).held == frozenset(), "the exact answer replaces the kept one"
    assert len(service.requests) == 2


def test_a_fault_is_not_kept(source: RemotePermissions, service: Service) -> None:
    service.misbehave("500")
    assert source.grant(QUESTION, MAX_AGE).held == frozenset()
    service.behave()
    assert source.grant(QUESTION, MAX_AGE).held == {VIEW, MOVE}


def test_after_forgetting_everything_is_asked_again(source: RemotePermissions, service: Service) -> None:
    source.grant(QUESTION, MAX_AGE)
    source.invalidate()
    source.grant(QUESTION, MAX_AGE)
    assert len(service.requests) == 2


def test_a_change_of_roles_in_podium_forgets_all_grants(
    world: World, service: Service, new: Callable[..., RemotePermissions]
) -> None:
    service.copy(world.database)
    world.engine.permissions = new()
    world.ask(GetCanvas(project_id=world.project.id), as_=world.bob)
    world.do(SetProjectRole(project_id=world.project.id, user_id=world.bob.user_id, role=ProjectRole.VIEWER))
    asked = len(service.requests)
    world.ask(GetCanvas(project_id=world.project.id), as_=world.bob)
    assert len(service.requests) == asked + 1


def test_an_undo_is_asked_about_again_although_a_grant_is_kept(
    world: World, service: Service, new: Callable[..., RemotePermissions]
) -> None:
    service.copy(world.database)
    world.engine.permissions = new()
    world.task()
    asked = len(service.requests)
    world.do(Undo(project_id=world.project.id))
    assert len(service.requests) == asked + 1


ROLE_CHANGES = (
    "AddUser EditUser SetPlatformRoles DeactivateUser ReactivateUser InviteMember InviteGuest SetProjectRole"
    " RemoveMember ClaimProject CreateProject SetMetaRoles MapProjectRole EditProduct AddApplicationRole"
    " EditApplicationRole RemoveApplicationRole RemoveProduct"
)

UNDO_CHANGES_NO_ROLE = {
    "ClaimProject": "refused, since it would leave the project without an owner",
    "CreateProject": "archives the project, whose members keep their roles",
}


@pytest.mark.parametrize("name", ROLE_CHANGES.split())
def test_whatever_changes_roles_forgets_all_grants_and_so_does_taking_it_back(
    name: str, world: World, service: Service, new: Callable[..., RemotePermissions]
) -> None:
    kind: Any = BY_NAME[name]
    message = messages.COMMANDS[kind](world)
    service.copy(world.database)
    world.engine.permissions = source = new()
    kept = PermissionQuery(world.vera.user_id, world.project.auth_id, QUESTION.codes)

    def is_kept() -> bool:
        return not source.grant(kept, ONLY_IF_CACHED).authority.pending

    steps: list[Command[Any]] = [message]
    if kind.undoable and name not in UNDO_CHANGES_NO_ROLE:
        scope: dict[str, Any] = {"project_id": world.project.id} if kind in messages.PROJECT_COMMANDS else {}
        steps += [Undo(**scope), Redo(**scope)]
    for step in steps:
        source.grant(kept, MAX_STALE)
        assert is_kept()
        world.do(step)
        assert not is_kept()


def test_nothing_is_kept_of_a_user_who_has_left(source: RemotePermissions) -> None:
    assert source.grant(QUESTION, MAX_AGE).held == {VIEW, MOVE}
    source.close()
    assert source.grant(QUESTION, MAX_AGE).held == frozenset()


def queries_of(source: RemotePermissions) -> list[PermissionQuery]:
    """The queries that the source has begun to send from now on, those that share an answer included."""
    sent: list[PermissionQuery] = []
    send = source._single_flight

    async def noted(query: PermissionQuery, no_cache: bool) -> Outcome:
        sent.append(query)
        return await send(query, no_cache)

    source._single_flight = noted  # type: ignore[method-assign]
    return sent


def test_an_answer_that_was_on_its_way_while_all_was_forgotten_is_neither_kept_nor_shared(
    source: RemotePermissions, service: Service
) -> None:
    sent = queries_of(source)
    service.hold()
    with ThreadPoolExecutor() as threads:
        first = threads.submit(source.grant, QUESTION, MAX_AGE)
        wait_until(lambda: len(service.requests) == 1)
        source.invalidate()
        second = threads.submit(source.grant, QUESTION, MAX_AGE)
        wait_until(lambda: len(sent) == 2)
        service.go_on()
        assert first.result().held == second.result().held == {VIEW, MOVE}
    assert len(service.requests) == 2


def test_an_answer_to_a_question_from_before_all_was_forgotten_is_not_used_later(
    source: RemotePermissions, service: Service
) -> None:
    service.hold()
    with ThreadPoolExecutor() as threads:
        first = threads.submit(source.grant, QUESTION, MAX_AGE)
        wait_until(lambda: len(service.requests) == 1)
        source.invalidate()
        service.go_on()
        assert first.result().held == {VIEW, MOVE}
    service.revoke("bob", ACCOUNT, MOVE)
    assert source.grant(QUESTION, MAX_AGE).held == {VIEW}


def test_what_has_to_be_exact_does_not_join_a_question_that_was_put_before(
    source: RemotePermissions, service: Service
) -> None:
    sent = queries_of(source)
    service.hold()
    with ThreadPoolExecutor(6) as threads:
        first = threads.submit(source.grant, QUESTION, MAX_AGE)
        wait_until(lambda: len(service.requests) == 1)
        exact = [threads.submit(source.grant, QUESTION, NO_CACHE) for _ in range(5)]
        wait_until(lambda: len(sent) == 6)
        service.go_on()
        assert {each.result().held for each in (first, *exact)} == {frozenset({VIEW, MOVE})}
    assert len(service.requests) == 2, "those that came in the meantime share the next question"
    assert service.together == 1, "one question in flight for a user and an account"


def test_a_thousand_questions_at_one_time_are_one_call(source: RemotePermissions, service: Service) -> None:
    source.grant(replace(QUESTION, user_id="warm"), MAX_AGE)
    service.requests.clear()
    service.delay = 1.0
    ready = threading.Barrier(1001, timeout=30)
    held: list[frozenset[str]] = []

    def ask() -> None:
        ready.wait()
        held.append(source.grant(QUESTION, MAX_AGE).held)

    threads = [threading.Thread(target=ask) for _ in range(1000)]
    for thread in threads:
        thread.start()
    ready.wait()
    for thread in threads:
        thread.join()
    assert (len(held), set(held), len(service.requests)) == (1000, {frozenset({VIEW, MOVE})}, 1)


def test_fewer_of_podiums_own_codes_are_answered_from_the_full_set(source: RemotePermissions, service: Service) -> None:
    for codes in ({VIEW}, {MOVE, Permission.PROJECT_DELETE}, set(Permission)):
        question = replace(QUESTION, codes=frozenset[str](codes))
        assert source.grant(question, MAX_AGE).held == codes & {VIEW, MOVE}
    assert [request.filters["permission_codes"] for request in service.requests] == [sorted(Permission)]


def test_the_codes_of_a_product_are_a_question_of_their_own(source: RemotePermissions, service: Service) -> None:
    service.grant("bob", ACCOUNT, "REPORT_EDIT")
    question = replace(QUESTION, codes=frozenset({"REPORT_EDIT", "REPORT_VIEW"}))
    assert source.grant(question, MAX_AGE).held == {"REPORT_EDIT"}
    assert service.requests[0].filters["permission_codes"] == ["REPORT_EDIT", "REPORT_VIEW"]


def test_to_draw_at_once_nothing_is_asked(source: RemotePermissions, service: Service, watch: Watch) -> None:
    pending = source.grant(QUESTION, ONLY_IF_CACHED)
    assert (pending.held, pending.authority.pending, pending.authority.source) == (frozenset(), True, "remote")
    source.grant(QUESTION, MAX_AGE)
    known = source.grant(QUESTION, ONLY_IF_CACHED)
    assert (known.held, known.authority.pending) == (frozenset({VIEW, MOVE}), False)
    watch.now += 5
    assert source.grant(QUESTION, ONLY_IF_CACHED).authority.pending
    assert len(service.requests) == 1


def test_a_warm_grant_costs_no_call(source: RemotePermissions, service: Service) -> None:
    for _ in range(1000):
        source.grant(QUESTION, MAX_AGE)
    assert len(service.requests) == 1


def test_what_is_asked_ahead_is_there_when_it_is_needed(source: RemotePermissions, service: Service) -> None:
    source.ask_ahead((QUESTION,))
    wait_until(lambda: source.grant(QUESTION, ONLY_IF_CACHED).held)
    assert source.grant(QUESTION, MAX_STALE).held == {VIEW, MOVE}
    assert len(service.requests) == 1


def test_who_needs_a_grant_before_its_answer_waits_for_the_question_that_was_sent_ahead(
    source: RemotePermissions, service: Service
) -> None:
    service.hold()
    source.ask_ahead((QUESTION,))
    wait_until(lambda: service.requests)
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(source.grant, QUESTION, MAX_STALE)
        assert source.grant(QUESTION, ONLY_IF_CACHED).authority.pending
        service.go_on()
        assert waiting.result().held == {VIEW, MOVE}
    assert len(service.requests) == 1


def test_a_question_ahead_to_a_service_that_is_down_raises_nothing_and_grants_nothing(
    source: RemotePermissions, service: Service
) -> None:
    with service.misbehaving("refused"):
        source.ask_ahead((QUESTION,))
        grant = source.grant(QUESTION, MAX_STALE)
    assert grant.held == frozenset()
    assert grant.authority.fault is not None
