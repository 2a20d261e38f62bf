"""``podium my-work``, ``inbox`` and ``who``: over all projects, my work, my notifications, and who is here."""

from __future__ import annotations

from collections.abc import Sequence

import click

from core.actions.personal.inbox import InboxItem, ListInbox, MarkNotificationsRead
from core.actions.personal.my_work import GetMyWork
from core.actions.projects.presence import ListOnlineUsers
from core.reads.open_items import OpenItem
from core.text.phrases import in_words
from tui.cli.label_columns import cells, columns
from tui.cli.message_command import flag, runs
from tui.cli.output import day, moment, say
from tui.cli.records import PROJECT
from tui.cli.sentences import Columns
from tui.cli.session import Session


@runs(
    "my-work",
    flag("--late", "Only what is past its due date."),
    flag("--ready", "Only what can start now: To Do, in an unlocked phase, waiting for no open card."),
    ids=True,
    lists=True,
)
def my_work_(session: Session, late: bool, ready: bool) -> None:
    """List my open tasks and activities in all my projects, most urgent first."""
    work = session.query(GetMyWork(ready=ready))
    lines = [line for line in work.lines if not late or (line.due is not None and line.due < work.today)]
    nothing = "Nothing is late." if late else "Nothing is ready." if ready else "No open work."
    more = columns((), (line.priority for line in lines))
    heads = ("DUE", "WHAT", *more, "PROJECT", "PHASE", "STATUS", "KEY")
    session.list(lines, heads, lambda line: _work_row(line, more), nothing)
    if session.as_json or session.ids_only:
        return
    for gate in work.gates:
        say(f"{gate.project}, {gate.title}")
    if work.more and not late:
        say(f"{work.more} more are not listed.")


def _work_row(line: OpenItem, more: Sequence[str]) -> tuple[object, ...]:
    status = "locked" if line.locked else f"waits for {line.waits_for}" if line.waits_for else in_words(line.status)
    phase = f"{line.phase_number} {line.phase}"
    return day(line.due), line.title, *cells(more, line.priority, ()), line.project, phase, status, line.key


@runs(
    "inbox",
    click.Option(["--all", "read_too"], is_flag=True, help="Include read notifications."),
    flag("--read", "Mark all as read, after it is shown."),
    changes=True,
    lists=True,
)
def inbox_(session: Session, read_too: bool, read: bool) -> None:
    """List my notifications: gates that wait for me, cards that are late or due today, and changes by others."""
    inbox = session.query(ListInbox(read_too=read_too))
    lines = inbox.lines
    if not (read and session.dry_run):
        session.list(lines, ("WHY", "WHAT", "PROJECT", "WHEN", "KEY", ""), _inbox_row, "Your inbox is empty.")
        if inbox.older and not session.as_json and not session.ids_only:
            say(f"{inbox.older:,} older ones are not listed: they follow once newer ones are read.")
    if read:
        session.execute(
            MarkNotificationsRead(
                notification_ids=tuple(line.notification_id for line in lines if line.notification_id)
            )
        )


def _inbox_row(line: InboxItem) -> tuple[object, ...]:
    when = moment(line.at) if line.at else ""
    return line.words, line.title, line.project, when, line.key, "unread" if line.unread else ""


ONE_PROJECT = PROJECT.or_none(click.Argument(["project"], required=False))


@runs("online", ONE_PROJECT, lists=True)
def online_(session: Session) -> None:
    """List the people who have my projects open, or one of them, and the card that each is on.

    A server knows everyone who is connected to it. Without a server, a terminal only knows about itself.
    """
    project = session[ONE_PROJECT]
    nobody = "No users online." if session.config.server else ONE_S_OWN
    columns = Columns("name project place via since")
    heads = ("WHO", "PROJECT", "CARD OR PHASE", "THROUGH", "SINCE")
    online = session.query(ListOnlineUsers(project_id=project.id if project else None))
    session.list(online, heads, columns, nobody)


ONE_S_OWN = "Only a server (--server) knows who is online. This is a local file."
