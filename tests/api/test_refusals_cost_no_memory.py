"""Refused requests of strangers leave nothing in the memory of the server and the gateway."""

from __future__ import annotations

import socket
from functools import partial
from pathlib import Path

import pytest

from tests.benchmarks.served import connected
from tests.support.api.program import ServerProgram
from tests.support.api.refusals import BROKEN, OF_GATEWAY, OF_SERVER, Connect, break_off, refuse
from tests.support.web.gateway import GatewayProgram
from tests.support.workspace import World

WARM = 100
"""Of each kind, until all that is loaded once is loaded."""

MANY_TIMES = [400, 1_200]
"""Of each kind: the smaller number took 10 MiB while no garbage was collected."""

MAX_COUNT = 5 * 1024 * 1024
"""Bytes that all of them together may leave: what an allocator keeps for itself."""


def everything(connect: Connect, kinds: dict[str, bytes], times: int) -> None:
    for sent in kinds.values():
        refuse(connect, sent, times)
    for sent in BROKEN.values():
        break_off(connect, sent, times)


@pytest.mark.slow
@pytest.mark.parametrize("times", MANY_TIMES)
def test_refused_requests_leave_nothing_in_the_server(world: World, times: int) -> None:
    with ServerProgram(world.database.path, "--log-level", "error") as program:
        connect = partial(connected, program.socket)
        everything(connect, dict(OF_SERVER), WARM)
        before = program.memory()
        everything(connect, dict(OF_SERVER), times)
        assert program.memory() - before <= MAX_COUNT
        assert program.client.get("/health").status_code == 200


@pytest.mark.slow
@pytest.mark.parametrize("times", MANY_TIMES)
def test_refused_requests_leave_nothing_in_the_gateway(world: World, tmp_path: Path, times: int) -> None:
    with ServerProgram(world.database.path) as program, GatewayProgram(program.address, tmp_path) as gateway:
        kinds = {name: sent.replace(b"{origin}", gateway.url.encode()) for name, sent in OF_GATEWAY.items()}

        def connect() -> socket.socket:
            return socket.create_connection(("127.0.0.1", gateway.port), timeout=30)

        everything(connect, kinds, WARM)
        before = gateway.memory()
        everything(connect, kinds, times)
        assert gateway.memory() - before <= MAX_COUNT
