"""The sockets a server listens on: made here, with their owner and mode right from the first moment."""

from __future__ import annotations

import contextlib
import os
import socket
import stat
from pathlib import Path

from core.errors import InvalidInput

LONGEST = 107
"""Bytes of the path of a Unix socket; the kernel takes no more."""


def unix_socket(path: Path, mode: int = 0o600) -> socket.socket:
    """Listen on a Unix socket. One that a dead server left is replaced; of a living one, InvalidInput is raised."""
    if len(os.fsencode(path)) > LONGEST:
        raise InvalidInput("socket", f"{path} is longer than the {LONGEST} bytes that the path of a socket may have.")
    _clear(path)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        listener.bind(str(path))
    except OSError as error:
        listener.close()
        raise InvalidInput("socket", f"{path} cannot be listened on: {error.strerror}.") from error
    finally:
        os.umask(before)
    path.chmod(mode)
    return listener


def tcp_socket(host: str, port: int) -> socket.socket:
    """Listen on an address of this machine. Raises InvalidInput."""
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        raise InvalidInput("port", f"{host}:{port} cannot be listened on: {error.strerror}.") from error


def _clear(path: Path) -> None:
    """Remove the socket that a dead server left. Raises InvalidInput for anything else that is there."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(mode):
        raise InvalidInput("socket", f"{path} is there already and no socket. Name another path.")
    with contextlib.closing(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)) as probe:
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            path.unlink()
        except OSError as error:
            raise InvalidInput("socket", f"{path} cannot be used: {error.strerror}.") from error
        else:
            raise InvalidInput("socket", f"A server is listening on {path} already.")
