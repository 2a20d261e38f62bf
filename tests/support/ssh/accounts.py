"""Accounts of the operating system for tests: made with ``useradd``, gone afterwards with all that runs for them."""

from __future__ import annotations

import contextlib
import fcntl
import grp
import os
import pwd
import secrets
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.support.system_programs import needs

OURS = "podtest-"
"""How the names of all that is made here begin."""

LOCK = Path("/tmp/podium-test-accounts.lock")
"""One at a time changes /etc/passwd, also when several processes run tests."""


class Accounts:
    """Accounts, a group of people and one of administrators, under random names: nothing of this machine is touched.

    The names hold the process that runs the tests. What one that was killed has left is removed by the next.
    """

    def __init__(self, homes: Path) -> None:
        self._homes = homes
        self._made: list[str] = []
        self._mark = f"{OURS}{os.getpid()}-{secrets.token_hex(2)}"
        self.group = f"{self._mark}-g"
        self.admins = f"{self._mark}-sudo"

    def __enter__(self) -> Self:
        with _alone():
            _remove_left()
            _run("groupadd", self.group)
            _run("groupadd", self.admins)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for name in self._made:
            end_all(name)
        with _alone():
            for name in self._made:
                _run("userdel", name)
            _run("groupdel", self.group)
            _run("groupdel", self.admins)

    def person(self, letter: str) -> pwd.struct_passwd:
        """A new account with a shell and a home of its own, in the group."""
        return self._new(letter, "--create-home", "--shell", "/bin/sh", "--groups", self.group)

    def service(self) -> pwd.struct_passwd:
        """A new account that nobody signs in to, and that is not in the group."""
        return self._new("s", "--system", "--shell", "/usr/sbin/nologin")

    @contextlib.contextmanager
    def among_admins(self, name: str) -> Iterator[None]:
        """An account is in the group of administrators for a while."""
        with _alone():
            _run("gpasswd", "--add", name, self.admins)
        try:
            yield
        finally:
            with _alone():
                _run("gpasswd", "--delete", name, self.admins)

    def _new(self, letter: str, *options: str) -> pwd.struct_passwd:
        name = f"{self._mark}-{letter}"
        home = str(self._homes / name)
        with _alone():  # “*” is no password, and unlike “!” not a locked account
            _run("useradd", *options, "--home-dir", home, "--password", "*", "--user-group", name)
        self._made.append(name)
        return pwd.getpwnam(name)

    @property
    def gid(self) -> int:
        """The number of the group."""
        return grp.getgrnam(self.group).gr_gid


def processes_of(name: str) -> list[int]:
    """The running processes of an account, without zombies."""
    uid = pwd.getpwnam(name).pw_uid
    found = []
    for folder in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if folder.name.isdecimal() and folder.stat().st_uid == uid and _state(folder) != "Z":
                found.append(int(folder.name))
    return found


def end_all(name: str) -> None:
    """End whatever runs for an account, and wait until it is gone."""
    deadline = time.monotonic() + 40
    while running := processes_of(name):
        for number in running:
            with contextlib.suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)
        assert time.monotonic() < deadline, f"{running} of {name} cannot be ended"
        time.sleep(0.02)


def _remove_left() -> None:
    """Remove the accounts and groups whose tests were killed."""
    for each in pwd.getpwall():
        if _is_left(each.pw_name):
            end_all(each.pw_name)
            _run("userdel", each.pw_name)
    for group in grp.getgrall():
        if _is_left(group.gr_name):
            _run("groupdel", group.gr_name)


def _is_left(name: str) -> bool:
    made_by = name.removeprefix(OURS).partition("-")[0]
    return name.startswith(OURS) and made_by.isdecimal() and not Path("/proc", made_by).exists()


def _state(folder: Path) -> str:
    return (folder / "stat").read_text().rpartition(")")[2].split()[0]


def _run(program: str, *arguments: str) -> None:
    subprocess.run([needs(program), *arguments], check=True, capture_output=True)


@contextlib.contextmanager
def _alone() -> Iterator[None]:
    with LOCK.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
