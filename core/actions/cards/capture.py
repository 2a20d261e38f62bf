"""Quick capture: tasks as people type them, into the first open phase of a project."""

from __future__ import annotations

from core.domain.max_lengths import MAX_RECORDS_IN_BULK, MAX_STEPS
from core.domain.model import Item, ItemKind, Phase, Priority, Project, User
from core.domain.notifications import NotificationKind
from core.domain.permissions import Permission
from core.engine.messages import ProjectCommand
from core.engine.unit_of_work import UnitOfWork, new_id
from core.errors import InvalidInput, RuleViolation
from core.record import Record
from core.rules import items
from core.rules.labels import labels_for, put_labels
from core.rules.notifications import notify
from core.rules.ordering import ranks_before
from core.rules.phases import read_workflow
from core.text.phrases import count, shell_command
from core.text.short_keys import card_key
from core.text.typed_titles import read_title


class CapturedTask(Record):
    """A new task with its key, the name of its assignee, and a sentence for each word that stayed in its title."""

    task: Item
    key: str
    assignee: str = ""
    labels: tuple[str, ...] = ()
    """The names of its labels."""
    notes: tuple[str, ...] = ()


class CapturedTasks(Record):
    """The new tasks, and the names of their project and phase."""

    project: str
    phase: str
    tasks: tuple[CapturedTask, ...]


class CaptureTasks(ProjectCommand[CapturedTasks]):
    """Add a task for each text to the first open phase, with its shorthand: “Write brief @bob fri #print !high”.

    At most 500 texts; where one of them cannot be a title, nothing is added.
    """

    route = "POST /v1/projects/{project_id}/capture"
    permission = Permission.TASK_MANAGE
    creates = True
    texts: tuple[str, ...]

    def __post_init__(self) -> None:
        if not 1 <= len(self.texts) <= MAX_STEPS:
            given = count(len(self.texts), "text")
            raise InvalidInput("texts", f"Name 1 to {MAX_STEPS} tasks at a time, one in each text; this has {given}.")

    def run(self, work: UnitOfWork) -> CapturedTasks:
        work.most_writes = MAX_RECORDS_IN_BULK
        project = work.get(Project, id=self.project_id)
        phase = self._phase(work, project)
        people = work.all(
            User,
            "active = 1 AND id IN (SELECT user_id FROM member WHERE project_id = :project_id) ORDER BY id",
            project_id=self.project_id,
        )
        me = next((user for user in people if user.id == work.actor.user_id), None)
        named = any("#" in text for text in self.texts)
        labels_here = [each.name for each in labels_for(work, project.id)] if named else []
        ranks = ranks_before(work, Item, None, len(self.texts), project_id=project.id, phase_id=phase.id)
        lines = []
        for number, (text, rank) in enumerate(zip(self.texts, ranks, strict=True), start=1):
            typed = read_title(text, work.today, people, me, labels_here)
            assignee = typed.assignee
            try:
                title, due = items.title(typed.title), items.due_date(typed.due)
            except InvalidInput as error:
                where = f"Line {number}: " if len(self.texts) > 1 else ""
                raise InvalidInput(error.field, f"{where}{error}") from error
            new = Item(
                project_id=project.id,
                id=new_id(),
                kind=ItemKind.TASK,
                phase_id=phase.id,
                rank=rank,
                title=title,
                assignee_id=assignee.id if assignee else None,
                due=due,
                priority=Priority(typed.priority) if typed.priority else Priority.NORMAL,
            )
            task = work.insert(new)
            labels = put_labels(work, task, typed.labels)
            work.say(f"added the task “{title}”")
            notify(work, NotificationKind.ASSIGNED, task.id, [assignee.id] if assignee else [])
            key = card_key(project.key, task.number)
            lines.append(
                CapturedTask(
                    task=task,
                    key=key,
                    assignee=assignee.name if assignee else "",
                    labels=tuple(each.name for each in labels),
                    notes=typed.notes,
                )
            )
        if len(lines) > 1:
            work.say(f"added the task “{lines[0].task.title}” and {len(lines) - 1} more")
        return CapturedTasks(project=project.name, phase=phase.name, tasks=tuple(lines))

    def _phase(self, work: UnitOfWork, project: Project) -> Phase:
        workflow = read_workflow(work, project.id)
        if phase := workflow.first_open:
            return phase
        if not workflow.phases:
            add = shell_command("podium", "phase", "add", project.name, "NAME")
            raise RuleViolation(
                f"“{project.name}” has no phases yet. Add one first: press N on its Canvas, or type {add}."
            )
        raise RuleViolation(f"Every phase of “{project.name}” is complete. Add the task to the phase that it reopens.")
