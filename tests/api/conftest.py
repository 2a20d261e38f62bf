"""A server over the small workspace."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator

import pytest

from core.server.requests import json_log
from tests.support.api.server import ServerOfTests
from tests.support.workspace import World


@pytest.fixture
def server(world: World) -> Iterator[ServerOfTests]:
    """A real server on a Unix socket and on a loopback port, as ``tests.support.api.server`` tells it."""
    with ServerOfTests(world, port=True) as server:
        yield server


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    """The log of a server in this process."""
    root, level = logging.getLogger(), json_log.log.level
    before, text = root.handlers[:], io.StringIO()
    json_log.log_to(text, "info")
    yield text
    root.handlers[:] = before
    json_log.log.setLevel(level)
