"""Answers to a shell that completes a command line: ``podium complete SHELL …``, one candidate on each line.

Names are asked of the workspace, as the user who types: nothing is kept, so nothing outlives a sign-out or a right. An
answer that takes too long, or fails, is no answer.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tui.cli.option_keys import DB, DIRECT, LOGIN, SERVER

if TYPE_CHECKING:
    from tui.cli.session import Session

SECONDS = 1.0
"""The longest that a shell waits for an answer."""

MOST = 200
"""Candidates of an answer."""

PLACES = {"--db": DB, "--server": SERVER, "--as": LOGIN}
PROJECT = ("-p", "--project")

LEFT_OUT = "[project]"
"""The kind of a PROJECT that can be left out."""

FILES = "\x1f"
"""The answer by which a shell completes names of files. Without it there are none, not even as a last resort."""

DAYS = ("today", "tomorrow", "mon", "tue", "wed", "thu", "fri", "sat", "sun", "eow", "eom", "+1d", "+1w", "+2w", "none")

RECORDS = ("project", "phase", "task", "activity", "card", "person", "login", "capture")
"""The kinds of words that are names in the workspace."""

CAPTURED = ("@", "#", "!")
"""The signs before a person, a label and a priority in the words of a new task."""


class Typed(NamedTuple):
    """A line that is being typed: its options, the kind of the last word, and the project that is named before it.

    ``if_left_out`` is the kind of the last word if PROJECT is left out.
    """

    meta: dict[str, Any]
    kind: str | list[str]
    last: str
    project: str | None
    if_left_out: str | list[str] | None = None
    command_path: str = "podium complete"


def main(arguments: Sequence[str]) -> None:
    """Print the answer for these arguments, and exit."""
    signal.signal(signal.SIGALRM, lambda *_: os._exit(0))
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    shell, *words = arguments or [""]
    with contextlib.suppress(Exception):
        for each in _answer(shell, words):
            sys.stdout.buffer.write(f"{each}\n".encode())
        sys.stdout.flush()
    os._exit(0)


def _answer(shell: str, words: list[str]) -> list[str]:
    if shell != "bash":
        typed = typed_line(words)
        return candidates(typed)
    line, point, breaks = words
    whole = line.encode()[: int(point)].decode(errors="ignore") if not line.isascii() else line[: int(point)]
    read = bash_line(whole, breaks)
    found = candidates(typed_line(read.words[1:]))
    kept = read.kept if not read.quote else ""
    if found == [FILES]:
        return found
    return [bash_quoted(each[len(kept) :], read.quote) for each in found if each.startswith(kept)]


def table() -> dict[str, Any]:
    """The commands with their arguments and options."""
    import json

    found: dict[str, Any] = json.loads(Path(__file__).with_name("table.json").read_bytes())
    return found


def typed_line(words: Sequence[str]) -> Typed:
    """The meaning of the words after ``podium``, of which the last is being typed."""
    commands = table()
    path, row = "", commands[""]
    named: list[str] = []
    """The words of ``help``, which name a command."""
    meta: dict[str, Any] = {LOGIN: login} if (login := os.environ.get("PODIUM_AS")) else {}
    *before, last = words or [""]
    project, place, kind, only_words, option = None, 0, None, False, ""
    for word in before:
        if kind is not None:  # the value of an option
            if option in PLACES:
                meta[PLACES[option]] = word
            project = word if option in PROJECT else project
            kind = None
        elif word == "--":
            only_words = True
        elif word.startswith("-") and len(word) > 1 and not only_words:
            option, sign, value = word.partition("=")
            kind = None if sign else row["options"].get(option)
            if sign and option in PLACES:
                meta[PLACES[option]] = value
            if word == "--direct":
                meta[DIRECT] = True
        elif "commands" in row:
            path = f"{path} {word}".strip()
            row = commands.get(path, {"arguments": [], "many": False, "options": {}})
        else:
            if _argument(row, place) in ("project", LEFT_OUT):
                project = word
            named.append(word)
            place += 1
    if_left_out = None
    if kind is None and last.startswith("-") and not only_words:
        kind = list(row["options"])
    elif kind is None and "commands" in row:
        kind = row["commands"]
    elif kind is None:
        kind = _argument(row, place)
        if LEFT_OUT in row["arguments"]:
            if_left_out = _argument(row, place + 1)
    if kind == "command":
        kind = list(commands.get(" ".join(named), {}).get("commands", ()))
    return Typed(meta, kind, last, project, if_left_out)


def _argument(row: dict[str, Any], place: int) -> Any:
    arguments = row["arguments"]
    if place < len(arguments):
        return arguments[place]
    return arguments[-1] if row["many"] and arguments else ""


def candidates(typed: Typed) -> list[str]:
    """The words that the last one can become, those that begin exactly like it first. Raises PodiumError."""
    if isinstance(typed.kind, list) and not typed.if_left_out:
        return [each for each in typed.kind if each.startswith(typed.last)]
    if typed.kind == "file":
        return [FILES]
    if not typed.kind and not typed.if_left_out:
        return []
    from tui.cli.session import command_session

    with command_session(typed) as session:
        return _find_candidates(session, typed)


def _find_candidates(session: Session, typed: Typed) -> list[str]:
    """The words of the workspace that the last one can become. Raises PodiumError."""
    from core.actions.projects.find import FindProjects
    from core.errors import InvalidInput, NotFound
    from core.text.folding import fold

    if typed.kind == LEFT_OUT:
        own = typed._replace(kind="project", if_left_out=None)
        other = typed._replace(kind=typed.if_left_out or "", if_left_out=None)
        found = _find_candidates(session, own)
        with contextlib.suppress(InvalidInput, NotFound):  # without a current project only projects are meant
            found += [each for each in _find_candidates(session, other) if each not in found]
        return found[:MOST]
    if typed.if_left_out is not None:
        if not typed.project or not session.query(FindProjects(name=typed.project)):
            typed = typed._replace(kind=typed.if_left_out, project=None)
        return _find_candidates(session, typed._replace(if_left_out=None))
    if isinstance(typed.kind, list):
        return [each for each in typed.kind if each.startswith(typed.last)]
    if typed.kind == "filter":
        return _find_filters(session, typed)
    if typed.kind == "day":
        return [each for each in DAYS if each.startswith(typed.last)]
    sign = typed.last[:1] if typed.kind == "capture" else ""
    if typed.kind == "capture" and sign not in CAPTURED:
        return []
    if typed.kind not in RECORDS:
        return []
    records = list(dict.fromkeys(_records(session, typed)))
    if sign or typed.kind == "login":  # typed by hand, so each is one word
        return [f"{sign}{key}" for key, _ in records if f"{sign}{key}".startswith(typed.last)][:MOST]
    words = [*_words(records), *(key for key, _ in records if "-" in typed.last)]  # a key from its hyphen on
    folded = fold(typed.last)
    return [each for each in dict.fromkeys(words) if fold(each).startswith(folded)][:MOST]


def _find_filters(session: Session, typed: Typed) -> list[str]:
    """The filters that the one which is typed can become."""
    from core.actions.workflow.canvas import GetCanvas
    from core.filters.completion import complete
    from tui.cli.current_project import project_named
    from tui.cli.personal.filters import read_context

    canvas = session.query(GetCanvas(project_id=project_named(session, typed.project).id))
    found = complete(typed.last, len(typed.last), read_context(session, canvas.head))
    return [each.text for each in found][:MOST]


def _words(records: Sequence[tuple[str, str]]) -> Iterator[str]:
    """The names of records; the key or id where a shell could take the name for something else."""
    from core.text.sanitize import sanitize

    for key, name in records:
        is_plain = name and name[0] not in "-@" and name == sanitize(name).strip() and "\n" not in name
        yield name if is_plain else key


def _records(session: Session, typed: Typed) -> Iterator[tuple[str, str]]:
    """The keys and names of the records that can stand here; the id where a record has no key."""
    from core.actions.projects.find import FindProjects
    from core.text.short_keys import card_key
    from tui.cli.current_project import project_named

    if typed.kind == "project":
        for found in session.query(FindProjects()):
            yield found.keys[0] if found.keys else found.id, found.name
        return
    if typed.kind in ("person", "login"):
        from core.actions.workspace.users import ListUsers

        for person in session.query(ListUsers()):
            yield person.user.login if typed.kind == "login" else person.user.id, person.user.name
        return
    if typed.kind == "capture" and typed.last[0] == "!":
        from core.domain.model import Priority

        yield from ((each.value.lower(), each.shown) for each in Priority)
        return
    project = project_named(session, typed.project)
    if typed.kind == "capture":
        from core.actions.workflow.canvas import GetCanvas

        head = session.query(GetCanvas(project_id=project.id)).head
        if typed.last[0] == "@":
            yield from ((each.login, each.name) for each in head.members)
        else:
            yield from ((each.name, each.name) for each in head.labels if " " not in each.name)
        return

    def key(number: int, card_id: str) -> str:
        return card_key(project.keys[0], number) if project.keys else card_id

    if typed.kind == "phase":
        from core.actions.workflow.phases import ListPhases

        for line in session.query(ListPhases(project_id=project.id)):
            yield line.phase.id, line.phase.name
    elif typed.kind == "task":
        from core.actions.cards.tasks import ListTasks

        for task in session.query(ListTasks(project_id=project.id)):
            yield key(task.number, task.id), task.title
    else:
        from core.actions.workflow.canvas import GetCanvas
        from core.domain.model import ItemKind

        kinds = {"activity": {ItemKind.ACTIVITY}, "card": set(ItemKind)}[str(typed.kind)]
        for card in session.query(GetCanvas(project_id=project.id)).cards:
            if card.kind in kinds:
                yield key(card.number, card.id), card.title


SPACES = " \t\n"
PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,+%")
IN_DOUBLE = frozenset('\\"$`')
"""Characters that keep a meaning inside double quotes."""


class BashLine(NamedTuple):
    """The words up to the cursor, of which the last may be unfinished, and empty.

    ``quote`` is the quote that is open at the cursor, or "". ``kept`` is the beginning of the last word that bash
    leaves on the line, because a character such as ":" ends a word for it.
    """

    words: list[str]
    quote: str
    kept: str


def bash_line(line: str, breaks: str) -> BashLine:
    """Read a line up to the cursor."""
    words: list[str] = []
    word, quote, kept, is_open = "", "", "", False
    letters = iter(line)
    for letter in letters:
        if quote:
            if letter == quote:
                quote = ""
            elif letter == "\\" and quote == '"':
                following = next(letters, "")
                word += following if following in IN_DOUBLE else f"\\{following}"
            else:
                word += letter
            continue
        if letter in SPACES:
            if is_open:
                words.append(word)
            word, kept, is_open = "", "", False
            continue
        is_open = True
        if letter in "'\"":
            quote = letter
        elif letter == "\\":
            word += next(letters, "")
        else:
            word += letter
            if letter in breaks:
                kept = word
    return BashLine([*words, word], quote, kept)


def bash_quoted(text: str, quote: str) -> str:
    """A text as it stands on a line of bash, after an open quote if there is one. It is one word, and runs nothing."""
    if quote == "'":
        return text.replace("'", "'\\''")
    if quote == '"':
        return "".join(f"\\{letter}" if letter in IN_DOUBLE else letter for letter in text)
    return "".join(letter if letter in PLAIN or ord(letter) > 127 else f"\\{letter}" for letter in text)
