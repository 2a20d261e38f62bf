"""The connections to one database: a pool for transactions, and single ones for listening and for decisions."""

from __future__ import annotations

import contextlib
import logging
import selectors
import threading
import time
from collections.abc import Iterator
from typing import Any

import psycopg
from psycopg.abc import Params
from psycopg.pq import TransactionStatus
from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout

from core.errors import DatabaseBusy
from core.storage.postgres.capabilities import Capabilities
from core.storage.postgres.faults import NotReplicated
from core.storage.postgres.statements import adapt
from core.storage.postgres.tls import tls_parameters
from core.text.phrases import count

CONNECTIONS = 8
"""The most transactions of one process at a time."""

WRITERS = 4
"""The most of them that write: half, so that queries have connections while commands wait for other servers."""

CONNECT_SECONDS = 3
"""Seconds for opening a connection, for each host of the URL."""

FREE_SECONDS = 10.0
"""Seconds that a transaction waits for a free connection."""

LIFETIME_SECONDS = 3600.0
"""Seconds after which a connection is replaced, so that its row of ``commit_count`` can be removed."""

SETTINGS = (
    "TimeZone = 'UTC'",
    "client_min_messages = 'warning'",  # of which one matters: see NotReplicated
    "enable_seqscan = off",  # a scan of a small table locks all of it, so that writers of other projects meet
    "jit = off",  # without scans, plans seem dear enough to be compiled, which takes 20 ms
    "lock_timeout = '10s'",
    "statement_timeout = '25s'",
    "idle_in_transaction_session_timeout = '60s'",
)

WITHOUT_LIMITS = (
    "SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0; SET enable_seqscan = on;"
    " SET synchronous_commit = on"
)
"""The settings of a connection that copies or migrates all rows."""

GONE_SECONDS = 5.0
"""Seconds in which the server ends connections that were closed."""

ADD_UP = (
    "WITH gone AS (DELETE FROM commit_count WHERE slot IN (SELECT slot FROM commit_count WHERE {}"
    " FOR UPDATE SKIP LOCKED) RETURNING n)"
    " UPDATE commit_count SET n = n + (SELECT sum(n) FROM gone) WHERE slot = '' AND EXISTS (SELECT FROM gone)"
)
"""Adds the rows of ``commit_count`` for which a condition holds to the row of connections that are gone."""

_END_ROW = "BEGIN; SET LOCAL synchronous_commit = local; {}; COMMIT"
"""No standby is waited for, since the sum stays the same."""

ADD_UP_SECONDS = 0.5
"""Seconds for which a connection that is closed waits until its row is added up."""

_OTHERS = (
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'podium'"
    " AND pid <> pg_backend_pid()"
)

KEEPALIVES = {"keepalives_idle": 3, "keepalives_interval": 1, "keepalives_count": 3, "tcp_user_timeout": 4000}
"""A connection through a network that was cut ends within seconds; sockets of this machine ignore them."""

logging.getLogger("psycopg").disabled = True  # its errors are raised; warnings of each attempt would fill the log
logging.getLogger("psycopg.pool").disabled = True


class PooledConnection(psycopg.Connection[Any]):
    """A connection with its row of ``commit_count``."""

    slot: str = ""
    """The key of the row; empty until the connection writes."""
    commits: int = 0
    """The number in the row."""
    is_unreplicated: bool = False
    """True if a commit ended before the synchronous standby had it."""
    is_away: threading.Event | None = None
    """Set for all connections of a pool when the server does not answer."""

    def execute(
        self, query: Any, params: Params | None = None, *, prepare: bool | None = None, binary: bool = False
    ) -> psycopg.Cursor[Any]:
        """Run a statement. Raises psycopg.Error, and NotReplicated, after which the connection is not used again."""
        cursor = super().execute(query, params, prepare=prepare, binary=binary)
        if self.is_unreplicated:
            raise NotReplicated("the commit did not reach the synchronous standby")
        return cursor

    def close(self) -> None:
        """Close the connection, and end its row of ``commit_count`` if the server answers within half a second."""
        is_idle = self.info.transaction_status == TransactionStatus.IDLE
        if self.slot and self.is_away and not self.is_away.is_set() and is_idle and not self.is_unreplicated:
            try:
                self.pgconn.send_query(_END_ROW.format(ADD_UP.format(f"slot = '{self.slot}'")).encode())
                self.pgconn.flush()
                with selectors.DefaultSelector() as answer:
                    answer.register(self.fileno(), selectors.EVENT_READ)
                    if not answer.select(ADD_UP_SECONDS):
                        self.is_away.set()
            except psycopg.Error:
                self.is_away.set()
        super().close()

    def abandon(self) -> None:
        """Close the connection, and leave its row, which tells whether its last transaction was committed."""
        super().close()

    def read_notice(self, notice: psycopg.errors.Diagnostic) -> None:
        """Take note of the warning with which PostgreSQL ends the wait for a synchronous standby."""
        if notice.source_function == "SyncRepWaitForLSN":
            self.is_unreplicated = True


def check_alone(connection: psycopg.Connection[Any], place: str) -> None:
    """Raise DatabaseBusy while other programs of Podium are connected to the database."""
    end = time.monotonic() + GONE_SECONDS
    while (found := connection.execute(_OTHERS).fetchone() or (0,)) != (0,):
        if time.monotonic() > end:
            raise DatabaseBusy(
                f"Podium has {count(found[0], 'open connection')} to {place}. Stop its servers, quit every program "
                "that has it open, and stop a pooler such as PgBouncer, which keeps connections for a while."
            )
        time.sleep(0.05)


class Connections:
    """The connections to one database. They are opened when needed, also again after ``close``."""

    def __init__(self, url: str, most: int = CONNECTIONS) -> None:
        self.url = url
        self._tls = tls_parameters(url)
        self.most = most
        self.capabilities = Capabilities()
        self.used_at = 0.0
        """The time at which a transaction last got a connection."""
        self._lock = threading.Lock()
        self._pool: ConnectionPool[PooledConnection] | None = None
        self._is_away = threading.Event()

    @property
    def settings(self) -> str:
        """Statements that begin each transaction where a connection cannot keep its settings."""
        return "" if self.capabilities.session else "".join(f"; SET LOCAL {each}" for each in SETTINGS)

    def single(self) -> PooledConnection:
        """Open a connection of its own, which the caller closes. Raises psycopg.Error."""
        connection = PooledConnection.connect(self.url, **self._parameters())
        self._configure(connection)
        return connection

    @contextlib.contextmanager
    def lend(self) -> Iterator[PooledConnection]:
        """A connection of the pool. Raises psycopg.Error: where none can be opened, the reason for it."""
        pool = self._open_pool()
        try:
            connection = pool.getconn(timeout=FREE_SECONDS)
        except PoolClosed:
            self.single().close()
            raise
        except PoolTimeout as error:
            raise psycopg.errors.TooManyConnections("all connections of this program are in use") from error
        self.used_at = time.monotonic()
        try:
            yield connection
        finally:
            pool.putconn(connection)

    def usage(self) -> tuple[int, int, int]:
        """The open connections of the pool, those in use, and the transactions that wait for one."""
        with self._lock:
            stats = self._pool.get_stats() if self._pool is not None else {}
        opened = stats.get("pool_size", 0)
        return opened, opened - stats.get("pool_available", 0), stats.get("requests_waiting", 0)

    def close(self, *, is_away: bool = False) -> None:
        """Close all connections of the pool; those in use are closed when they are given back.

        With ``is_away`` the server is not asked for anything.
        """
        with self._lock:
            pool, self._pool = self._pool, None
            if is_away:
                self._is_away.set()
        if pool is not None:
            pool.close()

    def _open_pool(self) -> ConnectionPool[PooledConnection]:
        with self._lock:
            if self._pool is None:
                self._is_away = threading.Event()
                self._pool = ConnectionPool(
                    self.url,
                    connection_class=PooledConnection,
                    kwargs=self._parameters(),
                    configure=self._configure,
                    min_size=0,
                    max_size=self.most,
                    max_lifetime=LIFETIME_SECONDS,
                    num_workers=1,
                    reconnect_timeout=0,  # the first failure ends all waiting
                    reconnect_failed=lambda _: threading.Thread(target=lambda: self.close(is_away=True)).start(),
                    open=True,
                )
            return self._pool

    def _parameters(self) -> dict[str, Any]:
        return {
            **KEEPALIVES,
            **self._tls,
            "autocommit": True,
            "client_encoding": "UTF8",
            "cursor_factory": psycopg.RawCursor,
            "connect_timeout": CONNECT_SECONDS,
            "prepare_threshold": 5 if self.capabilities.session else None,
            "application_name": "podium",
        }

    def _configure(self, connection: PooledConnection) -> None:
        adapt(connection)
        connection.add_notice_handler(connection.read_notice)
        connection.is_away = self._is_away
        if self.capabilities.session:
            connection.execute("; ".join(f"SET {each}" for each in SETTINGS))
