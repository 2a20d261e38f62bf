"""Short keys: ``AUT`` names a project, ``AUT-12`` its twelfth card. Users type them in any case."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import product
from string import ascii_uppercase

from core.errors import InvalidInput

SHORTEST, LONGEST = 2, 6
"""Letters of the key of a project."""

USUAL = 3
"""Letters of a key that Podium chooses, where it is free."""

PROJECT_KEY = re.compile(rf"[A-Za-z]{{{SHORTEST},{LONGEST}}}")
CARD_KEY = re.compile(rf"({PROJECT_KEY.pattern})-([1-9][0-9]{{0,8}})")

MAX_NUMBER = 99_999_999
"""The highest number of a card in a document, which leaves enough for those that follow."""


def card_key(project_key: str, number: int) -> str:
    """Return the key of a card."""
    return f"{project_key}-{number}"


def read_card_key(text: str) -> tuple[str, int] | None:
    """Return the key of the project and the number in the key of a card; None for any other text.

    >>> read_card_key("aut-12")
    ('AUT', 12)
    """
    found = CARD_KEY.fullmatch(text.strip())
    return (found[1].upper(), int(found[2])) if found else None


def read_card_keys(texts: Iterable[str]) -> tuple[str, list[int]]:
    """Return the key of a project and the number of the card for each text, each number once; else 0.

    >>> read_card_keys(["AUT-1", "", "AUT-2", "AUT-2"]), read_card_keys(["AUT-1", "SPR-2"])
    (('AUT', [1, 0, 2, 0]), ('', [0, 0]))
    """
    keys = [read_card_key(text) or ("", 0) for text in texts]
    projects = {project for project, _ in keys if project}
    if len(projects) != 1:
        return "", [0] * len(keys)
    first = {number: at for at, (_, number) in reversed([*enumerate(keys)]) if number <= MAX_NUMBER}
    return projects.pop(), [number if first.get(number) == at else 0 for at, (_, number) in enumerate(keys)]


def read_project_key(text: str) -> str | None:
    """Return the key of a project as it is stored; None for a text that is not the form of one."""
    word = text.strip()
    return word.upper() if PROJECT_KEY.fullmatch(word) else None


def project_key(text: str) -> str:
    """Return a key that a user typed as it is stored. Raises InvalidInput."""
    if (key := read_project_key(text)) is None:
        raise InvalidInput("key", f"A key has {SHORTEST} to {LONGEST} letters from A to Z, for example AUT.")
    return key


def keys_for(name: str) -> Iterator[str]:
    """Yield keys for a project of this name, the best first; none comes twice.

    They are the beginnings of its letters, then three of them with letters that count up.

    >>> [key for key, _ in zip(keys_for("Autumn 2026"), range(6))]
    ['AUT', 'AUTU', 'AUTUM', 'AUTUMN', 'AUTA', 'AUTB']
    """
    letters = re.sub("[^A-Z]", "", unicodedata.normalize("NFKD", name.casefold()).upper())
    if len(letters) < SHORTEST:
        letters = "PROJECT"
    beginnings = [letters[:size] for size in range(USUAL, max(USUAL, min(len(letters), LONGEST)) + 1)]
    yield from beginnings
    stem = letters[:USUAL]
    for size in range(1, LONGEST - len(stem) + 1):
        for end in product(ascii_uppercase, repeat=size):
            if (key := stem + "".join(end)) not in beginnings:
                yield key
