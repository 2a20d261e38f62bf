"""The editor of the person, from ``$VISUAL`` or ``$EDITOR``, for long texts.

An editor can start a shell and open any file. So there is one only where a shell has started Podium, as with Ctrl+Z,
and where people can name files: not under ``ForceCommand`` of sshd, and not in a browser.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from pathlib import Path

from core.files.edited_text import MAX_DAYS, UnreadableText, make_text_file, read_text_file, remove_text_file
from tui.dialogs.host import EditedText
from tui.launch.foreground_process import find_program, run_in_foreground
from tui.launch.launch_rules import exit_message
from tui.podium import Podium
from tui.terminal.lifecycle import STDOUT, is_leaving, no_way_back

VARIABLES = ("VISUAL", "EDITOR")

WAITING = {
    **dict.fromkeys(
        ("code", "code-insiders", "codium", "vscodium", "cursor", "windsurf", "zed", "zeditor", "subl", "atom", "gedit",
         "gnome-text-editor", "xed", "pluma", "bbedit", "mate", "nova", "idea", "pycharm", "webstorm", "goland"),
        "--wait",
    ),
    "gvim": "--nofork",
    "mvim": "--nofork",
    "kate": "--block",
}  # fmt: skip
"""Editors with windows of their own, and the option with which they wait until the file is closed."""

SHORT = {"-w": "--wait", "-f": "--nofork", "-b": "--block"}

NO_SHELL = "An editor can start a shell, so none runs here. Write in this window."
NO_EDITOR = "Write here, or set EDITOR to the name of your editor, such as EDITOR=nano."
NOT_SAVED = "It is not saved yet: ctrl+s saves it."


def editor_command(environ: Mapping[str, str]) -> list[str]:
    """Return the program of the person and its options, without the file; empty if none is set.

    Raises ValueError with a sentence for one that cannot be run.
    """
    variable = next((name for name in VARIABLES if environ.get(name, "").strip()), "")
    if not variable:
        return []
    try:
        words = shlex.split(environ[variable])
    except ValueError:
        words = []
    program = find_program(words[0], environ) if words else None
    if program is None:
        raise ValueError(f"There is no program “{environ[variable]}”, which {variable} names. Write here instead.")
    option = WAITING.get(os.path.basename(words[0]))
    if option and not any(SHORT.get(word, word) == option for word in words[1:]):
        words.insert(1, option)
    return [program, *words[1:]]


def why_no_editor(podium: Podium) -> str:
    """Return the reason why a text is not edited in a program of the person; "" if it can be."""
    if podium.is_headless or not podium.files or no_way_back():
        return NO_SHELL
    try:
        return "" if editor_command(os.environ) else NO_EDITOR
    except ValueError as error:
        return str(error)


def edit_text(podium: Podium, name: str, text: str) -> EditedText:
    """Let the person edit a text in their editor, and return what comes of it. Never raises.

    It blocks the event loop on purpose, like a terminal product. ``name`` is a name of ours for the file.
    """
    if refusal := why_no_editor(podium):
        return EditedText(text, refusal)
    try:
        path = make_text_file(name, text)
    except OSError as error:
        return EditedText(text, f"The file for the editor cannot be written: {error.strerror}. Write here instead.")
    argv = editor_command(os.environ)
    try:
        with podium.suspend():
            status = _run([*argv, str(path)])
    except OSError as error:
        remove_text_file(path)
        return EditedText(text, f"“{argv[0]}” could not be started: {error.strerror}. Write here instead.")
    return _take_over(path, text, os.path.basename(argv[0]), status)


def _run(argv: list[str]) -> int:
    if os.path.basename(argv[0]) in WAITING:
        os.write(STDOUT, b"Podium goes on when you close the text in your editor.\r\n")
    environ = {name: value for name, value in os.environ.items() if not name.startswith("PODIUM_")}
    return run_in_foreground(argv, environ, os.path.dirname(argv[-1]))


def _take_over(path: Path, before: str, program: str, status: int) -> EditedText:
    """The text of the file. A text that cannot be taken over stays in the file, which is named."""
    failed = exit_message(program, status) if status else ""
    try:
        text = read_text_file(path)
    except FileNotFoundError:
        remove_text_file(path)
        return EditedText(before, f"{failed} The editor removed the file, so nothing was changed.".strip())
    except (OSError, UnreadableText) as error:
        why = str(error) if isinstance(error, UnreadableText) else f"cannot be read ({error.strerror})"
        home = os.path.expanduser("~")
        kept = f"~{str(path).removeprefix(home)}" if str(path).startswith(f"{home}{os.sep}") else str(path)
        where = f"For {MAX_DAYS} days it is kept in {kept}"
        return EditedText(before, f"{failed} The text {why}, so nothing was changed. {where}".strip())
    if not is_leaving():
        remove_text_file(path)
    if failed:
        changed = NOT_SAVED if text != before.rstrip("\n") else "Nothing was changed."
        return EditedText(text, f"{failed} {changed}")
    if before.strip() and not text.strip():
        return EditedText(text, "The text is empty now. ctrl+s saves that, esc keeps what was there.")
    return EditedText(text)
