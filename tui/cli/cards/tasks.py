"""``podium task …``."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

import click

from core.actions.cards import tasks
from core.actions.cards.bulk import BulkUpdate
from core.actions.cards.cards import MoveCard
from core.actions.cards.details import CardDetail, GetCard
from core.domain.dependencies import LinkedCard
from core.domain.model import Item, ItemKind, Status
from core.record import Record
from core.text.phrases import count, in_words, names
from core.text.sanitize import visible_line
from tui.cli.cards import dependencies, labels
from tui.cli.cards.edits import edits, field_lines, sends_changes
from tui.cli.cards.lists import lists_cards
from tui.cli.cards.named import NAMED_PROJECT, TASKS
from tui.cli.message_command import ALLOW_LAPSE, CONSENT, MessageGroup, flag
from tui.cli.output import day, moment, print_json
from tui.cli.records import ACTIVITY, MEMBER, PHASE, PROJECT, TASK, key_of
from tui.cli.session import Session

task_ = MessageGroup(
    "task", "Tasks: list, show, add, edit texts, labels, priority and custom fields, move, link, archive."
)

lists_cards(task_, ItemKind.TASK)
task_.sends(
    "add",
    tasks.CreateTask,
    [
        PROJECT,
        PHASE,
        "title",
        ACTIVITY.option("--activity", "The activity that it belongs to, by key, title or id."),
        MEMBER.option("--assignee", "A member, by name or login.", "assignee_id"),
        "due description",
        labels.LABELS_OF_NEW,
        labels.PRIORITY_OF_NEW,
        *CONSENT,
    ],
    done=lambda task, session: f"Added “{task.title}” ({key_of(session, task)}).",
)
edits(task_, TASK, tasks.EditTask, title="", description="")
task_.sends(
    "assign",
    tasks.AssignTask,
    [PROJECT, TASK, MEMBER.or_none(click.Argument(["member"]), "assignee_id", none="nobody")],
    help="Assign a task to a member; “nobody” unassigns it.",
    done="“{title}” is assigned to {member:nobody}.",
)
sends_changes(
    task_,
    TASK,
    archive="Archive a task; Restore brings it back.",
    restore="Restore an archived task to the status that it had.",
    delete="Delete an archived task for good. This cannot be undone.",
    confirm="Delete “{task.title}” for good?",
)


@task_.runs("show", NAMED_PROJECT, TASKS)
def show(session: Session) -> None:
    """Show tasks in full: of any project by key or id, of the current one also by title."""
    from core.codec.encoding import collection

    found = [session.query(GetCard(item_id=task.id)) for task in session[TASKS]]
    if session.as_json:
        print_json(collection(found))
        return
    for place, detail in enumerate(found):
        session.show(detail, lambda detail, place=place: [*([""] if place else []), *_lines(detail)])  # type: ignore[misc]


def _lines(detail: CardDetail) -> Iterator[str]:
    task = detail.item
    yield f"{detail.key} {task.title}: {in_words(task.status)}, due {day(task.due) or 'no day'}"
    yield f"Phase: {detail.phase.name} ({in_words(detail.state)})"
    if detail.activity:
        yield f"Activity: {detail.activity.title}"
    yield f"Assigned to: {names([person.name for person in detail.people]) or 'nobody'}"
    if task.priority.shown:
        yield f"Priority: {task.priority.shown}"
    if detail.labels:
        yield f"Labels: {names([each.name for each in detail.labels])}"
    yield from field_lines(detail)
    for each in detail.linked.waits_for:
        yield f"Waits for: {each.key} {each.title} ({in_words(each.status)})" + _mark_overridden(each)
    if detail.linked.waits_for_unseen:
        yield f"Waits for: {count(detail.linked.waits_for_unseen, 'card')} that you cannot see"
    for each in detail.linked.blocks:
        yield f"Blocks: {each.key} {each.title} ({in_words(each.status)})"
    if detail.blocked:
        yield f"Blocked: {detail.blocked.reason}"
    yield f"ID: {task.id}"
    if task.description:
        yield from ("", task.description)
    if detail.older_comments:
        yield from ("", f"{count(detail.older_comments, 'older comment')}: “podium comment list {detail.key} --all”")
    for comment in detail.comments:
        mark = ", edited" if comment.edited else ""
        yield from ("", f"{comment.author}, {moment(comment.at)}{mark}:", comment.text)


def _mark_overridden(each: LinkedCard) -> str:
    return f", overridden by {each.overridden_by}: {each.override_reason}" if each.override_reason else ""


class RefusedTask(Record):
    """A task that was not moved, and why."""

    item: Item
    reason: str


class MovedTasks(Record):
    """The tasks that were moved, one as well as many, and those that were refused."""

    data: tuple[Item, ...]
    refused: tuple[RefusedTask, ...] = ()


def _moves(name: str, status: Status, help: str) -> None:
    @task_.runs(name, NAMED_PROJECT, TASKS, ALLOW_RELOCK, ALLOW_LAPSE, ids=True, changes=True)
    def move(session: Session, relock: bool) -> int:
        found: tuple[Item, ...] = session[TASKS]
        return _move_tasks(session, found, status, relock)

    move.help = help


def _move_tasks(session: Session, found: Sequence[Item], status: Status, relock: bool) -> int:
    """Move tasks as one step. The exit status is 1 if some are refused, which are named on stderr.

    One task alone is refused as any other command is.
    """
    lapse = session[ALLOW_LAPSE]
    moves = tuple(MoveCard(card_id=each.id, status=status, relock=relock, allow_lapse=lapse) for each in found)
    if len(moves) == 1:
        made = session.execute(moves[0])
        shown = made if session.ids_only else MovedTasks(data=(made,))
        session.print_result(shown, f"“{made.title}” is {in_words(made.status)}.")
        return 0
    result = session.execute(BulkUpdate(project_id=found[0].project_id, commands=moves))
    refused = {each.step: each for each in result.refused}
    done = [task for step, task in enumerate(found) if step not in refused]
    if session.as_json:
        now = tuple(session.query(GetCard(item_id=each.id)).item for each in done)
        because = tuple(RefusedTask(item=found[step], reason=each.reason) for step, each in refused.items())
        session.print_result(MovedTasks(data=now, refused=because))
    elif session.ids_only:
        session.list(done, (), lambda _: (), "")
    else:
        session.print_result(result, *(f"“{task.title}” is {in_words(status)}." for task in done))
    if not session.as_json:
        for each in refused.values():
            print(visible_line(f"“{each.title}”: {each.reason}"), file=sys.stderr)
    return 1 if refused else 0


ALLOW_RELOCK = flag("--allow-relock", "Allow later phases to lock again.", "relock")
_moves("done", Status.COMPLETED, "Complete tasks by key, title or id, as one step.")
dependencies.add_to(task_)
_moves("start", Status.IN_PROGRESS, "Start tasks by key, title or id, as one step.")
