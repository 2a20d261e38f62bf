"""Counting what SQLite does for a message, so that a test sees what grows with a project without measuring time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

from core.engine.messages import Message
from core.engine.unit_of_work import Actor
from core.storage import deadline
from core.storage.database import Database, Statement, Tx
from core.storage.progress import Progress
from core.storage.sqlite.transaction import SqliteTx
from tests.support.workspace import World, send

EACH = 100
"""Instructions of SQLite between two looks."""


class Looks(Progress):
    """Counts how often SQLite asks whether a transaction is given up; gives it up at one of these looks."""

    def __init__(self, until: int = 2**62) -> None:
        super().__init__(lambda _done, _total: None)
        self.count = 0
        self.until = until

    @property
    def cancelled(self) -> bool:
        self.count += 1
        return self.count >= self.until


def looks_for(monkeypatch: pytest.MonkeyPatch, world: World, message: Message[Any], actor: Actor | None = None) -> int:
    """The cost of a message in the database, in hundreds of instructions plus statements."""
    monkeypatch.setattr(deadline, "CHECK_EVERY", EACH)
    looks = Looks()
    send(world.engine, message, actor or world.maya, looks)
    return looks.count


@contextmanager
def noted_statements(monkeypatch: pytest.MonkeyPatch, database: Database) -> Iterator[list[str]]:
    """Note the statements that are sent to a database meanwhile, in order."""
    sent: list[str] = []
    with monkeypatch.context() as patch:
        kind: Any = database.read(type)
        for name in ("query", "tuples", "execute"):
            patch.setattr(kind, name, _noting(getattr(kind, name), sent))
        many: Callable[[Any, Sequence[Statement]], list[int]] = kind.execute_all

        def noting_all(tx: Any, statements: Sequence[Statement]) -> list[int]:
            sent.extend(sql for sql, _ in statements)
            return many(tx, statements)

        patch.setattr(kind, "execute_all", noting_all)
        patch.setattr(kind, "tuples_all", SqliteTx.tuples_all)  # one after the other, by ``tuples``
        yield sent


def _noting(method: Callable[..., Any], sent: list[str]) -> Callable[..., Any]:
    def run(tx: Tx, sql: str, **params: object) -> Any:
        sent.append(sql)
        return method(tx, sql, **params)

    return run
