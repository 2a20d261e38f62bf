"""The counter of changes that permissions are derived from, by which every program on a database drops its grants."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection

from core.engine.change_records import RecordChange
from core.storage.database import Database, Tx

GRANTING = frozenset(
    {"app_user", "member", "member_meta_role", "role_mapping", "application_role", "product", "application"}
)
"""The tables that permissions are derived from. A change to one of them invalidates all cached grants."""

COUNT = (
    "INSERT INTO feed (id, seq) VALUES ('grants', 1) ON CONFLICT (id) DO UPDATE SET seq = feed.seq + 1 RETURNING seq"
)


def count_granting(tx: Tx, changes: Collection[RecordChange]) -> int | None:
    """Raise the counter in the transaction of these changes, if permissions depend on them. Return its new value."""
    if any(change.entity in GRANTING for change in changes):
        return int(tx.tuples(COUNT)[0][0])
    return None


class GrantCounter:
    """Notices that permissions may have changed, by any program on the database."""

    def __init__(self, database: Database, changed: Callable[[], None]) -> None:
        """``changed`` is called after such changes, in the thread that notices them; one call can stand for several."""
        self._database = database
        self._changed = changed
        self._lock = threading.Lock()
        self._known = threading.local()
        self._count: int | None = None

    def check(self) -> None:
        """Call ``changed`` if another program has changed permissions since the last check. Raises StorageError.

        Without a commit in between it takes microseconds.
        """
        data_version = self._database.data_version()
        if getattr(self._known, "seen", None) == data_version:
            return
        with self._lock:
            before, self._count = self._count, self._database.read(_count)
            if before not in (None, self._count):  # at the first check no grant is cached yet
                self._changed()
        self._known.seen = data_version

    def committed(self, count: int) -> None:
        """Note the commit of a change of this program, which has raised the counter to ``count``."""
        with self._lock:
            self._count = max(count, self._count or 0)
            self._changed()


def _count(tx: Tx) -> int:
    rows = tx.tuples("SELECT seq FROM feed WHERE id = 'grants'")
    return int(rows[0][0]) if rows else 0
