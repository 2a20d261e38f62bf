"""Two people on a shared host, each over SSH in a terminal of their own, on one server that knows who they are."""

from __future__ import annotations

import re
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.domain.model import Item, Status
from tests.support.ssh.accounts import end_all
from tests.support.ssh.shared_host import SharedHost
from tests.support.waiting import PATIENCE, wait_until

RESTORED = b"\x1b[?1049l"
"""Leaving the alternate screen: the terminal is as it was."""


LIGHT_TEXT = b"38;2;43;48;59"
"""The colour of ordinary text in the light theme."""


@pytest.fixture(autouse=True)
def _nobody_stays(host: SharedHost) -> Iterator[None]:
    yield
    for person in (host.maya, host.vera):
        end_all(person.pw_name)


@pytest.fixture
def card(host: SharedHost) -> Iterator[Item]:
    """A card that only this test knows."""
    item = host.world.task("Write the brief", relock=True)
    yield item
    host.world.delete(item.id, relock=True)


def test_each_sees_their_own_name_and_that_they_came_by_ssh(host: SharedHost) -> None:
    with host.session(host.maya) as maya, host.session(host.vera) as vera:
        maya.wait_for("Maya Okafor · workspace admin · ssh")
        vera.wait_for("Vera Sato .* ssh")


def test_each_is_held_to_their_role_by_key_and_by_command(host: SharedHost, card: Item) -> None:
    with host.opened(host.vera) as vera:
        vera.wait_for(card.title)
        vera.send("L")
        vera.wait_for("you are a viewer")
    told = host.podium(host.vera, "task", "move", "Spring launch", card.title, "in_progress")
    assert told.returncode != 0
    assert "you are a viewer" in told.stderr
    assert host.world.status(card) == Status.TO_DO
    assert host.podium(host.maya, "task", "move", "Spring launch", card.title, "in_progress").returncode == 0
    assert host.world.status(card) == Status.IN_PROGRESS


def test_one_sees_the_others_move_without_a_key(host: SharedHost, card: Item) -> None:
    with host.opened(host.maya) as maya, host.opened(host.vera) as vera:
        vera.wait_for(card.title)
        maya.wait_for(card.title)
        maya.send("L")
        vera.wait_for("In Progress 1")
        assert host.world.status(card) == Status.IN_PROGRESS
        assert host.world.last_change()["actor_id"] == host.world.maya.user_id


def test_whatever_command_is_sent_podium_comes(host: SharedHost) -> None:
    kept = Path(host.maya.pw_dir) / "x"
    kept.write_text("mine")
    with host.session(host.maya, "rm", "-rf", str(kept)) as maya:
        maya.wait_for("Spring launch")
    assert kept.read_text() == "mine"


def test_variables_that_a_client_sends_change_nothing(host: SharedHost) -> None:
    sent = "-oSetEnv=PODIUM_SERVER=unix:/nowhere TEXTUAL_DRIVER=none PYTHONPATH=/nowhere PODIUM_DB=/nowhere"
    with host.session(host.maya, options=[sent]) as maya:
        maya.wait_for("Maya Okafor")


@pytest.mark.parametrize("way", ["-L{port}:127.0.0.1:{sshd}", "-L{port}:{socket}"])
def test_no_connection_is_forwarded(host: SharedHost, way: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    option = way.format(port=port, sshd=host.port, socket=host.socket)
    argv = host.ssh(host.maya, tty=False, options=["-N", option])
    with subprocess.Popen(argv, stderr=subprocess.PIPE, text=True) as client:
        try:
            wait_until(lambda: _is_cut(port), "a connection was forwarded")
        finally:
            client.terminate()
        assert "open failed" in client.stderr.read()  # type: ignore[union-attr]


@pytest.mark.parametrize("options", [["-N", "-R0:127.0.0.1:1"], ["-s", "sftp"]])
def test_nothing_is_opened_backwards_and_no_files_are_handed_out(host: SharedHost, options: list[str]) -> None:
    argv = host.ssh(host.maya, *options[1:], tty=False, options=[options[0], "-oExitOnForwardFailure=yes"])
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode != 0
    assert done.stdout == ""


def test_colours_are_all_there_however_little_the_client_says(host: SharedHost) -> None:
    for term in ("xterm-ghostty", "no-such-terminal"):
        with host.session(host.maya, env={"TERM": term, "COLORTERM": None, "LANG": None}) as maya:
            maya.wait_for("Spring launch")
            assert re.search(rb"\x1b\[[0-9;]*[34]8;2;", maya.raw), term
            maya.wait_for("◆")


def test_ctrl_z_says_why_it_cannot_stop_podium(host: SharedHost, card: Item) -> None:
    """The sshd starts Podium with ForceCommand, so no shell could continue it."""
    with host.opened(host.maya) as maya:
        maya.wait_for(card.title)
        maya.send("<ctrl+z>")
        maya.wait_for("No shell with job control started Podium here")
        maya.send("L")
        maya.wait_for("In Progress 1")
    assert host.world.status(card) == Status.IN_PROGRESS


def test_no_shell_can_be_reached_through_an_editor(host: SharedHost, card: Item) -> None:
    """As with ctrl+z: whatever editor is named, the text is written in the whole window."""
    sent = "-oSetEnv=EDITOR=vim VISUAL=vim"
    with host.opened(host.maya, options=[sent]) as maya:
        maya.wait_for(card.title)
        maya.send("E")
        maya.wait_for("An editor can start a shell, so none runs here")
        maya.send(":!id<enter><ctrl+g><ctrl+g>:!sh<enter>")
        maya.wait_for(":!sh")
        maya.send("<ctrl+s>")
        maya.wait_until_gone("Description of")
        maya.send("C")
        maya.wait_for("ctrl.g larger")
        maya.send("<ctrl+g>:!id<enter>")
        maya.wait_for(":!id")
        assert "uid=" not in maya.text
        maya.send("<esc><esc>")
    (row,) = host.world.rows("SELECT description FROM item WHERE id = :id", id=card.id)
    assert row["description"] == ":!id\n:!sh"


def test_a_light_terminal_gets_the_light_colours_through_ssh(host: SharedHost) -> None:
    with host.session(host.maya, background=b"rgb:ffff/ffff/ffff") as maya:
        maya.wait_for("Spring launch")
        wait_until(lambda: LIGHT_TEXT in maya.raw, "Podium does not become light")


def test_the_window_may_change_its_size(host: SharedHost) -> None:
    with host.session(host.maya) as maya:
        maya.wait_for("Spring launch")
        for cols, rows in ((80, 24), (200, 60)):
            maya.resize(cols, rows)
            maya.wait_for(rf"\A.{{{cols - 8},{cols}}}saved$|saved\s*$")
            wait_until(lambda last=rows - 1: "help" in maya.screen[last], "the line of keys is not at the bottom")


def test_quitting_restores_the_terminal_and_ends_the_connection(host: SharedHost) -> None:
    with host.session(host.maya) as maya:
        maya.wait_for("Spring launch")
        maya.send("q")
        assert maya.exit_status() == 0
        assert RESTORED in maya.raw


def test_without_a_terminal_it_says_so_at_once(host: SharedHost) -> None:
    argv = host.ssh(host.maya, tty=False)
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 2
    assert "Podium needs a terminal, and stdin is not one. “ssh -t” asks for one." in done.stderr


def test_a_terminal_that_only_takes_lines_is_told_so(host: SharedHost) -> None:
    with host.session(host.maya, env={"TERM": "dumb"}) as maya:
        maya.wait_for("this one only takes lines")
        assert maya.exit_status() == 2
        assert b"\x1b[" not in maya.raw


def test_who_is_not_in_the_group_does_not_reach_the_server(host: SharedHost) -> None:
    told = host.podium(host.maya, "project", "list", groups=[])
    assert told.returncode != 0
    assert "which you are not a member of. Ask an administrator" in told.stderr


def test_the_account_of_the_service_looks_at_the_socket_that_it_may_not_connect_to(host: SharedHost) -> None:
    told = host.podium(host.service, "doctor", "--socket", str(host.socket), groups=[])
    assert "0660 root:" in told.stdout, told.stderr
    assert "this account has no permission to connect" in told.stdout


def test_a_member_of_the_group_whose_account_is_not_linked_learns_whom_to_ask(host: SharedHost) -> None:
    told = host.podium(host.service, "project", "list")
    assert told.returncode != 0
    assert "Ask a workspace admin to link it" in told.stderr


def _is_cut(port: int) -> bool:
    """True if a listener on this port closes every connection without sending anything."""
    try:
        with socket.create_connection(("127.0.0.1", port), 2) as connection:
            return connection.recv(1) == b""
    except ConnectionResetError:
        return True
    except OSError:
        return False
