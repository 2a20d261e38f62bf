"""Reverting one recorded change, safely among several users.

Each record, the newest first, gets back its values from before the change, but only while it still has the values that
the change gave it; otherwise a later change depends on it, and nothing is reverted. Then the rules are checked on the
result, as for any command. A renumbering of ranks belongs to no user and stays.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any

from core.actions.history.own_changes import command_of
from core.actions.history.rules_after_undo import check_invariants
from core.actions.workspace.meta_roles import check_meta_role_unused
from core.actions.workspace.users import check_not_platform_admin
from core.codec.decoding import decode
from core.domain.credentials import GatewayToken, LinkedAccount, ProductToken, Token
from core.domain.dependencies import Dependency
from core.domain.fields import ItemField
from core.domain.gate_policy import VOTES
from core.domain.gates import UNDO_ENTRIES, Decision, Deliverable, EvidenceKind, GateRecord
from core.domain.labels import ItemLabel, Label
from core.domain.model import Assignment, Change, ChangeKind, Id, Item, Phase, Project, User
from core.domain.notifications import ACCESS, Notification
from core.domain.origins import CardOrigin
from core.domain.permissions import Permission
from core.domain.products.products import Application, MetaRole
from core.domain.templates import TemplateVersion
from core.engine.large_projects import AT_ONCE
from core.engine.unit_of_work import Snapshot, UnitOfWork, select
from core.errors import CannotUndo, InvalidInput, LapsesApproval, PodiumError, RuleViolation
from core.rules.approvals import new_entry
from core.rules.gate_conditions import started_conditions
from core.rules.labels import is_used
from core.rules.ordering import Renumberings
from core.rules.undone_decisions import check_decides_last, check_may_revert, check_vote_undoable
from core.storage.database import ConstraintViolation, Row, placeholders
from core.storage.row_mapper import ORDER, Table, table_named, table_of
from core.storage.schema.gate_history import kind_of_text
from core.text.phrases import credit_author, person_name

OF_TEXTS = frozenset({EvidenceKind.NONE, EvidenceKind.LINK, EvidenceKind.STATEMENT})
"""The kinds of evidence that was a text, before evidence had a kind."""

CARDS = frozenset({Phase, Item, Application})
PLAIN = frozenset({Assignment, CardOrigin, Dependency, ItemField, ItemLabel})
"""Records that nothing depends on; there can be as many of them in a change as a project has cards."""

ENDED_FOR_GOOD = tuple(table_of(each).name for each in (Token, GatewayToken, ProductToken, LinkedAccount))
"""Tables of ways in. A revert leaves their rows as they are: no way in that was ended comes back unnoticed."""

MAX_TRIED = 20
"""The number of changes that are tried to find the last one that can still be reverted."""


def revert(work: UnitOfWork, change: Change, end_approvals: Callable[[], None] = lambda: None, reason: str = "") -> str:
    """Revert every record of a change, and end the approvals of what that changes, for this reason.

    Raises CannotUndo, which names the later change and its user, and LapsesApproval where the user may not end one.
    A new project is archived instead of deleted: nothing is lost then, and redo restores it. Tokens and linked accounts
    that the change ended stay ended. So do cards of conditions that were started since: it returns which, in words.
    """
    if creates_project(work, change):
        _archive_new_project(work, change)
        return ""
    records = work.rows(
        "SELECT position, entity, key, before, after FROM change_record"
        " WHERE project_id = :scope AND seq = :seq AND entity <> :order ORDER BY position DESC",
        scope=change.project_id,
        seq=change.seq,
        order=ORDER,
    )
    if records and all(record["entity"] in ENDED_FOR_GOOD for record in records):
        raise CannotUndo(_refuse(change, "tokens and linked accounts that have ended stay ended."))
    records = [record for record in records if record["entity"] not in ENDED_FOR_GOOD]
    left = started_conditions(work, change.seq, records)
    ids = {each for condition in left for each in (condition.id, condition.item_id) if each}
    records = [each for each in records if not any(one in f"{each['key']}{each['after']}" for one in ids)]
    removed: list[Id] = []
    renumberings, rows_now = Renumberings(work, change.seq), _rows_now(work, records)
    try:
        for record in records:
            _revert_record(work, change, record, rows_now, renumberings, reason, removed)
        if _has_links(work, removed):
            raise CannotUndo(_depends(change))
        end_approvals()
        check_invariants(work, change.seq)
        work.flush()
    except ConstraintViolation as error:
        raise CannotUndo(_depends(change)) from error
    except (CannotUndo, LapsesApproval):
        raise
    except (RuleViolation, InvalidInput) as refused:
        why = (refused.blockers, refused.who_can) if isinstance(refused, RuleViolation) else ((), ())
        raise CannotUndo(_refuse(change, str(refused)), blockers=why[0], who_can=why[1]) from refused
    return "".join(f"; “{each.text}” stays, because it was started or changed since" for each in left)


def _refuse(change: Change, why: str) -> str:
    """The sentence about a change that cannot be undone."""
    return f"The change ({change.summary}) cannot be undone: {why}"


def _archive_new_project(work: UnitOfWork, change: Change) -> None:
    """Archive the project that a change created, unless others have worked in it since."""
    project = work.get(Project, id=change.project_id)
    if project.archived:
        raise CannotUndo(f"“{project.name}” is archived already.")
    rows = work.rows(
        f"{_CHANGES} WHERE change.project_id = :scope AND change.seq > :seq AND change.actor_id <> :me"
        " ORDER BY change.seq DESC LIMIT 1",
        scope=change.project_id,
        seq=change.seq,
        me=work.actor.user_id,
    )
    if rows:
        raise CannotUndo(_refuse(change, f"{_by_whom(rows[0])}. Archive the project instead."))
    work.update(project, archived=True)


class _Works(Exception):
    """Ends a successful trial, so that it is rolled back."""


def first_that_works(work: UnitOfWork, changes: Iterable[Change]) -> Change | None:
    """Return the first of these changes that could be reverted now. At most ``MAX_TRIED`` are tried and rolled back."""

    def trial(change: Change) -> None:
        for permission in asked_for(work, change):
            work.require(permission)
        revert(work, change)
        raise _Works

    for change in islice(changes, MAX_TRIED):
        try:
            work.attempt(partial(trial, change))
        except _Works:
            return change
        except PodiumError:
            continue
    return None


def is_large(view: Snapshot, change: Change) -> bool:
    """Return whether a change has more records than others can be tried beside it."""
    some = "SELECT 1 FROM change_record WHERE project_id = :scope AND seq = :seq LIMIT :most"
    return len(view.tx.tuples(some, scope=change.project_id, seq=change.seq, most=AT_ONCE + 1)) > AT_ONCE


def creates_project(view: Snapshot, change: Change) -> bool:
    """Return True for the change that created its project."""
    command = command_of(view, change)
    return command is not None and command.creates_project


def permissions_of(view: Snapshot, change: Change) -> tuple[str, ...]:
    """Return the codes that reverting a change needs: those that it needed; for a new project the one to archive it."""
    return (Permission.PROJECT_UPDATE,) if creates_project(view, change) else change.permissions


def asked_for(view: Snapshot, change: Change) -> list[Permission]:
    """Return the permissions that reverting a change needs. Raises CannotUndo where the history does not have them."""
    unknown = "The history does not say which permissions this change needs. Change it back by hand."
    try:
        asked = [Permission(code) for code in permissions_of(view, change)]
    except ValueError as error:
        raise CannotUndo(unknown) from error
    if not asked:
        raise CannotUndo(unknown)
    return asked


def _rows_now(work: UnitOfWork, records: Sequence[Row]) -> dict[tuple[str, str], dict[str, Any] | None]:
    """The rows of the records of a change as they are, by table and key, read for many at once; None for no row.

    A record that the change has written more than once is left out: its row changes while it is reverted.
    """
    times = Counter((record["entity"], record["key"]) for record in records)
    keys = {each: decode(each[1], Any) for each, number in times.items() if number == 1}
    found: dict[tuple[str, str], dict[str, Any] | None] = dict.fromkeys(keys)
    for entity in dict.fromkeys(entity for entity, _ in keys):
        table = table_named(entity)
        wanted = {tuple(key[name] for name in table.key): each for each, key in keys.items() if each[0] == entity}
        where: list[str] = []
        params: dict[str, object] = {}
        for name, values in zip(table.key, zip(*wanted, strict=True), strict=True):
            chosen, named = placeholders(dict.fromkeys(values), name)
            where.append(f"{name} IN {chosen}")
            params |= named
        for row in work.tx.tuples(select(table.record, " AND ".join(where)), **params):
            current = dict(zip(table.columns, row, strict=True))
            if each := wanted.get(tuple([current[name] for name in table.key])):
                found[each] = current
    return found


def _revert_record(
    work: UnitOfWork,
    change: Change,
    record: Row,
    rows_now: Mapping[tuple[str, str], dict[str, Any] | None],
    renumberings: Renumberings,
    reason: str,
    removed: list[Id],
) -> None:
    """Revert one record. ``removed`` gets the id of a phase or a card that is deleted by that."""
    table = table_named(record["entity"])
    before = decode(record["before"], Any) if record["before"] else None
    after = decode(record["after"], Any) if record["after"] else None
    current = rows_now.get((record["entity"], record["key"]))
    if (record["entity"], record["key"]) not in rows_now:
        rows = work.rows(f"SELECT * FROM {table.name} WHERE {table.where}", **json.loads(record["key"]))
        current = dict(rows[0]) if rows else None
    position = int(record["position"])
    before, after = (_in_order(renumberings, table, current, each, position) for each in (before, after))
    before = _with_later_columns(table, current, before)
    if table.record is Notification:
        _revert_notification(work, table, current, before)
        return
    if table.record is GateRecord and after:
        after.pop("detail", None)  # what an entry says can be made longer by the same change, and stays
    if not _still(current, after):
        raise CannotUndo(_overtaken(work, change, record["key"]))
    if table.record is Phase and before and current and {"gate_state", "on_hold"} & before.keys():
        check_decides_last(work, current["id"], change)
    if table.record is User:
        users = [table.restore_record(row) for row in (current, (current or {}) | (before or {})) if row]
        check_not_platform_admin(work, *(role for user in users for role in user.platform_roles))
    if table.record is GateRecord and (before is None or "withdrawn" in before):
        if current and current["decision"] not in UNDO_ENTRIES:
            check_vote_undoable(work, current, change)
            withdrawn = before is None or bool(before["withdrawn"])
            check_may_revert(work, table.load(current), withdrawn=withdrawn)
            _mark_withdrawn(work, table.load(current), withdrawn=withdrawn, reason=reason)
    elif table.record is GateRecord and before and "detail" in before:
        return
    elif before is None and current and table.record in PLAIN | CARDS:
        removed += [current["id"]] if table.record in CARDS else []
        work.delete_row(table, current)
    elif before is None:
        created = table.load(current or {})
        if isinstance(created, Label) and work.changes and is_used(work, created):
            return  # it came with the first card that got it, and others have it by now
        if _depended_on(work, created):
            raise CannotUndo(_depends(change))
        work.delete(created)
    elif after is None:
        back = before | {"version": before["version"] + 1}
        if table.record in PLAIN | CARDS and back.keys() == {*table.columns}:
            work.insert_row(table, back)
        else:
            work.insert(table.restore_record(back))
    elif current and table.record in PLAIN:
        version = {"version": current["version"] + 1}
        work.update_row(table, current, {column: current[column] for column in before}, before | version)
    else:
        record_now = table.load(current or {})
        fields = _fields(table, current or {}, before)
        if fields:
            work.update(record_now, **fields)
        else:
            work.touch(record_now)


def _with_later_columns(
    table: Table, current: dict[str, Any] | None, before: dict[str, Any] | None
) -> dict[str, Any] | None:
    """The earlier values with those of columns that a change from before these columns does not have."""
    if before is None:
        return None
    if table.record is Deliverable:
        row = {"evidence_kind": EvidenceKind.NONE} | (current or {}) | before
        if "done" in before and not row["done"]:
            before = before | {"delivered_by": None, "delivered_at": None}
        if "evidence" in before and "evidence_kind" not in before and row["evidence_kind"] in OF_TEXTS:
            before = before | {"evidence_kind": kind_of_text(row["evidence"])}
    elif table.record is Phase and current is None and "evidence_required" in before:  # a whole row, of a removed one
        before = {"accepts_statements": before["evidence_required"]} | before
    return before


def _mark_withdrawn(work: UnitOfWork, record: GateRecord, *, withdrawn: bool, reason: str) -> None:
    """Mark an entry of a gate's record as withdrawn, or restored, and add an entry which says so.

    One entry is enough for a decision with the votes of its change, and those that a meeting ended. ``reason`` is that
    for the approval which a redo ends again.
    """
    record = work.update(record, withdrawn=withdrawn)
    of_change = {"project_id": record.project_id, "phase_id": record.phase_id, "seq": record.seq}
    by_votes = "project_id = :project_id AND phase_id = :phase_id AND seq = :seq AND decision IN ('PASS', 'STOP')"
    if record.decision in {*VOTES, Decision.VOTES_ENDED} and work.all(GateRecord, by_votes, **of_change):
        return
    decision = Decision.WITHDRAWAL if withdrawn else Decision.RESTORATION
    why = reason if record.decision is Decision.LAPSE else ""
    work.insert(new_entry(work, record.phase_id, record.phase_name, decision, reason=why, of_id=record.id))


def _in_order(
    renumberings: Renumberings,
    table: Table,
    current: dict[str, Any] | None,
    values: dict[str, Any] | None,
    position: int,
) -> dict[str, Any] | None:
    """Return a record's earlier values, with the rank that its place has after the renumberings since."""
    if not values or "rank" not in values or not (current or "id" in values):
        return values
    row = (current or {}) | values
    return values | {"rank": renumberings.carry(table.name, row, values["rank"], position)}


def _revert_notification(
    work: UnitOfWork, table: Table, current: dict[str, Any] | None, before: dict[str, Any] | None
) -> None:
    """Delete or restore a notification. There is no conflict if it has been read since."""
    if before is None and current is not None:
        if current["kind"] not in ACCESS:
            work.delete(table.load(current))
    elif before is not None and current is None:
        work.insert(table.restore_record(before | {"version": before["version"] + 1}))


def _depended_on(work: UnitOfWork, created: Any) -> bool:
    """Return True if a later change depends on a new record in a way that no foreign key of the database catches.

    Raises RuleViolation instead where it knows the exact use.
    """
    match created:
        case MetaRole():
            check_meta_role_unused(work, created)
        case TemplateVersion():
            from core.templates.library import check_version_unused

            check_version_unused(work, created)
        case User():  # a user with changes in any history must stay, because these show the name
            acted = "SELECT 1 FROM change WHERE change.project_id = feed.id AND change.actor_id = :user"
            return bool(work.rows(f"SELECT 1 FROM feed WHERE EXISTS ({acted}) LIMIT 1", user=created.id))
    return False


def _has_links(work: UnitOfWork, removed: Sequence[Id]) -> bool:
    """Return whether one of these, which are gone, has assignments, or cards that wait for it or for which it waits."""
    chosen, params = placeholders(removed)
    asked = (
        f"SELECT 1 FROM assignment WHERE project_id = :scope AND target_id IN {chosen} LIMIT 1",
        f"SELECT 1 FROM dependency WHERE project_id = :scope AND waiting_id IN {chosen} LIMIT 1",
        f"SELECT 1 FROM dependency WHERE blocker_project_id = :scope AND blocker_id IN {chosen} LIMIT 1",
    )
    return bool(removed) and any(work.tx.tuples_all([(sql, {"scope": work.scope, **params}) for sql in asked]))


def _depends(change: Change) -> str:
    return f"The change ({change.summary}) cannot be undone any more: something else depends on it by now."


def _still(current: dict[str, Any] | None, after: dict[str, Any] | None) -> bool:
    """True if a row has the values that the change gave it. Its version may be newer because of other columns."""
    if current is None or after is None:
        return current is after
    return all(current[column] == value for column, value in after.items() if column != "version")


def _fields(table: Table, current: dict[str, Any], before: dict[str, Any]) -> dict[str, Any]:
    """The earlier values as fields of the record."""
    earlier = table.load(current | before)
    return {column: getattr(earlier, column) for column in before if column != "version"}


def _overtaken(work: UnitOfWork, change: Change, key: str) -> str:
    """The sentence that names the user who changed the record since."""
    rows = work.rows(
        f"{_CHANGES} JOIN change_record"
        " ON change.project_id = change_record.project_id AND change.seq = change_record.seq"
        " WHERE change_record.project_id = :scope AND change_record.key = :key AND change_record.seq > :seq"
        " ORDER BY change_record.seq DESC LIMIT 1",
        scope=change.project_id,
        key=key,
        seq=change.seq,
    )
    if not rows:
        return _refuse(change, "what it changed is no longer there, or was changed elsewhere.")
    return _refuse(change, f"{_by_whom(rows[0])}.")


_CHANGES = (
    "SELECT change.kind, change.summary, change.through, first_name, last_name FROM change"
    " LEFT JOIN app_user ON app_user.id = change.actor_id"
)


def _by_whom(row: Row) -> str:
    """The author and the summary of a later change, from a row of ``_CHANGES``."""
    who = credit_author(person_name(row["first_name"], row["last_name"]), row["through"])
    return f"{who} has changed it since ({ChangeKind(row['kind']).describe(row['summary'])})"
