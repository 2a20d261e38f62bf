"""Labels and priority of an exported project come back: those of the project, and those of the workspace."""

from __future__ import annotations

import json
from typing import Any

import pytest

from core.actions.cards.labels import AddLabel, AddWorkspaceLabel, ListLabels, RemoveLabel
from core.actions.projects.exports import ExportProject
from core.actions.projects.imports import ImportProject
from core.domain.labels import MAX_LABELS, LabelColour
from core.domain.model import Priority
from core.errors import InvalidImport
from core.import_export.files import read_document
from core.record import replace
from core.reports.formats import RENDERINGS, ExportFormat
from tests.support.workspace import World


def exported(world: World, project_id: str) -> dict[str, Any]:
    document = world.ask(ExportProject(project_id=project_id))
    found: dict[str, Any] = json.loads(RENDERINGS[ExportFormat.JSON].text(document, world.engine.clock()))
    return found


def test_labels_colours_signs_and_priorities_go_through_a_file(world: World) -> None:
    world.do(AddLabel(project_id=world.project.id, name="Unused", colour=LabelColour.PINK, sign="Un"))
    legal = world.do(AddWorkspaceLabel(name="Legal"))
    world.do(AddWorkspaceLabel(name="Elsewhere"))
    world.task("One", labels=("print", "Legal"), priority=Priority.LOW)
    world.task("Two")
    text = exported(world, world.project.id)
    assert [each["name"] for each in text["labels"]] == ["Legal", "print", "Unused"]
    (one, two) = text["phases"][0]["items"]
    assert (one["labels"], one["priority"]) == (["Legal", "print"], "LOW")
    assert not {"labels", "priority"} & two.keys()

    document = read_document(json.dumps(text)).document
    project = world.do(ImportProject(document=replace(document, name="Again", key="")))
    again = exported(world, project.id)
    assert again["labels"] == text["labels"]
    assert again["phases"][0]["items"][0]["labels"] == ["Legal", "print"]
    listed = world.ask(ListLabels(project_id=project.id))
    assert [each.label.id for each in listed if each.label.name == "Legal"] == [legal.id]


def test_a_label_of_another_workspace_becomes_one_of_the_project(world: World) -> None:
    legal = world.do(AddWorkspaceLabel(name="Legal"))
    world.task("One", labels=("Legal",))
    document = world.ask(ExportProject(project_id=world.project.id))
    world.do(RemoveLabel(label_id=legal.id))
    project = world.do(ImportProject(document=replace(document, name="Again", key="")))
    (found,) = world.ask(ListLabels(project_id=project.id))
    assert (found.label.name, found.label.project_id, found.cards) == ("Legal", project.id, 1)


def test_a_label_of_the_project_stands_for_the_one_of_the_workspace_with_its_name(world: World) -> None:
    world.task("One", labels=("print",))
    world.do(AddWorkspaceLabel(name="Print"))
    document = world.ask(ExportProject(project_id=world.project.id))
    assert [each.name for each in document.labels] == ["print"]
    project = world.do(ImportProject(document=replace(document, name="Again", key="")))
    assert [each.cards for each in world.ask(ListLabels(project_id=project.id)) if each.label.name == "print"] == [1]


def test_a_project_with_all_its_labels_and_some_of_the_workspace_comes_back(world: World) -> None:
    for number in range(MAX_LABELS):
        world.do(AddLabel(project_id=world.project.id, name=f"Own {number}"))
    world.do(AddWorkspaceLabel(name="Legal"))
    world.task("One", labels=("Legal", "Own 1"))
    document = world.ask(ExportProject(project_id=world.project.id))
    assert len(document.labels) == MAX_LABELS + 1
    project = world.do(ImportProject(document=replace(document, name="Again", key="")))
    assert len(world.rows("SELECT 1 FROM label WHERE project_id = :id", id=project.id)) == MAX_LABELS


@pytest.mark.parametrize(
    ("change", "refusal"),
    [
        ({"labels": [{"name": "print"}, {"name": "PRINT"}]}, r"labels\[1\].name: “PRINT” is listed twice"),
        ({"labels": [{"name": "x\x1b[2J"}]}, r"labels\[0\].name: .*U\+001B"),
        ({"labels": [{"name": "x", "sign": "??"}]}, r"labels\[0\].sign: .*is not a sign"),
        ({"labels": [{"name": f"label {number}"} for number in range(101)]}, "at most 50 labels, not 101"),
        ({"labels": []}, r"phases\[0\].items\[0\].labels: “print” is not among the labels of the file"),
    ],
)
def test_labels_that_cannot_be_are_refused_by_field(world: World, change: dict[str, Any], refusal: str) -> None:
    world.task("One", labels=("print",))
    text = exported(world, world.project.id) | change
    with pytest.raises(InvalidImport, match=refusal):
        world.do(ImportProject(document=read_document(json.dumps(text)).document))
