"""Taking a database back to where it was, under a running server: each example of many begins in the same world."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from tests.support.postgres_cluster import ON_POSTGRES, fill, rows_of
from tests.support.workspace import World


class Rewind:
    """Remembers a world as it is; called, it brings that back."""

    def __init__(self, world: World) -> None:
        self._place: Path = world.database.path
        if ON_POSTGRES:
            self._rows = rows_of(self._place)
            return
        self._path = str(self._place)
        self._kept = sqlite3.connect(":memory:", check_same_thread=False)
        with closing(sqlite3.connect(self._path)) as live:
            live.backup(self._kept)

    def __call__(self) -> None:
        if ON_POSTGRES:
            fill(self._place, self._rows)
            return
        with closing(sqlite3.connect(self._path, timeout=30)) as live:
            self._kept.backup(live)

    def close(self) -> None:
        if not ON_POSTGRES:
            self._kept.close()
