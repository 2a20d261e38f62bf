"""Lists, numbers and constants as people write them in a sentence, pure."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

ULID_FORM = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}")


def no_such(noun: str, key: object) -> str:
    """That a record is not there. A key is repeated only where a person may have typed it: a ULID says nothing."""
    if ULID_FORM.fullmatch(str(key)):
        return f"There is no such {noun} here. It may have been deleted."
    return f"There is no {noun} “{key}” here."


def names(words: Sequence[str]) -> str:
    """A list: "a, b and c"."""
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)


def full_name(first: str | None, last: str | None) -> str:
    """What somebody is called, of whom one name may be missing, or both where their row is gone."""
    return f"{first or ''} {last or ''}".strip()


def credited(name: str, how: str) -> str:
    """Who did something, and how, where another person may have done it: “Ann Berg, with a token made by Adam Ito”."""
    return f"{name}, {how}" if how else name


def some(words: Sequence[str], most: int, more: str = "more") -> str:
    """The first few of a list, and how many there are beside them: "a, b and 3 more"."""
    left = len(words) - most
    return names([*words[:most], *([f"{left} {more}"] if left > 0 else [])])


def shell_command(*words: str) -> str:
    """A command to type, quoted for a shell; the quotation marks keep the full stop of its sentence out of it."""
    return f"“{shlex.join(words)}”"


def in_words(constant: str) -> str:
    """A constant as people read it: "workspace admin" for ``WORKSPACE_ADMIN``."""
    return constant.replace("_", " ").lower()


def count(number: int, what: str) -> str:
    """A number of things: "1 project", "3 projects"."""
    return f"{number} {what}{'' if number == 1 else 's'}"
