"""What uvicorn does not do itself: telling a request who is at the other end of its Unix socket."""

from __future__ import annotations

import asyncio
import socket
import struct
import sys
from typing import Any, NamedTuple

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol


class Peer(NamedTuple):
    """The process at the other end of a Unix socket, as the kernel saw it when it connected."""

    pid: int
    """For logs only: numbers of processes are used again."""
    uid: int
    gid: int


def peer_of(connection: Any) -> Peer | None:
    """Who is at the other end; None where no kernel vouches for it."""
    if connection is None or connection.family != socket.AF_UNIX or not sys.platform.startswith("linux"):
        return None
    form = struct.Struct("3i")
    return Peer(*form.unpack(connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, form.size)))


class Protocol(HttpToolsProtocol):
    """Puts the Peer of a connection into the state of each of its requests, where nothing that is sent can reach."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.app_state = {**self.app_state, "peer": peer_of(transport.get_extra_info("socket"))}
