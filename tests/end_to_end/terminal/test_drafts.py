"""The input of a form outlives the terminal, in a file of one person."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from tests.support.terminal.podium import UNHURRIED, opened
from tests.support.terminal.session import TerminalSession
from tests.support.waiting import wait_until
from tests.support.workspace import World

RESTORED = "Restored what you typed today .*ctrl\\+r discards it"


@pytest.fixture
def place(world: World) -> Path:
    """The database file of a project with one task."""
    world.task("Write the brief")
    return Path(world.database.path)


def drafts(place: Path) -> list[Path]:
    return [*Path(place.parent, ".local/state/podium/drafts").glob("*.json")]


def texts(place: Path) -> list[dict[str, str]]:
    return [json.loads(path.read_text())["fields"] for path in drafts(place)]


def type_a_card(session: TerminalSession, title: str) -> None:
    session.wait_for("Write the brief")
    session.send("n")
    session.wait_for("New card")
    session.send(title)
    session.wait_for(title)


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM, signal.SIGKILL], ids=lambda number: number.name)
def test_a_form_is_offered_again_after_the_process_was_ended(world: World, place: Path, number: signal.Signals) -> None:
    with opened(place, code=UNHURRIED) as session:
        type_a_card(session, "Call the venue")
        if number is signal.SIGKILL:  # nothing can be written any more then, so it was before
            wait_until(lambda: texts(place) == [{"title": "Call the venue"}])
        session.signal(number)
        session.exit_status()
    (path,) = drafts(place)
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert texts(place) == [{"title": "Call the venue"}]
    with opened(place) as session:
        session.wait_for("Write the brief")
        session.send("n")
        session.wait_for(RESTORED)
        session.wait_for("Call the venue")
        session.send("<enter>")
        session.wait_for("To Do 2")
        wait_until(lambda: drafts(place) == [])
        session.send("q")
    assert world.row("item", title="Call the venue")["status"] == "TO_DO"


def test_another_person_of_the_same_account_is_offered_nothing(place: Path) -> None:
    with opened(place) as session:
        type_a_card(session, "Call the venue")
        session.send("<ctrl+q>")
        assert session.exit_status() == 0
    with opened(place, "bob") as session:
        session.wait_for("Write the brief")
        session.send("n")
        session.wait_for("What needs to be done")
        assert "Call the venue" not in session.text
        session.send("<esc>q")
    assert texts(place) == [{"title": "Call the venue"}]


def test_a_state_folder_that_cannot_be_written_stops_no_key(world: World, place: Path) -> None:
    Path(place.parent, ".local").write_text("a file in place of the folder")
    with opened(place) as session:
        type_a_card(session, "Call the venue")
        session.send("<enter>")
        session.wait_for("To Do 2")
        session.send("q")
        assert session.exit_status() == 0
        assert "Traceback" not in session.text
    assert world.row("item", title="Call the venue")
