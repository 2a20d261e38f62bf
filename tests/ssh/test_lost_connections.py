"""Connections that break, and clients that fall silent: nothing of theirs goes on running on the shared host."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.ssh.accounts import end_all, processes_of
from tests.ssh.shared_host import SharedHost, wait_until
from tests.terminal.session import TerminalSession

MOMENTS: list[Callable[[TerminalSession], object]] = [
    lambda session: session.wait_for_bytes(b"\x1b[?1049h"),  # nothing is drawn yet
    lambda session: session.wait_for("Spring launch"),
    lambda session: (session.wait_for("Spring launch"), session.send("n"), session.wait_for("Start the new project")),
]
"""When a connection breaks."""

GONE_WITHIN = 10
"""Seconds."""

SILENT = 75
"""Seconds: sshd asks three times, every 15; a limit of one minute is not over before that."""


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
def unread(host: SharedHost) -> Iterator[subprocess.Popen[bytes]]:
    """The Canvas before a terminal from which nobody reads what is drawn."""
    master, slave = pty.openpty()
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", 60, 200, 0, 0))
    argv = host.command("open", "Spring launch")
    env = {"PATH": os.defpath, "HOME": host.vera.pw_dir, "TERM": "xterm-256color", "PODIUM_IDLE_MINUTES": "1"}
    with subprocess.Popen(
        argv,
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env=env,
        start_new_session=True,
        cwd="/",
        **host.account(host.vera),
    ) as process:
        os.close(slave)
        yield process
        process.kill()
    os.close(master)


@pytest.mark.parametrize("moment", range(len(MOMENTS)))
def test_nothing_is_left_when_a_connection_breaks(host: SharedHost, moment: int) -> None:
    drop(host, MOMENTS[moment])


@pytest.mark.slow
def test_nothing_is_left_when_fifty_connections_break(host: SharedHost) -> None:
    took = [drop(host, MOMENTS[turn % len(MOMENTS)]) for turn in range(50)]
    print(f"gone after {sorted(took)[len(took) // 2]:.1f} s, at most {max(took):.1f} s")
    assert host.podium(host.maya, "project", "list").returncode == 0


@pytest.mark.slow
def test_a_client_that_falls_silent_is_given_up(host: SharedHost) -> None:
    """One before a screen on which nothing happens, by sshd; one before a screen that is drawn all the time, and one
    whose terminal takes nothing more, by the limit of a minute."""
    limit = Path(host.vera.pw_dir, ".config", "podium", "config.toml")
    limit.parent.mkdir(parents=True)
    limit.write_text("idle_minutes = 1\n")
    with host.session(host.maya) as maya, host.opened(host.vera) as vera, unread(host) as full:
        maya.wait_for("Spring launch")
        maya.signal(signal.SIGSTOP)
        vera.signal(signal.SIGSTOP)
        began = time.monotonic()
        while processes_of(host.maya.pw_name) or processes_of(host.vera.pw_name) or full.poll() is None:
            assert time.monotonic() < began + SILENT + GONE_WITHIN
            host.world.task("Something happens", relock=True)
            time.sleep(0.5)
        assert time.monotonic() > began + 40
        for session in (maya, vera):
            session.signal(signal.SIGCONT)
    limit.unlink()
