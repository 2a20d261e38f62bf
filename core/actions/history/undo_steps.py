"""The next steps of undo and redo, as a list: one place and one press of a key for each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from core.actions.history.own_changes import (
    all_scopes,
    by_time,
    command_of,
    is_undoable,
    newest_of_each,
    original_of,
    own_changes,
    stacks_of,
)
from core.actions.history.revert import creates_project
from core.domain.grants import PermissionQuery
from core.domain.model import WORKSPACE, Change, ChangeKind, Id, Project
from core.domain.permissions import Permission
from core.engine.messages import Query
from core.engine.unit_of_work import Snapshot
from core.record import Record
from core.rules.visibility import my_projects_with_questions
from core.storage.database import placeholders

MOST_STEPS = 100
"""The most steps of one answer."""

HELD = timedelta(seconds=0.7)
"""The longest time between two changes of a key that is held down: the wait before the first repeat, and some more."""


class ChangeRef(Record):
    """A change by its project, or WORKSPACE, and its number there."""

    project_id: Id
    seq: int


class UndoStep(Record):
    """A step of undo or redo: a change, or the changes of a key that was held down."""

    changes: tuple[ChangeRef, ...]
    """The changes to send to Undo or Redo, in this order."""
    project: str
    """The name of the project; empty for a change of the workspace."""
    at: datetime
    summary: str
    undoable: bool
    """False for a change that cannot be undone, such as a deletion for good. Undo passes over it."""
    creates_project: bool = False
    """True for a new project, which undo puts into the archive."""


class ListUndoSteps(Query[tuple[UndoStep, ...]]):
    """List the steps that undo takes next, the newest first: my changes in a project, or in all that I can see."""

    route = "GET /v1/me/undo-steps"
    permission = Permission.WORKSPACE_VIEW
    project_id: Id | None = None
    redo: bool = False
    """List the steps that redo takes next instead; none once I have made a change since."""
    most: int = 20

    def scope(self, view: Snapshot) -> Id:
        return self.project_id or WORKSPACE

    def needs(self, view: Snapshot) -> Permission:
        return Permission.PROJECT_VIEW if self.project_id not in (None, WORKSPACE) else self.permission

    def asks(self, view: Snapshot) -> tuple[PermissionQuery, ...]:
        return () if self.project_id else tuple(my_projects_with_questions(view, archived=True).values())

    def run(self, view: Snapshot) -> tuple[UndoStep, ...]:
        scopes = (self.project_id,) if self.project_id else all_scopes(view)
        done, undone = _stacks(view, scopes, self._most)
        return self._steps(view, undone if self.redo else done)

    @property
    def _most(self) -> int:
        return max(1, min(self.most, MOST_STEPS))

    def _steps(self, view: Snapshot, changes: Iterable[Change]) -> tuple[UndoStep, ...]:
        """Return the steps of changes, the newest first. Only as many as wanted are read."""
        steps: list[list[tuple[Change, Change]]] = []
        for change in changes:
            original = original_of(view, change)
            if steps and _is_held(view, steps[-1][-1][1], original):
                steps[-1].append((change, original))
            elif len(steps) == self._most:
                break
            else:
                steps.append([(change, original)])
        chosen, params = placeholders({step[0][0].project_id for step in steps})
        projects = {each.id: each.name for each in view.all(Project, f"id IN {chosen} ORDER BY id", **params)}
        return tuple(_step(view, step, projects) for step in steps)


def _stacks(view: Snapshot, scopes: Sequence[Id], most: int) -> tuple[list[Change], list[Change]]:
    """Return my changes that are not undone, and the undos that are not redone, of all scopes, the newest first.

    An undo before a newer change of mine is left out, in whatever project that is. Scopes whose newest change is older
    than ``most`` changes of others are not read.
    """
    done: list[Change] = []
    undone: list[Change] = []
    last: Change | None = None
    newest = sorted(newest_of_each(view, scopes), key=by_time, reverse=True)
    for start in range(0, len(newest), most):
        if len(done) >= most and by_time(newest[start]) <= by_time(sorted(done, key=by_time)[-most]):
            break
        part = [each.project_id for each in newest[start : start + most]]
        for changes in own_changes(view, part).values():
            mine, _ = stacks_of(view, changes, finals=True)
            done += mine
            undone += stacks_of(view, changes, finals=False)[1]
            made = [each for each in mine if each.kind is ChangeKind.DO]
            last = max([*made[-1:], *([last] if last else [])], key=by_time, default=None)
    if last is not None and len(scopes) > 1:
        undone = [each for each in undone if by_time(each) > by_time(last)]
    return sorted(done, key=by_time, reverse=True), sorted(undone, key=by_time, reverse=True)


def _is_held(view: Snapshot, one: Change, other: Change) -> bool:
    """Return True if one held key made both changes. Both are originals, so redo goes back by the same steps."""
    commands = (command_of(view, one), command_of(view, other))
    return all(each is not None and each.held_key for each in commands) and abs(one.at - other.at) <= HELD


def _step(view: Snapshot, changes: Sequence[tuple[Change, Change]], projects: Mapping[Id, str]) -> UndoStep:
    newest, original = changes[0]
    first = min((original for _, original in changes), key=by_time)
    more = f" and {len(changes) - 1} more" if len(changes) > 1 else ""
    return UndoStep(
        changes=tuple(ChangeRef(project_id=change.project_id, seq=change.seq) for change, _ in changes),
        project=projects.get(newest.project_id, ""),
        at=newest.at,
        summary=f"{first.summary}{more}",
        undoable=is_undoable(view, original),
        creates_project=creates_project(view, original),
    )
