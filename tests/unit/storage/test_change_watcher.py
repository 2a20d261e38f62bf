"""The thread that notices commits: it rests after a look that took long, so that it never looks all the time."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import count, pairwise
from typing import Any, cast

from core.storage.change_watcher import ChangeWatcher
from core.storage.database import Database
from tests.support.waiting import wait_until


class Quiet:
    """A database in which nobody commits."""

    def data_version(self) -> int:
        return 1

    def on_commit(self, notify: Callable[[], None]) -> Callable[[], None]:
        notify()
        return lambda: None


class EverNew:
    """A database in which others commit all the time."""

    def __init__(self) -> None:
        self._commits = count()

    def data_version(self) -> int:
        return next(self._commits)

    def on_commit(self, notify: Callable[[], None]) -> Callable[[], None]:
        notify()
        return lambda: None


def test_after_a_call_it_rests_for_as_long_as_the_call_took() -> None:
    calls: list[tuple[float, float]] = []

    def look() -> None:
        began = time.monotonic()
        time.sleep(0.02)
        calls.append((began, time.monotonic()))
        watcher.check()  # the next commit is there already

    watcher = ChangeWatcher(cast(Database, cast(Any, EverNew())), look)
    watcher.start()
    wait_until(lambda: len(calls) > 4)
    watcher.stop()
    watcher.join()
    assert all(later - ended >= ended - began for (began, ended), (later, _) in pairwise(calls))


def test_a_call_that_is_asked_for_at_once_is_not_put_off_by_one_that_is_asked_for_later() -> None:
    calls: list[float] = []

    def look() -> None:
        if not calls:
            watcher.call_again(0.0)  # a listener comes in the midst of a look
            watcher.call_again(time.monotonic() + 1e9)  # and the look asks for one later
        calls.append(time.monotonic())

    watcher = ChangeWatcher(cast(Database, cast(Any, Quiet())), look)
    watcher.start()
    wait_until(lambda: len(calls) > 1)
    watcher.stop()
    watcher.join()
    assert len(calls) == 2
