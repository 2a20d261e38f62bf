"""A table of another office, brought in by the screens alone: what columns, words, days and amounts mean is asked."""

from __future__ import annotations

from pathlib import Path

from core.domain.model import Status
from tests.support.app_driver import Text, hides, on_stage, press, seen, shows
from tests.support.workspace import World
from tui.screens.projects.projects import ProjectsScreen

TABLE = """Frühjahr 2027;;;;;
Stand: 1.11.2026;;;;;

Aufgabe;Zuständig;Fällig;Kosten;Stand;Notiz
Plakat;Maya Okafor, Bob Lind;3.12.2026;1.200,00;in Mache;groß
Druck;Bob Lind;24.12.2026;12.500;erledigt;
"""


async def test_a_european_table_comes_in_by_the_screens_alone(world: World, tmp_path: Path) -> None:
    file = tmp_path / "plan.csv"
    file.write_bytes(TABLE.encode("cp1252"))
    async with on_stage(world, ProjectsScreen, size=(120, 40)) as pilot:
        await press(pilot, "colon", Text("import"), "enter")
        assert await shows(pilot, "Import a project")
        await press(pilot, Text(str(file)), "ctrl+s")
        assert await shows(pilot, "What the table means")
        shown = seen(pilot)
        for words in ("Aufgabe", "Zuständig", "Fällig"):
            assert words in shown
        await press(pilot, *["tab"] * 6)
        assert await shows(pilot, "Status “in Mache”")
        await press(pilot, "space", Text("in prog"), "enter", "ctrl+s")
        assert await shows(pilot, "It becomes a project with")
        for words in ("Kosten: 1.200,00 read as", "Left out: 2 lines, because", "Read as Windows-1252"):
            assert words in seen(pilot)
        await press(pilot, "y")
        assert await hides(pilot, "Import “plan”")
    project = world.row("project", name="plan")
    rows = world.rows(
        "SELECT title, status, due, kind FROM item WHERE project_id = :id ORDER BY number", id=project["id"]
    )
    assert [tuple(row.values()) for row in rows] == [
        ("Plakat", Status.IN_PROGRESS, "2026-12-03", "ACTIVITY"),
        ("Druck", Status.COMPLETED, "2026-12-24", "TASK"),
    ]
    values = world.rows("SELECT value FROM item_field WHERE project_id = :id ORDER BY value", id=project["id"])
    assert [row["value"] for row in values] == ["1200", "12500"]
