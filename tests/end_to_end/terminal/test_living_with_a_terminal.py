"""Podium on a real pty: hang-ups, stops, strange bytes, tiny windows, no terminal at all."""

from __future__ import annotations

import os
import pty
import random
import shlex
import signal
import subprocess
import sys
import termios
import time
from itertools import product
from pathlib import Path

import pytest

from tests.support.sweeps import sweep
from tests.support.system_programs import needs
from tests.support.terminal.podium import UNHURRIED, opened, podium
from tests.support.terminal.session import PATIENCE, TerminalSession
from tests.support.waiting import wait_until
from tests.support.workspace import World

RESTORED = b"\x1b[?1049l"
"""Leaving the alternate screen: the terminal is as it was."""

LEAVING = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGALRM, signal.SIGTERM, signal.SIGUSR1)

STOPS = ([signal.SIGSTOP, signal.SIGCONT], [signal.SIGCONT], [signal.SIGTSTP, signal.SIGCONT])


@pytest.fixture
def place(world: World) -> Path:
    """The database file of a project with one task."""
    world.task("Write the brief")
    return Path(world.database.path)


def test_a_terminal_that_is_gone_ends_podium_also_where_hang_ups_are_ignored(place: Path) -> None:
    said = place.parent / "status"
    words = [sys.executable, "-m", "tui", "open", "Spring launch", "--db", str(place), "--as", "maya"]
    script = f"trap '' HUP; {shlex.join(words)}; echo $? > {shlex.quote(str(said))}"
    master, slave = pty.openpty()
    env = {**os.environ, "HOME": str(place.parent), "TERM": "xterm-256color"}
    shell = subprocess.Popen(
        [needs("setsid"), "--ctty", "--wait", "sh", "-c", script], stdin=slave, stdout=slave, stderr=slave, env=env
    )
    os.close(slave)
    drawn = b""
    while b"Write the brief" not in drawn:
        drawn += os.read(master, 65536)
    os.close(master)
    shell.wait(30)
    assert said.read_text() == "129\n"


def line_of(path: str) -> list[object]:
    """The modes of a terminal's line: whether it echoes, and the like."""
    descriptor = os.open(path, os.O_RDWR | os.O_NOCTTY)
    try:
        return termios.tcgetattr(descriptor)
    finally:
        os.close(descriptor)


def line_of_a_new_terminal() -> list[object]:
    master, slave = pty.openpty()
    try:
        return line_of(os.ttyname(slave))
    finally:
        os.close(master)
        os.close(slave)


def state_of(pid: int) -> str:
    """The letter of a process's state: ``T`` when it is stopped."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


@pytest.mark.parametrize(
    ("number", "status"),
    sweep(
        [(number, 128 + number) for number in LEAVING],
        lambda case: case[0] in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM),
    ),
)
def test_a_signal_from_outside_leaves_the_terminal_as_it_was(place: Path, number: signal.Signals, status: int) -> None:
    with opened(place, code=UNHURRIED) as session:
        session.wait_for("Write the brief")
        session.signal(number)
        assert session.exit_status() == status
        assert RESTORED in session.raw
        assert line_of(session.process.path) == line_of_a_new_terminal()


def test_an_enter_that_is_typed_before_there_is_a_screen_counts(place: Path) -> None:
    with podium("--db", str(place), "--as", "maya", home=place.parent, warm=False) as session:
        session.send("<enter>")
        session.wait_for("To Do 1")
        session.send("q")
        session.wait_for("owner +1 Discover")
        session.send("q")
        assert session.exit_status() == 0


@pytest.mark.parametrize("number", LEAVING)
def test_a_signal_is_handled_once_whichever_thread_gets_to_it_first(number: signal.Signals) -> None:
    """The main thread handles it before the thread that interrupts the main one has seen it."""
    script = """
import os, signal, sys, threading
from tui.terminal.lifecycle import leave_on_signals

left = []
leave_on_signals(left.append)
os.kill(os.getpid(), int(sys.argv[1]))
for thread in threading.enumerate():
    if thread.name == "signals":
        thread.join()
print(left, flush=True)
os._exit(left[0])
"""
    ended = subprocess.run(
        [sys.executable, "-c", script, str(int(number))], capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stdout) == (128 + number, f"[{128 + number}]\n"), ended.stderr


def test_the_main_thread_handles_a_signal_that_another_thread_received() -> None:
    """After a stop, the system can deliver SIGCONT to any thread, while the main thread already waits again."""
    script = """
import os, select, signal, threading
from tui.terminal.lifecycle import leave_on_signals

leave_on_signals(os._exit)
handled = threading.Event()
signal.signal(signal.SIGCONT, lambda *_: handled.set())

def send():
    for _ in range(20):
        signal.pthread_kill(threading.get_ident(), signal.SIGCONT)
        if not handled.wait(5):
            os._exit(1)
        handled.clear()
    os._exit(7)

threading.Thread(target=send).start()
while True:
    select.select([], [], [])
"""
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert ended.returncode == 7, ended.stderr


def test_a_stop_in_the_middle_of_a_write_does_not_block_podium() -> None:
    """The handler of a signal runs between any two steps of the main thread, also while that has the writer's lock."""
    script = """
import os, signal
from textual.app import App
from tui.terminal.driver import TerminalDriver

class Writing(App):
    def on_key(self):
        with self._driver._writer_thread._queue.mutex:
            os.kill(os.getpid(), signal.SIGCONT)

Writing(driver_class=TerminalDriver).run()
"""
    entered = b"\x1b[?1049h"
    with TerminalSession([sys.executable, "-c", script]) as session:
        wait_until(lambda: entered in session.raw, "The program does not begin")
        drawn = len(session.raw)
        session.send("x")
        wait_until(lambda: entered in session.raw[drawn:], "The program does not go on")


@pytest.mark.parametrize("stops", STOPS)
def test_after_a_stop_and_quitting_the_line_is_as_before(place: Path, stops: list[signal.Signals]) -> None:
    with opened(place) as session:
        session.wait_for("Write the brief")
        drawn = len(session.raw)
        for number in stops:
            session.signal(number)
            if number != signal.SIGCONT:
                wait_until(lambda: state_of(session.process.pid) == "T", "Podium does not stop")
        wait_until(lambda: b"\x1b[?1049h" in session.raw[drawn:], "Podium does not go on")
        session.wait_for("Write the brief")
        session.send("q")
        assert session.exit_status() == 0
        assert line_of(session.process.path) == line_of_a_new_terminal()


@pytest.mark.parametrize(
    ("stop", "number"),
    sweep(
        product((None, signal.SIGSTOP, signal.SIGTSTP), (signal.SIGHUP, signal.SIGTERM)),
        lambda case: (case[0] == signal.SIGSTOP) == (case[1] == signal.SIGTERM),
    ),
)
def test_a_shell_that_ends_podium_in_the_background_leaves_nothing_stopped(
    place: Path, number: signal.Signals, stop: signal.Signals | None
) -> None:
    """A shell that ends a job, or that is hung up itself, sends SIGCONT after the signal."""
    script = f"{sys.executable} -m tui open 'Spring launch' --db {place} --as maya"
    env = {"HOME": str(place.parent), "PS1": "$ "}
    with TerminalSession([needs("bash"), "--norc", "-i"], env=env) as session:
        session.send(f"{script}<enter>")
        session.wait_for("Write the brief")
        children = Path(f"/proc/{session.process.pid}/task/{session.process.pid}/children").read_text().split()
        podium = int(children[-1])
        if stop is not None:
            os.kill(podium, stop)
            wait_until(lambda: state_of(podium) == "T", "Podium does not stop")
        os.kill(podium, number)
        os.kill(podium, signal.SIGCONT)
        wait_until(lambda: not Path(f"/proc/{podium}").exists(), "Podium stays")


@pytest.mark.parametrize("command", ["{}", "sh -c '{}; true'"], ids=["alone", "in a script"])
def test_ctrl_z_goes_back_to_the_shell_and_fg_returns(place: Path, command: str) -> None:
    script = command.format(f'{sys.executable} -m tui open "Spring launch" --db {place} --as maya')
    env = {"HOME": str(place.parent), "PS1": "$ "}
    with TerminalSession([needs("bash"), "--norc", "-i"], env=env) as session:
        session.send(f"{script}<enter>")
        session.wait_for("To Do 1")
        session.send("nHalf a ti<ctrl+z>")
        session.wait_for("Stopped")
        session.send("echo back in the she''ll<enter>")
        session.wait_for("back in the shell")
        session.send("fg<enter>")
        session.wait_for("Half a ti")
        session.send("tle<enter>")
        session.wait_for("To Do 2")
        session.send("<ctrl+z>")
        session.wait_for("Stopped")
        session.send("fg<enter>")
        session.wait_for("Half a title")


@pytest.mark.parametrize("keys", ["<ctrl+z>", "n<ctrl+z>"], ids=["on a screen", "in a form"])
def test_ctrl_z_says_why_not_where_no_shell_could_continue_podium(place: Path, keys: str) -> None:
    """As with ForceCommand of sshd, and in a terminal that runs Podium instead of a shell."""
    with opened(place) as session:
        session.wait_for("Write the brief")
        session.send(keys)
        session.wait_for("No shell with job control started Podium here")
        assert state_of(session.process.pid) != "T"


def test_a_shell_that_is_hung_up_leaves_no_podium_running(place: Path) -> None:
    script = f"{sys.executable} -m tui open 'Spring launch' --db {place} --as maya"
    with TerminalSession([needs("bash"), "--norc", "-i"], env={"HOME": str(place.parent)}) as session:
        session.send(f"{script}<enter>")
        session.wait_for("Write the brief")
        children = Path(f"/proc/{session.process.pid}/task/{session.process.pid}/children").read_text().split()
        podium = int(children[-1])
        session.signal(signal.SIGHUP)
        wait_until(lambda: not Path(f"/proc/{podium}").exists(), "Podium stays")


FAULTY = """
from tui.screens.canvas.board_actions import BoardActions, BoardMarks
from tui.screens.cards.editing import CardEditing
def broken(*_):
    secret = "what a variable holds"
    raise KeyError("of a fault")
BoardMarks.do_mark = CardEditing.do_copy = BoardActions.do_density = broken
"""


def test_a_fault_on_a_screen_ends_in_one_sentence_and_a_report(place: Path) -> None:
    with opened(place, code=FAULTY) as session:
        session.wait_for("Write the brief")
        session.send("y")
        assert session.exit_status() == 70
        assert RESTORED in session.raw
        assert line_of(session.process.path) == line_of_a_new_terminal()
        said = session.raw.rpartition(RESTORED)[2].decode()
        assert "Podium has a fault (KeyError" in " ".join(said.split())
        assert "what a variable holds" not in said
    [report] = (place.parent / ".local" / "state" / "podium" / "faults").iterdir()
    assert "of a fault" in report.read_text()


def test_quitting_restores_the_terminal_and_says_success(place: Path) -> None:
    with opened(place) as session:
        session.wait_for("Write the brief")
        session.send("q")
        assert session.exit_status() == 0
        assert RESTORED in session.raw


def test_after_a_stop_from_outside_the_picture_comes_back(place: Path) -> None:
    with opened(place) as session:
        session.wait_for("Write the brief")
        session.signal(signal.SIGTSTP)
        wait_until(lambda: state_of(session.process.pid) == "T", "Podium does not stop")
        before = len(session.raw)
        session.signal(signal.SIGCONT)
        wait_until(lambda: b"Write the brief" in session.raw[before:], "the picture does not come back")
        session.send("L")
        session.wait_for("In Progress 1")


def test_bytes_that_are_no_utf8_do_not_end_podium(place: Path) -> None:
    every_other_byte = random.Random(7).sample(range(128, 256), 128)
    with opened(place) as session:
        session.wait_for("Write the brief")
        session.send("n")
        session.wait_for("New card")
        session.send_bytes("Café".encode("latin-1"))
        session.send_bytes(bytes(every_other_byte))
        session.send("<esc>")
        session.wait_for("Not saved. Press Esc again")
        session.send("<esc>")
        session.wait_until_gone("New card")
        session.send("L")
        session.wait_for("In Progress 1")


def test_any_size_of_window_can_be_lived_with(place: Path) -> None:
    with opened(place) as session:
        session.wait_for("Write the brief")
        for cols, rows in [(1, 1), (200, 60), (3, 2), (40, 12), (20, 5)]:
            session.resize(cols, rows)
            session.settle(0.05)
        session.send("n")
        for cols, rows in [(1, 1), (40, 12), (2, 30), (120, 40)]:
            session.resize(cols, rows)
            session.settle(0.05)
        session.wait_for("New card")
        session.send("<esc>")
        session.wait_until_gone("New card")
        session.wait_for("Write the brief")


def test_without_a_terminal_podium_says_so_and_ends(place: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "tui", "open", "Spring launch", "--db", str(place), "--as", "maya"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert run.returncode == 2
    assert "terminal" in run.stderr
    assert "Traceback" not in run.stderr


def test_idle_podium_sends_nothing_and_hardly_works(place: Path) -> None:
    with opened(place) as session:
        session.wait_for("Write the brief")
        wait_until(lambda: is_idle(session), "Podium is never idle", seconds=PATIENCE)


def is_idle(session: TerminalSession) -> bool:
    """True if it sends nothing for two seconds, and uses the processor for at most a tenth of them."""
    sent, used = len(session.raw), cpu_seconds(session)
    time.sleep(2)
    return len(session.raw) == sent and cpu_seconds(session) - used < 0.2


def cpu_seconds(session: TerminalSession) -> float:
    fields = Path(f"/proc/{session.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
