"""``podium add`` without click, whose import takes longer than the command itself.

Only plain command lines are read here. Anything else, such as --help or a mistyped option, is left to click, which
reads the same words in the same way: a test compares the two.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, NamedTuple

from tui.cli.last_net import exit_with
from tui.cli.option_keys import DB, DIRECT, IDS, JSON, LOGIN, SERVER
from tui.cli.session import command_session

PROJECT = "project"
TAKES_TEXT = {"--db": DB, "--server": SERVER, "--as": LOGIN, "--project": PROJECT, "-p": PROJECT}
FLAGS = {"--direct": DIRECT, "--json": JSON, "-q": IDS, "--quiet": IDS}


class QuickLine(NamedTuple):
    """The command line of ``podium add``: its words, and its options as ``tui.cli.session`` keeps them."""

    words: tuple[str, ...]
    meta: dict[str, Any]
    command_path: str = "podium add"


def main(arguments: Sequence[str]) -> None:
    """Carry out a command line and exit; return if click has to read it."""
    line = quick_line(arguments)
    if line is not None:
        exit_with(lambda: _add(line), as_json=JSON in line.meta, leave=os._exit)  # the system frees memory faster


def _add(line: QuickLine) -> None:
    from tui.cli.capture import add

    with command_session(line) as session:
        add(session, line.meta.get(PROJECT), line.words)


def quick_line(arguments: Sequence[str]) -> QuickLine | None:
    """The command line of these arguments of the program, or None for one that click has to read."""
    if not arguments or arguments[0] != "add" or "PODIUM_TOKEN_FD" in os.environ:
        return None
    words: list[str] = []
    meta: dict[str, Any] = {LOGIN: login} if (login := os.environ.get("PODIUM_AS")) else {}
    rest = iter(arguments[1:])
    for word in rest:
        name, sign, value = word.partition("=") if word.startswith("--") else (word, "", "")
        if word == "--":
            words += rest
        elif name in TAKES_TEXT:
            value = value if sign else next(rest, "--")
            if value.startswith("-") and not sign:  # click refuses it, or takes it for the value
                return None
            if value or TAKES_TEXT[name] in (DB, PROJECT):
                meta[TAKES_TEXT[name]] = value
        elif name in FLAGS and not sign:
            meta[FLAGS[name]] = True
        elif word.startswith("-") and word != "-":
            return None
        else:
            words.append(word)
    is_text = all(map(_is_utf_8, arguments))
    return QuickLine(tuple(words), meta) if words and is_text else None


def _is_utf_8(word: str) -> bool:
    try:
        word.encode()
    except UnicodeEncodeError:
        return False
    return True
