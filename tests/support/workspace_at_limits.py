"""A project at all its limits at once, written straight into the tables: what one person can make in a workspace.

The limits are read from the code. Where it has none, CARDS, MEMBERS and COMMENTS are as many as large studios have.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise
from typing import Any

from core.actions.cards.bulk import BulkUpdate
from core.actions.cards.cards import ArchiveCard, MoveCard, ReorderCard, SetCardDueDate
from core.actions.cards.labels import SetLabels
from core.actions.cards.tasks import AssignTask
from core.actions.dependencies.links import LinkCards, UnlinkCards
from core.actions.workflow.phases import ReorderPhase
from core.domain.dependencies import MAX_BLOCKERS, Dependency
from core.domain.fields import MAX_CHOICES, MAX_FIELDS, CustomField, FieldKind, ItemField
from core.domain.gates import Deliverable
from core.domain.labels import MAX_LABELS, ItemLabel, Label, LabelColour
from core.domain.max_lengths import MAX_PHASES, MAX_STEPS
from core.domain.model import Assignment, Comment, Id, Item, ItemKind, Member, Phase, ProjectRole, Status
from core.engine.counters import recount
from core.engine.messages import Command
from core.engine.unit_of_work import UnitOfWork, new_id
from core.rules.ordering import ranks_before
from core.storage.database import Tx
from core.templates.size import MAX_OTHERS
from tests.support.sized_worlds import add_users
from tests.support.workspace import World

CARDS = 20_000
"""Tasks, each of which waits for the one before it."""

DELIVERABLES = MAX_OTHERS
MEMBERS = 500
COMMENTS = 300
"""On the last card."""

HELD = 200
"""Tasks of one activity."""

WITH_FIELDS = 20
"""One of so many cards has a value in each custom field."""


@dataclass
class AtLimits:
    """The parts of the project that tests name."""

    phases: Sequence[Id]
    """In their order. The first ones are those of the world, without cards, so that work can begin in them."""
    chain: Sequence[Id]
    """The tasks, in the order of the phases; each waits for the one before it."""
    activity: Id
    """In the last phase, with the last of the tasks, and all members."""
    waiting: Id
    """A card in the last phase that waits for as many cards as one can."""
    label: Id
    """On all tasks."""
    other_label: Id
    choice: CustomField
    """A field with choices, the first of which many cards have."""
    members: Sequence[Id]
    project: Id

    @property
    def tasks(self) -> Sequence[Id]:
        """From the middle of the chain, as many as a bulk change has steps."""
        return self.chain[len(self.chain) // 2 :][:MAX_STEPS]

    def bulk(self, commands: Iterable[Command[Any]]) -> BulkUpdate:
        return BulkUpdate(project_id=self.project, commands=tuple(commands))


DUE = date(2026, 5, 1)

DEAREST: Mapping[str, Callable[[AtLimits], Command[Any]]] = {
    "a link along the chain": lambda at: LinkCards(waiting_id=at.chain[-1], blocker_id=at.chain[0]),
    "a link that closes it": lambda at: LinkCards(waiting_id=at.chain[0], blocker_id=at.chain[-1]),
    "a move in the middle": lambda at: ReorderCard(card_id=at.tasks[0], phase_id=at.phases[-2]),
    "a move to the front": lambda at: ReorderCard(card_id=at.chain[-1], phase_id=at.phases[0]),
    "a phase to the front": lambda at: ReorderPhase(phase_id=at.phases[-1], before_id=at.phases[0], relock=True),
    "a first date that moves all": lambda at: SetCardDueDate(card_id=at.chain[0], due=DUE, follow=True),
    "the status of an activity": lambda at: MoveCard(card_id=at.activity, status=Status.COMPLETED),
    "another phase of an activity": lambda at: ReorderCard(card_id=at.activity, phase_id=at.phases[-2]),
    "an activity to the archive": lambda at: ArchiveCard(card_id=at.activity),
    "many links": lambda at: at.bulk(LinkCards(waiting_id=one, blocker_id=at.chain[0]) for one in at.tasks),
    "many ends of links": lambda at: at.bulk(
        UnlinkCards(waiting_id=one, blocker_id=before) for before, one in pairwise(at.tasks)
    ),
    "many moves": lambda at: at.bulk(ReorderCard(card_id=task, phase_id=at.phases[-2]) for task in at.tasks),
    "many dates that move others": lambda at: at.bulk(
        SetCardDueDate(card_id=task, due=DUE, follow=True) for task in at.tasks
    ),
    "many cards to the archive": lambda at: at.bulk(ArchiveCard(card_id=task) for task in at.tasks),
    "many assignees": lambda at: at.bulk(AssignTask(task_id=task, assignee_id=at.members[0]) for task in at.tasks),
    "many labels": lambda at: at.bulk(SetLabels(card_id=task, add=("label-1",)) for task in at.tasks),
}
"""The commands that read or write the most of such a project, those that are refused included."""


def fill_to_limits(world: World, cards: int = CARDS, *, together: bool = False) -> AtLimits:
    """Fill the project of a world; ``together`` puts all tasks into its last phase."""
    members = [world.maya.user_id, world.bob.user_id, *add_users(world, MEMBERS - 3)]
    found: list[AtLimits] = []

    def write(tx: Tx) -> None:
        work = UnitOfWork(tx, world.maya, world.engine.clock(), world.project.id)
        for record in _records(work, world, members, cards, together, found):
            work.insert(record)
        work.flush()
        recount(tx, world.project.id)

    seconds, world.database.write_seconds = world.database.write_seconds, math.inf
    try:
        world.database.write(write)
    finally:
        world.database.write_seconds = seconds
    return found[0]


def _records(
    work: UnitOfWork, world: World, members: Sequence[Id], cards: int, together: bool, found: list[AtLimits]
) -> Iterator[object]:
    project = world.project.id
    there = [row[0] for row in work.tx.tuples("SELECT id FROM phase WHERE project_id = :id ORDER BY rank", id=project)]
    for user in members[2:]:
        yield Member(project_id=project, user_id=user, role=ProjectRole.CONTRIBUTOR, invited_by=members[0])
    added = [new_id() for _ in range(MAX_PHASES - len(there))]
    for phase, rank in zip(added, ranks_before(work, Phase, None, len(added), project_id=project), strict=True):
        yield Phase(project_id=project, id=phase, rank=rank, name=f"Phase {rank}")
    labels = [new_id() for _ in range(MAX_LABELS)]
    for number, label in enumerate(labels):
        colour = list(LabelColour)[number % len(LabelColour)]
        yield Label(project_id=project, id=label, name=f"label-{number}", colour=colour, sign="")
    choices = tuple(f"Choice {number}" for number in range(MAX_CHOICES))
    fields = [
        CustomField(
            project_id=project,
            id=new_id(),
            rank=f"a{number:02}",
            name=f"Field {number}",
            key="field" + "abcdefghijklmnopqrstuvwxyz"[number],
            kind=FieldKind.TEXT if number else FieldKind.CHOICE,
            choices=() if number else choices,
        )
        for number in range(MAX_FIELDS)
    ]
    yield from fields
    chain, waiting, activity = [new_id() for _ in range(cards)], new_id(), new_id()
    counts = iter(range(1, cards + 3))
    last = added[-1]

    def card(id: Id, phase: Id, title: str, kind: ItemKind = ItemKind.TASK, **more: Any) -> Item:
        number = next(counts)
        return Item(
            project_id=project,
            id=id,
            kind=kind,
            phase_id=phase,
            rank=f"a{number:06}",
            title=title,
            number=number,
            **more,
        )

    yield card(activity, last, "Holds many", kind=ItemKind.ACTIVITY)
    for number, each in enumerate(chain):
        phase = last if together else added[number * len(added) // cards]
        yield card(
            each,
            phase,
            f"Card {number}",
            activity_id=activity if number >= cards - HELD else None,
            assignee_id=members[number % len(members)],
            due=date(2026, 2, 20) + timedelta(days=number % 2_000),
        )
        yield ItemLabel(project_id=project, item_id=each, label_id=labels[0])
        if number % WITH_FIELDS == 0:
            for field in fields:
                yield ItemField(project_id=project, item_id=each, field_id=field.id, value=(field.choices or ("x",))[0])
    yield card(waiting, last, "Waits for many")
    for label in labels:
        yield ItemLabel(project_id=project, item_id=waiting, label_id=label)
    links = [
        *((each, before) for before, each in pairwise(chain)),
        *((waiting, each) for each in chain[-MAX_BLOCKERS:]),
    ]
    for waits, blocker in links:
        yield Dependency(project_id=project, waiting_id=waits, blocker_id=blocker, blocker_project_id=project)
    for number in range(DELIVERABLES):
        phase = added[number % len(added)]
        yield Deliverable(project_id=project, id=new_id(), phase_id=phase, rank=f"a{number:05}", name=f"Page {number}")
    for member in members:
        yield Assignment(project_id=project, target_id=activity, user_id=member)
    for number in range(COMMENTS):
        yield Comment(
            project_id=project,
            id=new_id(),
            item_id=waiting,
            author_id=members[0],
            at=work.now,
            text="Long. " * (number + 1),
        )
    found.append(
        AtLimits([*there, *added], chain, activity, waiting, labels[0], labels[1], fields[0], members, project)
    )
