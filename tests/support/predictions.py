"""A dry run beside the real command: the records of a database, what differs between two times, and equal new ids."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from itertools import count
from operator import methodcaller
from pathlib import Path
from typing import Any, cast
from unittest.mock import patch
from uuid import UUID

from core.codec.encoding import to_json
from core.domain.model import Id
from core.engine import unit_of_work
from core.engine.dry_run import DryRun, RecordDifference
from core.engine.large_projects import sweep
from core.engine.messages import Command
from core.engine.unit_of_work import Actor
from core.errors import PodiumError
from core.storage.database import Database
from core.storage.row_mapper import tables
from core.wire.error_bodies import to_error_body
from tests.support.postgres_cluster import ON_POSTGRES, rows_of
from tests.support.workspace import World

Records = dict[tuple[str, str], tuple[Id | None, dict[str, Any]]]
"""Each record by its table and key: the user whom alone it concerns, or None, and its fields as JSON."""

OF_ONE_USER = {"notification", "active_preset", "favourite", "last_seen", "preference", "saved_filter", "preset"}
HASHES = {"hash", "codeHash"}


def every_row(path: Path) -> Any:
    """All rows of all tables of a database, also of those that hold no records."""
    if ON_POSTGRES:
        return {table: sorted(rows) for table, rows in rows_of(path).items()}
    with closing(sqlite3.connect(path)) as connection:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {name: connection.execute(f"SELECT * FROM {name}").fetchall() for name in sorted(names)}


def records(database: Database) -> Records:
    """All records of a database, without seals, which are beside what a command changes and never change."""
    found: Records = {}
    for table in (each for each in tables() if each.name != "gate_seal"):
        read = f"SELECT {', '.join(table.columns)} FROM {table.name}"
        for values in database.read(methodcaller("tuples", read)):
            row = dict(zip(table.columns, values, strict=True))
            owner = row["owner_id" if table.name == "preset" else "user_id"] if table.name in OF_ONE_USER else None
            key = json.dumps([row[name] for name in table.key])
            found[table.name, key] = owner, to_json(table.load(row))
            if table.name == "launch":  # whose context is stored as text
                found[table.name, key][1]["context"] = json.loads(row["context"])
    return found


def difference(before: Records, after: Records, reader: Id) -> list[RecordDifference]:
    """The records that differ, of those that ``reader`` can see; without hashes of secrets."""
    found = []
    for key in before.keys() | after.keys():
        (owner, was), (new_owner, is_now) = before.get(key, (None, None)), after.get(key, (None, None))
        if was != is_now and {owner, new_owner} <= {None, reader}:
            shown = [
                {name: each[name] for name in each if name not in HASHES} if each else None for each in (was, is_now)
            ]
            found.append(RecordDifference(entity=key[0], before=shown[0], after=shown[1]))
    return in_order(found)


def in_order(changes: Iterable[RecordDifference]) -> list[RecordDifference]:
    """Changes in an order that does not depend on who made the list."""
    return sorted(changes, key=lambda each: json.dumps(to_json(each), sort_keys=True))


_ROUNDS = count(1)


@contextmanager
def equal_new_ids(start: int) -> Iterator[None]:
    """Let a command make the same ids and accounts each time that it is carried out with this ``start``."""
    numbers, accounts = count(start * 1_000), count(start * 1_000)
    with (
        patch.object(unit_of_work, "new_ulid", lambda: f"01ZZZZZZZZZZZZZZZ{next(numbers):09}"),
        patch("uuid.uuid4", lambda: UUID(int=next(accounts))),
    ):
        yield


def carry_out_as_foreseen(world: World, command: Command[Any], actor: Actor) -> DryRun:
    """Compare a dry run of a command with the command, which is carried out. Raises the error of both."""
    before, rows, start = records(world.database), every_row(world.database.path), next(_ROUNDS)
    with equal_new_ids(start):
        foreseen = outcome(lambda: world.engine.dry_run(command, actor))
    assert every_row(world.database.path) == rows
    with equal_new_ids(start):
        done = outcome(lambda: world.engine.execute(command, actor))
    if command.leaves_rows:
        sweep(world.database)
    if isinstance(foreseen, PodiumError) or isinstance(done, PodiumError):
        assert isinstance(foreseen, PodiumError), done
        assert isinstance(done, PodiumError), foreseen
        assert to_error_body(foreseen, "") == to_error_body(done, "")
        raise done
    shown = [each for each in foreseen.changes if each.entity != "gate_seal"]
    assert in_order(shown) == difference(before, records(world.database), actor.user_id)
    return cast(DryRun, foreseen)


def outcome(work: Callable[[], Any]) -> Any:
    """The result of ``work``, or the PodiumError that it raises."""
    try:
        return work()
    except PodiumError as error:
        return error
