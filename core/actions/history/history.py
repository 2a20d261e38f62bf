"""The history: lists of changes, undo and redo."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from functools import partial
from typing import ClassVar

from core.actions.history.own_changes import (
    check_is_last,
    instead_of,
    last_final,
    original_of,
    undo_redo_stacks,
    way_past,
    where_in_words,
)
from core.actions.history.revert import asked_for, first_that_works, permissions_of, revert
from core.domain.grants import PermissionQuery
from core.domain.model import WORKSPACE, Change, ChangeKind, Id, Project
from core.domain.permissions import ALL_CODES, Permission
from core.engine.messages import Command, ProjectQuery, Query
from core.engine.unit_of_work import Snapshot, UnitOfWork, in_workspace
from core.errors import CannotUndo, NothingToUndo, RuleViolation, UndoTooOld
from core.record import Record
from core.rules.approvals import confirm_reopening
from core.rules.visibility import my_projects_with_questions
from core.storage.database import Row, placeholders
from core.text.dates import ago, in_full
from core.text.phrases import credited, full_name

PAGE = 200
"""The number of changes on one page of the history."""

RECENT = timedelta(days=1)
"""The age up to which people remember their last change. Before one key undoes an older one, they are asked."""


class ChangedRecord(Record):
    """The card, phase or application that a change was about. It may have been deleted since."""

    kind: str
    """ITEM, PHASE or APPLICATION."""
    id: Id


class HistoryEntry(Record):
    """One change as a line of the history."""

    seq: int
    at: datetime
    actor_id: Id
    actor: str
    kind: ChangeKind
    message: str
    summary: str
    reverts: int | None = None
    """The seq of the change that an undo or a redo reverted."""
    about: ChangedRecord | None = None
    """Filled in only for pages of the history."""


class ListHistory(ProjectQuery[tuple[HistoryEntry, ...]]):
    """List the changes of a project, the newest first; ``before`` is the seq at which the next page starts."""

    route = "GET /v1/projects/{project_id}/history"
    permission = Permission.PROJECT_VIEW
    before: int | None = None

    def run(self, view: Snapshot) -> tuple[HistoryEntry, ...]:
        return _lines(view, self.project_id, self.before)


class ListWorkspaceHistory(Query[tuple[HistoryEntry, ...]]):
    """List the changes of the workspace (people, hierarchy, deleted projects), the newest first."""

    route = "GET /v1/history"
    permission = Permission.USER_MANAGE
    before: int | None = None

    def run(self, view: Snapshot) -> tuple[HistoryEntry, ...]:
        return _lines(view, WORKSPACE, self.before)


class ListChangesSince(ProjectQuery[tuple[HistoryEntry, ...]]):
    """List the changes of a project after a seq, the oldest first; none when the sender is up to date."""

    route = "GET /v1/projects/{project_id}/changes"
    permission = Permission.PROJECT_VIEW
    since: int

    def run(self, view: Snapshot) -> tuple[HistoryEntry, ...]:
        rows = view.rows(
            SELECT_LINES
            + " WHERE change.project_id = :project_id AND change.seq > :since ORDER BY change.seq LIMIT 1000",
            project_id=self.project_id,
            since=self.since,
        )
        return tuple(_line(row) for row in rows)


class RevertCommand(Command[Change]):
    """Revert one of the sender's own changes. The sender needs every permission that the change needed."""

    reverting: ClassVar[ChangeKind]
    nothing: ClassVar[str]
    """The refusal if there is no change to revert."""

    permission = Permission.PROJECT_VIEW
    unbounded = True
    in_archive = True  # so that archiving itself can be undone
    project_id: Id = WORKSPACE
    relock: bool = False
    allow_lapse: str = ""
    recent: bool = False
    """For a single key, by which the user may mean another change. It asks with ``UndoTooOld`` before it reverts a
    change that is older than a day, or that precedes one that cannot be undone."""
    seq: int | None = None
    """The seq of the change (for Redo, of the undo) to revert instead of the last one. It must be the sender's own, and
    like any change it is refused where later changes depend on it."""
    only_last: bool = False
    """Refuse with NothingToUndo, which says where the last change is, when the sender's last change anywhere is not in
    this project or cannot be undone. For a command line that names no project."""

    @property
    def deletes(self) -> bool:
        """True, since a revert may delete: no cached grant decides about it."""
        return True

    def scope(self, view: Snapshot) -> Id:
        return self.project_id if self.project_id == WORKSPACE else view.get(Project, id=self.project_id).id

    def asks(self, view: Snapshot) -> tuple[PermissionQuery, ...]:
        return tuple(my_projects_with_questions(view, archived=True).values()) if self.only_last else ()

    def needs(self, view: Snapshot) -> Permission:
        """Return the first permission of the change; if unknown, the one for viewing, and ``run`` refuses."""
        change = self.target(view)
        first = permissions_of(view, change)[:1] if change is not None else ()
        if first and first[0] in ALL_CODES:
            return Permission(first[0])
        return Permission.WORKSPACE_VIEW if self.project_id == WORKSPACE else Permission.PROJECT_VIEW

    def own(self, view: Snapshot) -> list[Change]:
        """Return the sender's changes that this command can revert, the next one last."""
        changes, undone = undo_redo_stacks(view, self.project_id)
        return changes if self.reverting is ChangeKind.UNDO else undone

    def target(self, view: Snapshot) -> Change | None:
        own = self.own(view)
        return next((each for each in reversed(own) if self.seq in (None, each.seq)), None)

    def run(self, work: UnitOfWork) -> Change:
        change = self.target(work)
        if change is not None:
            return self._revert(work, change)
        if self.seq is not None:
            raise NothingToUndo(
                f"Number {self.seq} is not one of your changes here that can be reverted. “podium history” lists all."
            )
        if self.only_last:
            check_is_last(work, None, self.reverting)
        if final := self._last_final(work):
            raise NothingToUndo(_is_final(work, final))
        raise NothingToUndo(self.nothing)

    def _last_final(self, work: UnitOfWork) -> Change | None:
        """Return the sender's last change if it cannot be undone; a redo passes over it."""
        return last_final(work, work.scope) if self.reverting is ChangeKind.UNDO else None

    def _revert(self, work: UnitOfWork, change: Change) -> Change:
        kind = self.reverting
        for permission in asked_for(work, change):
            work.require(permission)
        if self.only_last:
            check_is_last(work, change, kind)
        if self.seq is None and self.recent:
            self._ask_before(work, change)
        elif self.seq is None and (final := self._last_final(work)):
            works = self._last_that_works(work)
            way = f" {way_past(work, works, kind)}" if works else ""
            raise NothingToUndo(_is_final(work, final) + way)
        work.kind, work.reverts = kind, change.seq
        try:
            with confirm_reopening(work, work.scope, self, only_if_started=True) as end_approvals:
                work.attempt(
                    partial(revert, work, change, end_approvals)
                )  # so that a refused one leaves nothing behind
        except CannotUndo as refused:
            older = None if refused.blockers else self._last_that_works(work, change.seq)
            if older is None:
                raise
            raise _way_on(work, refused, older, kind, asks=self.recent) from refused
        work.say(original_of(work, change).summary)
        return change

    def _last_that_works(self, work: UnitOfWork, before: int | None = None) -> Change | None:
        """Return the last change that can still be reverted, of those before ``before``."""
        own = reversed(self.own(work))
        return first_that_works(work, (each for each in own if before is None or each.seq < before))

    def _ask_before(self, work: UnitOfWork, change: Change) -> None:
        """Raise UndoTooOld, which asks for consent, or NothingToUndo before one key reverts an old change."""
        if final := self._last_final(work):
            last, works = _is_final(work, final), self._last_that_works(work)
            if works is None:
                raise NothingToUndo(last)
            raise UndoTooOld(f"{last} {_last_one(work, works, self.reverting)}", seq=works.seq)
        if work.now - change.at > RECENT:
            noun = "change" if self.reverting is ChangeKind.UNDO else "undo"
            where = "" if self.project_id == WORKSPACE else f" {where_in_words(work, self.project_id)}"
            raise UndoTooOld(f"Your last {noun}{where} was {_dated(work, change)}.", seq=change.seq)


class Undo(RevertCommand):
    """Undo my last change in this project (or in the workspace)."""

    route = "POST /v1/projects/{project_id}/undo"
    reverting = ChangeKind.UNDO
    nothing = "There is no change of yours here to undo."


class Redo(RevertCommand):
    """Redo the change that I undid last."""

    route = "POST /v1/projects/{project_id}/redo"
    reverting = ChangeKind.REDO
    nothing = "There is no change here that you undid and could redo."


def _is_final(work: UnitOfWork, final: Change) -> str:
    """Return the sentence about the last change, which cannot be undone, and what to do instead."""
    return f"Your last change here cannot be undone: {final.summary}.{instead_of(work, final)}"


def _way_on(work: UnitOfWork, refused: CannotUndo, older: Change, kind: ChangeKind, *, asks: bool) -> RuleViolation:
    """Return the refusal of a change that can no longer be reverted, with the last one that can."""
    if asks:
        return UndoTooOld(f"{refused} {_last_one(work, older, kind)}", seq=older.seq)
    return CannotUndo(f"{refused} {way_past(work, older, kind)}", who_can=refused.who_can)


def _last_one(work: UnitOfWork, change: Change, kind: ChangeKind) -> str:
    """Return a sentence about the last change that can be reverted."""
    done = "undone" if kind is ChangeKind.UNDO else "redone"
    return f"The last one that can be {done} was {_dated(work, change)}."


def _dated(work: UnitOfWork, change: Change) -> str:
    """Return the age, the day and the summary of a change."""
    return f"{ago(change.at, work.now)}, on {in_full(work.day_of(change.at))}: {original_of(work, change).summary}"


SELECT_LINES = (
    "SELECT change.seq, change.at, change.actor_id, change.kind, change.message, change.summary, change.reverts,"
    " change.through, first_name, last_name FROM change LEFT JOIN app_user ON app_user.id = change.actor_id"
)


def _lines(view: Snapshot, scope: Id, before: int | None) -> tuple[HistoryEntry, ...]:
    return _page(view, scope, "change.seq < :before", before=before if before is not None else 2**62)


def last_changes(view: Snapshot, project_id: Id, most: int) -> tuple[HistoryEntry, ...]:
    """Return the last changes of a project, the newest first, without what they are about."""
    rows = view.rows(
        f"{SELECT_LINES} WHERE change.project_id = :scope ORDER BY change.seq DESC LIMIT :most",
        scope=project_id,
        most=most,
    )
    return tuple(_line(row) for row in rows)


def changes_by_others(view: Snapshot, project_id: Id, after: int) -> tuple[HistoryEntry, ...]:
    """Return the newest page of changes that other users made after a seq."""
    condition = "change.seq > :after AND change.actor_id <> :me"
    return _page(view, project_id, condition, after=after, me=view.actor.user_id)


def _page(view: Snapshot, scope: Id, condition: str, **params: object) -> tuple[HistoryEntry, ...]:
    rows = view.rows(
        f"{SELECT_LINES} WHERE change.project_id = :scope AND {condition} ORDER BY change.seq DESC LIMIT :page",
        scope=scope,
        page=PAGE,
        **params,
    )
    about = _about(view, scope, [row["seq"] for row in rows])
    return tuple(_line(row, about.get(row["seq"])) for row in rows)


_POINTERS = {
    "item": ("ITEM", "id"),
    "phase": ("PHASE", "id"),
    "comment": ("ITEM", "item_id"),
    "item_label": ("ITEM", "item_id"),
    "dependency": ("ITEM", "waiting_id"),
    "gate_record": ("PHASE", "phase_id"),
    "deliverable": ("PHASE", "phase_id"),
    "application": ("APPLICATION", "id"),
    "launch": ("APPLICATION", "application_id"),
}
"""Tables whose rows are, or belong to, a card, a phase or an application, with the column of its id."""


def _about(view: Snapshot, scope: Id, seqs: list[int]) -> dict[int, ChangedRecord]:
    """Return, for each change of a page, the first card, phase or application among its records.

    A change of the workspace, such as the removal of a label, is about none: the cards are of projects.
    """
    if in_workspace(scope):
        return {}
    rows = view.rows(
        "SELECT seq, entity, key, before, after FROM change_record"
        " WHERE project_id = :scope AND seq BETWEEN :first AND :last ORDER BY seq, position",
        scope=scope,
        first=min(seqs, default=0),
        last=max(seqs, default=0),
    )
    found: dict[int, ChangedRecord] = {}
    for row in rows:
        kind, column = _POINTERS.get(row["entity"], ("", ""))
        values = json.loads(row["after"] or row["before"] or "{}") | json.loads(row["key"]) if kind else {}
        if values.get(column) and row["seq"] not in found:
            found[row["seq"]] = ChangedRecord(kind=kind, id=values[column])
    return found


def _line(row: Row, about: ChangedRecord | None = None) -> HistoryEntry:
    return HistoryEntry(
        seq=row["seq"],
        at=datetime.fromisoformat(row["at"]),
        actor_id=row["actor_id"],
        actor=credited(full_name(row["first_name"], row["last_name"]), row["through"]),
        kind=ChangeKind(row["kind"]),
        message=row["message"],
        summary=row["summary"],
        reverts=row["reverts"],
        about=about,
    )


def item_history(view: Snapshot, project_id: Id, *record_ids: Id) -> tuple[HistoryEntry, ...]:
    """Return the last 50 changes of any of these records, the newest first."""
    keys, params = placeholders(json.dumps({"project_id": project_id, "id": each}) for each in record_ids)
    rows = view.rows(
        SELECT_LINES + " WHERE change.project_id = :scope AND change.seq IN"
        f" (SELECT seq FROM change_record WHERE project_id = :scope AND key IN {keys})"
        " ORDER BY change.seq DESC LIMIT 50",
        scope=project_id,
        **params,
    )
    return tuple(_line(row) for row in rows)
