"""The first start: a page that makes the workspace, or leaves no trace."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from textual import events
from textual.message import Message
from textual.pilot import Pilot
from textual.widgets import Input

from core.sign_in.local import has_workspace, os_login
from core.storage.sqlite.database import SqliteDatabase
from tests.support.app_driver import Text, press, seen, settled
from tui.dialogs.fields.inputs import LineControl
from tui.dialogs.form import FormDialog
from tui.screens.shell.first_run import FirstRun, NewWorkspace


async def fill(pilot: Pilot[NewWorkspace], *texts: str) -> None:
    """Type each text into the next field."""
    for text in texts:
        await press(pilot, Text(text), "tab")


def lines_of(pilot: Pilot[NewWorkspace]) -> str:
    """The text of the page without its frame, in one line."""
    return " ".join(seen(pilot).replace("│", " ").split())


async def test_the_page_makes_the_workspace_and_hands_over_the_application(tmp_path: Path) -> None:
    path = tmp_path / "data" / "podium.db"
    app = FirstRun(path, {"synchronous": "FULL"})
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        assert "Welcome to Podium" in seen(pilot)
        assert "Just looking?" in seen(pilot)
        assert "E-mail" not in seen(pilot)
        await press(pilot, Text("Studio North"), "enter", Text("Maya van Dijk"), "enter")
        await settled(pilot)
    assert app.return_value is not None
    engine = app.return_value.engine
    assert app.return_value.login == os_login()
    assert engine.database.read(lambda tx: tx.tuples("SELECT login, first_name, last_name FROM app_user")) == [
        (os_login(), "Maya", "van Dijk")
    ]
    assert has_workspace(engine.database)
    email = engine.database.read(lambda tx: tx.query("SELECT email FROM app_user")[0]["email"])
    assert email.endswith("@localhost.localdomain")
    assert path.stat().st_mode & 0o777 == 0o600
    assert engine.database.read(lambda tx: tx.query("SELECT name FROM workspace")[0]["name"]) == "Studio North"
    engine.database.close()


@pytest.mark.parametrize("key", ["escape", "ctrl+q"])
async def test_leaving_makes_no_file(tmp_path: Path, key: str) -> None:
    app = FirstRun(tmp_path / "podium.db", {})
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, key)
    assert app.return_value is None
    assert list(tmp_path.iterdir()) == []


async def test_a_refused_field_says_so_in_place_and_leaves_no_file(tmp_path: Path) -> None:
    app = FirstRun(tmp_path / "podium.db", {})
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await fill(pilot, "Studio North", "Maya Okafor")
        await press(pilot, "enter", "tab")
        await fill(pilot, "", "maya")
        await press(pilot, "ctrl+s")
        await settled(pilot)
        assert "is not an address" in seen(pilot)
        assert isinstance(app.focused, Input)
        assert app.focused.value == "maya"
        assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("key", ["ctrl+s", "enter"])
async def test_all_faults_are_shown_at_once_each_under_its_field(tmp_path: Path, key: str) -> None:
    app = FirstRun(tmp_path / "podium.db", {})
    async with app.run_test(size=(80, 30)) as pilot:
        await settled(pilot)
        await press(pilot, "tab", "tab", "enter", "tab")
        await fill(pilot, "Ines!", "nowhere")
        app.screen.query(LineControl).last().focus()
        await press(pilot, key)
        await settled(pilot)
        rows = [line.strip(" │") for line in seen(pilot).splitlines()]
        for label, fault in (
            ("Workspace", "Enter a name for the workspace."),
            ("Your name", "Enter your first and last name."),
            ("Login", "Enter a login of 1 to 64 characters"),
            ("E-mail", "The e-mail is not an address."),
        ):
            at = next(number for number, row in enumerate(rows) if row.startswith(label))
            assert rows[at + 1].startswith(fault)
        assert app.focused is app.screen.query(LineControl).first()
        assert list(tmp_path.iterdir()) == []


async def test_a_login_that_cannot_be_one_opens_the_part_that_hides_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.screens.shell.first_run.os_login", lambda: "domain\\ines")
    app = FirstRun(tmp_path / "podium.db", {})
    async with app.run_test(size=(80, 30)) as pilot:
        await settled(pilot)
        await fill(pilot, "Studio North", "Ines Duarte")
        assert "Login  " not in seen(pilot)
        await press(pilot, "ctrl+s")
        await settled(pilot)
        assert "Enter a login of 1 to 64 characters" in lines_of(pilot)
        assert isinstance(app.focused, Input)
        assert app.focused.value == "domain\\ines"
        await press(pilot, Text("ines"), "ctrl+s")
        await settled(pilot)
    assert app.return_value is not None
    assert app.return_value.login == "ines"
    app.return_value.engine.database.close()


async def test_enter_goes_to_the_next_empty_line_and_creates_on_the_last_one(tmp_path: Path) -> None:
    app = FirstRun(tmp_path / "podium.db", {})
    async with app.run_test(size=(80, 30)) as pilot:
        await settled(pilot)
        await press(pilot, "tab", "tab", "right", "shift+tab", "shift+tab")
        lines = list(app.screen.query(LineControl))
        await press(pilot, Text("Studio North"), "enter")
        assert app.focused is lines[1]
        await press(pilot, Text("Ines Duarte"), "enter")
        assert app.focused is lines[3], "the login is filled in already"
        await press(pilot, "enter")
        await settled(pilot)
    assert app.return_value is not None
    app.return_value.engine.database.close()


@pytest.mark.parametrize("size", [(80, 24), (40, 12)])
async def test_the_note_has_the_whole_width_and_yields_in_a_low_terminal(tmp_path: Path, size: tuple[int, int]) -> None:
    app = FirstRun(tmp_path / "podium.db", {})
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        notes = [line for line in seen(pilot).splitlines() if "Plan projects in phases" in line]
        assert len(notes) == (1 if size[1] > 12 else 0)
        for note in notes:
            assert note.index("Plan") == note.index("│") + 3
        assert "Your studio, team or company" in seen(pilot)
        assert "First and last name" in seen(pilot)


async def test_an_empty_database_that_was_there_is_used_and_never_removed(tmp_path: Path) -> None:
    path = tmp_path / "podium.db"
    SqliteDatabase(path, create=True).close()
    app = FirstRun(path, {})
    async with app.run_test(size=(40, 12)) as pilot:
        await settled(pilot)
        await fill(pilot, "Studio North", "")
        await press(pilot, "ctrl+s")
        assert path.exists()
        await press(pilot, "escape", "escape")
    assert app.return_value is None
    assert path.exists()


class BusyFirstRun(FirstRun):
    """Has a key in its queue, and is busy until the form is drawn, as on a slow machine."""

    class Busy(Message):
        pass

    def on_mount(self) -> None:
        self.post_message(self.Busy())
        self.post_message(events.Key("S", "S"))

    async def on_busy_first_run_busy(self) -> None:
        while not (isinstance(self.screen, FormDialog) and self.screen.is_mounted):
            await asyncio.sleep(0.01)
        drawn = asyncio.Event()
        self.screen.call_after_refresh(drawn.set)
        await drawn.wait()


async def test_a_key_from_before_the_form_was_drawn_goes_into_its_first_field(tmp_path: Path) -> None:
    app = BusyFirstRun(tmp_path / "podium.db", {})
    async with app.run_test() as pilot:
        await pilot.press("t")
        assert app.screen.query(LineControl).first().value == "St"
