"""Addresses of servers: ``unix:/path/of/the/socket``, or an https URL."""

from __future__ import annotations

import os
from pathlib import Path

from core.record import Record
from core.text.urls import service_address

UNIX = "unix:"


class ServerAddress(Record, kw_only=False):
    """The address of a server."""

    words: str
    """The address as users write it."""
    url: str
    """The base URL, to which paths are appended."""
    socket: Path | None

    @property
    def secure(self) -> bool:
        """True if the connection uses TLS."""
        return self.url.startswith("https:")

    def __str__(self) -> str:
        return self.words


def server_address(text: str) -> ServerAddress:
    """Parse the address of a server. Raises ValueError."""
    if text.startswith(UNIX):
        path = Path(os.path.expanduser(text.removeprefix(UNIX)))
        if not path.is_absolute():
            raise ValueError("it has no absolute path")
        return ServerAddress(text, "http://podium", path)
    url = service_address(text)
    if not url:
        raise ValueError("it is empty")
    return ServerAddress(text, url, None)


def listens(path: Path) -> None:
    """Connect to a Unix socket once. Raises OSError if no process listens, or this account has no permission."""
    import contextlib
    import socket

    with contextlib.closing(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)) as probe:
        probe.connect(str(path))
