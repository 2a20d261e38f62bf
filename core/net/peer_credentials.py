"""Who is at the other end of a Unix socket, by the word of the kernel."""

from __future__ import annotations

import socket
import struct
import sys
from typing import Any, NamedTuple


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
