"""Changes of very many cards, on a project as large as an import: their undo reaches what they reach.

The largest ones are those of a file. A server of PostgreSQL takes longer for each row, and refuses some of them.
"""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from core.actions.cards import labels
from core.actions.cards.labels import ListLabels, MergeLabels, RemoveLabel
from core.actions.fields.custom_fields import ListFields, RemoveField, RenameChoice
from core.actions.history.history import Redo, Undo
from core.actions.projects.projects import ArchiveProject, RestoreProject
from core.actions.templates.apply import CreateProjectFromTemplate, MergeTemplate, SaveTemplate
from core.domain.model import Id
from core.engine import engine
from core.errors import RuleViolation
from core.templates import size
from tests.support.counting import noted_statements
from tests.support.postgres_cluster import about_the_file
from tests.support.predictions import carry_out_as_foreseen
from tests.support.sized_worlds import add_project, label_and_fill
from tests.support.workspace import World, content

LARGEST = 20_000
"""Cards: the most of the projects that these limits are for."""


BUSY = 2
"""Times as much processor time as the limit: beside other processes each takes longer."""


def filled(world: World, cards: int, phases: int = 2) -> Id:
    """A project in which each card has a label and the values of two custom fields."""
    world.database.write_seconds *= BUSY
    project = add_project(world, phases=phases, cards=cards, members=[world.maya.user_id])
    label_and_fill(world, project)
    return project


def renaming(world: World, project: Id) -> RenameChoice:
    field = world.ask(ListFields(project_id=project))[0].field
    return RenameChoice(field_id=field.id, choice="S", name="Small")


def merging(world: World, project: Id) -> MergeLabels:
    every, none = world.ask(ListLabels(project_id=project))
    return MergeLabels(label_id=every.label.id, into_id=none.label.id)


def removing(world: World, project: Id) -> RemoveLabel:
    return RemoveLabel(label_id=world.ask(ListLabels(project_id=project))[0].label.id)


def removing_a_field(world: World, project: Id) -> RemoveField:
    return RemoveField(field_id=world.ask(ListFields(project_id=project))[0].field.id)


CHANGES: list[Any] = [
    renaming,
    merging,
    removing,
    removing_a_field,
    lambda _world, project: ArchiveProject(project_id=project),
]


def shown(world: World, project: Id) -> list[dict[str, Any]]:
    """The cards' labels and values, without their versions."""
    kept = content(world.database, versions=False)
    rows = [row for table in ("item_label", "item_field", "label", "field", "project") for row in kept[table]]
    return [row for row in rows if project in row.values()]


def changes_of(world: World, project: Id) -> int:
    return len(world.rows("SELECT 1 FROM change WHERE project_id = :p", p=project))


@about_the_file
@pytest.mark.sweep
@pytest.mark.parametrize("change", CHANGES)
def test_a_change_of_each_card_of_the_largest_project_is_undone_and_redone(world: World, change: Any) -> None:
    project = filled(world, LARGEST)
    before = shown(world, project)
    world.do(change(world, project))
    after, parts = shown(world, project), changes_of(world, project)
    assert after != before
    for _ in range(parts):
        world.do(Undo(project_id=project))
    assert shown(world, project) == before
    for _ in range(parts):
        world.do(Redo(project_id=project))
    assert shown(world, project) == after


@about_the_file
@pytest.mark.sweep
def test_a_template_that_can_be_saved_can_be_used_and_merged_and_both_can_be_undone(world: World) -> None:
    project = filled(world, 4_000, phases=20)
    saved = world.do(SaveTemplate(project_id=project, name="All of it"))
    made = world.do(CreateProjectFromTemplate(template_id=saved.id, name="Made", start=date(2026, 3, 2)))
    assert _cards(world, made.project.id) == (4_000, 4_000, 8_000)
    world.do(Undo(project_id=made.project.id))
    world.do(RestoreProject(project_id=made.project.id))
    empty = world.new_project("Empty").id
    world.do(MergeTemplate(project_id=empty, template_id=saved.id))
    assert _cards(world, empty) == (4_000, 4_000, 8_000)
    world.do(Undo(project_id=empty))
    assert _cards(world, empty) == (0, 0, 0)
    world.do(Redo(project_id=empty))
    assert _cards(world, empty) == (4_000, 4_000, 8_000)


def _cards(world: World, project: Id) -> tuple[int, ...]:
    counted = "SELECT count(*) AS n FROM {} WHERE project_id = :p"
    return tuple(world.rows(counted.format(each), p=project)[0]["n"] for each in ("item", "item_label", "item_field"))


def test_the_undo_of_a_change_of_forty_cards_reads_as_often_as_that_of_two(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads = []
    for number, cards in enumerate((2, 40)):
        project = add_project(world, phases=1, cards=cards, members=[world.maya.user_id], key=f"SIZE{number}")
        label_and_fill(world, project)
        world.do(renaming(world, project))
        with noted_statements(monkeypatch, world.database) as sent:
            world.do(Undo(project_id=project))
        reads.append([sql for sql in sent if sql.startswith("SELECT")])
    assert len(reads[1]) <= len(reads[0])


def test_a_template_of_forty_cards_is_used_with_as_many_reads_as_one_of_two(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads = []
    for number, cards in enumerate((2, 40)):
        project = add_project(world, phases=1, cards=cards, members=[world.maya.user_id], key=f"SIZE{number}")
        label_and_fill(world, project)
        saved = world.do(SaveTemplate(project_id=project, name=f"Of {cards}"))
        with noted_statements(monkeypatch, world.database) as sent:
            world.do(CreateProjectFromTemplate(template_id=saved.id, name=f"N{cards}", start=date(2026, 3, 2)))
        reads.append([sql for sql in sent if sql.startswith("SELECT")])
    assert len(reads[1]) <= len(reads[0])


def test_a_template_with_more_than_can_be_used_is_refused_before_it_is_saved(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = filled(world, 4)
    monkeypatch.setattr(size, "MAX_ROWS", 15)
    with pytest.raises(RuleViolation, match=r"at most 15 cards, with their labels.* these are 16"):
        world.do(SaveTemplate(project_id=project, name="All of it"))
    monkeypatch.setattr(size, "MAX_ROWS", 16)
    saved = world.do(SaveTemplate(project_id=project, name="All of it"))
    assert saved.number == 1


@pytest.mark.parametrize("change", [merging, removing])
def test_a_label_on_very_many_cards_goes_in_parts_and_each_part_can_be_undone(
    world: World, monkeypatch: pytest.MonkeyPatch, change: Any
) -> None:
    monkeypatch.setattr(labels, "MOST_CARDS", 3)
    monkeypatch.setattr(engine, "PAUSE_SECONDS", 0.0)
    project = filled(world, 10)
    before, command = shown(world, project), change(world, project)
    foreseen = carry_out_as_foreseen(world, command, world.maya)
    assert len([each for each in foreseen.changes if each.entity == "item_label" and each.after is None]) == 10
    after, parts = shown(world, project), changes_of(world, project)
    assert parts == 4
    assert (
        "3 cards"
        in world.rows("SELECT summary FROM change WHERE project_id = :p ORDER BY seq", p=project)[0]["summary"]
    )
    for _ in range(parts):
        world.do(Undo(project_id=project))
    assert shown(world, project) == before
    for _ in range(parts):
        world.do(Redo(project_id=project))
    assert shown(world, project) == after
