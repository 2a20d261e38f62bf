"""Connections that break, and clients that fall silent: nothing of theirs goes on running on the shared host."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import shlex
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.ssh.accounts import end_all, processes_of
from tests.support.ssh.shared_host import SharedHost
from tests.support.system_programs import needs
from tests.support.terminal.session import TerminalSession
from tests.support.waiting import PATIENCE, wait_until


def open_form(session: TerminalSession) -> None:
    session.wait_for("Spring launch")
    session.send("n")
    session.wait_for("Start the new project")


MOMENTS: list[Callable[[TerminalSession], object]] = [
    lambda session: session.wait_for_bytes(b"\x1b[?1049h"),  # nothing is drawn yet
    lambda session: session.wait_for("Spring launch"),
    open_form,
]
"""When a connection breaks."""

GONE_WITHIN = PATIENCE
"""Seconds."""

SILENT = 150
"""Seconds: sshd asks every 15 and gives up after the third time, which takes it twice as long (measured)."""


@pytest.fixture(autouse=True)
def _nobody_stays(host: SharedHost) -> Iterator[None]:
    yield
    for person in (host.maya, host.vera):
        end_all(person.pw_name)


def drop(host: SharedHost, moment: Callable[[TerminalSession], object]) -> float:
    """Kill the client of a session at some moment; the seconds until nothing of it ran any more."""
    with host.session(host.maya) as session:
        moment(session)
        assert processes_of(host.maya.pw_name)
        session.signal(signal.SIGKILL)
        began = time.monotonic()
        wait_until(lambda: not processes_of(host.maya.pw_name), "something is left running", GONE_WITHIN)
        return time.monotonic() - began


@contextlib.contextmanager
def unread(host: SharedHost, minutes: int = 0) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """The Canvas before a terminal from which nobody reads what is drawn, and the other end of that terminal."""
    master, slave = pty.openpty()
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", 60, 200, 0, 0))
    argv = ["sh", "-c", shlex.join(host.command("open", "Spring launch")) + "; exit"]
    env = {
        "PATH": os.defpath,
        "HOME": host.vera.pw_dir,
        "TERM": "xterm-256color",
        "PODIUM_IDLE_TIMEOUT_MINUTES": str(minutes),
    }
    account = host.account(host.vera)
    command = [needs("setsid"), "--ctty", "--wait", *argv]
    process = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, env=env, cwd="/", **account)
    os.close(slave)
    try:
        yield process, master
    finally:
        end_all(host.vera.pw_name)
        process.wait()
        with contextlib.suppress(OSError):
            os.close(master)


def fill(host: SharedHost, cards: int = 60) -> None:
    """Have so much drawn that a terminal from which nobody reads takes no more."""
    for _ in range(cards):
        host.world.task("Something happens", relock=True)
        time.sleep(0.1)


def podiums_of(host: SharedHost, name: str) -> list[int]:
    """The Podium processes of an account, without its shell and its sshd."""
    found = []
    for number in processes_of(name):
        with contextlib.suppress(OSError):
            if Path(f"/proc/{number}/cmdline").read_bytes().startswith(str(host.python).encode()):
                found.append(number)
    return found


@pytest.mark.parametrize("moment", range(len(MOMENTS)))
def test_nothing_is_left_when_a_connection_breaks(host: SharedHost, moment: int) -> None:
    drop(host, MOMENTS[moment])


@pytest.mark.slow
def test_nothing_is_left_when_fifty_connections_break_and_one_falls_silent(host: SharedHost) -> None:
    with host.session(host.vera) as vera:
        vera.wait_for("Spring launch")
        vera.signal(signal.SIGSTOP)
        took = sorted(drop(host, MOMENTS[turn % len(MOMENTS)]) for turn in range(50))
        print(f"gone after {took[25]:.1f} s, at most {took[-1]:.1f} s")
        wait_until(lambda: not processes_of(host.vera.pw_name), "sshd still waits for a silent client", SILENT)
    assert host.podium(host.maya, "project", "list").returncode == 0


@pytest.mark.slow
def test_the_limit_ends_what_is_drawn_all_the_time_and_what_waits_for_its_terminal(host: SharedHost) -> None:
    limit = Path(host.vera.pw_dir, ".config", "podium", "config.toml")
    limit.parent.mkdir(parents=True)
    limit.write_text("idle_timeout_minutes = 1\n")
    with host.opened(host.vera) as vera, unread(host, minutes=1):
        vera.signal(signal.SIGSTOP)
        began = time.monotonic()
        while podiums_of(host, host.vera.pw_name):
            assert time.monotonic() < began + 60 + 3 * GONE_WITHIN
            host.world.task("Something happens", relock=True)
            time.sleep(0.5)
        assert time.monotonic() > began + 50
    limit.unlink()


@pytest.mark.slow
def test_a_hang_up_ends_what_waits_for_its_terminal(host: SharedHost) -> None:
    with unread(host) as (_, terminal):
        wait_until(lambda: len(processes_of(host.vera.pw_name)) >= 2, "it does not start")
        fill(host)
        os.close(terminal)
        wait_until(lambda: not processes_of(host.vera.pw_name), "something is left running", GONE_WITHIN)
