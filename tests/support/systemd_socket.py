"""Handing a socket to a program that is started, as systemd does (its sd_listen_fds(3)), in a few lines."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from pathlib import Path

HAND_OVER = """
import os, sys
os.dup2(int(sys.argv[1]), 3, inheritable=True)
told = {"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "1", "LISTEN_FDNAMES": "podium.socket"}
os.execve(sys.argv[2], sys.argv[2:], {**os.environ, **told})
"""


def taking_over(python: str | Path, listener: socket.socket, argv: Sequence[str | Path]) -> list[str]:
    """The command that becomes ``argv`` with this socket as the one of systemd; it needs it in its ``pass_fds``."""
    return [str(python), "-c", HAND_OVER, str(listener.fileno()), *map(str, argv)]
