"""The metrics of a server for Prometheus: how many requests, how fast, what was refused, and what it waits for.

No label has a login, a title, a key or an id, so the metrics tell nothing of what people do. They need the library
``prometheus-client``, which is the extra ``metrics``.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from core.engine.engine import Engine
from core.storage.backups import backup_state
from core.storage.database import DatabaseHealth
from core.storage.sqlite.database import SqliteDatabase

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 25.0)
"""The upper ends of the buckets of latencies. The longest work without a file ends after 25 seconds."""

OTHER = "other"
"""The label of requests that are no message."""


class Metrics:
    """Counts the requests of one server. Safe in any thread."""

    def __init__(self, engine: Engine, streams: Callable[[], int]) -> None:
        """``streams`` returns the number of open streams of changes."""
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        self._latencies = Histogram(
            "podium_request_seconds", "Time to the last byte, by message.", ["message"],
            buckets=SECONDS, registry=self._registry,
        )  # fmt: skip
        self._responses = Counter(
            "podium_responses", "Responses, by message and status.", ["message", "status"], registry=self._registry
        )
        self._refusals = Counter(
            "podium_refusals", "Refused requests, by error code.", ["reason"], registry=self._registry
        )
        self._waits = Histogram(
            "podium_wait_seconds", "Time that work waits for its turn and a thread.", ["kind"],
            buckets=SECONDS, registry=self._registry,
        )  # fmt: skip
        self._commits = Counter("podium_commits", "Commits of this server.", registry=self._registry)
        self._readings = _Readings(engine, streams)
        self._registry.register(self._readings)

    def count_request(self, state: Mapping[str, Any], status: int, seconds: float, *, is_stream: bool) -> None:
        """Count a request after its last byte. ``state`` is what the steps of the request noted for the log."""
        message = state.get("message") or OTHER
        self._responses.labels(message, status).inc()
        if reason := state.get("reason"):
            self._refusals.labels(reason).inc()
        if not is_stream:  # it lasts as long as a screen is open
            self._latencies.labels(message).observe(seconds)

    def count_wait(self, kind: str, seconds: float) -> None:
        """Count the time that a ``reader`` or a ``writer`` waited before it began."""
        self._waits.labels(kind).observe(seconds)

    def count_commit(self) -> None:
        """Count a commit of this server."""
        self._commits.inc()

    def text(self, backed_up: SqliteDatabase | None, health: DatabaseHealth | None) -> bytes:
        """Return all metrics in the text format of Prometheus. It looks at files, so it runs in a thread.

        ``health`` has the numbers of the database, if there are any.
        """
        self._readings.backed_up, self._readings.health = backed_up, health
        return generate_latest(self._registry)


class _Readings(Collector):
    """Reads streams, presence, the state of the database and the age of its backups, for each answer."""

    def __init__(self, engine: Engine, streams: Callable[[], int]) -> None:
        self._engine = engine
        self._streams = streams
        self.backed_up: SqliteDatabase | None = None
        self.health: DatabaseHealth | None = None

    def describe(self) -> list[Metric]:
        """Return nothing: the names are known without a reading."""
        return []

    def collect(self) -> Iterator[Metric]:
        """Read each value now. A database that does not answer has no values."""
        yield GaugeMetricFamily("podium_streams", "Open streams of changes.", self._streams())
        yield GaugeMetricFamily("podium_people_online", "People who are online.", self._engine.presence.count())
        retries = CounterMetricFamily("podium_retries", "Transactions that ran again, by cause.", labels=["cause"])
        for cause, number in self._engine.database.retries.items():
            retries.add_metric([cause], number)
        yield retries
        if self.health:
            yield from _of_database(self.health)
        if self.backed_up and (newest := backup_state(self.backed_up.path).newest):
            age = (datetime.fromtimestamp(time.time(), UTC) - newest.at).total_seconds()
            yield GaugeMetricFamily("podium_backup_age_seconds", "Age of the newest backup.", age)


def _of_database(health: DatabaseHealth) -> Iterator[Metric]:
    for name, meaning, value in (
        ("pool_connections", "Open connections to the database.", health.connections),
        ("pool_in_use", "Connections with a transaction.", health.in_use),
        ("pool_waiting", "Transactions that wait for a connection.", health.waiting),
        ("commits_unknown", "Commits whose result could not be learned.", health.unknown_commits),
        ("follower_behind_seconds", "Time since the last look at the commits of others.", health.seconds_behind),
        ("replicas", "Replicas of the database.", health.replicas),
        ("replication_lag_seconds", "Delay of the slowest replica.", health.replication_lag),
    ):
        if value is not None:
            yield GaugeMetricFamily(f"podium_{name}", meaning, value)
