"""The state of a server of PostgreSQL: its settings, replicas and clock, and the connections of this process to it."""

from __future__ import annotations

import time

from core.storage.database import DatabaseHealth
from core.storage.postgres.connections import Connections, PooledConnection

CLOCK_SECONDS = 1.0
"""A greater difference of two clocks is reported: histories of several servers then show wrong times."""

BEHIND_SECONDS = 3.0
"""A process that has not looked at the commits of others for longer is reported."""

COMMIT_WAITS_SECONDS = 2.0
"""A commit that waits longer for the synchronous standby is reported."""

MANY_RETRIES = 100
"""More transactions that run again in a minute are reported."""

PREDICATE_LOCKS = 256
"""The least ``max_pred_locks_per_transaction``. With fewer, writers of different projects meet more often."""

LOCKED_SHARE = 0.25
"""The share of the room for predicate locks from which an open SERIALIZABLE transaction that keeps them is reported."""

QUESTION = (
    "SELECT current_setting('server_version'), extract(epoch FROM clock_timestamp())::float8,"
    " current_setting('fsync', true), current_setting('full_page_writes', true),"
    " current_setting('synchronous_commit', true), current_setting('max_pred_locks_per_transaction', true)"
)
REPLICAS = (
    "SELECT count(*), CASE WHEN count(state) = count(*) THEN max(extract(epoch FROM greatest(interval '0', replay_lag,"
    " CASE WHEN flush_lsn < sent_lsn THEN now() - reply_time END)))::float8 END,"
    " current_setting('synchronous_standby_names', true) <> '' AND NOT pg_is_in_recovery()"
    " AND current_setting('synchronous_commit', true) NOT IN ('off', 'local')"
    " AND NOT coalesce(bool_or(sync_state IS NULL OR sync_state IN ('sync', 'quorum')), false),"
    " (SELECT extract(epoch FROM now() - min(query_start))::float8 FROM pg_stat_activity WHERE wait_event = 'SyncRep')"
    " FROM pg_stat_replication"
)
"""The replicas, the delay of the slowest, whether no synchronous one is connected, and for how long a commit waits.

``replay_lag`` stays as it is when a replica hangs, so its silence counts while it lacks something. A role that may not
see the delay sees no ``state`` and no ``sync_state`` either, and of the commits only its own.
"""

LOCKED = (
    "SELECT count(*) / current_setting('max_pred_locks_per_transaction')::float8 / current_setting('max_connections')"
    "::int, (SELECT pid || ' of ' || usename FROM pg_stat_activity WHERE datname || usename > '' AND age(backend_xmin)"
    " >= 0 AND pid <> pg_backend_pid() ORDER BY age(backend_xmin) DESC LIMIT 1) FROM pg_locks WHERE mode = 'SIReadLock'"
)
"""That share, and the process with the oldest snapshot in any database. Every role may see these."""

LACKS = {
    "session": "The server gives each transaction another connection, as PgBouncer in transaction mode does.",
    "listen": "The server has no LISTEN, so changes of others are seen up to 0.1 seconds later.",
    "advisory_locks": "The server gives no advisory locks, so writers of one project run more often twice.",
    "icu": "The server has no rules of Unicode (ICU), so search tells some letters of other alphabets apart by case.",
}
"""A sentence for each capability that a server may lack. None of them is a fault."""


def health_of(
    connection: PooledConnection, connections: Connections, looked_at: float, retries: int, unknown: int
) -> DatabaseHealth:
    """The state of the server of a connection. ``looked_at`` is the time of the last look at commits, 0 for none."""
    before = time.time()
    row = connection.execute(QUESTION).fetchone()
    assert row is not None
    version, clock, fsync, full_pages, synchronous, locks = row
    difference = clock - (before + time.time()) / 2
    behind = time.monotonic() - looked_at if looked_at else 0.0
    replicas, lag, is_alone, waits = connection.execute(REPLICAS).fetchone() or (0, None, False, None)
    locked, oldest = connection.execute(LOCKED).fetchone() or (0.0, None)
    opened, in_use, waiting = connections.usage()
    return DatabaseHealth(
        server=f"PostgreSQL {version}",
        lacks=tuple(words for name, words in LACKS.items() if not getattr(connections.capabilities, name)),
        warnings=tuple(
            sentence
            for sentence, is_said in (
                ("A crash of the server can lose or damage changes: fsync is off.", fsync == "off"),
                ("A crash of the server can damage its files: full_page_writes is off.", full_pages == "off"),
                ("A crash of the server can lose the last changes: synchronous_commit is off.", synchronous == "off"),
                (
                    f"max_pred_locks_per_transaction is {locks}; with {PREDICATE_LOCKS}, writers meet less often.",
                    locks is not None and int(locks) < PREDICATE_LOCKS,
                ),
                (
                    f"An open transaction keeps {locked:.0%} of the room for locks; without room, nobody can write."
                    f" As administrator, pg_terminate_backend the oldest: process {oldest or 'in pg_prepared_xacts'}.",
                    locked > LOCKED_SHARE,
                ),
                (
                    f"The clock of the server is {difference:+.1f} seconds from ours. Run chrony on both.",
                    abs(difference) > CLOCK_SECONDS,
                ),
                ("Nothing can be saved: no standby of synchronous_standby_names is connected.", is_alone),
                (
                    f"Changes wait for the synchronous standby, one for {waits or 0:.0f} seconds.",
                    (waits or 0) > COMMIT_WAITS_SECONDS,
                ),
                (f"The commits of others were last looked at {behind:.0f} seconds ago.", behind > BEHIND_SECONDS),
                (f"{retries} transactions ran again in the last minute.", retries > MANY_RETRIES),
                ("The result of a commit could not be learned since the start; the log says when.", unknown > 0),
            )
            if is_said
        ),
        connections=opened,
        in_use=in_use - 1,  # without this look itself
        waiting=waiting,
        retries_per_minute=retries,
        unknown_commits=unknown,
        seconds_behind=round(behind, 3),
        clock_difference=round(difference, 3),
        replicas=replicas,
        replication_lag=None if lag is None else round(lag, 3),
    )
