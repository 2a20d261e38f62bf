"""``podium task …``."""

from __future__ import annotations

import click

from core.actions.cards.tasks import (
    ArchiveTask,
    AssignTask,
    CreateTask,
    DeleteTask,
    EditTask,
    ListTasks,
    MoveTask,
    RestoreTask,
    SetTaskDueDate,
)
from core.actions.workflow.phases import ListPhases
from core.domain.model import Id, Item, Status
from core.text.phrases import in_words
from tui.cli import resolve
from tui.cli.output import agree, day
from tui.cli.personal import filters
from tui.cli.session import Session, in_workspace, relock_option

STATUSES = click.Choice([Status.TO_DO.value, Status.IN_PROGRESS.value, Status.COMPLETED.value], case_sensitive=False)


@click.group("task")
def task_() -> None:
    """Tasks: list, add, edit, move, assign, due, archive, restore, delete."""


@task_.command("list")
@click.argument("project")
@click.option("--phase", help="Of one phase only.")
@click.option("--mine", is_flag=True, help="Assigned to me.")
@click.option("--archived", is_flag=True, help="Archived ones too.")
@click.option("--filter", "filter_", metavar="FILTER", help="Only what a filter leaves, e.g. 'assignee:me due:<fri'.")
@in_workspace
def list_(session: Session, project: str, phase: str | None, mine: bool, archived: bool, filter_: str | None) -> None:
    """The tasks of a project, phase by phase."""
    project_id = resolve.project_id(session, project)
    left = filters.cards_left(session, project_id, filter_) if filter_ else None
    numbers = {line.phase.id: line.number for line in session.query(ListPhases(project_id=project_id))}
    only = resolve.phase(session, project_id, phase).phase.id if phase else None
    tasks = [
        task
        for task in session.query(ListTasks(project_id=project_id, archived=archived or bool(left and left.archived)))
        if only in (None, task.phase_id)
        and (not mine or task.assignee_id == session.workspace.user_id)
        and (left is None or task.id in left.ids)
    ]
    people = _names(session, project_id)
    session.list(
        sorted(tasks, key=lambda task: numbers.get(task.phase_id, 0)),
        ("#", "TASK", "STATUS", "ASSIGNEE", "DUE", "ID"),
        lambda task: (
            numbers.get(task.phase_id, ""),
            task.title,
            in_words(task.status),
            people.get(task.assignee_id, ""),
            day(task.due),
            task.id,
        ),
        "No task is left by the filter." if left else "No tasks here. “podium task add” makes one.",
    )


def _names(session: Session, project_id: Id) -> dict[Id | None, str]:
    from core.actions.projects.members import ListMembers

    return {line.user.id: line.user.name for line in session.query(ListMembers(project_id=project_id))}


def _task(session: Session, project: str, task: str) -> Item:
    return resolve.task(session, resolve.project_id(session, project), task)


@task_.command("add")
@click.argument("project")
@click.argument("phase")
@click.argument("title")
@click.option("--activity", help="The activity that it belongs to, by title or id.")
@click.option("--assignee", help="A member, by name or login.")
@click.option("--due", help="A day such as fri, +2w, 3 dec.")
@click.option("--description", default="")
@relock_option
@in_workspace
def add(
    session: Session,
    project: str,
    phase: str,
    title: str,
    activity: str | None,
    assignee: str | None,
    due: str | None,
    description: str,
    relock: bool,
) -> None:
    """Add a task to a phase."""
    project_id = resolve.project_id(session, project)
    task = session.execute(
        CreateTask(
            phase_id=resolve.phase(session, project_id, phase).phase.id,
            title=title,
            activity_id=resolve.activity(session, project_id, activity).id if activity else None,
            assignee_id=resolve.member(session, project_id, assignee).id if assignee else None,
            due=resolve.due(due),
            description=description,
            relock=relock,
        )
    )
    session.done(task, f"Added “{task.title}” ({task.id}).")


@task_.command("edit")
@click.argument("project")
@click.argument("task")
@click.option("--title")
@click.option("--description")
@in_workspace
def edit(session: Session, project: str, task: str, title: str | None, description: str | None) -> None:
    """Change the title or the description of a task."""
    found = _task(session, project, task)
    edited = session.execute(EditTask(task_id=found.id, title=title, description=description))
    session.done(edited, f"Changed “{edited.title}”.")


@task_.command("move")
@click.argument("project")
@click.argument("task")
@click.argument("status", type=STATUSES)
@relock_option
@in_workspace
def move(session: Session, project: str, task: str, status: str, relock: bool) -> None:
    """Move a task to another status."""
    found = _task(session, project, task)
    moved = session.execute(MoveTask(task_id=found.id, status=Status(status), relock=relock))
    session.done(moved, f"“{moved.title}” is {in_words(moved.status)}.")


@task_.command("assign")
@click.argument("project")
@click.argument("task")
@click.argument("member")
@in_workspace
def assign(session: Session, project: str, task: str, member: str) -> None:
    """Give a task to a member; “nobody” takes it away."""
    found = _task(session, project, task)
    person = None if member.lower() == "nobody" else resolve.member(session, found.project_id, member)
    given = session.execute(AssignTask(task_id=found.id, assignee_id=person.id if person else None))
    session.done(given, f"“{given.title}” is assigned to {person.name if person else 'nobody'}.")


@task_.command("due")
@click.argument("project")
@click.argument("task")
@click.argument("day_", metavar="DAY")
@in_workspace
def due_(session: Session, project: str, task: str, day_: str) -> None:
    """Set the due date of a task (fri, +2w, 3 dec); “none” removes it."""
    found = _task(session, project, task)
    dated = session.execute(SetTaskDueDate(task_id=found.id, due=resolve.due(day_)))
    session.done(dated, f"“{dated.title}” is due {day(dated.due) or 'on no day'}.")


@task_.command("archive")
@click.argument("project")
@click.argument("task")
@in_workspace
def archive(session: Session, project: str, task: str) -> None:
    """Put a task in the archive."""
    archived = session.execute(ArchiveTask(task_id=_task(session, project, task).id))
    session.done(archived, f"Archived “{archived.title}”. “podium task restore” brings it back.")


@task_.command("restore")
@click.argument("project")
@click.argument("task")
@relock_option
@in_workspace
def restore(session: Session, project: str, task: str, relock: bool) -> None:
    """Bring a task back from the archive to the status it had."""
    restored = session.execute(RestoreTask(task_id=_task(session, project, task).id, relock=relock))
    session.done(restored, f"“{restored.title}” is {in_words(restored.status)} again.")


@task_.command("delete")
@click.argument("project")
@click.argument("task")
@click.option("--yes", is_flag=True, help="Do not ask.")
@relock_option
@in_workspace
def delete(session: Session, project: str, task: str, yes: bool, relock: bool) -> None:
    """Delete an archived task for good. This cannot be undone."""
    found = _task(session, project, task)
    if not yes:
        agree(f"Delete “{found.title}” for good?")
    session.execute(DeleteTask(task_id=found.id, relock=relock))
    session.done(None, f"Deleted “{found.title}” for good.")
