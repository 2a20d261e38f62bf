"""Ids in the place of the keys that a message names: ``AUT-12`` wherever a field takes the id of a card, ``AUT`` for a
project. Only keys of the sender's projects are known, so that nobody can try out which there are."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

from core.domain.model import Id
from core.engine.messages import Message, Undecided
from core.record import Record, fields, replace
from core.storage.database import Tx
from core.text.short_keys import read_card_key, read_project_key

M = TypeVar("M", bound=Record)
Read = Callable[[Callable[[Tx], Id | None]], Id | None]

PROJECT_FIELD = "project_id"
LONGEST = 20
"""The longest text that can be a key; ids are longer."""

OF_MINE = "project_id IN (SELECT project_id FROM member WHERE user_id = :me)"
CARD = (
    "SELECT item.id FROM item JOIN project_key ON project_key.project_id = item.project_id"
    f" WHERE project_key.key = :key AND item.number = :number AND project_key.{OF_MINE}"
)
PROJECT = f"SELECT project_id FROM project_key WHERE key = :key AND {OF_MINE}"


def with_ids(message: M, read: Read, me: Id) -> M:
    """Return a message with ids for the keys in it, also in the commands of a bulk change. Unknown keys stay."""
    found: dict[str, Any] = {}
    for name in _fields(type(message)):
        try:
            value = getattr(message, name)
        except Undecided:
            continue
        if isinstance(value, str):
            if len(value) <= LONGEST and (known := _id(value, name, read, me)):
                found[name] = known
        elif isinstance(value, tuple) and value and isinstance(value[0], Message):
            steps = tuple(with_ids(step, read, me) for step in value)
            if any(after is not before for after, before in zip(steps, value, strict=True)):
                found[name] = steps
    return replace(message, **found) if found else message


@cache
def _fields(kind: type[Record]) -> tuple[str, ...]:
    """The fields that can have the id of a project or a card, or commands."""
    return tuple(name for name in fields(kind) if name.endswith("_id") or name == "commands")


def _id(text: str, name: str, read: Read, me: Id) -> Id | None:
    if card := read_card_key(text):
        return read(lambda tx: _first(tx, CARD, key=card[0], number=card[1], me=me))
    if name == PROJECT_FIELD and (key := read_project_key(text)):
        return read(lambda tx: _first(tx, PROJECT, key=key, me=me))
    return None


def _first(tx: Tx, sql: str, **params: object) -> Id | None:
    rows = tx.tuples(sql, **params)
    return str(rows[0][0]) if rows else None
