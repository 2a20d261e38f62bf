"""Worlds of a given size, written straight into the tables: many projects, phases, members or cards within a second."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from uuid import uuid4

from core.domain.fields import CustomField, FieldKind, ItemField
from core.domain.labels import ItemLabel, Label, LabelColour
from core.domain.model import WORKSPACE, Id, Item, ItemKind, Member, Phase, Project, ProjectKey, ProjectRole, User
from core.engine.counters import recount
from core.engine.unit_of_work import UnitOfWork, new_id
from core.storage.database import Tx
from tests.support.workspace import World

FIRST_DUE = date(2026, 2, 20)


def add_projects(
    world: World, names: Sequence[str], members: Sequence[Id], *, cards: int = 4, first: int = 0
) -> list[Id]:
    """Add projects with these names, which the first of the members owns.

    Each has two phases, with ``cards`` open tasks of the owner in the first. Their keys are numbered from ``first`` on.
    """
    ids = [new_id() for _ in names]

    def records(number: int, project: Id) -> Iterator[object]:
        key = f"K{first + number:04}"
        yield Project(id=project, name=names[number], auth_id=str(uuid4()), created_at=world.engine.clock(), key=key)
        yield ProjectKey(key=key, project_id=project)
        yield from _members(project, members)
        phases = [new_id(), new_id()]
        yield from (Phase(project_id=project, id=each, rank=f"a{at}", name="Step") for at, each in enumerate(phases))
        yield from _cards(project, phases[:1], cards, members[:1], number)

    _write(world, ids, [record for number, project in enumerate(ids) for record in records(number, project)])
    return ids


def add_users(world: World, count: int) -> list[Id]:
    """Add users without a role in the workspace."""
    users = [
        User(id=new_id(), login=f"p{at}", first_name=f"Person {at}", last_name="Many", email=f"p{at}@example.com")
        for at in range(count)
    ]
    _write(world, (), users)
    return [user.id for user in users]


def add_project(world: World, *, phases: int, cards: int, members: Sequence[Id], key: str = "SIZE") -> Id:
    """Add one project, which the first member owns. Its cards are spread over its phases and members."""
    project, places = new_id(), [new_id() for _ in range(phases)]
    records = [
        Project(id=project, name="Of this size", auth_id=str(uuid4()), created_at=world.engine.clock(), key=key),
        ProjectKey(key=key, project_id=project),
        *_members(project, members),
        *(Phase(project_id=project, id=each, rank=f"a{at:05}", name=f"Phase {at}") for at, each in enumerate(places)),
        *_cards(project, places, cards, members),
    ]
    _write(world, [project], records)
    return project


def label_and_fill(world: World, project: Id) -> None:
    """Put the label “all” on each card of a project, and the values of two custom fields, “S” and a text."""
    fields = [
        CustomField(
            project_id=project,
            id=new_id(),
            rank="a0",
            name="Size",
            key="size",
            kind=FieldKind.CHOICE,
            choices=("S", "M"),
        ),
        CustomField(project_id=project, id=new_id(), rank="a1", name="Note", key="note", kind=FieldKind.TEXT),
    ]
    labels = [
        Label(id=new_id(), project_id=project, name=name, colour=LabelColour.BLUE, sign=sign)
        for name, sign in (("all", "a"), ("none", "n"))
    ]
    records: list[object] = [*fields, *labels]
    for row in world.rows("SELECT id FROM item WHERE project_id = :p ORDER BY id", p=project):
        records.append(ItemLabel(project_id=project, item_id=row["id"], label_id=labels[0].id))
        for field, value in zip(fields, ("S", "as agreed"), strict=True):
            records.append(ItemField(project_id=project, item_id=row["id"], field_id=field.id, value=value))
    _write(world, (), records)


def _members(project: Id, members: Sequence[Id]) -> Iterator[Member]:
    for at, user in enumerate(members):
        role = ProjectRole.CONTRIBUTOR if at else ProjectRole.OWNER
        yield Member(project_id=project, user_id=user, role=role, invited_by=members[0])


def _cards(project: Id, phases: Sequence[Id], count: int, assignees: Sequence[Id], first: int = 0) -> Iterator[Item]:
    """Cards that are due one day after the other; ``first`` is the number of the first day."""
    for at in range(count):
        yield Item(
            project_id=project,
            id=new_id(),
            kind=ItemKind.TASK,
            phase_id=phases[at % len(phases)],
            rank=f"a{at:06}",
            title=f"Card {at}",
            number=at + 1,
            assignee_id=assignees[at % len(assignees)],
            due=FIRST_DUE + timedelta(days=(first + at) % 5_000),
        )


def _write(world: World, projects: Sequence[Id], records: Sequence[object]) -> None:
    def write(tx: Tx) -> None:
        tx.execute_all([("INSERT INTO feed (id, seq) VALUES (:id, 0)", {"id": project}) for project in projects])
        work = UnitOfWork(tx, world.maya, world.engine.clock(), WORKSPACE)
        for record in records:
            work.insert(record)
        work.flush()
        for project in projects:
            recount(tx, project)

    seconds, world.database.write_seconds = world.database.write_seconds, math.inf
    try:
        world.database.write(write)
    finally:
        world.database.write_seconds = seconds
