"""Export and import from the screens: the file, what it would make, and the bar that can be stopped."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from textual.pilot import Pilot

from core.actions.projects.imports import ImportProject
from core.domain.model import ProjectRole
from core.engine.large_projects import sweep
from core.reports.formats import RENDERINGS
from core.storage.progress import Progress
from tests.support.app_driver import Text, canvas, comes, on_stage, press, seen, settled, write
from tests.support.waiting import PATIENCE
from tests.support.workspace import World, content
from tests.unit.import_export.test_import_files import trello
from tui.app import PodiumApp
from tui.dialogs.fields.inputs import LineControl
from tui.dialogs.progress import ProgressDialog
from tui.keys.table import BY_ID
from tui.screens.canvas.screen import CanvasScreen
from tui.screens.framework.screen import PodiumScreen
from tui.screens.projects.import_screen import ImportScreen
from tui.screens.projects.projects import ProjectsScreen


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A folder with a short name, which no dialog breaks into two lines."""
    with TemporaryDirectory(prefix="t", dir="/tmp") as folder:
        monkeypatch.chdir(folder)
        yield
        monkeypatch.undo()


async def run_key(pilot: Pilot[int], key_id: str) -> None:
    screen = pilot.app.screen
    assert isinstance(screen, PodiumScreen)
    await screen.keys.run(BY_ID[key_id])
    await settled(pilot)


def words(pilot: Pilot[int]) -> str:
    """The text on the screen, without the frames of dialogs and its line breaks."""
    return " ".join(seen(pilot).replace("│", " ").replace("▏", " ").split())


async def until(pilot: Pilot[int], wanted: str) -> str:
    """Wait until some words are on the screen."""
    assert await comes(pilot, lambda: wanted in words(pilot)), f"“{wanted}” is not in\n{seen(pilot)}"
    return words(pilot)


async def look_into(pilot: Pilot[int], file: str) -> None:
    await run_key(pilot, "everywhere.import")
    await write(pilot, file)
    await pilot.press("ctrl+s")


async def test_a_project_is_exported_to_a_file_in_this_folder_with_the_ending_of_its_format(world: World) -> None:
    async with on_stage(world, ProjectsScreen, size=(80, 24)) as pilot:
        await run_key(pilot, "projects.export")
        await press(pilot, "right", "ctrl+s")
        await until(pilot, "Exported to")
    assert Path("spring-launch.csv").read_text("utf-8-sig").startswith("key,phase,kind")


async def test_a_dragged_path_is_that_of_the_file_to_write(world: World) -> None:
    Path("My plans").mkdir()
    async with on_stage(world, ProjectsScreen) as pilot:
        await run_key(pilot, "projects.export")
        pilot.app.screen.query_one(LineControl).value = "'My plans/spring.json' "
        await press(pilot, "ctrl+s")
        await until(pilot, "Exported to My plans/spring.json")
    assert json.loads(Path("My plans/spring.json").read_text())["name"] == "Spring launch"


async def test_each_format_of_an_export_is_explained_in_a_clause_and_a_page_is_one_of_them(world: World) -> None:
    async with on_stage(world, ProjectsScreen, size=(40, 12)) as pilot:
        await run_key(pilot, "projects.export")
        for format in RENDERINGS.values():
            assert format.meaning in words(pilot)
            await press(pilot, "right")
        await press(pilot, "left", "ctrl+s")
        await until(pilot, "Exported to")
    assert Path("spring-launch.html").read_text().startswith("<!DOCTYPE html>")


async def test_a_file_is_replaced_only_when_the_person_says_so(world: World) -> None:
    Path("spring-launch.json").write_text("mine")
    async with on_stage(world, canvas(world)) as pilot:
        await run_key(pilot, "canvas.export")
        await press(pilot, "ctrl+s")
        await until(pilot, "spring-launch.json is there already.")
        await press(pilot, "n")
        assert Path("spring-launch.json").read_text() == "mine"
        await press(pilot, "ctrl+s", "y")
        await until(pilot, "Exported to")
    assert json.loads(Path("spring-launch.json").read_text())["name"] == "Spring launch"


async def test_what_cannot_be_written_is_said_and_the_form_stays(world: World) -> None:
    async with on_stage(world, ProjectsScreen) as pilot:
        await run_key(pilot, "projects.export")
        pilot.app.screen.query_one(LineControl).value = "/nowhere/at/all.json"
        await press(pilot, "ctrl+s")
        await until(pilot, "There is no folder")
        assert "Export “Spring launch”" in seen(pilot)


async def test_a_board_is_shown_before_it_is_made_and_then_opened(world: World) -> None:
    Path("board.json").write_text(json.dumps(trello()))
    async with on_stage(world, ProjectsScreen) as pilot:
        await look_into(pilot, "board.json")
        shown = await until(pilot, "Import · board.json · a board of Trello")
        counted = "2 phases, 2 activities, 4 tasks, 1 comment and 2 labels"
        for part in (counted, "People: 2 of 2", "Attachments become links"):
            assert part in shown
        assert len(world.rows("SELECT 1 FROM project")) == 1
        await pilot.press("ctrl+s")
        await until(pilot, "Imported “Website” with 6 cards.")
        assert isinstance(pilot.app.screen, CanvasScreen)
        assert "Write texts" in seen(pilot)
    assert world.row("project", name="Website")


async def test_who_is_not_here_is_named_before_their_name_becomes_words(world: World) -> None:
    board: dict[str, Any] = trello()
    board["members"][1] |= {"username": "zed", "fullName": "Zed Zeller"}
    Path("board.json").write_text(json.dumps(board))
    async with on_stage(world, ProjectsScreen, size=(80, 24)) as pilot:
        before = content(world.database)
        await look_into(pilot, "board.json")
        shown = await until(pilot, "People: 1 of 2 are in this workspace")
        assert "Zed Zeller (zed) not here: words in the description" in shown
        await press(pilot, "escape")
        assert content(world.database) == before
        await look_into(pilot, "board.json")
        await until(pilot, "People: 1 of 2")
        await pilot.press("ctrl+s")
        await until(pilot, "Imported “Website”")
    project = world.row("project", name="Website")["id"]
    members = world.rows("SELECT user_id FROM member WHERE project_id = :p", p=project)
    assert {row["user_id"] for row in members} == {world.maya.user_id}, "Bob wrote a comment, and has no card"


async def test_what_is_wrong_in_a_file_is_said_with_its_place_and_the_form_stays(world: World) -> None:
    Path("tasks.csv").write_text('Job,Status\n"Paint,lost\n')
    Path("board.json").write_text(json.dumps(trello(members={})))
    async with on_stage(world, ProjectsScreen) as pilot:
        before = content(world.database)
        await look_into(pilot, "tasks.csv")
        await until(pilot, "is opened in a cell and never closed")
        await press(pilot, *["backspace"] * 9, Text("board.json"), "ctrl+s")
        await until(pilot, "members: It should be a list")
        assert "Import a file" in seen(pilot)
        assert content(world.database) == before


async def test_an_import_is_stopped_with_esc_and_leaves_no_trace(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The import waits half-way until esc was pressed: the screen answers while it goes on."""
    rows = "".join(f"Task {number}\n" for number in range(1_000))
    Path("many.csv").write_text(f"title\n{rows}")
    pressed = threading.Event()
    step = Progress.step

    def waiting(self: Progress, done: int, total: int) -> None:
        if done == 500:
            assert pressed.wait(PATIENCE)
        step(self, done, total)

    monkeypatch.setattr(Progress, "step", waiting)
    async with on_stage(world, ProjectsScreen, size=(80, 24)) as pilot:
        before = content(world.database)
        await look_into(pilot, "many.csv")
        await until(pilot, "1000 tasks")
        await pilot.press("ctrl+s")
        await until(pilot, "400 of 2,002")
        await pilot.press("escape")
        await until(pilot, "Stopping")
        pressed.set()
        await until(pilot, "Stopped. Nothing of it was kept.")
        assert isinstance(pilot.app.screen, ImportScreen), "it can be tried again"
    sweep(world.database)  # which the program does too, as far as it comes before it ends
    assert content(world.database) == before


async def test_a_command_that_is_refused_at_last_is_told_and_the_bar_goes(world: World) -> None:
    from core.import_export.document import PersonEntry, ProjectDocument

    zed = PersonEntry(login="zed", role=ProjectRole.VIEWER)
    document = ProjectDocument(name="Any", people=(zed,))
    async with on_stage(world, ProjectsScreen) as pilot:
        await pilot.app.push_screen(ProgressDialog("Importing", ImportProject(document=document)))
        await until(pilot, "This workspace does not have: person “zed”")
        assert isinstance(pilot.app.screen, ProjectsScreen)


async def test_in_a_browser_an_export_is_handed_to_it_and_no_file_of_the_server_is_touched(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    handed: dict[str, str] = {}
    monkeypatch.setattr(
        PodiumApp,
        "deliver_text",
        lambda _, text, *, save_filename: handed.update({save_filename: text.getvalue()}),
    )
    async with on_stage(world, ProjectsScreen) as pilot:
        app = pilot.app
        assert isinstance(app, PodiumApp)
        app.via = "browser"
        await run_key(pilot, "projects.export")
        assert "File" not in words(pilot)
        await press(pilot, "ctrl+s")
        await until(pilot, "Your browser saves spring-launch.json")
        await run_key(pilot, "everywhere.import")
        await until(pilot, "Nothing can be imported in a browser")
    assert json.loads(handed["spring-launch.json"])["name"] == "Spring launch"
    assert list(Path.cwd().glob("*.json")) == []


async def test_where_files_are_off_an_export_is_copied_and_nothing_is_read_or_written(world: World) -> None:
    Path("notes.csv").write_text("title\nsalary list\n")
    async with on_stage(world, ProjectsScreen) as pilot:
        app = pilot.app
        assert isinstance(app, PodiumApp)
        app.files = False
        await run_key(pilot, "projects.export")
        assert "File" not in words(pilot)
        await press(pilot, "ctrl+s")
        await until(pilot, "Copied. No file can be written here.")
        assert json.loads(app.clipboard)["name"] == "Spring launch"
        await run_key(pilot, "everywhere.import")
        await until(pilot, "Nothing can be imported here")
        for number in range(40):
            world.task("x" * 200, description=f"{number} " * 700)
        await run_key(pilot, "projects.export")
        await press(pilot, "ctrl+s")
        await until(pilot, "too long for a clipboard")
    assert [path.name for path in Path.cwd().iterdir() if path.suffix in (".csv", ".json")] == ["notes.csv"]


async def test_a_guest_is_told_who_may_import(world: World) -> None:
    async with on_stage(world, ProjectsScreen, as_=world.bob) as pilot:
        await run_key(pilot, "everywhere.import")
        assert "can create projects" in seen(pilot)
