"""Long texts in the editor of the person, on a real terminal, where a shell has started Podium."""

from __future__ import annotations

import json
import shlex
import signal
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from core.actions.cards.tasks import EditTask
from core.domain.model import Item
from tests.support.system_programs import needs
from tests.support.terminal.podium import opened
from tests.support.terminal.session import TerminalSession
from tests.support.waiting import wait_until
from tests.support.workspace import World

EDITOR = """#!{python}
import json, os, signal, sys
path = sys.argv[-1]
folder = os.path.dirname(path)
json.dump({{
    "argv": sys.argv[1:], "text": open(path).read(), "folder": os.stat(folder).st_mode, "file": os.stat(path).st_mode,
    "environ": sorted(os.environ),
}}, open({notes!r}, "w"))
{does}
"""
"""An editor that notes what it was given."""

SAVES = 'open(path, "a").write("and a new line\\n")'
FAILS = SAVES + "; sys.exit(3)"
CRASHES = SAVES + "; open(path, 'a').flush(); os.kill(os.getpid(), signal.SIGKILL)"


class EditedCard:
    """A card whose description is edited, and the editor."""

    def __init__(self, world: World, title: str = "Write the brief") -> None:
        self.world = world
        self.item: Item = world.task(title, description="Old words")
        self.home = Path(world.database.path).parent
        self.notes = self.home / "notes.json"
        self.editor = self.home / "my editor"

    def edit_with(self, does: str) -> None:
        """Make the editor."""
        self.editor.write_text(EDITOR.format(python=sys.executable, notes=str(self.notes), does=does))
        self.editor.chmod(0o700)

    @property
    def description(self) -> str:
        return str(self.world.row("item", id=self.item.id)["description"])

    @property
    def noted(self) -> dict[str, Any]:
        """The notes of the editor: its arguments, the text, modes and environment."""
        noted: dict[str, Any] = json.loads(self.notes.read_text())
        return noted

    @property
    def texts(self) -> list[Path]:
        """The files for the editor that are still there."""
        return [*Path(self.home, ".local/state/podium/texts").rglob("*.md")]

    @contextmanager
    def session(self, **environ: str | None) -> Iterator[TerminalSession]:
        """Podium on the Canvas, started by a shell, with this card under the cursor."""
        editor = {"VISUAL": None, "EDITOR": shlex.quote(str(self.editor)), "PODIUM_TOKEN": None}
        own = {"HOME": str(self.home), "XDG_STATE_HOME": None, "XDG_CONFIG_HOME": None, "XDG_DATA_HOME": None}
        words = [sys.executable, "-m", "tui", "open", "Spring launch", "--db", self.world.database.path, "--as", "maya"]
        with TerminalSession([needs("bash"), "--norc", "-i"], env=own | editor | environ) as session:
            session.send(f"{shlex.join(map(str, words))}<enter>")
            session.wait_for("saved")
            yield session


@pytest.fixture
def edited(world: World) -> EditedCard:
    return EditedCard(world)


def test_what_the_editor_saves_is_saved_and_its_file_is_private_and_gone(edited: EditedCard) -> None:
    edited.edit_with(SAVES)
    with edited.session(PODIUM_AUTH_TOKEN="x") as session:
        session.send("E")
        wait_until(lambda: edited.description == "Old words\nand a new line")
        session.wait_for("saved")
        session.send("<enter>")
        session.wait_for("and a new line")
        session.send("u")
        wait_until(lambda: edited.description == "Old words")
    assert edited.noted["text"] == "Old words\n"
    assert stat.S_IMODE(int(str(edited.noted["folder"]))) == 0o700
    assert stat.S_IMODE(int(str(edited.noted["file"]))) == 0o600
    assert not [name for name in edited.noted["environ"] if name.startswith("PODIUM_")]
    assert edited.texts == []


@pytest.mark.parametrize("title", ["-rf /", "../../x", "$(touch pwned); `touch pwned`", "--cmd=:!id"])
def test_no_text_of_a_user_reaches_the_command(world: World, title: str) -> None:
    edited = EditedCard(world, title)
    edited.edit_with(SAVES)
    with edited.session() as session:
        session.send("E")
        wait_until(lambda: "new line" in edited.description)
    (path,) = edited.noted["argv"]
    assert Path(path).name == "description.md"
    assert Path(path).parent.parent == edited.home / ".local/state/podium/texts"
    assert [*edited.home.rglob("pwned")] == []


@pytest.mark.parametrize(("does", "words"), [(FAILS, "ended with status 3"), (CRASHES, "was killed .SIGKILL")])
def test_an_editor_that_fails_loses_nothing(edited: EditedCard, does: str, words: str) -> None:
    edited.edit_with(does)
    with edited.session() as session:
        session.send("E")
        session.wait_for(words)
        session.wait_for("not saved yet")
        session.wait_for("and a new line")
        assert edited.description == "Old words"
        session.send("<ctrl+s>")
        wait_until(lambda: edited.description == "Old words\nand a new line")


def test_an_editor_that_changes_nothing_closes_the_form(edited: EditedCard) -> None:
    edited.edit_with("pass")
    with edited.session() as session:
        session.send("E")
        wait_until(edited.notes.exists)
        session.wait_for("To Do 1")
        session.send("L")
        session.wait_for("In Progress 1")
    assert edited.description == "Old words"


def test_an_empty_text_is_saved_only_after_a_question(edited: EditedCard) -> None:
    edited.edit_with('open(path, "w").close()')
    with edited.session() as session:
        session.send("E")
        session.wait_for("The text is empty now")
        assert edited.description == "Old words"
        session.send("<ctrl+s>")
        wait_until(lambda: edited.description == "")


def test_a_file_that_cannot_be_taken_over_is_kept_and_named(edited: EditedCard) -> None:
    edited.edit_with(r'open(path, "wb").write(b"\xff\xfe broken")')
    with edited.session() as session:
        session.send("E")
        session.wait_for("The text is not UTF-8")
        session.wait_for("For 30 days it is kept in")
        session.wait_for("description.md")
    (path,) = edited.texts
    assert path.read_bytes() == b"\xff\xfe broken"
    assert edited.description == "Old words"


def test_an_editor_that_removes_its_file_is_told_as_it_was_and_leaves_no_folder(edited: EditedCard) -> None:
    edited.edit_with("os.unlink(path)")
    with edited.session() as session:
        session.send("E")
        session.wait_for("The editor removed the file, so nothing was changed.")
    assert edited.description == "Old words"
    assert [*Path(edited.home, ".local/state/podium/texts").iterdir()] == []


def test_a_character_that_cannot_be_shown_is_named_and_nothing_is_lost(edited: EditedCard) -> None:
    edited.edit_with(r'open(path, "a").write("a \x1b[2J line\n")')
    with edited.session() as session:
        session.send("E")
        session.wait_for(r"The character U\+001B in the description")
        session.wait_for("line")
        assert b"a \x1b[2J line" not in session.raw
    assert edited.description == "Old words"


def test_a_change_of_another_person_meanwhile_is_a_conflict(edited: EditedCard) -> None:
    edited.edit_with(f"{SAVES}\nwhile not os.path.exists({str(edited.home / 'go')!r}): pass")
    with edited.session() as session:
        session.send("E")
        wait_until(edited.notes.exists)
        edited.world.do(EditTask(task_id=edited.item.id, description="Theirs"), as_=edited.world.bob)
        (edited.home / "go").touch()
        session.wait_for("This changed while you were editing")
        assert edited.description == "Theirs"
        session.send("m")
        wait_until(lambda: edited.description == "Old words\nand a new line")


def test_an_editor_with_its_own_window_is_told_to_wait(edited: EditedCard) -> None:
    edited.editor = edited.home / "code"
    edited.edit_with(SAVES)
    with edited.session(EDITOR=None, VISUAL=f"{edited.editor} --new-window") as session:
        session.send("E")
        wait_until(lambda: "new line" in edited.description)
    assert edited.noted["argv"][:2] == ["--wait", "--new-window"]


def test_a_comment_is_written_in_the_editor_and_sent_by_the_person(edited: EditedCard) -> None:
    edited.edit_with('open(path, "w").write("**Two** agreed\\n")')
    with edited.session() as session:
        session.send("C")
        session.wait_for("ctrl.g editor")
        session.send("<ctrl+g>")
        session.wait_for("Two.. agreed")
        assert edited.world.rows("SELECT text FROM comment") == []
        session.send("<ctrl+s>")
        wait_until(lambda: [row["text"] for row in edited.world.rows("SELECT text FROM comment")] == ["**Two** agreed"])


@pytest.mark.parametrize(
    ("editor", "words"),
    [(None, "set EDITOR to the name of your editor"), ("no-such-editor -x", "There is no program “no-such-editor")],
)
def test_without_an_editor_the_text_is_written_in_the_window(
    edited: EditedCard, editor: str | None, words: str
) -> None:
    with edited.session(EDITOR=editor) as session:
        session.send("E")
        session.wait_for(words)
        session.send("New <ctrl+s>")
        wait_until(lambda: edited.description == "New Old words")


@pytest.mark.parametrize("setting", [{}, {"PODIUM_FILES": "no"}], ids=["no shell behind it", "no files"])
def test_no_editor_runs_where_a_person_must_not_get_a_shell(edited: EditedCard, setting: dict[str, str]) -> None:
    """Without a shell that could continue Podium, as with ForceCommand, and where files of the host are off."""
    edited.edit_with(SAVES)
    editor = {"EDITOR": shlex.quote(str(edited.editor)), "VISUAL": None} | setting
    with edited.session(**editor) if setting else opened(Path(edited.world.database.path), env=editor) as session:
        session.wait_for("Write the brief")
        session.send("E")
        session.wait_for("An editor can start a shell, so none runs here")
        session.send(":!id<enter><ctrl+s>")
        wait_until(lambda: edited.description == ":!id\nOld words")
    assert not edited.notes.exists()


def test_a_hang_up_ends_the_editor_and_keeps_its_text(edited: EditedCard) -> None:
    edited.edit_with(f"{SAVES}\nsignal.pause()")
    with edited.session() as session:
        session.send("E")
        wait_until(edited.notes.exists)
        session.signal(signal.SIGHUP)
        wait_until(lambda: any("new line" in path.read_text() for path in edited.texts))
