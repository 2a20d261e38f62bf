"""A server that is killed while it deletes what is left of a project: nobody sees it, and the next one goes on."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from core.actions.projects.exports import ExportProject
from core.actions.projects.lists import ListProjects
from core.actions.projects.projects import ArchiveProject, DeleteProject
from core.engine import large_projects
from core.storage.schema.integrity import damage
from core.storage.sqlite.database import SqliteDatabase
from tests.support.api.program import ServerProgram
from tests.support.api.server import token_for
from tests.support.postgres_cluster import about_the_file
from tests.support.waiting import wait_until
from tests.support.workspace import World

pytestmark = about_the_file

TASKS = 100_000
"""More than a server deletes before anybody looks."""


def rows_left(connection: sqlite3.Connection, project_id: str) -> int:
    return int(connection.execute("SELECT count(*) FROM item WHERE project_id = ?", [project_id]).fetchone()[0])


@pytest.mark.slow
def test_a_server_that_is_killed_in_the_midst_leaves_nothing_to_see_and_the_next_one_deletes_the_rest(
    world: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    large = world.new_project("Large")
    phase = world.phase("Make", large.id)
    kept = world.task("Kept", world.phase("Make", world.new_project("Other").id))
    task = world.row("item", id=world.task("Task", phase).id)
    columns = ", ".join(task)
    several = f"INSERT INTO item ({columns}) VALUES ({', '.join(f':{name}' for name in task)})"
    path = world.database.path
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executemany(
            several, [task | {"id": f"{task['id']}{n}", "rank": f"a{n:05}1", "number": 2 + n} for n in range(TASKS)]
        )
    world.do(ArchiveProject(project_id=large.id))
    token = token_for(world, world.maya, days=10_000)  # the clock of the world stands
    names = [line.project.name for line in world.ask(ListProjects()).lines]
    with monkeypatch.context() as patch:
        patch.setattr(large_projects, "SLICE_SECONDS", -1.0)
        world.do(DeleteProject(project_id=large.id))
    assert len(names) > 1
    with (
        ServerProgram(path, warm=True) as program,
        closing(sqlite3.connect(path, isolation_level=None, timeout=60)) as looking,
    ):

        def killed_in_the_midst() -> bool:
            looking.execute("BEGIN IMMEDIATE")  # nothing is deleted between this look and the kill
            try:
                if rows_left(looking, large.id) > TASKS - 1_000:
                    return False
                program.stop(9)
                return True
            finally:
                looking.execute("ROLLBACK")

        wait_until(killed_in_the_midst)
        left = rows_left(looking, large.id)
        assert 0 < left < TASKS
        copy = tmp_path / "copy.db"
        looking.execute("VACUUM INTO ?", [str(copy)])
        with closing(SqliteDatabase(copy)) as database:
            assert damage(database.connection) == []
            large_projects.sweep(database)
            assert rows_left(database.connection, large.id) == 0
        assert rows_left(looking, large.id) == left
        program.start()
        projects = program.client.get("/v1/projects", headers={"Authorization": f"Bearer {token}"})
        assert projects.status_code == 200, projects.text
        assert [line["project"]["name"] for line in projects.json()["data"]] == names
        wait_until(lambda: not rows_left(looking, large.id))
        wait_until(lambda: not looking.execute("SELECT 1 FROM unfinished").fetchone())
        assert damage(looking) == []
    document = world.ask(ExportProject(project_id=kept.project_id))
    assert [item.title for item in document.items] == ["Kept"]
