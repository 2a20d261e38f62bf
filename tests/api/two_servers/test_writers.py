"""Several commands of one server write at one time: those of other projects wait for none that waits."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any

import psycopg

from core.actions.projects.members import InviteMember
from core.actions.workspace.users import AddUser
from core.domain.model import ProjectRole
from core.engine.unit_of_work import Actor
from core.storage.postgres.connections import WRITERS
from tests.api.two_servers.conftest import MakeServers, TwoServers
from tests.support import postgres_cluster
from tests.support.waiting import wait_until

PEOPLE = WRITERS + 2


@contextmanager
def another_writes(path: Path, project_id: str) -> Iterator[Any]:
    """A server elsewhere that holds the turn of a project. Gives a function that counts who waits for the turn."""
    key = int.from_bytes(blake2b(project_id.encode(), digest_size=8).digest(), signed=True)
    with psycopg.connect(postgres_cluster.url_of(path), autocommit=True) as connection:
        connection.execute(f"SELECT pg_advisory_lock({key})")
        waits = (
            "SELECT count(*) FROM pg_locks JOIN pg_database ON pg_database.oid = database"
            " WHERE locktype = 'advisory' AND NOT granted AND datname = current_database()"
        )
        yield lambda: connection.execute(waits).fetchone()[0]  # type: ignore[index]


def members(two: TwoServers) -> list[Actor]:
    """New contributors to the project of the world."""
    found = []
    for number in range(PEOPLE):
        email = f"person{number}@example.com"
        user = two.world.do(AddUser(first_name="Person", last_name=f"Number {number}", email=email))
        role = ProjectRole.CONTRIBUTOR
        two.world.do(InviteMember(project_id=two.world.project.id, user_id=user.id, role=role))
        found.append(Actor(user.id))
    return found


def test_commands_that_wait_for_their_project_let_those_of_other_projects_pass(
    servers: MakeServers, tmp_path: Path
) -> None:
    two = servers()
    other = two.world.phase("Other", two.world.new_project("Other").id)
    path = f"/v1/phases/{two.world.discover.id}/tasks"
    clients = [two.first.client(actor) for actor in members(two)]
    with ThreadPoolExecutor(PEOPLE) as threads, another_writes(tmp_path / "podium.db", two.world.project.id) as waiting:
        sent = [threads.submit(each.post, path, json={"title": f"Task {n}"}) for n, each in enumerate(clients)]
        wait_until(lambda: waiting() == 1)
        passed = two.first.client().post(f"/v1/phases/{other.id}/tasks", json={"title": "Elsewhere"})
        assert passed.status_code == 201
        assert waiting() == 1, "one thread waits, and the others are free"
        assert not any(each.done() for each in sent)
        seen = two.first.client(two.world.vera).put(f"/v1/projects/{two.world.project.id}/last-seen", json={"seq": 1})
        assert seen.status_code == 204, "a personal command waits for no project"
    assert [each.result().status_code for each in sent] == [201] * PEOPLE
    assert len(two.world.rows("SELECT id FROM item WHERE phase_id = :id", id=two.world.discover.id)) == PEOPLE
