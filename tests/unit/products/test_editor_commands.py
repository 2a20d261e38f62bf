"""The command of the person's editor, from their environment."""

from __future__ import annotations

import os
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from core.files.edited_text import MAX_DAYS, UnreadableText, make_text_file, read_text_file, remove_text_file
from tui.dialogs.host import EditedText
from tui.launch.editor import NO_SHELL, edit_text, editor_command, why_no_editor


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    """A folder with some editors."""
    for name in ("vi", "code", "gvim"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    return tmp_path


@pytest.mark.parametrize(
    ("environ", "command"),
    [
        ({}, []),
        ({"EDITOR": "  "}, []),
        ({"EDITOR": "vi"}, ["vi"]),
        ({"VISUAL": "code", "EDITOR": "vi"}, ["code", "--wait"]),
        ({"VISUAL": "", "EDITOR": "vi -u 'my file'"}, ["vi", "-u", "my file"]),
        ({"EDITOR": "code --wait -n"}, ["code", "--wait", "-n"]),
        ({"EDITOR": "code -w"}, ["code", "-w"]),
        ({"EDITOR": "gvim"}, ["gvim", "--nofork"]),
    ],
)
def test_visual_comes_before_editor_and_no_shell_reads_them(
    tools: Path, environ: dict[str, str], command: list[str]
) -> None:
    found = editor_command({"PATH": f".:{tools}", **environ})
    assert found == ([str(tools / command[0]), *command[1:]] if command else [])


@pytest.mark.parametrize("named", ["nothing-like-it", "vi; rm -rf /", "'unclosed", "$(id)", "./vi"])
def test_what_is_no_program_is_named(tools: Path, monkeypatch: pytest.MonkeyPatch, named: str) -> None:
    monkeypatch.chdir("/")
    with pytest.raises(ValueError, match="which EDITOR names"):
        editor_command({"PATH": f".:{tools}", "EDITOR": named})


@pytest.mark.parametrize(("files", "driver"), [(True, "textual_serve"), (False, None)], ids=["browser", "no files"])
def test_no_editor_runs_in_a_browser_or_where_no_file_is_named(
    tools: Path, monkeypatch: pytest.MonkeyPatch, files: bool, driver: str | None
) -> None:
    monkeypatch.setenv("EDITOR", str(tools / "vi"))
    monkeypatch.setattr("tui.terminal.lifecycle.is_in_front", lambda: True)
    monkeypatch.setattr("tui.terminal.lifecycle._has_job_control", lambda: True)
    host: Any = SimpleNamespace(is_headless=False, files=True)
    assert why_no_editor(host) == ""
    if driver:
        monkeypatch.setenv("TEXTUAL_DRIVER", driver)
    host.files = files
    assert why_no_editor(host) == NO_SHELL
    assert edit_text(host, "description", "one") == EditedText("one", NO_SHELL)


def test_a_text_comes_back_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    for text in ("", "one", "one\n\n  two", "漢字 “x”"):
        path = make_text_file("description", text)
        assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)
        assert read_text_file(path) == text
        remove_text_file(path)
        assert not path.parent.exists()


def test_a_file_that_is_no_text_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    path = make_text_file("description", "one")
    for content, words in ((b"\xff", "not UTF-8"), (b"x" * 1_000_001, "more than")):
        path.write_bytes(content)
        with pytest.raises(UnreadableText, match=words):
            read_text_file(path)
    path.write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\n")
    assert read_text_file(path) == "one\ntwo"
    path.unlink()
    path.symlink_to("/etc/passwd")
    with pytest.raises(OSError, match="symbolic link"):
        read_text_file(path)


def test_a_file_that_was_left_behind_goes_after_a_week(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    old, young = (make_text_file("description", "one") for _ in range(2))
    os.utime(old.parent, (0, time.time() - MAX_DAYS * 24 * 3600 - 9))
    make_text_file("description", "two")
    assert not old.exists()
    assert young.exists()
