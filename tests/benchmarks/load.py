"""Load, memory and floods: the parts of ``python -m tests.benchmarks --load``, and their figures with limits.

The limits are those of the specification and of ``README.md`` beside it. Each part makes the workspace that it needs.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.benchmarks import everyday, floods, lists, live, one_person, postgres, unread, workspace
from tests.benchmarks import expensive_requests as dear
from tests.benchmarks.figures import Line, median, p95, ratio, worst
from tests.benchmarks.hostile import CONNECTIONS
from tests.benchmarks.notes import Notes
from tests.benchmarks.profiles import PROFILES

MANY = 200
"""People on one Canvas, beside the usual number."""

REFUSED, REFUSED_QUICK = 30_000, 200
"""Refused requests of each kind."""

ITEMS = 60_000
"""Of the workspace with the Canvas that people look at."""

SQLITE = "× SQLite"

SECOND = 1_000
"""Milliseconds that a command of another person may take, whatever is under way."""


def refused(home: Path, notes: Notes, quick: bool) -> None:
    floods.refusals(home, notes, REFUSED_QUICK if quick else REFUSED)


def strangers(home: Path, notes: Notes, quick: bool) -> None:
    floods.strangers(home, notes, 15 if quick else 100)


def tokens(home: Path, notes: Notes, quick: bool) -> None:
    floods.tokens(home, notes, 60 if quick else 600)


def watched(people: int, home: Path, notes: Notes, quick: bool) -> None:
    live.measure(canvas(home), home, notes, 10 if quick else 100, people, f"live {people}")


def flooded(home: Path, notes: Notes, quick: bool) -> None:
    database = canvas(home)
    for kind in CONNECTIONS:
        live.measure(database, home, notes, 10 if quick else 60, name=kind, hostile=kind)


def canvas(home: Path) -> Path:
    """A workspace with the Canvas that people look at."""
    path = home / "canvas.db"
    if not path.exists():
        workspace.generate(path, ITEMS)
    return path


PARTS: Mapping[str, Callable[[Path, Notes, bool], None]] = {
    "refused": refused,
    "dear": dear.measure,
    "end": dear.ending,
    "unread": unread.measure,
    "one person": one_person.measure,
    "strangers": strangers,
    "tokens": tokens,
    "live 5": partial(watched, live.PROCESSES),
    "live 50": partial(watched, live.PEOPLE),
    "live 200": partial(watched, MANY),
    "hostile": flooded,
    "postgres": postgres.measure,
    "lists": lists.measure,
    "everyday": everyday.measure,
}
"""What can be measured by name, in a folder that they share, and quicker where that is wanted."""

LISTS = {
    "Projects": "projects",
    "My work": "my work",
    "Inbox": "inbox",
    "a search that finds nothing": "absent word",
}
"""The lists in words, with their queries."""

LINES = (
    Line("server: memory left by the worst kind of refused request", 5, "MiB", *worst("refused server")),
    Line("server: memory left by all kinds", 5, "MiB", *worst("refused server in all")),
    Line("gateway: memory left by the worst kind of refused request", 5, "MiB", *worst("refused gateway")),
    Line("gateway: memory left by all kinds", 5, "MiB", *worst("refused gateway in all")),
    Line("largest requests: slowest command of another person", SECOND, "ms", *worst("dear wait")),
    Line("largest requests: commands of another person refused", 0, "", *worst("dear unanswered")),
    Line("largest requests: memory of the server (RSS)", 400, "MiB", *worst("dear memory")),
    Line("largest requests: from SIGTERM to the end of the server", 10, "s", *worst("end")),
    Line("100 unread answers of 40 MB: memory of the server (RSS)", 300, "MiB", *worst("unread memory")),
    Line("the same: a question of another person, p95", SECOND, "ms", *p95("unread wait")),
    Line("the same: from SIGTERM to the end of the server", 10, "s", *worst("unread end")),
    Line("one person never stops others: a command of another person, p95", 300, "ms", *p95("one person wait")),
    Line("one person never stops others: the slowest", SECOND, "ms", *worst("one person wait")),
    Line("one person never stops others: commands refused", 0, "", *worst("one person unanswered")),
    Line("one person never stops others: memory of the server (RSS)", 300, "MiB", *worst("one person memory")),
    Line("one person never stops others: from SIGTERM to the end", 10, "s", *worst("one person end")),
    Line("1,200 silent strangers: a person's request, new connection, p95", SECOND, "ms", *p95("flooded server")),
    Line("the same: requests not served", 0, "", *worst("flooded server lost")),
    Line("the same: sockets that the server has open", 420, "", *worst("flooded server sockets")),
    Line("1,200 silent strangers: sign-in and page of the gateway, p95", 2_000, "ms", *p95("flooded gateway")),
    Line("the same: pages not served", 0, "", *worst("flooded gateway lost")),
    Line("the same: sockets that the gateway has open", 60, "", *worst("flooded gateway sockets")),
    Line("one guest asks for 600 tokens: tokens that there are", 20, "", *worst("tokens of a guest")),
    Line("one guest asks for 600 tokens: a person's request, p95", SECOND, "ms", *p95("token flood")),
    Line("change on 5 screens: until seen, p95", 150, "ms", *p95("live 5")),
    Line("change on 5 screens: missed", 0, "", *worst("live 5 missed")),
    Line("change on 50 screens: processor time of the server", 60, "ms", *worst("live 50 processor")),
    Line("change on 50 screens: until seen, p95", 150, "ms", *p95("live 50")),
    Line("change on 50 screens: missed", 0, "", *worst("live 50 missed")),
    Line("change on 50 screens: memory of the server (RSS)", 150, "MiB", *worst("live 50 server")),
    Line(f"change on {MANY} screens: until seen, p95", 500, "ms", *p95(f"live {MANY}")),
    Line(f"change on {MANY} screens: missed", 0, "", *worst(f"live {MANY} missed")),
    Line("50 people and a flood of reads: a command, p95", SECOND, "ms", *p95("reads command")),
    Line("50 people and a flood of writes: a command, p95", SECOND, "ms", *p95("writes command")),
    Line("50 people and a flood of wrong tokens: a command, p95", SECOND, "ms", *p95("wrong tokens command")),
    Line("PostgreSQL: one command, durable", 2, SQLITE, *ratio("PG move", "SQLite move")),
    Line("PostgreSQL: Canvas of 1,000", 1.3, SQLITE, *ratio("PG canvas", "SQLite canvas")),
    Line("PostgreSQL: list of eight projects", 1.8, SQLITE, *ratio("PG projects", "SQLite projects")),
    Line("PostgreSQL: search", 2, SQLITE, *ratio("PG search", "SQLite search")),
    Line("PostgreSQL: 8 programs in 8 projects", 1.25, SQLITE, *ratio("PG contention", "SQLite contention")),
    Line("the same: transactions that ran again, per command", 0.1, "", *median("PG retries")),
    Line(
        "50 people at 2 servers: processor time", 1.6, SQLITE, *ratio("PG people processor", "SQLite people processor")
    ),
    Line("50 people at 2 servers: until seen, p95", 300, "ms", *p95("PG people")),
    Line("50 people at 2 servers: missed", 0, "", *worst("PG people missed")),
    *(
        Line(f"{what}, of 5,000 projects, on {name}, p95", limit, "ms", *p95(f"{name} lists, {each}"))
        for name, limits in {"SQLite": (8, 5, 5, 20), "PG": (8, 6, 8, 20)}.items()
        for (what, each), limit in zip(LISTS.items(), limits, strict=True)
    ),
    Line("PG: a rare word in 260,000 documents, in the database, p95", 1, "ms", *p95("PG rare word")),
    Line("PG: a word of all 260,000 documents, in the database, p95", 10, "ms", *p95("PG common word")),
    *(
        line
        for name in (profile.name for profile in PROFILES)
        for line in (
            Line(f"{MANY} people at 2 servers, {name}: until seen, p95", 500, "ms", *p95(f"{name} seen")),
            Line(f"{MANY} people at 2 servers, {name}: missed", 0, "", *worst(f"{name} missed")),
            Line(f"{MANY} people at 2 servers, {name}: refused", 0, "", *worst(f"{name} refused")),
        )
    ),
)
"""The figures of all parts."""


def table_of_page(notes: Notes) -> str:
    """The lines that a run has measured, as a table of the page."""
    rows = [line.row_of_page(notes) for line in LINES if line.is_measured(notes)]
    return "\n".join(["| What | Measured | Unit | Limit |", "|---|---|---|---|", *rows])


def measure(parts: Mapping[str, Callable[[Path, Notes, bool], None]], notes: Notes, quick: bool) -> None:
    """Measure these parts, one after the other."""
    with TemporaryDirectory(prefix="podium-load-") as folder:
        for name, part in parts.items():
            print(f"Measuring {name} …", file=sys.stderr)
            part(Path(folder), notes, quick)
