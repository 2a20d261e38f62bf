"""Paths of files as people type them: read as a shell reads them, and completed by tab."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.app_driver import Text, hides, on_stage, press, seen, shows
from tests.support.workspace import World
from tui.screens.framework.typed_path import read_path
from tui.screens.projects.projects import ProjectsScreen


@pytest.mark.parametrize(
    "typed",
    [
        "{}/My file.csv",
        "  {}/My file.csv ",
        "'{}/My file.csv' ",
        '"{}/My file.csv"',
        "“{}/My file.csv”",
        r"{}/My\ file.csv",
        "file://{}/My%20file.csv",
        "file://localhost{}/My%20file.csv",
        "'file://{}/My%20file.csv'",
    ],
)
def test_a_path_is_read_as_it_is_dragged_onto_a_terminal(tmp_path: Path, typed: str) -> None:
    (tmp_path / "My file.csv").touch()
    assert read_path(typed.format(tmp_path)) == tmp_path / "My file.csv"


async def test_tab_completes_a_path_and_shows_what_it_can_be(world: World, tmp_path: Path) -> None:
    place = tmp_path / "plans"
    (place / "folder").mkdir(parents=True)
    for name in ("plan.csv", "plan-2.csv", "other\x1b.csv", ".hidden"):
        (place / name).write_text("Title\nA\n")
    async with on_stage(world, ProjectsScreen) as pilot:
        await press(pilot, "colon", Text("import a project"), "enter")
        assert await shows(pilot, "tab complete")
        await press(pilot, Text(f"{place}/"), "tab")
        assert await shows(pilot, "folder/, plan-2.csv and plan.csv"), seen(pilot)
        await press(pilot, Text("p"), "tab")
        assert await shows(pilot, "plan-2.csv and plan.csv")
        assert await hides(pilot, "folder/")
        await press(pilot, Text("."), "tab", "enter")
        assert await shows(pilot, "Import · plan.csv")
        await press(pilot, "escape", "colon", Text("import a project"), "enter", Text(f"{place}/fo"), "tab")
        assert await shows(pilot, "/folder/")
        await press(pilot, "tab", "enter")
        assert await shows(pilot, "cannot be read"), "with nothing more to complete tab went on, to the button"


@pytest.mark.parametrize("name", ["'odd'.csv", "it's.csv", r"a\ b.csv", "file.csv"])
def test_a_file_of_exactly_the_typed_name_is_taken(tmp_path: Path, name: str) -> None:
    (tmp_path / name).touch()
    assert read_path(f"{tmp_path}/{name}") == tmp_path / name
    assert read_path("~/no file") == Path.home() / "no file"
