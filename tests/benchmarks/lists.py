"""The lists of a person in 5,000 projects, and search in 260,000 documents, on SQLite and on PostgreSQL.

The projects have one phase with 52 tasks each. 300 tasks in 50 of the projects are this person's, and three gates
wait for their decision. A word is searched for in 51 of the projects.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from core.actions import load_catalog
from core.actions.personal.inbox import ListInbox
from core.actions.personal.my_work import GetMyWork
from core.actions.personal.search import Search
from core.actions.projects.lists import ListProjects
from core.domain.model import Gate, Item, ItemKind, Member, Phase, Project, ProjectRole, Status, User, Workspace
from core.engine.engine import Engine
from core.engine.messages import Query
from core.engine.unit_of_work import Actor
from core.net.database_url import DatabasePlace, DatabaseUrl
from core.storage.opening import open_database
from core.storage.sqlite.database import SqliteDatabase
from tests.benchmarks.notes import Notes
from tests.benchmarks.postgres import copied_to_postgres, shuffled
from tests.benchmarks.workspace import count_items, insert, ulid
from tests.support import postgres_cluster

PROJECTS, CARDS = 5_000, 52
MINE, MY_CARDS, GATES = 50, 6, 3
"""The projects with cards of this person, the cards in each, and those of these projects whose gate waits."""

NOW = datetime(2026, 1, 15, 9, tzinfo=UTC)

QUERIES: dict[str, Query[Any]] = {
    "projects": ListProjects(most=40),
    "my work": GetMyWork(),
    "inbox": ListInbox(),
    "absent word": Search(text="nothing like it"),
}
WORDS = {"rare": "xylophone", "common": "plan"}
"""A word of one document, and one of all."""


def measure(home: Path, notes: Notes, quick: bool) -> None:
    """Note "ENGINE lists, QUERY" for each of QUERIES, and "PG RARITY word" for the search alone, without the engine."""
    if reason := postgres_cluster.missing():
        print(reason, file=sys.stderr)
        return
    file = home / "lists.db"
    with closing(SqliteDatabase(file, create=True, synchronous="OFF")) as database:
        database.connection.execute("PRAGMA foreign_keys = OFF")
        database.connection.execute("BEGIN")
        insert(database.connection, _records())
        count_items(database.connection)
        database.connection.execute("COMMIT")
    with ExitStack() as stack:
        url = stack.enter_context(copied_to_postgres(file))
        engines: dict[str, Engine] = {}
        places: dict[str, DatabasePlace] = {"SQLite": file, "PG": DatabaseUrl(url)}
        for name, place in places.items():
            database_here = stack.enter_context(closing(open_database(place)))
            engines[name] = Engine(database_here, load_catalog, clock=lambda: NOW)
        me = Actor(ulid(2, 0))
        for engine in engines.values():
            _check(engine, me)
        for number in range(4 if quick else 60):
            for what, query in QUERIES.items():
                for name, engine in shuffled(engines):
                    began = time.perf_counter()
                    engine.query(query, me)
                    if number:  # the first time prepares statements
                        notes.add(f"{name} lists, {what}", (time.perf_counter() - began) * 1000)
            for rarity, word in WORDS.items():
                taken = _search(engines["PG"], word)
                if number:
                    notes.add(f"PG {rarity} word", taken)


def _check(engine: Engine, me: Actor) -> None:
    """Make sure that each list has what it should."""
    assert len(engine.query(ListProjects(most=40), me).lines) == 40
    assert len(engine.query(GetMyWork(), me).lines) == MINE * MY_CARDS
    assert sum(line.concern == "GATE" for line in engine.query(ListInbox(), me).lines) == GATES
    assert len(engine.query(Search(text=WORDS["rare"]), me).found) == 1


def _search(engine: Engine, word: str) -> float:
    """The milliseconds of a search in the database, among 51 projects."""
    scopes = [ulid(1, number) for number in range(0, PROJECTS, PROJECTS // MINE)] + [ulid(1, PROJECTS // CARDS)]

    def look(tx: Any) -> float:
        began = time.perf_counter()
        assert tx.search([word], scopes, 20)
        return (time.perf_counter() - began) * 1000

    return engine.database.read(look)


def _records() -> Iterator[Any]:
    me = ulid(2, 0)
    yield Workspace(id=ulid(0, 0), name="Bench", auth_id="workspace")
    yield User(id=me, login="director", first_name="Ada", last_name="Berg", email="ada@berg.example")
    for number in range(PROJECTS):
        project = ulid(1, number)
        yield Project(id=project, name=f"Project {number}", auth_id=f"account {number}", created_at=NOW)
        yield Member(project_id=project, user_id=me, role=ProjectRole.OWNER, invited_by=me)
        yield from _phases(number, project, me)


def _phases(number: int, project: str, me: str) -> Iterator[Any]:
    step = PROJECTS // MINE
    is_mine, waits = number % step == 0, number % step == 0 and number // step < GATES
    for place in range(2 if waits else 1):
        phase = ulid(4, 2 * number + place)
        gate = Gate.REVIEW if waits and place == 0 else Gate.AUTOMATIC
        yield Phase(project_id=project, id=phase, rank=f"a{place}", name=f"Phase {place}", gate=gate)
    for card in range(CARDS):
        each = number * CARDS + card
        done = waits and card >= MY_CARDS
        yield Item(
            project_id=project,
            id=ulid(3, each),
            kind=ItemKind.TASK,
            phase_id=ulid(4, 2 * number + (waits and not done)),
            rank=f"a{card:02}",
            title="Tune the xylophone" if each == PROJECTS else f"Plan {each}",
            number=1 + card,
            assignee_id=me if is_mine and card < MY_CARDS else None,
            due=date(2026, 1, 1) + timedelta(days=each % 90) if each % 3 else None,
            status=Status.COMPLETED if done else Status.TO_DO,
        )
