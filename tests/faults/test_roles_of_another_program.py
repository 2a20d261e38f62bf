"""Two programs on one database with an authorization service: roles changed in one are no longer kept in the other."""

from __future__ import annotations

import os
import subprocess
import sys

from core.actions.workflow.phases import ListPhases
from tests.support.authorization_service.server import Service
from tests.support.postgres_cluster import DIRECT, place_of
from tests.support.workspace import World


def _podium(world: World, *words: str) -> None:
    """A command line in a process of its own, which decides by the database."""
    line = [sys.executable, "-m", "tui", *words, "--db", place_of(world.database.path), "--as", "maya", *DIRECT]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PODIUM_")}
    environment["PODIUM_DAILY_BACKUP"] = "false"
    done = subprocess.run(line, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_a_role_that_another_program_changed_is_asked_for_again(world: World, service: Service) -> None:
    service.copy(world.database)
    task = world.task()
    world.engine.permissions = source = service.source(max_age=60)
    look = ListPhases(project_id=world.project.id)
    world.ask(look)
    world.ask(look)
    asked = len(service.requests)
    _podium(world, "run", "EditTask", f"task_id={task.id}", "title=Other")
    world.ask(look)
    assert len(service.requests) == asked, "no role was changed"
    _podium(world, "member", "role", "Spring launch", "bob", "viewer")
    world.ask(look)
    assert len(service.requests) == asked + 1
    world.ask(look)
    assert len(service.requests) == asked + 1
    source.close()
