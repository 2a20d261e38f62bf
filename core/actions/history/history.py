"""The history: who did what, what is new since, and taking one's own changes back and forth."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from core.actions.history.own_changes import (
    check_is_last,
    instead_of,
    last_final,
    original_of,
    undo_redo_stacks,
    way_past,
)
from core.actions.history.revert import asked_for, first_that_works, revert
from core.domain.grants import PermissionQuery
from core.domain.model import WORKSPACE, Change, ChangeKind, Id, Project
from core.domain.permissions import ALL_CODES, Permission
from core.engine.messages import Command, ProjectQuery, Query
from core.engine.unit_of_work import Snapshot, UnitOfWork
from core.errors import CannotUndo, NothingToUndo, RuleViolation, UndoTooOld
from core.rules.visibility import my_projects_with_questions
from core.rules.workflow import confirm_relock
from core.storage.database import Row, placeholders
from core.text.dates import in_full
from core.text.phrases import credited, full_name

PAGE = 200
"""A page of the history, in changes."""

RECENT = timedelta(days=1)
"""How long people remember their last change: before one key undoes an older one, they are asked."""

IN_REACH = timedelta(days=7)
"""How old a change may be that one key offers to undo. Undo without ``recent`` reaches any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """The card, phase or application that a change was about; it may be gone since."""

    kind: str
    """ITEM, PHASE or APPLICATION."""
    id: Id


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryEntry:
    """One change as the history shows it."""

    seq: int
    at: datetime
    actor_id: Id
    actor: str
    kind: ChangeKind
    message: str
    summary: str
    reverts: int | None = None
    """The seq that an undo or a redo took back."""
    about: Changed | None = None
    """Only where a page of the history is shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListHistory(ProjectQuery[tuple[HistoryEntry, ...]]):
    """What was done on a project, the newest first; ``before`` is the seq to go on from."""

    route = "GET /v1/projects/{project_id}/history"
    permission = Permission.PROJECT_VIEW
    before: int | None = None

    def run(self, view: Snapshot) -> tuple[HistoryEntry, ...]:
        return _lines(view, self.project_id, self.before)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListWorkspaceHistory(Query[tuple[HistoryEntry, ...]]):
    """What was done to the workspace: people, hierarchy and deleted projects, the newest first."""

    route = "GET /v1/history"
    permission = Permission.USER_MANAGE
    before: int | None = None

    def run(self, view: Snapshot) -> tuple[HistoryEntry, ...]:
        return _lines(view, WORKSPACE, self.before)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListChangesSince(ProjectQuery[tuple[HistoryEntry, ...]]):
    """What others and I did on a project since a seq, the oldest first; empty when the picture is up to date."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class RevertCommand(Command[Change]):
    """Take back a change of one's own. The sender needs all that it was asked for then, and needs it now."""

    permission = Permission.PROJECT_VIEW
    unbounded = True
    in_archive = True  # to take back the archiving itself
    project_id: Id = WORKSPACE
    relock: bool = False
    recent: bool = False
    """For one key, whose person may have another change in mind: ask with ``UndoTooOld`` before reverting what was done
    more than a day ago or before a change that cannot be undone, and refuse what is more than a week old."""
    seq: int | None = None
    """The number in the history of the one of the sender's changes (for Redo, of their undos) to revert, instead of the
    last one. It is refused, as any, where something was built on it."""
    only_last: bool = False
    """Refuse with NothingToUndo, which says where the last one is, when the sender's last change in the workspace and
    in all projects that they see is elsewhere or cannot be undone. For a command line that names no project."""

    @property
    def deletes(self) -> bool:
        """It may, whichever way: no kept grant decides."""
        return True

    def scope(self, view: Snapshot) -> Id:
        return self.project_id if self.project_id == WORKSPACE else view.get(Project, id=self.project_id).id

    def asks(self, view: Snapshot) -> tuple[PermissionQuery, ...]:
        return tuple(my_projects_with_questions(view, archived=True).values()) if self.only_last else ()

    def needs(self, view: Snapshot) -> Permission:
        """What the change took; where that is not known to look, and ``run`` says so."""
        change = self.target(view)
        if change is not None and change.permissions and change.permissions[0] in ALL_CODES:
            return Permission(change.permissions[0])
        return Permission.WORKSPACE_VIEW if self.project_id == WORKSPACE else Permission.PROJECT_VIEW

    def own(self, view: Snapshot) -> list[Change]:
        """The sender's changes that this can revert, the next one last."""
        raise NotImplementedError

    def target(self, view: Snapshot) -> Change | None:
        own = self.own(view)
        return next((each for each in reversed(own) if self.seq in (None, each.seq)), None)

    def _refuse_unknown(self) -> None:
        """Raises NothingToUndo where a number was said that is not that of such a change."""
        if self.seq is not None:
            raise NothingToUndo(
                f"Number {self.seq} is not a change of yours here that this can revert. “podium history” lists all."
            )

    def _revert(self, work: UnitOfWork, change: Change, kind: ChangeKind) -> Change:
        for permission in asked_for(change):
            work.require(permission)
        if self.only_last:
            check_is_last(work, change, kind)
        if self.seq is None and self.recent:
            self._ask_before(work, change, kind)
        elif self.seq is None and kind is ChangeKind.UNDO:
            self._refuse_passing_over(work)
        work.kind, work.reverts = kind, change.seq
        try:
            with confirm_relock(work, work.scope, self.relock, only_if_started=True):
                work.attempt(partial(revert, work, change))  # of a refused one nothing stays
        except CannotUndo as refused:
            older = None if refused.blockers else self._last_that_works(work, change.seq)
            if older is None:
                raise
            raise _way_on(work, refused, older, kind, asks=self.recent) from refused
        work.say(original_of(work, change).summary)
        return change

    def _last_that_works(self, work: UnitOfWork, before: int | None = None) -> Change | None:
        """The last change that can still be reverted, of those before a number."""
        own = reversed(self.own(work))
        return first_that_works(work, (each for each in own if before is None or each.seq < before))

    def _ask_before(self, work: UnitOfWork, change: Change, kind: ChangeKind) -> None:
        """Raise UndoTooOld, which asks for consent, or NothingToUndo before one key reverts an old change."""
        day = in_full(work.day_of(change.at))
        what = "Your last change here was" if kind is ChangeKind.UNDO else "Your last undo here was"
        final = last_final(work, work.scope) if kind is ChangeKind.UNDO else None
        if final is not None:
            last = f"Your last change here cannot be undone: {final.summary}.{instead_of(final)}"
            works = self._last_that_works(work)
            if works is None or work.now - works.at > IN_REACH:
                raise NothingToUndo(last)
            raise UndoTooOld(f"{last} {_last_one(work, works, kind)}", seq=works.seq)
        if work.now - change.at > IN_REACH:
            raise NothingToUndo(f"{what} on {day}: {change.summary}. “podium undo” and “podium redo” reach that far.")
        if work.now - change.at > RECENT:
            raise UndoTooOld(f"{what} on {day}: {change.summary}.", seq=change.seq)

    def _refuse_passing_over(self, work: UnitOfWork) -> None:
        """Raises NothingToUndo where the last change is one that cannot be undone."""
        if final := last_final(work, work.scope):
            works = self._last_that_works(work)
            way = f" {way_past(work, works, ChangeKind.UNDO)}" if works else ""
            raise NothingToUndo(f"Your last change here cannot be undone: {final.summary}.{instead_of(final)}{way}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Undo(RevertCommand):
    """Take back my last change in this project (or in the workspace)."""

    route = "POST /v1/projects/{project_id}/undo"

    def own(self, view: Snapshot) -> list[Change]:
        return undo_redo_stacks(view, self.project_id)[0]

    def run(self, work: UnitOfWork) -> Change:
        change = self.target(work)
        if change is None:
            self._refuse_unknown()
            if self.only_last:
                check_is_last(work, None, ChangeKind.UNDO)
            final = last_final(work, self.project_id)
            raise NothingToUndo(
                f"Your last change here cannot be undone: {final.summary}.{instead_of(final)}"
                if final
                else "There is no change of yours here to undo."
            )
        return self._revert(work, change, ChangeKind.UNDO)


@dataclass(frozen=True, slots=True, kw_only=True)
class Redo(RevertCommand):
    """Bring back the change that I took back last."""

    route = "POST /v1/projects/{project_id}/redo"

    def own(self, view: Snapshot) -> list[Change]:
        return undo_redo_stacks(view, self.project_id)[1]

    def run(self, work: UnitOfWork) -> Change:
        change = self.target(work)
        if change is None:
            self._refuse_unknown()
            if self.only_last:
                check_is_last(work, None, ChangeKind.REDO)
            raise NothingToUndo("There is no change here that you undid and could redo.")
        return self._revert(work, change, ChangeKind.REDO)


def _way_on(work: UnitOfWork, refused: CannotUndo, older: Change, kind: ChangeKind, *, asks: bool) -> RuleViolation:
    """The refusal of a change that cannot be reverted any more, with the last one that can."""
    if asks and work.now - older.at <= IN_REACH:
        return UndoTooOld(f"{refused} {_last_one(work, older, kind)}", seq=older.seq)
    return CannotUndo(f"{refused} {way_past(work, older, kind)}", who_can=refused.who_can)


def _last_one(work: UnitOfWork, change: Change, kind: ChangeKind) -> str:
    """The last change that can be reverted, in a sentence."""
    done = "undone" if kind is ChangeKind.UNDO else "redone"
    return f"The last one that can be {done} is of {in_full(work.day_of(change.at))}: {change.summary}."


SELECT_LINES = (
    "SELECT change.seq, change.at, change.actor_id, change.kind, change.message, change.summary, change.reverts,"
    " change.through, first_name, last_name FROM change LEFT JOIN app_user ON app_user.id = change.actor_id"
)


def _lines(view: Snapshot, scope: Id, before: int | None) -> tuple[HistoryEntry, ...]:
    return _page(view, scope, "change.seq < :before", before=before if before is not None else 2**62)


def changes_by_others(view: Snapshot, project_id: Id, after: int) -> tuple[HistoryEntry, ...]:
    """The newest page of what others than the one who asks did after a seq."""
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
    "gate_record": ("PHASE", "phase_id"),
    "deliverable": ("PHASE", "phase_id"),
    "application": ("APPLICATION", "id"),
    "launch": ("APPLICATION", "application_id"),
}
"""Tables whose rows are, or belong to, a card, a phase or an application, and the column that says which."""


def _about(view: Snapshot, scope: Id, seqs: list[int]) -> dict[int, Changed]:
    """For each change of a page the first card, phase or application among its records."""
    rows = view.rows(
        "SELECT seq, entity, key, before, after FROM change_record"
        " WHERE project_id = :scope AND seq BETWEEN :first AND :last ORDER BY seq, position",
        scope=scope,
        first=min(seqs, default=0),
        last=max(seqs, default=0),
    )
    found: dict[int, Changed] = {}
    for row in rows:
        kind, column = _POINTERS.get(row["entity"], ("", ""))
        values = json.loads(row["after"] or row["before"] or "{}") | json.loads(row["key"]) if kind else {}
        if values.get(column) and row["seq"] not in found:
            found[row["seq"]] = Changed(kind=kind, id=values[column])
    return found


def _line(row: Row, about: Changed | None = None) -> HistoryEntry:
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
    """What was done to a record, or to any of several, the newest first."""
    keys, params = placeholders(json.dumps({"project_id": project_id, "id": each}) for each in record_ids)
    rows = view.rows(
        SELECT_LINES + " WHERE change.project_id = :scope AND change.seq IN"
        f" (SELECT seq FROM change_record WHERE project_id = :scope AND key IN {keys})"
        " ORDER BY change.seq DESC LIMIT 50",
        scope=project_id,
        **params,
    )
    return tuple(_line(row) for row in rows)
