"""Terminals as clients of one server: live, honest while it is away, and right again when it is back."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest

from core.domain.model import Status
from tests.support.api.program import ServerProgram
from tests.support.api.server import link_account, token_for
from tests.support.terminal.podium import podium
from tests.support.terminal.session import TerminalSession
from tests.support.workspace import World

OFFLINE = "offline, reconnecting"


@pytest.fixture
def server(world: World) -> Iterator[ServerProgram]:
    """``podium serve``, which knows this account as Maya, with two cards on the Canvas."""
    link_account(world, world.maya)
    world.task("Write the brief")
    world.task("Call the venue")
    with ServerProgram(world.database.path, warm=True) as server:
        yield server


def client(server: ServerProgram, *, token: str | None = None, cols: int = 120) -> TerminalSession:
    """The Canvas, seen by Maya, or by whom a token stands for."""
    where = ("open", "Spring launch", "--server", server.address)
    return podium(*where, home=server.socket.parent, env={"PODIUM_TOKEN": token}, cols=cols)


def test_each_sees_the_moves_of_the_other_without_a_key(world: World, server: ServerProgram) -> None:
    with client(server) as maya, client(server, token=token_for(world, world.bob, days=36_500)) as bob:
        maya.wait_for("Write the brief")
        bob.wait_for("Write the brief")
        maya.send("L")
        bob.wait_for("In Progress 1")
        bob.send("L")
        maya.wait_for("Completed 1")
        assert world.row("item", title="Write the brief")["status"] == Status.COMPLETED
        assert world.last_change()["actor_id"] == world.bob.user_id


@pytest.mark.parametrize("behind_server", [True, False])
def test_the_key_of_a_card_opens_its_canvas_with_the_cursor_on_it(
    world: World, server: ServerProgram, behind_server: bool
) -> None:
    where = (
        ("--server", server.address)
        if behind_server
        else ("--direct", "--db", str(world.database.path), "--as", "maya")
    )
    with podium("open", "spr-2", *where, home=server.socket.parent) as terminal:
        terminal.wait_for("Call the venue")
        terminal.send("L")
        terminal.wait_for("In Progress 1")
        terminal.send("q")
    assert world.row("item", title="Call the venue")["status"] == Status.IN_PROGRESS
    assert world.row("item", title="Write the brief")["status"] == Status.TO_DO


@pytest.mark.parametrize("cols", [80, 120])
def test_while_the_server_is_away_all_is_readable_and_nothing_is_changed(
    world: World, server: ServerProgram, cols: int
) -> None:
    with client(server, cols=cols) as maya:
        maya.wait_for("✓ saved")
        server.stop(signal.SIGKILL)
        maya.wait_for(OFFLINE)
        maya.wait_for("Write the brief")
        maya.send("L")
        maya.wait_for("cannot be reached")
        maya.wait_for("Nothing was")
        maya.wait_for("To Do 2")
        maya.send("<enter>")
        maya.wait_for("All is shown again by itself")
        maya.send("<esc>")
        maya.wait_until_gone("All is shown again by itself")
        maya.wait_for("Call the venue")
        server.start()
        maya.wait_until_gone(OFFLINE)
        maya.wait_for("✓ saved")
        maya.send("L")
        maya.wait_for("In Progress 1")
        assert world.row("item", title="Write the brief")["status"] == Status.IN_PROGRESS


def test_what_was_typed_waits_in_its_form_until_the_server_is_back(world: World, server: ServerProgram) -> None:
    with client(server) as maya:
        maya.wait_for("Write the brief")
        maya.send("C")
        maya.wait_for("Comment on")
        maya.send("Half a thought")
        server.stop(signal.SIGKILL)
        maya.wait_for(OFFLINE)
        maya.send(" and its end<ctrl+s>")
        maya.wait_for("Nothing was")
        maya.wait_for("Half a thought and its end")
        server.start()
        maya.wait_until_gone(OFFLINE)
        maya.send("<ctrl+s>")
        maya.wait_until_gone("Comment on")
        assert world.row("comment")["text"] == "Half a thought and its end"


def test_what_happened_meanwhile_is_shown_when_the_server_is_back(world: World, server: ServerProgram) -> None:
    with client(server) as maya:
        maya.wait_for("To Do 2")
        server.stop(signal.SIGTERM)
        maya.wait_for(OFFLINE)
        world.task("Come back")
        server.start()
        maya.wait_for("To Do 3")
        maya.wait_for("Come back")
        maya.wait_until_gone(OFFLINE)
