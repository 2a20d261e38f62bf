"""The thread that notices commits: it rests after a look that took long, so that it never looks all the time."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import count, pairwise
from typing import Any, cast

from core.storage.change_watcher import ChangeWatcher
from core.storage.database import Database
from tests.support.waiting import wait_until


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
