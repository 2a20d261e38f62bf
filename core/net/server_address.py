"""Where a server is: ``unix:/path/of/its/socket``, or an https address."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from core.text.urls import service_address

UNIX = "unix:"


class ServerAddress(NamedTuple):
    """A server as a client reaches it."""

    words: str
    """As people write it."""
    url: str
    """What paths are put behind."""
    socket: Path | None

    @property
    def secure(self) -> bool:
        """Whether it is spoken to by TLS."""
        return self.url.startswith("https:")

    def __str__(self) -> str:
        return self.words


def server_address(text: str) -> ServerAddress:
    """The server that a text means. Raises ValueError for what is none."""
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
    """Knock at a Unix socket. Raises OSError when nobody listens there, or one may not."""
    import contextlib
    import socket

    with contextlib.closing(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)) as knock:
        knock.connect(str(path))


def is_server_address(text: str) -> bool:
    """Whether ``server_address`` accepts it."""
    try:
        server_address(text)
    except ValueError:
        return False
    return True
