"""The input of a form is offered again after the form closed without the person, and only to them."""

from __future__ import annotations

import json
import os
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from core.actions.cards.tasks import EditTask
from core.domain.model import Item
from core.engine.unit_of_work import Actor
from core.errors import Unauthenticated
from tests.support.app_driver import (
    PodiumPilot,
    Text,
    canvas,
    comes,
    hides,
    on_stage,
    press,
    seen,
    settled,
    shows,
    write,
)
from tests.support.workspace import World
from tui.app import PodiumApp
from tui.dialogs import drafts as draft_files
from tui.dialogs.conflict import ConflictDialog
from tui.dialogs.drafts import DraftFiles
from tui.dialogs.form import FormDialog
from tui.screens.canvas.screen import CanvasScreen
from tui.screens.framework.screen import PodiumScreen
from tui.screens.phases.phase import PhaseScreen
from tui.start import _drafts

RESTORED = "Restored what you typed today "


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the drafts."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path / "podium" / "drafts"


@asynccontextmanager
async def terminal(
    world: World, first: Callable[[], PodiumScreen], as_: Actor | None = None, size: tuple[int, int] = (120, 40)
) -> AsyncIterator[PodiumPilot]:
    """Podium in a terminal that is lost at the end of the block, whatever is open then."""
    drafts = DraftFiles(str(world.database.path), "workspace", (as_ or world.maya).user_id)
    async with on_stage(world, first, as_, size) as pilot:
        pilot.app.drafts = drafts
        yield pilot
    drafts.close()


def kept(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() else []


def texts(folder: Path) -> Iterator[dict[str, str]]:
    """The fields that are kept of each form; nothing of a file that is being written."""
    for path in folder.glob("*.json"):
        yield json.loads(path.read_text())["fields"]


async def open_form(pilot: PodiumPilot, key: str) -> None:
    await press(pilot, key)
    assert await comes(pilot, lambda: isinstance(pilot.app.screen, FormDialog) and pilot.app.focused is not None)
    await settled(pilot)


async def test_a_new_card_that_was_being_typed_is_offered_again_and_can_be_saved(world: World, folder: Path) -> None:
    async with terminal(world, canvas(world)) as pilot:
        await open_form(pilot, "n")
        await write(pilot, "Call the venue")
    (path,) = kept(folder)
    assert (path.stat().st_mode & 0o777, folder.stat().st_mode & 0o777) == (0o600, 0o700)
    async with terminal(world, canvas(world)) as pilot:
        await open_form(pilot, "n")
        assert RESTORED in seen(pilot)
        assert "ctrl+r discards it." in seen(pilot)
        await write(pilot, " today")
        assert RESTORED not in seen(pilot)
        await press(pilot, "enter")
        assert await comes(pilot, lambda: isinstance(pilot.app.screen, CanvasScreen))
        assert world.rows("SELECT title, due IS NULL AS undated FROM item") == [
            {"title": "Call the venue", "undated": 0}
        ]
    assert kept(folder) == []


async def test_a_draft_is_written_while_the_person_types_and_not_only_at_the_end(world: World, folder: Path) -> None:
    async with terminal(world, canvas(world)) as pilot:
        await open_form(pilot, "n")
        await write(pilot, "Call the venue")
        assert await comes(pilot, lambda: [*texts(folder)] == [{"title": "Call the venue"}])
        await press(pilot, "ctrl+u")
        assert await comes(pilot, lambda: kept(folder) == [])


async def test_ctrl_r_shows_the_form_as_it_is_without_the_draft(world: World, folder: Path) -> None:
    card = world.task("Write the brief")
    async with terminal(world, canvas(world, card.id)) as pilot:
        await open_form(pilot, "e")
        await press(pilot, "ctrl+u", Text("Mine"))
    async with terminal(world, canvas(world, card.id)) as pilot:
        await open_form(pilot, "e")
        assert RESTORED in seen(pilot)
        assert "Mine" in seen(pilot)
        await press(pilot, "ctrl+r")
        assert await hides(pilot, RESTORED)
        assert "Mine" not in seen(pilot)
        assert await comes(pilot, lambda: kept(folder) == [])
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, CanvasScreen)


async def test_a_form_that_was_cancelled_leaves_no_draft(world: World, folder: Path) -> None:
    async with terminal(world, canvas(world)) as pilot:
        await open_form(pilot, "n")
        await write(pilot, "Call the venue")
        assert await comes(pilot, lambda: kept(folder))
        await press(pilot, "escape", "escape")
        assert isinstance(pilot.app.screen, CanvasScreen)
    assert kept(folder) == []


async def test_another_person_on_the_same_account_is_offered_nothing_and_loses_nothing(
    world: World, folder: Path
) -> None:
    async with terminal(world, canvas(world)) as pilot:
        await open_form(pilot, "n")
        await write(pilot, "Call the venue")
    async with terminal(world, canvas(world), world.bob) as pilot:
        await open_form(pilot, "n")
        assert "Call the venue" not in seen(pilot)
        assert RESTORED not in seen(pilot)
        await press(pilot, Text("Bobs"), "escape", "escape")
    async with terminal(world, canvas(world)) as pilot:
        await open_form(pilot, "n")
        assert "Call the venue" in seen(pilot)


async def test_a_draft_belongs_to_the_form_of_one_record(world: World) -> None:
    one, other = world.task("Write the brief"), world.task("Call the venue")
    async with terminal(world, canvas(world, one.id)) as pilot:
        await open_form(pilot, "C")
        await write(pilot, "About the brief")
    async with terminal(world, canvas(world, other.id)) as pilot:
        await open_form(pilot, "C")
        assert "About the brief" not in seen(pilot)
    async with terminal(world, canvas(world, one.id)) as pilot:
        await open_form(pilot, "e")
        assert "About the brief" not in seen(pilot)
        await press(pilot, "escape")
        await open_form(pilot, "C")
        assert "About the brief" in seen(pilot)


async def test_choices_and_dates_come_back_too(world: World) -> None:
    def first() -> PhaseScreen:
        return PhaseScreen(world.project.id, world.build.id)

    async with terminal(world, first) as pilot:
        await open_form(pilot, "e")
        await press(pilot, "tab", Text("3 dec 2026"), "tab", "right", "tab", Text("Two\n"), "enter", Text("lines"))
    async with terminal(world, first) as pilot:
        await open_form(pilot, "e")
        assert "Thu 3 Dec 2026" in seen(pilot)
        await press(pilot, "ctrl+s")
        assert await comes(pilot, lambda: isinstance(pilot.app.screen, PhaseScreen))
        row = world.row("phase", id=world.build.id)
        assert (row["due"], row["gate"]) == ("2026-12-03", "REVIEW")
        assert "lines" in row["objectives"]


async def conflicting(world: World, card: Item) -> None:
    """Maya's terminal is lost while she renames a card; then Bob renames it."""
    async with terminal(world, canvas(world, card.id)) as pilot:
        await open_form(pilot, "e")
        await press(pilot, "ctrl+u", Text("Mine"))
    world.do(EditTask(task_id=card.id, title="Theirs", description="And words"), world.bob)


async def test_a_record_that_changed_since_is_named_at_once_and_the_conflict_is_found_when_saving(world: World) -> None:
    card = world.task("Write the brief")
    await conflicting(world, card)
    async with terminal(world, canvas(world, card.id)) as pilot:
        await open_form(pilot, "e")
        assert await shows(pilot, "Bob Lind, 2 Mar 2026: changed Title")
        assert "Restored, ctrl+r discards · Bob Lind" in seen(pilot)
        assert "Mine" in seen(pilot)
        assert "And words" in seen(pilot), "a field that I did not touch has their value"
        await press(pilot, "ctrl+s")
        assert await comes(pilot, lambda: isinstance(pilot.app.screen, ConflictDialog))
        assert world.row("item", id=card.id)["title"] == "Theirs"
        await settled(pilot)
        assert [line for line in seen(pilot).splitlines() if "theirs now" in line and "Theirs" in line]
        await press(pilot, "m")
        assert await comes(pilot, lambda: world.row("item", id=card.id)["title"] == "Mine")
        assert world.row("item", id=card.id)["description"] == "And words"


async def test_without_the_draft_there_is_no_conflict(world: World) -> None:
    card = world.task("Write the brief")
    await conflicting(world, card)
    async with terminal(world, canvas(world, card.id)) as pilot:
        await open_form(pilot, "e")
        await press(pilot, "ctrl+r", "end", Text(" now"), "ctrl+s")
        assert await comes(pilot, lambda: world.row("item", id=card.id)["title"] == "Theirs now")


async def test_a_draft_that_says_what_is_saved_already_is_not_offered(world: World, folder: Path) -> None:
    card = world.task("Write the brief")
    async with terminal(world, canvas(world, card.id)) as pilot:
        await open_form(pilot, "e")
        await write(pilot, " now")
    world.do(EditTask(task_id=card.id, title="Write the brief now"))
    async with terminal(world, canvas(world, card.id)) as pilot:
        await open_form(pilot, "e")
        assert RESTORED not in seen(pilot)
    assert kept(folder) == []


async def test_the_offer_is_in_the_first_frame_and_leaves_the_form_where_it_is(world: World) -> None:
    first = canvas(world)
    async with terminal(world, first) as pilot:
        await open_form(pilot, "n")
        await write(pilot, "Call the venue")
    async with terminal(world, first) as pilot:
        await open_form(pilot, "n")
        with_offer = pilot.app.screen.query_one("#panel").region
        await press(pilot, "ctrl+r")
        assert pilot.app.screen.query_one("#panel").region == with_offer


async def test_a_person_who_is_signed_out_loses_their_drafts_and_no_one_else_does(
    world: World, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with terminal(world, canvas(world), world.bob) as pilot:
        await open_form(pilot, "n")
        await write(pilot, "Bobs")
    async with terminal(world, canvas(world)) as pilot:
        await open_form(pilot, "n")
        await write(pilot, "Call the venue")
        assert await comes(pilot, lambda: len(kept(folder)) == 2)

        async def refuse() -> None:
            raise Unauthenticated("This token is not valid any more.")

        screen = pilot.app.visible_screen
        assert screen is not None
        monkeypatch.setattr(screen, "reload", refuse)
        await screen.refresh_from_core()
        assert await comes(pilot, lambda: len(kept(folder)) == 1)
        await settled(pilot)
    (left,) = kept(folder)
    assert "Bobs" in left.read_text()


async def test_a_folder_that_cannot_be_written_costs_only_the_draft(world: World, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "podium").write_text("a file in place of the folder")
    async with terminal(world, canvas(world)) as pilot:
        await open_form(pilot, "n")
        await press(pilot, Text("Call the venue"), "enter")
        assert await comes(pilot, lambda: world.rows("SELECT title FROM item") == [{"title": "Call the venue"}])


async def test_an_app_without_drafts_as_in_a_browser_writes_none(world: World, folder: Path) -> None:
    async with on_stage(world, canvas(world)) as pilot:
        await open_form(pilot, "n")
        await write(pilot, "Call the venue")
    assert kept(folder) == []


def test_a_session_in_a_browser_has_no_drafts_because_many_people_share_its_account() -> None:
    assert _drafts(cast(PodiumApp, SimpleNamespace(via="browser"))) is None


async def test_a_damaged_file_is_no_draft(world: World, folder: Path) -> None:
    async with terminal(world, canvas(world)) as pilot:
        await open_form(pilot, "n")
        await write(pilot, "Call the venue")
    (path,) = kept(folder)
    whole = path.read_text()
    async with terminal(world, canvas(world)) as pilot:
        for text in ("", "[]", "{", '{"at": "x"}', '{"at": "2026-01-01T00:00:00", "fields": 1}'):
            path.write_text(text)
            await open_form(pilot, "n")
            assert RESTORED not in seen(pilot), text
            await press(pilot, "escape")
        path.write_text(whole)
        await open_form(pilot, "n")
        assert RESTORED in seen(pilot)


def test_old_drafts_and_those_beyond_the_most_are_removed_whoever_they_belong_to(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(draft_files, "MAX_COUNT", 3)
    mine, others = DraftFiles("here", "w", "me"), DraftFiles("here", "w", "other")
    for number in range(4):
        mine.write(f"form {number}", {"title": str(number)}, None)
    others.write("form", {"title": "old"}, None)
    for drafts in (mine, others):
        drafts.close()
    day = 24 * 3600
    for path in kept(folder):
        text = json.loads(path.read_text())["fields"]["title"]
        age = 8 * day if text == "old" else int(text) * 60
        os.utime(path, (time.time() - age, time.time() - age))
    unfinished = folder / f".{kept(folder)[0].name}.part"
    unfinished.write_text("unfinished")
    os.utime(unfinished, (0, 0))
    last = DraftFiles("here", "w", "me")
    last.prune()
    last.close()
    assert sorted(json.loads(path.read_text())["fields"]["title"] for path in kept(folder)) == ["0", "1", "2"]


def test_other_files_and_a_folder_that_is_a_link_are_left_alone(folder: Path, tmp_path: Path) -> None:
    documents = tmp_path / "documents"
    documents.mkdir()
    (documents / "old.json").write_text("{}")
    os.utime(documents / "old.json", (0, 0))
    folder.mkdir(parents=True)
    (folder / "notes.txt").write_text("mine")
    os.utime(folder / "notes.txt", (0, 0))
    drafts = DraftFiles("here", "w", "me")
    drafts.write("form", {"title": "Mine"}, None)
    drafts.prune()
    drafts.close()
    assert len(kept(folder)) == 2
    (folder / "notes.txt").rename(tmp_path / "notes.txt")
    kept(folder)[0].unlink()
    folder.rmdir()
    folder.symlink_to(documents)
    linked = DraftFiles("here", "w", "me")
    linked.prune()
    linked.close()
    assert [path.name for path in kept(documents)] == ["old.json"]


def test_the_draft_of_a_terminal_that_runs_is_neither_offered_nor_removed_by_another(folder: Path) -> None:
    drafts = DraftFiles("here", "w", "me")
    drafts.write("form", {"title": "Mine"}, None)
    drafts.close()
    (own,) = kept(folder)
    other = own.with_name(own.name.replace(f"-{os.getpid()}.", f"-{os.getppid()}."))
    own.rename(other)
    second = DraftFiles("here", "w", "me")
    assert second.read("form") is None
    second.write("form", {"title": "Theirs"}, None)
    second.remove("form")
    second.close()
    assert kept(folder) == [other]


def test_a_draft_that_others_could_have_written_or_that_is_too_old_is_not_read(folder: Path) -> None:
    drafts = DraftFiles("here", "w", "me")
    drafts.write("form", {"title": "Mine"}, 3)
    drafts.close()
    found = drafts.read("form")
    assert found is not None
    assert (found.fields, found.version) == ({"title": "Mine"}, 3)
    assert DraftFiles("elsewhere", "w", "me").read("form") is None
    assert DraftFiles("here", "w", "other").read("form") is None
    (path,) = kept(folder)
    value = json.loads(path.read_text())
    path.chmod(0o622)
    assert drafts.read("form") is None
    path.chmod(0o600)
    path.write_text(json.dumps(value | {"at": "2020-01-01T00:00:00+00:00"}))
    assert drafts.read("form") is None


def test_a_text_beyond_the_most_keeps_the_last_shorter_draft(folder: Path) -> None:
    drafts = DraftFiles("here", "w", "me")
    drafts.write("form", {"title": "Mine"}, None)
    drafts.write("form", {"title": "x" * draft_files.MAX_SIZE}, None)
    drafts.close()
    found = drafts.read("form")
    assert found is not None
    assert found.fields == {"title": "Mine"}
