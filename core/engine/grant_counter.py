"""Counters of changes that permissions are derived from, by which every program on a database drops its grants."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection

from core.domain.model import Id
from core.engine.change_records import RecordChange
from core.storage.database import Database, Tx

GRANTING = frozenset(
    {"app_user", "member", "member_meta_role", "role_mapping", "gate_policy"}
    | {"application_role", "product", "application"}
)
"""The tables that permissions are derived from. A change to one of them invalidates all cached grants."""

COUNT = "INSERT INTO feed (id, seq) VALUES (:id, 1) ON CONFLICT (id) DO UPDATE SET seq = feed.seq + 1"
TOTAL = "SELECT coalesce(sum(seq), 0) FROM feed WHERE id >= 'grants ' AND id < 'grants!'"


def counter_of(scope: Id) -> str:
    """The key of a counter. Each project has one, and the workspace, so that writers of two do not meet."""
    return f"grants {scope}"


def count_granting(tx: Tx, scope: Id, changes: Collection[RecordChange]) -> bool:
    """Raise the counter of a scope in the transaction of these changes, if permissions depend on them.

    Returns whether they do.
    """
    if not any(change.entity in GRANTING for change in changes):
        return False
    tx.execute(COUNT, id=counter_of(scope))
    return True


class GrantCounter:
    """Notices that permissions may have changed, by any program on the database."""

    def __init__(self, database: Database, changed: Callable[[], None]) -> None:
        """``changed`` is called after such changes, in the thread that notices them; one call can stand for several."""
        self._database = database
        self._changed = changed
        self._lock = threading.Lock()
        self._known = threading.local()
        self._total: int | None = None

    def check(self) -> None:
        """Call ``changed`` if another program has changed permissions since the last check. Raises StorageError.

        Without a commit in between it takes microseconds.
        """
        data_version = self._database.data_version()
        if getattr(self._known, "seen", None) == data_version:
            return
        with self._lock:
            before, self._total = self._total, self._database.read(_total)
            if before not in (None, self._total):  # at the first check no grant is cached yet
                self._changed()
        self._known.seen = data_version

    def note_commit(self) -> None:
        """Note the commit of a change of this program, which has raised a counter by one."""
        with self._lock:
            if self._total is not None:
                self._total += 1
            self._changed()


def _total(tx: Tx) -> int:
    return int(tx.tuples(TOTAL)[0][0])
