"""The abilities of a server that speaks PostgreSQL's protocol: looked up, and never concluded from its name."""

from __future__ import annotations

from typing import Any

import psycopg

from core.record import Record


class Capabilities(Record, kw_only=False):
    """The abilities of a server, as a connection sees them."""

    session: bool = True
    """A connection stays with one process of the server, so settings, locks and LISTEN last beyond a transaction.

    PgBouncer in transaction mode, for example, gives each transaction another process.
    """
    listen: bool = True
    """The server tells of commits by LISTEN and NOTIFY; without it, connections poll."""
    advisory_locks: bool = True
    """Writers of one project can wait for each other; without it, some of their transactions run twice."""
    icu: bool = True
    """Search lowers letters by the rules of Unicode; without it, by those of the database's locale."""


def look_up(connection: psycopg.Connection[Any]) -> Capabilities:
    """Try the abilities of the server of a connection in autocommit mode."""
    session = _answers(connection, f"SELECT pg_backend_pid() = {connection.info.backend_pid}")
    listen = "LISTEN podium_try; UNLISTEN podium_try; SELECT true"
    lock = "SELECT pg_try_advisory_lock(-1), pg_advisory_unlock_all()"
    held = "BEGIN; SELECT pg_try_advisory_xact_lock(pg_backend_pid()); {}; COMMIT".format(
        "SELECT count(*) > 0 FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()"
    )
    return Capabilities(
        session=session,
        listen=session and _answers(connection, listen),
        advisory_locks=session and _answers(connection, lock) and _answers(connection, held),
        icu=_answers(connection, "SELECT count(*) > 0 FROM pg_collation WHERE collname = 'und-x-icu'"),
    )


def _answers(connection: psycopg.Connection[Any], sql: str) -> bool:
    """Return True if the last SELECT in ``sql`` returns a true value; some servers grant locks and hold none."""
    try:
        cursor = connection.execute(sql)
        found = False
        while True:
            if cursor.description:
                found = bool((cursor.fetchone() or [False])[0])
            if not cursor.nextset():
                return found
    except psycopg.Error:
        connection.execute("ROLLBACK")
        return False
