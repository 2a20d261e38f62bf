"""Snapshot and UnitOfWork: how a message reads and writes records of any kind, and how each change is recorded."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, tzinfo
from functools import cached_property
from typing import Any, TypeVar

from core.domain.grants import NOTHING, Grant, PermissionQuery
from core.domain.max_lengths import TOO_MANY_RECORDS
from core.domain.model import WORKSPACE, ChangeKind, Id, Item, User, Workspace
from core.domain.permissions import Permission
from core.domain.products.products import Product
from core.domain.quotas import Quotas
from core.engine.change_records import ADD_CHANGE, RecordChange, explain_conflict, insert_records
from core.engine.counters import ITEM_COUNTS, Counts, WrittenItems, completion_by, counts_in
from core.errors import Forbidden, NotFound, RuleViolation, VersionConflict
from core.presence.presence import Presence
from core.record import Record, replace
from core.storage.database import Row, Statement, Tx
from core.storage.progress import NO_PROGRESS, Progress
from core.storage.row_mapper import Table, bytes_in, encode_value, table_of
from core.storage.ulids import new_ulid
from core.text.phrases import no_such, noun_of

T = TypeVar("T")

Answers = Mapping[PermissionQuery, Grant]
NO_ANSWERS: Answers = {}


class Actor(Record, kw_only=False):
    """The sender of a message, and the kind of connection: "local", "ssh" or "browser"."""

    user_id: Id
    via: str = "local"
    through: str = ""
    """The way another person could act as this user, in words for the history; empty where only the user could."""
    in_session: bool = False
    """True if the user came by a session that a gateway opened, without a token or an account of their own."""
    login: str = ""  # for the log of a server
    sign_in: str = ""
    """The id of the token, or “HOST:UID” of the linked account, that signed the user in; empty without a server."""
    today: date | None = None
    zone: tzinfo | None = None
    """The user's date and offset from UTC; None where they are not known, which means those where Podium runs."""


class Snapshot:
    """Reads the records of one query, as of one moment and as its sender is allowed to see them.

    For example ``view.get(Task, id=task_id)`` or ``view.all(Member, "project_id = :id", id=project_id)``.
    """

    only_reads = False
    """True in a dry run that writes nothing, not even what it rolls back."""

    quotas: Quotas | None = None
    """The most that one user can have and add; None where there are no quotas."""

    presence: Presence
    """The users who are online. Only queries have it, since presence is not part of the database."""

    load_catalog: Callable[[], Mapping[str, Any]] = dict
    """Returns all messages by name, as the engine has them: the history stores only names."""

    def __init__(
        self, tx: Tx, actor: Actor, now: datetime, scope: Id, grant: Grant = NOTHING, answers: Answers = NO_ANSWERS
    ) -> None:
        self.tx = tx
        self.actor = actor
        self.now = now
        self.scope = scope
        self.grant = grant
        """The permissions that the actor holds on the account of the message, and the source that says so."""
        self.answers = answers
        """The answers of the permission source to the message's ``asks``."""

    @property
    def held(self) -> frozenset[Permission]:
        """Podium's own permission codes that the actor holds."""
        return frozenset(code for code in Permission if code in self.grant.held)

    def require(self, permission: Permission) -> None:
        """Require another permission beside the message's own. Raises Forbidden."""
        if permission not in self.held:
            raise Forbidden(f"You cannot {permission.phrase}.")

    @cached_property
    def by_guest(self) -> bool:
        """True if the actor is a guest: a user without a platform role."""
        rows = self.tx.tuples("SELECT platform_roles FROM app_user WHERE id = :me", me=self.actor.user_id)
        return not rows or not json.loads(rows[0][0])

    @property
    def seq(self) -> int:
        """The number of the last change of the message's project, or of the workspace."""
        return int(self.rows("SELECT seq FROM feed WHERE id = :id", id=self.scope)[0]["seq"])

    @property
    def today(self) -> date:
        """The date of the user; where it is not known, the date where Podium runs."""
        return self.actor.today or self.day_of(self.now)

    def day_of(self, at: datetime) -> date:
        """The date of a moment in the user's time zone."""
        return at.astimezone(self.actor.zone).date()

    def item_counts(self, project_id: Id) -> Counts:
        """Return the item counts of a project."""
        rows = self.tx.tuples(ITEM_COUNTS, project_id=project_id)
        return counts_in(rows[0][0]) if rows else {}

    def find(self, record: type[T], **key: object) -> T | None:
        """Return the record with these column values, or None."""
        found = self.all(record, " AND ".join(f"{column} = :{column}" for column in key), **key)
        return found[0] if found else None

    def get(self, record: type[T], *, seen_version: int | None = None, **key: object) -> T:
        """Return the record with these column values.

        Raises NotFound, or VersionConflict when its version is not ``seen_version``.
        """
        if (found := self.find(record, **key)) is None:
            raise NotFound(no_such(noun_of(record), list(key.values())[-1]))
        return check_version(self, found, seen_version)

    def all(self, record: type[T], where: str, **params: object) -> list[T]:
        """Return the records that satisfy ``where``, ordered by their key unless ``where`` has an ORDER BY."""
        return self.load_records(record, self.tx.tuples(select(record, where), **params))

    def read_workspace(self) -> Workspace:
        """Return the workspace, of which a database has one."""
        return self.all(Workspace, "1 = 1")[0]

    def load_records(self, record: type[T], rows: Iterable[Sequence[Any]]) -> list[T]:
        """Return the records in the rows of a statement that ``select`` made."""
        table = table_of(record)
        return [self._hide_fields(table.load_values(row)) for row in rows]

    def rows(self, sql: str, **params: object) -> list[Row]:
        """Return the rows of any other SELECT."""
        return self.tx.query(sql, **params)

    def _hide_fields(self, record: T) -> T:
        """Return a record without the fields that guests do not need: e-mails of other users, commands of products."""
        if isinstance(record, User) and record.id != self.actor.user_id and self.by_guest:
            return replace(record, email="")
        if isinstance(record, Product) and record.command and self.by_guest:
            return replace(record, command=())
        return record


class UnitOfWork(Snapshot):
    """A Snapshot that also writes. Each write becomes a RecordChange, and all of them together one change.

    For example ``work.update(task, title="New")``, ``work.insert(comment)`` or ``work.delete(comment)``, and
    ``work.say("renamed the task")``. Writes are sent together, before the next statement that reads, with the record of
    the change, or by ``flush``: work that is not recorded has to end with it.
    """

    def __init__(
        self, tx: Tx, actor: Actor, now: datetime, scope: Id, grant: Grant = NOTHING, answers: Answers = NO_ANSWERS
    ) -> None:
        self._waiting: list[Statement] = []
        """The statements that write, and have not been sent yet: many go together."""
        super().__init__(tx, actor, now, scope, grant, answers)
        self.changes: list[RecordChange] = []
        self.asked: list[Permission] = []
        """The permissions that were required, the message's own first. Reverting the change requires all of them."""
        self.kind = ChangeKind.DO
        self.reverts: int | None = None
        self.summary = ""
        self.recorded = 0
        """The number of this change's records that are in the history already."""
        self.beside = 0
        """The bytes of text that are written but belong to no record."""
        self._text = 0
        self.prepared: Any = None
        """The value that the command's ``prepare`` returned before the transaction."""
        self.progress: Progress = NO_PROGRESS
        self.writes = 0
        """The number of records written, including those of steps that were rolled back."""
        self.most_writes: int | None = None
        """The most records that it can write; None for any number."""
        self.items = WrittenItems(self._of_project)
        self.refused_keys, self.is_dry_run = set[str](), False  # keys of projects that turned out not to be free

    @property
    def tx(self) -> Tx:
        """The transaction, which has all that was written by now."""
        self.flush()
        return self._tx

    @tx.setter
    def tx(self, tx: Tx) -> None:
        self._tx = tx

    def _hide_fields(self, record: T) -> T:
        """The record as it is, since it may be written again."""
        return record

    def require(self, permission: Permission) -> None:
        super().require(permission)
        if permission not in self.asked:
            self.asked.append(permission)

    def item_counts(self, project_id: Id) -> Counts:
        """As in Snapshot, with the items written by now."""
        return self.items.counts(project_id)

    @property
    def written(self) -> int:
        """The bytes of text written: the texts of records before and after, the summary, and ``beside``."""
        return self.beside + len(self.summary) + self._text

    def say(self, summary: str) -> None:
        """Set the summary of the change for the history: what was done, without the user and the time."""
        self.summary = summary

    def insert(self, record: T) -> T:
        """Insert a record and return it; a card without a number gets the next one of its project."""
        if isinstance(record, Item) and not record.number:
            record = replace(record, number=self.items.next_number(record.project_id))
        table = table_of(type(record))
        self.insert_row(table, table.dump(record))
        return record

    def insert_row(self, table: Table, row: dict[str, Any]) -> None:
        """Insert a record by its row, which has all columns."""
        self._waiting.append((table.insertion, table.with_folded(row)))
        self._keep(table, row, None, row)

    def flush(self) -> None:
        """Write what is not in the database yet. Raises ConstraintViolation, or VersionConflict where an updated row
        no longer has the version of its record."""
        if waiting := self._waiting:
            self._waiting = []
            alone = waiting[0] if len(waiting) == 1 else None
            counts = [self._tx.execute(alone[0], **alone[1])] if alone else self._tx.execute_all(waiting)
            if any(not n and sql.startswith("UPDATE") for n, (sql, _) in zip(counts, waiting, strict=True)):
                raise VersionConflict("Another person changed this at the same moment. Try again.", current=None)

    def update(self, record: T, **changes: Any) -> T:
        """Change fields of a record and return it; nothing is written when they already have these values.

        Raises as ``flush`` does, at once or with the next statement.
        """
        changes |= completion_by(record, changes, self.actor.user_id, self.now, self.kind)
        differing = {name: value for name, value in changes.items() if getattr(record, name) != value}
        return self._write(record, differing) if differing else record

    def touch(self, record: T) -> T:
        """Raise the version of a record without changing its fields, because records that belong to it have changed."""
        return self._write(record, {})

    def _write(self, record: T, differing: dict[str, Any]) -> T:
        table = table_of(type(record))
        changed: T = replace(record, **differing, version=record.version + 1)  # type: ignore[attr-defined, type-var]
        before = {name: encode_value(getattr(record, name)) for name in (*differing, "version")}
        after = {name: encode_value(getattr(changed, name)) for name in (*differing, "version")}
        self.update_row(table, table.dump(record), before, after)
        return changed

    def update_row(self, table: Table, row: dict[str, Any], before: dict[str, Any], after: dict[str, Any]) -> None:
        """Change columns of a record by its row; both versions are among them."""
        written = table.with_folded(after)
        sets = ", ".join([f"{name} = :new_{name}" for name in written])
        params = {f"new_{name}": value for name, value in written.items()}
        params |= {name: row[name] for name in (*table.key, "version")}
        self._waiting.append((f"UPDATE {table.name} SET {sets} WHERE {table.where} AND version = :version", params))
        self._keep(table, row, before, after)

    def delete(self, record: T) -> None:
        """Delete a record."""
        table = table_of(type(record))
        self.delete_row(table, table.dump(record))

    def delete_row(self, table: Table, row: dict[str, Any]) -> None:
        """Delete a record by its row."""
        self._waiting.append((f"DELETE FROM {table.name} WHERE {table.where}", {name: row[name] for name in table.key}))
        self._keep(table, row, row, None)

    def keep_exactly(self, wanted: Mapping[Id, T], before: Mapping[Id, T]) -> bool:
        """Delete and insert records until they are the wanted ones, both by id. Returns True if anything changed."""
        for each in before:
            if each not in wanted:
                self.delete(before[each])
        for each in wanted:
            if each not in before:
                self.insert(wanted[each])
        return before.keys() != wanted.keys()

    def attempt(self, step: Callable[[], T]) -> T:
        """Run a step; if it raises, roll back what it wrote and recorded, and keep the rest."""
        kept, asked, text, items = len(self.changes), len(self.asked), self._text, self.items.copy()

        def whole() -> T:
            result = step()
            self.flush()
            return result

        try:
            return self.tx.savepoint(whole)
        except BaseException:
            self._waiting.clear()
            del self.changes[kept:], self.asked[asked:]
            self.items.restore(items)
            self._text = text
            raise

    def record(self, message: str) -> int | None:
        """Write the change into the history under ``message``. Returns its seq, or None when nothing was changed."""
        if not self.changes:
            return None
        seq = self._next_seq()
        change = {
            "project_id": self.scope,
            "seq": seq,
            "at": encode_value(self.now),
            "actor_id": self.actor.user_id,
            "kind": self.kind.value,
            "message": message,
            "summary": self.summary,
            "permissions": " ".join(self.asked),
            "reverts": self.reverts,
            "through": self.actor.through,
        }
        records = insert_records(self.scope, seq, self.changes, self.recorded)
        self.tx.execute_all([(ADD_CHANGE, change), *records, *self.items.statements(self.now.astimezone(UTC).date())])
        return seq

    def record_rows(self, seq: int) -> None:
        """Write the records of a change into the history, after those that are there already."""
        self.tx.execute_all(insert_records(self.scope, seq, self.changes, self.recorded))

    def _next_seq(self) -> int:
        kept = self.items.with_seq(self.scope)
        sets = "".join(f", {column} = :{column}" for column in kept)
        bump = f"UPDATE feed SET seq = seq + 1{sets} WHERE id = :id RETURNING seq, item_counts, completions"
        return int(self.items.remember(self.scope, self.tx.query(bump, id=self.scope, **kept))["seq"])

    def _of_project(self, sql: str, project_id: Id) -> Any:
        return next(iter(self._tx.tuples(sql, project_id=project_id)), (None,))[0]

    def _keep(
        self, table: Table, row: dict[str, Any], before: dict[str, Any] | None, after: dict[str, Any] | None
    ) -> None:
        if table.name == "item":
            self.items.write(None if before is None else row | before, None if after is None else row | after)
        key = {name: row[name] for name in table.key}
        self.changes.append(RecordChange(table.name, key, before, after, row))
        self._text += bytes_in(before) + bytes_in(after)
        self.writes += 1
        self.check_count()

    def check_count(self) -> None:
        """Raise RuleViolation if more records were written than ``most_writes``."""
        if self.most_writes is not None and self.writes > self.most_writes:
            raise RuleViolation(TOO_MANY_RECORDS.format(self.most_writes))


def select(record: type[object], where: str) -> str:
    """Return the statement that reads the records that satisfy ``where``, for ``Snapshot.load_records``."""
    table = table_of(record)
    order = "" if "ORDER BY" in where else f" ORDER BY {', '.join(table.key)}"
    return f"SELECT {', '.join(table.columns)} FROM {table.name} WHERE {where}{order}"


def check_version(view: Snapshot, record: T, seen_version: int | None) -> T:
    """Return the record if its version is the one that the sender saw. Raises VersionConflict."""
    if seen_version is not None and seen_version != record.version:  # type: ignore[attr-defined]
        raise explain_conflict(view.tx, view.scope, record, seen_version)
    return record


def new_id() -> Id:
    """Return a new id. Ids sort by the time of their creation."""
    return new_ulid()


def new_account() -> str:
    """Return the id of a new account for permissions: a UUID, as the permission query requires."""
    from uuid import uuid4

    return str(uuid4())


def in_workspace(scope: Id) -> bool:
    """Return whether a scope is the workspace rather than a project."""
    return scope == WORKSPACE
