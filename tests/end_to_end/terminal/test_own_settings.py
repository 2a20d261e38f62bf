"""Keys and looks from a file of one's own: in every workspace, below what is set there, and checked at the start."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.actions.workspace.profile import SetPreference
from core.domain.model import Status
from tests.support.terminal.podium import opened, podium
from tests.support.workspace import World


def write_config(world: World, text: str) -> Path:
    """The configuration of the account whose HOME is beside the database."""
    path = world.database.path.parent / ".config" / "podium" / "config.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_keys_and_signs_of_the_file_hold_until_the_workspace_says_otherwise(world: World) -> None:
    world.task("Write the brief")
    write_config(world, 'signs = "ascii"\n\n[keys]\ncanvas.next_status = "f5"\n"canvas.previous_status" = "ctrl+y"\n')
    with opened(world.database.path) as terminal:
        terminal.wait_for("Write the brief")
        assert terminal.text.isascii()
        terminal.send("<f5>")
        terminal.wait_for("In Progress 1")
        terminal.send("<ctrl+y>")
        terminal.wait_for("To Do 1")
        terminal.send("q")
    assert world.row("item", title="Write the brief")["status"] == Status.TO_DO
    world.do(SetPreference(name="signs", value="unicode"))
    world.do(SetPreference(name="keymap", value="canvas.next_status = ctrl+o"))
    with opened(world.database.path) as terminal:
        terminal.wait_for("Write the brief")
        assert "◆" in terminal.text
        terminal.send("<ctrl+o>")
        terminal.wait_for("In Progress 1")
        terminal.send("<ctrl+y>")
        terminal.wait_for("To Do 1")


def test_a_variable_goes_before_the_workspace_and_the_settings_say_so(world: World) -> None:
    world.do(SetPreference(name="density", value="roomy"))
    with opened(world.database.path, env={"PODIUM_DENSITY": "compact"}) as terminal:
        terminal.wait_for("Spring launch")
        terminal.send("gs")
        terminal.wait_for("compact · PODIUM_DENSITY")
        terminal.send("j<enter>")
        terminal.wait_for("PODIUM_DENSITY decides")
    assert world.row("preference", name="density")["value"] == "roomy"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[keys]\ncanvas.next_status = "f5"\ncanvas.edti = "e"\n', "Line 3: “canvas.edti” is not an action"),
        ('[keys]\n\n"canvas.next_status" = "hyper+x"\n', "Line 3: “hyper+x” is not a key"),
        ('[keys]\ncanvas.next_status = "j"\n', "“j” is the key of both"),
        ('[keys]\ncanvas.edit = "e\\ncanvas.nosuch = x"\n', "“canvas.nosuch” is not an action"),
        ('theme = "draculla"\n', "to “draculla”, which is no theme"),
        ('density = "wide"\n', "Use roomy or compact"),
        ("density = 0\n", "Use roomy or compact"),
        ("keys = 5\n", "which is not valid"),
    ],
)
def test_a_wrong_line_of_the_file_is_named_before_anything_is_drawn(world: World, text: str, said: str) -> None:
    path = write_config(world, text)
    with opened(world.database.path, cols=200) as terminal:
        assert terminal.exit_status() == 2
        assert said in terminal.text
        assert str(path) in terminal.text.replace("\n", "")


@pytest.mark.parametrize(
    ("term", "signs", "is_plain"), [("linux", None, True), ("linux", "unicode", False), ("xterm-256color", None, False)]
)
def test_the_console_of_linux_is_drawn_in_ascii_unless_a_setting_says_otherwise(
    world: World, term: str, signs: str | None, is_plain: bool
) -> None:
    world.task("Write the brief")
    with opened(world.database.path, env={"TERM": term, "PODIUM_SIGNS": signs}) as terminal:
        terminal.wait_for("Write the brief")
        assert terminal.text.isascii() is is_plain


def test_the_terminal_is_named_after_the_place_and_gets_its_own_name_back(world: World) -> None:
    world.task("Write the brief")
    with podium("--db", str(world.database.path), "--as", "maya", home=world.database.path.parent) as terminal:
        terminal.wait_for("Spring launch")
        terminal.wait_for_bytes(b"\x1b[22;2t")
        terminal.send("<enter>")
        terminal.wait_for_bytes(b"\x1b]2;Spring launch")
        terminal.send("<enter>")
        terminal.wait_for_bytes(b"Write the brief\x1b\\")
        terminal.send("<ctrl+q>")
        assert terminal.exit_status() == 0
        assert terminal.raw.rfind(b"\x1b[23;2t") > terminal.raw.rfind(b"\x1b]2;")
    with opened(world.database.path, env={"TERM": "linux"}) as terminal:
        terminal.wait_for("Write the brief")
        assert b"\x1b]2;" not in terminal.raw
