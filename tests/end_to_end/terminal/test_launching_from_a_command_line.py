"""Terminal products that ``podium launch`` and ``podium product launch`` really launch, on a real terminal."""

from __future__ import annotations

import json
import os
import signal
from contextlib import suppress
from pathlib import Path

import pytest

from core.actions.cards.applications import EditApplication
from core.actions.products.products import EditProduct
from core.actions.workspace.hierarchy import AddNode
from core.domain.model import NodeKind
from tests.support.terminal.launches import QUESTION, read, sketchbook, terminal_product
from tests.support.terminal.podium import podium
from tests.support.terminal.session import NotShown, TerminalSession
from tests.support.workspace import World


@pytest.fixture
def seen(tmp_path: Path) -> Path:
    """The file in which the product records its environment."""
    return tmp_path / "seen.json"


def launched(world: World, *arguments: str) -> TerminalSession:
    """``podium ARGUMENTS`` as Maya, on a terminal of its own."""
    database = Path(world.database.path)
    return podium(*arguments, "--db", str(database), "--as", "maya", home=database.parent)


def answer(session: TerminalSession, letter: str) -> None:
    """Answer the question whether the command that is shown may be run."""
    session.wait_for("Run it")
    session.send(f"{letter}<enter>")


def interrupt(session: TerminalSession) -> None:
    """Press ctrl+c until the program ends: Python misses one that comes just before it waits for a line."""
    for _ in range(10):
        session.send("<ctrl+c>")
        with suppress(NotShown):
            session.exit_status(4)
            return


def test_a_terminal_product_is_launched_from_a_command_line(world: World, seen: Path) -> None:
    terminal_product(world, seen, "ask", "litter", "3")
    with launched(world, "launch", "Spring launch", "Sketch") as session:
        answer(session, "y")
        session.wait_for(r"name\?")
        world.do(EditApplication(application_id=world.row("application")["id"], name="Renamed"))
        session.send("Ada<enter>")
        session.wait_for("“Sketch” ended with status 3.")
        assert session.exit_status() == 0
    assert read(seen)["answer"] == "Ada"
    assert json.loads(read(seen)["environ"]["PODIUM_LAUNCH_CONTEXT"]) == json.loads(world.row("launch")["context"])


def test_a_command_line_that_is_told_to_end_takes_the_product_along(world: World, seen: Path) -> None:
    terminal_product(world, seen, "wait")
    with launched(world, "launch", "Spring launch", "Sketch") as session:
        answer(session, "y")
        session.wait_for("doing wait")
        session.signal(signal.SIGTERM)
        assert session.exit_status() == -signal.SIGTERM
        with pytest.raises(ProcessLookupError):
            os.kill(read(seen)["pid"], 0)


def test_a_terminal_product_is_launched_outside_of_a_project(world: World, seen: Path) -> None:
    sketchbook(world, seen, "ask", required_context=(NodeKind.CLIENT,))
    client = world.do(AddNode(kind=NodeKind.CLIENT, name="Halden Foods"))
    with launched(world, "product", "launch", "sketchbook", "--client", "halden") as session:
        answer(session, "y")
        session.wait_for(r"name\?")
        session.send("Ada<enter>")
        session.wait_for("“Sketchbook” ended.")
        assert session.exit_status() == 0
    launch, noted = world.row("launch"), read(seen, "answer")
    context = json.loads(noted["environ"]["PODIUM_LAUNCH_CONTEXT"])
    assert noted["answer"] == "Ada"
    assert context == json.loads(launch["context"])
    assert (context["project"], context["hierarchy"]["client"]["id"]) == (None, client.id)
    assert (launch["application_id"], launch["user_id"]) == (None, world.maya.user_id)


def test_a_command_is_shown_once_and_again_after_it_was_changed(world: World, seen: Path) -> None:
    terminal_product(world, seen, "0")
    product = world.row("product")
    with launched(world, "launch", "Spring launch", "Sketch") as session:
        session.wait_for(QUESTION)
        assert f"terminal.py {seen} 0" in "".join(session.screen).replace("  ", "")
        answer(session, "n")
        session.wait_for("You did not agree")
        assert session.exit_status() == 1
    assert not seen.exists()
    with launched(world, "launch", "Spring launch", "Sketch") as session:
        session.wait_for(QUESTION)
        answer(session, "y")
        assert session.exit_status() == 0
    seen.unlink()
    with launched(world, "launch", "Spring launch", "Sketch") as session:
        session.wait_for("“Sketch” ended.")
        assert QUESTION not in session.text
    seen.unlink()
    world.do(EditProduct(product_id=product["id"], command=(*json.loads(product["command"])[:-1], "die")))
    with launched(world, "launch", "Spring launch", "Sketch") as session:
        session.wait_for("changed since you agreed")
        session.wait_for("Run it")
        interrupt(session)
        assert "You did not agree" in session.text
        assert session.exit_status() == 1
    assert not seen.exists()
    assert len(world.rows("SELECT 1 FROM launch")) == 2


def test_a_command_that_changes_while_it_is_shown_is_not_run(world: World, seen: Path) -> None:
    terminal_product(world, seen, "0")
    with launched(world, "launch", "Spring launch", "Sketch") as session:
        session.wait_for(QUESTION)
        world.do(EditProduct(product_id=world.row("product")["id"], command=("touch", str(seen))))
        answer(session, "y")
        session.wait_for("was changed at this very moment")
        assert session.exit_status() == 1
    assert not seen.exists()
