"""The shared host of the tests over SSH and the browser of those in it, and a gateway between the two."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.end_to_end.ssh.conftest import host
from tests.end_to_end.web.conftest import chromium, visit
from tests.support.ssh.shared_host import SharedHost
from tests.support.web.gateway import GatewayProgram

__all__ = ["chromium", "gateway", "host", "visit"]


@pytest.fixture(scope="session")
def gateway(host: SharedHost) -> Iterator[GatewayProgram]:
    """It runs as an account that the server knows nobody by: tokens alone say who comes through it."""
    with GatewayProgram(f"unix:{host.socket}", host.folder) as gateway:
        yield gateway
