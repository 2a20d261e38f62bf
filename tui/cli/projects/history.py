"""``podium history``, ``podium undo`` and ``podium redo``."""

from __future__ import annotations

from collections.abc import Sequence

import click

from core.actions.history.entries import PAGE, HistoryEntry
from core.actions.history.history import ListHistory, ListWorkspaceHistory, Redo, Undo
from core.actions.projects.last_visit import ListChangesSinceLastVisit
from core.domain.model import WORKSPACE
from tui.cli.choices import Number
from tui.cli.current_project import current_project, find_stored
from tui.cli.message_command import ALLOW_LAPSE, RELOCK, flag, runs
from tui.cli.output import moment, say
from tui.cli.records import PROJECT
from tui.cli.sentences import Columns
from tui.cli.session import Session
from tui.cli.session_command import SessionCommand

MOST = 3
"""The most values of a change that are printed below it."""

COLUMNS = Columns("seq at actor", lambda line: _what(line, line.sentences(MOST)))
ONE_PROJECT = PROJECT.or_none(click.Argument(["project"], required=False))


@runs(
    "history",
    ONE_PROJECT,
    click.Option(["--before"], type=Number(), help="Only changes before this number, to read the next page."),
    flag("--since-last-visit", "Only what others did since I left the project's Canvas."),
    flag("--all", f"All pages, not only one of {PAGE} changes.", "every"),
    lists=True,
)
def history_(session: Session, before: int | None, since_last_visit: bool, every: bool) -> None:
    """List the changes of a project, newest first; without PROJECT, the changes of the workspace.

    Up to 3 old and new values stand below a change; --json has up to 20.
    """
    project = session[ONE_PROJECT]
    if since_last_visit and not project:
        raise click.UsageError("--since-last-visit takes a project.")
    if since_last_visit and project:
        page = lines = session.query(ListChangesSinceLastVisit(project_id=project.id)).lines
    else:
        page = lines = _page(session, before)
    while every and len(page) == PAGE and not since_last_visit:
        page = _page(session, page[-1].seq)
        lines += page
    session.list(lines, ("#", "WHEN", "WHO", "WHAT"), COLUMNS, "Nothing was done here yet.", below=_below)
    if len(page) == PAGE and not session.as_json and not session.ids_only:
        say(f"The changes before #{page[-1].seq} are not listed: --before {page[-1].seq} lists the next page.")


def _page(session: Session, before: int | None) -> tuple[HistoryEntry, ...]:
    project = session[ONE_PROJECT]
    return session.query(
        ListHistory(project_id=project.id, before=before) if project else ListWorkspaceHistory(before=before)
    )


def _what(change: HistoryEntry, sentences: Sequence[str]) -> str:
    """The summary of a change, with its value where it has one."""
    words = change.kind.describe(change.summary)
    return f"{words} ({sentences[0]})" if len(sentences) == 1 else words


def _below(change: HistoryEntry) -> Sequence[str]:
    sentences = change.sentences(MOST)
    return [f"- {each}" for each in sentences] if len(sentences) > 1 else ()


REVERT = (
    ONE_PROJECT,
    flag("--workspace", "The last one in the workspace, even if you changed a project since."),
    click.Option(
        ["--change"],
        type=Number(),
        help="My change with this number in “podium history”, instead of my last one.",
    ),
    click.Option(["--allow-relock", "relock"], is_flag=True, help=RELOCK.help),
    ALLOW_LAPSE,
)


def _reverts(name: str, message: type[Undo | Redo], verb: str, help: str) -> SessionCommand:
    """A command that undoes or redoes a change."""

    def run(session: Session, workspace: bool, change: int | None, relock: bool) -> None:
        project = session[ONE_PROJECT]
        if project and workspace:
            raise click.UsageError("Name a project or say --workspace, not both.")
        only_last = not (project or workspace) and change is None  # only the very last change of all will do
        if only_last and find_stored(session.config):
            project = current_project(session)
        scope = project.id if project else WORKSPACE
        reverted = session.execute(
            message(project_id=scope, relock=relock, allow_lapse=session[ALLOW_LAPSE], seq=change, only_last=only_last)
        )
        session.print_result(reverted, f"{verb}: {reverted.summary} ({moment(reverted.at)})")

    help += "; if it was elsewhere, the answer names the place."
    return SessionCommand(name, REVERT, run, help, changes=True)


undo_ = _reverts(
    "undo",
    Undo,
    "Undid",
    "Undo my last change in PROJECT.\n\nWithout PROJECT: my last change of all, if it was in the current project, or "
    "to the workspace where none is chosen",
)
redo_ = _reverts(
    "redo",
    Redo,
    "Redid",
    "Redo my last undone change in PROJECT.\n\nWithout PROJECT: what I undid last of all, if it was in the current "
    "project, or to the workspace where none is chosen",
)
