"""The time zone of tests of files."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest


@pytest.fixture
def in_utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The day of a moment depends on where one is."""
    with monkeypatch.context() as there:
        there.setenv("TZ", "UTC")
        time.tzset()
        yield
    time.tzset()
