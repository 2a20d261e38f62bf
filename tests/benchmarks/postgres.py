"""The same workspace in PostgreSQL, through a Unix socket, and in a file with ``synchronous=FULL``, in turn.

PostgreSQL runs with its usual settings for durability. Every figure is a ratio of medians, and the two engines do one
piece of work after the other, in a new order each time.
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TypeVar

from core.actions import load_catalog
from core.actions.cards.cards import MoveCard
from core.actions.personal.search import Search
from core.actions.projects.lists import ListProjects
from core.actions.workflow.canvas import GetCanvas
from core.domain.model import Status
from core.engine.engine import Engine
from core.engine.unit_of_work import Actor
from core.net.database_url import DatabaseUrl
from core.sign_in.local import sign_on
from core.storage.copying import copy_workspace
from core.storage.opening import open_database
from core.storage.progress import Progress
from tests.benchmarks import live, workspace
from tests.benchmarks.notes import Notes
from tests.benchmarks.process import processor
from tests.benchmarks.served import admit, served_at
from tests.support import postgres_cluster

T = TypeVar("T")

DURABLE = ("fsync=on", "full_page_writes=on", "autovacuum=on")
"""The usual settings of PostgreSQL that the cluster of the tests turns off."""

PROJECTS = 8
"""Programs that write at once, each in a project of its own."""

CARDS = 1_000
MEMBER = "user20"
"""A person in eight projects."""

TEXTS = ("approve", "media plan", "bud", "c00077 survey", "nothing like it")


def measure(home: Path, notes: Notes, quick: bool) -> None:
    """Note "PG" and "SQLite" with move, canvas, projects, search and contention, and the people of two servers."""
    if reason := postgres_cluster.missing():
        print(reason, file=sys.stderr)
        return
    file = home / "file.db"
    workspace.generate(file, 60_000)
    live.invite(file, live.PEOPLE)
    admit(file, *range(workspace.USERS))
    with copied_to_postgres(file) as url:
        _questions({"SQLite": str(file), "PG": url}, notes, 8 if quick else 60)
        for number in range(2 if quick else 6):
            for name, place in shuffled({"SQLite": str(file), "PG": url}):
                _contention(place, notes, name, 20 if quick else 60, number)
        for _ in range(1 if quick else 4):
            for name, places in shuffled({"SQLite": [str(file)], "PG": [url, url]}):
                _people(places, home, notes, f"{name} people", 10 if quick else 30)


def shuffled(named: Mapping[str, T]) -> list[tuple[str, T]]:
    """The pairs of a mapping in a new order."""
    return random.sample([*named.items()], len(named))


def _people(places: Sequence[str], home: Path, notes: Notes, name: str, changes: int) -> None:
    """Note what 50 people see at one server for each place, and "NAME database" on PostgreSQL."""
    with ExitStack() as stack:
        servers = [stack.enter_context(served_at(place, home)) for place in places]
        url = places[0] if places[0].startswith("postgresql") else ""
        before = _processor(url) if url else 0
        live.watch(servers, notes, changes, live.PEOPLE, name)
        if url:
            notes.add(f"{name} database", (_processor(url) - before) * 1000 / (changes + live.READY))


def _processor(url: str) -> float:
    """Seconds on a processor of all processes of the server that work for a client."""
    sql = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
    with closing(open_database(DatabaseUrl(url))) as database:
        return sum(processor(pid) for (pid,) in database.read(lambda tx: tx.tuples(sql)))


@contextmanager
def copied_to_postgres(file: Path) -> Iterator[str]:
    """The URL of a copy in a cluster of its own."""
    folder, process = postgres_cluster.start(*DURABLE)
    try:
        cluster = postgres_cluster.Cluster(folder)
        url = cluster.url(cluster.new_database())
        moved = Path(shutil.copy(file, file.with_name("moved.db")))
        copy_workspace(moved, DatabaseUrl(url), datetime.now(UTC), Progress())
        cluster.execute("ANALYZE", url.split("/")[3].split("?")[0])
        yield url
    finally:
        postgres_cluster.stop(folder, process)


def _questions(places: Mapping[str, str], notes: Notes, times: int) -> None:
    with ExitStack() as stack:
        engines = {}
        for name, place in places.items():
            at = Path(place) if name == "SQLite" else DatabaseUrl(place)
            database = stack.enter_context(closing(open_database(at, synchronous="FULL")))
            engines[name] = Engine(database, load_catalog)
        for number in range(times):
            for what, work in WORKS.items():
                for name, engine in shuffled(engines):
                    began = time.perf_counter()
                    work(engine, number)
                    if number:  # the first time fills caches and prepares statements
                        notes.add(f"{name} {what}", (time.perf_counter() - began) * 1000)


@cache
def actor(engine: Engine, login: str = workspace.LOGIN) -> Actor:
    """A user, who signed on before anything was measured."""
    return sign_on(engine, login)


def _move(engine: Engine, number: int) -> None:
    status = Status.TO_DO if number % 2 else Status.IN_PROGRESS
    engine.execute(MoveCard(card_id=workspace.card_id(CARDS, 0, 2), status=status), actor(engine))


def _canvas(engine: Engine, _: int) -> None:
    canvas = engine.query(GetCanvas(project_id=workspace.project_id(CARDS)), actor(engine))
    assert len(canvas.cards) == CARDS


def _projects(engine: Engine, _: int) -> None:
    assert engine.query(ListProjects(), actor(engine, MEMBER)).lines


def _search(engine: Engine, number: int) -> None:
    engine.query(Search(text=TEXTS[number % len(TEXTS)]), actor(engine, MEMBER))


WORKS: Mapping[str, Callable[[Engine, int], None]] = {
    "move": _move,
    "canvas": _canvas,
    "projects": _projects,
    "search": _search,
}


def _contention(place: str, notes: Notes, name: str, count: int, number: int) -> None:
    """Note the milliseconds per command of all programs together, and the retries per command."""
    with ExitStack() as stack:
        writers = [stack.enter_context(_writing(place, 20 + each, count)) for each in range(PROJECTS)]
        for writer in writers:
            assert writer.stdout is not None
            assert writer.stdout.readline() == "ready\n"
        began = time.perf_counter()
        for writer in writers:
            assert writer.stdin is not None
            writer.stdin.write("\n")
            writer.stdin.flush()
        answers = [json.loads(writer.communicate()[0]) for writer in writers]
        seconds = time.perf_counter() - began
    commands = sum(answer["commands"] for answer in answers)
    notes.add(f"{name} contention", seconds * 1000 / commands)
    notes.add(f"{name} retries", sum(answer["retries"] for answer in answers) / commands)


@contextmanager
def _writing(place: str, project: int, count: int) -> Iterator[subprocess.Popen[str]]:
    argv = [sys.executable, "-m", "tests.benchmarks.writer", place, str(project), str(count)]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as writer:
        yield writer
