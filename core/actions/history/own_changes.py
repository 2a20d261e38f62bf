"""A user's own changes: those that can be undone and redone, and the last one."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from core.domain.model import WORKSPACE, Change, ChangeKind, Id, Project
from core.engine.messages import Command
from core.engine.unit_of_work import Snapshot
from core.errors import NothingToUndo
from core.rules.project_names import argument_for_project
from core.rules.visibility import visible_projects
from core.storage.database import Row, batches, placeholders
from core.text.phrases import shell_command

UNDO_DEPTH = 500
"""The number of the user's own changes in a project that undo searches."""


def undo_redo_stacks(view: Snapshot, scope: Id, *, finals: bool = False) -> tuple[list[Change], list[Change]]:
    """Return the actor's changes that can be undone, and the undos that can be redone, the next one last.

    With ``finals`` the first list also has the changes that cannot be undone. Both are computed from the history and
    so survive a restart. A new change of the actor empties the second list.
    """
    return stacks_of(view, _own_changes(view, scope), finals=finals)


def stacks_of(view: Snapshot, changes: Sequence[Change], *, finals: bool) -> tuple[list[Change], list[Change]]:
    """Return the stacks of ``undo_redo_stacks`` from the actor's last changes in a scope, the oldest first."""
    done: list[Change] = []
    undone: list[Change] = []
    for change in changes:
        if change.kind is ChangeKind.UNDO:
            done = [each for each in done if each.seq != change.reverts]
            undone.append(change)
        elif change.kind is ChangeKind.REDO:
            undone = [each for each in undone if each.seq != change.reverts]
            done.append(change)
        elif finals or is_undoable(view, change):
            done.append(change)
            undone.clear()
    return done, undone


def check_is_last(view: Snapshot, change: Change | None, kind: ChangeKind) -> None:
    """Raise NothingToUndo if the actor's last change (or undo, for a redo) anywhere is not ``change``."""
    verb, noun = ("undo", "change") if kind is ChangeKind.UNDO else ("redo", "undo")
    last = _last_anywhere(view, kind)
    if last is None or (change is not None and last.seq == change.seq and last.project_id == change.project_id):
        return
    where = f" was {where_in_words(view, last.project_id)}" if last.project_id != view.scope else ""
    summary = original_of(view, last).summary
    if kind is ChangeKind.REDO or last.kind is ChangeKind.REDO or is_undoable(view, last):
        command = shell_command("podium", verb, argument_for_project(view, last.project_id))
        way = f"To {verb} it, type {command}."
        said = f"Your last {noun}{where}: {summary}. {way}"
    else:
        said = f"Your last change{where}{' and' if where else ''} cannot be undone: {summary}.{instead_of(view, last)}"
    if change is not None:
        earlier = original_of(view, change).summary
        command = shell_command("podium", verb, argument_for_project(view, view.scope))
        said += f" To {verb} your last {noun} {where_in_words(view, view.scope)} ({earlier}): {command}."
    raise NothingToUndo(said)


def where_in_words(view: Snapshot, scope: Id) -> str:
    """Return the scope of a change in words."""
    return "to the workspace" if scope == WORKSPACE else f"in “{view.get(Project, id=scope).name}”"


def _last_anywhere(view: Snapshot, kind: ChangeKind) -> Change | None:
    """Return the actor's last change that is not undone (or undo that is not redone) in all scopes that they see."""
    newest = newest_of_each(view, all_scopes(view))
    last: Change | None = None
    for each in sorted(newest, key=by_time, reverse=True):
        if last is not None and each.at <= last.at:
            break
        done, undone = undo_redo_stacks(view, each.project_id, finals=kind is ChangeKind.UNDO)
        found = (done if kind is ChangeKind.UNDO else undone)[-1:]
        last = max([*found, *([last] if last else [])], key=by_time, default=None)
    return last


def by_time(change: Change) -> tuple[datetime, int]:
    """Return the key that sorts changes of several scopes by their time."""
    return change.at, change.seq


def way_past(view: Snapshot, change: Change, kind: ChangeKind) -> str:
    """Return a sentence with the command that undoes (or redoes) an older change than the last one."""
    verb, done = ("undo", "undone") if kind is ChangeKind.UNDO else ("redo", "redone")
    scope = [] if view.scope == WORKSPACE else [argument_for_project(view, view.scope)]
    command = shell_command("podium", verb, *scope, "--change", str(change.seq))
    return f"To {verb} the last one that can be {done} ({original_of(view, change).summary}): {command}."


def last_final(view: Snapshot, scope: Id) -> Change | None:
    """Return the actor's last change in a scope if it cannot be undone, else None."""
    newest = _own_changes(view, scope, depth=1)
    return next((each for each in newest if each.kind is ChangeKind.DO and not is_undoable(view, each)), None)


def instead_of(view: Snapshot, final: Change) -> str:
    """Return the sentence that names another way than undo, after a space; empty if there is none."""
    command = command_of(view, final)
    return f" {command.instead}" if command is not None and command.instead else ""


def is_undoable(view: Snapshot, change: Change) -> bool:
    """Return True if the command of a change can be undone."""
    command = command_of(view, change)
    return command is not None and command.undoable


def command_of(view: Snapshot, change: Change) -> type[Command[Any]] | None:
    """Return the command of a change; None if this Podium does not know it, or no message made the change."""
    message = view.load_catalog().get(change.message)
    return message if message is not None and issubclass(message, Command) else None


def _own_changes(view: Snapshot, scope: Id, depth: int = UNDO_DEPTH) -> list[Change]:
    """Return the actor's last changes in a scope, the oldest first."""
    rows = view.rows(
        "SELECT * FROM change WHERE project_id = :scope AND actor_id = :me ORDER BY seq DESC LIMIT :depth",
        scope=scope,
        me=view.actor.user_id,
        depth=depth,
    )
    return [_change(row) for row in reversed(rows)]


def own_changes(view: Snapshot, scopes: Sequence[Id]) -> dict[Id, list[Change]]:
    """Return the actor's last changes in each of these scopes, the oldest first, in one statement."""
    found: dict[Id, list[Change]] = {scope: [] for scope in scopes}
    chosen, params = placeholders(scopes)
    rows = view.rows(
        "SELECT change.* FROM feed JOIN change ON change.project_id = feed.id AND change.actor_id = :me"
        " AND change.seq >= coalesce((SELECT own.seq FROM change AS own WHERE own.project_id = feed.id"
        " AND own.actor_id = :me ORDER BY own.seq DESC LIMIT 1 OFFSET :skipped), 0)"
        f" WHERE feed.id IN {chosen} ORDER BY change.project_id, change.seq",
        me=view.actor.user_id,
        skipped=UNDO_DEPTH - 1,
        **params,
    )
    for row in rows:
        found[row["project_id"]].append(_change(row))
    return found


def all_scopes(view: Snapshot) -> tuple[Id, ...]:
    """Return the workspace and the projects that the actor sees, archived ones too."""
    return WORKSPACE, *visible_projects(view, archived=True)


def newest_of_each(view: Snapshot, scopes: Sequence[Id]) -> list[Change]:
    """Return the actor's last change in each of these scopes, in their order."""
    found: dict[Id, Change] = {}
    for part in batches(scopes):
        chosen, params = placeholders(part)
        rows = view.rows(
            "SELECT change.* FROM feed JOIN change ON change.project_id = feed.id AND change.seq = ("
            "SELECT max(seq) FROM change AS own WHERE own.project_id = feed.id AND own.actor_id = :me)"
            f" WHERE feed.id IN {chosen} ORDER BY feed.id",
            me=view.actor.user_id,
            **params,
        )
        found |= {row["project_id"]: _change(row) for row in rows}
    return [found[scope] for scope in scopes if scope in found]


def _change(row: Row) -> Change:
    values: dict[str, Any] = dict(row) | {
        "at": datetime.fromisoformat(row["at"]),
        "kind": ChangeKind(row["kind"]),
        "permissions": tuple(row["permissions"].split()),
    }
    return Change(**values)


def original_of(view: Snapshot, change: Change) -> Change:
    """Return the change at the start of a chain of undos and redos."""
    while change.reverts is not None:
        rows = view.rows(
            "SELECT * FROM change WHERE project_id = :scope AND seq = :seq", scope=change.project_id, seq=change.reverts
        )
        change = _change(rows[0])
    return change
