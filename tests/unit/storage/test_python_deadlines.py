"""Work in Python within a transaction has the transaction's deadline too, and nothing is interrupted after it."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from core.errors import Cancelled, PodiumError, TookTooLong
from core.storage import deadline
from core.storage.database import Database, Tx
from core.storage.deadline import Deadline
from core.storage.progress import NO_PROGRESS, Progress
from tests.support.workspace import World

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
"""A callback of the garbage collector can lose the exception that ends late work. It comes again."""

SHORT = 0.05
"""Seconds."""


def endless_loop(_: Tx | None = None) -> None:
    while True:
        pass


def endless_generator(_: Tx) -> None:
    any(number < 0 for number in iter(int, 1))


def loop_that_catches_all_errors(_: Tx) -> None:
    while True:
        try:
            endless_loop(_)
        except Exception:
            continue


def loop_in_a_step(tx: Tx) -> None:
    tx.savepoint(lambda: endless_loop(tx))


def statements_between(tx: Tx) -> None:
    while True:
        sorted(range(10_000), key=lambda number: -number)
        tx.tuples("SELECT 1")


ENDLESS = (endless_loop, endless_generator, loop_that_catches_all_errors, loop_in_a_step, statements_between)


@pytest.fixture
def hurried(world: World, monkeypatch: pytest.MonkeyPatch) -> Database:
    for which in ("write_seconds", "read_seconds"):
        monkeypatch.setattr(world.database, which, SHORT)
    return world.database


def _feeds(world: World) -> list[Any]:
    return world.rows("SELECT id FROM feed WHERE id LIKE 'of a test%'")


@pytest.mark.parametrize("work", ENDLESS)
def test_a_write_that_computes_too_long_is_stopped_and_leaves_nothing(
    world: World, hurried: Database, work: Callable[[Tx], None]
) -> None:
    def begun(tx: Tx) -> None:
        tx.execute("INSERT INTO feed (id, seq) VALUES ('of a test', 1)")
        work(tx)

    used = time.thread_time()
    with pytest.raises(TookTooLong, match="Nothing was changed"):
        hurried.write(begun)
    assert time.thread_time() - used < 1
    assert _feeds(world) == []
    hurried.write(lambda tx: tx.execute("INSERT INTO feed (id, seq) VALUES ('of a test', 1)"))
    assert len(_feeds(world)) == 1


def test_a_read_that_computes_too_long_is_stopped(world: World, hurried: Database) -> None:
    with pytest.raises(TookTooLong):
        hurried.read(endless_loop)
    assert hurried.read(lambda tx: tx.tuples("SELECT 1")) == [(1,)]


@pytest.mark.parametrize("which", ["read", "write"])
def test_work_ends_soon_when_another_thread_cancels_it(world: World, which: str) -> None:
    progress = Progress()
    threading.Timer(SHORT, progress.cancel).start()
    with pytest.raises(Cancelled):
        getattr(world.database, which)(endless_loop, progress)
    assert world.database.read(lambda tx: tx.tuples("SELECT 1")) == [(1,)]


def test_work_in_another_thread_than_the_main_one_is_stopped_too(world: World, hurried: Database) -> None:
    errors: list[PodiumError] = []

    def write() -> None:
        try:
            hurried.write(endless_loop)
        except PodiumError as error:
            errors.append(error)

    thread = threading.Thread(target=write)
    thread.start()
    thread.join(30)
    assert [type(error) for error in errors] == [TookTooLong]


def test_an_exception_that_a_callback_lost_comes_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deadline, "AGAIN", 4)
    lost: list[BaseException] = []

    def work() -> None:
        try:
            endless_loop()
        except BaseException as error:
            lost.append(error)
        endless_loop()

    with pytest.raises(TookTooLong):
        Deadline(SHORT, NO_PROGRESS).limit(work)
    assert len(lost) == 1


def test_nothing_is_interrupted_once_the_work_is_over(
    monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """Work that ends at just the moment at which it becomes late is either stopped or done, and nothing comes later."""
    monkeypatch.setattr(deadline, "LOOK_SECONDS", 0.0005)
    request.addfinalizer(partial(sys.setswitchinterval, sys.getswitchinterval()))
    sys.setswitchinterval(0.0001)  # threads take turns often, so that the exception comes at every step
    stopped = done = 0
    while stopped < 20 or done < 20:
        limited = Deadline(0.0005 * (1 + (stopped + done) % 8), NO_PROGRESS)
        try:
            limited.limit(partial(_compute, 0.003))
        except TookTooLong:
            stopped += 1
        else:
            done += 1
        _compute(0.0005)  # an exception that was still under way would come here


def _compute(seconds: float) -> None:
    ends = time.thread_time() + seconds
    while time.thread_time() < ends:
        pass


def test_the_deadline_of_an_outer_work_ends_an_inner_one() -> None:
    inner = Deadline(60, NO_PROGRESS)
    with pytest.raises(TookTooLong, match="than 0"):
        Deadline(SHORT, NO_PROGRESS).limit(lambda: inner.limit(lambda: any(number < 0 for number in iter(int, 1))))
    assert inner.was_interrupted


TRACED = """
import sys
from core.storage.deadline import Deadline
from core.storage.progress import NO_PROGRESS

sys.setprofile(lambda *_: None)
try:
    Deadline(0.05, NO_PROGRESS).limit(lambda: any(number < 0 for number in iter(int, 1)))
except Exception as error:
    print(type(error).__name__)
any(number for number in map(lambda _: 0, range(1000)))
print("goes on")
"""


def test_a_program_that_is_traced_goes_on_after_late_work() -> None:
    """With an exception that was taken back, CPython 3.11 came back to the first step of a traced function for ever."""
    done = subprocess.run([sys.executable, "-c", TRACED], capture_output=True, text=True, check=False, timeout=30)
    assert (done.stdout, done.stderr) == ("TookTooLong\ngoes on\n", "")
