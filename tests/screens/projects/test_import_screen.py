"""Files brought in by the screens alone: the preview says what each part becomes, asks, and changes it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from core.actions.cards.cards import SetCardDueDate
from core.actions.projects.imports_into import ImportInto
from core.actions.workflow.gate_record import ListGateDecisions
from core.actions.workflow.gates import DecideGate
from core.actions.workflow.phases import EditPhase
from core.domain.gates import Decision
from core.domain.model import Gate, Status
from core.engine.unit_of_work import Actor
from core.import_export.files import read_document
from tests.support.app_driver import PodiumPilot, Text, canvas, comes, hides, on_stage, press, seen, shows
from tests.support.workspace import World, content
from tests.unit.import_export.test_import_files import trello
from tui.screens.canvas.screen import CanvasScreen
from tui.screens.people.members import MembersScreen
from tui.screens.projects.import_screen import ImportScreen
from tui.screens.projects.projects import ProjectsScreen

TABLE = """Frühjahr 2027;;;;;
Stand: 1.11.2026;;;;;

Aufgabe;Zuständig;Fällig;Kosten;Stand;Notiz
Plakat;Maya Okafor, Bob Lind;3.12.2026;1.200,00;in Mache;groß
Druck;Bob L.;24.12.2026;12.500;erledigt;
Versand;Zed Zeller;10.1.2027;300,00;in Mache;an alle
"""


async def look_into(pilot: PodiumPilot, path: Path, *, said: str = "Such as") -> None:
    """Open the preview of a file with the finder."""
    await press(pilot, "colon", Text("import a project"), "enter")
    assert await shows(pilot, "Import a file")
    await press(pilot, Text(str(path)), "ctrl+s")
    assert await shows(pilot, said), seen(pilot)


async def go_to(pilot: PodiumPilot, words: str) -> None:
    """Put the cursor on the line that begins with some words."""
    await press(pilot, "home")
    for _ in range(len(pilot.listing.lines)):
        if "".join(text for text, _ in pilot.line.cells[0]).startswith(words):
            return
        await press(pilot, "down")
    raise AssertionError(f"No line begins with “{words}”.")


async def change(pilot: PodiumPilot, line: str, *keys: str) -> None:
    """Press enter on a line, and then some keys in the dialog."""
    await go_to(pilot, line)
    await press(pilot, "enter", *keys)


@asynccontextmanager
async def preview(
    world: World, path: Path, text: str | bytes, size: tuple[int, int] = (120, 50), **more: Any
) -> AsyncIterator[PodiumPilot]:
    """The preview of a file with a text, opened on Projects."""
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    async with on_stage(world, ProjectsScreen, size=size) as pilot:
        await look_into(pilot, path, **more)
        yield pilot


async def test_a_european_table_comes_in_by_the_screens_alone(world: World, tmp_path: Path) -> None:
    async with preview(world, tmp_path / "plan.csv", TABLE.encode("cp1252")) as pilot:
        shown = seen(pilot)
        for words in (
            "Import · plan.csv · a table",
            "A project with 1 phase, 1 activity and 2 tasks",
            "2 lines, because they stand before the heads",
            "People: 2 of 4 are in this workspace",
            "not here: words in the description",
            "Kosten: 1.200,00 read as 1200.",
            "Read as Windows-1252",
        ):
            assert words in shown
        assert "--" not in shown
        await change(pilot, "in Mache", Text("in prog"), "enter")
        assert await shows(pilot, "In Progress")
        assert "status of 2 cards" in seen(pilot)
        await change(pilot, "Bob L.", Text("bob"), "enter")
        assert await shows(pilot, "People: 3 of 4")
        await change(pilot, "Notiz", Text("words at"), "enter")
        assert await shows(pilot, "end of the description")
        assert len(world.rows("SELECT 1 FROM project")) == 1, "nothing is made yet"
        await press(pilot, "ctrl+s")
        assert await shows(pilot, "Imported “plan” with 3 cards. Left out: 2 lines. u to undo.")
        assert isinstance(pilot.app.screen, CanvasScreen)
        assert "Plakat" in seen(pilot)
        await press(pilot, "g", "t")
        assert await shows(pilot, "due in it"), "the bar of a phase without a date is that of its cards"
    project = world.row("project", name="plan")["id"]
    rows = world.rows("SELECT * FROM item WHERE project_id = :id ORDER BY number", id=project)
    assert [(row["title"], row["status"], row["due"], row["kind"]) for row in rows] == [
        ("Plakat", Status.IN_PROGRESS, "2026-12-03", "ACTIVITY"),
        ("Druck", Status.COMPLETED, "2026-12-24", "TASK"),
        ("Versand", Status.IN_PROGRESS, "2027-01-10", "TASK"),
    ]
    assert [row["assignee_id"] for row in rows] == [None, world.bob.user_id, None]
    assert "Zed Zeller" in rows[2]["description"]
    assert "Notiz: an alle" in rows[2]["description"]
    values = world.rows("SELECT value FROM item_field WHERE project_id = :id", id=project)
    assert sorted(row["value"] for row in values) == ["1200", "12500", "300"]


async def test_what_has_two_meanings_is_answered_before_the_import(world: World, tmp_path: Path) -> None:
    table = "Title,Due,Budget\nA,03/04/2027,12.500\nB,05/06/2027,\n"
    async with preview(world, tmp_path / "plan.csv", table) as pilot:
        assert "Answer this first" in seen(pilot)
        await press(pilot, "end", "ctrl+s")
        assert await shows(pilot, "Answer this first: press enter.")
        assert "03/04/2027" in "".join(text for text, _ in pilot.line.cells[2]), "the cursor is on it"
        await press(pilot, "enter", "down", "enter")
        assert await shows(pilot, "the month is first")
        await change(pilot, "Amounts", "enter")
        assert await shows(pilot, "a comma before decimals")
        assert await hides(pilot, "Answer this first")
        await change(pilot, "Amounts", "down", "enter")
        assert await shows(pilot, "a point before decimals")
        await press(pilot, "u")
        assert await shows(pilot, "a comma before decimals")
        await press(pilot, "ctrl+s")
        assert await shows(pilot, "Imported “plan” with 2 cards. Nothing was left out.")
    project = world.row("project", name="plan")["id"]
    due = world.rows("SELECT due FROM item WHERE project_id = :id ORDER BY number", id=project)
    assert [row["due"] for row in due] == ["2027-03-04", "2027-05-06"]
    assert world.row("item_field", project_id=project)["value"] == "12500"


async def test_the_title_is_chosen_where_no_column_looks_like_one(world: World, tmp_path: Path) -> None:
    async with preview(world, tmp_path / "plan.csv", "a,b\n1,Paint\n2,Print\n") as pilot:
        await press(pilot, "enter")
        assert await shows(pilot, "Which column is the title?")
        await press(pilot, "down", "enter")
        assert await hides(pilot, "Answer this first")
        await change(pilot, "Project", "enter", *["backspace"] * 7, Text("Posters"), "enter")
        assert await shows(pilot, "“Posters”, new")
        await press(pilot, "ctrl+s")
        assert await shows(pilot, "Imported “Posters” with 2 cards")
    project = world.row("project", name="Posters")["id"]
    titles = world.rows("SELECT title FROM item WHERE project_id = :id ORDER BY number", id=project)
    assert [row["title"] for row in titles] == ["Paint", "Print"]


async def test_a_refused_change_leaves_everything_as_it_was(world: World, tmp_path: Path) -> None:
    async with preview(world, tmp_path / "plan.csv", "Title,Size\nA,large\n") as pilot:
        await change(pilot, "Size", Text("as a number"), "enter")
        assert await shows(pilot, "“Size” cannot be numbers")
        assert "custom field (text)" in seen(pilot)
        await press(pilot, "escape", "escape")
        assert isinstance(pilot.app.screen, ProjectsScreen), "nothing was changed, so nothing is asked"


async def test_a_mapping_is_kept_as_a_file_and_used_again(world: World, tmp_path: Path) -> None:
    path = tmp_path / "plan.csv"
    async with preview(world, path, "Title,Status\nA,in Mache\nB,done\n") as pilot:
        await change(pilot, "in Mache", Text("in prog"), "enter")
        assert await shows(pilot, "In Progress")
        await press(pilot, "P", "enter", "ctrl+s")
        assert await shows(pilot, "Kept in")
        assert json.loads(path.with_suffix(".mapping.json").read_text())["statuses"] == ["in Mache=in progress"]
        await press(pilot, "escape")
        assert await shows(pilot, "Give up the import?")
        await press(pilot, "y")
        assert await hides(pilot, "Such as")
        await look_into(pilot, path)
        assert "In Progress" not in seen(pilot)
        await press(pilot, "P", "down", "enter", "ctrl+s")
        assert await shows(pilot, "In Progress")
        await press(pilot, "u")
        assert await hides(pilot, "In Progress")


async def test_u_takes_a_change_of_the_preview_back_and_tab_goes_through_the_sections(
    world: World, tmp_path: Path
) -> None:
    async with preview(world, tmp_path / "plan.csv", TABLE) as pilot:
        sections = []
        for _ in range(8):
            sections.append(pilot.line.section.partition(":")[0].partition(" with")[0])
            await press(pilot, "tab")
        assert sections == ["A project", "Left out", "Columns", "Words", "People", "Cards", "Notes", "A project"]
        await change(pilot, "Kosten", Text("nothing"), "enter")
        assert await shows(pilot, "3 cells of “Kosten”, because you skip the column.")
        await press(pilot, "u")
        assert await hides(pilot, "you skip")
        await change(pilot, "File", Text("1x"), "ctrl+s")
        assert await shows(pilot, "Write how many lines stand before the heads")
        await press(pilot, "backspace", "ctrl+s")
        assert await shows(pilot, "a table, without 1 line")
        await press(pilot, "u")
        await change(pilot, "Work")
        assert await shows(pilot, "Versand")


@pytest.mark.parametrize(
    "size",
    [(80, 24), (120, 40), (200, 60), (40, 12)],
    ids=str,
)
async def test_a_board_of_another_program_has_the_same_preview_at_each_size(
    world: World, tmp_path: Path, size: tuple[int, int]
) -> None:
    board = trello()
    board["cards"][0]["name"] = "[red]漢字[/] \x1b[31m" + "long " * 30
    async with preview(world, tmp_path / "board.json", json.dumps(board), size, said="Import · board") as pilot:
        assert "Columns" not in seen(pilot)
        await press(pilot, "P")
        assert await comes(pilot, lambda: "comes in as it is" in " ".join(seen(pilot).split()))
        await press(pilot, "end")
        assert isinstance(pilot.app.screen, ImportScreen)
        assert all(len(line) <= size[0] for line in seen(pilot).splitlines())


@pytest.mark.parametrize(("columns", "rows"), [(200, 5), (0, 5_000)])
async def test_two_hundred_columns_and_five_thousand_unknown_words_are_a_line_each(
    world: World, tmp_path: Path, columns: int, rows: int
) -> None:
    heads = "".join(f",Head {at} 漢字" for at in range(columns))
    lines = "\n".join(f"Task {at},word {at}{',x' * columns}" for at in range(rows))
    async with preview(world, tmp_path / "wide.csv", f"Title,Status{heads}\n{lines}\n", size=(80, 24)) as pilot:
        assert f"Columns: {columns + 2}" in seen(pilot)
        await change(pilot, "Status", Text("status"), "enter")
        assert await comes(pilot, lambda: len(pilot.listing.lines) > columns + rows)
        await press(pilot, "slash", Text(f"word {rows - 1}"), "tab")
        assert await shows(pilot, "words in the description")


LATER = """Aufgabe;Zuständig;Fällig;Kosten;Stand;Notiz
Plakat;Maya Okafor, Bob Lind;4.12.2026;1.300,00;in Mache;groß
Druck;Bob Lind;31.12.2026;12.500;erledigt;
Lager;;11.1.2027;99,50;offen;
"""


async def test_a_week_later_the_changed_table_goes_into_its_project(world: World, tmp_path: Path) -> None:
    async with preview(world, tmp_path / "plan.csv", TABLE) as pilot:
        await change(pilot, "in Mache", Text("in prog"), "enter")
        assert await shows(pilot, "In Progress")
        await press(pilot, "P", "enter", "ctrl+s")
        assert await shows(pilot, "Kept in")
        await press(pilot, "ctrl+s")
        assert await shows(pilot, "Imported “plan” with 3 cards.")
    project = world.row("project", name="plan")["id"]
    druck = world.row("item", project_id=project, title="Druck")
    world.do(SetCardDueDate(card_id=druck["id"], due=date(2026, 12, 28)))
    before = content(world.database)
    (tmp_path / "plan.csv").write_text(LATER)
    async with on_stage(world, lambda: CanvasScreen(project), size=(120, 50)) as pilot:
        await press(pilot, "colon", Text("import a project"), "enter")
        assert await shows(pilot, "Import a file")
        await press(pilot, Text(str(tmp_path / "plan.csv")), "ctrl+s")
        assert await shows(pilot, "“plan” has 2 cards of this file already.")
        await change(pilot, "Project", Text("plan"), "enter")
        assert await shows(pilot, "Into the project: 1 new card and ")
        await press(pilot, "P", "down", "enter", "ctrl+s")
        assert await shows(pilot, "In Progress")
        shown = " ".join(seen(pilot).split())
        for words in (
            "New cards: 1 Work 1 card Lager",
            "due date: Thu 3 Dec 2026 → Fri 4 Dec 2026",
            "Kosten: 1200 → 1300",
            "Changed here and in the file: 1",
            "due date: Mon 28 Dec 2026 or Thu 31 Dec 2026",
            "Not in the file any more, and left as they are: 1 card PLA-3 Versand stays as it is Columns",
        ):
            assert words in shown, (words, shown)
        await press(pilot, "ctrl+s")
        assert await shows(pilot, "Answer this first: press enter.")
        assert content(world.database) == before
        await press(pilot, "enter")
        assert await shows(pilot, "Changed here and in the file: which stay?")
        both = "PLA-2 Druck, due date: Mon 28 Dec 2026 here, Thu 31 Dec 2026 there"
        assert both in " ".join(seen(pilot).replace("│", " ").split())
        await press(pilot, Text("come in"), "enter")
        assert await shows(pilot, "those of the file come in")
        assert seen(pilot).count("due date: Mon 28 Dec 2026 → Thu 31 Dec 2026") == 1
        await press(pilot, "u", "home", "enter", Text("stay"), "enter")
        assert await shows(pilot, "those here stay")
        assert "Changed here and in the file: 1" in seen(pilot)
        assert "due date: Mon 28 Dec 2026 stays" in seen(pilot)
        await change(pilot, "PLA-2")
        assert await shows(pilot, "in the file: Thu 31 Dec 2026"), "enter shows both values"
        await press(pilot, "escape", "ctrl+s")
        assert await shows(pilot, "Imported into “plan”: 1 new card and ")
        assert "1 card is not in the file any more. Nothing was left out." in " ".join(seen(pilot).split())
        assert isinstance(pilot.app.screen, CanvasScreen)
        assert "Lager" in seen(pilot)
        due = world.rows("SELECT title, due FROM item WHERE project_id = :id ORDER BY number", id=project)
        assert [tuple(row.values()) for row in due] == [
            ("Plakat", "2026-12-04"),
            ("Druck", "2026-12-28"),
            ("Versand", "2027-01-10"),
            ("Lager", "2027-01-11"),
        ]
        await press(pilot, "u")
        assert await hides(pilot, "Lager")
        assert world.row("item", project_id=project, title="Plakat")["due"] == "2026-12-03"
        await press(pilot, "colon", Text("import cards"), "enter")
        assert await shows(pilot, "Import a file into “plan”")


@asynccontextmanager
async def preview_here(world: World, path: Path, text: str, as_: Actor | None = None) -> AsyncIterator[PodiumPilot]:
    """The preview of a file that goes into the project, opened on its Canvas."""
    path.write_text(text)
    async with on_stage(world, canvas(world), as_, size=(120, 50)) as pilot:
        await press(pilot, "colon", Text("import cards"), "enter")
        assert await shows(pilot, "Import a file into “Spring launch”")
        await press(pilot, Text(str(path)), "ctrl+s")
        assert await shows(pilot, "Into the project: ")
        yield pilot


async def test_the_reason_for_the_end_of_an_approval_is_asked_once(world: World, tmp_path: Path) -> None:
    world.complete(world.task("Read").id)
    world.do(EditPhase(phase_id=world.discover.id, gate=Gate.REVIEW, reason="It matters", relock=True))
    world.do(DecideGate(phase_id=world.discover.id, decision=Decision.PASS))
    async with preview_here(world, tmp_path / "more.csv", "Title,Phase\nMore,Discover\nEven more,Discover\n") as pilot:
        assert "“Build” locks again." in seen(pilot)
        await press(pilot, "ctrl+s")
        assert await shows(pilot, "Why?")
        await press(pilot, "escape")
        assert await hides(pilot, "Why?")
        assert world.row("phase", id=world.discover.id)["gate_state"] == "PASSED"
        await press(pilot, "ctrl+s")
        assert await shows(pilot, "Why?")
        await press(pilot, Text("The client wants more"), "enter")
        assert await shows(pilot, "Imported into “Spring launch”: 2 new cards.")
        newest = world.ask(ListGateDecisions(project_id=world.project.id))[-1].record
        assert (newest.decision, newest.reason) == (Decision.LAPSE, "The client wants more")
        await press(pilot, "u")
        assert await hides(pilot, "Even more")
        assert world.row("phase", id=world.discover.id)["gate_state"] == "PASSED"


async def test_lines_without_a_permission_are_left_out_and_a_change_meanwhile_is_shown_first(
    world: World, tmp_path: Path
) -> None:
    text = "Title,Phase\nShip,Harbour\nRead,Discover\n"
    async with preview_here(world, tmp_path / "more.csv", text, as_=world.bob) as pilot:
        assert "“Ship” (" in seen(pilot)
        assert "because you cannot" in seen(pilot)
        world.do(EditPhase(phase_id=world.discover.id, name="Research"))
        await press(pilot, "ctrl+s")
        assert await shows(pilot, "The project has changed since you previewed the import.")
        assert await shows(pilot, "Into the project: nothing new")
        world.do(EditPhase(phase_id=world.discover.id, name="Discover"))
        await press(pilot, "R")
        assert await shows(pilot, "Into the project: 1 new card")
        await press(pilot, "ctrl+s")
        assert await shows(pilot, "1 new card. Left out: 1 line that you may not bring in.")
    assert [row["title"] for row in world.rows("SELECT title FROM item")] == ["Read"]


async def test_a_word_stays_in_its_place_when_its_meaning_is_said(world: World, tmp_path: Path) -> None:
    table = "Title,Status\nA,livré\nB,bloqué\nC,bloqué\nD,done\nE,done\nF,done\n"
    async with preview(world, tmp_path / "plan.csv", table) as pilot:
        for word, meaning in (("bloqué", "In Progress"), ("livré", "Completed")):
            await change(pilot, word, Text(meaning), "enter")
            assert await comes(pilot, lambda meaning=meaning: meaning in str(pilot.line.cells[1]))
            words = [line.cells[0][0][0] for line in pilot.listing.lines if line.section == "Words"]
            assert words == ["bloqué", "livré", "done"]


async def test_what_was_said_is_used_again_at_the_next_import_of_a_table_with_its_heads(
    world: World, tmp_path: Path
) -> None:
    path, again = tmp_path / "plan.csv", "those of the last import: enter forgets"
    async with preview(world, path, TABLE) as pilot:
        assert again not in seen(pilot)
        await change(pilot, "in Mache", Text("in prog"), "enter")
        assert await shows(pilot, "In Progress")
        await change(pilot, "Bob L.", Text("bob"), "enter")
        assert await shows(pilot, "People: 3 of 4")
        await press(pilot, "ctrl+s")
        assert await shows(pilot, "Imported “plan” with 3 cards.")
        await press(pilot, "colon", Text("import cards"), "enter")
        assert await shows(pilot, "Import a file into “plan”")
        await press(pilot, Text(str(path)), "ctrl+s")
        assert await shows(pilot, again), seen(pilot)
        assert "Into the project: nothing new" in seen(pilot)
        await change(pilot, "Your answers")
        assert await hides(pilot, again)
        assert await shows(pilot, "Changes: ")
        await press(pilot, "u")
        assert await shows(pilot, again), seen(pilot)
        assert await shows(pilot, "Into the project: nothing new")
        await press(pilot, "escape")
        path.write_text(TABLE.replace("Notiz", "Vermerk"))
        await press(pilot, "colon", Text("import cards"), "enter", Text(str(path)), "ctrl+s")
        assert await shows(pilot, "Import · plan.csv")
        assert again not in seen(pilot), "its heads are others"


async def test_each_change_of_a_file_is_taken_or_left_by_itself(world: World, tmp_path: Path) -> None:
    path, titles = tmp_path / "plan.csv", ("Paint", "Print", "Ship")
    first = read_document("Title,Due\nPaint,2026-03-02\nPrint,2026-03-03\nShip,2026-03-04\n", name="plan").document
    world.do(ImportInto(project_id=world.project.id, document=first))
    cards = {title: world.row("item", title=title)["id"] for title in titles}
    for title in titles[:2]:
        world.do(SetCardDueDate(card_id=cards[title], due=date(2026, 5, 5)))
    text = "Title,Due,Link\nPaint,2026-06-01,\nPrint,2026-06-02,\nShip,2026-06-03,https://x.example\n"
    async with preview_here(world, path, text) as pilot:
        assert "Into the project: 2 changes" in seen(pilot)
        assert "take or leave" not in seen(pilot), "it is offered on a line that has a change"
        await press(pilot, "space")
        assert await shows(pilot, "Space is for changes of cards")
        await press(pilot, "enter", Text("one by one"), "enter")
        assert await comes(pilot, lambda: "Paint" in str(pilot.line.cells[0])), "the first of them"
        assert await shows(pilot, "take or leave")
        await press(pilot, "space", "down", "space", "space")
        assert await shows(pilot, "due date: Tue 5 May 2026 → Mon 1 Jun 2026")
        assert await shows(pilot, "due date: Tue 5 May 2026 stays")
        assert "one by one: space on each below" in seen(pilot)
        assert "Into the project: 3 changes" in seen(pilot)
        await change(pilot, f"{world.project.key}-3", "escape", "space")
        assert await shows(pilot, "Into the project: 2 changes")
        await press(pilot, "u")
        assert await shows(pilot, "Into the project: 3 changes")
        await press(pilot, "space", "ctrl+s")
        assert await shows(pilot, "Imported into “Spring launch”: 2 changes.")
    due = [(row["title"], row["due"], row["link"]) for row in world.rows("SELECT * FROM item ORDER BY number")]
    assert due == [
        ("Paint", "2026-06-01", ""),
        ("Print", "2026-05-05", ""),
        ("Ship", "2026-03-04", "https://x.example"),
    ]
    async with preview_here(world, path, text) as pilot:
        assert "Into the project: nothing new" in seen(pilot), "what was left stays left"


@pytest.mark.parametrize("first", [MembersScreen, CanvasScreen])
async def test_the_finder_offers_it_on_every_screen_by_the_words_of_people(
    world: World, tmp_path: Path, first: type[Any]
) -> None:
    async with on_stage(world, lambda: first(world.project.id)) as pilot:
        for word in ("csv", "excel", "trello", "jira", "spreadsheet"):
            await press(pilot, "colon", Text(word))
            assert await shows(pilot, "Import a project from a file")
            await press(pilot, "escape")
        (tmp_path / "plan.csv").write_text("Title\nA\n")
        await look_into(pilot, tmp_path / "plan.csv")
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, first), "esc leads back to where it was asked for"


async def test_n_on_projects_offers_a_file(world: World, tmp_path: Path) -> None:
    async with on_stage(world, ProjectsScreen) as pilot:
        await press(pilot, "n")
        assert await shows(pilot, "Start the new project from")
        await press(pilot, Text("a file"), "enter")
        assert await shows(pilot, "Import a file")
        await press(pilot, Text("/no/such/file"), "ctrl+s")
        assert await shows(pilot, "cannot be read")
        await press(pilot, "escape")
        assert await hides(pilot, "Import a file"), "only a path was typed, so nothing is asked"
