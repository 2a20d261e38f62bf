"""Dependencies go along: with exports, imports, templates, merges, and files of other programs."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

import pytest

from core.actions.cards.tasks import CreateTask
from core.actions.dependencies.links import LinkCards, OverrideBlockers
from core.actions.dependencies.lists import ListDependencies
from core.actions.personal.my_work import GetMyWork
from core.actions.projects.exports import ExportProject
from core.actions.projects.imports import ImportProject, PreviewImport
from core.actions.templates.apply import CreateProjectFromTemplate, MergeTemplate, SaveTemplate
from core.actions.templates.templates import GetTemplate
from core.codec.encoding import brief
from core.domain.model import Id
from core.errors import InvalidImport
from core.import_export.document import ProjectDocument, WaitEntry
from core.import_export.programs import kanban_tui, taskwarrior
from core.record import replace
from core.templates.template_file import template_in, template_text, workflow_of
from tests.support.workspace import World


def waits(world: World, project_id: Id) -> list[tuple[str, str, int]]:
    """The titles at both ends of each dependency of a project, with the lag."""
    rows = world.rows(
        "SELECT waiting.title AS card, blocker.title AS other, lag_days FROM dependency"
        " JOIN item AS waiting ON waiting.id = waiting_id JOIN item AS blocker ON blocker.id = blocker_id"
        " WHERE dependency.project_id = :id ORDER BY waiting.title, blocker.title",
        id=project_id,
    )
    return [(row["card"], row["other"], row["lag_days"]) for row in rows]


def linked(world: World) -> None:
    """In two phases: Print waits for Proof, for a task in an activity with lag, and for a card of another project."""
    activity = world.activity("Press")
    cut, proof = world.task("Cut", activity_id=activity.id), world.task("Proof")
    printing = world.task("Print", phase=world.build)
    world.do(LinkCards(waiting_id=printing.id, blocker_id=proof.id))
    world.do(OverrideBlockers(waiting_id=printing.id, reason="The client insists"))
    world.do(LinkCards(waiting_id=printing.id, blocker_id=cut.id, lag_days=3))


START = date(2026, 4, 1)
WAITS = [("Print", "Cut", 3), ("Print", "Proof", 0)]


def test_an_export_imports_as_the_same_document(world: World) -> None:
    linked(world)
    logo = world.task("Logo", phase=world.phase("Design", world.new_project("Autumn").id))
    world.do(LinkCards(waiting_id=world.rows("SELECT id FROM item WHERE title = 'Print'")[0]["id"], blocker_id=logo.id))
    document = world.ask(ExportProject(project_id=world.project.id))
    assert json.dumps(brief(document)).count("waitsFor") == 1
    made = world.do(ImportProject(document=document, name="Copy"))
    assert waits(world, made.id) == sorted([*WAITS, ("Print", "Logo", 0)])
    again = world.ask(ExportProject(project_id=made.id))
    assert again.items == document.items
    seen_by_bob = world.ask(ExportProject(project_id=world.project.id), world.bob)
    assert [len(item.waits_for) for item in seen_by_bob.items if item.waits_for] == [2]


def test_a_card_of_another_project_that_is_not_there_is_missing(world: World) -> None:
    world.task("Print")
    document = world.ask(ExportProject(project_id=world.project.id))
    [phase, *phases] = document.phases
    item = replace(phase.items[0], waits_for=(WaitEntry(key="XYZ-7"),))
    document = replace(document, phases=(replace(phase, items=(item,)), *phases))
    assert [(each.kind, each.name) for each in world.ask(PreviewImport(document=document)).missing] == [
        ("card", "XYZ-7")
    ]
    world.refuses(ImportProject(document=document, name="Copy"), InvalidImport, "card “XYZ-7”")
    made = world.do(ImportProject(document=document, name="Copy", leave_out_unknown=True))
    assert waits(world, made.id) == []


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ({"2": (WaitEntry(card="9"),)}, "There is no card with the id “9”"),
        ({"1": (WaitEntry(card="3"),)}, "a later phase"),
        ({"1": (WaitEntry(card="2"),), "2": (WaitEntry(card="1"),)}, "These cards wait for each other: “One”"),
        ({"2": (WaitEntry(card="1"), WaitEntry(card="1"))}, "listed twice"),
        ({"2": (WaitEntry(card="1", lag_days=999),)}, "The lag is 0 to 365 days"),
        ({"2": (WaitEntry(),)}, "either by “card” or by “key”"),
    ],
)
def test_a_file_with_impossible_dependencies_is_refused(
    world: World, entries: dict[str, tuple[WaitEntry, ...]], words: str
) -> None:
    for title, phase in (("One", world.discover), ("Two", world.discover), ("Three", world.build)):
        world.do(CreateTask(phase_id=phase.id, title=title))
    document = world.ask(ExportProject(project_id=world.project.id))
    phases = tuple(
        replace(phase, items=tuple(replace(item, waits_for=entries.get(item.id, ())) for item in phase.items))
        for phase in document.phases
    )
    world.refuses(ImportProject(document=replace(document, phases=phases), name="Copy"), InvalidImport, words)


def test_templates_keep_dependencies_as_text_and_in_new_projects(world: World) -> None:
    linked(world)
    template = world.do(SaveTemplate(project_id=world.project.id, name="Ours"))
    made = world.do(CreateProjectFromTemplate(template_id=template.id, name="Next", start=START)).project
    assert waits(world, made.id) == WAITS
    detail = world.ask(GetTemplate(template_id=template.id))
    text = template_text(template, detail.body)
    assert "[[waits]]" in text
    assert workflow_of(template_in(text)).waits == detail.body.waits
    with pytest.raises(InvalidImport, match="There is no card “Discover / Cut” in the file"):
        template_in(text.replace('["Discover", "Press", "Cut"]', '["Discover", "Cut"]'))


def test_a_merge_brings_new_dependencies(world: World) -> None:
    proof, printing = world.task("Proof"), world.task("Print", phase=world.build)
    template = world.do(SaveTemplate(project_id=world.project.id, name="Ours"))
    made = world.do(CreateProjectFromTemplate(template_id=template.id, name="Next", start=START)).project
    world.do(LinkCards(waiting_id=printing.id, blocker_id=proof.id, lag_days=2))
    world.do(SaveTemplate(project_id=world.project.id, template_id=template.id))
    world.do(MergeTemplate(project_id=made.id, template_id=template.id, relock=True))
    assert waits(world, made.id) == [("Print", "Proof", 2)]


def imported(world: World, document: ProjectDocument) -> Id:
    return world.do(ImportProject(document=document, leave_out_unknown=True)).id


def test_kanban_tui_and_taskwarrior_bring_their_dependencies(world: World) -> None:
    board = [{"task_id": 1, "title": "Proof"}, {"task_id": 2, "title": "Print", "blocked_by": [1, 7]}]
    draft = kanban_tui.draft(json.dumps(board))
    assert waits(world, imported(world, draft.document())) == [("Print", "Proof", 0)]
    assert "Not as in the file, but said in descriptions: “Waits for” of 1 card." in draft.notes
    tasks = [
        {"uuid": "a", "description": "Proof", "status": "pending"},
        {"uuid": "b", "description": "Print", "status": "pending", "depends": "a"},
        {"uuid": "c", "description": "Fold", "status": "pending", "depends": ["a", "b"]},
    ]
    draft = taskwarrior.draft(json.dumps(tasks))
    assert waits(world, imported(world, draft.document())) == [
        ("Fold", "Print", 0),
        ("Fold", "Proof", 0),
        ("Print", "Proof", 0),
    ]
    assert draft.notes == []


def test_my_ready_work_is_what_can_start_now(world: World) -> None:
    mine: dict[str, Any] = {"assignee_id": world.maya.user_id}
    proof, printing = world.task("Proof", **mine), world.task("Print", **mine)
    world.task("Later", phase=world.build, **mine)
    world.do(LinkCards(waiting_id=printing.id, blocker_id=proof.id))
    lines = world.ask(GetMyWork()).lines
    assert {line.title: line.waits_for for line in lines} == {"Proof": 0, "Print": 1, "Later": 0}
    assert [line.title for line in world.ask(GetMyWork(ready=True)).lines] == ["Proof"]
    [line] = world.ask(ListDependencies(project_id=world.project.id))
    assert (line.waiting, line.blocker and line.blocker.title, line.open) == ("SPR-2", "Proof", True)


TEMPLATE = """
name = "Launch"

[[phases]]
name = "Discover"
work = [{ task = "A" }, { task = "B" }, { task = "C" }]
"""


def wait(card: str, blocker: str) -> str:
    return f'[[waits]]\ncard = ["Discover", "{card}"]\nblocker = ["Discover", "{blocker}"]\n'


@pytest.mark.parametrize(
    ("waits", "refusal"),
    [
        ([("A", "B"), ("A", "B")], "This dependency is listed twice"),
        ([("A", "B"), ("B", "C"), ("C", "A")], "A card would wait for itself: “.”, “.”, “.” and “.”"),
    ],
)
def test_a_template_whose_dependencies_cannot_hold_is_refused(waits: list[tuple[str, str]], refusal: str) -> None:
    with pytest.raises(InvalidImport, match=refusal):
        template_in(TEMPLATE + "".join(wait(*each) for each in waits))
