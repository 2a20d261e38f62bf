"""My work, those of it that can start, the inbox and its count of a user with 300 open items in 50 of 10,000 projects;
and the portfolio and the workload of a director who is in all of them.

The workspace is written straight into the tables: these projects have six phases with four cards each, the others
two. Some of the cards are activities with three members, and every other card waits for the card before it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from core.actions import load_catalog
from core.actions.personal.inbox import CountUnread, ListInbox
from core.actions.personal.my_work import GetMyWork
from core.actions.portfolio.timeline import GetPortfolio
from core.actions.portfolio.workload import GetWorkload
from core.domain.dependencies import Dependency
from core.domain.model import Assignment, Item, ItemKind, Member, Phase, Project, ProjectRole, Status, User, Workspace
from core.domain.notifications import Notification, NotificationKind
from core.engine.engine import Engine
from core.engine.messages import Query
from core.engine.unit_of_work import Actor
from core.storage.sqlite.database import SqliteDatabase
from tests.benchmarks.notes import Notes
from tests.benchmarks.workspace import count_items, insert, ulid
from tui.screens.portfolio.portfolio import PAGE

PROJECTS = 10_000
EACH = 200
"""Everybody is a member of one project in so many."""

PHASES, CARDS, MEMBERS = 6, 4, 4
NOW = datetime(2026, 1, 15, 9, tzinfo=UTC)
DIRECTOR = EACH + MEMBERS
"""The number of the user who is a member of all projects."""

QUERIES: dict[str, Query[Any]] = {
    "my work": GetMyWork(),
    "ready": GetMyWork(ready=True),
    "inbox": ListInbox(),
    "inbox count": CountUnread(),
    "portfolio page": GetPortfolio(most=PAGE),
    "last portfolio page": GetPortfolio(most=PAGE, offset=PROJECTS - PAGE),
    "workload": GetWorkload(),
}
OF_ALL = frozenset({"portfolio page", "last portfolio page", "workload"})
"""The queries of the director; the others are those of a user in 50 projects."""


def measure(folder: Path, notes: Notes, times: int) -> None:
    """Note each of QUERIES."""
    database = SqliteDatabase(folder / "my_work.db", create=True, synchronous="OFF")
    connection = database.connection
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.execute("BEGIN")
    insert(connection, _records())
    count_items(connection)
    connection.execute("COMMIT")
    engine, me = Engine(database, load_catalog, clock=lambda: NOW), Actor(ulid(2, 0))
    assert len(engine.query(GetMyWork(), me).lines) == PROJECTS // EACH * PHASES
    assert 0 < len(engine.query(GetMyWork(ready=True), me).lines) < PROJECTS // EACH * PHASES
    director = Actor(ulid(2, DIRECTOR))
    assert len(engine.query(GetPortfolio(most=PAGE), director).lines) == PAGE
    assert sum(line.total for line in engine.query(GetWorkload(), director).lines) > PROJECTS
    for _ in range(times):
        for name, query in QUERIES.items():
            begin = time.perf_counter()
            engine.query(query, director if name in OF_ALL else me)
            notes.add(name, (time.perf_counter() - begin) * 1000)
    engine.close()


def _records() -> Iterator[Any]:
    yield Workspace(id=ulid(0, 0), name="Bench", auth_id="workspace")
    for number in range(EACH + MEMBERS + 1):
        yield User(id=ulid(2, number), login=f"user{number}", first_name="A", last_name="B", email=f"{number}@x.org")
    for number in range(PROJECTS):
        yield from _project(number)


def _project(number: int) -> Iterator[Any]:
    project, team = ulid(1, number), [ulid(2, number % EACH + place) for place in range(MEMBERS)]
    yield Project(id=project, name=f"Project {number}", auth_id=f"account {number}", created_at=NOW)
    for user in team:
        yield Member(project_id=project, user_id=user, role=ProjectRole.OWNER, invited_by=user)
    yield Member(project_id=project, user_id=ulid(2, DIRECTOR), role=ProjectRole.OWNER, invited_by=team[0])
    for place in range(PHASES if number % EACH == 0 else 2):
        phase = ulid(4, number * PHASES + place)
        yield Phase(project_id=project, id=phase, rank=f"a{place}", name=f"Phase {place}")
        for card in range(CARDS):
            yield from _card(number, place, card, project, phase, team)


def _card(number: int, place: int, card: int, project: str, phase: str, team: list[str]) -> Iterator[Any]:
    each = (number * PHASES + place) * CARDS + card
    activity = card == 0 and each % 5 == 0
    yield Item(
        project_id=project,
        id=ulid(3, each),
        kind=ItemKind.ACTIVITY if activity else ItemKind.TASK,
        phase_id=phase,
        rank=f"a{card}",
        title=f"Card {each}",
        number=1 + place * CARDS + card,
        assignee_id=None if activity else team[card],
        due=date(2026, 1, 1) + timedelta(days=each % 90) if each % 3 else None,
        status=Status.COMPLETED if card == CARDS - 1 else Status.TO_DO,
    )
    if card % 2:
        yield Dependency(
            project_id=project, waiting_id=ulid(3, each), blocker_id=ulid(3, each - 1), blocker_project_id=project
        )
    for user in team[:3] if activity else ():
        yield Assignment(project_id=project, target_id=ulid(3, each), user_id=user)
    if place == 0 and card == 0:
        yield Notification(
            project_id=project,
            id=ulid(7, each),
            user_id=team[0],
            kind=NotificationKind.ASSIGNED,
            target_id=ulid(3, each),
            by_id=team[1],
            at=NOW,
        )
