"""Programs of the operating system that tests run: where they are, and what happens when one is missing.

A test that needs a missing program is skipped, and the end of the run gives the reason. In CI (``CI=true``, which
``.ci/run`` sets as root) it fails, so that nothing is left out unnoticed.
``python -m tests.support.system_programs`` prints the Debian packages that are missing on this machine, for
``apt-get install``; with ``--all``, all of them.
"""

from __future__ import annotations

import contextlib
import glob
import os
import shutil
import socket
import subprocess
import sys
import time
from typing import NoReturn

import pytest

PACKAGES = {
    "bash": "bash",
    "chromium": "chromium",
    "curl": "curl",
    "fail2ban-regex": "fail2ban",
    "fish": "fish",
    "gpasswd": "passwd",
    "groff": "groff",
    "groupadd": "passwd",
    "groupdel": "passwd",
    "initdb": "postgresql",
    "mount": "mount",
    "nginx": "nginx",
    "openssl": "openssl",
    "pg_basebackup": "postgresql-client",
    "pg_ctl": "postgresql",
    "pg_dump": "postgresql-client",
    "pgbouncer": "pgbouncer",
    "pg_restore": "postgresql-client",
    "psql": "postgresql-client",
    "setsid": "util-linux",
    "sh": "dash",
    "ssh": "openssh-client",
    "ssh-keygen": "openssh-client",
    "sshd": "openssh-server",
    "systemd-analyze": "systemd",
    "systemd-socket-activate": "systemd",
    "umount": "mount",
    "unshare": "util-linux",
    "useradd": "passwd",
    "userdel": "passwd",
    "valgrind": "valgrind",
    "zsh": "zsh",
}
"""The Debian package of each program. A program that is not in this table is not run by a test."""

FONTS = "fonts-dejavu-core"
"""The package of the font that the browser draws a Canvas with."""

FOLDERS = os.pathsep.join(
    (
        *sorted(glob.glob("/usr/lib/postgresql/*/bin"), reverse=True),
        os.environ.get("PATH", os.defpath),
        "/usr/local/sbin",
        "/usr/sbin",
        "/sbin",
    )
)
"""Some are for administrators, and not on everybody's path."""

STARTS_WITHIN = 40.0
"""Seconds."""


def needs(program: str) -> str:
    """The absolute path of a program; without it the test is skipped, or fails in CI."""
    package = PACKAGES[program]
    found = shutil.which(program, path=FOLDERS)
    if found is None:
        missing(f"{program} is missing: apt-get install {package}")
    return found


def missing_packages() -> list[str]:
    """The Debian packages that the tests need and this machine does not have, in alphabetical order."""
    packages = {package for program, package in PACKAGES.items() if shutil.which(program, path=FOLDERS) is None}
    fonts = subprocess.run(["dpkg-query", "--show", FONTS], capture_output=True, check=False) if _has_dpkg() else None
    if fonts is not None and fonts.returncode:
        packages.add(FONTS)
    return sorted(packages)


def needs_root() -> None:
    """Skip, or in CI fail, unless this is root."""
    if os.geteuid() != 0:
        missing("only root can start this as another account")


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


def _has_dpkg() -> bool:
    return shutil.which("dpkg-query") is not None


if __name__ == "__main__":
    print(*(sorted({*PACKAGES.values(), FONTS}) if "--all" in sys.argv else missing_packages()))
