"""Taking a database back to where it was, under a running server: each example of many begins in the same world."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from tests.support.workspace import World


class Rewind:
    """Remembers a world as it is; called, it brings that back."""

    def __init__(self, world: World) -> None:
        self._path = str(world.database.path)  # type: ignore[attr-defined]
        self._kept = sqlite3.connect(":memory:", check_same_thread=False)
        with closing(sqlite3.connect(self._path)) as live:
            live.backup(self._kept)

    def __call__(self) -> None:
        with closing(sqlite3.connect(self._path, timeout=30)) as live:
            self._kept.backup(live)

    def close(self) -> None:
        self._kept.close()
