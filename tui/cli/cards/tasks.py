"""``podium task …``."""

from __future__ import annotations

import click

from core.actions.cards import tasks
from core.actions.projects.members import ListMembers
from core.actions.workflow.phases import ListPhases
from core.text.phrases import in_words
from tui.cli.message_command import RELOCK, STATUS, MessageGroup, flag
from tui.cli.output import day
from tui.cli.personal import filters
from tui.cli.records import ACTIVITY, MEMBER, PHASE, PROJECT, TASK
from tui.cli.session import Session

task_ = MessageGroup("task", "Tasks: list, add, edit, move, assign, due, archive, restore, delete.")

ONE_PHASE = PHASE.option("--phase", "Only this phase.")


@task_.runs(
    "list",
    PROJECT,
    ONE_PHASE,
    flag("--mine", "Assigned to me."),
    flag("--archived", "Archived ones too."),
    click.Option(["--filter"], metavar="FILTER", help="Only cards that match a filter, e.g. 'assignee:me due:<fri'."),
    ids=True,
)
def list_(session: Session, mine: bool, archived: bool, filter: str | None) -> None:
    """List the tasks of a project, phase by phase."""
    project_id, phase = session[PROJECT].id, session[ONE_PHASE]
    left = filters.cards_left(session, project_id, filter) if filter else None
    phases = {line.phase.id: line for line in session.query(ListPhases(project_id=project_id))}
    people = {line.user.id: line.user.name for line in session.query(ListMembers(project_id=project_id))}
    archived = archived or bool(left and left.archived)
    shown = [
        task
        for task in session.query(tasks.ListTasks(project_id=project_id, archived=archived))
        if (phase is None or task.phase_id == phase.id)
        and (not mine or task.assignee_id == session.workspace.user_id)
        and (left is None or task.id in left.ids)
    ]
    session.list(
        sorted(shown, key=lambda task: phases[task.phase_id].number),
        ("PHASE", "TASK", "STATUS", "ASSIGNEE", "DUE", "ID"),
        lambda task: (
            f"{phases[task.phase_id].number} {phases[task.phase_id].phase.name}",
            task.title,
            in_words(task.status),
            people.get(task.assignee_id or "", ""),
            day(task.due),
            task.id,
        ),
        "No task is left by the filter." if left else "No tasks here. Create one with “podium task add”.",
    )


task_.sends(
    "add",
    tasks.CreateTask,
    [
        PROJECT,
        PHASE,
        "title",
        ACTIVITY.option("--activity", "The activity that it belongs to, by title or id."),
        MEMBER.option("--assignee", "A member, by name or login.", "assignee_id"),
        "due description",
        RELOCK,
    ],
    done="Added “{title}” ({id}).",
)
task_.sends("edit", tasks.EditTask, [PROJECT, TASK, "title description"], done="Changed “{title}”.")
task_.sends("move", tasks.MoveTask, [PROJECT, TASK, STATUS, RELOCK], done="“{title}” is {status}.")
task_.sends(
    "assign",
    tasks.AssignTask,
    [PROJECT, TASK, MEMBER.or_none(click.Argument(["member"]), "assignee_id", none="nobody")],
    help="Assign a task to a member; “nobody” unassigns it.",
    done="“{title}” is assigned to {member:nobody}.",
)
task_.sends("due", tasks.SetTaskDueDate, [PROJECT, TASK, "due"], done="“{title}” is due {due:on no day}.")
task_.sends(
    "archive", tasks.ArchiveTask, [PROJECT, TASK], done="Archived “{title}”. Restore with “podium task restore”."
)
task_.sends("restore", tasks.RestoreTask, [PROJECT, TASK, RELOCK], done="“{title}” is {status} again.")
task_.sends(
    "delete",
    tasks.DeleteTask,
    [PROJECT, TASK, RELOCK],
    confirm="Delete “{task.title}” for good?",
    done="Deleted “{task.title}” for good.",
)
