"""The daily backup, which a server makes while it runs."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

from core.server.requests.json_log import log_event
from core.storage.sqlite.database import SqliteDatabase

CHECK_EVERY = 600.0
"""Seconds between two checks whether a backup is due."""


async def keep_backups(database: SqliteDatabase) -> None:
    """Make backups until this is cancelled. A failed backup is logged, and tried again at the next check.

    None is made of a file that cannot be written, which does not change.
    """
    from core.engine.slices import sweep
    from core.storage.backups import rotate

    def make() -> Path | None:
        sweep(database)
        return rotate(database)

    while True:
        try:
            made = None if database.unwritable else await asyncio.to_thread(make)
        except Exception as error:  # noqa: BLE001 (whatever it is, the next check tries again)
            log_event("backup failed", logging.ERROR, error)
        else:
            if made is not None:
                log_event("backup", file=made.name)
        await asyncio.sleep(CHECK_EVERY)
