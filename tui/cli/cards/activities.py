"""``podium activity …``."""

from __future__ import annotations

from core.actions.cards import activities
from core.actions.workflow.canvas import GetCanvas
from core.domain.model import ItemKind, Status
from core.text.phrases import in_words
from tui.cli import label_columns
from tui.cli.cards import labels
from tui.cli.cards.edits import edits, sends_changes
from tui.cli.message_command import CONSENT, Field, MessageGroup, flag
from tui.cli.output import day
from tui.cli.records import ACTIVITY, LISTED_PROJECT, MEMBERS, PHASE, PROJECT, key_of
from tui.cli.session import Session

activity_ = MessageGroup(
    "activity", "Activities: list, add, edit texts, labels, priority and own fields, move, archive, delete."
)


@activity_.runs("list", LISTED_PROJECT, flag("--archived", "Archived ones too."), ids=True)
def list_(session: Session, archived: bool) -> None:
    """List the activities of a project, phase by phase."""
    canvas = session.query(GetCanvas(project_id=session[PROJECT].id))
    phases = {column.id: f"{column.number} {column.name}" for column in canvas.head.columns}
    people = {member.user_id: member.name for member in canvas.head.members}
    shown = [
        card
        for card in canvas.cards
        if card.kind is ItemKind.ACTIVITY and (archived or card.status is not Status.ARCHIVED)
    ]
    names = {label.id: label.name for label in canvas.head.labels}
    more = label_columns.columns((card.labels for card in shown), (card.priority for card in shown))
    session.list(
        shown,
        ("PHASE", "ACTIVITY", "STATUS", *more, "TASKS", "ASSIGNED", "DUE", "KEY"),
        lambda card: (
            phases[card.phase_id],
            card.title,
            in_words(card.status or ""),
            *label_columns.cells(more, card.priority, (name for id_, name in names.items() if id_ in card.labels)),
            f"{card.tasks_done}/{card.tasks}" if card.tasks else "",
            ", ".join(people[user_id] for user_id in card.assignee_ids),
            day(card.due),
            key_of(session, card),
        ),
        "No activities here. Create one with “podium activity add”.",
    )


activity_.sends(
    "add",
    activities.CreateActivity,
    [
        PROJECT,
        PHASE,
        "title due description",
        Field("link", "An https or http URL."),
        labels.LABELS_OF_NEW,
        labels.PRIORITY_OF_NEW,
        *CONSENT,
    ],
    done=lambda activity, session: f"Added “{activity.title}” ({key_of(session, activity)}).",
)
edits(
    activity_,
    ACTIVITY,
    activities.EditActivity,
    title="",
    description="",
    link="An https or http URL; empty for none.",
)
activity_.sends(
    "assign",
    activities.AssignActivity,
    [PROJECT, ACTIVITY, MEMBERS],
    help="Set the members of an activity; without any, remove them.",
    done="Assigned to “{title}”: {people:nobody}.",
)
sends_changes(
    activity_,
    ACTIVITY,
    archive="Archive an activity and its tasks; Restore brings them back.",
    restore="Restore an archived activity, with the tasks that were archived with it.",
    delete="Delete an archived activity with its tasks and its application for good. This cannot be undone.",
    confirm="Delete “{activity.title}” and its tasks for good?",
)
