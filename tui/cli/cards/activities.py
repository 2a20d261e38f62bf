"""``podium activity …``."""

from __future__ import annotations

from core.actions.cards import activities
from core.domain.model import ItemKind
from tui.cli.cards import labels
from tui.cli.cards.edits import edits, sends_changes
from tui.cli.cards.lists import lists_cards
from tui.cli.message_command import CONSENT, Field, MessageGroup
from tui.cli.records import ACTIVITY, MEMBERS, PHASE, PROJECT, key_of

activity_ = MessageGroup(
    "activity", "Activities: list, add, edit texts, labels, priority and custom fields, move, archive, delete."
)


lists_cards(activity_, ItemKind.ACTIVITY)
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
