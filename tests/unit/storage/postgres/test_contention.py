"""Many who write at once: in one project, in several, and while connections end under them."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from core.actions.cards.tasks import CreateTask, MoveTask
from core.actions.projects.projects import CreateProject
from core.actions.workflow.phases import AddPhase
from core.domain.model import Id, Status
from core.storage.postgres import database as under_test
from core.storage.postgres.database import PostgresDatabase
from tests.support.postgres_cluster import cluster
from tests.support.workspace import World

WRITERS, EACH = 4, 25
MOST_RETRIES = 0.1
"""Transactions that run again, for each command."""


@pytest.fixture
def conflicts(monkeypatch: pytest.MonkeyPatch) -> list[psycopg.Error]:
    """The conflicts after which a transaction ran again."""
    found: list[psycopg.Error] = []
    is_conflict = under_test.is_conflict

    def noted(error: psycopg.Error) -> bool:
        if is_conflict(error):
            found.append(error)
        return is_conflict(error)

    monkeypatch.setattr(under_test, "is_conflict", noted)
    return found


def project_with_tasks(world: World, name: str) -> tuple[Id, list[Id]]:
    project = world.do(CreateProject(name=name))
    phase = world.do(AddPhase(project_id=project.id, name="Only"))
    return project.id, [world.do(CreateTask(phase_id=phase.id, title=str(n))).id for n in range(EACH)]


def all_write(work: Callable[[int], object]) -> None:
    with ThreadPoolExecutor(WRITERS) as threads:
        for done in [threads.submit(work, number) for number in range(WRITERS)]:
            done.result()


def assert_complete(world: World, project_id: Id, changes: int) -> None:
    """Each command is in the history once, and the numbers have no gaps."""
    seqs = world.rows("SELECT seq FROM change WHERE project_id = :id ORDER BY seq", id=project_id)
    assert [row["seq"] for row in seqs] == list(range(1, changes + 1))
    assert world.row("feed", id=project_id)["seq"] == changes


@pytest.mark.parametrize("projects", [1, WRITERS], ids=["one project", "a project each"])
def test_of_many_who_write_at_once_nothing_is_lost(
    studio: World, conflicts: list[psycopg.Error], projects: int
) -> None:
    made = [project_with_tasks(studio, f"Project {number}") for number in range(projects)]
    if projects == 1:
        made = [(made[0][0], made[0][1][number::WRITERS]) for number in range(WRITERS)]
    conflicts.clear()

    def move_all(number: int) -> None:
        for task in made[number][1]:
            studio.do(MoveTask(task_id=task, status=Status.IN_PROGRESS))

    all_write(move_all)
    commands = sum(len(tasks) for _, tasks in made)
    if projects == 1:  # several projects lie on the same pages here, which PostgreSQL takes for conflicts
        assert len(conflicts) <= MOST_RETRIES * commands
    for project_id, _ in made:
        assert_complete(studio, project_id, 1 + 1 + 2 * EACH)


@contextlib.contextmanager
def ending_connections(name: str, every: float) -> Iterator[list[int]]:
    """End the connection of a random transaction again and again. Yields how many were ended."""
    is_over, ended = threading.Event(), []
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
        for n in range(EACH):
            studio.do(CreateTask(phase_id=phase_id, title=f"by {number}: {n}"))

    with ending_connections(url.split("/")[3].split("?")[0], every=0.1) as ended:
        all_write(create)
    assert ended
    titles = [row["title"] for row in studio.rows("SELECT title FROM item WHERE title LIKE 'by %'")]
    assert sorted(titles) == sorted(f"by {number}: {n}" for number in range(WRITERS) for n in range(EACH))
    assert_complete(studio, project_id, 2 + EACH + WRITERS * EACH)
