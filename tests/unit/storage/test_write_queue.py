"""The write lock of a database: who waits longest is next, and who gives up does not keep it."""

from __future__ import annotations

import errno
import os
import sys
import threading
import time
from pathlib import Path

import pytest

from core.errors import DatabaseBusy
from core.storage.sqlite.write_queue import turn
from tests.support.waiting import wait_until

pytestmark = [
    pytest.mark.sqlite,
    pytest.mark.skipif(sys.platform != "linux", reason="who waits for a lock is read from /proc/locks"),
]


def test_programs_that_wait_get_the_lock_in_the_order_in_which_they_came(tmp_path: Path) -> None:
    database = make_database(tmp_path)
    served: list[int] = []

    def take_turn(number: int) -> None:
        with turn(database, 30):
            served.append(number)

    waiting = [threading.Thread(target=take_turn, args=[number]) for number in range(5)]
    with turn(database, 0):
        for number, each in enumerate(waiting, 1):
            each.start()
            wait_until(lambda number=number: waiters(database) == number)
    for each in waiting:
        each.join()
    assert served == [0, 1, 2, 3, 4]


def test_a_waiter_that_gives_up_says_so_and_hands_the_lock_on(tmp_path: Path) -> None:
    database = make_database(tmp_path)
    with turn(database, 0):
        began = time.monotonic()
        with pytest.raises(DatabaseBusy, match="has held"), turn(database, 0.1):
            pass
        assert time.monotonic() - began >= 0.1
        assert waiters(database) == 1, "its thread still waits"
    wait_until(lambda: waiters(database) == 0)
    with turn(database, 30):
        pass


@pytest.mark.parametrize("lacking", ["thread", "descriptor"])
def test_a_waiter_that_can_have_no_thread_looks_again_and_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lacking: str
) -> None:
    database = make_database(tmp_path)
    start, refused = threading.Thread.start, threading.Event()

    def refuse_thread(thread: threading.Thread) -> None:
        if thread.name != "write lock":
            start(thread)
            return
        refused.set()
        raise RuntimeError("can't start new thread")

    def refuse_descriptor(_handle: int) -> int:
        refused.set()
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    if lacking == "thread":
        monkeypatch.setattr(threading.Thread, "start", refuse_thread)
    else:
        monkeypatch.setattr(os, "dup", refuse_descriptor)
    served = threading.Event()

    def take_turn() -> None:
        with turn(database, 30):
            served.set()

    waiting = threading.Thread(target=take_turn)
    with turn(database, 0):
        waiting.start()
        assert refused.wait(30)
        assert not served.is_set()
    waiting.join()
    assert served.is_set()


def make_database(folder: Path) -> Path:
    database = folder / "podium.db"
    database.touch(0o600)
    return database


def waiters(database: Path) -> int:
    """The number of those who wait for the lock of this database."""
    inode = Path(f"{database}.lock").stat().st_ino
    lines = Path("/proc/locks").read_text().splitlines()
    return sum("-> FLOCK" in line and f":{inode} " in line for line in lines)
