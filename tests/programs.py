"""Programs of the operating system that tests run: where they are, and what happens when one is missing.

On a machine of one's own a test that needs a missing one is skipped and says so. In CI (``CI=true``, which ``.ci/run``
sets as root) it fails, so that nothing is left out unnoticed.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import time
from typing import NoReturn

import pytest

PACKAGES = {
    "sshd": "openssh-server",
    "ssh": "openssh-client",
    "ssh-keygen": "openssh-client",
    "groupadd": "passwd",
    "gpasswd": "passwd",
    "nginx": "nginx",
    "chromium": "chromium",
    "systemd-analyze": "systemd",
    "systemd-socket-activate": "systemd",
    "useradd": "passwd",
}
"""The Debian package of each, where it has another name."""

FOLDERS = os.pathsep.join((os.environ.get("PATH", os.defpath), "/usr/local/sbin", "/usr/sbin", "/sbin"))
"""Some are for administrators, and not on everybody's path."""

STARTS_WITHIN = 20.0
"""Seconds."""


def needs(program: str) -> str:
    """The absolute path of a program; without it the test is skipped, or fails in CI."""
    found = shutil.which(program, path=FOLDERS)
    if found is None:
        missing(f"{program} is missing: apt-get install {PACKAGES.get(program, program)}")
    return found


def needs_root() -> None:
    """Skip, or in CI fail, unless this is root."""
    if os.geteuid() != 0:
        missing("only root can start this as somebody else")


def missing(reason: str) -> NoReturn:
    """Skip the test for something this machine does not have; fail in CI, where everything has to be there."""
    if os.environ.get("CI", "").lower() == "true":
        pytest.fail(reason)
    pytest.skip(reason)


def free_port() -> int:
    """A loopback port for a program that takes no socket of ours."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def listens(port: int, process: subprocess.Popen[bytes]) -> bool:
    """Wait until a process takes connections; False when it ended, or takes too long."""
    give_up = time.monotonic() + STARTS_WITHIN
    while time.monotonic() < give_up and process.poll() is None:
        with contextlib.suppress(OSError):
            socket.create_connection(("127.0.0.1", port), 1).close()
            return True
        time.sleep(0.02)
    return False
