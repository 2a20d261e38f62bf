"""The first start: a page that makes the workspace, or leaves no trace."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from textual import events
from textual.message import Message
from textual.pilot import Pilot

from core.engine.engine import Engine
from core.engine.sign_in import has_workspace
from core.storage.sqlite import SqliteDatabase
from tests.support.app_driver import press, seen, settled, write
from tui.dialogs.fields.inputs import LineControl
from tui.dialogs.form import FormDialog
from tui.screens.shell.first_run import FirstRun


async def fill(pilot: Pilot[Engine], *texts: str) -> None:
    """Type each text into the next field."""
    for text in texts:
        await write(pilot, text)
        await press(pilot, "tab")


async def test_the_page_makes_the_workspace_and_hands_over_the_application(tmp_path: Path) -> None:
    path = tmp_path / "data" / "podium.db"
    app = FirstRun(path, {"synchronous": "FULL"})
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        assert "Welcome to Podium" in seen(pilot)
        assert "Just looking?" in seen(pilot)
        assert "or nothing" in seen(pilot)
        await fill(pilot, "Studio North", "Maya", "Okafor", "")
        await press(pilot, "ctrl+s")
        await settled(pilot)
    engine = app.return_value
    assert engine is not None
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
        await fill(pilot, "Studio North", "Maya", "Okafor", "maya")
        await press(pilot, "ctrl+s")
        await settled(pilot)
        assert "is not an address" in seen(pilot)
        assert app.focused.value == "maya"
        assert list(tmp_path.iterdir()) == []


async def test_an_empty_database_that_was_there_is_used_and_never_removed(tmp_path: Path) -> None:
    path = tmp_path / "podium.db"
    SqliteDatabase(path, create=True).close()
    app = FirstRun(path, {})
    async with app.run_test(size=(40, 12)) as pilot:
        await settled(pilot)
        await fill(pilot, "Studio North", "Maya", "Okafor", "maya")
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
