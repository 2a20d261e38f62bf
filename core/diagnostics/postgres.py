"""The checks of a database of PostgreSQL: that it opens, its settings, its clock, its replicas and its permissions."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from core.diagnostics.local import check_item_counts, check_permissions, diagnose_client
from core.diagnostics.seals import check_seals
from core.diagnostics.sign_in_paths import check_sign_in_paths
from core.domain.finding import Finding, Verdict
from core.engine.large_projects import sweep
from core.errors import PodiumError
from core.net.database_url import DatabaseUrl
from core.sign_in.local import has_workspace
from core.storage.database import Database, DatabaseHealth
from core.storage.opening import open_database


def diagnose_database(url: DatabaseUrl) -> tuple[Finding, ...]:
    """Return the findings about this installation, a database of PostgreSQL and this terminal. Never raises."""
    return (*diagnose_client(), *_check_connection(url))


def diagnose_open(database: Database) -> tuple[Finding, ...]:
    """Return the findings about this installation, an open database of PostgreSQL and this terminal. Never raises."""
    return (*diagnose_client(), *_findings(database))


def _check_connection(url: DatabaseUrl) -> Iterator[Finding]:
    yield Finding("Workspace", str(url))
    try:
        with contextlib.closing(open_database(url)) as database:
            yield from _findings(database)
    except PodiumError as error:
        yield Finding("Database", str(error), Verdict.BAD)


def _findings(database: Database) -> Iterator[Finding]:
    try:
        sweep(database)
        yield from _contents(database)
    except PodiumError as error:
        yield Finding("Database", str(error), Verdict.BAD)


def _contents(database: Database) -> Iterator[Finding]:
    health = database.health()
    assert health is not None
    yield Finding("Database", health.server)
    for sentence in health.lacks:
        yield Finding("Abilities", sentence, Verdict.NOTE)
    for sentence in health.warnings:
        yield Finding("Server", sentence, Verdict.BAD)
    yield Finding("Clocks", f"{abs(health.clock_difference):.3f} seconds apart")
    yield _replicas(health)
    if not has_workspace(database):
        yield Finding("Workspace", "none yet; create one with “podium init”", Verdict.NOTE)
        return
    yield check_item_counts(database)
    yield check_seals(database)
    yield check_permissions(database)
    yield from check_sign_in_paths(database)


def _replicas(health: DatabaseHealth) -> Finding:
    if not health.replicas:
        return Finding("Replicas", "none: if its disk is lost, so is everything since the last backup", Verdict.NOTE)
    if health.replication_lag is None:
        hidden = f"{health.replicas}; how far behind is not known, because only pg_read_all_stats lets a role see it"
        return Finding("Replicas", hidden, Verdict.NOTE)
    return Finding("Replicas", f"{health.replicas}, the slowest {health.replication_lag:.1f} seconds behind")
