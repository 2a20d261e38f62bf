"""Fixtures of tests that drive an application."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from tests.support.parsed_once import parsing_once
from tests.support.wait_until_idle import waiting_until_idle


@pytest.fixture(autouse=True)
def _wait_until_idle() -> Iterator[None]:
    """A pilot waits until the application is idle, and for no time that a machine may need."""
    with waiting_until_idle(), parsing_once():
        yield


@pytest.fixture
def utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The zone of pictures that name a time."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()
