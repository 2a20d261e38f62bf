"""Under the block for sshd no screen and no entry of the palette reads or writes a file of the host."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.ssh.accounts import end_all
from tests.support.ssh.shared_host import SharedHost
from tests.support.terminal.session import TerminalSession

SECRET = "salary list - confidential"

IMPORT = "Import a project from a file"


@pytest.fixture(autouse=True)
def _nobody_stays(host: SharedHost) -> Iterator[None]:
    yield
    end_all(host.maya.pw_name)


@pytest.fixture
def notes(host: SharedHost) -> Path:
    """A file of Maya's on the host, as a table that could be imported."""
    path = Path(host.maya.pw_dir, "notes.csv")
    path.write_text(f"title\n{SECRET}\n")
    path.chmod(0o644)
    return path


def files_of(host: SharedHost) -> set[Path]:
    """All that is in Maya's home and where everybody may write."""
    here = Path(host.maya.pw_dir).rglob("*")
    return {path for path in here if path.is_file()} | set(Path("/tmp").glob("spring-launch*"))


def palette(session: TerminalSession, words: str, entry: str) -> None:
    """Press enter in the palette once it shows the first entry for some words."""
    session.send(":")
    session.wait_for("esc close|esc closes|Find")
    session.send(words)
    session.wait_for(entry)
    session.send("<enter>")


def test_no_entry_of_the_palette_imports_a_file_of_the_host(host: SharedHost, notes: Path) -> None:
    before = files_of(host)
    with host.session(host.maya) as maya:
        maya.wait_for("Spring launch")
        palette(maya, "Import a project", IMPORT)
        maya.wait_for("Nothing can be imported here")
        maya.send(f"{notes}<enter><ctrl+q>")
        assert maya.exit_status() == 0
        assert b"salary" not in maya.raw
    assert host.world.rows("SELECT 1 FROM project WHERE name LIKE '%notes%'") == []
    assert files_of(host) == before


@pytest.mark.parametrize("place", ["projects", "canvas"])
def test_no_entry_of_the_palette_exports_to_the_host(host: SharedHost, place: str) -> None:
    before = files_of(host)
    with host.session(host.maya) if place == "projects" else host.opened(host.maya) as maya:
        maya.wait_for("Spring launch")
        palette(maya, "Export the project", "Export the project to a file")
        maya.wait_for("Export “Spring launch”")
        assert host.maya.pw_dir not in maya.text
        maya.send("<ctrl+s>")
        maya.wait_for("No file can be written here")
        maya.wait_for_bytes(b"\x1b]52;c;")  # it is on the clipboard of the person's own terminal
    assert files_of(host) == before


def test_textual_s_own_screenshot_is_no_entry_of_the_palette(host: SharedHost) -> None:
    before = files_of(host)
    with host.session(host.maya) as maya:
        maya.wait_for("Spring launch")
        palette(maya, "screenshot", "Search for “screenshot”")
        maya.send("<ctrl+q>")
        assert maya.exit_status() == 0
    assert files_of(host) == before


def test_a_variable_that_a_client_sends_gives_no_files(host: SharedHost) -> None:
    with host.session(host.maya, options=["-oSetEnv=PODIUM_FILES=yes"]) as maya:
        maya.wait_for("Spring launch")
        palette(maya, "Import a project", IMPORT)
        maya.wait_for("Nothing can be imported here")


def test_a_configuration_of_one_s_own_gives_no_files(host: SharedHost) -> None:
    own = Path(host.maya.pw_dir, ".config", "podium", "config.toml")
    own.parent.mkdir(parents=True)
    own.write_text("files = true\n")
    try:
        with host.session(host.maya) as maya:
            maya.wait_for("Spring launch")
            palette(maya, "Import a project", IMPORT)
            maya.wait_for("Nothing can be imported here")
    finally:
        own.unlink()
