"""The checks of the workspace that a front end has open: its database, or its server and the connection to it."""

from __future__ import annotations

import asyncio

from core.backends.local import Backend, LocalBackend
from core.backends.remote import RemoteBackend
from core.diagnostics.local import diagnose_local
from core.diagnostics.postgres import diagnose_open
from core.diagnostics.server import diagnose_server
from core.domain.finding import Finding
from core.storage.sqlite.database import SqliteDatabase


async def diagnose_workspace(backend: Backend) -> tuple[Finding, ...]:
    """Return the findings about the open workspace. Never raises."""
    if isinstance(backend, RemoteBackend):
        return await diagnose_server(backend.server, backend.token)
    if not isinstance(backend, LocalBackend):
        return ()
    database = backend.engine.database
    if isinstance(database, SqliteDatabase):
        return await asyncio.to_thread(diagnose_local, database.path)
    return await asyncio.to_thread(diagnose_open, database)
