"""``podium my-work``, ``inbox`` and ``who``: over all projects, what is mine, what concerns me, and who is here."""

from __future__ import annotations

import click

from core.actions.personal.inbox import InboxItem, ListInbox, MarkNotificationsRead
from core.actions.personal.my_work import GetMyWork
from core.actions.projects.presence import ListOnlineUsers, OnlineUserSummary
from core.rules.open_items import OpenItem
from core.text.phrases import in_words
from tui.cli import resolve
from tui.cli.output import day, moment, say
from tui.cli.session import Session, in_workspace


@click.command("my-work")
@click.option("--late", is_flag=True, help="Only what is past its due date.")
@in_workspace
def my_work_(session: Session, late: bool) -> None:
    """My open tasks and activities over all my projects, the most urgent first."""
    work = session.query(GetMyWork())
    lines = [line for line in work.lines if not late or (line.due is not None and line.due < work.today)]
    nothing = "Nothing of yours is late." if late else "Nothing is assigned to you."
    session.list(lines, ("DUE", "WHAT", "PROJECT", "PHASE", "STATUS", "ID"), _work_row, nothing)
    if work.more and not (late or session.as_json):
        say(f"{work.more} more are not listed.")


def _work_row(line: OpenItem) -> tuple[object, ...]:
    status = "locked" if line.locked else in_words(line.status)
    return day(line.due), line.title, line.project, f"{line.phase_number} {line.phase}", status, line.id


@click.command("inbox")
@click.option("--all", "read_too", is_flag=True, help="What is read, too.")
@click.option("--read", is_flag=True, help="Mark all as read, after it is shown.")
@in_workspace
def inbox_(session: Session, read_too: bool, read: bool) -> None:
    """What concerns me: gates that wait for me, what is late or due today, and what others did."""
    lines = session.query(ListInbox(read_too=read_too))
    session.list(lines, ("WHY", "WHAT", "PROJECT", "WHEN", ""), _inbox_row, "Nothing waits for you.")
    if read:
        session.execute(
            MarkNotificationsRead(
                notification_ids=tuple(line.notification_id for line in lines if line.notification_id)
            )
        )


def _inbox_row(line: InboxItem) -> tuple[object, ...]:
    return line.words, line.title, line.project, moment(line.at) if line.at else "", "unread" if line.unread else ""


@click.command("online")
@click.argument("project", required=False)
@in_workspace
def online_(session: Session, project: str | None) -> None:
    """Who has my projects open, or one of them, and on which card.

    Whoever comes through a server is known there. With a file of one's own, each terminal knows but itself.
    """
    project_id = resolve.project_id(session, project) if project else None
    nobody = "Nobody is here now." if session.config.server else ONE_S_OWN
    heads = ("WHO", "PROJECT", "CARD OR PHASE", "THROUGH", "SINCE")
    session.list(session.query(ListOnlineUsers(project_id=project_id)), heads, _present_row, nobody)


ONE_S_OWN = "Who is here is known only to a server (--server), and this is a file of one's own."


def _present_row(line: OnlineUserSummary) -> tuple[object, ...]:
    return line.name, line.project, line.place, line.via, moment(line.since)
