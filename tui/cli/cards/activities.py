"""``podium activity …``."""

from __future__ import annotations

import click

from core.actions.cards.activities import (
    ArchiveActivity,
    AssignActivity,
    CreateActivity,
    DeleteActivity,
    EditActivity,
    MoveActivity,
    RestoreActivity,
    SetActivityDueDate,
)
from core.actions.workflow.canvas import GetCanvas
from core.domain.canvas import Card
from core.domain.model import ItemKind, Status
from core.text.phrases import in_words
from tui.cli import resolve
from tui.cli.cards.tasks import STATUSES
from tui.cli.output import agree, day
from tui.cli.session import Session, in_workspace, relock_option


@click.group("activity")
def activity_() -> None:
    """Activities: list, add, edit, move, assign, due, archive, restore, delete."""


@activity_.command("list")
@click.argument("project")
@click.option("--archived", is_flag=True, help="Archived ones too.")
@in_workspace
def list_(session: Session, project: str, archived: bool) -> None:
    """The activities of a project, phase by phase."""
    canvas = session.query(GetCanvas(project_id=resolve.project_id(session, project)))
    numbers = {column.id: column.number for column in canvas.head.columns}
    people = {member.user_id: member.name for member in canvas.head.members}
    session.list(
        [
            card
            for card in canvas.cards
            if card.kind is ItemKind.ACTIVITY and (archived or card.status is not Status.ARCHIVED)
        ],
        ("#", "ACTIVITY", "STATUS", "TASKS", "ASSIGNED", "DUE", "ID"),
        lambda card: (
            numbers[card.phase_id],
            card.title,
            in_words(card.status or ""),
            f"{card.tasks_done}/{card.tasks}" if card.tasks else "",
            ", ".join(people[user_id] for user_id in card.assignee_ids),
            day(card.due),
            card.id,
        ),
        "No activities here. “podium activity add” makes one.",
    )


def _activity(session: Session, project: str, activity: str) -> Card:
    return resolve.activity(session, resolve.project_id(session, project), activity)


@activity_.command("add")
@click.argument("project")
@click.argument("phase")
@click.argument("title")
@click.option("--due", help="A day such as fri, +2w, 3 dec.")
@click.option("--description", default="")
@click.option("--link", default="", help="An https or http URL.")
@relock_option
@in_workspace
def add(
    session: Session, project: str, phase: str, title: str, due: str | None, description: str, link: str, relock: bool
) -> None:
    """Add an activity to a phase."""
    found = resolve.phase(session, resolve.project_id(session, project), phase).phase
    activity = session.execute(
        CreateActivity(
            phase_id=found.id,
            title=title,
            due=resolve.due(due),
            description=description,
            link=link,
            relock=relock,
        )
    )
    session.done(activity, f"Added “{activity.title}” ({activity.id}).")


@activity_.command("edit")
@click.argument("project")
@click.argument("activity")
@click.option("--title")
@click.option("--description")
@click.option("--link", help="An https or http URL; empty for none.")
@in_workspace
def edit(
    session: Session, project: str, activity: str, title: str | None, description: str | None, link: str | None
) -> None:
    """Change the title, the description or the link of an activity."""
    found = _activity(session, project, activity)
    edited = session.execute(EditActivity(activity_id=found.id, title=title, description=description, link=link))
    session.done(edited, f"Changed “{edited.title}”.")


@activity_.command("move")
@click.argument("project")
@click.argument("activity")
@click.argument("status", type=STATUSES)
@relock_option
@in_workspace
def move(session: Session, project: str, activity: str, status: str, relock: bool) -> None:
    """Move an activity to another status."""
    found = _activity(session, project, activity)
    moved = session.execute(MoveActivity(activity_id=found.id, status=Status(status), relock=relock))
    session.done(moved, f"“{moved.title}” is {in_words(moved.status)}.")


@activity_.command("assign")
@click.argument("project")
@click.argument("activity")
@click.argument("people", nargs=-1)
@in_workspace
def assign(session: Session, project: str, activity: str, people: tuple[str, ...]) -> None:
    """Assign exactly these members to an activity; none for nobody."""
    project_id = resolve.project_id(session, project)
    found = resolve.activity(session, project_id, activity)
    members = [resolve.member(session, project_id, each) for each in people]
    result = session.execute(AssignActivity(activity_id=found.id, member_ids=tuple(each.id for each in members)))
    session.done(result, f"Assigned to “{found.title}”: {', '.join(each.name for each in members) or 'nobody'}.")


@activity_.command("due")
@click.argument("project")
@click.argument("activity")
@click.argument("day_", metavar="DAY")
@in_workspace
def due_(session: Session, project: str, activity: str, day_: str) -> None:
    """Set the due date of an activity (fri, +2w, 3 dec); “none” removes it."""
    found = _activity(session, project, activity)
    dated = session.execute(SetActivityDueDate(activity_id=found.id, due=resolve.due(day_)))
    session.done(dated, f"“{dated.title}” is due {day(dated.due) or 'on no day'}.")


@activity_.command("archive")
@click.argument("project")
@click.argument("activity")
@in_workspace
def archive(session: Session, project: str, activity: str) -> None:
    """Put an activity and its tasks in the archive."""
    archived = session.execute(ArchiveActivity(activity_id=_activity(session, project, activity).id))
    session.done(archived, f"Archived “{archived.title}”. “podium activity restore” brings it back.")


@activity_.command("restore")
@click.argument("project")
@click.argument("activity")
@relock_option
@in_workspace
def restore(session: Session, project: str, activity: str, relock: bool) -> None:
    """Bring an activity back from the archive, with the tasks that went along."""
    found = _activity(session, project, activity)
    restored = session.execute(RestoreActivity(activity_id=found.id, relock=relock))
    session.done(restored, f"“{restored.title}” is {in_words(restored.status)} again.")


@activity_.command("delete")
@click.argument("project")
@click.argument("activity")
@click.option("--yes", is_flag=True, help="Do not ask.")
@relock_option
@in_workspace
def delete(session: Session, project: str, activity: str, yes: bool, relock: bool) -> None:
    """Delete an archived activity and its tasks for good. This cannot be undone."""
    found = _activity(session, project, activity)
    if not yes:
        agree(f"Delete “{found.title}” and its tasks for good?")
    session.execute(DeleteActivity(activity_id=found.id, relock=relock))
    session.done(None, f"Deleted “{found.title}” for good.")
