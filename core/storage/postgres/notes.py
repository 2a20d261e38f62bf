"""Notes: short texts that the programs on one database show each other for a while. They are part of no commit.

They are in an unlogged table, which costs no write to the log and is empty after a crash. Each program numbers its
notes, so that another one reads only those that it has not read yet.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping

from core.storage.database import KEPT_SECONDS, Note
from core.storage.postgres.commit_listener import NOTES, CommitListener
from core.storage.postgres.connections import Connections
from core.storage.postgres.faults import faults

TABLE = (
    'CREATE UNLOGGED TABLE IF NOT EXISTS podium_note (program TEXT COLLATE "C", key TEXT COLLATE "C",'
    ' n BIGINT NOT NULL, text TEXT COLLATE "C" NOT NULL, at TIMESTAMPTZ NOT NULL DEFAULT now(),'
    " PRIMARY KEY (program, key))"
)

POLL_SECONDS = 0.1
"""Seconds between two looks for notes without LISTEN."""

LOOK_SECONDS = 5.0
"""Seconds between two looks with LISTEN, because a notification can be lost with its connection."""

_PUT = (
    "INSERT INTO podium_note (program, key, n, text)"
    " SELECT $1, key, $2, text FROM unnest(CAST($3 AS TEXT[]), CAST($4 AS TEXT[])) AS given(key, text)"
    " ON CONFLICT (program, key) DO UPDATE SET n = excluded.n, text = excluded.text, at = now()"
)
_OLD = f"at < now() - interval '{KEPT_SECONDS} seconds'"
_READ = (
    "SELECT note.program, note.key, note.text, note.n, CAST(extract(epoch FROM now() - note.at) * 1000 AS BIGINT)"
    " FROM podium_note AS note LEFT JOIN unnest(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS known(program, n)"
    f" ON known.program = note.program WHERE note.program <> $3 AND note.n > coalesce(known.n, 0) AND NOT {_OLD}"
    " ORDER BY note.n, note.program, note.key"
)


class PostgresNotes:
    """The notes of a database, as one program of it puts and reads them. It is used by one thread."""

    def __init__(self, connections: Connections, commit_listener: CommitListener, place: str) -> None:
        self.program = secrets.token_hex(8)
        self.look_seconds = LOOK_SECONDS if connections.capabilities.listen else POLL_SECONDS
        self._connections = connections
        self._commit_listener = commit_listener
        self._place = place
        self._put = 0
        self._read: dict[str, int] = {}
        """The number of the newest note that was read, by program."""
        self._swept_at = 0.0

    def put(self, texts: Mapping[str, str]) -> None:
        self._put += 1
        with faults(self._place), self._connections.lend() as connection:
            connection.execute(_PUT, [self.program, self._put, list(texts), list(texts.values())])
            if time.monotonic() - self._swept_at > KEPT_SECONDS:
                self._swept_at = time.monotonic()
                connection.execute(f"DELETE FROM podium_note WHERE {_OLD}")
            if self._connections.capabilities.listen:
                connection.execute(f"NOTIFY {NOTES}, '{self.program}'")

    def read(self) -> list[Note]:
        with faults(self._place), self._connections.lend() as connection:
            known = [list(self._read), list(self._read.values()), self.program]
            rows = connection.execute(_READ, known).fetchall()
        for program, _, _, number, _ in rows:
            self._read[program] = max(number, self._read.get(program, 0))
        return [Note(program, key, text, age / 1000) for program, key, text, _, age in rows]

    def on_note(self, notify: Callable[[], None]) -> Callable[[], None]:
        return self._commit_listener.on_note(lambda program: notify() if program != self.program else None)
