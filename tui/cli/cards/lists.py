"""``podium task list`` and ``podium activity list``: the cards of a project, with the same fields for both kinds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date

import click

from core.actions.workflow.canvas import GetCanvas
from core.domain.canvas import Canvas, Card
from core.domain.model import Id, ItemKind, Priority, Status
from core.record import Record
from core.text.phrases import in_words
from core.text.short_keys import card_key
from tui.cli import label_columns
from tui.cli.message_command import MessageGroup, flag
from tui.cli.output import day
from tui.cli.personal import filters
from tui.cli.records import LISTED_PROJECT, PHASE, PROJECT
from tui.cli.session import Session

ONE_PHASE = PHASE.option("--phase", "Only this phase.")

HEADS = {ItemKind.TASK: ("TASK", "ASSIGNEE"), ItemKind.ACTIVITY: ("ACTIVITY", "ASSIGNED")}
"""The heads of the columns with the title and the people, by kind."""

PLURALS = {ItemKind.TASK: "tasks", ItemKind.ACTIVITY: "activities"}


class CardLine(Record, kw_only=False):
    """A card as lists print it: with the names and keys that people and programs need, and no ids of other records."""

    id: Id
    key: str
    kind: ItemKind
    title: str
    status: Status
    phase: str
    phase_number: int
    activity: str
    """The key of the activity that a task belongs to, if it does."""
    assignees: tuple[str, ...]
    """The logins of its people."""
    assignee_names: tuple[str, ...]
    due: date | None
    priority: Priority
    labels: tuple[str, ...]
    fields: dict[str, str]
    """The values of all custom fields of the project, by their keys; empty for none."""
    tasks: int
    tasks_done: int
    comments: int
    waits_for: int
    project: str
    """The name of its project."""
    version: int


def lists_cards(group: MessageGroup, kind: ItemKind) -> None:
    """Declare the command that lists the cards of a kind."""
    noun, plural = kind.value.lower(), PLURALS[kind]

    @group.runs(
        "list",
        LISTED_PROJECT,
        ONE_PHASE,
        flag("--mine", "Assigned to me."),
        flag("--archived", "Archived ones too."),
        click.Option(
            ["--filter"], metavar="FILTER", help="Only cards that match a filter, e.g. 'assignee:me due:<fri'."
        ),
        ids=True,
        lists=True,
    )
    def list_(session: Session, mine: bool, archived: bool, filter: str | None) -> None:
        canvas = session.query(GetCanvas(project_id=session[PROJECT].id))
        left = filters.cards_of_filter(session, canvas, filter) if filter else None
        phase = session[ONE_PHASE]
        shown = [
            card
            for card in canvas.cards
            if card.kind is kind
            and (phase is None or card.phase_id == phase.id)
            and (not mine or session.workspace.user_id in card.assignee_ids)
            and (left is None or card.id in left.ids)
            and (archived or (left is not None and left.archived) or card.status is not Status.ARCHIVED)
        ]
        lines = list(_lines(canvas, shown))
        more = label_columns.columns((each.labels for each in lines), (each.priority for each in lines))
        title, people = HEADS[kind]
        counts = ("TASKS",) if kind is ItemKind.ACTIVITY else ()
        session.list(
            lines,
            ("PHASE", title, "STATUS", *more, *counts, people, "DUE", "KEY"),
            lambda line: _row(line, more, has_tasks=bool(counts)),
            f"No {noun} is left by the filter." if left else f"No {plural} here. Create one with “podium {noun} add”.",
        )

    list_.help = f"List the {plural} of a project, phase by phase; without PROJECT, of the current one."


def _lines(canvas: Canvas, cards: Sequence[Card]) -> Iterator[CardLine]:
    head = canvas.head
    phases = {each.id: each for each in head.columns}
    people = {each.user_id: each for each in head.members}
    keys = {each.id: card_key(head.key, each.number) for each in canvas.cards if each.kind is not ItemKind.APPLICATION}
    for card in cards:
        phase = phases.get(card.phase_id)
        assigned = [people[each] for each in card.assignee_ids if each in people]
        yield CardLine(
            id=card.id,
            key=keys[card.id],
            kind=card.kind,
            title=card.title,
            status=card.status or Status.TO_DO,
            phase=phase.name if phase else "",
            phase_number=phase.number if phase else 0,
            activity=keys.get(card.activity_id or "", ""),
            assignees=tuple(each.login for each in assigned),
            assignee_names=tuple(each.name for each in assigned),
            due=card.due,
            priority=card.priority,
            labels=tuple(each.name for each in head.labels if each.id in card.labels),
            fields={each.key: "" for each in head.fields} | {each.key: each.value for each in card.values},
            tasks=card.tasks,
            tasks_done=card.tasks_done,
            comments=card.comments,
            waits_for=card.waits_for,
            project=head.name,
            version=card.version,
        )


def _row(line: CardLine, more: Sequence[str], *, has_tasks: bool) -> tuple[object, ...]:
    counts = (f"{line.tasks_done}/{line.tasks}" if line.tasks else "",) if has_tasks else ()
    return (
        f"{line.phase_number} {line.phase}" if line.phase_number else "",
        line.title,
        in_words(line.status),
        *label_columns.cells(more, line.priority, line.labels),
        *counts,
        ", ".join(line.assignee_names),
        day(line.due),
        line.key,
    )
