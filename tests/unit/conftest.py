"""Remote sources of permissions, with the stand-in service behind them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from core.authorization.remote import RemotePermissions
from tests.service.server import Service
from tests.unit.remote_source import ACCOUNT, MOVE, VIEW, Watch


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
