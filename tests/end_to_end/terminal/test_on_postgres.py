"""Podium on a terminal, over a database of PostgreSQL."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.domain.model import Status
from tests.support.postgres_cluster import DIRECT, place_of
from tests.support.terminal.podium import podium
from tests.support.waiting import wait_until
from tests.support.workspace import World

pytestmark = pytest.mark.postgresql


def test_a_key_moves_a_card_and_another_terminal_shows_it(world: World, tmp_path: Path) -> None:
    world.task("Write the brief")
    line = ("open", "Spring launch", "--db", place_of(tmp_path / "podium.db"), *DIRECT, "--as")
    with podium(*line, "maya", home=tmp_path) as maya, podium(*line, "bob", home=tmp_path) as bob:
        maya.wait_for("Write the brief")
        bob.wait_for("Write the brief")
        maya.send("L")
        bob.wait_for("In Progress 1")
    wait_until(lambda: world.row("item", title="Write the brief")["status"] == Status.IN_PROGRESS)
