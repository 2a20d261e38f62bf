"""A server over the small workspace."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.api.server import ServerOfTests
from tests.world import World


@pytest.fixture
def server(world: World) -> Iterator[ServerOfTests]:
    """A real server on a Unix socket and on a loopback port, as ``tests.api.server`` tells it."""
    with ServerOfTests(world, port=True) as server:
        yield server
