"""Retries of the permission query: which failures are tried again, how often, and after which wait."""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Callable

import pytest

from core.authorization.remote_source import RemotePermissions
from tests.support.authorization_service.server import Service
from tests.support.remote_source import ACCOUNT, MAX_AGE, MOVE, QUESTION, VIEW, fault_of


@pytest.mark.parametrize("fault", ["429 at once", "502", "503", "504", "reset", "closed at once", "truncated body"])
def test_what_may_pass_is_tried_again(fault: str, source: RemotePermissions, service: Service) -> None:
    service.misbehave(fault, times=2)
    assert source.grant(QUESTION, MAX_AGE).held == {VIEW, MOVE}
    assert len(service.requests) == 3
    assert len({request.headers["x-correlation-id"] for request in service.requests}) == 1


@pytest.mark.parametrize(
    "fault", ["400", "401", "403", "404", "405", "415", "500", "201", "302", "html", "nan", "huge"]
)
def test_what_does_not_pass_is_not_tried_again(fault: str, source: RemotePermissions, service: Service) -> None:
    service.misbehave(fault, times=1)
    assert source.grant(QUESTION, MAX_AGE).held == frozenset()
    assert len(service.requests) == 1


def test_it_waits_longer_before_each_try_and_not_always_as_long(source: RemotePermissions, service: Service) -> None:
    service.misbehave("503")
    random.seed(7)
    expected = [random.uniform(0, most) for most in (0.1, 0.2, 0.4)]
    random.seed(7)
    source.grant(QUESTION, MAX_AGE)
    at = [request.at for request in service.requests]
    waits = [later - before for before, later in itertools.pairwise(at)]
    assert all(least <= wait for least, wait in zip(expected, waits, strict=True)), (expected, waits)


def test_tries_are_few(source: RemotePermissions, service: Service) -> None:
    service.misbehave("503")
    source.grant(QUESTION, MAX_AGE)
    assert len(service.requests) == 4


def test_the_service_may_say_how_long_to_wait(service: Service, new: Callable[..., RemotePermissions]) -> None:
    service.grant("bob", ACCOUNT, VIEW, MOVE)
    service.misbehave("429 soon", times=1)
    assert new(deadline=30).grant(QUESTION, MAX_AGE).held == {VIEW, MOVE}
    first, second = service.requests
    assert second.at - first.at >= 1.0


@pytest.mark.parametrize("fault", ["429", "429 until a date"])
def test_no_caller_waits_beyond_the_deadline_because_the_service_says_so(
    fault: str, service: Service, new: Callable[..., RemotePermissions]
) -> None:
    service.misbehave(fault)
    began = time.monotonic()
    assert fault_of(new(deadline=30).grant(QUESTION, MAX_AGE)).correlation_id == "4711-service"
    assert time.monotonic() - began < 20, "what cannot come in time is not waited for at all"
    assert len(service.requests) == 1
