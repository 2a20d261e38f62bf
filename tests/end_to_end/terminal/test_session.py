"""The harness itself, against programs whose answer is known."""

from __future__ import annotations

import signal
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.support.terminal.keys import encode
from tests.support.terminal.screen import Screen
from tests.support.terminal.session import PATIENCE, NotShown, TerminalSession


def python(script: str, **how: Any) -> TerminalSession:
    return TerminalSession([sys.executable, "-S", "-c", script], **how)


def alive(pid: int) -> bool:
    """True if a process runs; a zombie does not."""
    status = Path(f"/proc/{pid}/status")
    return status.exists() and "\nState:\tZ" not in status.read_text()


def test_what_is_typed_comes_back_from_cat() -> None:
    with TerminalSession(["cat"]) as terminal:
        terminal.send("grüße 日本<enter>")
        terminal.wait_for(r"^grüße 日本$\n^grüße 日本$")
        assert terminal.find("本") == (8, 0)
        terminal.send("<ctrl+d>")
        assert terminal.exit_status() == 0


def test_a_text_that_does_not_come_is_a_failure_with_the_screen_in_it() -> None:
    with TerminalSession(["cat"]) as terminal:
        terminal.send("only this<enter>")
        terminal.wait_for("only this")
        with pytest.raises(NotShown, match="only this"):
            terminal.wait_for("something else", timeout=0.05)


def test_a_program_that_ends_ends_the_waiting() -> None:
    with TerminalSession(["true"]) as terminal:
        began = time.monotonic()
        with pytest.raises(NotShown, match="ended"):
            terminal.wait_for("anything", timeout=30)
        assert time.monotonic() - began < 10
        assert terminal.exit_status() == 0


def test_the_program_hears_of_a_new_size() -> None:
    script = (
        "import os, signal, time\n"
        "show = lambda *_: os.write(1, b'%d %d\\n' % os.get_terminal_size())\n"
        "signal.signal(signal.SIGWINCH, show); show()\n"
        "while True: time.sleep(1)"
    )
    with python(script, cols=100, rows=30) as terminal:
        terminal.wait_for("^100 30$")
        terminal.resize(40, 12)
        terminal.wait_for("^40 12$")
        assert len(terminal.screen) == 12


def test_a_signal_is_seen_in_the_exit_status() -> None:
    with TerminalSession(["cat"]) as terminal:
        terminal.signal(signal.SIGHUP)
        assert terminal.exit_status() == -signal.SIGHUP


def test_ctrl_c_reaches_the_program_through_its_controlling_terminal() -> None:
    with TerminalSession(["cat"]) as terminal:
        terminal.send("<ctrl+c>")
        assert terminal.exit_status() == -signal.SIGINT


def test_no_process_is_left_even_of_one_that_ignores_the_polite_way() -> None:
    script = (
        "import signal, subprocess, time\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "print('child', subprocess.Popen(['sleep', '600']).pid, flush=True)\n"
        "time.sleep(600)"
    )
    with python(script) as terminal:
        child = int(terminal.wait_for(r"^child (\d+)$")[1])
    assert terminal.exit_status() == -signal.SIGKILL
    deadline = time.monotonic() + PATIENCE
    while alive(child) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not alive(child)


def test_questions_to_the_terminal_are_answered() -> None:
    script = (
        "import os, tty\n"
        "tty.setraw(0)\n"
        "for question in (b'\\x1b[c', b'\\x1b[?2026$p', b'\\x1b[?2048$p', b'\\x1b]11;?\\x1b\\\\'):\n"
        "    os.write(1, question)\n"
        "    print(repr(os.read(0, 99)), end='\\r\\n', flush=True)"
    )
    with python(script) as terminal:
        assert terminal.exit_status() == 0
        assert terminal.screen[:4] == [
            r"b'\x1b[?62;22c'",
            r"b'\x1b[?2026;2$y'",
            r"b'\x1b[?2048;0$y'",
            r"b'\x1b]11;rgb:1010/1010/1010\x1b\\'",
        ]


def test_the_environment_is_small_and_can_be_changed() -> None:
    with TerminalSession(["env"], env={"TERM": "dumb", "COLORTERM": None, "PODIUM_TEST": "yes"}) as terminal:
        terminal.exit_status()
        names = {line.partition("=")[0] for line in terminal.screen}
        assert "TERM=dumb" in terminal.screen
        assert "PODIUM_TEST" in names
        assert "COLORTERM" not in names
        assert "PYTEST_CURRENT_TEST" not in names


def test_nothing_is_shown_before_a_synchronised_update_ends() -> None:
    screen = Screen(10, 2)
    assert screen.feed(b"old")
    assert not screen.feed(b"\x1b[?2026h\x1b[Hnew")
    assert screen.lines == ["old", ""]
    assert screen.feed(b"\x1b[?2026l")
    assert screen.lines == ["new", ""]


def test_the_alternate_screen_gives_the_first_one_back() -> None:
    screen = Screen(10, 1)
    screen.feed(b"shell")
    screen.feed(b"\x1b[?1049h\x1b[Hpicture")
    assert screen.lines == ["picture"]
    screen.feed(b"\x1b[<u\x1b[?1049l")
    assert screen.lines == ["shell"]


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_a_stream_may_be_cut_anywhere(size: int) -> None:
    data = "\x1b[?1049h\x1b[>1u\x1b[?2026h日\x1b[1;5Hé\x1b[38;2;1;2;3mx\x1b[?2026l\x1bP1$r\x1b\\!\x1b[<u".encode()
    screen = Screen(10, 1)
    for start in range(0, len(data), size):
        screen.feed(data[start : start + size])
    assert screen.lines == ["日  éx!"]
    assert screen.shown[0][5].fg == "010203"


def test_keys_are_written_as_a_terminal_would() -> None:
    assert encode("a<lt><down*2><ctrl+q><alt+x>") == b"a<\x1b[B\x1b[B\x11\x1bx"
    assert encode("<click:3,4>") == b"\x1b[<0;4;5M\x1b[<0;4;5m"
    with pytest.raises(ValueError, match="no key"):
        encode("<dwon>")
