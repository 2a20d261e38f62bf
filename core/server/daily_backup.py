"""What a server does by itself beside serving: the backup of the day, made while others go on working."""

from __future__ import annotations

import asyncio
import logging

from core.server.requests.json_log import log_event
from core.storage.sqlite import SqliteDatabase

LOOK_EVERY = 600.0
"""Seconds between two looks whether a backup is due."""


async def keep_backups(database: SqliteDatabase) -> None:
    """Until it is cancelled. A backup that fails is a line in the log, and tried again at the next look."""
    from core.storage.backups import rotate

    while True:
        try:
            made = await asyncio.to_thread(rotate, database)
        except Exception as error:  # noqa: BLE001 (whatever it is, the next look tries again)
            log_event("backup failed", logging.ERROR, error)
        else:
            if made is not None:
                log_event("backup", file=made.name)
        await asyncio.sleep(LOOK_EVERY)
