"""The tour in a real terminal, from an empty home to its end, and behind a server."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from core.demo.sample_project import NAME
from tests.support.api.program import ServerProgram
from tests.support.api.server import link_account
from tests.support.terminal.podium import podium
from tests.support.terminal.session import TerminalSession
from tests.support.workspace import World


def rows(home: Path, sql: str) -> list[Any]:
    with closing(sqlite3.connect(home / ".local" / "share" / "podium" / "podium.db")) as database:
        return database.execute(sql).fetchall()


def take_the_tour(terminal: TerminalSession) -> None:
    """The keys of all seven goals, each when the line shows its goal."""
    for number, keys in enumerate(
        (
            "nBuy cups<enter>",
            "L",
            "a<enter>",
            "Dfri<enter>",
            "lw<enter>",
            "c><enter>c>Ready<ctrl+s>",
            "u",
        ),
        1,
    ):
        terminal.wait_for(rf"^ (Tour \S+ )?{number}/7")
        terminal.send(keys)
    terminal.wait_for(r"7/7 +Q ")


@pytest.mark.parametrize(("cols", "lines"), [(80, 24), (40, 12), (120, 40)])
def test_from_an_empty_home_to_an_approved_gate_and_an_undone_step(tmp_path: Path, cols: int, lines: int) -> None:
    with podium(home=tmp_path, cols=cols, rows=lines) as terminal:
        terminal.wait_for("Your name")
        terminal.send("Studio North<enter>Ines Duarte<enter>1")
        take_the_tour(terminal)
        terminal.wait_for("Undone: approved")
        assert rows(tmp_path, "SELECT name FROM project") == [(NAME,)]
        assert rows(
            tmp_path, "SELECT message, kind FROM change WHERE message IN ('DecideGate', 'Undo') ORDER BY at"
        ) == [
            ("DecideGate", "DO"),
            ("Undo", "UNDO"),
        ]
        assert rows(
            tmp_path, "SELECT status, due IS NOT NULL, assignee_id IS NOT NULL FROM item WHERE title = 'Buy cups'"
        ) == [("COMPLETED", 1, 1)]
        terminal.send("Qy")
        terminal.wait_for("No projects yet")
        assert rows(tmp_path, "SELECT name FROM project") == []
        terminal.send("q")
        assert terminal.exit_status() == 0


def test_the_command_begins_the_tour_after_the_first_run_and_goes_on_with_it_later(tmp_path: Path) -> None:
    with podium("tour", home=tmp_path, cols=80, rows=24) as terminal:
        terminal.wait_for("Your name")
        terminal.send("Studio North<enter>Ines Duarte<enter>")
        terminal.wait_for("1/7")
        terminal.send("nBuy cups<enter>")
        terminal.wait_for("2/7")
        terminal.send("<esc><esc>")
        terminal.wait_for("The tour has ended")
        terminal.send("qq")
        assert terminal.exit_status() == 0
    with podium("tour", home=tmp_path, cols=80, rows=24) as terminal:
        terminal.wait_for("2/7")
        terminal.send("qq")
        assert terminal.exit_status() == 0
    assert rows(tmp_path, "SELECT name FROM project") == [(NAME,)]


def test_a_command_and_the_mouse_tick_goals_in_any_order(tmp_path: Path) -> None:
    with podium("tour", home=tmp_path, cols=120, rows=40) as terminal:
        terminal.wait_for("Your name")
        terminal.send("Studio North<enter>Ines Duarte<enter>")
        terminal.wait_for("1/7")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PODIUM_", "XDG_"))}
        command = (sys.executable, "-m", "tui", "task", "add", NAME, "Prepare", "From the shell")
        subprocess.run(command, env=kept | {"HOME": str(tmp_path)}, check=True, capture_output=True)
        terminal.wait_for("✓▸····· 2/7")
        x, y = terminal.find("u undo")
        terminal.send(f"<click:{x},{y}>")
        terminal.wait_for("✓▸····✓ 2/7")
        x, y = terminal.find("Order the espresso machine")
        below = terminal.find("Completed 2")[1] + 1
        terminal.send(f"<press:{x},{y}><drag:{x},{y + 1}><drag:{x},{below}><release:{x},{below}>")
        terminal.wait_for("✓✓▸···✓ 3/7")
        terminal.send("qq")
        assert terminal.exit_status() == 0


def test_the_tour_works_behind_a_server(world: World) -> None:
    link_account(world, world.maya)
    with (
        ServerProgram(world.database.path, warm=True) as server,
        podium("tour", "--server", server.address, home=server.socket.parent, cols=120, rows=40) as terminal,
    ):
        take_the_tour(terminal)
        sample = world.row("project", name=NAME)["id"]
        members = world.rows("SELECT user_id, role FROM member WHERE project_id = :id", id=sample)
        assert members == [{"user_id": world.maya.user_id, "role": "OWNER"}]
        terminal.send("Qy")
        terminal.wait_for("Press n to create your own project")
        assert world.rows("SELECT id FROM project WHERE name = :name", name=NAME) == []


def test_the_demo_says_in_one_line_what_to_try_first(tmp_path: Path) -> None:
    with podium("demo", home=tmp_path, cols=80, rows=24) as terminal:
        terminal.wait_for("Try first: open a project")
        terminal.send("<enter>")
        terminal.wait_until_gone("Try first")
        terminal.send("qq")
        assert terminal.exit_status() == 0
