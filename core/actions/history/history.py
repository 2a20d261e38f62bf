"""The history: lists of changes, undo and redo."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import ClassVar

from core.actions.history.entries import SELECT_LINES, HistoryEntry, entry_of, page_before
from core.actions.history.own_changes import (
    check_is_last,
    instead_of,
    last_final,
    original_of,
    undo_redo_stacks,
    way_past,
    where_in_words,
)
from core.actions.history.revert import asked_for, first_that_works, is_large, permissions_of, revert
from core.domain.grants import PermissionQuery
from core.domain.max_lengths import REASON
from core.domain.model import WORKSPACE, Change, ChangeKind, Id, Project
from core.domain.permissions import ALL_CODES, Permission
from core.engine.messages import Command, ProjectQuery, Query
from core.engine.unit_of_work import Snapshot, UnitOfWork
from core.errors import CannotUndo, NothingToUndo, RuleViolation, UndoTooOld
from core.record import replace
from core.rules.approvals import confirm_reopening
from core.rules.visibility import my_projects_with_questions
from core.text.dates import ago, in_full
from core.text.sanitize import many_lines

RECENT = timedelta(days=1)
"""The age up to which people remember their last change. Before one key undoes an older one, they are asked."""


class ListHistory(ProjectQuery[tuple[HistoryEntry, ...]]):
    """List the changes of a project, the newest first; ``before`` is the seq at which the next page starts."""

    route = "GET /v1/projects/{project_id}/history"
    permission = Permission.PROJECT_VIEW
    before: int | None = None

    def run(self, view: Snapshot) -> tuple[HistoryEntry, ...]:
        return page_before(view, self.project_id, self.before)


class ListWorkspaceHistory(Query[tuple[HistoryEntry, ...]]):
    """List the changes of the workspace (people, hierarchy, deleted projects), the newest first."""

    route = "GET /v1/history"
    permission = Permission.USER_MANAGE
    before: int | None = None

    def run(self, view: Snapshot) -> tuple[HistoryEntry, ...]:
        return page_before(view, WORKSPACE, self.before)


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
        return tuple(entry_of(row) for row in rows)


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
        work.kind, work.reverts, large = kind, change.seq, is_large(work, change)
        try:
            with confirm_reopening(work, work.scope, self, only_if_started=True) as end_approvals:
                reason = many_lines(self.allow_lapse, "allow_lapse", most=REASON)
                if large:  # in a savepoint, SQLite writes its search index card by card
                    left = revert(work, change, end_approvals, reason)
                else:  # as an attempt, so that a refused one leaves nothing behind
                    left = work.attempt(partial(revert, work, change, end_approvals, reason))
        except CannotUndo as refused:
            older = None if large or refused.blockers else self._last_that_works(work, change.seq)
            if older is None:
                raise
            raise _way_on(work, refused, older, kind, asks=self.recent) from refused
        work.say(original_of(work, change).summary + left)
        return replace(change, summary=change.summary + left)

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
            raise UndoTooOld(f"Your last {noun}{where} was {_describe_change(work, change)}.", seq=change.seq)


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
    return f"The last one that can be {done} was {_describe_change(work, change)}."


def _describe_change(work: UnitOfWork, change: Change) -> str:
    """Return the age, the day and the summary of a change."""
    return f"{ago(change.at, work.now)}, on {in_full(work.day_of(change.at))}: {original_of(work, change).summary}"
