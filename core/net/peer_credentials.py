"""The process at the other end of a Unix socket, as the kernel reports it."""

from __future__ import annotations

import socket
import struct
import sys
from typing import Any

from core.record import Record


class Peer(Record, kw_only=False):
    """The process at the other end of a Unix socket, at the time when it connected."""

    pid: int
    """For logs only, because process ids are reused."""
    uid: int
    gid: int


def peer_of(connection: Any) -> Peer | None:
    """Return the process at the other end of a connection; None if it is not a Unix socket on Linux."""
    if connection is None or connection.family != socket.AF_UNIX or not sys.platform.startswith("linux"):
        return None
    form = struct.Struct("3i")
    return Peer(*form.unpack(connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, form.size)))
