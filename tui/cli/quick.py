"""``podium add``, ``podium open`` and ``podium`` without click, whose import takes longer than ``add`` itself.

Only plain command lines are read here. Anything else, such as --help or a mistyped option, is left to click, which
reads the same words in the same way: a test compares the two.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from core.record import Record
from tui.cli.error_output import exit_with
from tui.cli.option_keys import DB, DIRECT, IDS, JSON, LOGIN, SERVER
from tui.cli.session import command_session

PROJECT = "project"
OF_ALL = {"--db": DB, "--server": SERVER, "--as": LOGIN}
FLAGS_OF_ALL = {"--direct": DIRECT, "--json": JSON}


class Form(Record, kw_only=False):
    """The options of a command, with a text and without, by the names under which they are kept; and its words."""

    command_path: str
    takes_text: Mapping[str, str]
    flags: Mapping[str, str]
    least: int
    most: int | None
    """The numbers of words; None for any."""


ADD = Form(
    "podium add",
    OF_ALL | {"--project": PROJECT, "-p": PROJECT},
    FLAGS_OF_ALL | {"-q": IDS, "--quiet": IDS},
    1,
    None,
)
OPEN = Form("podium open", OF_ALL, FLAGS_OF_ALL, 1, 1)
HERE = Form("podium", OF_ALL, FLAGS_OF_ALL, 0, 0)
COMMANDS = {"add": ADD, "open": OPEN}


class QuickLine(Record, kw_only=False):
    """A command line: its words, and its options as ``tui.cli.session`` keeps them."""

    form: Form
    words: tuple[str, ...]
    meta: dict[str, Any]

    @property
    def command_path(self) -> str:
        return self.form.command_path


def main(arguments: Sequence[str]) -> None:
    """Carry out a command line and exit; return if click has to read it."""
    line = quick_line(arguments)
    if line is None:
        return
    if line.form is ADD:
        exit_with(lambda: _add(line), as_json=JSON in line.meta, leave=os._exit)  # the system frees memory faster
    exit_with(lambda: _open(line), as_json=JSON in line.meta)


def _add(line: QuickLine) -> None:
    from tui.cli.capture import add

    with command_session(line) as session:
        add(session, line.meta.get(PROJECT), line.words)


def _open(line: QuickLine) -> int:
    from tui.cli.opening import open_here

    return open_here(line, *line.words)


def quick_line(arguments: Sequence[str]) -> QuickLine | None:
    """The command line of these arguments of the program, or None for one that click has to read."""
    if "PODIUM_TOKEN_FD" in os.environ or not all(map(_is_utf_8, arguments)):
        return None
    form = COMMANDS.get(arguments[0]) if arguments else None
    return _line(form, arguments[1:]) if form else _line(HERE, arguments)


def _line(form: Form, arguments: Sequence[str]) -> QuickLine | None:
    """The command line of the arguments of a command."""
    words: list[str] = []
    meta: dict[str, Any] = {LOGIN: login} if (login := os.environ.get("PODIUM_AS")) else {}
    rest = iter(arguments)
    for word in rest:
        name, sign, value = word.partition("=") if word.startswith("--") else (word, "", "")
        if word == "--":
            words += rest
        elif name in form.takes_text:
            value = value if sign else next(rest, "--")
            if value.startswith("-") and not sign:  # click refuses it, or takes it for the value
                return None
            if value or form.takes_text[name] in (DB, PROJECT):
                meta[form.takes_text[name]] = value
        elif name in form.flags and not sign:
            meta[form.flags[name]] = True
        elif word.startswith("-") and word != "-":
            return None
        else:
            words.append(word)
    is_whole = form.least <= len(words) and (form.most is None or len(words) <= form.most)
    return QuickLine(form, tuple(words), meta) if is_whole else None


def _is_utf_8(word: str) -> bool:
    try:
        word.encode()
    except UnicodeEncodeError:
        return False
    return True
