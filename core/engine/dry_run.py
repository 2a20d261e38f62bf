"""A dry run: a command is carried out in its transaction, which is then rolled back, and its changes are the answer.

The command runs the same code as always, so the answer cannot differ from what it would do. Nothing of it stays: no
record, no line in the history, no stored response, and no one is notified. A command that is carried out in several
transactions has one here. A large import and a deletion are the exception: others would wait for so many records, so
they are carried out in a transaction that reads, and what they write is dropped. Of many changes the first are listed
and the others counted.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import Any, TypeAlias, TypeVar, cast

from core.codec.encoding import to_json
from core.domain.model import Id
from core.engine.change_records import RecordChange, split_order
from core.engine.changed_values import PERSONAL, ChangedValue, changed_values
from core.engine.messages import Command, RefusedStep
from core.engine.project_guard import visible_among
from core.engine.unit_of_work import Snapshot, UnitOfWork, select
from core.record import Record
from core.storage.database import Database, Tx
from core.storage.progress import Progress
from core.storage.row_mapper import Table, table_named, table_of

T = TypeVar("T")
_Row: TypeAlias = "dict[str, Any] | None"

MAX_VALUES = 200
"""The most values that are told in words."""

MAX_CHANGES = 1_000
"""The most records that are listed."""

SECRET = frozenset({"hash", "codeHash"})
"""Fields that no answer contains: the hashes of secrets. The secrets themselves are in no record."""

LINKED = frozenset({"blockerId", "blockerProjectId"})
"""Fields of a dependency that no answer contains where the sender cannot see the card that is waited for."""

OF_CARDS = frozenset({"item_label", "item_field"})
"""Tables that a command of the workspace changes in every project, also in those that its sender cannot see."""


class RecordDifference(Record):
    """A record that a command would change."""

    entity: str
    """The kind of the record: the name of its table."""
    before: dict[str, Any] | None
    """The record as it is, with its fields in camelCase; None for one that would be created."""
    after: dict[str, Any] | None
    """The record as it would be; None for one that would be deleted. The ids of new records are only examples."""


class DryRun(Record):
    """The changes that a command would make, the first 1,000 one by one; none was made.

    Records that only others can see are left out, such as notifications, and labels on cards of other projects; so are
    hashes of secrets, and of a dependency the ids of a card that the sender cannot see.
    """

    summary: str
    """The line that the history would show, without the user; empty if the history would have none."""
    changes: tuple[RecordDifference, ...]
    values: tuple[ChangedValue, ...]
    """The first 200 values in words, as the history would tell them."""
    more_values: int
    """The number of the other values of these records."""
    more_changes: int = 0
    """The number of the other records."""
    refused: tuple[RefusedStep, ...]
    """The steps of a bulk change that would be refused. Where a whole command would be, its error is raised."""


class WorkInMemory(UnitOfWork):
    """The unit of work of a dry run that only reads: nothing is written."""

    only_reads = True

    def flush(self) -> None:
        self._waiting.clear()


class ReadingTx:
    """A transaction that drops what is written to it."""

    def __init__(self, tx: Tx) -> None:
        self._tx = tx

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tx, name)

    def execute(self, sql: str, **params: object) -> int:
        return 0


class _Rehearsed(Exception):
    """Ends the transaction of a rehearsal, so that it is rolled back."""

    def __init__(self, answer: DryRun) -> None:
        super().__init__()
        self.answer = answer


class Rehearsal(Record):
    """Carries a command out in one transaction, and answers what it changed there."""

    command: Command[Any]
    make_work: Callable[[type[UnitOfWork], Tx], UnitOfWork]
    """Makes a unit of work ready for the command."""
    count_text: Callable[[UnitOfWork], object]
    """Raises QuotaReached for too much text."""
    only_reads: bool
    """True for a command that writes so much that others would wait for it."""

    def run(self, database: Database, progress: Progress, *, scope: Id) -> DryRun:
        """Return what the command would change. Raises the PodiumError by which it would be refused.

        ``scope`` is that whose commands take turns with it, as for ``Database.write``.
        """
        if self.only_reads:
            return database.read(lambda tx: self._carry_out_in(cast(Tx, ReadingTx(tx))), progress)

        def write(tx: Tx) -> None:
            raise _Rehearsed(self._carry_out_in(tx))

        try:
            database.write(write, progress, linked=not self.command.leaves_rows, scope=scope)
        except _Rehearsed as rehearsed:
            return rehearsed.answer
        raise AssertionError("the transaction is always left by an error")

    def _carry_out_in(self, tx: Tx) -> DryRun:
        """Carry out all parts of the command, and at last the command itself."""
        command, changes, unlisted, goes_on = self.command, list[RecordChange](), 0, self.command.has_parts
        while goes_on:
            goes_on, work, more = self._carry_out(tx, command.begin)
            changes, unlisted = changes + work.changes, unlisted + more
        result, work, more = self._carry_out(tx, command.run)
        summary = work.summary if work.changes and not command.personal else ""
        refused = command.refused_steps(result)
        return foreseen(work, changes + work.changes, unlisted + more, summary, refused)

    def _carry_out(self, tx: Tx, run: Callable[[UnitOfWork], T]) -> tuple[T, UnitOfWork, int]:
        """Return the result of ``run``, its work with all changes, and the number of those that are not listed."""
        work = self.make_work(WorkInMemory if self.only_reads else UnitOfWork, tx)
        unrecorded, more = self.command.list_unrecorded(work)
        result = run(work)
        work.flush()
        work.changes += unrecorded
        self.count_text(work)
        return result, work, more


def deletions(
    view: Snapshot, record: type[Any], where: str, most: int, **params: object
) -> tuple[list[RecordChange], int]:
    """The first deletions of records that satisfy ``where`` and that the sender can see, and the number of others."""
    table = table_of(record)
    if owner := PERSONAL.get(table.name):
        where, params = f"({where}) AND ({owner} IS NULL OR {owner} = :myself)", params | {"myself": view.actor.user_id}
    some = f"{select(record, where)} LIMIT :most"
    rows = [dict(zip(table.columns, row, strict=True)) for row in view.tx.tuples(some, most=most, **params)]
    number = view.tx.tuples(f"SELECT count(*) FROM {table.name} WHERE {where}", **params)[0][0]
    found = [RecordChange(table.name, {name: row[name] for name in table.key}, row, None) for row in rows]
    return found, number - len(rows)


def foreseen(
    view: Snapshot, changes: Sequence[RecordChange], more: int, summary: str, refused: tuple[RefusedStep, ...]
) -> DryRun:
    """The answer to a command that made these changes and ``more``. ``view`` reads the transaction in which it did."""
    own = {view.scope, *(each.key["id"] for each in changes if each.entity == "project")}
    listed: list[RecordDifference] = []
    of_listed: list[RecordChange] = []
    for group, record in differences(view, changes, own):
        if len(listed) == MAX_CHANGES:
            more += 1
        else:
            listed.append(record())
            of_listed += group
    values, more_values = changed_values(view, {None: of_listed}, own, MAX_VALUES)[None]
    more_of = {"more_values": more_values, "more_changes": more}
    return DryRun(summary=summary, changes=tuple(listed), values=values, refused=refused, **more_of)


def differences(
    view: Snapshot, changes: Iterable[RecordChange], own: Collection[Id]
) -> Iterator[tuple[list[RecordChange], Callable[[], RecordDifference]]]:
    """The changes of each record that differs after them, in their order, and a function that shows it."""
    by_record: dict[tuple[str, str], list[RecordChange]] = {}
    for change in chain.from_iterable(map(split_order, changes)):
        if change.entity in OF_CARDS and change.key["project_id"] not in own:
            continue
        by_record.setdefault((change.entity, json.dumps(change.key)), []).append(change)
    groups = list(by_record.values())
    only_updated = [
        group for group in groups if all(each.before and each.after for each in group) and not _is_whole(group)
    ]
    ends = dict(zip(map(id, only_updated), _rows(view.tx, only_updated), strict=True))

    def ends_of(group: Sequence[RecordChange]) -> tuple[_Row, _Row]:
        last = group[0].row | (group[0].after or {}) if _is_whole(group) else ends.get(id(group))
        return _ends(group, last)

    linked = [row for group in groups if group[0].entity == "dependency" for row in ends_of(group) if row]
    projects = {row[name] for row in linked for name in ("project_id", "blocker_project_id")}
    visible = visible_among(view, projects) | set(own)
    for group in groups:
        table, rows = table_named(group[0].entity), ends_of(group)
        if rows[0] != rows[1] and _is_visible(view, table, rows, visible):
            yield group, partial(_difference, view, visible, table, *rows)


def _difference(view: Snapshot, visible: Collection[Id], table: Table, start: _Row, end: _Row) -> RecordDifference:
    """The record before and after, as the sender may see it."""
    before, after = (_hide_fields(view, visible, table, row) for row in (start, end))
    return RecordDifference(entity=table.name, before=before, after=after)


def _is_whole(group: Sequence[RecordChange]) -> bool:
    """True for one update of a record whose row is known: it need not be read."""
    return len(group) == 1 and bool(group[0].row and group[0].before and group[0].after)


def _rows(tx: Tx, groups: Sequence[Sequence[RecordChange]]) -> list[dict[str, Any]]:
    """The row of each changed record, as it is now."""
    asked = []
    for group in groups:
        where = " AND ".join(f"{name} = :{name}" for name in group[0].key)
        asked.append((select(table_named(group[0].entity).record, where), group[0].key))
    return [
        dict(zip(table_named(group[0].entity).columns, rows[0], strict=True))
        for group, rows in zip(groups, tx.tuples_all(asked), strict=True)
    ]


def _ends(group: Sequence[RecordChange], end: _Row) -> tuple[_Row, _Row]:
    """The row of a record before its changes, and after them."""
    start = _start(group, end)
    if end is None:
        end = start
        for change in group:
            end = None if change.after is None else {**(end or {}), **change.after}
    return start, end


def _start(group: Sequence[RecordChange], end: dict[str, Any] | None) -> dict[str, Any] | None:
    """The row of a record before its changes, which are taken back from its deletion or its last row."""
    if group[0].before is None:
        return None
    deletion = next((number for number, each in enumerate(group) if each.after is None), None)
    row = dict(end or {}) if deletion is None else dict(group[deletion].before or {})
    for change in reversed(group[:deletion]):
        row |= change.before or {}
    return row


def _is_visible(view: Snapshot, table: Table, rows: Sequence[_Row], visible: Collection[Id]) -> bool:
    """True if the sender can see a record: it is not personal to another user, and its project is visible."""
    there = [row for row in rows if row and (table.name != "dependency" or row["project_id"] in visible)]
    return any(row.get(PERSONAL.get(table.name, "")) in (None, view.actor.user_id) for row in there)


def _hide_fields(view: Snapshot, visible: Collection[Id], table: Table, row: _Row) -> _Row:
    """A row as the sender may see it, with its fields in camelCase."""
    if row is None:
        return None
    fields = cast(dict[str, Any], to_json(Snapshot._hide_fields(view, table.load(row))))
    if table.name == "launch":  # whose context is stored as text
        fields["context"] = json.loads(fields["context"])
    hides = table.name == "dependency" and row["blocker_project_id"] not in visible
    return {name: value for name, value in fields.items() if name not in (SECRET | LINKED if hides else SECRET)}
