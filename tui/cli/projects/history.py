"""``podium history``, ``podium undo`` and ``podium redo``."""

from __future__ import annotations

import click

from core.actions.history.history import HistoryEntry, ListHistory, ListWorkspaceHistory, Redo, Undo
from core.actions.projects.last_visit import ListChangesSinceLastVisit
from core.domain.model import WORKSPACE, Change
from tui.cli import resolve
from tui.cli.output import moment
from tui.cli.session import Session, in_workspace, relock_option


@click.command("history")
@click.argument("project", required=False)
@click.option("--before", type=int, help="Only changes before this number: the next page.")
@click.option("--since-last-visit", is_flag=True, help="Only what others did since I left the project's Canvas.")
@in_workspace
def history_(session: Session, project: str | None, before: int | None, since_last_visit: bool) -> None:
    """Who did what, the newest first; without PROJECT, what was done to the workspace."""
    if since_last_visit and not project:
        raise click.UsageError("--since-last-visit takes a project.")
    if since_last_visit and project:
        lines = session.query(ListChangesSinceLastVisit(project_id=resolve.project_id(session, project))).lines
    elif project:
        lines = session.query(ListHistory(project_id=resolve.project_id(session, project), before=before))
    else:
        lines = session.query(ListWorkspaceHistory(before=before))
    session.list(lines, ("#", "WHEN", "WHO", "WHAT"), _row, "Nothing was done here yet.")


def _row(line: HistoryEntry) -> tuple[object, ...]:
    return line.seq, moment(line.at), line.actor, line.kind.told(line.summary)


def _report(session: Session, change: Change, verb: str) -> None:
    session.done(change, f"{verb}: {change.summary} ({moment(change.at)})")


def _scope(session: Session, project: str | None, workspace: bool, change: int | None) -> tuple[str, bool]:
    """Where to look, and whether only the very last change of all will do."""
    if project and workspace:
        raise click.UsageError("Name a project or say --workspace, not both.")
    if project:
        return resolve.project_id(session, project), False
    return WORKSPACE, not workspace and change is None


change_option = click.option(
    "--change", type=int, metavar="NUMBER", help="This one of mine, by its number in “podium history”; not the last."
)


workspace_option = click.option(
    "--workspace", is_flag=True, help="The last one in the workspace, even if you changed a project since."
)


@click.command("undo")
@click.argument("project", required=False)
@workspace_option
@change_option
@relock_option
@in_workspace
def undo_(session: Session, project: str | None, workspace: bool, change: int | None, relock: bool) -> None:
    """Undo my last change in PROJECT.

    Without PROJECT: my last change of all, if it was in the workspace; if it was in a project, the answer names it.
    """
    scope, only_last = _scope(session, project, workspace, change)
    undone = session.execute(Undo(project_id=scope, relock=relock, seq=change, only_last=only_last))
    _report(session, undone, "Undid")


@click.command("redo")
@click.argument("project", required=False)
@workspace_option
@change_option
@relock_option
@in_workspace
def redo_(session: Session, project: str | None, workspace: bool, change: int | None, relock: bool) -> None:
    """Bring back what I undid last in PROJECT.

    Without PROJECT: what I undid last of all, if it was in the workspace; if it was in a project, the answer names it.
    """
    scope, only_last = _scope(session, project, workspace, change)
    redone = session.execute(Redo(project_id=scope, relock=relock, seq=change, only_last=only_last))
    _report(session, redone, "Redid")
