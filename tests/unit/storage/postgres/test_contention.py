"""Many who write at once: in one project, in several, and while connections end under them."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from core.actions.cards.bulk import BulkUpdate
from core.actions.cards.cards import MoveCard
from core.actions.cards.tasks import CreateTask
from core.actions.projects.projects import CreateProject
from core.actions.workflow.phases import AddPhase
from core.domain.model import Id, Status
from core.domain.quotas import Quotas
from core.engine import quotas
from core.engine.counters import list_miscounted
from core.engine.idempotency import IdempotencyKey
from core.server.requests.execution import Executor
from core.storage.postgres import database as under_test
from core.storage.postgres.database import PostgresDatabase
from core.storage.postgres.faults import is_conflict
from core.storage.progress import NO_PROGRESS
from tests.support.postgres_cluster import cluster
from tests.support.workspace import World

WRITERS, TASKS = 8, 200
"""The tasks of each project. Those of smaller projects would share pages, which PostgreSQL takes for conflicts."""

CREATORS, CREATED = 4, 25
"""Those who create tasks while connections end, and the tasks that each creates."""

MOST_RETRIES = 0.2
"""Transactions that run again, for each command: 0 to 0.05 as a rule, and 0.1 on a machine that is busy otherwise."""


@pytest.fixture
def conflicts(monkeypatch: pytest.MonkeyPatch) -> list[psycopg.Error]:
    """The conflicts after which a transaction ran again."""
    found: list[psycopg.Error] = []

    def noted(error: psycopg.Error) -> bool:
        if is_conflict(error):
            found.append(error)
        return is_conflict(error)

    monkeypatch.setattr(under_test, "is_conflict", noted)
    return found


def project_with_tasks(world: World, name: str) -> tuple[Id, list[Id]]:
    project = world.do(CreateProject(name=name))
    phase = world.do(AddPhase(project_id=project.id, name="Only"))
    tasks = tuple(CreateTask(phase_id=phase.id, title=str(number)) for number in range(TASKS))
    world.do(BulkUpdate(project_id=project.id, commands=tasks))
    rows = world.rows("SELECT id FROM item WHERE project_id = :id ORDER BY rank", id=project.id)
    return project.id, [row["id"] for row in rows]


def all_write(work: Callable[[int], object], writers: int = WRITERS) -> None:
    with ThreadPoolExecutor(writers) as threads:
        for done in [threads.submit(work, number) for number in range(writers)]:
            done.result()


def assert_complete(world: World, project_id: Id, changes: int) -> None:
    """Each command is in the history once, and the numbers have no gaps."""
    seqs = world.rows("SELECT seq FROM change WHERE project_id = :id ORDER BY seq", id=project_id)
    assert [row["seq"] for row in seqs] == list(range(1, changes + 1))
    assert world.row("feed", id=project_id)["seq"] == changes


@pytest.mark.parametrize("each", [25, pytest.param(200, marks=pytest.mark.slow)])
@pytest.mark.parametrize("projects", [1, WRITERS], ids=["one project", "a project each"])
def test_of_many_who_write_at_once_nothing_is_lost_and_few_transactions_run_again(
    studio: World, in_database: Callable[[str], object], conflicts: list[psycopg.Error], projects: int, each: int
) -> None:
    """As a server carries commands out: with an idempotency key, and quotas."""
    made = [project_with_tasks(studio, f"Project {number}") for number in range(projects)]
    in_database("ANALYZE")  # as autovacuum does
    executor = Executor(studio.engine, lambda: None)
    studio.engine.quotas = Quotas()
    conflicts.clear()

    def move_all(number: int) -> None:
        mine = made[number][1] if projects > 1 else made[0][1][number::WRITERS]
        for n in range(each):
            status = Status.TO_DO if n // len(mine) % 2 else Status.IN_PROGRESS
            key = IdempotencyKey(f"{number} {n}", "request")
            executor.command(MoveCard(card_id=mine[n % len(mine)], status=status), studio.maya, key, NO_PROGRESS)

    all_write(move_all)
    assert len(conflicts) <= MOST_RETRIES * WRITERS * each
    for project_id, _ in made:
        assert_complete(studio, project_id, 1 + 1 + 1 + each * WRITERS // projects)
    assert studio.database.read(list_miscounted) == []


def test_of_one_user_s_commands_that_run_at_once_one_writes_the_count_of_the_text(
    studio: World, conflicts: list[psycopg.Error], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = [project_with_tasks(studio, f"Project {number}") for number in range(WRITERS)]
    studio.engine.quotas = Quotas()

    def counted(small: int, tasks: slice, writers: int) -> int:
        """The bytes that are counted for moving these tasks of all projects; ``small`` are counted in memory alone."""
        monkeypatch.setattr(quotas, "SMALL", small)
        before = sum(row["amount"] for row in studio.rows("SELECT amount FROM usage"))

        def move(number: int) -> None:
            for _, task_ids in made[number::writers]:
                for task_id in task_ids[tasks]:
                    studio.do(MoveCard(card_id=task_id, status=Status.IN_PROGRESS))

        all_write(move, writers)
        return int(studio.row("usage", user_id=studio.maya.user_id)["amount"] - before)

    conflicts.clear()
    at_once = counted(4_000, slice(0, 25), WRITERS)
    assert len(conflicts) <= MOST_RETRIES * WRITERS * 25
    assert 0 < at_once <= counted(0, slice(25, 50), 1)


@contextlib.contextmanager
def ending_connections(name: str, every: float) -> Iterator[list[int]]:
    """End the connection of a random transaction again and again. Yields how many were ended."""
    is_over = threading.Event()
    ended: list[int] = []
    kill = (
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        f" WHERE datname = '{name}' AND state <> 'idle' ORDER BY random() LIMIT 1"
    )

    def run() -> None:
        with psycopg.connect(cluster().url("postgres"), autocommit=True) as connection:
            while not is_over.wait(every):
                ended.extend(row[0] for row in connection.execute(kill.encode()).fetchall())

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield ended
    finally:
        is_over.set()
        thread.join()


def test_of_commands_whose_connections_end_none_is_lost_and_none_doubled(
    studio: World, postgres: PostgresDatabase, url: str
) -> None:
    project_id, _ = project_with_tasks(studio, "Broken")
    phase_id = studio.row("phase", project_id=project_id)["id"]

    def create(number: int) -> None:
        for n in range(CREATED):
            studio.do(CreateTask(phase_id=phase_id, title=f"by {number}: {n}"))

    with ending_connections(url.split("/")[3].split("?")[0], every=0.1) as ended:
        all_write(create, CREATORS)
    assert ended
    titles = [row["title"] for row in studio.rows("SELECT title FROM item WHERE title LIKE 'by %'")]
    assert sorted(titles) == sorted(f"by {number}: {n}" for number in range(CREATORS) for n in range(CREATED))
    assert_complete(studio, project_id, 1 + 1 + 1 + CREATORS * CREATED)
