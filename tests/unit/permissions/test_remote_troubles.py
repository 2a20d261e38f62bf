"""The remote source and trouble: what it allows while the service is away, what it tries again, and its token."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from core.authorization.remote_source import RemotePermissions
from core.errors import InvalidInput
from core.net.bearer_tokens import BearerToken
from tests.support.authorization_service.server import TOKEN, Service
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
    fault_of,
)
from tests.support.waiting import wait_until


@pytest.mark.parametrize("fault", ["refused", "hang", "429", "500", "503", "reset"])
def test_while_the_service_is_away_a_recent_grant_allows_to_look_and_nothing_else(
    fault: str, service: Service, watch: Watch, new: Callable[..., RemotePermissions]
) -> None:
    service.grant("bob", ACCOUNT, VIEW, MOVE)
    source = new(**{"deadline": 1.0} if fault == "hang" else {})
    wait_until(lambda: source.grant(QUESTION, MAX_STALE).held)
    watch.now += 299
    with service.misbehaving(fault):
        looking = source.grant(QUESTION, MAX_STALE)
        assert (looking.held, looking.age) == (frozenset({VIEW}), 299)
        assert fault_of(looking).away
        assert source.grant(QUESTION, ONLY_IF_CACHED).held == {VIEW}
        for cache_control in (MAX_AGE, NO_CACHE):
            assert source.grant(QUESTION, cache_control).held == frozenset()
        watch.now += 1
        assert source.grant(QUESTION, MAX_STALE).held == frozenset(), "after five minutes not even that"
    wait_until(lambda: source.grant(QUESTION, MAX_AGE).held == {VIEW, MOVE})


def test_a_stale_grant_without_a_read_permission_is_no_answer_at_all(
    service: Service, watch: Watch, new: Callable[..., RemotePermissions]
) -> None:
    service.grant("bob", ACCOUNT, MOVE)
    source = new(deadline=1.0)
    assert source.grant(QUESTION, MAX_STALE).held == {MOVE}
    watch.now += 299
    with service.misbehaving("503"):
        looking = source.grant(QUESTION, MAX_STALE)
        assert (looking.held, looking.age) == (frozenset(), 0.0)
        assert fault_of(looking).away


@pytest.mark.parametrize("fault", ["400", "401", "403", "404", "html", "duplicate keys", "302", "no total", "huge"])
def test_an_answer_that_is_wrong_does_not_even_allow_to_look(
    fault: str, source: RemotePermissions, service: Service, watch: Watch
) -> None:
    source.grant(QUESTION, MAX_STALE)
    watch.now += 6
    service.misbehave(fault)
    for _ in range(2):
        refused = source.grant(QUESTION, MAX_STALE)
        assert (refused.held, fault_of(refused).away) == (frozenset(), False)


def test_once_it_is_known_to_be_away_reading_does_not_wait_and_it_recovers_by_itself(
    service: Service, watch: Watch, new: Callable[..., RemotePermissions]
) -> None:
    service.grant("bob", ACCOUNT, VIEW, MOVE)
    source = new(deadline=2.0)
    wait_until(lambda: source.grant(QUESTION, MAX_STALE).held)
    watch.now += 6
    service.misbehave("500")
    since = fault_of(source.grant(QUESTION, MAX_STALE)).since
    service.misbehave("hang")
    asked = len(service.requests)
    began = time.monotonic()
    looks = [source.grant(QUESTION, MAX_STALE) for _ in range(50)]
    assert time.monotonic() - began < 20, "each waiting for its deadline would take 100 s"
    assert {fault_of(look).since for look in looks} == {since}
    wait_until(lambda: len(service.requests) == asked + 1)
    assert len(service.requests) == asked + 1, "one question is put in the background, not fifty"
    service.behave()
    wait_until(lambda: source.grant(QUESTION, MAX_STALE).authority.fault is None)
    assert source.grant(QUESTION, MAX_STALE).held == {VIEW, MOVE}


def test_trouble_begins_with_the_first_fault_and_ends_with_the_first_good_answer(
    source: RemotePermissions, service: Service
) -> None:
    service.misbehave("500")
    first = fault_of(source.grant(QUESTION, MAX_AGE))
    service.misbehave("404")
    second = fault_of(source.grant(QUESTION, MAX_AGE))
    assert second.since == first.since
    assert second.reason != first.reason
    service.behave()
    assert source.grant(QUESTION, NO_CACHE).authority.fault is None
    service.misbehave("500")
    assert fault_of(source.grant(QUESTION, NO_CACHE)).since > first.since


def test_without_a_token_the_service_is_not_asked_and_the_error_says_how_to_give_one(service: Service) -> None:
    from core.net.bearer_tokens import PERMISSIONS, find_token

    source = RemotePermissions("remote", service.url, lambda: find_token(PERMISSIONS, service.url, None, {}))
    fault = fault_of(source.grant(QUESTION, MAX_STALE))
    assert all(word in fault.reason for word in ("PODIUM_AUTH_TOKEN", "keyring", "auth_token_file"))
    assert (fault.away, fault.correlation_id != "", service.requests) == (False, True, [])
    source.close()


def test_a_token_that_was_replaced_is_taken_with_the_next_question(service: Service) -> None:
    service.token = "new"
    values = iter(["old", "new"])
    source = RemotePermissions("remote", service.url, lambda: BearerToken(next(values), "a test"), max_age=0)
    assert "token" in fault_of(source.grant(QUESTION, MAX_STALE)).reason
    assert source.grant(QUESTION, MAX_STALE).authority.fault is None
    assert source.grant(QUESTION, MAX_STALE).authority.fault is None
    source.close()


def test_a_token_that_cannot_be_used_is_a_fault_and_no_exception(service: Service) -> None:
    def broken() -> BearerToken:
        raise InvalidInput("auth_token_file", "Others can reach it.")

    source = RemotePermissions("remote", service.url, broken)
    assert fault_of(source.grant(QUESTION, NO_CACHE)).reason == "Others can reach it."
    source.close()


@pytest.mark.parametrize("fault", ["hang", "503", "drip in the body"])
def test_closing_ends_what_waits_and_leaves_nothing_behind(fault: str, service: Service) -> None:
    service.misbehave(fault)
    source = service.source(deadline=30)
    threads = threading.active_count()
    with ThreadPoolExecutor() as pool:
        waiting = [pool.submit(source.grant, QUESTION, cache_control) for cache_control in (MAX_STALE, NO_CACHE)]
        wait_until(lambda: bool(service.requests))
        source.close()
        assert all("closing" in fault_of(each.result(20)).reason for each in waiting), "the deadline is 30 s away"
        assert "closing" in fault_of(source.grant(QUESTION, MAX_AGE)).reason
    source.close()
    gc.collect()  # what was not ended cleanly would warn now, which is an error here
    assert threading.active_count() <= threads


def test_a_source_that_was_never_asked_starts_nothing() -> None:
    code = (
        "import sys, threading; from pathlib import Path;"
        "from core.config import Config; from core.authorization.configured_source import configured_source;"
        "source = configured_source(Config(db=Path('x'), auth_url='https://auth.example.com'), None);"
        "assert source.name == 'remote';"
        "assert not {'httpx', 'keyring', 'email'} & set(sys.modules), 'loaded too early';"
        "assert threading.active_count() == 1; source.close()"
    )
    assert subprocess.run([sys.executable, "-W", "error", "-c", code], check=False).returncode == 0


def test_the_token_is_in_no_repr() -> None:
    assert repr(BearerToken(TOKEN, "a test")) == "BearerToken(source='a test')"
